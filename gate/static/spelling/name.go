package spelling

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
)

// maxRepeated is how much of a long constant is written out, at its beginning and at its
// end, where its name is used again.
const maxRepeated = 2 << 10 // bytes

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
	// grown are the constants that something was put behind.
	grown map[string]*strings.Builder
	// written are the long constants that were written out in full.
	written map[string]bool
	bounds  *bounds
	ends    *ends
	// seen is how far tags were looked for, tag the place of the last sign of one.
	seen, tag int
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
	n.src, n.known, n.dry, n.ends = in.Content, map[string]constant{}, true, &ends{}
	n.grown, n.written = map[string]*strings.Builder{}, map[string]bool{}
	n.walk()
	if len(n.known) == 0 {
		return in
	}
	n.work, n.seen, n.tag = 0, 0, 0
	clear(n.grown)
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
	word := n.src[start:end]
	if end < len(n.src) && (n.src[end] == '>' && start > 0 && n.src[start-1] == '<' || n.src[end] == '=' && (string(word) == "value" || string(word) == "Value")) {
		n.element(string(word), start, end)
	}
	if at, more, ok := n.assignment(start, end); ok {
		n.set(string(word), at, more)
		return at
	}
	if !n.dry && n.value(word).known {
		if at, ok := n.use(string(word), start, end); ok {
			return at
		}
	}
	return end
}

