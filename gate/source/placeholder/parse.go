package placeholder

import (
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
)

// node is a piece of a text.
type node struct {
	kind     nodeKind
	text     string // as it is written
	body     string // between the marks
	mark     mark
	branches [][]node
}

type nodeKind int

const (
	plain       nodeKind = iota
	placeholder          // a value
	dollar               // $NAME
	assign               // a name that the text sets
	condition            // one of the branches
	loop                 // its branch, several times
	dropped              // a comment, or the end of something
)

// maxNodes bounds the pieces of a text.
const maxNodes = 5000

// parse splits a text at its placeholders, and puts what is between a condition
// and its end into branches.
func parse(text string) ([]node, []bound) {
	nodes, bounds := split(text)
	out, _ := nest(nodes, 0, &bounds)
	return out, bounds
}

// bound is one that kept placeholders from being read.
type bound struct {
	n  int
	of string
}

// split returns the pieces of a text, one behind the other.
func split(text string) (out []node, bounds []bound) {
	all := marks()
	start := 0
	for at := 0; at < len(text); {
		if len(out) >= maxNodes {
			bounds = append(bounds, bound{maxNodes, "pieces of one text are"})
			break
		}
		if strings.IndexByte("${<%(", text[at]) < 0 {
			at++
			continue
		}
		n, size := next(text[at:], all)
		if size == 0 && endless(text[at:]) {
			bounds = append(bounds, bound{maxBody, "bytes of one placeholder are"})
		}
		if size == 0 {
			at++
			continue
		}
		if start < at {
			out = append(out, node{text: text[start:at]})
		}
		out = append(out, n)
		at += size
		start = at
	}
	return append(out, node{text: text[start:]}), bounds
}

// next is the placeholder that a text begins with, and how long it is.
func next(text string, all []mark) (node, int) {
	if strings.HasPrefix(text, "$$") && len(text) > 2 && (text[2] == '{' || char.IsNameStart(text[2])) {
		return node{kind: dropped, body: "$"}, 1 // an escaped dollar: the other one is the shell's
	}
	for _, m := range all {
		if !strings.HasPrefix(text, m.open) {
			continue
		}
		end := closing(text, m)
		if end < 0 {
			continue
		}
		body := text[len(m.open):end]
		n := node{kind: placeholder, text: text[:end+len(m.shut)], body: body, mark: m}
		switch {
		case m.open == "{[":
			n.body = "[" + body
		case m.read == nil:
			n = statement(n)
		case m.open == "{{" && (goWord.MatchString(body) || strings.HasPrefix(body, "/*")):
			n = statement(n)
		case onlyNames(m) && !simpleName.MatchString(strings.TrimSpace(body)), m.open == "%" && (body == "" || strings.Trim(body, wordSigns) != ""), body == "":
			continue
		}
		return n, len(n.text)
	}
	if text[0] == '$' && len(text) > 1 && char.IsNameStart(text[1]) {
		end := 1
		for end < len(text) && char.IsASCIIWord(text[end]) {
			end++
		}
		return node{kind: dollar, text: text[:end], body: text[1:end]}, end
	}
	return node{}, 0
}

// onlyNames reports whether nothing but a name is between the marks; anything else
// there is something of a shell.
func onlyNames(m mark) bool {
	return m.open == "<<" || m.open == "$(" || m.open == "((" || m.open == "%("
}

// maxBody is how far a placeholder may reach.
const maxBody = 4 << 10 // bytes

// closing is where the end of a placeholder begins, past quotes and brackets of its
// own.
func closing(text string, m mark) int {
	depth := 0
	limit := min(len(text), maxBody)
	for i := len(m.open); i < limit; i++ {
		if depth == 0 && strings.HasPrefix(text[i:], m.shut) {
			return i
		}
		switch c := text[i]; {
		case c == '\n' && len(m.shut) == 1 && m.open != "${":
			return -1
		case (c == '\'' || c == '"') && m.open != "<<" && m.open != "%":
			if end := strings.IndexByte(text[i+1:limit], c); end >= 0 {
				i += end + 1
			}
		case len(m.shut) == 1 && c == opening(m.shut[0]):
			depth++
		case len(m.shut) == 1 && c == m.shut[0]:
			depth--
		}
	}
	return -1
}

// endless reports whether a text begins with a placeholder that ends behind the bound.
func endless(text string) bool {
	if len(text) <= maxBody {
		return false
	}
	for _, marks := range [][2]string{{"${{", "}}"}, {"{{", "}}"}, {"{%", "%}"}, {"<%", "%>"}, {"$[[", "]]"}} {
		if strings.HasPrefix(text, marks[0]) && !strings.Contains(text[:maxBody], marks[1]) && strings.Contains(text[maxBody:], marks[1]) {
			return true
		}
	}
	return false
}

// opening is the bracket that another one closes.
func opening(shut byte) byte {
	switch shut {
	case '}':
		return '{'
	case ')':
		return '('
	case ']':
		return '['
	}
	return 0
}

var (
	goWord = regexp.MustCompile(`^-?\s*(?:if|else|end|range|with|define|block|template)\b`)
	setTo  = regexp.MustCompile(`^set\s+(\w+\s*=[^=].*)$`)
)

// statement is a placeholder that has no value.
func statement(n node) node {
	body := strings.Trim(n.body, "-+ \t\r\n")
	n.body = body
	word, _, _ := strings.Cut(body, " ")
	switch {
	case setTo.MatchString(body):
		n.kind, n.body = assign, setTo.FindStringSubmatch(body)[1]
	case word == "if" || word == "unless" || word == "with":
		n.kind = condition
	case word == "for" || word == "range":
		n.kind = loop
	default:
		n.kind = dropped
	}
	return n
}

// maxNesting is how deep conditions and loops are followed.
const maxNesting = 20

// nest puts what belongs to a condition or a loop into it. It returns what was read
// up to the end of the block, and how much that is.
func nest(nodes []node, depth int, bounds *[]bound) ([]node, int) {
	var out []node
	for at := 0; at < len(nodes); at++ {
		n := nodes[at]
		switch {
		case n.kind == dropped && depth > 0 && (ends(n.body) || other(n.body)):
			return out, at
		case (n.kind == condition || n.kind == loop) && depth < maxNesting:
			for {
				body, used := nest(nodes[at+1:], depth+1, bounds)
				n.branches = append(n.branches, body)
				at += used + 1
				if at >= len(nodes) || !other(nodes[at].body) {
					break
				}
			}
			out = append(out, n)
		case n.kind == condition || n.kind == loop:
			*bounds = append(*bounds, bound{maxNesting, "conditions and loops within each other are"})
		default:
			out = append(out, n)
		}
	}
	return out, len(nodes)
}

func ends(body string) bool {
	return body == "end" || strings.HasPrefix(body, "end") && !strings.Contains(body, " ")
}

func other(body string) bool {
	return body == "else" || strings.HasPrefix(body, "else ") || strings.HasPrefix(body, "elif ") || strings.HasPrefix(body, "elsif ")
}
