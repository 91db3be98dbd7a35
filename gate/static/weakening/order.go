package weakening

import "slices"

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
// with the statement itself: a block may be on its line.
func (u *unit) around(at int) []string {
	out := []string{u.stmts[at].text}
	depth := u.stmts[at].depth
	for _, s := range slices.Backward(u.stmts[:at]) {
		if s.depth < depth {
			depth = s.depth
			out = append(out, s.text)
		}
	}
	return out
}

// inHelper reports whether functions that new refusals ask do what a refusal of the base
// did: every word of its condition is in theirs.
func (v *view) inHelper(t test) bool {
	_, is := v.tests()
	want := words.FindAllString(t.cond, -1)
	for _, o := range is {
		if !o.denies || o.answer || v.allCome[o.at.text] == 0 {
			continue
		}
		have := map[string]bool{}
		decides := false
		for _, c := range callee.FindAllStringSubmatch(o.cond, -1) {
			for _, p := range v.byName[c[1]] {
				for _, s := range p.come {
					decides = decides || denies(p.head.lang, s.text)
					for _, w := range words.FindAllString(s.text, -1) {
						have[w] = true
					}
				}
			}
		}
		for _, w := range words.FindAllString(o.cond, -1) {
			have[w] = true
		}
		if decides && !slices.ContainsFunc(want, func(w string) bool { return !have[w] }) {
			return true
		}
	}
	return false
}
