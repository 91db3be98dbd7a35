package reach

import (
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
)

// Outline says which functions a text has and what is in them, by indentation.
type Outline struct {
	lines  []string // logical lines, without comments
	rows   []int    // the logical line of each line of the text
	indent []int    // of each line, -1 for a blank one
	defs   []definition
	// starts are the functions that the language runs by itself.
	starts []string
	// declares matches the first line of what runs nothing outside of functions; nil for none.
	declares *regexp.Regexp
	// Full says that there are more functions than are told apart.
	Full bool
}

// definition is a function, or a class, of the text.
type definition struct {
	name        string
	first, last int // lines, 0-based
}

// MaxDefinitions bounds how many functions of one text are told apart.
const MaxDefinitions = 5000

var (
	defines = regexp.MustCompile(`^\s*(?:(?:export|default|async|public|private|protected|static|pub(?:\(\w+\))?|unsafe|final|abstract|override|inline|local|data|def(?:p|macro)?|internal)\s+)*` +
		`(?:(?:def|function|func|fn|sub|fun|class|module|proc|defp?)\s*\*?\s+(?:\([^)]*\)\s*)?(?:self\.)?([A-Za-z_$][\w$]*)|` +
		`(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?(?:function\b|\(?[\w\s,{}=$]*\)?\s*=>)|` +
		`([A-Za-z_][\w-]*)\s*\(\)\s*(?:\{|\(|$)|([A-Za-z_$][\w$]*)\s*[:=]\s*(?:async\s*)?(?:function\b|lambda\b|\([\w\s,]*\)\s*=>)|` +
		`(?:exports|module\.exports)\.([A-Za-z_$][\w$]*)\s*=)`)
	conditions = regexp.MustCompile(`\b(?:if|elif|elsif|unless|while|until|when|case|switch|test|assert|and|or)\b|\[\[?\s|&&|\|\||\?`)
)

// NewOutline reads a text in a language.
func NewOutline(lang gate.Language, content []byte) *Outline {
	o := &Outline{starts: started(lang)}
	if lang == gate.LanguageGo {
		o.declares = declaration
	}
	for text, at := range logical(string(lex.Scan(lang, content).View(content)), content) {
		for range at.last - at.first + 1 {
			o.rows = append(o.rows, len(o.lines))
		}
		text = strings.TrimRight(text, "\r\n")
		o.lines = append(o.lines, text)
		bare := strings.TrimLeft(text, " \t")
		if bare == "" {
			o.indent = append(o.indent, -1)
			continue
		}
		o.indent = append(o.indent, len(strings.ReplaceAll(text[:len(text)-len(bare)], "\t", "        ")))
	}
	for i, text := range o.lines {
		if o.Full = len(o.defs) >= MaxDefinitions; o.Full {
			break
		}
		if m := defines.FindStringSubmatch(text); m != nil {
			o.defs = append(o.defs, definition{strings.Join(m[1:], ""), i, o.end(i)})
		}
	}
	return o
}

// row is the logical line that a line of the text, 1-based, is on; -1 for none.
func (o *Outline) row(line int) int {
	if line < 1 || line > len(o.rows) {
		return -1
	}
	return o.rows[line-1]
}

// started are the names of the functions that a program of a language begins with.
func started(lang gate.Language) []string {
	switch lang {
	case gate.LanguageGo:
		return []string{"main", "init"}
	case gate.LanguageRust, gate.LanguageC, gate.LanguageJava, gate.LanguageKotlin, gate.LanguageScala, gate.LanguageSwift:
		return []string{"main"}
	case gate.LanguageCSharp:
		return []string{"Main"}
	}
	return nil
}

// end is the last line of what is below a line and is indented further.
func (o *Outline) end(line int) int {
	last := line
	for i := line + 1; i < len(o.lines); i++ {
		switch {
		case o.indent[i] > o.indent[line]:
			last = i
		case o.indent[i] >= 0:
			return last
		}
	}
	return last
}

// AtTop reports whether a line, 1-based, runs when the text does: it is in no
// function, in one that the language begins with, or in one that the text calls itself.
func (o *Outline) AtTop(line int) bool {
	in := o.enclosing(o.row(line))
	if len(in) == 0 {
		return true
	}
	seen := map[string]bool{}
	for _, name := range o.starts {
		seen[name] = true
	}
	for i, text := range o.lines {
		if len(o.enclosing(i)) == 0 && !o.under(i, o.declares) {
			for _, w := range word.FindAllString(text, -1) {
				seen[w] = true
			}
		}
	}
	return o.reaches(seen, in)
}

