// Package protocol is the part of the Language Server Protocol 3.17 that gate speaks, as
// types: what `gate lsp` reads of a client, and what it sends.
//
// It promises the names of the protocol. Members that gate does not read are left out. It
// does nothing.
package protocol
