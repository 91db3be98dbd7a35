package spelling

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/char"
)

// Bounds on the constants of one text.
const (
	maxNames    = 2000
	maxConstant = 4 << 10 // bytes of one
	maxTerms    = 64      // of one that is put together
	growth      = 4       // times the length of the text that it may get
	maxWork     = 2 << 20 // bytes of all constants together
)

// names puts constants where their names are used. A text is read from its beginning
// to its end, so that a name stands for what it was given last.
type names struct {
	lang  gate.Language
	src   []byte
	known map[string]constant
	last  map[string]constant // what each is given last, for uses above that
	b     builder
	dry   bool // only learn
	work  int  // bytes of all constants so far
}

// constant is what a name stands for. It is not known when something else than a
// constant is given to the name.
type constant struct {
	text  string
	known bool
	split bool // a word of it was put together
}

// fill returns a text with names replaced.
func (n names) fill(in Text) Text {
	if !assigns(in.Content) {
		return in
	}
	n.src, n.known, n.dry = in.Content, map[string]constant{}, true
	n.walk()
	if len(n.known) == 0 {
		return in
	}
	n.work = 0
	n.last, n.known, n.dry, n.b = n.known, map[string]constant{}, false, builder{in: in}
	n.walk()
	return n.b.text()
}

// assigns reports whether a name may be given a text.
func assigns(src []byte) bool {
	return bytes.IndexByte(src, '=') >= 0 || containsAny(src, "<-", "setq", "def", "set ", "let ", "ENTITY", "is ", "@", "-define")
}

// walk goes from name to name.
func (n *names) walk() {
	for i := 0; i < len(n.src); {
		c := n.src[i]
		if !char.IsNameStart(c) {
			i++
			continue
		}
		end := i + 1
		for end < len(n.src) && char.IsASCIIWord(n.src[end]) {
			end++
		}
		i = n.name(i, end)
	}
}

// name reads a name, which is given something or used, and returns where to go on.
func (n *names) name(start, end int) int {
	name := string(n.src[start:end])
	if end < len(n.src) && (n.src[end] == '>' || n.src[end] == '=') {
		n.element(name, start, end)
	}
	if at, more, ok := n.assignment(start, end); ok {
		n.set(name, at, more)
		return at
	}
	if !n.dry {
		if at, ok := n.use(name, start, end); ok {
			return at
		}
	}
	return end
}

// assignment reports whether the name at a place is given something, and where that
// begins. more says that it gets it besides what it has.
func (n *names) assignment(start, end int) (at int, more, ok bool) {
	rest := n.src[end:min(len(n.src), end+80)]
	if len(rest) == 0 || start > 0 && n.src[start-1] == '.' {
		return 0, false, false
	}
	if n.defined(start, rest) {
		for rest[0] == ' ' || rest[0] == '\t' || rest[0] == ',' {
			rest, end = rest[1:], end+1
		}
		return end, false, true
	}
	if n := blanks(rest); n == len(rest) || bytes.IndexByte([]byte("=:+.<[?|~&istS"), rest[n]) < 0 || rest[n] == '.' && n == 0 && len(rest) > 1 && rest[1] != '=' && rest[1] != '.' {
		return 0, false, false
	}
	after := typeEnd(rest)
	rest, end = rest[after:], end+after
	if len(rest) == 0 || bytes.IndexByte([]byte("<:?|+.~&=i"), rest[0]) < 0 {
		return 0, false, false
	}
	for _, sign := range []string{"<<-", "<-", "::=", ":=", "?=", "||=", "+=", ".=", "..=", "~=", "&=", "=", "is "} {
		if !bytes.HasPrefix(rest, []byte(sign)) {
			continue
		}
		after := rest[len(sign):]
		if sign == "=" && len(after) > 0 && (after[0] == '=' || after[0] == '>' || after[0] == '~') {
			return 0, false, false
		}
		switch sign {
		case "+=", ".=", "..=", "~=", "&=":
			more = true
		}
		return end + len(sign), more, true
	}
	return 0, false, false
}

