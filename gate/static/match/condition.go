package match

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/static/rule"
)

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
	if len(c.Any) > 0 {
		return slices.ContainsFunc(c.Any, func(one rule.Condition) bool { return r.holds(one, f, doubt) })
	}
	if c.OnImport {
		return r.graph() != nil && r.graph().OnImport(f.start)
	}
	m := c.Matcher
	if !speaks(m.Languages, r.Language) {
		return false
	}
	p := r.engine.patterns[m]
	switch {
	case c.Captures:
		return r.captured(c, f, doubt)
	case c.NewHost && r.NewHost == nil, c.NewPackage && r.NewPackage == nil:
		return false
	case c.Within == rule.WithinFile && (c.NewHost || c.NewPackage):
		return r.namesNew(c, p, doubt)
	case c.Within == rule.WithinFile:
		return r.matches(p, doubt)
	case c.Within == rule.WithinFlow, c.Within == rule.WithinGuard:
		return r.flows(c, p, f, doubt)
	}
	view := r.source(m.Place)
	w := around(view, f, c.Within)
	for i := range m.Patterns {
		if !r.spend(w, true) {
			return doubt
		}
		for _, o := range r.search(&p.exprs[i], m.Place, view, w) {
			if host, ok := r.counts(c, view, o); ok {
				r.host = cmp.Or(host, r.host)
				return true
			}
		}
	}
	return false
}

// counts reports whether a match of a condition's pattern is one that it asks for,
// and the new host that it names, if it asks for one.
func (r *run) counts(c rule.Condition, view []byte, f found) (host string, ok bool) {
	if c.NewPackage {
		name := string(view[f.host.start:f.host.end])
		return "", name != "" && r.NewPackage(name)
	}
	if !c.NewHost {
		return "", true
	}
	host = string(view[f.host.start:f.host.end])
	if inExpression(r.Language, view, f.host.start) || inUsage(r.Language, view, f.host.start) {
		return "", false
	}
	return host, host != "" && r.NewHost(host)
}

// inExpression reports whether a place is in an expression of a workflow, such as
// ${{ steps.a.outputs.b }}: the runner puts a value there before a shell reads the line, and the dots
// are those of members. What is quoted in it is text. To a shell itself it is an error.
func inExpression(lang gate.Language, view []byte, at int) bool {
	switch lang {
	case gate.LanguageShell, gate.LanguageWorkflow, gate.LanguageYAML:
	default:
		return false
	}
	line := view[bytes.LastIndexByte(view[:at], '\n')+1 : at]
	begin := bytes.LastIndex(line, []byte("${{"))
	if begin < 0 {
		return false
	}
	inside := line[begin:]
	return !bytes.Contains(inside, []byte("}}")) && bytes.Count(inside, []byte("'"))%2 == 0
}

// namesNew reports whether a pattern matches a new host anywhere in the text.
func (r *run) namesNew(c rule.Condition, p *pattern, doubt bool) bool {
	var walk walk
	for f := range r.each(p, &walk) {
		if host, ok := r.counts(c, r.source(p.matcher.Place), f); ok {
			r.host = host
			return true
		}
	}
	return walk.stopped && doubt
}

// around is the lines of a match and so many before and behind it.
func around(view []byte, f found, lines int) window {
	return window{lineStart(view, f.start, lines+1), lineEnd(view, max(f.start, f.end-1), lines+1)}
}

// maxDynamic bounds how many different expressions one text can make the
// engine compile.
const maxDynamic = 2000

// dynamic are the expressions of one text that were made by filling in groups,
// and what is known about them.
type dynamic struct {
	exprs  map[string]*lazyExpr
	inFile map[dynamicKey]bool
}

type dynamicKey struct {
	matcher *rule.Matcher
	text    string
}

