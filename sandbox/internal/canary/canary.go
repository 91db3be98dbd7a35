package canary

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
)

// Part is the shortest run of a value's characters that counts as a find. Twelve
// random letters and digits do not occur by chance: 36^12 is 4.7e18, and case is
// ignored.
const Part = 12

// Token is a planted secret. ID names it in evidence. Value is random letters and
// digits, 20 to 64 of them; see [Check].
type Token struct{ ID, Value string }

// Check returns an error for the first token that a Matcher cannot look for:
// one without an ID, or whose value is not made of 20 to 64 ASCII letters and
// digits.
func Check(tokens []Token) error {
	for i, t := range tokens {
		if t.ID == "" {
			return fmt.Errorf("canary %d has no ID", i)
		}
		if len(t.Value) < 20 || len(t.Value) > 64 {
			return fmt.Errorf("canary %s has a value of %d characters; 20 to 64 are allowed", t.ID, len(t.Value))
		}
		for _, c := range []byte(t.Value) {
			if classes[c]&alnum == 0 {
				return fmt.Errorf("canary %s has a value with the character %q; letters and digits are allowed", t.ID, c)
			}
		}
	}
	return nil
}

// Hit says that a part of a token was found, and in what shape: "plain", "hex of
// base64", "base64 of gzip". For hex written as in a URL it is both "hex" and
// "percent-encoding".
type Hit struct{ ID, Encoding string }

// Matcher looks for a set of tokens. It is safe for use by several goroutines.
type Matcher struct {
	tokens    []Token
	views     [viewCount]table
	inflaters atomic.Int32 // those that run now, in all streams
	flates    sync.Pool    // of *flateReader
}

// NewMatcher returns a Matcher of tokens. A value that [Check] refuses is looked
// for as far as it goes: the parts of it that are letters and digits, Part of
// them or more.
func NewMatcher(tokens []Token) *Matcher {
	m := &Matcher{tokens: append([]Token(nil), tokens...)}
	var seed [256 * 8]byte
	rand.Read(seed[:]) // so that no one can make data that collides; never fails
	var mix [256]uint64
	for i := range mix {
		mix[i] = binary.LittleEndian.Uint64(seed[8*i:])
	}
	for v := range m.views {
		m.views[v].mix = mix
	}
	for i, t := range m.tokens {
		for _, run := range runs(t.Value) {
			m.add(int32(i), run)
		}
	}
	return m
}

// Find returns what of the tokens is in data, in the order of the tokens. What a
// bound hid it does not tell; a [Stream] does.
func (m *Matcher) Find(data []byte) []Hit {
	s := m.NewStream()
	_, _ = s.Write(data) // never fails
	s.Close()            // never fails
	return s.Hits()
}

// runs returns the parts of value that can be looked for.
func runs(value string) []string {
	var found []string
	start := 0
	for i := 0; i <= len(value); i++ {
		if i < len(value) && classes[value[i]]&alnum != 0 {
			continue
		}
		if i-start >= Part {
			found = append(found, value[start:i])
		}
		start = i + 1
	}
	return found
}