// types are those that may stand between a name and what it is given.
var types = []string{"string", "text", "String", "&str", "<const>", "[]"}

// typeEnd is how long a type is, with the blanks around it, that a name has.
func typeEnd(rest []byte) int {
	n := blanks(rest)
	for _, t := range types {
		if bytes.HasPrefix(rest[n:], []byte(t)) {
			return n + len(t) + blanks(rest[n+len(t):])
		}
	}
	if n >= len(rest) || rest[n] != ':' || bytes.HasPrefix(rest[n:], []byte(":=")) || bytes.HasPrefix(rest[n:], []byte("::=")) {
		return n
	}
	for i, c := range rest[n+1:] { // a: String =
		switch {
		case c == '=':
			return n + 1 + i
		case c == '"' || c == '\n' || c == '(' || c == ';' || c == '{':
			return n
		}
	}
	return n
}

// blanks is how many a text begins with.
func blanks(src []byte) int {
	n := 0
	for n < len(src) && (src[n] == ' ' || src[n] == '\t') {
		n++
	}
	return n
}

// defined reports whether a name is given what stands behind it without a sign:
// setq a "b", #define A "b", (def a "b"), set a b.
func (n *names) defined(start int, rest []byte) bool {
	if rest[0] != ' ' && rest[0] != ',' && rest[0] != '\t' {
		return false
	}
	value := bytes.TrimLeft(rest, " \t,")
	if len(value) == 0 || value[0] != '"' && value[0] != '\'' {
		return false
	}
	line := n.src[max(0, start-24):start]
	if i := bytes.LastIndexByte(line, '\n'); i >= 0 {
		line = line[i+1:]
	}
	return definer.Match(line)
}

var definer = regexp.MustCompile(`(?:\b(?:setq|def|define|defvar|defconst|defparameter|set|let|const|global|ENTITY)[ \t]*\(?|-define\(|@|\(\()[ \t]*$`)

// element is what the element of a name holds, or its attribute value: <a>b</a> and
// <property name="a" value="b"/>.
func (n *names) element(name string, start, end int) {
	rest := n.src[end:min(len(n.src), end+maxConstant)]
	switch {
	case start > 0 && n.src[start-1] == '<' && rest[0] == '>':
		if i := bytes.IndexByte(rest, '<'); i > 0 && bytes.HasPrefix(rest[i:], []byte("</"+name+">")) {
			n.give(name, n.filled(string(rest[1:i])))
		}
	case (name == "value" || name == "Value") && rest[0] == '=':
		if m := attribute.FindSubmatch(n.src[max(0, start-maxTag):start]); m != nil {
			n.set(string(m[1]), end+1, false)
		}
	}
}

// maxTag is how far the name of a property stands before its value.
const maxTag = 80 // bytes

var attribute = regexp.MustCompile(`<[^<>]*\bname=["'](\w+)["'][^<>]*$`)

// set learns what a name is given.
func (n *names) set(name string, at int, more bool) {
	value := n.expression(at)
	if more {
		value = n.known[name].and(value)
	}
	n.give(name, value)
}

func (n *names) give(name string, value constant) {
	if n.work += len(value.text); n.work > maxWork {
		value = constant{}
	}
	_, there := n.known[name]
	if (there || value.known) && len(n.known) < maxNames {
		n.known[name] = value
	}
}

// and is one constant behind another.
func (c constant) and(next constant) constant {
	if !c.known || !next.known || len(c.text)+len(next.text) > maxConstant {
		return constant{}
	}
	split := c.split || next.split || c.text != "" && next.text != "" && spoken(c.text[len(c.text)-1]) && spoken(next.text[0])
	return constant{c.text + next.text, true, split}
}

// value is what a name stands for.
func (n *names) value(name string) constant {
	c, there := n.known[name]
	if !there {
		c = n.last[name]
	}
	return c
}

