package canary

import "strings"

// node looks at one stream of bytes: what came in, or what a decoder made of it.
// Nodes form a tree. On the way from the root there is at most one decoder of
// text and at most one decompressor, so the tree and the work are bounded.
type node struct {
	s       *Stream
	via     string // "base64 of ": what was undone on the way here
	escaped *node  // the parent, where this node sees the same if nothing was undone
	undone  int    // bytes that may still belong to what was escaped, in such a node
	blind   bool   // looks for compressed data only

	views   [viewCount]roller
	last    byte // the byte before
	zero    bool // a 0 that may be the start of 0x
	newline bool // the line so far is empty
	text    *text
	members *members
}

// newNode returns a node; the flags say which decoders may follow.
func newNode(s *Stream, via string, decode, inflate bool) *node {
	n := &node{s: s, via: via}
	if decode {
		n.text = newText(n, inflate)
	}
	if inflate {
		n.members = &members{n: n}
	}
	return n
}

// feed takes the next byte.
func (n *node) feed(b byte) {
	if !n.blind {
		n.look(b)
	}
	if n.text != nil {
		n.text.feed(b)
	}
	if n.members != nil {
		n.members.feed(n.last, b)
		// A body follows an empty line.
		switch {
		case b == '\n':
			if n.newline {
				n.boundary()
			}
			n.newline = true
		case b != '\r':
			n.newline = false
		}
	}
	n.last = b
	n.undone = max(n.undone-1, 0)
}

// look runs the views over the next byte.
func (n *node) look(b byte) {
	m := n.s.m
	class := classes[b]
	if f, ok := n.views[viewXOR].push(&m.views[viewXOR], b^n.last); ok && f.last != b {
		n.hit(f) // with a key of 0 it is plain
	}
	if class&alnum != 0 {
		low := lower(b)
		if f, ok := n.views[viewPlain].push(&m.views[viewPlain], low); ok {
			n.hit(f)
		}
		if f, ok := n.views[viewBase64].push(&m.views[viewBase64], b); ok {
			n.hit(f)
		}
		if f, ok := n.views[viewBase32].push(&m.views[viewBase32], low); ok {
			n.hit(f)
		}
	}
	if n.zero && b|0x20 != 'x' {
		n.hexDigit('0')
	}
	n.zero = b == '0'
	if class&isHex != 0 && !n.zero {
		n.hexDigit(lower(b))
	}
}

func (n *node) hexDigit(c byte) {
	if f, ok := n.views[viewHex].push(&n.s.m.views[viewHex], c); ok {
		n.hit(f)
	}
}

// hit notes a find.
func (n *node) hit(f find) {
	if n.escaped != nil {
		if _, ok := n.s.hits[hitKey{f.token, n.escaped.encoding(f)}]; ok {
			return // nothing was undone for it
		}
	}
	n.s.hits[hitKey{f.token, n.encoding(f)}] = struct{}{}
}

// encoding names how a find was written. "base64 of gzip" says it all where the
// value is plain at the end.
func (n *node) encoding(f find) string {
	if f.form == formPlain && n.via != "" {
		return strings.TrimSuffix(n.via, " of ")
	}
	return n.via + forms[f.form]
}

// boundary says that a payload may start with the next byte.
func (n *node) boundary() {
	if n.members != nil {
		n.members.fresh = true
	}
}

// flush looks at what waits for more data; the last time it ends everything.
func (n *node) flush(end bool) {
	if end && n.zero {
		n.hexDigit('0')
	}
	if n.text != nil {
		n.text.flush(end)
	}
	if n.members != nil {
		n.members.flush(end)
	}
}
