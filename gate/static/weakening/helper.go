package weakening

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/dfa"
)

// refusal is one that the base made in a function and the head no longer makes there in the
// same words.
type refusal struct {
	v   *view
	was test
	// limit is the place in the head of the first statement that followed the refusal in the
	// base and still is there, the number of statements where there is none.
	limit int
}

func newRefusal(v *view, t test) refusal {
	return refusal{v, t, follower(v, t)}
}

// elsewhere reports whether the head refuses in another place, or in another way, what the
// base refused.
func (r refusal) elsewhere(m *matcher) bool {
	return r.similar() || r.v.all.allCome[r.was.at.text] > 0 || r.v.covered(m, r.was.text(), &r) || r.inHelper() || r.moved() || r.restated() || r.lookNear() && r.moved()
}

// lookNear adds the functions of unchanged files that the file imports, once.
func (r refusal) lookNear() bool {
	path := r.v.head.path
	if r.v.all.imports == nil || r.v.all.read[path] {
		return false
	}
	r.v.all.read[path] = true
	for _, f := range r.v.all.imports(path) {
		if units, ok := read(f.Language, f.Path, normal(f.Head)); ok {
			r.v.all.known.add(&program{units: units})
		}
	}
	return true
}

// inHelper reports whether functions that new refusals ask do what a refusal of the base
// did: every word of its condition is in theirs.
func (r refusal) inHelper() bool {
	_, is := r.v.tests()
	want := words.FindAllString(r.was.cond, -1)
	for _, o := range is {
		if !o.denies || o.answer || r.v.all.allCome[o.at.text] == 0 {
			continue
		}
		have := map[string]bool{}
		decides := false
		for _, c := range callee.FindAllStringSubmatch(o.cond, -1) {
			for _, p := range r.v.all.byName[c[1]] {
				for _, s := range p.come {
					decides = decides || denies(p.head.lang, s.text)
					addWords(have, s.text)
				}
			}
		}
		addWords(have, o.cond)
		if decides && !slices.ContainsFunc(want, func(w string) bool { return !have[w] }) {
			return true
		}
	}
	return false
}

func addWords(to map[string]bool, text string) {
	for _, w := range words.FindAllString(text, -1) {
		to[w] = true
	}
}

// similar reports whether a new statement asks much the same as a refusal of the base.
// Functions that the change shows are judged by whether they still refuse (moved).
func (r refusal) similar() bool {
	for i, s := range r.v.cover() {
		switch {
		case kin(s.text, r.was.cond) < 0.5, r.calleeOf(i) != "", r.v.all.idle[s]:
		case i >= len(r.v.come), !r.callsKnown(s):
			return true
		}
	}
	return false
}

// calleeOf is the function that the head newly calls and that a covering statement is in,
// "" for one elsewhere.
func (r refusal) calleeOf(cover int) string {
	if i := cover - r.v.called; i >= 0 && i < len(r.v.callees) {
		return r.v.callees[i]
	}
	return ""
}

// onPath reports whether a covering statement runs where a refusal of the base did: what is
// in a function that the head newly calls does if it is called in any case, and before what
// the refusal kept from running. The text of an error is no check.
func (r refusal) onPath(cover int, s stmt) bool {
	name := r.calleeOf(cover)
	switch {
	case r.v.all.idle[s]:
		return false
	case cover < len(r.v.come):
		return r.asked(s)
	case name == "":
		return true
	}
	if failing.MatchString(s.text) {
		return false
	}
	calls := false
	for i, o := range r.v.head.stmts {
		if !slices.Contains(called(o.text), name) || !slices.Contains(r.v.come, o) {
			continue
		}
		calls = true
		if i < r.limit && r.always(i) && !r.v.head.swallowed(i) && r.heeded(i, name) {
			return true
		}
	}
	return !calls // it is what the function is in, or what decorates that
}

// failing matches statements that only say that something failed.
var failing = dfa.MustCompile(`^(?:raise|throw|panic)\b`)

// callsKnown reports whether a statement does nothing but call a function that the change shows.
func (r refusal) callsKnown(s stmt) bool {
	if _, isTest := testIn(r.v.head.lang, s); isTest || strings.HasPrefix(s.text, "return") {
		return false
	}
	m := callee.FindStringSubmatch(s.text)
	return m != nil && len(r.v.all.known.named[m[1]]) > 0
}

