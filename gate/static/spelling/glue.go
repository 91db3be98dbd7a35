package spelling

import (
	"bytes"
	"slices"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
)

// maxJoint is how far an interpolation reaches that is looked at without looking for its
// end first.
const maxJoint = 300 // bytes

// glue puts literals together that an operator or nothing is between.
type glue struct {
	lang gate.Language
	src  []byte
	// lists are where elements of a list are put together; nil where a comma
	// separates.
	lists []int
	// brackets are where brackets open and where they close, if there are lists.
	brackets [2][]int
	bounds   *bounds
	ends     *ends // of comments
}

// joints are the bytes at which something that is put together may be parted.
var joints = [256]bool{'"': true, '\'': true, '`': true, '<': true, '/': true, ']': true, '$': true, '#': true, '\\': true, '{': true}

// join returns a text with its literals put together.
func (g glue) join(in Text) Text {
	g.src, g.ends = in.Content, &ends{}
	if g.lists != nil {
		for i, c := range g.src {
			switch c {
			case '(', '[', '{':
				g.brackets[0] = append(g.brackets[0], i)
			case ')', ']', '}':
				g.brackets[1] = append(g.brackets[1], i)
			}
		}
	}
	b := builder{in: in}
	for i := 0; i < len(g.src); {
		if !joints[g.src[i]] {
			i++
			continue
		}
		end, text := 0, ""
		switch g.src[i] {
		case '"', '\'', '`':
			end = g.joint(i)
		case '<', '/', ']':
			end = g.comment(i)
		case '$', '#', '\\', '{':
			end, text = g.interpolation(i)
		}
		if end == 0 {
			i++
			continue
		}
		before := b.last()
		if i > b.at {
			before = g.src[i-1]
		}
		b.replace(i, end, text, end < len(g.src) && spoken(before) && spoken(g.src[end]))
		i = end
	}
	return b.text()
}

// quoteLength is 3 for the quotes of a string that spans lines, 1 for others.
func (g glue) quoteLength(i int) int {
	if i+2 < len(g.src) && g.src[i+1] == g.src[i] && g.src[i+2] == g.src[i] {
		return 3
	}
	return 1
}

// joint is where the next literal begins behind the quote that ends one, 0 where
// there is none.
func (g glue) joint(i int) int {
	if i > 0 && g.src[i-1] == '\\' {
		return 0
	}
	n := g.quoteLength(i)
	limit := len(g.src)
	if j := i + n; n == 1 && j < limit && g.src[j] == g.src[i] { // a pair with nothing in it
		if i > 0 && j+1 < limit && within(g.src[i-1], g.src[j+1]) {
			return j + 1
		}
		return 0
	}
	j := g.blank(g.calls(g.suffix(i+n), limit), limit)
	if bytes.IndexByte(g.src[i+n:j], ')') >= 0 && g.lastOfSeveral(i, n) {
		return 0
	}
	apart := j > i+n
	j, operator := g.operator(j, limit)
	if !operator && !apart && j < limit && g.src[j] == g.src[i] {
		return 0
	}
	j = g.blank(j, limit)
	if operator {
		for j < limit && g.src[j] == '(' {
			j = g.blank(j+1, limit)
		}
	}
	if operator || apart {
		j = g.prefix(j, limit)
	}
	if j >= limit || g.src[j] != '"' && g.src[j] != '\'' && g.src[j] != '`' {
		return 0
	}
	if !operator && !g.adjacent(apart) {
		return 0
	}
	j += g.quoteLength(j)
	return j
}

// lastOfSeveral reports whether the literal of one line that ends at a quote of n bytes
// follows a comma: as the last argument of a call it is not what the call gives, and a
// text without the bracket behind it would have its arguments end somewhere else.
func (g glue) lastOfSeveral(i, n int) bool {
	if n > 1 || g.lists != nil && g.listed(i) {
		return false
	}
	start := i - 1
	for ; start >= 0 && i-start < maxJoint; start-- {
		switch c := g.src[start]; {
		case c == '\n':
			return false
		case c == g.src[i] && (start == 0 || g.src[start-1] != '\\'):
			before := bytes.TrimRight(g.src[max(0, start-maxJoint):start], " \t\r\n")
			return bytes.HasSuffix(before, []byte(","))
		}
	}
	return false
}

// adjacent reports whether literals are put together that only blanks are between.
func (g glue) adjacent(apart bool) bool {
	if !apart {
		return true
	}
	switch g.lang {
	case gate.LanguageC, gate.LanguagePython, gate.LanguageRuby, gate.LanguageAWK, gate.LanguageXonsh, gate.LanguageNotebook, "dart", "d", "crystal":
		return true
	}
	return false
}

