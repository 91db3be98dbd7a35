package match

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/scan/lex"
	"github.com/aigate/gate/gate/scan/rule"
)

// Text is what rules run over.
type Text struct {
	Language gate.Language
	Role     gate.Role
	Path     string // for rules that are limited to paths
	Content  []byte
}

// Match is one match of one rule whose conditions hold.
type Match struct {
	Rule       *rule.Rule
	Severity   gate.Severity // after role and raise; SeverityUnknown where the role is off and only the secret counts
	Because    string        // why it was raised, or ""
	Start, End int           // byte offsets in Content
	// SecretStart and SecretEnd are the part of a match of a redacting rule that
	// must never be shown.
	SecretStart, SecretEnd int
}

// Run returns the matches of all rules in a text, in order of the rules' ids
// and then of offsets.
func (e *Engine) Run(t Text) []Match {
	p := e.program(t.Language)
	hits := p.words.find(t.Content, nil)
	if len(hits) == 0 {
		return nil
	}
	r := &run{Text: t, engine: e, program: p, near: make([][]int32, p.slots), found: map[*pattern][]found{}}
	for _, h := range hits {
		begins := p.begins(t.Content, h)
		for _, o := range p.owners[h.word] {
			if begins || !o.begins {
				r.near[o.slot] = append(r.near[o.slot], h.end)
			}
		}
	}
	for _, rl := range p.rules {
		r.rule(rl)
	}
	return r.out
}

// run is the work on one text.
type run struct {
	Text
	engine   *Engine
	program  *program
	near     [][]int32 // ends of words, by slot
	found    map[*pattern][]found
	lexed    *lex.Text
	view     []byte
	dynamic  map[string]*regexp.Regexp // patterns with groups filled in
	compiles int
	out      []Match
}

// found is one match of one pattern; groups are as in package regexp.
type found struct {
	start, end int
	groups     []int
}

func (r *run) rule(rl *rule.Rule) {
	p := r.engine.patterns[rl.Match]
	if !r.mayMatch(p) || !r.mayHold(rl.All) {
		return
	}
	effect := rl.In(r.Role)
	if effect.Off && !rl.Redact || !onPath(rl.Paths, r.Path) {
		return
	}
	for _, f := range r.matches(p) {
		if rl.Entropy > 0 && entropy(r.Content[f.secret().start:f.secret().end]) < rl.Entropy {
			continue
		}
		if !r.all(rl.All, f) || r.any(rl.Unless, f) {
			continue
		}
		m := Match{Rule: rl, Severity: effect.Severity, Start: f.start, End: f.end}
		if effect.Off {
			m.SecretStart, m.SecretEnd = f.secret().start, f.secret().end
			r.out = append(r.out, m)
			continue
		}
		for _, raise := range rl.Raise {
			if r.all(raise.All, f) && !r.any(raise.Unless, f) {
				m.Severity, m.Because = max(m.Severity, raise.To), raise.Because
				break
			}
		}
		if rl.Redact {
			m.SecretStart, m.SecretEnd = f.secret().start, f.secret().end
		}
		r.out = append(r.out, m)
	}
}

// secret is group 1, or the whole match where there is none.
func (f found) secret() window {
	if len(f.groups) >= 4 && f.groups[2] >= 0 {
		return window{f.groups[2], f.groups[3]}
	}
	return window{f.start, f.end}
}

// mayMatch reports whether words of a pattern were found.
func (r *run) mayMatch(p *pattern) bool {
	s, known := r.program.slot[p]
	if !known || s.named >= 0 && len(r.near[s.named]) == 0 {
		return false
	}
	for _, slot := range s.exprs {
		if slot < 0 || len(r.near[slot]) > 0 {
			return true
		}
	}
	return false
}

// mayHold reports whether the words of all conditions on the whole text were
// found, before any expression runs.
func (r *run) mayHold(cs []rule.Condition) bool {
	for _, c := range cs {
		if c.Within == rule.WithinFile && !c.Captures && !r.mayMatch(r.engine.patterns[c.Matcher]) {
			return false
		}
	}
	return true
}

// matches returns the matches of a pattern in the whole text.
func (r *run) matches(p *pattern) []found {
	out, done := r.found[p]
	if done {
		return out
	}
	if r.mayMatch(p) {
		out = r.allMatches(p)
	}
	r.found[p] = out
	return out
}

