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

	skipped int64 // bytes that were no work

	deep int64 // how many bytes are looked at in full; 0: all
	same int   // how many bytes in a row were the last one, where the rest is skimmed
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

// NewStreamUpTo returns a Stream that looks at so many bytes in full and skims what
// follows: values are found there as they are and in one step of the text encodings,
// but not below another one and not in compressed data. That takes a seventh of the
// time, and none for the same byte again and again.
func (m *Matcher) NewStreamUpTo(deep int64) *Stream {
	s := m.NewStream()
	s.deep = deep
	return s
}

// Write takes the next piece. It never fails; after Close it does nothing.
func (s *Stream) Write(p []byte) (int, error) {
	if s.closed {
		return len(p), nil
	}
	for i, b := range p {
		if s.deep > 0 && s.fed >= s.deep {
			s.skim(p[i:])
			break
		}
		s.fed++
		s.root.feed(b)
	}
	return len(p), nil
}

// settled is after how many equal bytes more of them change nothing: all windows are
// shorter.
const settled = 64

// skim looks at what comes directly.
func (s *Stream) skim(p []byte) {
	if s.root.text != nil {
		s.root.flush(true)
		s.root.text, s.root.members = nil, nil
	}
	s.fed += int64(len(p))
	for i := 0; i < len(p); i++ {
		b := p[i]
		if b != s.root.last {
			s.same = 0
		} else if s.same++; s.same >= settled {
			for i+1 < len(p) && p[i+1] == b {
				i++
				s.skipped++
			}
			continue
		}
		s.root.feed(b)
	}
}

// Looked is how many bytes were looked at one by one, which is what takes time.
func (s *Stream) Looked() int64 { return s.fed - s.skipped }

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
