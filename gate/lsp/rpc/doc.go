// Package rpc is JSON-RPC 2.0 as the Language Server Protocol sends it: messages behind a
// header with their length, in both directions over one connection.
//
// It promises that what a client sends is read with bounds: of a header, of a message and
// of the requests that are served at a time; a message that is malformed, too large or
// unknown is answered with an error, and only a header that cannot be read ends the
// connection, because no one knows where the next message begins; a handler that panics
// answers with an error; notifications are handled in their order; when [Conn.Serve]
// returns, no request is being served.
//
// It does not know what methods mean (package lsp).
package rpc