// spoken reports whether a byte is part of a command rather than of the code around it.
func spoken(c byte) bool {
	return c > ' ' && bytes.IndexByte([]byte(`"'`+"`"+`(),[]{};\\=`), c) < 0
}

// within reports whether two bytes belong to one word.
func within(a, b byte) bool {
	return (char.IsASCIIWord(a) || a == '/' || a == '.' || a == '-') && (char.IsASCIIWord(b) || b == '/' || b == '.' || b == '-')
}

// suffix passes over what makes a literal one of another type: "a"s, "a"_x.
func (g glue) suffix(i int) int {
	if g.lang != gate.LanguageC {
		return i
	}
	for n := i; n < len(g.src) && n-i < 4; n++ {
		switch {
		case g.src[n] == '"' || g.src[n] == '\'':
			return i
		case !char.IsASCIIWord(g.src[n]):
			return n
		}
	}
	return i
}

// calls passes over methods that give the same text.
func (g glue) calls(i, limit int) int {
	for i < limit && (g.src[i] == '.' || g.src[i] == ')') {
		if g.src[i] == ')' {
			i++
			continue
		}
		m := sameText.FindIndex(g.src[i:limit])
		if m == nil {
			break
		}
		i += m[1]
	}
	return i
}

var sameText = regexp.MustCompile(`^\.(?:to_?s(?:tring|tr)?|to_owned|into|clone|as_str|as_ref|freeze|dup|trim|strip|trimIndent|intern|format|str|c_str|valueOf|itself|toString)(?:\(\))?`)

// blank passes over blanks, comments and line ends.
func (g glue) blank(i, limit int) int {
	for i < limit && g.bounds.search(1) {
		switch c := g.src[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ')' || c == '\\' && i+1 < limit && (g.src[i+1] == '\n' || g.src[i+1] == '\r'):
			i++
		case c == '/' || c == '(' || c == '-' || c == '{' || c == '<' || c == '#' || c == ';':
			end := g.commentEnd(i)
			if end == 0 {
				return i
			}
			i = min(end, limit)
		default:
			return i
		}
	}
	return i
}

// comments are those with an end, of all languages, those with the same first byte together.
var comments = [][2]string{{"/*", "*/"}, {"//", "\n"}, {"(*", "*)"}, {"<!--", "-->"}, {"<#", "#>"}, {"--[[", "]]"}, {"-- ", "\n"}, {"{-", "-}"}, {"#|", "|#"}, {"#=", "=#"}, {"# ", "\n"}, {"#\n", ""}, {";; ", "\n"}}

// firstComment is where the comments with a first byte are, of all bytes that one begins with.
var firstComment = [256]int{'/': 0, '(': 2, '<': 3, '-': 5, '{': 7, '#': 8, ';': 12}

// commentEnd is the end of the comment that begins at an offset, 0 for none.
func (g glue) commentEnd(i int) int {
	for _, c := range comments[firstComment[g.src[i]]:] {
		if c[0][0] != g.src[i] {
			return 0
		}
		if !begins(g.src[i:], c[0]) {
			continue
		}
		if at := g.ends.of(g.src, i+len(c[0]), c[1]); at >= 0 {
			return at + len(c[1])
		}
	}
	return 0
}

// begins is bytes.HasPrefix without a copy of the prefix: a text has it asked at every operator,
// for every one that there is.
func begins(src []byte, prefix string) bool {
	return len(src) >= len(prefix) && src[0] == prefix[0] && string(src[:len(prefix)]) == prefix
}

// operators put texts together, in one language or another; longer ones come first.
var operators = []string{".push_str(", ".concat(", ".append(", ".concat ", ".plus(", ".add(", "%+%", ":+", "||", "++", "<>", "..", "//", "<<", "+", ".", "&", "~", "^", "*", "@", "_", "$"}

// operator passes over what puts two texts together.
func (g glue) operator(i, limit int) (int, bool) {
	if i < limit && g.src[i] == ',' {
		if g.listed(i) {
			return i + 1, true
		}
		return i, false
	}
	for _, o := range operators {
		if begins(g.src[i:limit], o) {
			return i + len(o), true
		}
	}
	return i, g.lists != nil && g.listed(i)
}

// prefixes are what may be in front of a quote and belongs to it.
var prefixes = []string{"u8", "rb", "br", "rf", "fr", "Rb", "bR", "$@", "@$", "U&", "r", "b", "u", "f", "R", "B", "U", "F", "L", "s", "c", "E", "N", "@", "$", "#", "~"}

