package constprop

import (
	"bytes"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
)

// maxDefinitions bounds the lines that are read.
const maxDefinitions = 100_000

var (
	assignLine = regexp.MustCompile(`^((?:self\.|cls\.)?[A-Za-z_]\w*)\s*(?::[^=\n]{1,60})?(\+?=)([^=]|$)`)
	growLine   = regexp.MustCompile(`^((?:self\.|cls\.)?[A-Za-z_]\w*)\.(append|extend|\w+)\(`)
	keyLine    = regexp.MustCompile(`^((?:self\.|cls\.)?[A-Za-z_]\w*)\[([^\]\n]*)\]\s*=[^=]`)
	loopLine   = regexp.MustCompile(`^for\s+([A-Za-z_]\w*)\s+in\s+`)
	defLine    = regexp.MustCompile(`^(?:async\s+)?def\s+([A-Za-z_]\w*)\s*\(`)
	lambdaPart = regexp.MustCompile(`^\s*lambda\s*([\w\s,]*):\s*`)
	boundNames = regexp.MustCompile(`\b(?:for|as|global|del)\s+([\w\s,()]+)|^([\w\s,]*,[\w\s,]*)=[^=]`)
	nameOnly   = regexp.MustCompile(`[A-Za-z_]\w*`)
)

// definer reads the statements of a Python text that give names values.
type definer struct {
	*pythonSource
	names  *environment
	joins  []int     // line ends that join lines, from the one that is being read on
	open   *loopHead // on the line before
	inside string    // the function around the line
	indent int       // of that function
}

// read reads the text line by logical line.
func (d *definer) read() {
	d.joins = d.text.Joins
	for start, n := 0, 0; start < len(d.src); n++ {
		if n == maxDefinitions {
			d.names.cut = true
			return
		}
		end := d.lineEnd(start)
		d.line(start, end)
		start = end + 1
	}
}

// lineEnd is where the logical line of an offset ends.
func (d *definer) lineEnd(end int) int {
	for end < len(d.src) {
		i := bytes.IndexByte(d.src[end:], '\n')
		if i < 0 {
			return len(d.src)
		}
		end += i
		for len(d.joins) > 0 && d.joins[0] < end {
			d.joins = d.joins[1:]
		}
		s, ok := d.text.Span(end)
		if joined := len(d.joins) > 0 && d.joins[0] == end; !joined && !(ok && s.Class == lex.String) {
			return end
		}
		end++
	}
	return end
}

// line reads a logical line, which is empty, a comment, or a statement.
func (d *definer) line(start, end int) {
	at := start
	for at < end && (d.src[at] == ' ' || d.src[at] == '\t') {
		at++
	}
	if at == end || d.text.At(at) != lex.Code {
		return
	}
	if at-start <= d.indent {
		d.inside = ""
	}
	if c := d.src[at]; c == 'd' || c == 'a' {
		if m := defLine.FindSubmatch(d.src[at:end]); m != nil {
			d.inside, d.indent = string(m[1]), at-start
			d.function(d.inside, at, end)
		}
	}
	d.expressions(at, end)
	d.open = d.statement(at, end, d.open)
}

// expressions reads the names that the expressions of a line give values: (name := value).
func (d *definer) expressions(at, end int) {
	for range maxTargets {
		i := bytes.Index(d.src[at:end], []byte(":="))
		if i < 0 {
			return
		}
		i += at
		at = i + len(":=")
		last := i
		for last > 0 && (d.src[last-1] == ' ' || d.src[last-1] == '\t') {
			last--
		}
		first := last
		for first > 0 && char.IsWord(d.src[first-1]) {
			first--
		}
		if first < last && char.IsNameStart(d.src[first]) && d.text.At(first) == lex.Code {
			d.names.define(string(d.src[first:last]), definition{at: at, sign: '=', from: at})
		}
	}
}

// statement reads one below the head of a loop, if there is one, and returns the
// head of the loop that it is itself.
func (d *definer) statement(at, end int, open *loopHead) *loopHead {
	line := d.src[at:end]
	first := line[:nameEnd(d.src, at)-at]
	if len(first) == 0 || !assigning(line, first) {
		return nil
	}
	if m := only(loopLine, line, string(first) == "for"); m != nil {
		return d.loop(at, end, m)
	}
	if rest, ok := bytes.CutPrefix(line, []byte("return")); ok && len(rest) > 0 && !char.IsWord(rest[0]) {
		d.gives(at + len("return"))
		return nil
	}
	name, sign := target(line, len(first))
	known := false
	switch sign {
	case '=', '+', ':':
		known = d.assignment(name, at, end, open)
	case '[':
		known = d.element(name, at, end)
	case '.':
		known = d.growth(name, at, end, open)
	}
	if !known && (sign == ',' || first[0] == 'g' || first[0] == 'd' || bytes.Contains(line, []byte(" as ")) || bytes.Contains(line, []byte("for "))) {
		d.lose(line, end)
	}
	return nil
}

