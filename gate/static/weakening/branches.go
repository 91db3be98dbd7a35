package weakening

import (
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/dfa"
)

// branches follows which conditions a statement is under while the statements of a
// unit are read in their order.
type branches struct {
	open []branch
}

// branch is a block with the condition that leads into it.
type branch struct {
	depth int
	cond  string
	// skips are conditions of the branches before it in its chain that refuse nothing:
	// where one of them holds, cond is not evaluated.
	skips  []string
	denies bool
	// cases says that the block is a switch without a value, of which the cases are conditions.
	cases bool
}

// enter closes the blocks that a statement is no longer in. It returns what it is under.
func (b *branches) enter(s stmt) (under []string, chain []string, inCases bool) {
	var last *branch
	for len(b.open) > 0 && b.open[len(b.open)-1].depth >= s.depth {
		closed := b.open[len(b.open)-1]
		b.open = b.open[:len(b.open)-1]
		if closed.depth == s.depth {
			last = &closed
		}
	}
	for _, o := range b.open {
		if o.cond != "" {
			under = append(under, o.cond)
		}
		under = append(under, o.skips...)
	}
	inCases = len(b.open) > 0 && b.open[len(b.open)-1].cases
	if last != nil && (elseOf.MatchString(s.text) || inCases) {
		chain = slices.Clone(last.skips)
		if !last.denies && last.cond != "" {
			chain = append(chain, last.cond)
		}
	}
	return under, chain, inCases
}

var (
	elseOf   = dfa.MustCompile(`^(?:\}? ?else\b|elif\b|case |default ?:)`)
	noSwitch = dfa.MustCompile(`^switch ?(?:true ?)?\{$`)
	// ends matches statements after which a function doesn't go on.
	ends = dfa.MustCompile(`^(?:return\b|raise\b|throw\b|continue\b|break\b|panic\(|goto\b|(?:\w+\.)*(?:abort|Abort\w*|exit|Exit|Fatal\w*|fail)\()`)
)

// stops reports whether a block leaves its function.
func stops(body string) bool {
	for part := range strings.SplitSeq(body, ";") {
		if ends.MatchString(strings.TrimSpace(part)) {
			return true
		}
	}
	return false
}

// goesOn reports whether a refusal of the head is followed by what it should keep from running.
func goesOn(head []stmt, t test) bool {
	i := slices.Index(head, t.at)
	if i < 0 {
		return false
	}
	for _, s := range head[i+1:] {
		if s.depth <= t.at.depth {
			return !elseOf.MatchString(s.text)
		}
	}
	return false
}

// sometimes names the new condition of a refusal that the base made in any case.
func sometimes(t test, is []test) (test, string) {
	var at test
	how := ""
	for _, o := range is {
		if o.cond != t.cond || !o.denies || o.answer {
			continue
		}
		gone := lacks(o.under, t.under)
		extra := slices.DeleteFunc(lacks(t.under, o.under), func(c string) bool {
			return kinds.MatchString(c) || slices.ContainsFunc(gone, func(g string) bool { return kin(g, c) >= 0.3 })
		})
		if len(extra) == 0 {
			return test{}, ""
		}
		if how == "" {
			at, how = o, extra[0]
		}
	}
	return at, how
}

// kinds matches conditions that ask what kind of value something is: what a check is about,
// and not whether it is made.
var kinds = dfa.MustCompile(`\b(?:typeof|instanceof|isinstance|hasattr)\b|\b(?:is|Is)[A-Z]\w*\(`)

// narrowed finds a part of what a test of the base refused that the head refuses only if
// something else holds too, or by a comparison that accepts more. before and now are all that
// base and head refuse.
func narrowed(t test, before, now refusals) (at test, how string) {
	for _, part := range split(peel(t.cond), " or ", "||") {
		if now.texts[part] {
			continue
		}
		was := comparisonOf(part, true)
		for _, o := range now.atoms {
			if before.texts[o.text] {
				continue
			}
			if len(o.clauses) > 1 && slices.Contains(o.clauses, part) {
				return o.test, "only if something else holds too"
			}
			if was.weakerIn(o.comparison) {
				return o.test, "with a comparison that accepts more"
			}
		}
	}
	return test{}, ""
}

// refusals are the parts of all conditions on which a function refuses.
type refusals struct {
	atoms []atom
	texts map[string]bool
}

// atom is a part of a condition, with the test that it is of.
type atom struct {
	test
	text    string
	clauses []string // that must hold together
	comparison
}

