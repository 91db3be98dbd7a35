package fold

import (
	"bytes"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/aigate/gate/gate/source/lex"
)

// definition is one statement that gives a name a value, adds to it, or makes it
// something that is not followed.
type definition struct {
	at   int  // where it holds from: the end of its line
	sign byte // '=', '+' for += and extend, 'a' for append, 'k' for an element, 0 for what is not followed
	from int  // where its expression begins
	key  int  // of an element, where its key begins
	loop *loop
}

// loop is the head of a loop around a statement.
type loop struct {
	name string
	over int // where the expression begins that it goes over
}

// defined is a function of the text that gives back one expression.
type defined struct {
	params   []string
	defaults []int
	gives    int // where that expression begins, -1 for none or several
}

const maxDefinitions = 5000

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

// collect reads the statements of the text, line by logical line.
func (e *evaluator) collect() {
	e.defs, e.funcs = map[string][]definition{}, map[string]defined{}
	joins := e.text.Joins
	var open *loop // the head on the line before
	var inside, deep = "", 0
	for start, n := 0, 0; start < len(e.src) && n < maxDefinitions; n++ {
		end := start
		for end < len(e.src) {
			i := bytes.IndexByte(e.src[end:], '\n')
			if i < 0 {
				end = len(e.src)
				break
			}
			end += i
			for len(joins) > 0 && joins[0] < end {
				joins = joins[1:]
			}
			s, ok := e.text.Span(end)
			if joined := len(joins) > 0 && joins[0] == end; !joined && !(ok && s.Class == lex.String) {
				break
			}
			end++
		}
		at := start
		for at < end && (e.src[at] == ' ' || e.src[at] == '\t') {
			at++
		}
		if at < end && e.text.At(at) == lex.Code {
			if inside != "" && at-start <= deep {
				inside = ""
			}
			if c := e.src[at]; c == 'd' || c == 'a' {
				if m := defLine.FindSubmatch(e.src[at:end]); m != nil {
					inside, deep = string(m[1]), at-start
					e.function(inside, at, end)
				}
			}
			open = e.statement(at, end, inside, open)
		}
		start = end + 1
	}
}

// statement reads one, and returns the head of the loop that it is.
func (e *evaluator) statement(at, end int, inside string, open *loop) *loop {
	line := e.src[at:end]
	first := line[:e.word(at)-at]
	if len(first) == 0 || !assigning(line, first) {
		return nil
	}
	if m := only(loopLine, line, string(first) == "for"); m != nil {
		head := &loop{string(line[m[2]:m[3]]), at + m[1]}
		e.define(head.name, definition{at: end})
		if colon := bytes.LastIndexByte(line, ':'); colon > m[1] {
			if body := e.blank(at + colon + 1); body < end {
				e.statement(body, end, inside, head)
				return nil
			}
		}
		return head
	}
	if rest, ok := bytes.CutPrefix(line, []byte("return")); ok && len(rest) > 0 && !isWord(rest[0]) {
		if f, ok := e.funcs[inside]; ok {
			if f.gives == 0 {
				f.gives = at + len("return")
			} else {
				f.gives = -1
			}
			e.funcs[inside] = f
		}
		return nil
	}
	name, sign := target(line, len(first))
	equals := sign == '=' || sign == '+' || sign == ':'
	if m := only(assignLine, line, equals); m != nil {
		from := at + m[5]
		if l := only(lambdaPart, e.src[from:end], bytes.Contains(line, []byte("lambda"))); l != nil {
			f := defined{gives: from + l[1]}
			for p := range strings.SplitSeq(string(e.src[from+l[2]:from+l[3]]), ",") {
				f.params, f.defaults = append(f.params, strings.TrimSpace(p)), append(f.defaults, -1)
			}
			e.funcs[name] = f
		}
		e.define(name, definition{at: end, sign: line[m[4]], from: from, loop: open})
		return nil
	}
	if m := only(keyLine, line, sign == '['); m != nil {
		e.define(name, definition{at: end, sign: 'k', key: at + m[4], from: at + m[1] - 1})
		return nil
	}
	if m := only(growLine, line, sign == '.'); m != nil {
		switch string(line[m[4]:m[5]]) {
		case "append":
			e.define(name, definition{at: end, sign: 'a', from: at + m[1], loop: open})
		case "extend":
			e.define(name, definition{at: end, sign: '+', from: at + m[1], loop: open})
		case "insert", "reverse", "sort", "pop", "remove", "clear", "update", "setdefault":
			e.define(name, definition{at: end})
		}
		return nil
	}
	if sign != ',' && !bytes.Contains(line, []byte(" as ")) && !bytes.Contains(line, []byte("for ")) && first[0] != 'g' && first[0] != 'd' {
		return nil
	}
	for _, m := range boundNames.FindAllSubmatch(line, 4) { // of names bound elsewhere, the values are not known
		for _, name := range nameOnly.FindAll(slices.Concat(m[1], m[2]), 8) {
			if w := string(name); w != "as" && w != "in" {
				e.define(w, definition{at: end})
			}
		}
	}
	return nil
}

