package rule

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// simple reads the simple YAML that gate's own rules are written in, several times faster than
// the library: half of what a short run takes was reading them. The nodes have a kind, a value
// and a place, and are those of the library, as a test of all rules shows. It gives up on
// everything that is not simple, and the library reads that.
type simple struct {
	lines []string
	line  int // of the next line, from 0
	nodes []yaml.Node
	ok    bool
}

// readSimple returns the root of a document, nil for one that is not simple.
func readSimple(data []byte) *yaml.Node {
	text := string(data)
	if !strings.HasSuffix(text, "\n") || !utf8.ValidString(text) || strings.ContainsAny(text, "\ufeff\u0085\u2028\u2029\ufffe\uffff") {
		return nil
	}
	for _, c := range text {
		if c < ' ' && c != '\n' || c >= 0x7F && c < 0xA0 { // control characters
			return nil
		}
	}
	s := &simple{lines: strings.Split(text, "\n"), ok: true}
	if !s.more() {
		return nil
	}
	root := s.block(0)
	if !s.ok || s.more() {
		return nil
	}
	return root
}

// more skips blank lines and comments, and reports whether a line follows.
func (s *simple) more() bool {
	for ; s.line < len(s.lines); s.line++ {
		if text := strings.TrimLeft(s.lines[s.line], " "); text != "" && text[0] != '#' {
			return true
		}
	}
	return false
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func (s *simple) fail() *yaml.Node {
	s.ok = false
	return &yaml.Node{}
}

// node makes a node that begins at a byte of the present line.
func (s *simple) node(kind yaml.Kind, at int) *yaml.Node {
	if len(s.nodes) == 0 {
		s.nodes = make([]yaml.Node, 200)
	}
	n := &s.nodes[0]
	s.nodes = s.nodes[1:]
	n.Kind, n.Line, n.Column = kind, s.line+1, utf8.RuneCountInString(s.lines[s.line][:at])+1
	return n
}

func (s *simple) scalar(at int, value string) *yaml.Node {
	n := s.node(yaml.ScalarNode, at)
	n.Value = value
	return n
}

// maxNested bounds how deep blocks and flows are in one another.
const maxNested = 50

// block reads what begins at a byte of the present line: a list or a mapping.
func (s *simple) block(at int) *yaml.Node {
	if at > 4*maxNested {
		return s.fail()
	}
	if isItem(s.lines[s.line][at:]) {
		return s.list(at)
	}
	if strings.IndexByte(`['"{`, s.lines[s.line][at]) >= 0 {
		return s.value(at, at)
	}
	return s.mapping(at)
}

func isItem(text string) bool { return strings.HasPrefix(text, "- ") }

func (s *simple) list(at int) *yaml.Node {
	out := s.node(yaml.SequenceNode, at)
	for s.ok && s.more() && indent(s.lines[s.line]) == at && isItem(s.lines[s.line][at:]) {
		line := s.lines[s.line]
		in := at + 1 + indent(line[at+1:])
		switch key, _ := splitKey(line[in:]); {
		case key != "":
			out.Content = append(out.Content, s.mapping(in))
		case isItem(line[in:]):
			return s.fail()
		default:
			out.Content = append(out.Content, s.value(in, at))
		}
	}
	return out
}

// maxKey is the longest key, in bytes; YAML has none above 1,024.
const maxKey = 200

// splitKey returns the key that a text begins with, and where its value is; "" for none.
func splitKey(text string) (key string, value int) {
	i := 0
	for i < len(text) && isKey(text[i]) {
		i++
	}
	if i == 0 || i > maxKey || text[0] == '-' || i == len(text) || text[i] != ':' || i+1 < len(text) && text[i+1] != ' ' {
		return "", 0
	}
	return text[:i], i + 1 + indent(text[i+1:])
}

func isKey(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' || c == '/'
}

// mapping reads the keys that begin at that byte, the first in the present line.
func (s *simple) mapping(at int) *yaml.Node {
	out := s.node(yaml.MappingNode, at)
	for first := true; s.ok && (first || s.more() && indent(s.lines[s.line]) == at && !isItem(s.lines[s.line][at:])); first = false {
		line := s.lines[s.line]
		key, value := splitKey(line[at:])
		if key == "" {
			return s.fail()
		}
		out.Content = append(out.Content, s.scalar(at, key))
		if in := at + value; in < len(line) && line[in] != '#' {
			out.Content = append(out.Content, s.value(in, at))
			continue
		}
		s.line++
		if !s.more() {
			return s.fail()
		}
		below := indent(s.lines[s.line])
		if below < at || below == at && !isItem(s.lines[s.line][at:]) {
			return s.fail()
		}
		out.Content = append(out.Content, s.block(below))
	}
	if s.ok && s.more() && indent(s.lines[s.line]) > at {
		return s.fail()
	}
	return out
}

// value reads what follows a key or a dash that is at byte outer, and the lines that it
// takes.
func (s *simple) value(at, outer int) *yaml.Node {
	line := s.lines[s.line]
	if at >= len(line) {
		return s.fail()
	}
	var n *yaml.Node
	var end int
	switch line[at] {
	case '|', '>':
		return s.text(at, outer)
	case '\'', '"', '[', '{':
		n, end = s.flow(at, 0)
	default:
		return s.plain(at, outer)
	}
	if rest := line[min(end, len(line)):]; strings.TrimLeft(rest, " ") != "" && !strings.HasPrefix(strings.TrimLeft(rest, " "), "#") || rest != "" && rest[0] == '#' {
		return s.fail()
	}
	s.line++
	return n
}

// plain reads a text without quotes; lines that are further in than outer belong to it.
func (s *simple) plain(at, outer int) *yaml.Node {
	text, whole := plainText(s.lines[s.line][at:])
	n := s.scalar(at, text)
	if text == "" || !isPlain(text, true) {
		return s.fail()
	}
	for s.line++; s.line < len(s.lines); s.line++ {
		line := s.lines[s.line]
		more := strings.TrimLeft(line, " ")
		if more == "" || more[0] == '#' {
			if s.more() && indent(s.lines[s.line]) > outer {
				return s.fail() // a paragraph, or a comment within a text
			}
			return n
		}
		if indent(line) <= outer {
			return n
		}
		if !whole {
			return s.fail()
		}
		if more, whole = plainText(more); !isPlain(more, false) {
			return s.fail()
		}
		n.Value += " " + more
	}
	return n
}

// plainText cuts a comment off; whole is false where there is one.
func plainText(text string) (before string, whole bool) {
	before, _, comment := strings.Cut(text, " #")
	return strings.TrimRight(before, " "), !comment
}

// isPlain reports whether a text without quotes is just that. At its start some signs would
// mean something else.
func isPlain(text string, start bool) bool {
	if text == "" || text == "<<" || strings.Contains(text, ": ") || strings.HasSuffix(text, ":") || strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...") {
		return false
	}
	return !start || !strings.ContainsRune("!&*?|>%@`'\"#,[]{}:", rune(text[0])) && (text[0] != '-' || len(text) > 1 && text[1] != ' ')
}