// prefix passes over the letters and signs in front of a quote.
func (g glue) prefix(i, limit int) int {
	for _, p := range prefixes {
		n := i + len(p)
		if n < limit && string(g.src[i:n]) == p && (g.src[n] == '"' || g.src[n] == '\'' || g.src[n] == '`') {
			return n
		}
	}
	return i
}

// maxJoiner is how far the word that puts a list together may be from its bracket.
const maxJoiner = 16 // bytes

// listed reports whether the elements of the list at an offset are put together: the
// word that does comes right before the list, as its first element, or behind it.
func (g glue) listed(i int) bool {
	if len(g.lists) == 0 {
		return false
	}
	opens, shuts := g.brackets[0], g.brackets[1]
	if n, _ := slices.BinarySearch(opens, i); n > 0 && g.joins(opens[n-1]-maxJoiner, opens[n-1]+maxJoiner) {
		return true
	}
	n, _ := slices.BinarySearch(shuts, i)
	return n < len(shuts) && g.joins(shuts[n], shuts[n]+maxJoiner)
}

// joins reports whether a word that puts lists together is in a stretch.
func (g glue) joins(from, to int) bool {
	at, _ := slices.BinarySearch(g.lists, from)
	return at < len(g.lists) && g.lists[at] <= to
}

// comment is the end of a comment or a mark in the middle of a word, 0 for none.
func (g glue) comment(i int) int {
	const open, shut = "<![CDATA[", "]]>"
	if rest, ok := bytes.CutPrefix(g.src[i:], []byte(shut)); ok {
		i += len(shut)
		if bytes.HasPrefix(rest, []byte(open)) {
			i += len(open)
		}
		return i
	}
	if bytes.HasPrefix(g.src[i:], []byte(open)) {
		return i + len(open)
	}
	if i == 0 || !spoken(g.src[i-1]) || g.src[i-1] == '>' || g.src[i-1] == '/' {
		return 0
	}
	end := 0
	switch rest := g.src[i:]; {
	case bytes.HasPrefix(rest, []byte("<!--")), bytes.HasPrefix(rest, []byte("/*")):
		end = g.commentEnd(i)
	case bytes.HasPrefix(rest, []byte("<?")):
		end = g.ends.of(g.src, i+2, "?>") + 2
	}
	if end < i+3 || end >= len(g.src) || !spoken(g.src[end]) || g.src[end] == '<' {
		return 0
	}
	return end
}

// interpolation is the end of one that holds a constant or nothing, with its text:
// ${""}, #{'u'}, \("r"), $(), {"l"} and the end of CDATA.
func (g glue) interpolation(i int) (end int, text string) {
	if !opensInterpolation(g.src[i:]) || g.src[i] == '{' && (i == 0 || !char.IsASCIIWord(g.src[i-1])) {
		return 0, ""
	}
	rest := g.src[i:min(len(g.src), max(i+maxJoint, g.interpolationEnd(i)))]
	m := interpolated.FindSubmatchIndex(rest)
	if m == nil {
		return 0, ""
	}
	for k := 2; k < len(m); k += 2 {
		if m[k] >= 0 {
			text = string(rest[m[k]:m[k+1]])
		}
	}
	return i + m[1], text
}

// opensInterpolation reports whether a text begins as [interpolated] does. A page of
// number signs has one place a byte where the expression need not be tried.
func opensInterpolation(s []byte) bool {
	if s[0] == '{' {
		return true
	}
	return len(s) > 1 && (s[1] == '{' || s[1] == '(' && s[0] != '#')
}

// interpolationEnd is how far an interpolation reaches that holds blanks and a literal.
func (g glue) interpolationEnd(i int) int {
	n := bytes.IndexAny(g.src[i:min(len(g.src), i+2)], "{(")
	if n < 0 {
		return i
	}
	j := g.passBlanks(i + n + 1)
	if j < len(g.src) && (g.src[j] == '"' || g.src[j] == '\'') {
		end := g.ends.of(g.src, j+1, string(g.src[j:j+1]))
		if end < 0 {
			return i
		}
		j = g.passBlanks(end + 1)
	}
	return j + 1
}

// passBlanks passes over blanks and line ends.
func (g glue) passBlanks(i int) int {
	for i < len(g.src) && (g.src[i] == ' ' || g.src[i] == '\t' || g.src[i] == '\n' || g.src[i] == '\r') && g.bounds.search(1) {
		i++
	}
	return i
}

var interpolated = regexp.MustCompile(`^(?:[$#\\]?\{\s*(?:"([^"\\{}]*)"|'([^'\\{}]*)')\s*\}|[$\\]\(\s*(?:"([^"\\()]*)"|'([^'\\()]*)')\s*\)|[$#]\{\s*\}|\$\(\s*\)|\$\{(?:\w+:[-=])\})`)
