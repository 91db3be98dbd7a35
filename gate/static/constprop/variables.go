package constprop

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
)

// Bounds of what is followed in one script.
const (
	maxVariables = 20_000
	maxValue     = 256     // bytes of what a variable holds
	maxScript    = 2 << 20 // bytes; no one writes a longer one, and such files are not looked at whole
)

// variables returns a shell script with the constants that its variables hold in
// the places where they are used: after disk=/dev/sda, of=$disk is of=/dev/sda. A
// variable holds what was last assigned to it in the order of the text; one that is
// used before has its value where just one is ever assigned. A loop over words, and
// an array, hold all of them, and so do the arguments that a script sets itself. What
// comes from another command than echo, printf, rev and tr, from the caller or from the
// environment is not known, and stays; $HOME stays within a constant.
func variables(src []byte, limits *Bounds) ([]byte, bool) {
	if bytes.IndexByte(src, '$') < 0 || !assigns(src) {
		return nil, false
	}
	if len(src) > maxScript {
		limits.reach("scripts of %d bytes have their variables followed", maxScript)
		return nil, false
	}
	text := lex.Scan(gate.LanguageShell, src)
	v := &variableReader{src: src, text: text, known: map[string]string{}, most: 2*len(src) + 4096, limits: limits}
	v.run() // to learn what is assigned once
	once := map[string]string{}
	for name, value := range v.known {
		if v.times[name] == 1 {
			once[name] = value
		}
	}
	if !v.useful && !bytes.Contains(src, []byte("$(")) && !bytes.Contains(src, []byte("${")) {
		return nil, false
	}
	v.args, v.ifs = nil, nil
	v.once, v.known, v.out, v.changed = once, map[string]string{}, make([]byte, 0, len(src)+len(src)/8), false
	v.run()
	return v.out, v.changed
}

// variableReader reads a script from its beginning to its end.
type variableReader struct {
	src   []byte
	text  *lex.Text
	known map[string]string // what variables hold here
	once  map[string]string // what those hold that are assigned once; nil in the first pass
	times map[string]int    // how often each is assigned, counted in the first pass

	out     []byte // nil in the first pass
	most    int    // bytes of out
	changed bool
	nested  bool     // within a substitution
	args    []string // what the script has set as its own arguments
	ifs     *string  // what splits words, nil for blanks
	limits  *Bounds
	useful  bool // something constant was assigned that says more than a number
}

// assigns reports whether something constant may be assigned in a script that says
// more than a number: most of them only count and pass on what they are given.
func assigns(src []byte) bool {
	for _, s := range slices.Concat(substitutions, []string{":-", "-sh}", "-bash}", ":=", "${HOME%", "{SHELL##"}) {
		if bytes.Contains(src, []byte(s)) {
			return true
		}
	}
	if bytes.Contains(src, []byte("set -- ")) || bytes.Contains(src, []byte("printf -v ")) {
		return true
	}
	for at := 0; at < len(src); {
		i := bytes.IndexByte(src[at:], '=')
		if i < 0 {
			break
		}
		at += i + 1
		if at < 2 || !char.IsWord(src[at-2]) && src[at-2] != '+' && src[at-2] != ']' || at == len(src) {
			continue
		}
		if c := src[at]; char.IsNameStart(c) || bytes.IndexByte([]byte("/\"'~.(\\"), c) >= 0 || c == '$' && at+1 < len(src) && (char.IsNameStart(src[at+1]) || src[at+1] == '{') {
			return true
		}
	}
	for at := 0; at < len(src); {
		i := bytes.Index(src[at:], []byte(" in "))
		if i < 0 {
			break
		}
		at += i + len(" in ")
		if rest := bytes.TrimLeft(src[at:min(len(src), at+8)], "\" "); len(rest) > 0 && rest[0] != '$' && rest[0] != '\n' {
			return true
		}
	}
	return false
}

func (v *variableReader) run() {
	if v.times == nil {
		v.times = map[string]int{}
	}
	word := true // whether a word may begin here
	for i := 0; i < len(v.src); {
		if span, ok := v.text.Span(i); ok {
			end := min(max(span.End, i+1), len(v.src))
			switch {
			case span.Class == lex.Comment || v.src[i] == '\'':
				v.copy(i, end)
			case v.listed(i, end):
			default:
				v.expand(i, end)
			}
			i, word = end, false
			continue
		}
		c := v.src[i]
		switch {
		case c == '\\' && i+1 < len(v.src):
			v.copy(i, i+2)
			i += 2
		case c == '$':
			i = v.use(i, len(v.src), true)
		case c == '(' && i+1 < len(v.src) && v.src[i+1] == ')':
			v.args = nil // a function has its own
			v.copy(i, i+2)
			i += 2
		case word && char.IsNameStart(c):
			i = v.assignment(i)
		default:
			start := i
			for i++; char.IsWord(c) && i < len(v.src) && char.IsWord(v.src[i]); {
				i++ // no span begins within a word
			}
			v.copy(start, i)
		}
		word = separates(c)
	}
}