// text reads a block of lines behind | or >.
func (s *simple) text(at, outer int) *yaml.Node {
	line := s.lines[s.line]
	style := strings.TrimRight(line[at:], " ")
	n := s.node(yaml.ScalarNode, at)
	s.line++
	if s.line == len(s.lines) || style != "|" && style != "|-" && style != ">" && style != ">-" {
		return s.fail()
	}
	in := indent(s.lines[s.line])
	if in <= outer || strings.TrimLeft(s.lines[s.line], " ") == "" {
		return s.fail()
	}
	var texts []string
	for ; s.line < len(s.lines); s.line++ {
		line := s.lines[s.line]
		if strings.TrimLeft(line, " ") == "" {
			if len(line) > in {
				return s.fail()
			}
			texts = append(texts, "")
			continue
		}
		own := indent(line)
		if own < in && own > outer {
			return s.fail()
		}
		if own < in {
			break
		}
		texts = append(texts, line[in:])
	}
	for texts[len(texts)-1] == "" {
		texts = texts[:len(texts)-1]
	}
	between := "\n"
	if style[0] == '>' {
		between = " "
		for _, t := range texts {
			if t == "" || t[0] == ' ' {
				return s.fail()
			}
		}
	}
	if n.Value = strings.Join(texts, between); len(style) == 1 {
		n.Value += "\n"
	}
	return n
}

