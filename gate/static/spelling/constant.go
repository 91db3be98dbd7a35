package spelling

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
)

// expression is what literals and names add up to.
func (n *names) expression(at int) constant {
	if n.lang == gate.LanguageBatch {
		return n.bare(at)
	}
	g := glue{lang: n.lang, src: n.src, bounds: n.bounds, ends: n.ends}
	out := constant{known: true}
	var text []byte
	for {
		term, end := n.term(g.blankWithin(at))
		if n.work += len(term.text); n.work > maxConstants {
			n.overfull()
		}
		if !term.known || n.work > maxConstants || !n.bounds.search(1) {
			return constant{}
		}
		out.split = constant{string(text[max(0, len(text)-1):]), true, out.split}.parted(term)
		text = append(text, term.text...)
		next := g.blankWithin(g.calls(end, len(n.src)))
		if next >= len(n.src) || bytes.IndexByte([]byte("\n\r;,)}]>/#-\\"), n.src[next]) >= 0 || g.keyword(next) {
			out.text = string(text)
			return out
		}
		after, operator := g.operator(next, len(n.src))
		if !operator {
			return constant{}
		}
		at = g.blank(after, len(n.src))
	}
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
		stop := n.ends.of(n.src, i+size, string(mark))
		if stop < 0 || !n.bounds.search(stop-i) || size == 1 && bytes.IndexByte(n.src[i+size:stop], '\n') >= 0 {
			return constant{}, i
		}
		return n.filled(string(n.src[i+size : stop])), stop + size
	}
	for i < len(n.src) && (n.src[i] == '$' || n.src[i] == '@') {
		i++
	}
	end = i
	for end < len(n.src) && char.IsASCIIWord(n.src[end]) {
		end++
	}
	return n.value(n.src[i:end]), end
}

// bare is what batch gives to a variable: the rest of the line.
func (n *names) bare(at int) constant {
	end := at
	for end < len(n.src) && bytes.IndexByte([]byte("\r\n&"), n.src[end]) < 0 && n.bounds.search(1) {
		end++
	}
	line := n.src[at:end]
	return n.filled(strings.TrimSuffix(strings.TrimRight(string(line), " \t"), `"`))
}

// reference matches the ways in which a text refers to a name within it.
var reference = regexp.MustCompile(`\$\{(?:\w+\.)?(\w+)\}|#\{@?(\w+)\}|\\\((\w+)\)|%(\w+)%|!(\w+)!|\$\((\w+)\)|\$(\w+)|\{(\w+)\}|&(\w+);`)

// mentions reports whether a text has a name in it that stands for a constant: without one, no
// reference is replaced.
func (n *names) mentions(text string) bool {
	for i := 0; i < len(text); i++ {
		from := i
		for i < len(text) && char.IsASCIIWord(text[i]) {
			i++
		}
		if i > from && n.value([]byte(text[from:i])).known {
			return true
		}
	}
	return false
}

// filled is a text with the references in it replaced.
func (n *names) filled(text string) constant {
	out := constant{text, true, false}
	if n.work > maxConstants || !strings.ContainsAny(text, "${%!&") || !n.mentions(text) {
		return out
	}
	out.text = reference.ReplaceAllStringFunc(text, func(ref string) string {
		m := reference.FindStringSubmatch(ref)
		for _, name := range m[1:] {
			if v := n.value([]byte(name)); v.known {
				if n.work += len(v.text); n.work > maxConstants {
					n.overfull()
					return ref
				}
				out.split = true
				return v.text
			}
		}
		return ref
	})
	return out
}
