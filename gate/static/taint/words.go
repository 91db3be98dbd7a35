package taint

import (
	"strings"

	"github.com/aigate/gate/gate/source/lex"
)

// readWord returns where the word at an offset ends, and reads the commands of
// the substitutions in it.
func (r *shellReader) readWord(i int) int {
	for i < len(r.view) {
		if span, ok := r.text.Span(i); ok && span.Class == lex.String {
			if i == span.Start && (r.view[i] == ')' || r.view[i] == '`') {
				return i // the string around the substitution that is being read goes on
			}
			i = r.readString(span)
			continue
		}
		switch b := r.view[i]; {
		case r.substitutes(i):
			i = min(r.commands(i+2, ')')+1, len(r.view))
		case b == '`' && r.closing == '`':
			return i
		case b == '`':
			i = min(r.commands(i+1, '`')+1, len(r.view))
		case b == '\\':
			i += 2
		case b <= ' ' || strings.IndexByte(";|&<>()", b) >= 0:
			return i
		default:
			i = r.readPlain(i)
		}
	}
	return min(i, len(r.view))
}

// readPlain returns where the piece of a word ends that is neither quoted nor a
// substitution, and reads the variables in it. It goes on by a byte at least.
func (r *shellReader) readPlain(start int) int {
	i := start
	for i < len(r.view) && r.view[i] > ' ' && strings.IndexByte(";|&<>()`\\\"'", r.view[i]) < 0 && (i == start || !r.substitutes(i)) {
		i++
	}
	r.variables(Span{start, i})
	return max(i, start+1)
}

// substitutes reports whether a command in $( ) begins at an offset.
func (r *shellReader) substitutes(i int) bool {
	return r.view[i] == '$' && i+1 < len(r.view) && r.view[i+1] == '('
}

// readString reads a string with the substitutions in it, whose commands are
// code between its pieces, and returns where it ends.
func (r *shellReader) readString(span lex.Span) int {
	for {
		if r.view[span.Start] != '\'' {
			r.variables(Span{span.Start, span.End})
		}
		i := span.End
		switch {
		case i-span.Start >= 2 && string(r.view[i-2:i]) == "$(":
			i = r.commands(i, ')')
		case r.view[i-1] == '`' && i < len(r.view):
			i = r.commands(i, '`')
		default:
			return i
		}
		next, ok := r.text.Span(i)
		if !ok || next.Start != i || next.Class != lex.String || next.End <= span.End {
			return i
		}
		span = next
	}
}

// variables records the variables in a piece of a word.
func (r *shellReader) variables(in Span) {
	for i := in.Start; i+1 < in.End; i++ {
		if r.view[i] == '\\' {
			i++
			continue
		}
		if r.view[i] != '$' {
			continue
		}
		n := i + 1
		if r.view[n] == '{' {
			n++
			if n < in.End && (r.view[n] == '#' || r.view[n] == '!') {
				n++
			}
		}
		end := n
		for end < in.End && (letter(r.view[end]) && r.view[end] != '$' || digit(r.view[end])) {
			end++
		}
		if end == n && n < in.End && (r.view[n] == '@' || r.view[n] == '*') {
			end++
		}
		if end > n {
			r.script.uses = append(r.script.uses, shellUse{at: i, name: string(r.view[n:end])})
		}
	}
}

// word is the text of a word without quotes.
func (r *shellReader) word(s Span) string {
	return strings.Map(func(r rune) rune {
		if r == '"' || r == '\'' || r == '\\' {
			return -1
		}
		return r
	}, string(r.view[s.Start:min(s.End, s.Start+maxWord)]))
}

// maxWord bounds the words that are looked at.
const maxWord = 4 << 10 // bytes