// moved reports whether each part of a refusal of the base is refused by the head: by a test
// of the function, or by a function that it newly calls before it does what the refusal kept
// from running. Names of variables may differ, what is asked about them may not.
func (r refusal) moved() bool {
	_, is := r.v.tests()
	own := refusalsOf(is).texts
	helpers := r.helpers()
	parts := split(peel(r.was.cond), " or ", "||")
	left, asked := false, false
	for _, part := range parts {
		if own[part] {
			left = true
			continue
		}
		subjects := r.subjects(part)
		if len(parts) > 1 && exists.MatchString(part) {
			continue // that there is something decides nothing about who may have it
		}
		if len(subjects) == 0 || !slices.ContainsFunc(helpers, func(h helper) bool { return h.asks(subjects) }) {
			return false
		}
		asked = true
	}
	return left || asked
}

var (
	// member is what is read of a value, or called on it.
	member = regexp.MustCompile(`\.([A-Za-z_$][\w$]*)`)
	// plain are words that say nothing about what a condition asks.
	plain = dfa.MustCompile(`^(?:not|is|in|and|or|None|nil|null|undefined|true|false|True|False|err|error|await|self|this|typeof|instanceof|len|length|has|get|includes)$`)
)

// exists matches tests that there is a value.
var exists = dfa.MustCompile(`^(?:not |! ?)?\w+(?: (?:is|==|===) (?:None|nil|null|undefined))?$`)

// subjects are what a part of a condition asks about: the members that it reads and the
// functions that it calls. A function that the change deletes is what it asked about in turn.
func (r refusal) subjects(part string) []string {
	members := func(text string) (out []string) {
		for _, m := range member.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
		return out
	}
	out := members(part)
	for _, name := range called(part) {
		i := slices.IndexFunc(r.v.all.lost, func(u *unit) bool { return u.short() == name })
		if i < 0 {
			out = append(out, name)
			continue
		}
		for _, s := range r.v.all.lost[i].stmts {
			out = append(out, members(s.text)...)
		}
	}
	if out = slices.DeleteFunc(out, plain.MatchString); len(out) == 0 {
		out = slices.DeleteFunc(words.FindAllString(part, -1), plain.MatchString)
	}
	return out
}

// helper is a function that the head newly calls, with those that it calls itself.
type helper struct {
	words   map[string]bool
	refuses bool
}

// asks reports whether it refuses by all that a part of a condition asked about.
func (h helper) asks(subjects []string) bool {
	return h.refuses && !slices.ContainsFunc(subjects, func(w string) bool { return !h.words[w] })
}

// maxDeep is how many functions lie between a call and the refusal that it leads to.
const maxDeep = 3

// helpers are the functions that a function newly calls in any case, and before what a
// refusal of the base kept from running.
func (r refusal) helpers() []helper {
	before := map[string]bool{}
	for _, s := range r.v.base.stmts {
		for _, name := range called(s.text) {
			before[name] = true
		}
	}
	var out []helper
	for i, s := range r.v.head.stmts {
		if i >= r.limit || !slices.Contains(r.v.come, s) || !r.always(i) || r.v.head.swallowed(i) {
			continue
		}
		for _, name := range called(s.text) {
			if before[name] && len(r.v.all.byName[name]) == 0 {
				continue // it refused all it does already
			}
			for _, u := range r.v.all.known.named[name] {
				if u == r.v.head || u.lang != r.v.head.lang {
					continue
				}
				h := helper{words: map[string]bool{}}
				raises, answers := r.v.all.known.collect(u, h.words, map[*unit]bool{}, maxDeep)
				h.refuses = raises || answers && r.heeds(i, name) || i < r.v.head.heads && r.v.all.known.refuses(u)
				out = append(out, h)
			}
		}
	}
	for _, p := range r.v.all.hooks(r.v.pair) {
		h := helper{words: map[string]bool{}, refuses: true}
		r.v.all.known.collect(p.head, h.words, map[*unit]bool{}, maxDeep)
		out = append(out, h)
	}
	return out
}

// called are the names of the functions that a statement calls, or is decorated with.
func called(text string) []string {
	var out []string
	for _, c := range callee.FindAllStringSubmatch(text, -1) {
		out = append(out, c[1])
	}
	for _, c := range tagged.FindAllStringSubmatch(text, -1) {
		out = append(out, c[1])
	}
	if strings.HasPrefix(text, "@") {
		out = append(out, words.FindAllString(text, -1)...)
	}
	return out
}

// tagged matches functions of JavaScript that a template is given to.
var tagged = regexp.MustCompile("([A-Za-z_$][\\w$]*)`")

