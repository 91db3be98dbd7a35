package moved

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// maxChain is the most bytes in front of a key that are a part of the expression that reads it.
const maxChain = 400

// Reader writes addresses into programs.
type Reader struct {
	values []reading
}

// reading is a value with what reads it.
type reading struct {
	Value
	lower    []byte         // the key, to look for it
	template *regexp.Regexp // text with a mark that stands for the value
	variable *regexp.Regexp // a variable of a shell
	assigned *regexp.Regexp // a line that gives that variable another value
	access   *regexp.Regexp // the end of an expression
}

// NewReader returns what finds where programs read some values.
func NewReader(values []Value) *Reader {
	r := &Reader{}
	for _, v := range values {
		k := regexp.QuoteMeta(v.Key)
		key := `(?i:` + strings.NewReplacer("-", "[-_]", "_", "[-_]").Replace(k) + `)`
		path := `(?:[\w.-]*[.:/])?` + key
		r.values = append(r.values, reading{
			Value: v, lower: bytes.ToLower([]byte(v.Key)),
			template: regexp.MustCompile(`\$?\{\{-?\s*[\w.$-]*\b` + key + `\b[^{}\n]*\}\}|@` + k + `@|%` + k + `%|\$(?i:env):` + k + `\b|<%=\s*[\w.@]*\b` + k + `\s*%>`),
			variable: regexp.MustCompile(`\$\{` + k + `(?::?[-=?+][^{}\n]*)?\}|\$` + k + `\b|\$\(` + k + `\)`),
			assigned: regexp.MustCompile(`(?m)^[ \t]*(?:(?:export|local|readonly|declare|typeset)[ \t]+(?:-\w+[ \t]+)*)?` + k + `[ \t]*(?::|\?|\+)?=[ \t]*["']?([^$\s"'][^\s]*|\$[({][^\n]*)`),
			access:   regexp.MustCompile(`\[\s*:?["'` + "`" + `]` + path + `["'` + "`" + `]\s*\]|(?:\.|->|::)(?:get\w*|fetch|lookup|Get\w*|property|str|value|config|env)?\s*!?\(\s*:?["'` + "`" + `]` + path + `["'` + "`" + `][^()\n]*\)|\b\w*(?i:env|config|setting|property|option)\w*\s*!?\(\s*:?["'` + "`" + `]` + path + `["'` + "`" + `][^()\n]*\)|(?:\.|->|::)` + key + `\b`),
		})
	}
	return r
}

// Text is a program that may read settings.
type Text struct {
	Language gate.Language
	Content  []byte
	// Names reports whether it names a file of settings, by the line of the value in it: what
	// an attribute of an object holds says nothing otherwise.
	Names bool
}

// Filled is a text with addresses in the place of what reads them.
type Filled struct {
	Content []byte
	Values  map[int]Value // by the line that reads them, 1-based
}

// Mentions reports whether a text may read one of the values.
func (r *Reader) Mentions(content []byte) bool {
	lower := bytes.ToLower(content)
	plain := bytes.ReplaceAll(lower, []byte{'-'}, []byte{'_'})
	return slices.ContainsFunc(r.values, func(v reading) bool {
		return bytes.Contains(plain, bytes.ReplaceAll(v.lower, []byte{'-'}, []byte{'_'}))
	})
}

// Fill returns a program with the addresses in the place of the expressions that read them; ok
// is false where there is none.
func (r *Reader) Fill(t Text) (out Filled, ok bool) {
	out = Filled{Content: t.Content, Values: map[int]Value{}}
	for _, v := range r.values {
		out.replace(v.template.FindAllIndex(out.Content, -1), v.Value, v.Address)
		if hasShellVariables(t.Language) && (t.Names || strings.ToUpper(v.Key) == v.Key) && !v.set(out.Content) {
			out.replace(v.variable.FindAllIndex(out.Content, -1), v.Value, v.Address)
		}
		if !isData(t.Language) {
			out.access(v, t.Names)
		}
	}
	return out, len(out.Values) > 0
}

