package netsim

import (
	"bytes"
	"slices"
)

// protocol is what the first bytes of a client look like.
type protocol int

const (
	unknown protocol = iota
	hello            // TLS
	request          // HTTP
)

// methods start a request. "PRI" is HTTP/2 without TLS.
var methods = []string{
	"GET", "POST", "PUT", "HEAD", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "PRI",
	"PROPFIND", "PROPPATCH", "REPORT", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "SEARCH", "M-SEARCH", "NOTIFY", "PURGE",
}

// sniff tells what b is the start of. With more it cannot tell yet.
func sniff(b []byte) (p protocol, more bool) {
	if len(b) == 0 {
		return unknown, true
	}
	if b[0] == 0x16 { // a handshake; then the version, 3.something
		if len(b) == 1 {
			return unknown, true
		}
		if b[1] == 3 {
			return hello, false
		}
		return unknown, false
	}
	for _, m := range methods {
		m += " "
		if bytes.HasPrefix(b, []byte(m)) {
			return request, false
		}
		if bytes.HasPrefix([]byte(m), b) {
			more = true
		}
	}
	return unknown, more
}

// The ports on which clients wait for the server's first word.
var (
	mailPorts = []uint16{25, 465, 587, 2525}
	// Where TLS comes before everything: the server speaks first inside of it.
	securePorts = []uint16{465, 990, 993, 995}
	dnsPorts    = []uint16{53, 853}
	// Where clients send a request or begin TLS, on a busy machine after a while.
	webPorts = []uint16{80, 443, 3000, 3128, 5000, 8000, 8080, 8443, 8888, 9000, 9090}
)

// dialogueFor returns what speaks first on a port, nil if nothing does.
func dialogueFor(port uint16) *textProtocol {
	i := slices.IndexFunc(textProtocols, func(d textProtocol) bool { return slices.Contains(d.ports, port) })
	if i < 0 {
		return nil
	}
	return &textProtocols[i]
}

// speaksFirst reports whether clients wait for the server on a port, inside of TLS
// where that belongs there.
func speaksFirst(port uint16) bool {
	return slices.Contains(mailPorts, port) || dialogueFor(port) != nil
}
