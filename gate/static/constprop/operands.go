package constprop

import (
	"bytes"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
)

// Bounds on the operands of one text that are written out.
const (
	maxOperands      = 5000 // in one pass
	maxOperandLength = 120  // bytes of one, as it is written
	maxOperandPasses = 3
)

// operands returns a text of JavaScript, TypeScript or Go in which a constant that is
// added to a literal, put into a template or listed beside a literal is a literal, too:
// after const kinds = { bash: 'bashrc' }, '.' + kinds.bash is '.' + "bashrc". Fields and
// elements of constant objects, lists and maps, and functions that give one of them back,
// are constants. Lines stay as they are.
func operands(lang gate.Language, src []byte, limits *Bounds) ([]byte, bool) {
	if len(src) > maxScript {
		limits.reach("programs of %d bytes have their operands worked out", maxScript)
		return nil, false
	}
	var out []byte
	for range maxOperandPasses {
		r := &termReader{constantFinder: &constantFinder{finder: &finder{lang: lang, src: src}, known: map[string]*string{}}, terms: map[string]value{}, functions: map[string]function{}}
		next, changed := writeOperands(r, limits)
		if r.work > maxLookedAt {
			limits.reach("%d MiB are searched for what functions give back", maxLookedAt>>20)
		}
		if !changed {
			break
		}
		src, out = next, next
	}
	return out, out != nil
}

// replacement is a stretch of the text and what is written there.
type replacement struct {
	start, end int
	text       string
}

// writeOperands writes out what is next to literals.
func writeOperands(r *termReader, limits *Bounds) ([]byte, bool) {
	var found []replacement
	last := 0
	spans := r.lex().Spans
	for i, s := range spans {
		if s.Class != lex.String {
			continue
		}
		if len(found) >= maxOperands {
			limits.reach("%d operands are worked out", maxOperands)
			break
		}
		if at, ok := before(r, s.Start); ok && at >= last {
			if p, ok := operand(r, at, s.Start); ok {
				found, last = append(found, p), p.end
			}
		}
		if bytes.HasSuffix(r.src[s.Start:s.End], []byte("${")) {
			if i+1 < len(spans) && spans[i+1].Start < len(r.src) && r.src[spans[i+1].Start] == '}' {
				if p, ok := whole(r, s.End, spans[i+1].Start); ok {
					found, last = append(found, p), p.end
				}
			}
			continue
		}
		if at, ok := behind(r, s.End); ok && at >= last {
			if p, ok := operand(r, at, len(r.src)); ok {
				found, last = append(found, p), p.end
			}
		}
	}
	if len(found) == 0 {
		return nil, false
	}
	out, done := make([]byte, 0, len(r.src)+len(found)*16), 0
	for _, p := range found {
		out = append(append(out, r.src[done:p.start]...), p.text...)
		done = p.end
	}
	return append(out, r.src[done:]...), true
}

// behind is where the operand begins that a plus or a comma behind an offset is followed by.
func behind(r *termReader, at int) (int, bool) {
	at = r.inLine(at)
	if at >= len(r.src) || r.src[at] != '+' && r.src[at] != ',' || at+1 < len(r.src) && (r.src[at+1] == '+' || r.src[at+1] == '=') {
		return 0, false
	}
	at = r.inLine(at + 1)
	return at, at < len(r.src) && char.IsNameStart(r.src[at])
}

// before is where the operand begins that comes before a plus or a comma before an offset.
func before(r *termReader, at int) (int, bool) {
	back := func() {
		for at > 0 && (r.src[at-1] == ' ' || r.src[at-1] == '\t') {
			at--
		}
	}
	back()
	if at < 2 || r.src[at-1] != '+' && r.src[at-1] != ',' || r.src[at-2] == '+' {
		return 0, false
	}
	at--
	back()
	end := at
	for at > 0 && end-at < maxOperandLength {
		switch c := r.src[at-1]; {
		case c == ')' || c == ']':
			open, depth := at-1, 0
			for ; open >= 0 && end-open < maxOperandLength && r.src[open] != '\n'; open-- {
				switch r.src[open] {
				case ')', ']', '}':
					depth++
				case '(', '[', '{':
					depth--
				}
				if depth == 0 {
					break
				}
			}
			if open < 0 || depth != 0 {
				return 0, false
			}
			at = open
			continue
		case char.IsWord(c):
			for at > 0 && char.IsWord(r.src[at-1]) {
				at--
			}
		default:
			return 0, false
		}
		if at == 0 || r.src[at-1] != '.' {
			return at, char.IsNameStart(r.src[at])
		}
		at--
	}
	return 0, false
}

// operand is the constant at an offset, which ends before a limit.
func operand(r *termReader, at, limit int) (replacement, bool) {
	if at > 0 && (char.IsWord(r.src[at-1]) || r.src[at-1] == '.' || r.src[at-1] == '$') || r.lex().At(at) != lex.Code {
		return replacement{}, false
	}
	v, end, ok := r.term(at, limit, nil, 0)
	if !ok || v.kind != textValue || v.text == "" {
		return replacement{}, false
	}
	if next := r.inLine(end); next < len(r.src) && bytes.IndexByte([]byte("([.=:?*%-"), r.src[next]) >= 0 || bytes.IndexByte(r.src[at:end], '\n') >= 0 {
		return replacement{}, false // it goes on
	}
	text, ok := quote(v.text, len(v.text)+2)
	return replacement{at, end, text}, ok && len(v.text) <= maxConstant
}

// whole is the constant that is all of a stretch.
func whole(r *termReader, from, to int) (replacement, bool) {
	at := r.inLine(from)
	if at >= to || !char.IsNameStart(r.src[at]) {
		return replacement{}, false
	}
	p, ok := operand(r, at, to)
	return p, ok && r.inLine(p.end) == to
}
