package constprop

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
)

// combine folds what is done with literals, and puts neighbours together.
func (f *folder) combine() {
	var out []literal
	var chain []byte // the value of the last literal of out, while it grows
	settle := func() {
		if len(chain) > 0 {
			out[len(out)-1].value, chain = string(chain), chain[:0]
		}
	}
	for i := 0; i < len(f.lits); {
		l, next := f.lits[i], i+1
		for _, op := range f.operations(i) {
			if r, n := op(i); n > i {
				r.folded = true
				l, next = r, n
				break
			}
		}
		// A chain of neighbours becomes one literal.
		if n := len(out); n > 0 && max(len(out[n-1].value), len(chain))+len(l.value) < maxLiteral && (f.adjacent(out[n-1], l) || f.pathParts(out[n-1], l)) {
			if len(chain) == 0 {
				chain = append(chain, out[n-1].value...)
			}
			if !f.adjacent(out[n-1], l) && !bytes.HasSuffix(chain, []byte{'/'}) {
				chain = append(chain, '/')
			}
			chain = append(chain, l.value...)
			out[n-1].end, out[n-1].folded = l.end, true
		} else {
			settle()
			out = append(out, l)
		}
		i = next
	}
	settle()
	f.lits = out
}

// operations are what may be done with a literal, going by the bytes around it.
func (f *folder) operations(i int) []func(int) (literal, int) {
	var out []func(int) (literal, int)
	before, after := f.lits[i].start-1, f.lits[i].end
	for before >= 0 && isSpace(f.src[before]) && f.lits[i].start-before < 20 {
		before--
	}
	for after < len(f.src) && isSpace(f.src[after]) && after-f.lits[i].end < 20 {
		after++
	}
	if after < len(f.src) && f.src[after] == '[' {
		out = append(out, f.reversed)
	}
	if after < len(f.src) && f.src[after] == ']' && f.lang != gate.LanguagePython && f.lang != gate.LanguageGo {
		out = append(out, f.member)
	}
	if after < len(f.src) && f.src[after] == '.' {
		out = append(out, f.concatenated, f.reversed, f.joined, f.characterList, f.replaced,
			f.splitJoined, f.replacedAll, f.cased, f.formatted, f.joinedReverse)
	}
	if before >= 0 && f.src[before] == '[' {
		out = append(out, f.listed)
	}
	if before >= 0 && f.src[before] == '(' {
		out = append(out, f.decoded, f.sprinted)
	}
	return out
}

// adjacent reports whether two literals are added.
func (f *folder) adjacent(a, b literal) bool {
	if a.end > b.start || b.start-a.end > 200 || a.code != "" || b.code != "" {
		return false
	}
	gap := strings.Trim(string(f.src[a.end:b.start]), " \t\r\n\\")
	return gap == "+" || gap == "" && f.lang == gate.LanguagePython && b.start > a.end
}

// pathParts reports whether two literals are parts of one path: HOME / "a" / "b" in Python,
// and path.join(HOME, "a", "b").
func (f *folder) pathParts(a, b literal) bool {
	if a.end > b.start || b.start-a.end > 20 || a.code != "" || b.code != "" || a.value == "" || b.value == "" || b.value[0] == '/' {
		return false
	}
	if strings.HasSuffix(a.value, "bin") || a.value == "Scripts" {
		return false // a program of a folder that is not known, such as an environment for the build
	}
	switch strings.Trim(string(f.src[a.end:b.start]), " \t\r\n\\") {
	case "/":
		return f.lang == gate.LanguagePython
	case ",":
		return joinsPath(f.src, a.start)
	}
	return false
}

