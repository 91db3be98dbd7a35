package weakening

import (
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/dfa"
)

// restated reports whether a new test of the head refuses in the same words for as many
// reasons, and asks about the same values: a name that was given to a value, or taken away
// from it, changes no check. What calls are made to ask may differ.
func (r refusal) restated() bool {
	said := r.was.says()
	if said == "" {
		return false
	}
	before, now := given(r.v.gone), given(append(slices.Clone(r.v.come), definitions(r.v)...))
	if p := r.v.all.programs[r.v.head.path]; p != nil {
		now.constants(p.units)
	}
	want := values(before.expand(r.was.cond))
	if len(want) == 0 {
		return false
	}
	_, is := r.v.tests()
	return slices.ContainsFunc(is, func(o test) bool {
		if !o.denies || o.answer || r.v.all.allCome[o.at.text] == 0 || o.says() != said || reasons(o.cond) != reasons(r.was.cond) {
			return false
		}
		cond := now.expand(o.cond)
		have := map[string]bool{}
		addWords(have, o.cond+" "+cond)
		for _, name := range called(cond) {
			for _, p := range r.v.all.byName[name] {
				for _, s := range p.come {
					addWords(have, s.text)
				}
			}
		}
		return !slices.ContainsFunc(want, func(w string) bool { return !have[w] })
	})
}

// says is the refusal of a test where it names what is wrong, "" for one that could be any.
func (t test) says() string {
	for part := range strings.SplitSeq(t.body, "; ") {
		if specific.MatchString(part) {
			return part
		}
	}
	return ""
}

// specific matches refusals that name an error, or have a text of several words.
var specific = dfa.MustCompile(`^(?:return|raise|throw)\b.*(?:\b(?:\w+\.)*(?:Err|ERR_)\w+$|["'][^"']*\w \w[^"']*["'])`)

// reasons is of how many parts a condition is.
func reasons(cond string) int {
	n := 0
	for _, p := range split(peel(afterSemicolon(cond)), " or ", "||") {
		n += len(split(p, " and ", "&&"))
	}
	return n
}

// afterSemicolon is a condition of Go without the statement before it.
func afterSemicolon(cond string) string {
	if i := strings.LastIndex(cond, "; "); i >= 0 {
		return cond[i+2:]
	}
	return cond
}

// values are the words of a condition that name no function, nor what a function is called on.
func values(cond string) []string {
	calls := onCalls.FindAllString(cond, -1)
	var out []string
	for _, w := range words.FindAllString(cond, -1) {
		if !plain.MatchString(w) && !slices.ContainsFunc(calls, func(c string) bool { return slices.Contains(words.FindAllString(c, -1), w) }) {
			out = append(out, w)
		}
	}
	return out
}

// onCalls matches functions with what they are called on.
var onCalls = regexp.MustCompile(`(?:[A-Za-z_$][\w$]*\.)*[A-Za-z_$][\w$]* ?\(`)

// names are values by the names that statements give them.
type names map[string]string

// given reads what statements give names to.
func given(stmts []stmt) names {
	out := names{}
	for _, s := range stmts {
		m := named.FindStringSubmatch(s.text)
		if m == nil || len(out) >= maxDefinitions {
			continue
		}
		for _, w := range words.FindAllString(m[1], -1) {
			if w != "_" && w != "err" {
				out[w] = m[2]
			}
		}
	}
	return out
}

// named matches a statement that gives names to a value.
var named = regexp.MustCompile(`^(?:const |let |var )?([\w$]+(?:, ?[\w$]+)*)(?: ?: ?[\w.]+)? ?:?= ?([^=].*)$`)

// constants adds the texts that a file of Go gives names to.
func (n names) constants(units []*unit) {
	for _, u := range units {
		if u.name != "" || u.lang != gate.LanguageGo {
			continue
		}
		for _, s := range u.stmts {
			if !strings.HasPrefix(s.text, "const") {
				continue
			}
			for _, m := range constant.FindAllStringSubmatch(s.text, maxDefinitions) {
				n[m[1]] = m[2]
			}
		}
	}
}

// constant matches a name for a text.
var constant = regexp.MustCompile(`(\w+) = ("[^"]*")`)

// expand puts values in the place of their names.
func (n names) expand(cond string) string {
	return words.ReplaceAllStringFunc(cond, func(w string) string {
		if value, ok := n[w]; ok {
			return value
		}
		return w
	})
}

// turned reports whether a bare "yes" is the rest of a condition that the function returned: a
// test before it, which nothing leads to but the function itself, refuses where a part of that
// condition does not hold.
func (v *view) turned(yes stmt) bool {
	if v.base == nil || !bareYes.MatchString(yes.text) {
		return false
	}
	was, is := v.tests()
	return slices.ContainsFunc(was, func(t test) bool {
		parts := clausesOf(t.cond)
		if !t.answer || v.all.allGone[t.at.text] == 0 || parts.any && len(parts.parts) > 1 {
			return false
		}
		return slices.ContainsFunc(is, func(o test) bool {
			refused := clausesOf(o.cond)
			if !o.denies || o.answer || len(o.under) > 0 || o.at.last >= yes.first || !refused.any && len(refused.parts) > 1 {
				return false
			}
			return !slices.ContainsFunc(parts.parts, func(p string) bool {
				p = asTruth.ReplaceAllString(p, "$1")
				return !slices.ContainsFunc(refused.parts, func(r string) bool { return opposite(p, r) || opposite(p, refused.withoutStandIns(r)) })
			})
		})
	})
}

// withoutStandIns is a part of a condition without the constants that are taken instead of a value that
// is missing, where another part refuses what is missing: they only take as long as the value.
func (c clauses) withoutStandIns(part string) string {
	return standIn.ReplaceAllStringFunc(part, func(both string) string {
		value := standIn.FindStringSubmatch(both)[1]
		if slices.ContainsFunc(c.parts, func(o string) bool { return o != part && opposite(value, o) }) {
			return value
		}
		return both
	})
}

// standIn matches a value, and the constant that is taken where there is none.
var standIn = regexp.MustCompile(`\b([A-Za-z_]\w*) (?:or|\|\||\?\?) [A-Z][A-Z0-9_]*\b`)

// asTruth matches a value that is asked whether it is there.
var asTruth = regexp.MustCompile(`^(?:bool|Boolean)\(([A-Za-z_][\w.]*)\)$|^!!`)

// bareYes matches an answer that asks nothing.
var bareYes = regexp.MustCompile(`^return (?:True|true) ?;?$`)
