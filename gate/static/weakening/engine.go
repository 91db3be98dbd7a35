package weakening

import (
	"slices"
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/dfa"
	"github.com/aigate/gate/gate/static/rule"
)

// Finding is a check that the change took away, or a weakness that it brought.
type Finding struct {
	Rule      *rule.Rule
	Path      string
	Line, End int // of the head
	Detail    string
	Evidence  string // the statement, of the base where it is gone
}

// Engine looks for what rules with a change describe. It is safe for concurrent use.
type Engine struct {
	compiled func() []*matcher
}

// New returns an engine for those of the rules that have a change. Their expressions are
// compiled when they are first needed: most runs start without a base.
func New(rules []*rule.Rule) *Engine {
	var with []*rule.Rule
	for _, r := range rules {
		if r.Change != nil {
			with = append(with, r)
		}
	}
	return &Engine{sync.OnceValue(func() []*matcher {
		var out []*matcher
		for _, r := range with {
			out = append(out, compile(r))
		}
		return out
	})}
}

// matcher is a rule with its expressions.
type matcher struct {
	*rule.Rule
	removes, adds, guards, conditions, numbers, lists, handlers, always, in, keeps, lacks, after, before, under, file, unless, covered, later, than expressions
}

// expressions are some of which any may match; the zero value matches nothing.
type expressions struct {
	quick *dfa.Regexp
	slow  func() *regexp.Regexp // says where they match
}