var (
	// declaration matches what begins a declaration of Go that runs nothing.
	declaration = regexp.MustCompile(`^(?:type|const|import|package)\b`)
	constants   = regexp.MustCompile(`^const\b`)
)

// constant matches the declaration of a constant of Go, alone or in a group.
var constant = regexp.MustCompile(`^\s*(?:const\s+)?([A-Za-z_]\w*)(?:\s+\w+)?\s*=`)

// UsesOfConstant returns the lines, 1-based, of a text of Go that use the constant that a line,
// given with its text, declares outside of functions. Such a line runs nothing: what uses it does. It is nil where the
// line declares none or where the text does not use it.
func (o *Outline) UsesOfConstant(line int, text string) []int {
	row := o.row(line)
	if row < 0 || len(o.enclosing(row)) > 0 || !o.under(row, constants) {
		return nil
	}
	m := constant.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	var out []int
	for i, at := range o.rows {
		if at != row && slices.Contains(word.FindAllString(o.lines[at], -1), m[1]) {
			out = append(out, i+1)
		}
	}
	return out
}

// under reports whether a line, 0-based, belongs to a declaration that begins with a match at the
// start of a line.
func (o *Outline) under(row int, head *regexp.Regexp) bool {
	if head == nil {
		return false
	}
	for i := row; i >= 0; i-- {
		if o.indent[i] == 0 {
			return head.MatchString(o.lines[i])
		}
	}
	return false
}

// In reports whether a line, 1-based, is in one of the functions with those names,
// or in one that they call in turn.
func (o *Outline) In(line int, names map[string]int) (at int, ok bool) {
	in := o.enclosing(o.row(line))
	if len(in) == 0 {
		return 0, false
	}
	for _, d := range o.defs {
		at, called := names[d.name]
		if called && (slices.Contains(in, d) || o.reaches(map[string]bool{d.name: true}, in)) {
			return at, true
		}
	}
	return 0, false
}

// reaches reports whether what is called by one of the names calls one of the functions, in
// any number of steps.
func (o *Outline) reaches(called map[string]bool, functions []definition) bool {
	read := make([]bool, len(o.defs))
	for again := true; again; {
		if slices.ContainsFunc(functions, func(d definition) bool { return called[d.name] }) {
			return true
		}
		again = false
		for i, d := range o.defs {
			if read[i] || !called[d.name] {
				continue
			}
			read[i], again = true, true
			for _, text := range o.lines[d.first : d.last+1] {
				for _, w := range word.FindAllString(text, -1) {
					called[w] = true
				}
			}
		}
	}
	return false
}

// enclosing are the functions around a line.
func (o *Outline) enclosing(line int) []definition {
	var out []definition
	for _, d := range o.defs {
		if d.first <= line && line <= d.last {
			out = append(out, d)
		}
	}
	return out
}

// Switched reports whether a line, 1-based, runs only under a condition that asks for
// one of the names: one around it, or one in a function that the line calls.
func (o *Outline) Switched(line int, names map[string]int) (at int, ok bool) {
	row := o.row(line)
	if row < 0 || len(names) == 0 {
		return 0, false
	}
	level := o.indent[row]
	for i := row; i >= 0; i-- {
		if i != row && (o.indent[i] < 0 || o.indent[i] >= level) {
			continue
		}
		level = min(level, o.indent[i])
		if at, ok := o.asks(i, names); ok {
			return at, true
		}
		if level == 0 && i != row {
			break
		}
	}
	called := word.FindAllString(o.lines[row], -1)
	for _, d := range o.defs {
		if !slices.Contains(called, d.name) {
			continue
		}
		for i := d.first; i <= d.last; i++ {
			if at, ok := o.asks(i, names); ok {
				return at, true
			}
		}
	}
	return 0, false
}

// asks reports whether a line, 0-based, has a condition on one of the names.
func (o *Outline) asks(line int, names map[string]int) (at int, ok bool) {
	if !conditions.MatchString(o.lines[line]) {
		return 0, false
	}
	for _, w := range word.FindAllString(o.lines[line], -1) {
		if at, ok := names[w]; ok {
			return at, true
		}
	}
	return 0, false
}
