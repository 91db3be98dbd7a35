// Package debian installs packages on Debian and Ubuntu with apt-get, for the
// tools that bring up what the tests and the demo need on a fresh machine.
//
// It promises to say what it is about to install before it does, to install
// nothing that is there already, never to ask a question, and to wait for
// another apt-get instead of failing beside it. On any other system, and without
// root, it installs nothing and returns an error that carries the command to
// run.
//
// It is project tooling: gate itself never installs anything.
package debian
