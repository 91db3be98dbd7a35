package rule

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// Bounds of the literals that are drawn from patterns.
const (
	minDerived = 3  // bytes; shorter ones are everywhere
	maxDerived = 64 // alternatives of one pattern
	maxClass   = 6  // members of a class that is spelled out, enough for \s and [xX]
)

// WordStart is put before a literal that only counts where a word begins.
const WordStart = "\b"

// Literals returns texts, in lower case, of which at least one is part of every
// match of a pattern, or nil where there are none that are long enough. Some
// have [WordStart] before them.
func Literals(pattern string) []string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	out := slices.Clone(literals(re.Simplify()).best())
	for i, s := range out {
		plain := strings.ReplaceAll(s, WordStart, "")
		if strings.HasPrefix(s, WordStart) && isWord(plain[0]) {
			plain = WordStart + plain
		}
		out[i] = plain
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Unfilled returns a pattern with something that matches anything in the place
// of references to groups.
func Unfilled(pattern string) string { return placeholder.ReplaceAllString(pattern, "(?:.+)") }

func isWord(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z'
}

// literal is what is known about the texts that an expression matches.
type literal struct {
	exact []string // all that it can match, or nil where they are too many
	any   []string // one of these is part of every match, or nil
}

// best returns the better of the two sets if it is good enough.
func (l literal) best() []string {
	if score(l.exact) >= score(l.any) && score(l.exact) > 0 {
		return l.exact
	}
	if score(l.any) > 0 {
		return l.any
	}
	return nil
}

// score rates a set by its shortest member; 0 is useless.
func score(set []string) int {
	if len(set) == 0 || len(set) > maxDerived {
		return 0
	}
	shortest, common := maxPattern, false
	for _, s := range set {
		s = strings.ReplaceAll(s, WordStart, "")
		shortest = min(shortest, len(s))
		common = common || slices.Contains(everywhere, strings.Trim(s, " .(\"'="))
	}
	switch {
	case shortest < minDerived:
		return 0
	case common:
		return 1
	}
	return shortest*4 - len(set)/8
}

// everywhere are words that stand in most source files: better than nothing, and
// worse than anything else.
var everywhere = []string{"import", "from", "open", "require", "exec", "string", "function", "return", "print", "self",
	"const", "class", "http", "https", "http://", "https://", "name", "file", "path", "data", "true", "false", "none", "null",
	"this", "system", "process", "error", "type", "func", "byte", "read", "write", "echo", "code", "value", "key", "get",
	"set", "post", "for", "while", "if ", "then", "env", "export", "run", "sys", "call", "with", "len", "str", "int", "var", "let"}

func literals(re *syntax.Regexp) literal {
	switch re.Op {
	case syntax.OpLiteral:
		return literal{exact: []string{lower(string(re.Rune))}}
	case syntax.OpCharClass:
		return class(re)
	case syntax.OpWordBoundary:
		return literal{exact: []string{WordStart}}
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText,
		syntax.OpEndText, syntax.OpNoWordBoundary:
		return literal{exact: []string{""}}
	case syntax.OpCapture:
		return literals(re.Sub[0])
	case syntax.OpPlus:
		return literal{any: literals(re.Sub[0]).best()}
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literal{any: literals(re.Sub[0]).best()}
		}
	case syntax.OpQuest:
		if sub := literals(re.Sub[0]).exact; sub != nil && len(sub) < maxDerived {
			return literal{exact: append([]string{""}, sub...)}
		}
	case syntax.OpAlternate:
		return alternatives(re.Sub)
	case syntax.OpConcat:
		return sequence(re.Sub)
	}
	return literal{}
}

// class treats a small character class as its members.
func class(re *syntax.Regexp) literal {
	seen := map[string]bool{}
	var out []string
	for i := 0; i+1 < len(re.Rune); i += 2 {
		for c := re.Rune[i]; c <= re.Rune[i+1]; c++ {
			s := lower(string(c))
			if !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
			if len(out) > maxClass {
				return literal{}
			}
		}
	}
	return literal{exact: out}
}

func alternatives(subs []*syntax.Regexp) literal {
	var exact, any []string
	allExact, allAny := true, true
	for _, s := range subs {
		l := literals(s)
		if l.exact == nil || len(exact)+len(l.exact) > maxDerived {
			allExact = false
		} else {
			exact = append(exact, l.exact...)
		}
		if b := l.best(); b == nil {
			allAny = false
		} else {
			any = append(any, b...)
		}
	}
	var out literal
	if allExact {
		out.exact = exact
	}
	if allAny {
		out.any = any
	}
	return out
}

// sequence multiplies the exact sets of neighbours for as long as they stay
// small, and keeps the best set that it saw.
func sequence(subs []*syntax.Regexp) literal {
	run, whole := []string{""}, true
	var best []string
	offer := func(set []string) {
		if score(set) > score(best) {
			best = set
		}
	}
	extend := func(set []string) bool {
		if set == nil || len(run)*len(set) > maxDerived {
			return false
		}
		run = product(run, set)
		return true
	}
	restart := func(set []string) {
		whole = false
		offer(run)
		if run = set; run == nil {
			run = []string{""}
		}
	}
	for _, s := range subs {
		if once := repeated(s); once != nil { // what repeats is there at least once, next to both neighbours
			l := literals(once)
			extend(l.exact)
			restart(l.exact)
			offer(l.any)
			continue
		}
		l := literals(s)
		if extend(l.exact) {
			continue
		}
		restart(l.exact)
		offer(l.any)
	}
	offer(run)
	if whole {
		return literal{exact: run, any: best}
	}
	return literal{any: best}
}

// repeated returns what an expression repeats at least once, nil for others.
func repeated(re *syntax.Regexp) *syntax.Regexp {
	if re.Op == syntax.OpPlus || re.Op == syntax.OpRepeat && re.Min > 0 {
		return re.Sub[0]
	}
	return nil
}

func product(a, b []string) []string {
	out := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+y)
		}
	}
	return out
}

// lower changes the case of ASCII letters only, as the search for words does.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}
