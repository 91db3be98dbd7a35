package weakening

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/source/dfa"
)

// inHelper reports whether functions that new refusals ask do what a refusal of the base
// did: every word of its condition is in theirs.
func (v *view) inHelper(t test) bool {
	_, is := v.tests()
	want := words.FindAllString(t.cond, -1)
	for _, o := range is {
		if !o.denies || o.answer || v.allCome[o.at.text] == 0 {
			continue
		}
		have := map[string]bool{}
		decides := false
		for _, c := range callee.FindAllStringSubmatch(o.cond, -1) {
			for _, p := range v.byName[c[1]] {
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
func (v *view) similar(t test) bool {
	for i, s := range v.cover() {
		switch {
		case kin(s.text, t.cond) < 0.5, v.calleeOf(i) != "":
		case i >= len(v.come), !v.callsKnown(s):
			return true
		}
	}
	return false
}

// calleeOf is the function that the head newly calls and that a covering statement is in,
// "" for one elsewhere.
func (v *view) calleeOf(cover int) string {
	if i := cover - v.called; i >= 0 && i < len(v.callees) {
		return v.callees[i]
	}
	return ""
}

// onPath reports whether a covering statement runs where a refusal of the base did: what is
// in a function that the head newly calls does if it is called in any case, and before what
// the refusal kept from running. The text of an error is no check.
func (v *view) onPath(t test, cover int, s stmt) bool {
	name := v.calleeOf(cover)
	if name == "" {
		return true
	}
	if failing.MatchString(s.text) {
		return false
	}
	limit, calls := v.follower(t), false
	for i, o := range v.head.stmts {
		if !slices.Contains(called(o.text), name) || !slices.Contains(v.come, o) {
			continue
		}
		calls = true
		if i < limit && v.always(i) {
			return true
		}
	}
	return !calls // it is what the function is in, or what decorates that
}

// failing matches statements that only say that something failed.
var failing = dfa.MustCompile(`^(?:raise|throw|panic)\b`)

// callsKnown reports whether a statement does nothing but call a function that the change shows.
func (v *view) callsKnown(s stmt) bool {
	if _, isTest := testIn(v.head.lang, s); isTest || strings.HasPrefix(s.text, "return") {
		return false
	}
	m := callee.FindStringSubmatch(s.text)
	return m != nil && len(v.units[m[1]]) > 0
}

// moved reports whether each part of a refusal of the base is refused by the head: by a test
// of the function, or by a function that it newly calls before it does what the refusal kept
// from running. Names of variables may differ, what is asked about them may not.
func (v *view) moved(t test) bool {
	_, is := v.tests()
	own := refusalsOf(is).texts
	helpers := v.helpers(t)
	parts := split(peel(t.cond), " or ", "||")
	left, asked := false, false
	for _, part := range parts {
		if own[part] {
			left = true
			continue
		}
		subjects := v.subjects(part)
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
func (v *view) subjects(part string) []string {
	members := func(text string) (out []string) {
		for _, m := range member.FindAllStringSubmatch(text, -1) {
			out = append(out, m[1])
		}
		return out
	}
	out := members(part)
	for _, name := range called(part) {
		i := slices.IndexFunc(v.all.lost, func(u *unit) bool { return u.short() == name })
		if i < 0 {
			out = append(out, name)
			continue
		}
		for _, s := range v.all.lost[i].stmts {
			out = append(out, members(s.text)...)
		}
	}
	if len(out) == 0 {
		out = words.FindAllString(part, -1)
	}
	return slices.DeleteFunc(out, plain.MatchString)
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
func (v *view) helpers(t test) []helper {
	before := map[string]bool{}
	for _, s := range v.base.stmts {
		for _, name := range called(s.text) {
			before[name] = true
		}
	}
	var out []helper
	limit := v.follower(t)
	for i, s := range v.head.stmts {
		if i >= limit || !slices.Contains(v.come, s) || !v.always(i) {
			continue
		}
		for _, name := range called(s.text) {
			if before[name] && len(v.byName[name]) == 0 {
				continue // it refused all it does already
			}
			for _, u := range v.units[name] {
				if u == v.head || u.lang != v.head.lang {
					continue
				}
				h := helper{words: map[string]bool{}}
				raises, answers := v.collect(u, h.words, map[*unit]bool{}, maxDeep)
				h.refuses = raises || answers && (v.heeds(i, name) || i < v.head.heads)
				out = append(out, h)
			}
		}
	}
	return out
}

// called are the names of the functions that a statement calls, or is decorated with.
func called(text string) []string {
	var out []string
	for _, c := range callee.FindAllStringSubmatch(text, -1) {
		out = append(out, c[1])
	}
	if strings.HasPrefix(text, "@") {
		out = append(out, words.FindAllString(text, -1)...)
	}
	return out
}

// follower is the place in the head of the first statement that followed a refusal in the
// base and still is there, the number of statements where there is none.
func (v *view) follower(t test) int {
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
func (v *view) always(i int) bool {
	s := v.head.stmts[i]
	for _, head := range v.head.around(i)[1:] {
		if branching.MatchString(head) && v.allCome[head] > 0 {
			return false
		}
	}
	_, isTest := testIn(v.head.lang, s)
	return isTest || i < v.head.heads || !guardedCall.MatchString(s.text)
}

var (
	branching   = dfa.MustCompile(`^(?:\}? ?else\b|(?:\}? ?else )?if\b|elif\b|\}? ?catch\b|except\b|case\b|for\b|while\b)`)
	guardedCall = dfa.MustCompile(`^(?:\w|\.|\(|!|\[|\]|")+ ?(?:&&|\|\||\?) ?|^\w[\w. ]* if .* else `)
)

// heeds reports whether a refusal of the head asks what a call returned.
func (v *view) heeds(at int, name string) bool {
	given := map[string]bool{name: true}
	if m := assigned.FindStringSubmatch(v.head.stmts[at].text); m != nil {
		addWords(given, m[1])
	}
	_, is := v.tests()
	return slices.ContainsFunc(is, func(o test) bool {
		return (o.denies || o.answer) && slices.ContainsFunc(words.FindAllString(o.cond, -1), func(w string) bool { return given[w] })
	})
}

// assigned matches what a statement gives a value to.
var assigned = dfa.MustCompile(`^(?:const |let |var |if |if \()?([\w$, ]+?)(?: ?: ?[^=]+)? ?:?= `)

// collect gathers the words of a function and of what it calls, and says whether the
// function refuses by an error, or by what it returns.
func (a *all) collect(u *unit, have map[string]bool, seen map[*unit]bool, deep int) (raises, answers bool) {
	if seen[u] || deep == 0 {
		return false, false
	}
	inner := append([]*unit{u}, a.inside[u]...)
	for _, i := range a.inside[u] {
		inner = append(inner, a.inside[i]...) // a decorator with arguments
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
				for _, next := range a.units[name] {
					if next.lang == u.lang {
						_, _ = a.collect(next, have, seen, deep-1)
					}
				}
			}
		}
	}
	return raises, answers
}

// raising matches refusals that whoever calls doesn't go on after.
var raising = dfa.MustCompile(`(?:^|[;{] ?)(?:raise\b|throw\b|panic\(|(?:\w+\.)*(?:abort|Abort\w*|exit|Exit|Fatal\w*)\(|assert\b)`)