func refusalsOf(tests []test) refusals {
	out := refusals{texts: map[string]bool{}}
	for _, o := range tests {
		if !o.denies || o.answer || o.caught {
			continue
		}
		for _, p := range split(peel(o.cond), " or ", "||") {
			out.texts[p] = true
			out.atoms = append(out.atoms, atom{o, p, split(p, " and ", "&&"), comparisonOf(p, true)})
		}
	}
	return out
}

// comparison is what must hold for a value to be accepted, with how much that asks for.
type comparison struct {
	accepts string // "" for what isn't known
	level   int
	subject string
	words   []string
}

// comparisonOf reads a part of a condition; denies says that what holds is refused.
func comparisonOf(text string, denies bool) comparison {
	x, ok := accepted(text, denies)
	if !ok {
		return comparison{}
	}
	level, subject := strength(x)
	return comparison{x, level, subject, words.FindAllString(x, -1)}
}

// weakerIn reports whether another comparison accepts more than this one.
func (c comparison) weakerIn(o comparison) bool {
	if c.accepts == "" || o.accepts == "" || c.accepts == o.accepts {
		return false
	}
	if bound := closer(c.accepts); bound != "" && bound == o.accepts {
		return true
	}
	return c.level > 0 && o.level > 0 && o.level < c.level && o.subject != "" && slices.Contains(c.words, o.subject)
}

// closer is a comparison with the bound let in, "" for one that has none.
func closer(text string) string {
	for _, o := range [][2]string{{" < ", " <= "}, {" > ", " >= "}} {
		if strings.Count(text, o[0]) == 1 {
			return strings.Replace(text, o[0], o[1], 1)
		}
	}
	return ""
}

// contrary are operators with those that hold where they don't.
var contrary = [][2]string{{" !== ", " === "}, {"!== ", "=== "}, {" != ", " == "}, {"!= ", "== "}, {" not in ", " in "}, {" is not ", " is "}, {" >= ", " < "}, {" <= ", " > "}, {" > ", " <= "}, {" < ", " >= "}}

// accepted is what must hold for a value to be accepted.
func accepted(text string, denies bool) (string, bool) {
	text = peel(text)
	if !denies {
		return text, !strings.HasPrefix(text, "not ") && !strings.HasPrefix(text, "!")
	}
	if rest, ok := strings.CutPrefix(text, "not "); ok {
		return peel(rest), true
	}
	if rest, ok := strings.CutPrefix(text, "!"); ok {
		return peel(rest), true
	}
	for _, o := range contrary {
		if strings.Count(text, o[0]) == 1 {
			return strings.Replace(text, o[0], o[1], 1), true
		}
	}
	return "", false
}

// comparisons are kinds of tests by how much they ask for: 5 is one value or a list of
// them, 1 is that there is any value. The group is what they ask about.
var comparisons = []struct {
	level int
	is    *regexp.Regexp
}{
	{1, regexp.MustCompile(`^(?:.*\.)?(\w+)\)?(?:\?\.)? (?:is not None|is (?:None|null|nil)|(?:!=|!==|==|===) (?:nil|null|undefined|None|""))$`)},
	{5, regexp.MustCompile(`\b(?:compare_digest|timingSafeEqual|ConstantTimeCompare|hmac\.Equal|checkpw|CompareHashAndPassword|bytes\.Equal)\(`)},
	{4, regexp.MustCompile(`\bfullmatch\(|/\^.*\$/\w*\.test\(|\bis_relative_to\(|\bIsLocal\(|^typeof `)},
	{2, regexp.MustCompile(`(\w+)\)?\.(?:includes|find|indexOf|search)\( ?["']|\bstrings\.(?:Contains|Index)\( ?(?:\w+\.)*(\w+)|^["'][^"']*["'] in (?:\w+\.)*(\w+)|\bre\.search\([^,]*, ?(?:\w+\.)*(\w+)`)},
	{3, regexp.MustCompile(`(\w+)\)?(?:\(\))?\.(?:startswith|startsWith|endswith|endsWith)\(|\bHas(?:Prefix|Suffix)\( ?(?:\w+\.)*(\w+)|\bre\.match\([^,]*, ?(?:\w+\.)*(\w+)|\.test\( ?(?:\w+\.)*(\w+)`)},
	{5, regexp.MustCompile(` (?:==|===) | in (?:\w+\.)*[A-Za-z_]|\.(?:includes|has)\( ?\w|\bslices\.Contains\(|=== |== `)},
	{1, regexp.MustCompile(`^(?:\w+(?:\?)?\.)*(\w+)$`)},
}

// strength says how much a comparison asks for, 0 for what isn't known, and about what.
func strength(text string) (level int, subject string) {
	for _, c := range comparisons {
		m := c.is.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		for _, g := range m[1:] {
			if g != "" {
				subject = g
			}
		}
		return c.level, subject
	}
	return 0, ""
}