// expression makes a filled-in pattern once, nil where the bound is reached. It takes that of
// another text of the file where there is one.
func (d *dynamic) expression(text string, of *Budget) *lazyExpr {
	if e, ok := d.exprs[text]; ok {
		return e
	}
	if len(d.exprs) >= maxDynamic {
		return nil
	}
	if d.exprs == nil {
		d.exprs, d.inFile = map[string]*lazyExpr{}, map[dynamicKey]bool{}
	}
	e := of.expression(text)
	d.exprs[text] = e
	return e
}

// captured looks for a pattern that refers to groups of the match.
func (r *run) captured(c rule.Condition, f found, doubt bool) bool {
	view := r.source(c.Matcher.Place)
	words, counted := r.program.slot[r.engine.patterns[c.Matcher]]
	if counted = counted && c.Within == rule.WithinFile; counted && !holdsWords(r.near, words) {
		return false
	}
	for i, pattern := range c.Matcher.Patterns {
		text, name, ok := fill(pattern, view, f)
		if !ok {
			continue
		}
		made := len(r.dynamic.exprs)
		expr := r.dynamic.expression(text, r.Budget)
		if expr == nil || len(r.dynamic.exprs) > made && !r.pay(perExpression) {
			return doubt
		}
		if c.Within != rule.WithinFile || name == "" {
			w := around(view, f, max(c.Within, 0))
			if !r.spend(w, true) {
				return doubt
			}
			if len(r.search(expr, c.Matcher.Place, view, w)) > 0 {
				return true
			}
			continue
		}
		var near [2][]int32
		if counted && (words.named >= 0 || len(words.exprs[i]) > 0) {
			near[0], near[1] = r.words(words, i)
		}
		if r.anywhere(c.Matcher, text, expr, view, name, near, doubt) {
			return true
		}
	}
	return false
}

// fewWords is how many places of words are looked at for a name, rather than the whole text.
const fewWords = 64

// anywhere runs a filled-in expression around the places where a name occurs,
// once for each text. near are the ends of the pattern's own words, as [run.words] has them.
func (r *run) anywhere(m *rule.Matcher, text string, expr *lazyExpr, view []byte, name string, near [2][]int32, doubt bool) bool {
	key := dynamicKey{m, text}
	if yes, done := r.dynamic.inFile[key]; done {
		return yes
	}
	yes := false
	ends, named := near[0], near[1]
	few := len(ends) > 0 && len(ends) <= fewWords
	if !few {
		ends = r.occurrences(view, name)
	}
	for w := range windows(view, ends, m.Lines) {
		if named != nil && !w.holds(named) || few && !bytes.Contains(view[w.start:w.end], []byte(name)) {
			r.pay(1)
			continue
		}
		if !r.spend(w, true) {
			return doubt
		}
		if len(r.search(expr, m.Place, view, w)) > 0 {
			yes = true
			break
		}
	}
	r.dynamic.inFile[key] = yes
	return yes
}

// occurrences returns the ends of a word in a text, each of which costs what it
// takes to find it.
func (r *run) occurrences(text []byte, word string) []int32 {
	r.pay(len(text) / siftedSpeed)
	var out []int32
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(word))
		if i < 0 {
			return out
		}
		from += i + len(word)
		out = append(out, int32(from))
	}
}

// fill puts the groups of a match into a pattern. It reports false where the
// match has no such group, or an empty one. name is the first of them.
func fill(pattern string, view []byte, f found) (text, name string, ok bool) {
	text = pattern
	for g := 1; g <= 9; g++ {
		mark := "{{" + string(rune('0'+g)) + "}}"
		if !strings.Contains(text, mark) {
			continue
		}
		if 2*g+1 >= len(f.groups) || f.groups[2*g] < 0 || f.groups[2*g] == f.groups[2*g+1] {
			return "", "", false
		}
		value := string(view[f.groups[2*g]:f.groups[2*g+1]])
		if name == "" {
			name = value
		}
		text = strings.ReplaceAll(text, mark, regexp.QuoteMeta(value))
	}
	return text, name, true
}