// assignment reports whether the name at a place is given something, and where that
// begins. more says that it gets it besides what it has.
func (n *names) assignment(start, end int) (at int, more, ok bool) {
	rest := n.src[end:]
	if len(rest) == 0 || start > 0 && n.src[start-1] == '.' || n.lang == gate.LanguageBatch && rest[0] == ':' { // %a:b=c%
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
	after := n.typeEnd(rest)
	rest, end = rest[after:], end+after
	if len(rest) == 0 || bytes.IndexByte([]byte("<:?|+.~&=i"), rest[0]) < 0 {
		return 0, false, false
	}
	for _, sign := range assignments {
		if !begins(rest, sign) {
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

// assignments are the signs that give a name something.
var assignments = []string{"<<-", "<-", "::=", ":=", "?=", "||=", "+=", ".=", "..=", "~=", "&=", "=", "is "}

// types are those that may be between a name and what it is given.
var types = []string{"string", "text", "String", "&str", "<const>", "[]"}

// typeEnd is how long a type is, with the blanks around it, that a name has.
func (ns *names) typeEnd(rest []byte) int {
	n := blanks(rest)
	for _, t := range types {
		if begins(rest[n:], t) {
			return n + len(t) + blanks(rest[n+len(t):])
		}
	}
	if n >= len(rest) || rest[n] != ':' || bytes.HasPrefix(rest[n:], []byte(":=")) || bytes.HasPrefix(rest[n:], []byte("::=")) {
		return n
	}
	for i, c := range rest[n+1:] { // a: String =
		switch {
		case !ns.bounds.search(1):
			return n
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

// defined reports whether a name is given what follows it without a sign:
// setq a "b", #define A "b", (def a "b"), set a b.
func (n *names) defined(start int, rest []byte) bool {
	if rest[0] != ' ' && rest[0] != ',' && rest[0] != '\t' {
		return false
	}
	value := rest
	for len(value) > 0 && (value[0] == ' ' || value[0] == '\t' || value[0] == ',') {
		value = value[1:]
	}
	if len(value) == 0 || value[0] != '"' && value[0] != '\'' {
		return false
	}
	for start > 1 && blanks(n.src[start-2:start]) == 2 && n.bounds.search(1) {
		start--
	}
	line := n.src[max(0, start-24):start]
	if i := bytes.LastIndexByte(line, '\n'); i >= 0 {
		line = line[i+1:]
	}
	return definer.Match(line)
}

var definer = regexp.MustCompile(`(?:\b(?:setq|def|define|defvar|defconst|defparameter|set|let|const|global|ENTITY)[ \t]*\(?|-define\(|@|\(\()[ \t]*$`)

// element is what the element of a name holds that begins, or what its attribute value is given: <a>b</a>
// and <property name="a" value="b"/>.
func (n *names) element(name string, start, end int) {
	rest := n.src[end:]
	switch rest[0] {
	case '>':
		if i := bytes.IndexByte(rest, '<'); i > 0 && bytes.HasPrefix(rest[i:], []byte("</"+name+">")) {
			n.give(name, n.filled(string(rest[1:i])))
		}
	case '=':
		for ; n.seen < start; n.seen++ {
			if c := n.src[n.seen]; c == '<' || c == '>' {
				n.tag = n.seen
			}
		}
		if tag := n.src[n.tag:start]; len(tag) > maxTag {
			if bytes.Contains(n.src, []byte("</")) && containsAny(tag, `name="`, "name='") {
				n.bounds.reach("tags of %d bytes are looked at", maxTag)
			}
		} else if m := attribute.FindSubmatch(tag); m != nil {
			n.set(string(m[1]), end+1, false)
		}
	}
}

// maxTag is how far a tag goes on before the value of a property in it.
const maxTag = 4 << 10 // bytes

var attribute = regexp.MustCompile(`<[^<>]*\bname=["'](\w+)["'][^<>]*$`)

// set learns what a name is given.
func (n *names) set(name string, at int, more bool) {
	value := n.expression(at)
	if !more {
		delete(n.grown, name)
		n.give(name, value)
		return
	}
	held := n.known[name]
	if !held.known || !value.known {
		n.give(name, constant{})
		return
	}
	b := n.grown[name]
	if b == nil {
		b = &strings.Builder{}
		b.WriteString(held.text)
		n.grown[name] = b
	}
	split := held.parted(value)
	if n.give(name, value); n.known[name].known {
		b.WriteString(value.text)
		n.known[name] = constant{b.String(), true, split}
	}
}

// give notes what a name stands for, as far as the bounds allow.
func (n *names) give(name string, value constant) {
	if n.work += len(value.text); n.work > maxConstants {
		n.overfull()
		value = constant{}
	}
	_, there := n.known[name]
	switch {
	case !there && !value.known:
	case len(n.known) >= maxNames && !there:
		n.bounds.reach("%d names are given a constant", maxNames)
	default:
		n.known[name] = value
	}
}

// overfull notes that there are more constants than are kept.
func (n *names) overfull() {
	n.bounds.reach("constants of %d MiB are put where their names are used", maxConstants>>20)
}

// parted reports whether one constant behind another is a text whose words were in pieces.
func (c constant) parted(next constant) bool {
	return c.split || next.split || c.text != "" && next.text != "" && spoken(c.text[len(c.text)-1]) && spoken(next.text[0])
}

// value is what a name stands for.
func (n *names) value(name []byte) constant {
	c, there := n.known[string(name)]
	if !there {
		c = n.last[string(name)]
	}
	return c
}

// use replaces a name of a constant that is in a text as a reference, or among the operators of
// an expression.
func (n *names) use(name string, start, end int) (at int, ok bool) {
	held := n.value([]byte(name))
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
	if value, ok = n.room(name, value); !ok {
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

// room shortens a long constant that was written out before, and reports whether there is
// room for it.
func (n *names) room(name, value string) (string, bool) {
	if len(value) > 2*maxRepeated {
		if n.written[name] {
			value = value[:maxRepeated] + " " + value[len(value)-maxRepeated:]
		}
		n.written[name] = true
	}
	if len(n.b.out.Content)+len(value) > growth*len(n.src)+spare {
		n.bounds.reach("a text gets %d times as long and %d MiB longer by its constants", growth, spare>>20)
		return "", false
	}
	return value, true
}

// surround is how far the reference goes that a name is in, and what is done to
// the value in it. It is the name itself where it is no reference.
func (n *names) surround(start, end int) (from, to int, part string) {
	before, after := n.src[max(0, start-4):start], n.src[end:]
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
var carved = regexp.MustCompile(`^:([^%!\n]+)[%!]`)

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

// operand reports whether a name is among the operators of an expression.
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