// target is what a line may give a value, with the byte behind it: a name, or a
// field of the own object. n is how long the first word is.
func target(line []byte, n int) (name string, sign byte) {
	if s := string(line[:n]); (s == "self" || s == "cls") && n < len(line) && line[n] == '.' {
		for n++; n < len(line) && isWord(line[n]); n++ {
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

func (e *evaluator) define(name string, d definition) {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "self."), "cls.")
	e.defs[name] = append(e.defs[name], d)
}

// function records a function with its parameters.
func (e *evaluator) function(name string, at, end int) {
	var f defined
	open := at + bytes.IndexByte(e.src[at:end], '(')
	for p := open + 1; p > 0 && p < end; {
		p = e.blank(p)
		stop, next := e.argument(p)
		if stop < 0 {
			break
		}
		part := e.src[p:stop]
		w := nameOnly.Find(part)
		value := -1
		if i := bytes.IndexByte(part, '='); i >= 0 {
			value = p + i + 1
		}
		if len(w) > 0 && !(len(f.params) == 0 && (string(w) == "self" || string(w) == "cls")) {
			f.params, f.defaults = append(f.params, string(w)), append(f.defaults, value)
			e.define(string(w), definition{at: open})
		}
		p = next
	}
	if _, twice := e.funcs[name]; twice {
		f.gives = -1
	}
	e.funcs[name] = f
}

// lookup is the value of a name at an offset: what the last definition before it
// says, and what was added since.
func (e *evaluator) lookup(name string, at int, in frame) (value, bool) {
	if v, ok := in.vars[name]; ok {
		return v, true
	}
	all := e.defs[name]
	n := sort.Search(len(all), func(i int) bool { return all[i].at >= at })
	if n == 0 {
		n = len(all) // a function above what it uses
	}
	first := n - 1
	for first >= 0 && all[first].sign != '=' {
		if all[first].sign == 0 {
			return value{}, false
		}
		first--
	}
	if first < 0 || n-first > maxPieces {
		return value{}, false
	}
	var v value
	for _, d := range all[first:n] {
		var ok bool
		if v, ok = e.apply(v, d, in); !ok {
			return value{}, false
		}
	}
	return v, true
}

const maxPieces = 200 // of which one value is put together

// apply is a value after one more statement.
func (e *evaluator) apply(v value, d definition, in frame) (value, bool) {
	plain := len(in.vars) == 0
	if known, ok := e.known[d.from]; ok && plain && d.sign == '=' {
		return known, known.kind != 0
	}
	if d.loop == nil || d.sign == '=' {
		out, ok := e.applied(v, d, in)
		if plain && d.sign == '=' {
			e.known[d.from] = out
		}
		return out, ok
	}
	over, _, ok := e.expression(d.loop.over, len(e.src), in)
	items, listed := over.items()
	if !ok || !listed {
		return value{}, false
	}
	for _, item := range items {
		if v, ok = e.applied(v, d, in.with([]string{d.loop.name}, []value{item})); !ok {
			return value{}, false
		}
	}
	return v, true
}

func (e *evaluator) applied(v value, d definition, in frame) (value, bool) {
	if in.depth++; in.depth > maxCallDepth || !e.spend(1) {
		return value{}, false
	}
	w, _, ok := e.expression(d.from, len(e.src), in)
	if !ok {
		return value{}, false
	}
	switch d.sign {
	case '=':
		return w, true
	case 'a':
		if v.kind != listValue {
			return value{}, false
		}
		v.list = append(slices.Clip(v.list), w)
		return v, e.spend(len(v.list))
	case 'k':
		key, _, ok := e.expression(d.key, len(e.src), in)
		if !ok || v.kind != dictValue {
			return value{}, false
		}
		v.keys, v.list = append([]value{key}, v.keys...), append([]value{w}, v.list...)
		return v, e.spend(len(v.list))
	}
	return e.add(v, w)
}