func join(patterns []string) expressions {
	if len(patterns) == 0 {
		return expressions{}
	}
	text := "(?:" + strings.Join(patterns, ")|(?:") + ")"
	return expressions{dfa.MustCompile(text), sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

// given reports whether there are any.
func (e expressions) given() bool { return e.quick != nil }

func (e expressions) match(text string) bool { return e.given() && e.quick.MatchString(text) }

// times is how often they match.
func (e expressions) times(text string) int {
	if !e.match(text) {
		return 0
	}
	return len(e.slow().FindAllStringIndex(text, -1))
}

// kinds is how many different texts they match.
func (e expressions) kinds(text string) int {
	if !e.match(text) {
		return 0
	}
	return len(slices.Compact(slices.Sorted(slices.Values(e.slow().FindAllString(text, -1)))))
}

func compile(r *rule.Rule) *matcher {
	c := r.Change
	return &matcher{r, join(c.Removes), join(c.Adds), join(c.Guards), join(c.Conditions), join(c.Numbers), join(c.Lists),
		join(c.Handlers), join(c.Always), join(c.In), join(c.Keeps), join(c.Lacks), join(c.After), join(c.Before), join(c.Under), join(c.File), join(c.Unless), join(c.Covered), join(c.Later), join(c.Than)}
}

// Compare returns what a change of programs weakens, in the order of the files and lines.
// near returns the files of the head that the change leaves alone and that one of its files
// imports, with the functions that a check may have moved into; it is asked only where a check
// is gone, and may be nil.
func (e *Engine) Compare(files []File, near func(path string) []File) []Finding {
	c := compareFiles(files)
	if len(c.pairs) == 0 {
		return nil
	}
	a := newAll(c)
	a.imports = near
	for _, f := range files {
		a.texts[f.Path] = string(f.Head)
	}
	quiet := map[string]bool{}
	order := map[string]int{}
	for i, f := range files {
		quiet[f.Path], order[f.Path] = f.Quiet, i
	}
	var out []Finding
	for _, p := range c.pairs {
		if quiet[p.head.path] {
			continue
		}
		v := &view{all: a, pair: p}
		for _, m := range e.compiled() {
			if v.wants(m) {
				out = append(out, v.apply(m)...)
			}
		}
	}
	slices.SortStableFunc(out, func(x, y Finding) int {
		if x.Path != y.Path {
			return order[x.Path] - order[y.Path]
		}
		return x.Line - y.Line
	})
	return out
}

// all is what the whole change adds and removes.
type all struct {
	changed
	allGone, allCome map[string]int // texts of statements
	wide             []stmt         // statements that come and count beyond their function: middleware
	idle             map[stmt]bool  // those of them that are in functions that refuse no one
	byName           map[string][]*pair
	known            functions
	imports          func(path string) []File    // nil for none
	read             map[string]bool             // paths of which the imports were read
	within           map[*unit][]*pair           // functions inside others, such as what a decorator returns
	texts            map[string]string           // of files, by their paths
	files            map[inFile]bool             // whether a rule is for a file
	byWord           func() map[string][]mention // statements that come, by the words in them
	hooked           func() []hook               // functions that are put in front of others
	given            func() map[string]bool      // names of what new functions return
}

// inFile is a rule and a file.
type inFile struct {
	rule *matcher
	path string
}

// mention is a statement that comes into a function.
type mention struct {
	in *pair
	stmt
}

// wider are statements by which a check covers more than the function that they are in.
var wider = dfa.MustCompile(`(?i)\.use ?\(|\.Use\(|\.With\(|(?:before|after)_?request|middleware|dependencies ?=|include_router|permission_classes|preHandler|onRequest|addHook|interceptor|applyMiddleware|\bwrap\w*\(|\.Group\(|\.Route\(|\bAPP_(?:GUARD|PIPE|INTERCEPTOR)\b|\buseGlobal\w+\(|\bDEFAULT_PERMISSION_CLASSES\b|\bMIDDLEWARE\b|\bMaxBytesHandler\(|CrossOriginProtection|\bprocedure\.use\(`)

// wraps matches decorators that only keep the name of what is wrapped.
var wraps = dfa.MustCompile(`^@(?:functools\.)?wraps\(`)

func newAll(c changed) *all {
	a := &all{changed: c, allGone: map[string]int{}, allCome: map[string]int{}, byName: map[string][]*pair{}, texts: map[string]string{}, idle: map[stmt]bool{}, files: map[inFile]bool{}, within: map[*unit][]*pair{}, read: map[string]bool{}, known: functions{map[string][]*unit{}, map[*unit][]*unit{}}}
	for _, p := range c.programs {
		a.known.add(p)
	}
	for _, p := range c.pairs {
		if p.head.parent != nil {
			a.within[p.head.parent] = append(a.within[p.head.parent], p)
		}
		a.byName[known(p.head)] = append(a.byName[known(p.head)], p)
		for _, s := range p.gone {
			a.allGone[s.text]++
		}
		// What a decorator puts in front of many functions covers with all that it does.
		around := slices.ContainsFunc(p.head.stmts[:p.head.heads], func(s stmt) bool {
			return strings.HasPrefix(s.text, "@") && wider.MatchString(s.text) && !wraps.MatchString(s.text)
		})
		idle := around && !a.known.refuses(p.head)
		for _, s := range p.come {
			a.allCome[s.text]++
			if around || wider.MatchString(s.text) {
				a.wide = append(a.wide, s)
				a.idle[s] = a.idle[s] || idle
			}
		}
	}
	for _, u := range c.lost {
		for _, s := range u.stmts {
			a.allGone[s.text]++
		}
	}
	a.hooked = sync.OnceValue(a.findHooks)
	a.given = sync.OnceValue(a.givenNames)
	a.byWord = sync.OnceValue(func() map[string][]mention {
		out := map[string][]mention{}
		for _, p := range c.pairs {
			for _, s := range p.come {
				for _, w := range slices.Compact(slices.Sorted(slices.Values(words.FindAllString(s.text, -1)))) {
					if len(out[w]) < maxCover {
						out[w] = append(out[w], mention{p, s})
					}
				}
			}
		}
		return out
	})
	return a
}

// Bounds of the look at one function. What is beyond them covers nothing.
const (
	maxCover  = 2000 // statements that could do what one did
	maxEach   = 20   // statements that one rule is asked about
	maxTested = 300  // conditions

	maxMoved   = 5000 // statements of the change that are searched for what moved
	leastMoved = 11   // bytes of a call that is searched for: "validate(" is said of too many things
)

// view is the look at one function.
type view struct {
	all *all
	*pair
	covers     []stmt
	coversRead bool
	// called is where covers of functions that the head newly calls begin, and by their
	// place behind it the names of these.
	called    int
	callees   []string
	was, is   []test
	testsRead bool
}

// wants reports whether a rule is for the function.
func (v *view) wants(m *matcher) bool {
	switch {
	case len(m.Languages) > 0 && !isFor(m.Languages, v.head.lang):
		return false
	case m.in.given() && !m.in.match(v.head.name):
		return false
	case m.Change.Existing && v.base == nil:
		return false
	case m.file.given() && !v.all.isIn(m, v.head.path):
		return false
	case !begins(v, m):
		return false
	case m.keeps.given() && !slices.ContainsFunc(v.head.stmts, func(s stmt) bool { return m.keeps.match(s.text) }):
		return false
	case m.lacks.given() && mentions(v, m.lacks):
		return false
	}
	return true
}

// begins reports whether a statement that went or came is one that the rule looks for, as far as
// that is asked of single statements: of most functions none is, and the other questions, some of
// them about the whole change, need no answer.
func begins(v *view, m *matcher) bool {
	c := m.Change
	if len(c.Later)+len(c.Guards)+len(c.Conditions)+len(c.Numbers)+len(c.Lists)+len(c.Handlers)+len(c.Always) > 0 {
		return true
	}
	if len(c.Removes) > 0 && (v.base == nil || !slices.ContainsFunc(v.gone, func(s stmt) bool { return m.removes.match(s.text) })) {
		return false
	}
	return len(c.Adds) == 0 || slices.ContainsFunc(v.come, func(s stmt) bool { return m.adds.match(s.text) })
}

// isIn reports whether the file of the function is one that the rule is for, by its name or its
// text. That is the same for all of its functions.
func (a *all) isIn(m *matcher, where string) bool {
	key := inFile{m, where}
	is, known := a.files[key]
	if !known {
		is = m.file.match(where) || m.file.match(a.texts[where])
		a.files[key] = is
	}
	return is
}

// isFor reports whether a rule for some languages is for one: text of unknown type is text.
func isFor(languages []gate.Language, l gate.Language) bool {
	return slices.Contains(languages, l) ||
		l == gate.LanguageUnknown && (slices.Contains(languages, gate.LanguageText) || slices.Contains(languages, gate.LanguageGeneric))
}

// mentions reports whether something of the function, or of what it newly calls, matches. What
// is outside of functions is used in them: there all that comes into the file counts.
func mentions(v *view, what expressions) bool {
	matches := func(s stmt) bool { return what.match(s.text) }
	if slices.ContainsFunc(v.head.stmts, matches) || slices.ContainsFunc(v.cover(), matches) {
		return true
	}
	return v.head.name == "" && slices.ContainsFunc(v.all.pairs, func(p *pair) bool { return p.head.path == v.head.path && slices.ContainsFunc(p.come, matches) })
}

func (v *view) apply(m *matcher) []Finding {
	var out []Finding
	c := m.Change
	switch {
	case len(c.Removes) > 0 && len(c.Adds) > 0:
		if v.base != nil {
			if gone, _ := v.lost(m); gone != "" {
				out = append(out, v.added(m)...)
			}
		}
	case len(c.Adds) > 0:
		out = append(out, v.added(m)...)
	case len(c.Removes) > 0 && v.base != nil:
		if gone, at := v.lost(m); gone != "" {
			out = append(out, v.finding(m, at, at, "", gone))
		}
	}
	if len(c.Later) > 0 && v.base != nil {
		out = append(out, afterThem(v, m)...)
	}
	if len(c.Guards) > 0 && v.base != nil {
		out = append(out, v.guards(m)...)
	}
	if len(c.Conditions) > 0 && v.base != nil {
		out = append(out, v.loosened(m)...)
	}
	if len(c.Numbers) > 0 && v.base != nil {
		out = append(out, v.numbers(m)...)
	}
	if len(c.Lists) > 0 && v.base != nil {
		out = append(out, v.lists(m)...)
	}
	if len(c.Handlers) > 0 && v.base != nil {
		out = append(out, v.handlers(m)...)
	}
	if len(c.Always) > 0 && v.base != nil {
		out = append(out, v.answers(m)...)
	}
	return out
}

func (v *view) finding(m *matcher, line, end int, detail, evidence string) Finding {
	return Finding{Rule: m.Rule, Path: v.head.path, Line: line, End: max(line, end), Detail: detail, Evidence: evidence}
}

// added are the statements that come and match, beyond those that went.
func (v *view) added(m *matcher) []Finding {
	matches := func(s stmt) bool { return m.adds.match(s.text) && !m.unless.match(s.text) }
	spare := 0
	ordered := m.after.given() || m.before.given() || m.under.given()
	for _, s := range v.gone {
		// What the rule wants gone was no weakness, and one in another place is no spare.
		if matches(s) && !ordered && !m.removes.match(s.text) {
			spare += m.adds.times(s.text)
		}
	}
	var out []Finding
	asked := 0
	for _, s := range v.come {
		if !matches(s) || !ordered && (v.all.allGone[s.text] > 0 || carried(v.all.allGone, m, s.text)) || asked >= maxEach {
			continue
		}
		asked++
		if spare -= m.adds.times(s.text); spare >= 0 || v.covered(m, s.text, nil) || !v.inOrder(m, s) || v.turned(s) || m.Change.Varies && constantParts(v, s.text) {
			continue
		}
		out = append(out, v.finding(m, s.first, s.last, "", s.text))
		spare = 0
	}
	return out
}

// minCarried is how long what a rule looks for is where it says what it is about, in bytes.
const minCarried = 24

// carried reports whether all that a rule looks for was in statements of the base that are gone,
// in the same words: what is around it changed, or the function that it is in.
func carried(allGone map[string]int, m *matcher, text string) bool {
	for _, what := range m.adds.slow().FindAllString(text, -1) {
		if len(what) < minCarried {
			return false
		}
		had := false
		for gone := range allGone {
			had = had || strings.Contains(gone, what) && !m.removes.match(gone)
		}
		if !had {
			return false
		}
	}
	return true
}

// lost is the first statement that went and matches, where fewer came, and the line of
// the head at its old place.
func (v *view) lost(m *matcher) (text string, line int) {
	matches := func(s stmt) bool {
		return m.removes.match(s.text) && (len(m.Change.Adds) > 0 || !m.unless.match(s.text))
	}
	if !slices.ContainsFunc(v.gone, matches) {
		return "", 0
	}
	n := 0
	for _, s := range v.come {
		n += m.removes.times(s.text)
	}
	for _, s := range v.gone {
		if !matches(s) {
			continue
		}
		if n -= m.removes.times(s.text); n >= 0 {
			continue
		}
		if v.movedAway(m, s) || v.givenAlike(m, s.text) || v.takenOver(s) || v.covered(m, s.text, nil) || m.Change.Still && !stillThere(v, m, s.text) {
			return "", 0
		}
		return s.text, v.near(s)
	}
	return "", 0
}

// movedAway reports whether the statement is in another function now, or all the calls that the
// rule looks for in it: the change adds those elsewhere as often as it takes them away. What is a
// single name says too little about what it does there.
func (v *view) movedAway(m *matcher, s stmt) bool {
	if v.all.allCome[s.text] > 0 && strings.ContainsAny(s.text, " (") && !strings.HasPrefix(s.text, "@") {
		return true
	}
	if len(m.Change.Adds) > 0 || len(v.all.allCome) > maxMoved || len(v.all.allGone) > maxMoved {
		return false
	}
	parts := m.removes.slow().FindAllString(s.text, -1)
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(part string) bool {
		return len(part) < leastMoved || !strings.HasSuffix(part, "(") || countIn(v.all.allCome, part) < countIn(v.all.allGone, part)
	})
}

// countIn is how often a part is in statements.
func countIn(statements map[string]int, part string) int {
	n := 0
	for text, times := range statements {
		n += times * strings.Count(text, part)
	}
	return n
}

// givenAlike reports whether the statement that went was one of several in the function that gave a
// name its value, and all that are left do in the same words what the rule looks for: of two
// branches that were alike one is left. What comes could use what is no longer cleaned.
func (v *view) givenAlike(m *matcher, gone string) bool {
	name := gives.FindStringSubmatch(gone)
	if name == nil || name[2] == "" || len(v.come) > 0 {
		return false
	}
	calls := m.removes.slow().FindAllString(gone, -1)
	left := 0
	for _, s := range v.head.stmts {
		given := gives.FindStringSubmatch(s.text)
		if given == nil || given[2] != name[2] {
			continue
		}
		left++
		if slices.ContainsFunc(calls, func(call string) bool { return !strings.Contains(s.text, call) }) {
			return false
		}
	}
	return left > 0
}

// near is the line of the head where a statement of the base would be: that of the one
// that came for it, else the place where the first one went.
func (v *view) near(gone stmt) int {
	best, line := 0.4, v.at
	for _, s := range v.come {
		if k := kin(gone.text, s.text); k > best {
			best, line = k, s.first
		}
	}
	return line
}
