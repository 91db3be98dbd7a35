package match

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/glob"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/static/rule"
)

// Text is what rules run over.
type Text struct {
	Language gate.Language
	Role     gate.Role
	Path     string // for rules that are limited to paths
	Content  []byte
	Budget   *Budget // of the file; nil is one of its own
	// NewHost reports whether a host, as it is written in the text, is one that the
	// base of the change doesn't name; nil where there is no base.
	NewHost func(host string) bool
	// NewPackage reports whether a package is one that the base doesn't name and that few
	// people know; nil where there is no base.
	NewPackage func(name string) bool
	// Least is the severity below which matches don't count; rules that redact look anyway.
	Least gate.Severity
	// Only are the ids of the rules that count, nil for all; rules that redact look anyway.
	Only map[string]bool
	// Starts are the stretches in which a match has to begin that counts, sorted; nil is the whole
	// text. What conditions look for may be anywhere, and rules that redact look at all of it.
	Starts []Stretch
}

// Stretch is a part of a text in bytes, half open.
type Stretch struct{ Start, End int }

// begins reports whether a match that begins in a window may count.
func (t *Text) begins(w window) bool {
	if t.Starts == nil {
		return true
	}
	i := sort.Search(len(t.Starts), func(i int) bool { return t.Starts[i].End > w.start })
	return i < len(t.Starts) && t.Starts[i].Start < w.end
}

// Match is what one rule has to say about one line.
type Match struct {
	Rule          *rule.Rule
	Severity      gate.Severity // after role and raise; SeverityUnknown where the role is off and only the secret counts
	Because       string        // why it was raised, or ""
	LowConfidence bool          // the rule is weak, and nothing raised it
	AsWritten     bool          // the rule is about what is there as written, and nothing raised it
	Start, End    int           // byte offsets in Content
	// SecretStart and SecretEnd are the part of a match of a redacting rule that
	// must never be shown.
	SecretStart, SecretEnd int
	// Flow is the way that a value takes to the match, for rules that ask for one:
	// an offset on each line of it, the last one in the match.
	Flow []int
	// Apart says that something on other lines made it a match, or made it worse.
	Apart bool
	// Host is the new host that a condition asked for, as it is written.
	Host string
}

// Run returns what the rules find in a text, in order of the rules' ids and then
// of offsets: for each rule and line the worst match, and every match of a rule
// that redacts.
func (e *Engine) Run(t Text) []Match {
	r := e.start(t)
	defer end(r)
	if len(r.filled) == 0 {
		return nil
	}
	for i := range r.program.rules {
		if w := &r.program.rules[i]; holdsWords(r.near, w.slots) {
			r.rule(w.rule)
		}
	}
	return r.out
}

// start notes the words of a text.
func (e *Engine) start(t Text) *run {
	if t.Budget == nil {
		t.Budget = NewBudget(int64(len(t.Content)))
	}
	p := e.program(t.Language)
	r := &run{Text: t, engine: e, program: p, near: t.Budget.emptySlots(p.slots), known: map[*pattern]bool{}}
	p.words.find(t.Content, r.hit)
	return r
}

// end gives back what the next text of the file needs.
func end(r *run) { r.Budget.giveBack(r.near, r.filled) }

// hit notes a word for those that look for it.
func (r *run) hit(h hit) {
	begins, known := false, false
	for _, o := range r.program.owners[h.word] {
		if o.begins {
			if !known {
				begins, known = r.program.begins(r.Content, h), true
			}
			if !begins {
				continue
			}
		}
		near := r.near[o.slot]
		if n := len(near); n > 0 && h.end-near[n-1] < beside && !breaks(r.Content[near[n-1]-1:h.end]) {
			continue // the window around that one serves it, too
		} else if n == 0 {
			r.filled = append(r.filled, o.slot)
		}
		r.near[o.slot] = append(near, h.end)
	}
}

// beside is how far from another a word of the same line isn't noted any more,
// which keeps a line of nothing but such words from taking memory.
const beside = 16 // bytes

// maxTries is how many matches of one rule on one line are judged.
const maxTries = 1000

// run is the work on one text.
type run struct {
	Text
	engine  *Engine
	program *program
	near    [][]int32         // ends of words, by slot
	filled  []int32           // the slots that have some
	known   map[*pattern]bool // whether a pattern matches anywhere
	lexed   *lex.Text
	view    []byte
	dynamic dynamic
	flow    flows
	host    string // the new host of the last condition that held
	share   int    // what the rule may still look at
	line    window // from some offset to the end of its line
	out     []Match
}

// found is one match of one pattern; groups are as in package regexp.
type found struct {
	start, end int
	groups     []int
	host       window // the group hostGroup; empty where there is none
}

