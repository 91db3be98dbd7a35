package rule

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// LiteralTable has the [Literals] of patterns, computed when gate is built: they are most of the work of
// a short run. It reads what [WriteLiteralTable] writes. A pattern that it doesn't know is computed, so
// that rules which are newer than it are only slower. It is safe for concurrent use.
type LiteralTable struct {
	text  string
	read  sync.Once
	lines map[uint64]string // the sets of a pattern, by its hash
}

// NewLiteralTable returns the literals that a text of [WriteLiteralTable] has. Reading waits until the first is
// asked for; lines that can't be read are left out.
func NewLiteralTable(text string) *LiteralTable { return &LiteralTable{text: text} }

// Of returns what [Literals] returns for a pattern. References to groups count as [Unfilled] has
// them.
func (t *LiteralTable) Of(pattern string) [][]string {
	if t == nil {
		return Literals(Unfilled(pattern))
	}
	t.read.Do(t.index)
	line, known := t.lines[hash(pattern)]
	if !known {
		return Literals(Unfilled(pattern))
	}
	if line == "" {
		return nil
	}
	var out [][]string
	for set := range strings.SplitSeq(unprintable(line), setEnd) {
		out = append(out, strings.Split(set, wordEnd))
	}
	return out
}

// Knows reports whether a pattern's literals need not be computed.
func (t *LiteralTable) Knows(pattern string) bool {
	t.read.Do(t.index)
	_, known := t.lines[hash(pattern)]
	return known
}

// hashSize is how many digits a line begins with.
const hashSize = 16

// What is between the sets of a line, and between the words of a set: signs that no rule has.
const (
	setEnd  = "␞"
	wordEnd = "␟"
)

// pictures is where Unicode has pictures of the control characters. A line has them in the place
// of control characters, so that it can be read and stays one line.
const pictures = 0x2400

func (t *LiteralTable) index() {
	t.lines = make(map[uint64]string, strings.Count(t.text, "\n"))
	for line := range strings.Lines(t.text) {
		line = strings.TrimSuffix(line, "\n")
		if len(line) < hashSize {
			continue
		}
		if h, err := strconv.ParseUint(line[:hashSize], 16, 64); err == nil {
			t.lines[h] = strings.TrimPrefix(line[hashSize:], " ")
		}
	}
}

// hash is FNV-1a.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// unprintable puts control characters back.
func unprintable(line string) string {
	const lead = "\xe2\x90" // of the pictures of the first 64 signs
	if !strings.Contains(line, lead) {
		return line
	}
	out := make([]byte, 0, len(line))
	for i := 0; i < len(line); i++ {
		if i+2 < len(line) && line[i:i+2] == lead && line[i+2] < 0x80+' '-2 { // the last two are setEnd and wordEnd
			out = append(out, line[i+2]-0x80)
			i += 2
			continue
		}
		out = append(out, line[i])
	}
	return string(out)
}

// WriteLiteralTable writes the literals of all patterns of a set, a line for each.
func WriteLiteralTable(w io.Writer, s *Set) error {
	lines := map[uint64]string{}
	of := map[uint64]string{}
	var errs []error
	for pattern := range s.patterns() {
		h := hash(pattern)
		if other, twice := of[h]; twice && other != pattern {
			errs = append(errs, fmt.Errorf("the patterns %q and %q have the same hash", pattern, other))
		}
		sets := make([]string, 0, maxSets)
		for _, words := range Literals(Unfilled(pattern)) {
			sets = append(sets, strings.Join(words, wordEnd))
		}
		of[h], lines[h] = pattern, strings.Map(func(r rune) rune {
			if r < ' ' {
				return r + pictures
			}
			return r
		}, strings.Join(sets, setEnd))
	}
	for _, h := range slices.SortedFunc(maps.Keys(lines), cmp.Compare) {
		between := " "
		if lines[h] == "" {
			between = ""
		}
		_, err := fmt.Fprintf(w, "%0*x%s%s\n", hashSize, h, between, lines[h])
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// patterns are those of all rules of a set, and of their conditions.
func (s *Set) patterns() map[string]bool {
	out := map[string]bool{}
	add := func(m *Matcher) {
		if m != nil {
			for _, p := range m.Patterns {
				out[p] = true
			}
		}
	}
	var conditions func(cs []Condition)
	conditions = func(cs []Condition) {
		for _, c := range cs {
			add(c.Matcher)
			conditions(c.Any)
		}
	}
	for _, r := range s.Rules {
		add(r.Match)
		conditions(r.All)
		conditions(r.Unless)
		for _, e := range r.Escalations {
			conditions(e.All)
			conditions(e.Unless)
		}
	}
	return out
}
