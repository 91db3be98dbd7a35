package weakening

import (
	"slices"
	"strings"
)

// inOrder reports whether a statement that comes has the place that a rule wants: behind one
// statement of its function, before one that the base has as well, and in a block.
func (v *view) inOrder(m *matcher, s stmt) bool {
	if !m.after.given() && !m.before.given() && !m.under.given() {
		return true
	}
	at := slices.Index(v.head.stmts, s)
	if at < 0 {
		return false
	}
	if m.after.given() && !slices.ContainsFunc(v.head.stmts[:at], func(o stmt) bool { return m.after.match(o.text) }) {
		return false
	}
	if m.under.given() && !slices.ContainsFunc(v.head.around(at), m.under.match) {
		return false
	}
	if !m.before.given() {
		return true
	}
	return v.base != nil && slices.ContainsFunc(v.head.stmts[at+1:], func(o stmt) bool {
		return m.before.match(o.text) && slices.ContainsFunc(v.base.stmts, func(b stmt) bool { return b.text == o.text })
	})
}

// around returns the heads of the enclosing blocks of a statement, the innermost first,
// with the statement itself: a block may be on its line. A case of a switch is a block too.
func (u *unit) around(at int) []string {
	out := []string{u.stmts[at].text}
	depth, labelled := u.stmts[at].depth, false
	for _, s := range slices.Backward(u.stmts[:at]) {
		label := strings.HasPrefix(s.text, "case ") || strings.HasPrefix(s.text, "default:")
		switch {
		case s.depth < depth:
			depth, labelled = s.depth, label
			out = append(out, s.text)
		case s.depth == depth && label && !labelled:
			labelled = true
			out = append(out, s.text)
		}
	}
	return out
}