// set reports whether a text gives a variable a value of its own.
func (v reading) set(content []byte) bool {
	m := v.assigned.FindSubmatch(content)
	return m != nil && !bytes.Contains(m[1], []byte(v.Key))
}

// hasShellVariables reports whether a dollar sign and a name are a variable from outside.
func hasShellVariables(l gate.Language) bool {
	switch l {
	case gate.LanguageShell, gate.LanguageDockerfile, gate.LanguageMakefile, gate.LanguageYAML, gate.LanguageWorkflow, gate.LanguageJust,
		gate.LanguageJSON, gate.LanguageTOML, gate.LanguageINI, gate.LanguageTemplate, gate.LanguageUnknown, gate.LanguageCMake:
		return true
	}
	return false
}

// isData reports whether a language has no expressions.
func isData(l gate.Language) bool {
	switch l {
	case gate.LanguageJSON, gate.LanguageYAML, gate.LanguageTOML, gate.LanguageINI, gate.LanguageDockerfile, gate.LanguageWorkflow, gate.LanguageMakefile, gate.LanguageShell:
		return true
	}
	return false
}

// replace puts an address in the place of some parts of the text.
func (f *Filled) replace(at [][]int, v Value, with string) {
	if len(at) == 0 {
		return
	}
	var b bytes.Buffer
	done := 0
	for _, m := range at {
		if m[0] < done || bytes.IndexByte(f.Content[m[0]:m[1]], '\n') >= 0 {
			continue
		}
		b.Write(f.Content[done:m[0]])
		b.WriteString(with)
		f.Values[1+bytes.Count(f.Content[:m[0]], []byte{'\n'})] = v
		done = m[1]
	}
	b.Write(f.Content[done:])
	f.Content = b.Bytes()
}

// setting matches an expression that reads settings or the environment, whatever file they are in.
var setting = regexp.MustCompile(`(?i)env|conf|cfg|setting|option|opts|prop|param|secret|vars?\b`)

// access replaces the expressions that read a value by its key.
func (f *Filled) access(v reading, names bool) {
	var bare, quoted [][]int
	for _, m := range v.access.FindAllIndex(f.Content, -1) {
		start := chain(f.Content, m[0])
		rest := bytes.TrimLeft(f.Content[m[1]:min(len(f.Content), m[1]+4)], " ")
		attribute := f.Content[m[1]-1] != ']' && f.Content[m[1]-1] != ')'
		switch {
		case len(rest) > 0 && rest[0] == '=' && !bytes.HasPrefix(rest, []byte("==")), attribute && len(rest) > 0 && rest[0] == '(':
			continue // it is set there, or is a function
		case !names && !setting.Match(f.Content[start:m[1]]):
			continue
		}
		if start > 0 && f.Content[start-1] == '{' && m[1] < len(f.Content) && f.Content[m[1]] == '}' {
			start, m[1] = start-1, m[1]+1 // within a string that is put together
			if start > 0 && f.Content[start-1] == '$' {
				start--
			}
			bare = append(bare, []int{start, m[1]})
			continue
		}
		quoted = append(quoted, []int{start, m[1]})
	}
	if len(bare) > 0 {
		f.replace(bare, v.Value, v.Address)
		f.access(v, names) // the places of the others moved
		return
	}
	f.replace(quoted, v.Value, `"`+v.Address+`"`)
}

// chain returns where the expression begins that ends at an offset: names, calls and
// subscripts on one line.
func chain(text []byte, end int) int {
	depth, least := 0, max(0, end-maxChain)
	for i := end; i > least; i-- {
		switch c := text[i-1]; {
		case c == '\n':
			return i
		case c == ')' || c == ']':
			depth++
		case c == '(' || c == '[':
			if depth == 0 {
				return i
			}
			depth--
		case depth > 0, c == '.', c == '_', c == '$', c == '@', c == ':', c == '>' && i > 1 && text[i-2] == '-', c == '-' && text[i] == '>', c == '?', c == '!':
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		default:
			return i
		}
	}
	return least
}