// rule appends the matches of one rule, whose words were found.
func (r *run) rule(rl *rule.Rule) {
	p := r.engine.patterns[rl.Match]
	effect := rl.In(r.Role)
	if !rl.Redact && (highest(rl, effect) < r.Least || r.Only != nil && !r.Only[rl.ID]) || !r.mayHold(rl.All) || effect.Off && !rl.Redact || len(rl.Paths) > 0 && !glob.Any(rl.Paths, r.Path) {
		return
	}
	first, top := len(r.out), highest(rl, effect)
	byLine := map[int]int{} // end of a line → index in r.out
	tries, tried := 0, -1   // matches of the line that ends there
	r.share = r.Budget.shares
	walk := walk{starts: !rl.Redact}
	for f := range r.each(p, &walk) {
		if walk.starts && !r.begins(window{f.start, f.start + 1}) {
			continue
		}
		line := r.line.endIn(r.Content, f.start)
		i, seen := byLine[line]
		if seen && !rl.Redact && r.out[i].Severity >= top {
			walk.done = line
			continue
		}
		if tries++; line != tried {
			tries, tried = 1, line
		}
		m, ok := r.judge(rl, effect, f)
		if !rl.Redact && tries >= maxTries {
			// So many matches on one line are no accident: the next one is taken as it
			// is, and what follows on the line is left out.
			m, ok, walk.done = Match{Rule: rl, Severity: effect.Severity, Start: f.start, End: f.end}, true, line
		}
		switch {
		case !ok:
		case seen && !rl.Redact:
			if m.Severity > r.out[i].Severity {
				r.out[i] = m
			}
		case r.Budget.full(rl):
			walk.done = len(r.Content)
		default:
			byLine[line] = len(r.out)
			r.out = append(r.out, m)
		}
	}
	if walk.stopped {
		r.Budget.stop(rl)
	}
	slices.SortStableFunc(r.out[first:], func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End))
	})
}

// highest is the worst severity that a rule can reach.
func highest(rl *rule.Rule, effect rule.Effect) gate.Severity {
	top := effect.Severity
	for _, raise := range rl.Escalations {
		top = max(top, raise.To)
	}
	return top
}

// endIn is the offset of the line feed behind an offset of a text, or the end. It remembers the
// last line, because long ones are asked for very often.
func (w *window) endIn(text []byte, offset int) int {
	if w.start <= offset && offset <= w.end && w.end > 0 {
		return w.end
	}
	*w = window{offset, len(text)}
	if i := bytes.IndexByte(text[offset:], '\n'); i >= 0 {
		w.end = offset + i
	}
	return w.end
}

// judge decides what a match means.
func (r *run) judge(rl *rule.Rule, effect rule.Effect, f found) (Match, bool) {
	secret := f.secret()
	r.flow.path, r.flow.host, r.host = nil, nil, ""
	if rl.Entropy > 0 && entropy(r.Content[secret.start:secret.end]) < rl.Entropy {
		return Match{}, false
	}
	if !r.all(rl.All, f) || r.any(rl.Unless, f) {
		return Match{}, false
	}
	m := Match{Rule: rl, Severity: effect.Severity, Start: f.start, End: f.end, LowConfidence: rl.LowConfidence, AsWritten: rl.AsWritten, Apart: rule.Apart(rl.All)}
	if rl.Redact {
		m.SecretStart, m.SecretEnd = secret.start, secret.end
	}
	if effect.Off {
		m.Severity = gate.SeverityUnknown
		return m, true
	}
	for _, raise := range rl.Escalations {
		if r.all(raise.All, f) && !r.any(raise.Unless, f) {
			m.Severity, m.Because, m.LowConfidence, m.AsWritten = max(m.Severity, raise.To), raise.Because, raise.LowConfidence, false
			m.Apart = m.Apart || rule.Apart(raise.All)
			break
		}
	}
	m.Flow, m.Host = r.flow.along(), r.host
	return m, true
}

// secret is group 1, or the whole match where there is none.
func (f found) secret() window {
	if len(f.groups) >= 4 && f.groups[2] >= 0 {
		return window{f.groups[2], f.groups[3]}
	}
	return window{f.start, f.end}
}

// search returns the matches of one expression in one window, at the place that
// the pattern asks for.
func (r *run) search(e *lazyExpr, place rule.Place, view []byte, w window) []found {
	if !e.passes(view[w.start:w.end]) {
		return nil
	}
	all := e.all(view[w.start:w.end])
	// Who asked looks at what is left before the next window. The price follows from the
	// text alone, not from what the states of the expression were made of before.
	if len(all) == 0 && !e.counts() {
		r.pay((w.end - w.start) / statesSpeed)
		return nil
	}
	r.spend(w, false)
	var out []found
	for _, groups := range all {
		for i := range groups {
			if groups[i] >= 0 {
				groups[i] += w.start
			}
		}
		f := found{start: groups[0], end: groups[1], groups: groups}
		if i := e.host; i >= 0 && groups[2*i] >= 0 {
			f.host = window{groups[2*i], groups[2*i+1]}
		}
		if i := e.at; i >= 0 && groups[2*i] >= 0 {
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

// atGroup names the group of an expression that locates the finding, for
// expressions that need something before it. It doesn't count among the groups
// that conditions refer to.
const atGroup = "at"

// hostGroup names the group of an expression that is a host.
const hostGroup = "host"

// packageGroup names the group of an expression that is the name of a package.
const packageGroup = "package"

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
		r.lexed = lex.Scan(r.Language, r.Content)
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
