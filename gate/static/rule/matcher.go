package rule

import (
	"regexp/syntax"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/strict"
	"go.yaml.in/yaml/v3"
)

// matcherFields is what the keys of a matcher say, before it is checked.
type matcherFields struct {
	patterns  []*yaml.Node
	keywords  []string
	place     Place
	lines     int
	languages []gate.Language
	whole     bool
	signal    *yaml.Node
}

func (r *reader) matcherFields(m *matcherFields) []strict.Field {
	m.place, m.lines = PlaceSource, 1
	return []strict.Field{
		strict.Key("patterns", func(v *yaml.Node) {
			r.Items(v, "patterns", func(v *yaml.Node) { m.patterns = append(m.patterns, v) })
		}),
		strict.Key("signal", func(v *yaml.Node) { m.signal = v }),
		strict.Key("keywords", r.Texts("keywords", &m.keywords)),
		strict.Key("in", r.Word("place", places(), func(s string) { m.place = Place(s) })),
		strict.Key("lines", r.Integer("lines", 1, MaxLines, &m.lines)),
	}
}

// matcher checks the fields and makes a matcher of them; nil where there is
// nothing to match, or only a reference to a signal.
func (r *reader) matcher(n *yaml.Node, m *matcherFields) *Matcher {
	if m.signal != nil {
		if len(m.patterns) > 0 || len(m.keywords) > 0 {
			r.Fail(m.signal, "give either a signal or patterns, not both")
		}
		return &Matcher{Signal: m.signal.Value, Source: r.At(m.signal)}
	}
	if len(m.patterns) == 0 {
		return nil
	}
	out := &Matcher{Place: m.place, Lines: m.lines, Source: r.At(n), Checked: r.checked, table: r.table}
	for _, p := range m.patterns {
		if checkPattern(&r.Reader, p, r.checked) {
			out.Patterns = append(out.Patterns, p.Value)
		}
	}
	for _, k := range m.keywords {
		if len(k) < minKeyword {
			r.Fail(n, "keyword %q is shorter than %d bytes", k, minKeyword)
			continue
		}
		out.Keywords = append(out.Keywords, lower(k))
	}
	if len(out.Keywords) > maxKeywords {
		r.Fail(n, "%d keywords are more than %d", len(out.Keywords), maxKeywords)
	}
	return out
}

// checkPattern checks one regular expression. Whether it compiles is known where
// the rules were checked before.
func checkPattern(r *strict.Reader, n *yaml.Node, checked bool) bool {
	if n.Kind != yaml.ScalarNode || n.Value == "" {
		r.Fail(n, "a pattern must be a text, not %s", strict.Kind(n))
		return false
	}
	if len(n.Value) > maxPattern {
		r.Fail(n, "the pattern has %d bytes, at most %d are allowed", len(n.Value), maxPattern)
		return false
	}
	if checked {
		return true
	}
	re, err := syntax.Parse(placeholder.ReplaceAllString(n.Value, "x"), syntax.Perl)
	if err != nil {
		r.Fail(n, "%v (patterns are RE2: no look-around, no backreferences)", err)
		return false
	}
	if empty(re) {
		r.Fail(n, "the pattern %q matches the empty text", n.Value)
		return false
	}
	return true
}

// empty reports whether an expression can match without consuming anything.
func empty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText,
		syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary, syntax.OpStar, syntax.OpQuest:
		return true
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return !empty(s) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, empty)
	case syntax.OpCapture, syntax.OpPlus:
		return empty(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || empty(re.Sub[0])
	}
	return false
}