// follower is the limit of a refusal.
func follower(v *view, t test) int {
	at := slices.Index(v.base.stmts, t.at)
	if at >= 0 {
		for _, s := range v.base.stmts[at+1:] {
			if s.depth > t.at.depth || strings.HasPrefix(s.text, "return") {
				continue
			}
			if i := slices.IndexFunc(v.head.stmts, func(o stmt) bool { return o.text == s.text }); i >= 0 {
				return i
			}
		}
	}
	return len(v.head.stmts)
}

// always reports whether a statement of the head runs under no condition that is new, and
// not only if something else holds.
func (r refusal) always(i int) bool {
	s := r.v.head.stmts[i]
	for _, head := range r.v.head.around(i)[1:] {
		if branching.MatchString(head) && r.v.all.allCome[head] > 0 {
			return false
		}
	}
	_, isTest := testIn(r.v.head.lang, s)
	return isTest || i < r.v.head.heads || !guardedCall.MatchString(s.text)
}

var (
	branching   = dfa.MustCompile(`^(?:\}? ?else\b|(?:\}? ?else )?if\b|elif\b|\}? ?catch\b|except\b|case\b|for\b|while\b)`)
	guardedCall = dfa.MustCompile(`^(?:\w|\.|\(|!|\[|\]|")+ ?(?:&&|\|\||\?) ?|^\w[\w. ]* if .* else `)
)

// heeds reports whether a refusal of the head asks what a call returned.
func (r refusal) heeds(at int, name string) bool {
	given := map[string]bool{name: true}
	if m := assigned.FindStringSubmatch(r.v.head.stmts[at].text); m != nil {
		addWords(given, m[1])
	}
	_, is := r.v.tests()
	return slices.ContainsFunc(is, func(o test) bool {
		return (o.denies || o.answer) && slices.ContainsFunc(words.FindAllString(o.cond, -1), func(w string) bool { return given[w] })
	})
}

// assigned matches what a statement gives a value to.
var assigned = dfa.MustCompile(`^(?:const |let |var |if |if \()?([\w$, ]+?)(?: ?: ?[^=]+)? ?:?= `)

// collect gathers the words of a function and of what it calls, and says whether the
// function refuses by an error, or by what it returns.
func (f functions) collect(u *unit, have map[string]bool, seen map[*unit]bool, deep int) (raises, answers bool) {
	if seen[u] || deep == 0 {
		return false, false
	}
	inner := append([]*unit{u}, f.inside[u]...)
	for _, i := range f.inside[u] {
		inner = append(inner, f.inside[i]...) // a decorator with arguments
	}
	for _, q := range inner {
		seen[q] = true
		for _, o := range q.tests() {
			raises = raises || o.denies && !o.answer && raising.MatchString(o.body)
			answers = answers || o.denies || o.answer
		}
		for _, s := range q.stmts {
			addWords(have, s.text)
			for _, name := range called(s.text) {
				for _, next := range f.named[name] {
					if next.lang == u.lang {
						deeper, _ := f.collect(next, have, seen, deep-1)
						raises = raises || deeper && u.lang != gate.LanguageGo // an error goes on to the person who called
					}
				}
			}
		}
	}
	return raises, answers
}

// raising matches refusals that the caller does not go on after.
var raising = dfa.MustCompile(`(?:^|[;{] ?)(?:raise\b|throw\b|panic\(|(?:\w+\.)*(?:abort|Abort\w*|exit|Exit|Fatal\w*)\(|assert\b)`)

// functions are those of the head's files that the change shows.
type functions struct {
	named  map[string][]*unit // by their names
	inside map[*unit][]*unit  // by what they are defined in
}

// add puts the functions of a file among them.
func (f functions) add(p *program) {
	if p == nil {
		return
	}
	for _, u := range p.units {
		if u.name == "" {
			continue
		}
		f.named[known(u)] = append(f.named[known(u)], u)
		if u.parent != nil {
			f.inside[u.parent] = append(f.inside[u.parent], u)
		}
	}
}

// used reports whether something of the change uses a function, or the base had it: one
// that is new and that nothing mentions does nothing.
func used(a *all, p *pair) bool {
	name := p.head.short()
	return p.base != nil || strings.ContainsAny(name, " ") || strings.HasPrefix(name, "__") ||
		slices.ContainsFunc(p.head.stmts[:p.head.heads], func(s stmt) bool { return strings.HasPrefix(s.text, "@") }) ||
		slices.ContainsFunc(a.byWord()[name], func(m mention) bool { return m.in != p && m.in.head.parent != p.head })
}
