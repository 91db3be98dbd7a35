// Package fetch is the only way out of a container that installs dependencies: a proxy
// on the side of gate that asks package registries on its behalf, with the settings of the
// machine that gate runs on.
//
// What it promises: only hosts of a list are asked, and only to read (GET, HEAD, and what
// git posts to fetch); credentials are added here and only to requests for the place that
// they belong to, so that the container never has them; a scope that belongs to one
// registry is asked of no other; link-local addresses, where clouds have their metadata,
// are never reached; redirects are followed here; bytes and requests are bounded; every
// refusal is on record.
//
// What it does not do: decide which hosts and credentials those are, or look into what a
// registry answers: lock files have checksums for that, and nothing of it is executed.
//
// TLS ends at the proxy, which signs for every host with an authority of its own. It is
// made for one installation, its key never leaves the process, and only the container
// trusts it.
package fetch