// expression is what literals and names add up to.
func (n *names) expression(at int) constant {
	if n.lang == gate.LanguageBatch {
		return n.bare(at)
	}
	g := glue{lang: n.lang, src: n.src}
	out := constant{known: true}
	for range maxTerms {
		term, end := n.term(g.blankWithin(at))
		if out = out.and(term); !out.known {
			return out
		}
		limit := min(len(n.src), end+maxJoint)
		next := g.blankWithin(g.calls(end, limit))
		if next >= len(n.src) || bytes.IndexByte([]byte("\n\r;,)}]>/#-\\"), n.src[next]) >= 0 || g.keyword(next) {
			return out
		}
		after, operator := g.operator(next, limit)
		if !operator {
			return constant{}
		}
		at = g.blank(after, limit)
	}
	return constant{}
}

// blankWithin passes over blanks on a line.
func (g glue) blankWithin(i int) int {
	for i < len(g.src) && (g.src[i] == ' ' || g.src[i] == '\t' || g.src[i] == '(') {
		i++
	}
	return i
}

// keyword reports whether a word begins that ends an expression.
func (g glue) keyword(i int) bool {
	for _, w := range []string{"in ", "and ", "then", "do", "if ", "{"} {
		if bytes.HasPrefix(g.src[i:], []byte(w)) {
			return true
		}
	}
	return false
}

// term is one literal or name.
func (n *names) term(i int) (value constant, end int) {
	g := glue{lang: n.lang, src: n.src}
	i = g.prefix(i, len(n.src))
	if i >= len(n.src) {
		return constant{}, i
	}
	if c := n.src[i]; c == '"' || c == '\'' || c == '`' {
		size := g.quoteLength(i)
		if size == 1 && i+1 < len(n.src) && n.src[i+1] == c {
			return constant{known: true}, i + 2
		}
		mark := n.src[i : i+size]
		body := n.src[i+size : min(len(n.src), i+size+maxConstant)]
		stop := bytes.Index(body, mark)
		if stop < 0 || size == 1 && bytes.IndexByte(body[:stop], '\n') >= 0 {
			return constant{}, i
		}
		return n.filled(string(body[:stop])), i + size + stop + size
	}
	for i < len(n.src) && (n.src[i] == '$' || n.src[i] == '@') {
		i++
	}
	end = i
	for end < len(n.src) && char.IsASCIIWord(n.src[end]) {
		end++
	}
	return n.value(string(n.src[i:end])), end
}

// bare is what batch gives to a variable: the rest of the line.
func (n *names) bare(at int) constant {
	line := n.src[at:min(len(n.src), at+maxConstant)]
	if i := bytes.IndexAny(line, "\r\n&"); i >= 0 {
		line = line[:i]
	}
	return n.filled(strings.TrimSuffix(strings.TrimRight(string(line), " \t"), `"`))
}

// reference matches the ways in which a text refers to a name within it.
var reference = regexp.MustCompile(`\$\{(?:\w+\.)?(\w+)\}|#\{@?(\w+)\}|\\\((\w+)\)|%(\w+)%|!(\w+)!|\$\((\w+)\)|\$(\w+)|\{(\w+)\}|&(\w+);`)

// filled is a text with the references in it replaced.
func (n *names) filled(text string) constant {
	out := constant{text, true, false}
	if n.work > maxWork || !strings.ContainsAny(text, "${%!&") {
		return out
	}
	out.text = reference.ReplaceAllStringFunc(text, func(ref string) string {
		m := reference.FindStringSubmatch(ref)
		for _, name := range m[1:] {
			if v := n.value(name); v.known {
				out.split = true
				return v.text
			}
		}
		return ref
	})
	return out
}