// joinsPath reports whether an offset is among the arguments of a call that joins a path.
func joinsPath(src []byte, at int) bool {
	const far = 200 // bytes
	depth := 0
	for i := at - 1; i >= 0 && at-i < far; i-- {
		switch src[i] {
		case ')', ']', '}':
			depth++
		case '[', '{':
			if depth == 0 {
				return false
			}
			depth--
		case '(':
			if depth > 0 {
				depth--
				continue
			}
			start := i
			for start > 0 && char.IsWord(src[start-1]) {
				start--
			}
			switch string(src[start:i]) {
			case "join", "Join", "joinpath", "Path", "PurePath":
				return true
			}
			return false
		}
	}
	return false
}

// rest is a bounded view of what follows an offset.
func (f *folder) rest(at int) []byte { return f.src[at:min(len(f.src), at+200)] }

var (
	reverseOp   = regexp.MustCompile(`^\s*(?:\[\s*::\s*-1\s*\]|\.split\(\s*(?:""|'')\s*\)\.reverse\(\)\.join\(\s*(?:""|'')\s*\))`)
	joinOp      = regexp.MustCompile(`^\s*\.join\(\s*[\[(]\s*$`)
	replaceOp   = regexp.MustCompile(`^\s*\.replace(?:All)?\(\s*$`)
	comma       = regexp.MustCompile(`^\s*,\s*$`)
	closeList   = regexp.MustCompile(`^\s*,?\s*[\])]\s*\)`)
	closeCall   = regexp.MustCompile(`^\s*\)`)
	listJoin    = regexp.MustCompile(`^\s*,?\s*\]\s*\.join\(\s*$`)
	openList    = regexp.MustCompile(`\[\s*$`)
	charsJoin   = regexp.MustCompile(`^\s*\.join\(\s*\[?\s*(?:map\(\s*chr\s*,|chr\(\s*\w+\s*\)\s*for\s+\w+\s+in)\s*[\[(]([\dxa-fA-F,\s]+)[\])]\s*\)?\s*\]?\s*\)`)
	afterDecode = regexp.MustCompile(`^\s*\)(?:\s*\.(?:decode|toString)\(\s*(?:["'][\w-]*["'])?\s*\))?`)
)

// reversed folds "cba"[::-1].
func (f *folder) reversed(i int) (literal, int) {
	l := f.lits[i]
	m := reverseOp.Find(f.rest(l.end))
	if m == nil {
		return l, i
	}
	runes := []rune(l.value)
	slices.Reverse(runes)
	end, next := l.end+len(m), i+1
	for next < len(f.lits) && f.lits[next].start < end {
		next++
	}
	return literal{start: l.start, end: end, value: string(runes)}, next
}

// run collects literals from i on that only commas separate, and returns the
// index behind the last.
func (f *folder) run(i int) ([]string, int) {
	values := []string{f.lits[i].value}
	for i++; i < len(f.lits) && len(values) < 500 && comma.Match(f.between(i)); i++ {
		values = append(values, f.lits[i].value)
	}
	return values, i
}

// between is the code before a literal, up to the one in front of it.
func (f *folder) between(i int) []byte {
	a, b := f.lits[i-1].end, f.lits[i].start
	if b < a || b-a > 200 {
		return []byte("?")
	}
	return f.src[a:b]
}

// joined folds "-".join(["a", "b"]).
func (f *folder) joined(i int) (literal, int) {
	l := f.lits[i]
	if i+1 >= len(f.lits) || !joinOp.Match(f.between(i+1)) {
		return l, i
	}
	values, next := f.run(i + 1)
	last := f.lits[next-1].end
	m := closeList.Find(f.rest(last))
	if m == nil {
		return l, i
	}
	return f.bounded(literal{start: l.start, end: last + len(m), value: strings.Join(values, l.value)}, i, next)
}

// listed folds ["a", "b"].join("-").
func (f *folder) listed(i int) (literal, int) {
	l := f.lits[i]
	open := openList.FindIndex(f.src[max(0, l.start-20):l.start])
	if open == nil {
		return l, i
	}
	values, next := f.run(i)
	if next >= len(f.lits) || !listJoin.Match(f.between(next)) {
		return l, i
	}
	end := f.lits[next].end
	m := closeCall.Find(f.rest(end))
	if m == nil {
		return l, i
	}
	return f.bounded(literal{start: max(0, l.start-20) + open[0], end: end + len(m), value: strings.Join(values, f.lits[next].value)}, i, next+1)
}

