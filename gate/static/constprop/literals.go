package constprop

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/source/strlit"
)

// literals reads literals side by side, formatted ones with their fields.
func (e *evaluator) literals(at int, in frame) (value, int, bool) {
	out := value{kind: textValue}
	for {
		start := literalAt(e.src, at)
		s, ok := e.text.Span(start)
		if !ok || s.Class != lex.String || s.Start != start {
			return value{}, at, false
		}
		prefix := strings.ToLower(string(e.src[at:start]))
		part, end, ok := e.fields(s, prefix, in)
		if !ok {
			return value{}, at, false
		}
		part.bytes = strings.Contains(prefix, "b")
		if out, ok = e.ops.add(out, part); !ok {
			return value{}, at, false
		}
		out.bytes = part.bytes
		next := e.gap(end, len(e.src))
		if q := literalAt(e.src, next); next >= len(e.src) || q >= len(e.src) || e.src[q] != '"' && e.src[q] != '\'' || e.text.At(q) != lex.String {
			return out, end, true
		}
		at = next
	}
}

// fields is the value of one literal. In a formatted one the code of fields lies
// between the pieces of text.
func (e *evaluator) fields(s lex.Span, prefix string, in frame) (value, int, bool) {
	if s.End-s.Start > maxLiteral || !e.ops.spend(s.End-s.Start) {
		return value{}, s.Start, false
	}
	if !strings.Contains(prefix, "f") {
		text, escaped, ok := strlit.Unquote(e.src[s.Start:s.End], strings.Contains(prefix, "r"))
		return value{kind: textValue, text: text, odd: escaped && len(text) > 0 && strings.Count(string(e.src[s.Start:s.End]), `\x`) > 2}, s.End, ok
	}
	quotes := 1
	if q := e.src[s.Start]; s.End-s.Start >= 3 && e.src[s.Start+1] == q && e.src[s.Start+2] == q {
		quotes = 3
	}
	mark := string(bytes.Repeat(e.src[s.Start:s.Start+1], quotes))
	out := value{kind: textValue}
	from := s.Start + quotes
	for {
		piece := string(e.src[min(from, s.End):s.End])
		if body, ok := strings.CutSuffix(piece, mark); ok {
			last, fine := e.ops.add(out, value{kind: textValue, text: body})
			return last, s.End, fine
		}
		var ok bool
		if out, ok = e.ops.add(out, value{kind: textValue, text: strings.TrimSuffix(piece, "{")}); !ok || strings.Contains(piece, `\`) {
			return value{}, s.Start, false
		}
		v, end, ok := e.expression(s.End, len(e.src), in)
		if !ok || v.kind != textValue && v.kind != numberValue {
			return value{}, s.Start, false
		}
		if v.kind == numberValue {
			v = value{kind: textValue, text: v.num.String()}
		}
		if s, ok = e.text.Span(end); !ok || s.Start != end || e.src[end] != '}' {
			return value{}, end, false
		}
		if out, ok = e.ops.add(out, v); !ok {
			return value{}, end, false
		}
		from = end + 1
	}
}
