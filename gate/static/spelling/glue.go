package spelling

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/char"
)

// maxJoint is how long the code between two literals of one text may be.
const maxJoint = 300 // bytes

// glue puts literals together that an operator or nothing stands between.
type glue struct {
	lang gate.Language
	src  []byte
	// lists are where elements of a list are put together; nil where a comma
	// separates.
	lists []int
}

// join returns a text with its literals put together.
func (g glue) join(in Text) Text {
	g.src = in.Content
	b := builder{in: in}
	for i := 0; i < len(g.src); {
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
	limit := min(len(g.src), i+maxJoint)
	if j := i + n; n == 1 && j < limit && g.src[j] == g.src[i] { // a pair with nothing in it
		if i > 0 && j+1 < limit && within(g.src[i-1], g.src[j+1]) {
			return j + 1
		}
		return 0
	}
	j := g.blank(g.calls(g.suffix(i+n), limit), limit)
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

// adjacent reports whether literals are put together that only blanks stand between.
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
	for i < limit {
		switch c := g.src[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ')' || c == '\\' && i+1 < limit && (g.src[i+1] == '\n' || g.src[i+1] == '\r'):
			i++
		case c == '/' || c == '(' || c == '-' || c == '{' || c == '<' || c == '#' || c == ';':
			end := commentEnd(g.src[i:limit])
			if end == 0 {
				return i
			}
			i += end
		default:
			return i
		}
	}
	return i
}

// comments are those with an end, of all languages.
var comments = [][2]string{{"/*", "*/"}, {"(*", "*)"}, {"<!--", "-->"}, {"--[[", "]]"}, {"{-", "-}"}, {"#|", "|#"}, {"#=", "=#"}, {"<#", "#>"}, {"//", "\n"}, {"-- ", "\n"}, {"# ", "\n"}, {"#\n", ""}, {";; ", "\n"}}

// commentEnd is how long the comment is that a text begins with, 0 for none.
func commentEnd(src []byte) int {
	for _, c := range comments {
		if !bytes.HasPrefix(src, []byte(c[0])) {
			continue
		}
		if n := bytes.Index(src[len(c[0]):], []byte(c[1])); n >= 0 {
			return len(c[0]) + n + len(c[1])
		}
	}
	return 0
}

// operators put texts together, in one language or another; longer ones stand first.
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
		if bytes.HasPrefix(g.src[i:limit], []byte(o)) {
			return i + len(o), true
		}
	}
	return i, g.lists != nil && g.listed(i)
}

// prefixes are what may stand in front of a quote and belongs to it.
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

// maxReach is how far the word that puts a list together may stand from it.
const (
	maxReach  = 400 // bytes, from an element to the end of the list
	maxJoiner = 16  // bytes, from there to the word
)

// listed reports whether the elements of the list at an offset are put together: the
// word that does stands right before the list, as its first element, or behind it.
func (g glue) listed(i int) bool {
	if len(g.lists) == 0 {
		return false
	}
	from := max(0, i-maxReach)
	if open := bytes.LastIndexAny(g.src[from:i], "([{"); open >= 0 && g.joins(from+open-maxJoiner, from+open+maxJoiner) {
		return true
	}
	end := bytes.IndexAny(g.src[i:min(len(g.src), i+maxReach)], ")]}")
	return end >= 0 && g.joins(i+end, i+end+maxJoiner)
}

// joins reports whether a word that puts lists together stands in a stretch.
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
	switch limit := g.src[i:min(len(g.src), i+maxJoint)]; {
	case bytes.HasPrefix(limit, []byte("<!--")), bytes.HasPrefix(limit, []byte("/*")):
		end = commentEnd(limit)
	case bytes.HasPrefix(limit, []byte("<?")):
		end = bytes.Index(limit, []byte("?>")) + 2
	}
	if end < 3 || i+end >= len(g.src) || !spoken(g.src[i+end]) || g.src[i+end] == '<' {
		return 0
	}
	return i + end
}

// interpolation is the end of one that holds a constant or nothing, with its text:
// ${""}, #{'u'}, \("r"), $(), {"l"} and the end of CDATA.
func (g glue) interpolation(i int) (end int, text string) {
	rest := g.src[i:min(len(g.src), i+maxJoint)]
	if rest[0] == '{' && (i == 0 || !char.IsASCIIWord(g.src[i-1])) {
		return 0, ""
	}
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

var interpolated = regexp.MustCompile(`^(?:[$#\\]?\{\s*(?:"([^"\\{}]*)"|'([^'\\{}]*)')\s*\}|[$\\]\(\s*(?:"([^"\\()]*)"|'([^'\\()]*)')\s*\)|[$#]\{\s*\}|\$\(\s*\)|\$\{(?:\w+:[-=])\})`)