func (r *run) allMatches(p *pattern) []found {
	view := r.source(p.matcher.Place)
	s := r.program.slot[p]
	var out []found
	for i := range s.exprs {
		ends, filter := r.words(s, i)
		if len(ends) == 0 {
			continue
		}
		expr := p.expression(i)
		for _, w := range windows(view, ends, p.matcher.Lines) {
			if filter == nil || w.holds(filter) {
				out = r.search(out, expr, p.matcher.Place, view, w)
			}
		}
	}
	slices.SortFunc(out, func(a, b found) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	return slices.CompactFunc(out, func(a, b found) bool { return a.start == b.start })
}

// atGroup names the group of an expression where the finding stands, for
// expressions that need something before it. It doesn't count among the groups
// that conditions refer to.
const atGroup = "at"

// words returns where expression i of a pattern has to be tried: around the
// rarer of its own words and those that the author named. The others, where
// there are both, must be in the window too.
func (r *run) words(s slots, i int) (ends, filter []int32) {
	own := s.exprs[i]
	switch {
	case own < 0:
		return r.near[s.named], nil
	case s.named < 0:
		return r.near[own], nil
	case len(r.near[own]) == 0 || len(r.near[s.named]) == 0:
		return nil, nil
	case len(r.near[own]) <= len(r.near[s.named]):
		return r.near[own], r.near[s.named]
	default:
		return r.near[s.named], r.near[own]
	}
}

// search appends the matches of one expression in one window.
func (r *run) search(out []found, expr *regexp.Regexp, place rule.Place, view []byte, w window) []found {
	for _, groups := range expr.FindAllSubmatchIndex(view[w.start:w.end], -1) {
		for i := range groups {
			if groups[i] >= 0 {
				groups[i] += w.start
			}
		}
		f := found{groups[0], groups[1], groups}
		if i := expr.SubexpIndex(atGroup); i >= 0 && groups[2*i] >= 0 {
			f.start = groups[2*i]
			f.groups = slices.Delete(f.groups, 2*i, 2*i+2) // it has no number
		}
		for f.start < f.end && isSpace(view[f.start]) {
			f.start++
		}
		if r.at(place, f.start) {
			out = append(out, f)
		}
	}
	return out
}

// source is the text that patterns of that place see.
func (r *run) source(place rule.Place) []byte {
	if place == rule.PlaceAny || place == rule.PlaceComment {
		return r.Content
	}
	if r.view == nil {
		r.view = r.lex().View(r.Content)
	}
	return r.view
}

func (r *run) lex() *lex.Text {
	if r.lexed == nil {
		r.lexed = lex.Split(r.Language, r.Content)
	}
	return r.lexed
}

func (r *run) at(place rule.Place, offset int) bool {
	switch place {
	case rule.PlaceCode:
		return r.lex().At(offset) == lex.Code
	case rule.PlaceString:
		return r.lex().At(offset) == lex.String
	case rule.PlaceComment:
		return r.lex().At(offset) == lex.Comment
	case rule.PlaceSource:
		return r.lex().At(offset) != lex.Comment
	default:
		return true
	}
}

func (r *run) all(cs []rule.Condition, f found) bool {
	for _, c := range cs {
		if !r.holds(c, f, true) {
			return false
		}
	}
	return true
}

func (r *run) any(cs []rule.Condition, f found) bool {
	for _, c := range cs {
		if r.holds(c, f, false) {
			return true
		}
	}
	return false
}

// holds reports whether a condition holds for a match. doubt is the answer when
// a bound was reached: the one that makes more findings.
func (r *run) holds(c rule.Condition, f found, doubt bool) bool {
	m := c.Matcher
	if !speaks(m.Languages, r.Language) {
		return false
	}
	view := r.source(m.Place)
	p := r.engine.patterns[m]
	if c.Captures {
		return r.captured(c, f, view, doubt)
	}
	if c.Within == rule.WithinFile {
		return len(r.matches(p)) > 0
	}
	w := around(view, f, c.Within)
	for i := range m.Patterns {
		if len(r.search(nil, p.expression(i), m.Place, view, w)) > 0 {
			return true
		}
	}
	return false
}

// around is the lines of a match and so many before and behind it.
func around(view []byte, f found, lines int) window {
	return window{lineStart(view, f.start, lines+1), lineEnd(view, max(f.start, f.end-1), lines+1)}
}

// maxDynamic bounds how many different expressions one text can make the
// engine compile.
const maxDynamic = 256

// captured looks for a pattern that refers to groups of the match.
func (r *run) captured(c rule.Condition, f found, view []byte, doubt bool) bool {
	for _, text := range c.Matcher.Patterns {
		var names []string
		missing := false
		for g := 1; g <= 9; g++ {
			mark := "{{" + string(rune('0'+g)) + "}}"
			if !strings.Contains(text, mark) {
				continue
			}
			if 2*g+1 >= len(f.groups) || f.groups[2*g] < 0 || f.groups[2*g] == f.groups[2*g+1] {
				missing = true
				break
			}
			name := string(view[f.groups[2*g]:f.groups[2*g+1]])
			names = append(names, name)
			text = strings.ReplaceAll(text, mark, regexp.QuoteMeta(name))
		}
		if missing {
			continue
		}
		expr, ok := r.dynamic[text]
		if !ok {
			if r.compiles++; r.compiles > maxDynamic {
				return doubt
			}
			expr = compile(text)
			if r.dynamic == nil {
				r.dynamic = map[string]*regexp.Regexp{}
			}
			r.dynamic[text] = expr
		}
		if r.capturedIn(c, f, view, expr, names) {
			return true
		}
	}
	return false
}

// capturedIn runs one filled-in expression around the places where the text of
// its first group occurs.
func (r *run) capturedIn(c rule.Condition, f found, view []byte, expr *regexp.Regexp, names []string) bool {
	if c.Within != rule.WithinFile || len(names) == 0 {
		return len(r.search(nil, expr, c.Matcher.Place, view, around(view, f, max(c.Within, 0)))) > 0
	}
	for _, w := range windows(view, occurrences(view, names[0]), c.Matcher.Lines) {
		if len(r.search(nil, expr, c.Matcher.Place, view, w)) > 0 {
			return true
		}
	}
	return false
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// entropy is Shannon's, in bits per byte.
func entropy(s []byte) float64 {
	var count [256]int
	for _, c := range s {
		count[c]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}