func (v *variableReader) copy(from, to int) {
	if v.once != nil {
		v.out = append(v.out, v.src[from:min(to, len(v.src))]...)
	}
}

// expand writes a stretch in which variables stand for their values.
func (v *variableReader) expand(from, to int) {
	for i := from; i < to; {
		switch {
		case v.src[i] == '\\':
			v.copy(i, min(i+2, to))
			i += 2
		case v.src[i] == '$':
			i = v.use(i, to, false)
		default:
			next := bytes.IndexAny(v.src[i+1:to], "\\$")
			if next < 0 {
				next = to - i - 1
			}
			v.copy(i, i+1+next)
			i += 1 + next
		}
	}
}

// listed writes the elements of a list for a list in quotes, which gives a word for each.
func (v *variableReader) listed(from, to int) bool {
	inner := v.src[from:to]
	if v.once == nil || len(inner) < 4 || inner[0] != '"' || inner[1] != '$' || inner[len(inner)-1] != '"' || !bytes.HasSuffix(inner, []byte(`[@]}"`)) && string(inner) != `"$@"` {
		return false
	}
	value, end, ok := v.constant(from+1, to-1)
	if end != to-1 || !ok || len(v.out)+len(value) > v.most {
		return false
	}
	v.out, v.changed = append(v.out, value...), true
	return true
}

// use writes what stands for the $ at an offset and returns where it goes on. Outside of quotes
// what it stands for is split.
func (v *variableReader) use(at, to int, split bool) int {
	value, end, ok := v.constant(at, to)
	if !ok || v.once == nil || len(v.out)+len(value) > v.most {
		v.copy(at, end)
		return end
	}
	if split {
		value = v.split(value)
	}
	v.out, v.changed = append(v.out, value...), true
	return end
}

// constant works out what the $ at an offset stands for, and where that ends: behind the $, at
// least.
func (v *variableReader) constant(at, to int) (value string, end int, ok bool) {
	if name, end := reference(v.src[:to], at); name != "" {
		value, ok = v.value(name)
		return value, end, ok
	}
	for _, read := range []func(at, to int) (string, int, bool){v.positional, v.derived} {
		if value, end, ok := read(at, to); ok {
			return value, end, true
		}
	}
	if value, end, ok := v.substituted(at); ok && end <= to {
		return value, end, true
	}
	return "", at + 1, false
}

// unset is a variable that every session has, where the script does not set it: it stays as it is.
func (v *variableReader) unset(at, end int) (string, bool) {
	switch text := string(v.src[at:end]); text {
	case "$HOME", "${HOME}":
		_, assigned := v.known["HOME"]
		return text, !assigned && v.times["HOME"] == 0
	}
	return "", false
}

func (v *variableReader) value(name string) (string, bool) {
	if value, ok := v.known[name]; ok {
		return value, value != ""
	}
	value, ok := v.once[name]
	return value, ok && value != ""
}

// assignment reads the word at an offset, which may assign, and returns where to go
// on: what is assigned is written like everything else.
func (v *variableReader) assignment(at int) int {
	i := at
	for i < len(v.src) && char.IsWord(v.src[i]) {
		i++
	}
	name := string(v.src[at:i])
	rest := v.src[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("+=")):
		old, ok := v.value(name)
		if bytes.HasPrefix(rest, []byte("+=(")) {
			value, fine := v.list(i+3, ')')
			v.set(name, old+" "+value, ok && fine)
		} else {
			value, _, fine := v.read(i + 2)
			v.set(name, old+value, ok && fine)
		}
		v.copy(at, i+2)
		return i + 2
	case bytes.HasPrefix(rest, []byte("=(")):
		v.elements(name, i+2)
		value, fine := v.list(i+2, ')')
		v.set(name, value, fine)
	case len(rest) > 0 && rest[0] == '[':
		if key, end := elementKey(v.src, i); key != "" && end < len(v.src) && v.src[end] == '=' {
			value, _, fine := v.read(end + 1)
			v.set(name+"["+key+"]", value, fine)
			v.copy(at, end+1)
			return end + 1
		}
		v.copy(at, i+1)
		return i + 1
	case bytes.HasPrefix(rest, []byte("=")) && !bytes.HasPrefix(rest, []byte("==")):
		value, _, fine := v.read(i + 1)
		v.set(name, value, fine)
		if name == "IFS" {
			v.separator(i + 1)
		}
		v.copy(at, i+1)
		return i + 1
	case name == "set":
		v.arguments(i)
	case name == "shift":
		v.args = nil
	case name == "for":
		v.loop(i)
	case name == "printf":
		v.printed(i)
	case name == "read" || name == "unset" || name == "getopts" || name == "mapfile" || name == "readarray":
		v.lose(i)
	}
	v.copy(at, i)
	return i
}

