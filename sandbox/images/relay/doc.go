// Package relay is the first process of a container that installs dependencies: it brings
// in what gate sends, starts the installers, and carries their connections to gate, which
// fetches for them (package fetch).
//
// What it promises: the container needs no network, only loopback; all of it ends when
// gate does, because its standard input ends then; what the installers print goes to
// standard error and nothing of it is taken for an answer.
//
// What it does not do: look into connections, or decide what may be fetched. It holds no
// secret, and the installers run with its rights.
package relay
