package weakening

import (
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/dfa"
	"github.com/aigate/gate/gate/source/tokens"
)

// stmt is one statement in one form, with its place in the text.
type stmt struct {
	text        string
	first, last int // lines, from 1 on
	// depth is how far it is nested: blanks in Python, braces elsewhere.
	depth int
}

// unit is a function, a handler or a class; the one with the name "" is the module.
type unit struct {
	path  string
	lang  gate.Language
	name  string // with the names around it, joined with "."
	class bool
	// stmts are its statements with its head and decorators, without those of the units in it.
	stmts  []stmt
	heads  int // how many of stmts belong to the head
	parent *unit
}

// short is the name without the names around it.
func (u *unit) short() string { return u.name[strings.LastIndexByte(u.name, '.')+1:] }

// line is where the unit begins, 1 for an empty one.
func (u *unit) line() int {
	if len(u.stmts) == 0 {
		return 1
	}
	return u.stmts[max(u.heads-1, 0)].first
}

// same reports whether two units have the same statements.
func (u *unit) same(o *unit) bool {
	return slices.EqualFunc(u.stmts, o.stmts, func(a, b stmt) bool { return a.text == b.text })
}

// opened is a block that statements are in.
type opened struct {
	depth int
	unit  *unit // that begins with it, nil for another block
}

// splitter makes units of statements.
type splitter struct {
	lang    gate.Language
	path    string
	units   []*unit
	open    []opened
	waiting []stmt // decorators
	depth   int
}

// read splits a text into units. It is false for a text that it doesn't know how to read.
func read(l gate.Language, path string, src []byte) ([]*unit, bool) {
	if byLine(l) {
		u := lines(l, path, string(src))
		if u == nil {
			return nil, false
		}
		return []*unit{u}, true
	}
	t, ok := tokens.Read(l, src)
	if !ok {
		return nil, false
	}
	s := &splitter{lang: l, path: path, units: []*unit{{path: path, lang: l}}}
	for _, st := range t.Statements {
		if isRemark(st) {
			continue
		}
		if l == gate.LanguagePython {
			s.indented(st)
		} else {
			s.braced(st)
		}
	}
	s.flush()
	return s.units, true
}

// isRemark reports whether a statement is a comment on lines of its own. The reader keeps
// those that could be code for a lexer that is mistaken. Whatever it took for something
// else before, such a comment runs only within a template: with a substitution in it, or
// with a backtick that ends it.
func isRemark(st tokens.Statement) bool {
	if len(st.Tokens) != 1 || st.Tokens[0].Kind != tokens.Remark {
		return false
	}
	text := st.Tokens[0].Text
	if strings.Contains(text, "${") {
		return false
	}
	for line := range strings.Lines(text) {
		if strings.Count(line, "`")%2 != 0 {
			return false
		}
	}
	return true
}

// current is the innermost unit that is open.
func (s *splitter) current() *unit {
	for _, o := range slices.Backward(s.open) {
		if o.unit != nil {
			return o.unit
		}
	}
	return s.units[0]
}

func (s *splitter) flush() {
	u := s.current()
	u.stmts = append(u.stmts, s.waiting...)
	s.waiting = nil
}

// begin opens a unit whose head is a statement.
func (s *splitter) begin(name string, class bool, head stmt) *unit {
	parent := s.current()
	full := name
	if parent.name != "" {
		full = parent.name + "." + name
	}
	u := &unit{path: s.path, lang: s.lang, name: full, class: class, parent: parent}
	u.stmts = append(s.waiting, head)
	u.heads, s.waiting = len(u.stmts), nil
	s.units = append(s.units, u)
	return u
}

func (s *splitter) add(st stmt) {
	s.flush()
	u := s.current()
	u.stmts = append(u.stmts, st)
}

// width is how far a line is indented; a tab goes to the next multiple of eight.
func width(indent string) int {
	n := 0
	for _, c := range indent {
		if c == '\t' {
			n += 8 - n%8
		} else {
			n++
		}
	}
	return n
}

var pythonHead = dfa.MustCompile(`^(?:async )?(def|class) ?(\w+)`)

func (s *splitter) indented(st tokens.Statement) {
	now := stmt{st.String(), st.First, st.Last, width(st.Indent())}
	for len(s.open) > 0 && now.depth <= s.open[len(s.open)-1].depth {
		s.flushInto()
	}
	if strings.HasPrefix(now.text, "@") {
		s.waiting = append(s.waiting, now)
		return
	}
	if m := pythonHead.FindStringSubmatch(now.text); m != nil {
		s.open = append(s.open, opened{now.depth, s.begin(m[2], m[1] == "class", now)})
		return
	}
	s.add(now)
}