// use replaces a name that stands in a text as a reference, or among the operators of
// an expression.
func (n *names) use(name string, start, end int) (at int, ok bool) {
	held := n.value(name)
	if !held.known || len(n.b.out.Content) > growth*len(n.src) {
		return 0, false
	}
	value := held.text
	from, to, part := n.surround(start, end)
	switch {
	case part != "":
		value, ok = carve(value, part)
		if !ok {
			return 0, false
		}
		fallthrough
	case from < start:
		if from < n.b.at {
			return 0, false
		}
		if (n.src[from] == '$' || n.src[from] == '@') && to == end && n.operand(from, to) { // $a . $b
			value = `"` + value + `"`
		}
	case n.operand(start, end):
		value = `"` + value + `"`
	default:
		return 0, false
	}
	before, after := n.b.last(), byte(0)
	if from > n.b.at {
		before = n.src[from-1]
	}
	if to < len(n.src) {
		after = n.src[to]
	}
	n.b.replace(from, to, value, held.split || sensitive(held.text) || value != "" && spoken(before) && spoken(value[0]))
	if value != "" && spoken(value[len(value)-1]) && spoken(after) {
		n.b.note()
	}
	return to, true
}

// surround is how far the reference goes that a name stands in, and what is done to
// the value in it. It is the name itself where it is no reference.
func (n *names) surround(start, end int) (from, to int, part string) {
	before, after := n.src[max(0, start-4):start], n.src[end:min(len(n.src), end+24)]
	for _, form := range [][2]string{{"${", "}"}, {"{$", "}"}, {"#{", "}"}, {`\(`, ")"}, {"$(", ")"}, {"%", "%"}, {"!", "!"}, {"{{.", "}}"}, {"{{", "}}"}, {"{", "}"}, {"&", ";"}, {"@{", "}"}, {"<%=", "%>"}} {
		if !bytes.HasSuffix(before, []byte(form[0])) {
			continue
		}
		if bytes.HasPrefix(after, []byte(form[1])) {
			return start - len(form[0]), end + len(form[1]), ""
		}
		if m := carved.FindSubmatch(after); m != nil && (form[0] == "%" || form[0] == "!") {
			return start - 1, end + len(m[0]), string(m[1])
		}
	}
	if len(before) > 0 && (before[len(before)-1] == '$' || before[len(before)-1] == '@') {
		return start - 1, end, ""
	}
	return start, end, ""
}

// carved matches what batch cuts out of a variable.
var carved = regexp.MustCompile(`^:([^%!\n]{1,20})[%!]`)

// carve cuts a piece out of a value, as %x:~0,3% does, or replaces one, as %x:a=b%.
func carve(value, part string) (string, bool) {
	numbers, ok := strings.CutPrefix(part, "~")
	if !ok {
		from, to, found := strings.Cut(part, "=")
		return strings.ReplaceAll(value, from, to), found && from != ""
	}
	first, second, both := strings.Cut(numbers, ",")
	from, err := strconv.Atoi(first)
	if err != nil && first != "" {
		return "", false
	}
	if from < 0 {
		from += len(value)
	}
	from = min(max(from, 0), len(value))
	to := len(value)
	if both {
		n, err := strconv.Atoi(second)
		if err != nil {
			return "", false
		}
		if to = from + n; n < 0 {
			to = len(value) + n
		}
	}
	return value[from:min(max(to, from), len(value))], true
}

// operand reports whether a name stands among the operators of an expression.
func (n *names) operand(start, end int) bool {
	i := start
	for i > 0 && (n.src[i-1] == ' ' || n.src[i-1] == '\t') {
		i--
	}
	j := end
	for j < len(n.src) && (n.src[j] == ' ' || n.src[j] == '\t') {
		j++
	}
	begins := i == 0 || bytes.IndexByte([]byte("+.&~<>|(,=^*{[:\n"), n.src[i-1]) >= 0
	ends := j == len(n.src) || bytes.IndexByte([]byte("+.&~<>|),;]}^*\n\r"), n.src[j]) >= 0
	switch n.lang {
	case gate.LanguageElisp, "clojure", "lisp":
		return true // (concat a b)
	}
	if i > 0 && j < len(n.src) && !sensitive(string(n.src[start:end])) { // run a & b
		return begins && (ends || wordy(n.src[j])) || ends && wordy(n.src[i-1])
	}
	return begins && ends
}

// wordy reports whether a byte may be the end or the beginning of another operand.
func wordy(c byte) bool { return char.IsASCIIWord(c) || c == '"' || c == '\'' }
