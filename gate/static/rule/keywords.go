package rule

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aigate/gate/gate/source/char"
)

// Bounds of the literals that are drawn from patterns.
const (
	minDerived = 3  // bytes; shorter ones are everywhere
	maxDerived = 64 // alternatives of one pattern
	maxClass   = 6  // members of a class that is spelled out, enough for \s and [xX]
)

// WordStart is put before a literal that only counts where a word begins.
const WordStart = "\b"

// maxSets bounds the sets of one pattern. Each costs a little everywhere, so that
// more is not better.
const maxSets = 3

// Literals returns sets of texts, in lower case. Every match of a pattern has one
// text of each set in it, and the pattern is tried only around those of the set
// that the text has fewest of. There is no set where none is long enough. Some
// texts have [WordStart] before them.
func Literals(pattern string) [][]string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	l := literals(re.Simplify())
	sets := append([][]string{l.best()}, l.all...)
	slices.SortStableFunc(sets[1:], func(a, b []string) int { return score(b) - score(a) })
	var out, known [][]string
	for i, set := range sets {
		if i > 0 && score(set) <= 1 || len(out) == maxSets {
			break
		}
		trimmed := normalised(set, true)
		if i > 0 && (trimmed == nil || slices.ContainsFunc(known, func(k []string) bool { return slices.Equal(k, trimmed) })) {
			continue
		}
		if i == 0 {
			set = normalised(set, false)
		} else {
			set = trimmed
		}
		if known = append(known, trimmed); len(set) > 0 {
			out = append(out, set)
		}
	}
	return out
}

// normalised makes a set as [Literals] gives it. Blanks at the ends of a text are
// left out where trim is set: patterns see lines joined, keywords don't.
func normalised(set []string, trim bool) []string {
	out := slices.Clone(set)
	for i, s := range out {
		if trim {
			s = strings.TrimFunc(s, unicode.IsSpace)
		}
		plain := strings.ReplaceAll(s, WordStart, "")
		if plain != "" && strings.HasPrefix(s, WordStart) && char.IsASCIIWord(plain[0]) {
			plain = WordStart + plain
		}
		out[i] = plain
	}
	slices.Sort(out)
	if trim && slices.ContainsFunc(out, func(s string) bool {
		return len(strings.TrimPrefix(s, WordStart)) < minDerived || strings.ContainsFunc(s, unicode.IsSpace)
	}) {
		return nil
	}
	return slices.Compact(out)
}

// Unfilled returns a pattern with something that matches anything in the place
// of references to groups.
func Unfilled(pattern string) string { return placeholder.ReplaceAllString(pattern, "(?:.+)") }

// literal is what is known about the texts that an expression matches.
type literal struct {
	exact []string   // all that it can match, or nil where they are too many
	any   []string   // one of these is part of every match, or nil
	all   [][]string // as any, and more of them
}

// every are all sets of which a member is part of every match.
func (l literal) every() [][]string {
	out := slices.Clone(l.all)
	for _, set := range [][]string{l.exact, l.any} {
		if score(set) > 0 {
			out = append(out, set)
		}
	}
	return out
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

// inside is what is known about texts that hold one that l is known of.
func (l literal) inside() literal { return literal{any: l.best(), all: l.every()} }

// score rates a set by its shortest member; 0 is useless.
func score(set []string) int {
	if len(set) == 0 || len(set) > maxDerived {
		return 0
	}
	shortest, common := maxPattern, false
	for _, s := range set {
		starts := strings.Count(s, WordStart)
		shortest = min(shortest, len(s)-starts)
		if common || len(s)-starts > maxCommon {
			continue
		}
		if starts > 0 {
			s = strings.ReplaceAll(s, WordStart, "")
		}
		common = everywhere[strings.Trim(s, " \t\n\r\f.(\"'=")]
	}
	switch {
	case shortest < minDerived:
		return 0
	case common:
		return 1
	}
	return shortest*4 - len(set)/8
}

// everywhere are words that are in most source files: better than nothing, and
// worse than anything else.
var everywhere = map[string]bool{
	"import": true, "from": true, "open": true, "require": true, "exec": true, "string": true, "function": true,
	"return": true, "print": true, "self": true, "const": true, "class": true, "http": true, "https": true,
	"http://": true, "https://": true, "name": true, "file": true, "path": true, "data": true, "true": true,
	"false": true, "none": true, "null": true, "this": true, "system": true, "process": true, "error": true,
	"type": true, "func": true, "byte": true, "read": true, "write": true, "echo": true, "code": true, "value": true,
	"key": true, "get": true, "set": true, "post": true, "for": true, "while": true, "if ": true, "then": true,
	"env": true, "export": true, "run": true, "sys": true, "call": true, "with": true, "len": true, "str": true,
	"int": true, "var": true, "let": true,
}

// maxCommon is longer than any of them with its surroundings.
const maxCommon = 16 // bytes

func literals(re *syntax.Regexp) literal {
	switch re.Op {
	case syntax.OpLiteral:
		return literalOf(re)
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
		return literals(re.Sub[0]).inside()
	case syntax.OpRepeat:
		if re.Min > 0 {
			return literals(re.Sub[0]).inside()
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

// literalOf is the text of a literal. Where case doesn't count, only its stretches
// of ASCII are known: a text is searched in any case of those alone.
func literalOf(re *syntax.Regexp) literal {
	text := lower(string(re.Rune))
	high := func(r rune) bool { return r >= utf8.RuneSelf }
	if re.Flags&syntax.FoldCase == 0 || !strings.ContainsFunc(text, high) {
		return literal{exact: []string{text}}
	}
	longest := ""
	for stretch := range strings.FieldsFuncSeq(text, high) {
		if len(stretch) > len(longest) {
			longest = stretch
		}
	}
	if longest == "" {
		return literal{}
	}
	return literal{any: []string{longest}}
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
	var all [][]string
	offer := func(set []string) {
		if score(set) > 0 {
			all = append(all, set)
		}
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
			all = append(all, l.all...)
			continue
		}
		l := literals(s)
		all = append(all, l.all...)
		if extend(l.exact) {
			continue
		}
		restart(l.exact)
		offer(l.any)
	}
	offer(run)
	if whole {
		return literal{exact: run, any: best, all: all}
	}
	return literal{any: best, all: all}
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
