package untested

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
)

// Bounds of what is read of one text.
const (
	maxText    = 1 << 20 // bytes; of longer ones nothing is read
	maxTests   = 2000    // of one text
	maxBody    = 32 << 10
	maxAbove   = 20 // lines above a test that may say something about it
	maxDefined = 3000
)

// text is a source text without its comments, and a copy without the contents of strings; both have
// the length of the source.
type text struct {
	lang       gate.Language
	bare, code string
	starts     []int // of lines
}

func newText(l gate.Language, src []byte) *text {
	if len(src) > maxText {
		src = nil
	}
	bare, code := slices.Clone(src), slices.Clone(src)
	blank := func(b []byte, from, to int) {
		for i := from; i < to; i++ {
			if b[i] != '\n' {
				b[i] = ' '
			}
		}
	}
	for _, s := range lex.Scan(l, src).Spans {
		if s.Class == lex.Comment {
			blank(bare, s.Start, s.End)
		}
		blank(code, s.Start, s.End)
	}
	t := &text{lang: l, bare: string(bare), code: string(code), starts: []int{0}}
	for i := range src {
		if src[i] == '\n' {
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

// row is the line of an offset, 0-based.
func (t *text) row(offset int) int {
	i, found := slices.BinarySearch(t.starts, offset)
	if !found {
		i--
	}
	return i
}

// line is one of them, without comments.
func (t *text) line(row int) string {
	end := len(t.bare)
	if row+1 < len(t.starts) {
		end = t.starts[row+1] - 1
	}
	return strings.TrimRight(t.bare[t.starts[row]:end], "\r")
}

// indent is how far a line is indented, -1 for a blank one.
func (t *text) indent(row int) int {
	l := t.line(row)
	bare := strings.TrimLeft(l, " \t")
	if bare == "" {
		return -1
	}
	return len(strings.ReplaceAll(l[:len(l)-len(bare)], "\t", "        "))
}

// block is the offset where what is indented below a line ends.
func (t *text) block(row int) int {
	from, end := t.indent(row), len(t.bare)
	for i := row + 1; i < len(t.starts); i++ {
		if n := t.indent(i); n >= 0 && n <= from {
			if strings.Trim(t.line(i), " \t)]};,") == "" || strings.HasPrefix(strings.TrimLeft(t.line(i), " \t"), ")") {
				continue // closes what the line opened
			}
			end = t.starts[i]
			break
		}
	}
	return end
}

// closing is the offset behind the bracket that closes the one at an offset.
func (t *text) closing(open int) int {
	depth := 0
	for i := open; i < len(t.code); i++ {
		switch t.code[i] {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		}
	}
	return len(t.code)
}

// test is one test of a text.
type test struct {
	name string
	line int // 1-based
	body string
	// said is what comes before it, or between its name and its body.
	said string
	// off says how it is switched off; empty where it runs.
	off string
	// only says that it is marked as the only one that runs.
	only bool
	// found says that the runner takes it for a test by its name.
	found bool
}

var (
	pythonTest  = regexp.MustCompile(`(?m)^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)[ \t]*\(`)
	pythonClass = regexp.MustCompile(`^\s*class\s+(\w+)\s*(?:\(([^)]*)\))?`)
	scriptTest  = regexp.MustCompile(`(?m)(?:^|[^\w.$])([xf]?)(it|test|specify|describe|suite|context)((?:\.\w+(?:\([^()\n]*\))?)*)[ \t]*\(\s*(["'\x60])`)
	goTest      = regexp.MustCompile(`(?m)^func[ \t]+(?:\([^)\n]*\)[ \t]*)?(\w+)[ \t]*\([^)\n]*\*testing\.[TF]\)[ \t]*\{`)
	goSubtest   = regexp.MustCompile(`\bt\.Run\(\s*"`)
	marked      = regexp.MustCompile(`(?m)^[ \t]*(?:@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest)\b|\[(?:Fact|Theory|Test|TestCase|TestMethod)\b|#\[(?:\w+::)*test\b)`)
	named       = regexp.MustCompile(`([A-Za-z_]\w*|\x60[^\x60\n]+\x60)\s*(?:<[^>\n]*>)?\s*\(`)
	phpTest     = regexp.MustCompile(`(?m)^[ \t]*(?:(?:public|final)\s+)*function\s+(\w+)\s*\(`)
	rubyTest    = regexp.MustCompile(`(?m)^[ \t]*(?:def[ \t]+(\w+)|([xfp]?)(?:it|specify|example|scenario|test)[ \t(]+["'])`)
	annotation  = regexp.MustCompile(`^\s*(?:@|\[|#\[|\)|[\w.]+ ?= ?|["'])`)
)

// Knows reports whether tests of a language are read.
func Knows(l gate.Language) bool {
	switch l {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo, gate.LanguageJava, gate.LanguageKotlin,
		gate.LanguageCSharp, gate.LanguageRust, gate.LanguagePHP, gate.LanguageRuby:
		return true
	}
	return false
}

// tests returns what looks like a test, also where no runner finds it.
func (t *text) tests() []test {
	var out []test
	switch t.lang {
	case gate.LanguagePython:
		out = t.pythonTests()
	case gate.LanguageJavaScript, gate.LanguageTypeScript:
		out = t.scriptTests()
	case gate.LanguageGo:
		out = t.goTests()
	case gate.LanguageRuby:
		out = t.rubyTests()
	case gate.LanguagePHP:
		for _, m := range phpTest.FindAllStringSubmatchIndex(t.code, maxTests) {
			name := t.code[m[2]:m[3]]
			out = append(out, t.braced(m[0], m[1]-1, name, strings.HasPrefix(name, "test")))
		}
	case gate.LanguageJava, gate.LanguageKotlin, gate.LanguageCSharp, gate.LanguageRust:
		out = t.markedTests()
	}
	for i := range out {
		out[i].off = offBy(t.lang, out[i])
	}
	return out
}

func (t *text) pythonTests() []test {
	var out []test
	for _, m := range pythonTest.FindAllStringSubmatchIndex(t.code, maxTests) {
		row, name := t.row(m[2]), t.code[m[2]:m[3]]
		x := test{name: name, line: row + 1, said: t.above(row), found: strings.HasPrefix(name, "test")}
		signature := min(t.closing(m[1]-1), len(t.bare))
		if colon := strings.IndexByte(t.code[signature:], ':'); colon >= 0 {
			signature += colon + 1
		}
		x.body = clip(t.bare[signature:max(signature, t.block(t.row(signature-1)))])
		if own := t.block(row); own > signature {
			x.body = clip(t.bare[signature:own])
		}
		depth := t.indent(row)
		for i := row - 1; i >= 0 && depth > 0; i-- {
			if n := t.indent(i); n < 0 || n >= depth {
				continue
			}
			if depth = t.indent(i); strings.HasPrefix(strings.TrimLeft(t.line(i), " \t"), "def ") {
				x.found = false // a function in a function
			}
			if c := pythonClass.FindStringSubmatch(t.line(i)); c != nil {
				x.name = c[1] + "." + x.name
				x.said += "\n" + t.above(i)
				x.found = x.found && (strings.HasPrefix(c[1], "Test") || strings.Trim(c[2], " ") != "" && c[2] != "object")
			}
		}
		out = append(out, x)
	}
	return out
}

// above is what decorates a line: the lines above it that begin with a mark of a decorator or an
// annotation, or belong to one.
func (t *text) above(row int) string {
	at := row
	for i := row - 1; i >= max(0, row-maxAbove); i-- {
		l, depth := t.line(i), t.indent(i)
		if depth < 0 || depth < t.indent(row) || depth == t.indent(row) && !annotation.MatchString(l) {
			break
		}
		if depth == t.indent(row) {
			at = i
		}
	}
	return t.bare[t.starts[at]:t.starts[row]]
}

func (t *text) scriptTests() []test {
	type group struct {
		end        int
		name, said string
		only       bool
	}
	var out []test
	var open []group
	for _, m := range scriptTest.FindAllStringSubmatchIndex(t.bare, maxTests) {
		if t.code[m[4]] == ' ' {
			continue // in a string
		}
		for len(open) > 0 && open[len(open)-1].end <= m[0] {
			open = open[:len(open)-1]
		}
		before, word, how := t.bare[m[2]:m[3]], t.bare[m[4]:m[5]], t.bare[m[6]:m[7]]
		paren := m[7] + strings.IndexByte(t.bare[m[7]:], '(')
		end := t.closing(paren)
		title := t.bare[m[8]+1:]
		if i := strings.IndexByte(title, t.bare[m[8]]); i >= 0 {
			title = title[:i]
		}
		said := strings.TrimSpace(before + " " + how)
		only := before == "f" || strings.Contains(how, ".only")
		if word == "describe" || word == "suite" || word == "context" {
			g := group{end: end, name: title, said: said, only: only}
			if len(open) > 0 {
				up := open[len(open)-1]
				g.name, g.said, g.only = up.name+" "+title, up.said+" "+said, only || up.only
			}
			open = append(open, g)
			continue
		}
		x := test{name: title, line: t.row(m[4]) + 1, said: said, only: only, found: true}
		if i := strings.IndexByte(t.code[paren:end], '{'); i >= 0 {
			x.body = clip(t.bare[paren+i+1 : max(paren+i+1, end-1)])
		} else {
			x.body = clip(t.bare[paren:end])
		}
		if len(open) > 0 {
			up := open[len(open)-1]
			x.name, x.said, x.only = up.name+" "+title, up.said+" "+said, only || up.only
		}
		out = append(out, x)
	}
	return out
}

func (t *text) goTests() []test {
	var out []test
	for _, m := range goTest.FindAllStringSubmatchIndex(t.code, maxTests) {
		name := t.code[m[2]:m[3]]
		found := false
		for _, kind := range []string{"Test", "Fuzz"} {
			rest, ok := strings.CutPrefix(name, kind)
			found = found || ok && (rest == "" || rest[0] < 'a' || rest[0] > 'z')
		}
		x := t.braced(m[2], m[1]-1, name, found)
		out = append(out, x)
		from, end := m[1], t.closing(m[1]-1)
		for _, s := range goSubtest.FindAllStringIndex(t.bare[from:end], maxTests) {
			at := from + s[1]
			title, _, _ := strings.Cut(t.bare[at:end], `"`)
			call := t.closing(from + s[0] + strings.IndexByte(t.bare[from+s[0]:end], '('))
			if open := strings.Index(t.code[at:call], ") {"); open >= 0 {
				out = append(out, t.braced(from+s[0], at+open+2, name+"/"+title, found))
			}
		}
	}
	return out
}

// braced is the test whose body begins with the first brace from an offset on.
func (t *text) braced(at, from int, name string, found bool) test {
	row := t.row(at)
	x := test{name: name, line: row + 1, said: t.above(row), found: found}
	if i := strings.IndexByte(t.code[from:], '{'); i >= 0 {
		x.body = clip(t.bare[from+i+1 : max(from+i+1, t.closing(from+i)-1)])
	}
	return x
}

func (t *text) markedTests() []test {
	var out []test
	for _, m := range marked.FindAllStringIndex(t.code, maxTests) {
		first := t.row(m[1] - 1)
		row := first
		for row < len(t.starts) && (t.indent(row) < 0 || annotation.MatchString(t.line(row))) {
			row++
		}
		if row >= len(t.starts) {
			continue
		}
		at := t.starts[row]
		n := named.FindStringSubmatchIndex(t.code[at:])
		if n == nil {
			continue
		}
		x := t.braced(at+n[2], t.closing(at+n[1]-1), t.code[at+n[2]:at+n[3]], true)
		x.said = t.above(first) + t.bare[t.starts[first]:at]
		out = append(out, x)
	}
	return out
}

func (t *text) rubyTests() []test {
	var out []test
	for _, m := range rubyTest.FindAllStringSubmatchIndex(t.bare, maxTests) {
		if strings.TrimSpace(t.code[m[0]:m[1]]) == "" {
			continue // in a string
		}
		row := t.row(m[1] - 1)
		x := test{line: row + 1, found: true}
		if m[2] >= 0 {
			x.name = t.bare[m[2]:m[3]]
			x.found = strings.HasPrefix(x.name, "test_")
		} else {
			x.said = t.bare[m[4]:m[5]]
			x.only = x.said == "f"
			x.name, _, _ = strings.Cut(t.bare[m[1]:], t.bare[m[1]-1:m[1]])
		}
		end := t.block(row)
		if row+1 < len(t.starts) {
			x.body = clip(t.bare[t.starts[row+1]:max(t.starts[row+1], end)])
		}
		out = append(out, x)
	}
	return out
}

func clip(s string) string { return s[:min(len(s), maxBody)] }

// plain is a text in which blanks say nothing.
func plain(s string) string { return strings.Join(strings.Fields(s), " ") }

var defined = regexp.MustCompile(`^\s*(?:(?:export|default|async|public|private|protected|internal|static|pub(?:\(\w+\))?|unsafe|final|abstract|override|inline|virtual|suspend|open)\s+)*` +
	`(?:(?:def|function|func|fn|fun|class|module)\s*\*?\s+(?:\([^)]*\)\s*)?(?:self\.)?([A-Za-z_$][\w$]*)|` +
	`(?:const|let|var|val)\s+([A-Za-z_$][\w$]*)\s*(?::[^=\n]*)?=|` +
	`([A-Za-z_$][\w$]*)\s*(?::[^=\n]*)?=[^=]|` +
	`(?:[\w<>\[\],.?]+\s+)?([A-Za-z_$][\w$]*)\s*\([^;\n]*\)\s*(?::[^{\n]+|throws [\w, ]+)?\{)`)

// definitions are the functions, methods, classes and values at the top of a text by their names,
// each with its text. Those with one name are together.
func (t *text) definitions() map[string]string {
	out := map[string]string{}
	for row := range t.starts {
		if len(out) >= maxDefined {
			break
		}
		m := defined.FindStringSubmatch(t.line(row))
		if m == nil || t.indent(row) > 0 && m[2]+m[3] != "" {
			continue
		}
		name := strings.Join(m[1:], "")
		if keyword[name] {
			continue
		}
		out[name] += plain(clip(t.bare[t.starts[row]:t.block(row)])) + "\n"
	}
	return out
}

var keyword = map[string]bool{"if": true, "for": true, "while": true, "switch": true, "catch": true, "return": true, "else": true, "with": true, "match": true, "try": true, "constructor": true, "new": true}

// stem is the name of a file without what says its type.
func stem(name string) string {
	base, _, _ := strings.Cut(path.Base(name), ".")
	return base
}