// flushInto closes the innermost block.
func (s *splitter) flushInto() {
	s.flush()
	s.open = s.open[:len(s.open)-1]
}

func (s *splitter) braced(st tokens.Statement) {
	now := stmt{text: st.String(), first: st.First, last: st.Last}
	opens, lowest := 0, 0
	for _, t := range st.Tokens {
		if t.Kind != tokens.Mark {
			continue
		}
		switch t.Text {
		case "{":
			opens++
		case "}":
			opens--
			lowest = min(lowest, opens)
		}
	}
	for range -lowest {
		s.depth = max(0, s.depth-1)
		for len(s.open) > 0 && s.open[len(s.open)-1].depth >= s.depth {
			s.flushInto()
		}
	}
	now.depth = s.depth
	if strings.Trim(now.text, "})];, ") == "" {
		return
	}
	rest := opens - lowest
	if s.lang != gate.LanguageGo && strings.HasPrefix(now.text, "@") && rest == 0 {
		s.waiting = append(s.waiting, now)
		return
	}
	name, class := headOf(s.lang, now.text)
	switch {
	case name != "" && (rest > 0 || short(now.text)):
		u := s.begin(name, class, now)
		if rest > 0 {
			s.open = append(s.open, opened{s.depth, u})
		}
	default:
		s.add(now)
	}
	s.depth += rest
}

// short reports whether one line holds a whole function.
func short(text string) bool { return strings.Contains(text, "=>") || strings.HasSuffix(text, "}") }

var (
	goHead     = dfa.MustCompile(`^func ?(?:\([^()]*?\*? ?(\w+)(?:\[[^\]]*\])?\) ?)?(\w+) ?[(\[]`)
	jsFunction = dfa.MustCompile(`\bfunction ?\*? ?(\w+) ?[(<]`)
	jsClass    = dfa.MustCompile(`^(?:export )?(?:default )?(?:abstract )?class (\w+)`)
	jsAssigned = dfa.MustCompile(`^(?:export )?(?:default )?(?:const |let |var |(?:public|private|protected|static|readonly) )*(?:[\w$]+\.)*([\w$#]+)(?: ?: ?[^=]*?)? ?[=:] ?(?:[\w$.]+\( ?)?(?:async ?)?(?:<[^=>()]*> ?)?(?:function|\([^;]*?\) ?(?::[^=]+)?=>|[\w$]+ ?=>)`)
	jsMethod   = dfa.MustCompile(`^(?:(?:public|private|protected|static|override|async|get|set|export|default) ?)*[*#]? ?([\w$]+) ?(?:<[^>]*> ?)?\((?:[^;]|\{[^{}]*\})*\) ?(?::[^{]+)?\{`) // a type in braces may hold semicolons
	// registered is a handler that a call is given: its name is the call with its first text.
	registered = dfa.MustCompile("([\\w$]+) ?\\(\\s*([\"'`][^\"'`]*[\"'`])?.*(?:=> ?\\{|function ?\\*?\\w* ?\\([^)]*\\) ?\\{|func ?\\([^{]*\\{)$")
)

// headOf returns the name of the function or class that a statement begins, "" for none.
func headOf(l gate.Language, text string) (name string, class bool) {
	if l == gate.LanguageGo {
		if m := goHead.FindStringSubmatch(text); m != nil {
			if m[1] != "" {
				return m[1] + "." + m[2], false
			}
			return m[2], false
		}
		return handlerOf(text), false
	}
	if m := jsClass.FindStringSubmatch(text); m != nil {
		return m[1], true
	}
	if m := jsFunction.FindStringSubmatch(text); m != nil && !strings.Contains(text[:strings.Index(text, m[0])], "(") {
		return m[1], false
	}
	if m := jsAssigned.FindStringSubmatch(text); m != nil {
		return m[1], false
	}
	if m := jsMethod.FindStringSubmatch(text); m != nil && !control[m[1]] {
		return m[1], false
	}
	return handlerOf(text), false
}

var control = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "catch": true, "with": true, "return": true, "else": true, "do": true, "try": true, "function": true}

func handlerOf(text string) string {
	m := registered.FindStringSubmatch(text)
	if m == nil || m[2] == "" || control[m[1]] {
		return ""
	}
	return m[1] + " " + m[2]
}