// loop reads the head of a loop, and the statement behind its colon. It returns the
// head of one whose statements follow.
func (d *definer) loop(at, end int, m []int) *loopHead {
	line := d.src[at:end]
	head := &loopHead{string(line[m[2]:m[3]]), at + m[1]}
	d.names.define(head.name, definition{at: end})
	if colon := bytes.LastIndexByte(line, ':'); colon > m[1] {
		if body := d.blank(at + colon + 1); body < end {
			d.statement(body, end, head)
			return nil
		}
	}
	return head
}

// gives records where the expression begins that a function gives back: a function
// that has several is not followed.
func (d *definer) gives(at int) {
	f, ok := d.names.funcs[d.inside]
	if !ok {
		return
	}
	if f.gives != 0 {
		at = -1
	}
	f.gives = at
	d.names.funcs[d.inside] = f
}

// assignment reads name = value, name += value, and name = lambda x: value.
func (d *definer) assignment(name string, at, end int, open *loopHead) bool {
	line := d.src[at:end]
	m := assignLine.FindSubmatchIndex(line)
	if m == nil {
		return false
	}
	from := at + m[5]
	if l := only(lambdaPart, d.src[from:end], bytes.Contains(line, []byte("lambda"))); l != nil {
		f := defined{gives: from + l[1]}
		for p := range strings.SplitSeq(string(d.src[from+l[2]:from+l[3]]), ",") {
			f.params, f.defaults = append(f.params, strings.TrimSpace(p)), append(f.defaults, -1)
		}
		d.names.funcs[name] = f
	}
	d.names.define(name, definition{at: end, sign: line[m[4]], from: from, loop: open})
	return true
}

// element reads name[key] = value.
func (d *definer) element(name string, at, end int) bool {
	m := keyLine.FindSubmatchIndex(d.src[at:end])
	if m == nil {
		return false
	}
	d.names.define(name, definition{at: end, sign: 'k', key: at + m[4], from: at + m[1] - 1})
	return true
}

// growth reads name.append(value), and methods that change what a name holds in
// ways that are not followed.
func (d *definer) growth(name string, at, end int, open *loopHead) bool {
	line := d.src[at:end]
	m := growLine.FindSubmatchIndex(line)
	if m == nil {
		return false
	}
	switch string(line[m[4]:m[5]]) {
	case "append":
		d.names.define(name, definition{at: end, sign: 'a', from: at + m[1], loop: open})
	case "extend":
		d.names.define(name, definition{at: end, sign: '+', from: at + m[1], loop: open})
	case "insert", "reverse", "sort", "pop", "remove", "clear", "update", "setdefault":
		d.names.define(name, definition{at: end})
	}
	return true
}

// lose forgets the values of names that a line binds in other ways.
func (d *definer) lose(line []byte, end int) {
	for _, m := range boundNames.FindAllSubmatch(line, 4) {
		for _, name := range nameOnly.FindAll(slices.Concat(m[1], m[2]), 8) {
			if w := string(name); w != "as" && w != "in" {
				d.names.define(w, definition{at: end})
			}
		}
	}
}

// target is what a line may give a value, with the byte behind it: a name, or a
// field of the own object. n is how long the first word is.
func target(line []byte, n int) (name string, sign byte) {
	if s := string(line[:n]); (s == "self" || s == "cls") && n < len(line) && line[n] == '.' {
		for n++; n < len(line) && char.IsWord(line[n]); n++ {
		}
	}
	rest := bytes.TrimLeft(line[n:], " \t")
	if len(rest) == 0 {
		return "", 0
	}
	return string(line[:n]), rest[0]
}

// only matches where a cheap test says that it may.
func only(re *regexp.Regexp, line []byte, maybe bool) []int {
	if !maybe {
		return nil
	}
	return re.FindSubmatchIndex(line)
}

// assigning is a cheap test for lines that may give names values; first is the
// word that they begin with.
func assigning(line, first []byte) bool {
	switch string(first) {
	case "for", "return", "with", "except", "global", "del", "self", "cls":
		return true
	case "if", "elif", "while", "print", "raise", "assert", "def", "class", "import", "from", "else", "try", "pass", "async":
		return bytes.Contains(line, []byte(" for ")) || bytes.Contains(line, []byte(" as ")) && first[0] != 'f' && first[0] != 'i'
	}
	rest := bytes.TrimLeft(line[len(first):], " \t")
	if len(rest) == 0 {
		return false
	}
	switch rest[0] {
	case '=', '+', ':', '[', ',', '.':
		return true
	}
	return bytes.Contains(line, []byte(" for "))
}

// function records a function with its parameters.
func (d *definer) function(name string, at, end int) {
	var f defined
	open := at + bytes.IndexByte(d.src[at:end], '(')
	for p := open + 1; p > 0 && p < end; {
		p = d.blank(p)
		stop, next := d.argument(p)
		if stop < 0 {
			break
		}
		part := d.src[p:stop]
		w := nameOnly.Find(part)
		value := -1
		if i := bytes.IndexByte(part, '='); i >= 0 {
			value = p + i + 1
		}
		if len(w) > 0 && !(len(f.params) == 0 && (string(w) == "self" || string(w) == "cls")) {
			f.params, f.defaults = append(f.params, string(w)), append(f.defaults, value)
			d.names.define(string(w), definition{at: open})
		}
		p = next
	}
	if _, twice := d.names.funcs[name]; twice {
		f.gives = -1
	}
	d.names.funcs[name] = f
}
