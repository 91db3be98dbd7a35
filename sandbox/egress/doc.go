// Package egress is the one way out of a sandbox, where the policy opens one: a
// proxy on the side of gate that connects to hosts of a list on behalf of a program
// that has no network.
//
// What it promises: only hosts and ports of the list, by name; a name is resolved
// here, and only when every address that it has is a public one, so that neither the
// metadata service nor private networks, link-local or loopback addresses are ever
// reached; it connects to the very address that it has checked, so that a name which
// changes its mind in between gains nothing; what the program says must be TLS for
// that name (its SNI) or HTTP to it (its Host), in the first words; bytes,
// connections and time are bounded; every attempt is on record.
//
// What it does not do: look into TLS, or at later requests of one HTTP connection:
// what an allowed host does with what it is told is its own affair.
package egress
