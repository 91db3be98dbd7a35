package dfa

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// What follows a state and a class of runes, besides states, which begin at first.
const (
	unmade  = 0 // not worked out yet
	matched = 1
	first   = 2

	ended = 1 << 30 // added to a state by a machine that goes on: a match ended before the rune
)

// before is what is in front of the rune to come, as far as an expression can ask for it.
type before uint32

const (
	beforeText before = iota
	beforeLine
	beforeWord
	beforeOther
)

// rune is one that stands for what is before.
func (b before) rune() rune {
	switch b {
	case beforeText:
		return -1
	case beforeLine:
		return '\n'
	case beforeWord:
		return 'a'
	default:
		return ' '
	}
}

// state is where an expression may be in between two runes.
type state struct {
	behind before
	at     []uint32 // instructions, sorted; that it may begin here goes without saying
}

// machine is the automaton as far as texts have led.
type machine struct {
	expr    *Expr
	goesOn  bool // it follows what may still match behind a match
	classes int  // with the end of the text
	states  []state
	known   map[string]int32
	next    []int32 // by state and class
	words   int     // the size of all that

	seen  []uint32 // by instruction, the round in which it was last seen
	round uint32
	stack []uint32
	reach []uint32 // instructions that take a rune, of the last closure
	key   []byte
}

func newMachine(e *Expr, goesOn bool) *machine {
	m := &machine{expr: e, goesOn: goesOn, classes: e.end + 1, seen: make([]uint32, len(e.prog.Inst))}
	m.clear()
	return m
}

// clear forgets all states but the one at the start of a text.
func (m *machine) clear() {
	m.states, m.next, m.known, m.words = m.states[:0], m.next[:0], map[string]int32{}, 0
	m.add(state{behind: beforeText})
}

// add returns the number of a state, and makes it one where there is none.
func (m *machine) add(s state) int32 {
	m.key = append(m.key[:0], byte(s.behind))
	for _, pc := range s.at {
		m.key = binary.LittleEndian.AppendUint32(m.key, pc)
	}
	if n, ok := m.known[string(m.key)]; ok {
		return n
	}
	n := int32(len(m.states)) + first
	m.states = append(m.states, state{s.behind, slices.Clone(s.at)})
	m.known[string(m.key)] = n
	m.next = append(m.next, make([]int32, m.classes)...)
	m.words += m.classes + 2*len(s.at) + 16
	return n
}

// match runs over a text.
func match[T []byte | string](m *machine, text T) (matches, known bool) {
	left := leastNew + len(text)/perNew
	now := int32(first)
	for i := 0; i <= len(text); {
		class, size := m.expr.end, 1
		if i < len(text) {
			if text[i] < utf8.RuneSelf { // most are
				class = int(m.expr.ascii[text[i]])
			} else {
				class, size = classAt(m.expr, text, i)
			}
		}
		i += size
		next := m.next[int(now-first)*m.classes+class]
		if next == unmade {
			made := len(m.states)
			next = m.step(now, class)
			if len(m.states) != made {
				left--
			}
			if left < 0 {
				return false, false
			}
		}
		if next == matched {
			return true, true
		}
		now = next
	}
	return false, true
}

// classAt is the class of a rune of several bytes at an offset, and its size.
func classAt[T []byte | string](e *Expr, text T, i int) (class, size int) {
	var bytes [utf8.UTFMax]byte
	r, size := utf8.DecodeRune(bytes[:copy(bytes[:], text[i:])])
	return e.classOf(r), size
}

// parts runs over a text with a machine that goes on. A part ends at the end of a line where
// nothing has begun to match.
func parts[T []byte | string](m *machine, text T) (found []Part, known bool) {
	left := leastNew + len(text)/perNew
	now, part, matches := int32(first), 0, false
	for i := 0; i <= len(text); {
		class, size := m.expr.end, 1
		if i < len(text) {
			if text[i] < utf8.RuneSelf {
				class = int(m.expr.ascii[text[i]])
			} else {
				class, size = classAt(m.expr, text, i)
			}
		}
		next := m.next[int(now-first)*m.classes+class]
		if next == unmade {
			made := len(m.states)
			next = m.step(now, class)
			if len(m.states) != made {
				left--
			}
			if left < 0 {
				return nil, false
			}
		}
		matches = matches || next&ended != 0
		now = next &^ ended
		if i < len(text) && text[i] == '\n' && len(m.states[now-first].at) == 0 {
			if matches {
				found = append(found, Part{part, i + 1})
			}
			part, matches = i+1, false
		}
		i += size
	}
	if matches {
		found = append(found, Part{part, len(text)})
	}
	return found, true
}

// step works out what follows a state and a class.
func (m *machine) step(now int32, class int) int32 {
	from := m.states[now-first]
	r, end := rune(-1), class == m.expr.end
	if !end {
		r = m.expr.borders[class]
	}
	matches := int32(0)
	if m.closure(from, syntax.EmptyOpContext(from.behind.rune(), r)) {
		if !m.goesOn {
			return m.link(now, class, matched)
		}
		matches = ended
	}
	to := state{behind: beforeOther}
	switch {
	case end:
		return m.link(now, class, now|matches) // nothing follows
	case r == '\n':
		to.behind = beforeLine
	case m.expr.word[class]:
		to.behind = beforeWord
	}
	for _, pc := range m.reach {
		if in := &m.expr.prog.Inst[pc]; in.MatchRune(r) {
			to.at = append(to.at, in.Out)
		}
	}
	slices.Sort(to.at)
	to.at = slices.Compact(to.at)
	if m.words > maxWords {
		m.clear()
		return m.add(to) | matches // the state that it follows is gone
	}
	return m.link(now, class, m.add(to)|matches)
}

func (m *machine) link(now int32, class int, next int32) int32 {
	m.next[int(now-first)*m.classes+class] = next
	return next
}

// closure follows everything that takes no rune, from a state and from the beginning of
// the expression. It reports whether that matches, and leaves the instructions that take
// a rune in reach: all of them only where the machine goes on.
func (m *machine) closure(from state, holds syntax.EmptyOp) bool {
	if m.round++; m.round == 0 {
		clear(m.seen)
		m.round = 1
	}
	m.reach = m.reach[:0]
	matches := false
	m.stack = append(append(m.stack[:0], from.at...), uint32(m.expr.prog.Start))
	for len(m.stack) > 0 {
		pc := m.stack[len(m.stack)-1]
		m.stack = m.stack[:len(m.stack)-1]
		if m.seen[pc] == m.round {
			continue
		}
		m.seen[pc] = m.round
		switch in := &m.expr.prog.Inst[pc]; in.Op {
		case syntax.InstMatch:
			if matches = true; !m.goesOn {
				return true
			}
		case syntax.InstAlt, syntax.InstAltMatch:
			m.stack = append(m.stack, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			m.stack = append(m.stack, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^holds == 0 {
				m.stack = append(m.stack, in.Out)
			}
		case syntax.InstFail:
		default:
			m.reach = append(m.reach, pc)
		}
	}
	return matches
}
