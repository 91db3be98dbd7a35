package spelling

import (
	"bytes"
	"fmt"
	"slices"
)

// Bounds on the work on one text, beyond what is linear in it.
const (
	maxSearched  = 64 << 20 // bytes in which the ends of literals and of what is between them are looked for
	maxNames     = 200_000  // that are given a constant
	maxConstants = 64 << 20 // bytes of all constants together
	growth       = 4        // times the length of the text that it may get, and
	spare        = 1 << 20  // bytes more
)

// bounds are what may still be done for one text, and what was left undone.
type bounds struct {
	searched int
	unread   []string
}

// search takes a number of bytes that were looked through. It reports false once there
// were too many.
func (b *bounds) search(n int) bool {
	if b == nil {
		return true
	}
	if b.searched += n; b.searched > maxSearched {
		b.reach("%d MiB are searched for what belongs together", maxSearched>>20)
		return false
	}
	return true
}

// reach notes a bound that kept something from being read.
func (b *bounds) reach(format string, args ...any) {
	if reason := fmt.Sprintf(format, args...); b != nil && !slices.Contains(b.unread, reason) {
		b.unread = append(b.unread, reason)
	}
}

// ends remembers where a sign occurs next, so that looking for it from many places costs
// no more than one look through the text.
type ends struct {
	line  stretch // of line feeds, which are asked for far more often than the others
	other map[string]stretch
}

// stretch is the searched range and where the sign occurs, -1 for nowhere. The zero stretch
// is no range.
type stretch struct {
	from, at int
	known    bool
}

// holds reports whether an offset is in the searched range.
func (s stretch) holds(from int) bool { return s.known && s.from <= from && (s.at < 0 || from <= s.at) }

// of is where a sign occurs next, -1 for nowhere.
func (e *ends) of(src []byte, from int, sign string) int {
	if sign == "\n" {
		if !e.line.holds(from) {
			e.line = stretch{from, offset(bytes.IndexByte(src[from:], '\n'), from), true}
		}
		return e.line.at
	}
	if s := e.other[sign]; s.holds(from) {
		return s.at
	}
	if e.other == nil {
		e.other = map[string]stretch{}
	}
	at := offset(bytes.Index(src[from:], []byte(sign)), from)
	e.other[sign] = stretch{from, at, true}
	return at
}

// offset is where something is in a text that is so far behind the beginning of a part of it, -1
// for nowhere.
func offset(inPart, part int) int {
	if inPart < 0 {
		return inPart
	}
	return part + inPart
}