// flow reads a value in brackets or quotes, which ends in its line, and returns where it ends.
func (s *simple) flow(at, depth int) (n *yaml.Node, end int) {
	line := s.lines[s.line]
	if at >= len(line) || depth > maxNested {
		return s.fail(), at
	}
	switch line[at] {
	case '\'':
		return s.quoted(at)
	case '"':
		return s.escaped(at)
	case '[':
		return s.items(at, depth)
	case '{':
		return s.pairs(at, depth)
	}
	end = at
	for end < len(line) && !strings.ContainsRune(",[]{}?#", rune(line[end])) && (line[end] != ':' || end+1 < len(line) && line[end+1] != ' ') {
		end++
	}
	if end == len(line) || line[end] != ',' && line[end] != ']' && line[end] != '}' {
		return s.fail(), at
	}
	text := strings.TrimRight(line[at:end], " ")
	if text == "" || !isPlain(strings.TrimRight(text, ":"), true) || text == "-" {
		return s.fail(), at
	}
	return s.scalar(at, text), end
}

func blanks(line string, at int) int { return at + indent(line[min(at, len(line)):]) }

func (s *simple) items(at, depth int) (n *yaml.Node, end int) {
	line := s.lines[s.line]
	n = s.node(yaml.SequenceNode, at)
	for at = blanks(line, at+1); s.ok; at = blanks(line, at+1) {
		if at < len(line) && line[at] == ']' {
			return n, at + 1
		}
		var item *yaml.Node
		item, at = s.flow(at, depth+1)
		n.Content = append(n.Content, item)
		if at = blanks(line, at); at < len(line) && line[at] == ']' {
			return n, at + 1
		}
		if at >= len(line) || line[at] != ',' {
			break
		}
	}
	return s.fail(), at
}

func (s *simple) pairs(at, depth int) (n *yaml.Node, end int) {
	line := s.lines[s.line]
	n = s.node(yaml.MappingNode, at)
	for at = blanks(line, at+1); s.ok && at < len(line); at = blanks(line, at+1) {
		if line[at] == '}' {
			return n, at + 1
		}
		key, value := splitKey(line[at:])
		if key == "" {
			break
		}
		n.Content = append(n.Content, s.scalar(at, key))
		var v *yaml.Node
		v, at = s.flow(at+value, depth+1)
		n.Content = append(n.Content, v)
		if at = blanks(line, at); at < len(line) && line[at] == '}' {
			return n, at + 1
		}
		if at >= len(line) || line[at] != ',' {
			break
		}
	}
	return s.fail(), at
}

// quoted reads a text in single quotes.
func (s *simple) quoted(at int) (n *yaml.Node, end int) {
	line := s.lines[s.line]
	twice := false
	for end = at + 1; end < len(line); end++ {
		if line[end] != '\'' {
			continue
		}
		if end+1 < len(line) && line[end+1] == '\'' {
			twice = true
			end++
			continue
		}
		value := line[at+1 : end]
		if twice {
			value = strings.ReplaceAll(value, "''", "'")
		}
		return s.scalar(at, value), end + 1
	}
	return s.fail(), at
}

// otherEscape matches what means something else in YAML than in Go: bytes, octal numbers and
// what Go does not know.
var otherEscape = regexp.MustCompile(`(?:^|[^\\])(?:\\\\)*\\[^\\"ntuU]`)

// escaped reads a text in double quotes.
func (s *simple) escaped(at int) (n *yaml.Node, end int) {
	line := s.lines[s.line]
	for end = at + 1; end < len(line) && line[end] != '"'; end++ {
		if line[end] == '\\' {
			end++
		}
	}
	if end >= len(line) {
		return s.fail(), at
	}
	value := line[at+1 : end]
	if !strings.Contains(value, `\`) {
		return s.scalar(at, value), end + 1
	}
	if otherEscape.MatchString(value) {
		return s.fail(), at
	}
	value, err := strconv.Unquote(line[at : end+1])
	if err != nil {
		return s.fail(), at
	}
	return s.scalar(at, value), end + 1
}
