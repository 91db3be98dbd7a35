package canary

import (
	"cmp"
	"slices"
)

// Stream looks for tokens in data that comes in pieces, cut anywhere. It keeps no
// data but a few bytes for each encoding, and what compressed data in it needs.
// It is not safe for use by several goroutines at once.
type Stream struct {
	m          *Matcher
	root       *node
	hits       map[hitKey]struct{}
	fed        int64 // bytes written
	inflated   int64 // bytes that came out of compressed data
	attempts   int64 // how often something looked like the start of compressed data
	guesses    int64 // how often it was tried for raw deflate
	incomplete bool
	closed     bool
}

type hitKey struct {
	token    int32
	encoding string
}

// NewStream returns a Stream. It has to be closed.
func (m *Matcher) NewStream() *Stream {
	s := &Stream{m: m, hits: map[hitKey]struct{}{}}
	s.root = newNode(s, "", true, true)
	s.root.boundary()
	return s
}

// Write takes the next piece. It never fails; after Close it does nothing.
func (s *Stream) Write(p []byte) (int, error) {
	if s.closed {
		return len(p), nil
	}
	for _, b := range p {
		s.fed++
		s.root.feed(b)
	}
	return len(p), nil
}

// Hits returns what was found so far, in the order of the tokens, each once for
// every encoding.
func (s *Stream) Hits() []Hit {
	if !s.closed {
		s.root.flush(false)
	}
	keys := make([]hitKey, 0, len(s.hits))
	for k := range s.hits {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b hitKey) int {
		return cmp.Or(cmp.Compare(a.token, b.token), cmp.Compare(a.encoding, b.encoding))
	})
	hits := make([]Hit, len(keys))
	for i, k := range keys {
		hits[i] = Hit{ID: s.m.tokens[k.token].ID, Encoding: k.encoding}
	}
	return hits
}

// Forget empties Hits: it has from here on what is found from here on, also again
// and also what began before.
func (s *Stream) Forget() {
	if !s.closed {
		s.root.flush(false)
	}
	clear(s.hits)
}

// Incomplete reports whether something was not looked at because it would have
// cost too much: compressed data that grows too large, or too much of it.
func (s *Stream) Incomplete() bool { return s.incomplete }

// Close looks at what was still waiting for more data and gives everything back.
// Hits and Incomplete stay. The error is always nil.
func (s *Stream) Close() error {
	if !s.closed {
		s.root.flush(true)
		s.closed = true
		s.root = nil
	}
	return nil
}
