package weakening

import (
	"slices"
	"strings"
)

// clauses are the parts of a condition: all of which must hold, or one.
type clauses struct {
	any   bool // joined with "or"
	parts []string
}

// clausesOf splits a condition at its outermost "or", else at its outermost "and".
func clausesOf(cond string) clauses {
	cond = peel(cond)
	if parts := split(cond, " or ", "||"); len(parts) > 1 {
		return clauses{true, parts}
	}
	return clauses{false, split(cond, " and ", "&&")}
}

// peel takes away brackets around the whole of a condition.
func peel(cond string) string {
	for {
		cond = strings.TrimSpace(cond)
		inside, rest, ok := inParens(cond)
		if !ok || rest != "" {
			return cond
		}
		cond = inside
	}
}

// split splits a condition at operators outside of brackets and strings.
func split(cond string, ops ...string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(cond); i++ {
		c := cond[i]
		switch {
		case c == '"' || c == '\'' || c == '`':
			i = endOfString(cond, i)
			continue
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
		if depth != 0 {
			continue
		}
		for _, op := range ops {
			if n := operator(cond, i, op); n > 0 {
				out = append(out, peel(cond[from:i]))
				i += n - 1
				from = i + 1
				break
			}
		}
	}
	return append(out, peel(cond[from:]))
}

// operator is the length of an operator at a place of a condition, 0 where there is none. No
// blank is between a word and a bracket beside it.
func operator(cond string, at int, op string) int {
	if strings.HasPrefix(cond[at:], op) {
		return len(op)
	}
	word := strings.TrimSpace(op)
	if word == op {
		return 0
	}
	rest, ok := strings.CutPrefix(strings.TrimPrefix(cond[at:], " "), word)
	before := cond[at] == ' ' || at > 0 && strings.IndexByte(")]}\"'`", cond[at-1]) >= 0
	if !ok || !before || rest == "" || strings.IndexByte(" ([{\"'`", rest[0]) < 0 {
		return 0
	}
	n := len(cond) - at - len(rest)
	if rest[0] == ' ' {
		n++
	}
	return n
}

// loosened says how the newer of two conditions lets more through, "" if it doesn't.
// denies says that what holds is refused.
func loosened(base, head string, denies bool) (how, lost string) {
	b, h := clausesOf(base), clausesOf(head)
	if how := reversed(b, h); how != "" {
		return how, ""
	}
	// A condition that refuses lets more through when it holds less often.
	wide, narrow := "or", "and"
	if denies {
		wide, narrow = narrow, wide
	}
	joined := func(c clauses, word string) bool { return len(c.parts) == 1 || c.any == (word == "or") }
	missing, added := lacks(h.parts, b.parts), lacks(b.parts, h.parts)
	switch {
	case len(b.parts) > 1 && len(missing) == 0 && len(added) == 0 && joined(b, narrow) && joined(h, wide):
		return "with \"" + wide + "\" where it was \"" + narrow + "\"", ""
	case len(missing) > 0 && len(added) == 0 && joined(b, narrow) && joined(h, narrow) && len(h.parts) > 0:
		return "without a part of its condition", strings.Join(missing, " ")
	case len(added) > 0 && len(missing) == 0 && joined(b, wide) && joined(h, wide):
		return "with another way around its condition", ""
	case len(b.parts) > 1 && len(b.parts) == len(h.parts) && b.any != h.any && b.any == denies && kin(base, head) >= 0.5:
		return "with \"" + wide + "\" where it was \"" + narrow + "\"", ""
	case len(missing) == 1 && len(added) == 1 && len(b.parts) == len(h.parts):
		if m, a := clausesOf(missing[0]), clausesOf(added[0]); len(m.parts)+len(a.parts) > 2 {
			return loosened(missing[0], added[0], denies)
		}
	case !denies && len(b.parts) > 0 && len(missing) == len(b.parts) && constantTrue(head), denies && constantFalse(head):
		return "with a condition that is constant", ""
	}
	return "", ""
}

func constantTrue(s string) bool  { s = peel(s); return s == "True" || s == "true" || s == "1" }
func constantFalse(s string) bool { s = peel(s); return s == "False" || s == "false" || s == "0" }

// lacks are the parts of b that a doesn't have.
func lacks(a, b []string) []string {
	var out []string
	for _, p := range b {
		if !slices.Contains(a, p) {
			out = append(out, p)
		}
	}
	return out
}

// opposites are operators that turn a comparison around.
var opposites = [][2]string{{" == ", " != "}, {" === ", " !== "}, {" not in ", " in "}, {" is not ", " is "}, {" < ", " > "}, {" <= ", " >= "}, {" < ", " >= "}, {" > ", " <= "}}

// reversed says that one part is the opposite of what it was, and all others are the same.
func reversed(b, h clauses) string {
	if len(b.parts) != len(h.parts) || b.any != h.any && len(b.parts) > 1 {
		return ""
	}
	missing, added := lacks(h.parts, b.parts), lacks(b.parts, h.parts)
	if len(missing) != 1 || len(added) != 1 {
		return ""
	}
	if opposite(missing[0], added[0]) {
		return "with its condition reversed"
	}
	return ""
}

func opposite(a, b string) bool {
	bare := func(s string) (string, bool) {
		if rest, ok := strings.CutPrefix(s, "not "); ok {
			return peel(rest), true
		}
		if rest, ok := strings.CutPrefix(s, "!"); ok && !strings.HasPrefix(rest, "=") {
			return peel(rest), true
		}
		return s, false
	}
	x, negA := bare(a)
	y, negB := bare(b)
	if x == y && negA != negB {
		return true
	}
	if negA != negB {
		return false
	}
	for _, o := range opposites {
		if strings.Count(x, o[0]) == 1 && strings.Replace(x, o[0], o[1], 1) == y || strings.Count(x, o[1]) == 1 && strings.Replace(x, o[1], o[0], 1) == y {
			return true
		}
	}
	return false
}