// characterList folds "".join(map(chr, [111, 115])).
func (f *folder) characterList(i int) (literal, int) {
	l := f.lits[i]
	m := charsJoin.FindSubmatchIndex(f.src[l.end:min(len(f.src), l.end+maxLiteral)])
	if m == nil {
		return l, i
	}
	text, ok := numbers(string(f.src[l.end+m[2] : l.end+m[3]]))
	if !ok {
		return l, i
	}
	return f.bounded(literal{start: l.start, end: l.end + m[1], value: text}, i, i+1)
}

// replaced folds "oXs".replace("X", "").
func (f *folder) replaced(i int) (literal, int) {
	l := f.lits[i]
	if i+2 >= len(f.lits) || !replaceOp.Match(f.between(i+1)) || !comma.Match(f.between(i+2)) {
		return l, i
	}
	end := f.lits[i+2].end
	m := closeCall.Find(f.rest(end))
	if m == nil || f.lits[i+1].value == "" || len(f.lits[i+2].value) > len(f.lits[i+1].value) {
		return l, i
	}
	value := strings.ReplaceAll(l.value, f.lits[i+1].value, f.lits[i+2].value)
	return f.bounded(literal{start: l.start, end: end + len(m), value: value}, i, i+3)
}

// decoded folds a call that decodes a constant.
func (f *folder) decoded(i int) (literal, int) {
	l := f.lits[i]
	open := l.start - 1
	for open > 0 && isSpace(f.src[open]) && l.start-open < 20 {
		open--
	}
	start := open
	for start > 0 && open-start < 60 && (char.IsWord(f.src[start-1]) || f.src[start-1] == '.') {
		start--
	}
	name := string(f.src[start:open])
	if i := strings.LastIndexByte(name, '.'); i >= 0 && name != "codecs.decode" && name != "Buffer.from" {
		name = name[i+1:]
	}
	kind := encodingOf(name)
	if helps := f.decoders[name]; helps != "" {
		kind = helps
	}
	if kind == "" && name != "codecs.decode" && name != "Buffer.from" {
		return l, i
	}
	next, end := i+1, l.end
	if kind == "" && next < len(f.lits) && comma.Match(f.between(next)) { // the encoding is the second argument
		kind = strings.ToLower(f.lits[next].value)
		end, next = f.lits[next].end, next+1
	}
	value, ok := decode(kind, l.value)
	after := afterDecode.Find(f.rest(end))
	if !ok || after == nil {
		return l, i
	}
	for next < len(f.lits) && f.lits[next].start < end+len(after) {
		next++
	}
	return f.bounded(literal{start: start, end: end + len(after), value: value}, i, next)
}

// bounded gives up on values that are too long.
func (f *folder) bounded(l literal, i, next int) (literal, int) {
	if len(l.value) > maxLiteral {
		return l, i
	}
	return l, next
}

// characters finds chr(111) and String.fromCharCode(111, 115) in code.
func (f *folder) characters(from, to int) {
	for _, name := range []string{"chr(", "fromCharCode("} {
		for at := from; at < to; {
			i := bytes.Index(f.src[at:to], []byte(name))
			if i < 0 {
				break
			}
			start := at + i
			at = start + len(name)
			end := bytes.IndexByte(f.src[at:min(to, at+maxLiteral)], ')')
			if end < 0 {
				continue
			}
			text, ok := numbers(string(f.src[at : at+end]))
			for start > from && (char.IsWord(f.src[start-1]) || f.src[start-1] == '.') {
				start--
			}
			if ok {
				f.lits = append(f.lits, literal{start: start, end: at + end + 1, value: text, folded: true})
			}
		}
	}
}