func (v *variableReader) set(name, value string, ok bool) {
	if v.once == nil {
		v.times[name]++
	}
	if _, there := v.known[name]; !there && len(v.known) >= maxVariables {
		v.limits.reach("%d variables of a script are followed", maxVariables)
		return
	}
	if !ok || len(value) > maxValue {
		value = "" // not known
	}
	v.known[name] = value
	v.useful = v.useful || strings.ContainsFunc(value, func(r rune) bool { return r < '0' || r > '9' })
}

// loop reads what follows "for": a name, "in" and words.
func (v *variableReader) loop(at int) {
	name, at := v.bare(at)
	in, at := v.bare(at)
	if name == "" {
		return
	}
	if in != "in" {
		v.set(name, "", false)
		return
	}
	value, ok := v.list(at, ';')
	v.set(name, value, ok)
}

// lose forgets the variables that a command sets from outside: those on its line.
func (v *variableReader) lose(at int) {
	for range 10 {
		name, next := v.bare(at)
		if name == "" {
			return
		}
		if name[0] != '-' {
			v.set(name, "", false)
		}
		at = next
	}
}

// bare reads the next word of letters on the line.
func (v *variableReader) bare(at int) (string, int) {
	for at < len(v.src) && (v.src[at] == ' ' || v.src[at] == '\t') {
		at++
	}
	start := at
	for at < len(v.src) && (char.IsWord(v.src[at]) || v.src[at] == '-') {
		at++
	}
	return string(v.src[start:at]), at
}

// list reads words up to a closing byte, or the end of the line where that is ";",
// and joins them. It is known when each of them is.
func (v *variableReader) list(at int, closing byte) (string, bool) {
	var out []byte
	for at < len(v.src) {
		switch c := v.src[at]; {
		case c == closing, c == '\n' && closing == ';':
			return string(out), len(out) > 0
		case c == ' ' || c == '\t' || c == '\n' || c == '\\':
			at++
			continue
		}
		value, end, ok := v.read(at)
		if !ok || end == at || len(out) > maxValue {
			return "", false
		}
		if len(out) > 0 {
			out = append(out, ' ')
		}
		out = append(out, value...)
		at = end
	}
	return "", false
}

// elements reads those of a list by their numbers, or by their keys: (a b) and ([k]=a [l]=b).
func (v *variableReader) elements(name string, at int) {
	for n := 0; at < len(v.src) && n < maxListed; {
		switch c := v.src[at]; c {
		case ')':
			return
		case ' ', '\t', '\n', '\\':
			at++
			continue
		}
		key, end := elementKey(v.src, at)
		if key != "" && end < len(v.src) && v.src[end] == '=' {
			at = end + 1
		} else {
			key = strconv.Itoa(n)
		}
		value, end, ok := v.read(at)
		if !ok || end == at {
			return
		}
		v.set(name+"["+key+"]", value, true)
		n, at = n+1, end
	}
}

// maxListed bounds the elements of one list.
const maxListed = 32

// printed reads printf -v NAME FORMAT WORDS, in which %s stands for a word.
func (v *variableReader) printed(at int) {
	flag, at := v.bare(at)
	if flag != "-v" {
		return
	}
	name, at := v.bare(at)
	if name == "" {
		return
	}
	words, _, _, ok := v.words(at)
	text := ""
	if ok {
		text, ok = formatted(words)
	}
	v.set(name, text, ok && !strings.Contains(text, "\n"))
}

// read works out the word at an offset. ok is false for one that is not constant.
func (v *variableReader) read(at int) (value string, end int, ok bool) {
	var out []byte
	quote := byte(0)
	for i := at; ; {
		if i >= len(v.src) || i-at > 2*maxValue || v.src[i] == '\n' && quote != 0 {
			return string(out), i, quote == 0 && i-at <= 2*maxValue
		}
		c := v.src[i]
		switch {
		case quote == '\'':
			if c == '\'' {
				quote = 0
			} else {
				out = append(out, c)
			}
			i++
		case c == '\\' && i+1 < len(v.src) && v.src[i+1] != '\n':
			if quote == '"' && v.src[i+1] != '"' && v.src[i+1] != '$' && v.src[i+1] != '\\' {
				out = append(out, c)
			}
			out = append(out, v.src[i+1])
			i += 2
		case c == '"':
			quote ^= '"'
			i++
		case c == '`':
			return "", i, false
		case c == '$':
			held, next, known := v.constant(i, len(v.src))
			if !known {
				if held, known = v.unset(i, next); !known {
					return "", i, false
				}
			}
			out = append(out, held...)
			i = next
		case quote == '"':
			out = append(out, c)
			i++
		case c == '\'':
			quote = c
			i++
		case separates(c) || c == '\\':
			return string(out), i, true
		default:
			out = append(out, c)
			i++
		}
	}
}
