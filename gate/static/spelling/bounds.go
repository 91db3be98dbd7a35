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
type ends map[string]stretch

// stretch is the searched range and where the sign occurs, -1 for nowhere.
type stretch struct{ from, at int }

// of is where a sign occurs next, -1 for nowhere.
func (e ends) of(src []byte, from int, sign string) int {
	if s, ok := e[sign]; ok && s.from <= from && (s.at < 0 || from <= s.at) {
		return s.at
	}
	at := bytes.Index(src[from:], []byte(sign))
	if at >= 0 {
		at += from
	}
	e[sign] = stretch{from, at}
	return at
}
