package match

import (
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/rule"
)

// Halves are, for each rule that asks for a flow, what a text has of what the rule needs.
type Halves map[*rule.Rule]half

// half is what one text has of what a rule needs.
type half struct {
	uses  bool   // what the rule matches: where a value leaves or runs
	gives uint32 // the conditions that hold, by their number
}

// needs are the conditions of a rule that have to hold somewhere, and those of them that ask
// for a flow. The last bit stands for all that only raise it.
type needs struct{ all, flows uint32 }

const raises = 31

// Join adds what another text of the same file has.
func (h Halves) Join(other Halves) {
	for rl, o := range other {
		h[rl] = half{h[rl].uses || o.uses, h[rl].gives | o.gives}
	}
}

// Rules are the ids of the rules of which a text has a side: where a value leaves, or where it
// comes from.
func (h Halves) Rules() []string {
	var out []string
	for rl, o := range h {
		if o.uses || o.gives&needsOf(rl).flows != 0 {
			out = append(out, rl.ID)
		}
	}
	return out
}

// Meet returns the ids of the rules by which a value may flow from one of some texts into
// another one.
func Meet(texts []Halves) map[string]bool {
	ids := map[string]bool{}
	for i, uses := range texts {
		for rl, h := range uses {
			if !h.uses || ids[rl.ID] {
				continue
			}
			need, have, elsewhere := needsOf(rl), uint32(0), uint32(0)
			for j, other := range texts {
				have |= other[rl].gives
				if i != j {
					elsewhere |= other[rl].gives
				}
			}
			if have&need.all == need.all && elsewhere&need.flows != 0 {
				ids[rl.ID] = true
			}
		}
	}
	return ids
}

// Complement reports whether one text has where a value leaves, and the other where it comes
// from, by any rule that counts in files of a role.
func Complement(a, b Halves, role gate.Role) bool {
	for rl, h := range a {
		o, ok := b[rl]
		if !ok || highest(rl, rl.In(role)) < gate.SeveritySuspicious || rl.In(role).Off {
			continue
		}
		flows := needsOf(rl).flows
		if h.uses && o.gives&flows != 0 || o.uses && h.gives&flows != 0 {
			return true
		}
	}
	return false
}

// CountsIn reports whether any of the rules counts in files of a role.
func (h Halves) CountsIn(role gate.Role) bool {
	for rl := range h {
		if effect := rl.In(role); !effect.Off && highest(rl, effect) >= gate.SeveritySuspicious {
			return true
		}
	}
	return false
}

// needsOf numbers the conditions of a rule.
func needsOf(rl *rule.Rule) needs {
	var n needs
	for i, c := range rl.All[:min(len(rl.All), raises)] {
		if asks(c) {
			n.flows |= 1 << i
		}
		if asks(c) || c.Matcher != nil && c.Within == rule.WithinFile && !c.Captures {
			n.all |= 1 << i
		}
	}
	for _, raise := range rl.Escalations {
		for _, c := range raise.All {
			if asks(c) {
				n.flows |= 1 << raises
			}
		}
	}
	return n
}

// asks reports whether a condition asks for a flow.
func asks(c rule.Condition) bool {
	return slices.ContainsFunc(c.Any, asks) || c.Matcher != nil && (c.Within == rule.WithinFlow || c.Within == rule.WithinGuard)
}

// Halves looks for what a text has of what rules about flows need, at a fraction of what
// [Engine.Run] costs. Where the budget ends, it counts as there.
func (e *Engine) Halves(t Text) Halves {
	out := Halves{}
	r := e.start(t)
	defer end(r)
	if len(r.filled) == 0 {
		return out
	}
	for _, w := range r.program.rules {
		rl := w.rule
		if t.Only != nil && !t.Only[rl.ID] {
			continue
		}
		need := needsOf(rl)
		if effect := rl.In(t.Role); need.flows == 0 || effect.Off || highest(rl, effect) < gate.SeveritySuspicious {
			continue
		}
		r.share = r.Budget.shares
		use := e.patterns[rl.Match]
		h := half{uses: r.mayMatch(use) && r.matches(use, true)}
		for i, c := range rl.All[:min(len(rl.All), raises)] {
			if need.all&(1<<i) != 0 && holdsSomewhere(r, c) {
				h.gives |= 1 << i
			}
		}
		for _, raise := range rl.Escalations {
			for _, c := range raise.All {
				if asks(c) && holdsSomewhere(r, c) {
					h.gives |= 1 << raises
				}
			}
		}
		if h != (half{}) {
			out[rl] = h
		}
	}
	return out
}

// holdsSomewhere reports whether what a condition looks for is anywhere in the text.
func holdsSomewhere(r *run, c rule.Condition) bool {
	if slices.ContainsFunc(c.Any, func(c rule.Condition) bool { return holdsSomewhere(r, c) }) {
		return true
	}
	if c.Matcher == nil {
		return false
	}
	p := r.engine.patterns[c.Matcher]
	switch {
	case !r.mayMatch(p):
		return false
	case c.NewPackage:
		return r.NewPackage != nil && r.namesNew(c, p, true)
	case c.NewHost:
		return r.NewHost != nil && r.namesNew(c, p, true)
	default:
		return r.matches(p, true)
	}
}
