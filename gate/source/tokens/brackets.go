package tokens

import (
	"slices"
	"strings"
)

// opens follows an opening bracket behind a token.
func (r *reader) opens(c byte, before piece) {
	if len(r.open) >= maxOpen {
		return
	}
	g := group{open: c, call: called(before)}
	isType := r.golang() && c == '{' && before.Kind == Word && (before.Text == "interface" || before.Text == "struct" && r.control)
	if isType {
		g.control = r.control // the head of a function goes on behind the type of a parameter
	}
	if c == '{' && (r.script() && object(before) || r.golang() && !isType && r.composite(before)) {
		g.open = literal
	}
	if g.open == '{' {
		r.control = false
	}
	r.open = append(r.open, g)
}

// reserved are the words of Python behind which a bracket holds a value and calls nothing.
const reserved = " and as assert async await break case class continue def del elif else except exec finally for from global if in is lambda match nonlocal not or print raise return try while with yield "

// called reports whether a bracket of Python behind a token calls, declares or imports.
func called(before piece) bool {
	switch before.Kind {
	case Word:
		return !strings.Contains(reserved, " "+before.Text+" ") || before.Text == "exec" || before.Text == "print"
	case Mark:
		return before.Text == ")" || before.Text == "]"
	}
	return false
}

// object reports whether a brace of JavaScript behind a token holds the members of an
// object. Where it doesn't, a statement only becomes longer.
func object(before piece) bool {
	switch before.Kind {
	case Mark:
		return slices.Contains([]string{"(", "[", ",", "=", ":", "?", "||", "&&", "??", "+", "..."}, before.Text)
	case Word:
		return slices.Contains([]string{"return", "import", "export", "default", "yield", "await", "throw", "in", "of"}, before.Text)
	}
	return false
}

// composite is the same for the values of Go.
func (r *reader) composite(before piece) bool {
	if r.control {
		return false
	}
	switch before.Kind {
	case Word:
		return true
	case Mark:
		if n := len(r.open); n > 0 && r.open[n-1].open == literal && (before.Text == "," || before.Text == "{" || before.Text == ":") {
			return true
		}
		return before.Text == "]" || before.Text == "}"
	}
	return false
}

// closes follows a closing bracket, and drops a comma before it that means nothing.
func (r *reader) closes(c byte) {
	n := len(r.open)
	pair := map[byte]string{')': "(", ']': "[", '}': "{L"}[c]
	if n == 0 || strings.IndexByte(pair, r.open[n-1].open) < 0 {
		return
	}
	g := r.open[n-1]
	r.open = r.open[:n-1]
	if g.open == '{' {
		r.control = g.control
	}
	i := len(r.out) - 1
	for i >= 0 && r.out[i].Kind == Newline {
		i--
	}
	if i < 1 || r.out[i].Kind != Mark || r.out[i].Text != "," || !r.spare(g) {
		return
	}
	j := i - 1
	for j >= 0 && r.out[j].Kind == Newline {
		j--
	}
	if j < 0 || r.out[j].Kind == Mark && strings.Contains(",([{", r.out[j].Text) {
		return // an element that is left out counts
	}
	r.out = slices.Delete(r.out, i, i+1)
}

// spare reports whether the last comma in a bracket means nothing. In Python it makes a
// tuple of one value.
func (r *reader) spare(g group) bool {
	switch {
	case r.script(), r.golang():
		return true
	case !r.python():
		return false
	case g.open == '{', g.open == '(' && g.call, g.open == '[' && !g.call:
		return true
	}
	return g.commas > 1 && !g.lambda
}
