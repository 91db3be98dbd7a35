package match

import (
	"maps"
	"slices"

	"github.com/aigate/gate/gate/static/rule"
)

// Bounds of what one file may cost, with everything that is unwrapped from it. A
// program that a person wrote stays far below them: a hundred kilobytes of the
// densest code take a tenth.
const (
	maxWork    = 32 << 20 // bytes that expressions may look at, in all
	maxShare   = 8 << 20  // bytes that those of one rule may look at in one text
	maxMatches = 1000     // matches of one rule that are reported
	// maxSpare are matches beyond those, of all rules together: a large file has many that
	// its base has as well, and which is known only when all are compared.
	maxSpare = 100_000
	// maxSecrets is the same for rules that redact, of which every match matters to
	// what other findings show.
	maxSecrets  = 20_000
	maxFlowWork = 8 << 20 // tokens and definitions that questions about flows may look at
)

// What things cost, measured in bytes that an expression of average length looks
// at in a short line.
const (
	perWindow     = 32      // for one that is only sifted
	siftedSpeed   = 16      // how many bytes are sifted for one
	statesSpeed   = 2       // how many bytes an automaton looks at for one; in truth ten
	perExpression = 2 << 10 // for one that is made by filling in groups
	// In more than this, package regexp cannot remember where it has been, and takes
	// an algorithm that needs several times as long for a byte.
	longWindow = 2 << 10
	longCost   = 3
)

// Budget is what is left of those bounds for one file: all texts that are found
// in it share one. It is for one goroutine.
type Budget struct {
	work, flow int
	shares     int // what the expressions of one rule may cost in one text
	matches    map[*rule.Rule]int
	spare      int // matches beyond those that each rule has
	reached    map[string]bool
	unmasked   bool
	unfollowed bool
	// What is made for one text of the file serves the next one.
	near   [][]int32 // as in run, with no words
	filled map[string]*lazyExpr
}

// NewBudget returns what one file may cost. That grows with its size in bytes, up to the
// tenfold: minified code of fifty kilobytes takes two, and a larger file has few dense parts.
func NewBudget(size int64) *Budget {
	times := int(min(leastBudgets+size/perBudget, maxBudgets))
	return &Budget{work: times * maxWork, shares: times * maxShare, flow: times * maxFlowWork, matches: map[*rule.Rule]int{}, spare: maxSpare, reached: map[string]bool{}}
}

const (
	leastBudgets = 3
	perBudget    = 64 << 10 // bytes of a file for which it gets another budget
	maxBudgets   = 10
)

// emptySlots returns so many slots without words.
func (b *Budget) emptySlots(n int) [][]int32 {
	near := b.near
	if b.near = nil; len(near) < n { // a text within a text would get others
		near = make([][]int32, n)
	}
	return near
}

// giveBack takes slots back, of which some have words.
func (b *Budget) giveBack(near [][]int32, filled []int32) {
	for _, slot := range filled {
		near[slot] = near[slot][:0]
	}
	b.near = near
}

// expression returns a filled-in pattern, of which the file keeps as many as one text may have.
func (b *Budget) expression(text string) *lazyExpr {
	if e, ok := b.filled[text]; ok {
		return e
	}
	e := &lazyExpr{text: text}
	if b.filled == nil {
		b.filled = map[string]*lazyExpr{}
	}
	if len(b.filled) < maxDynamic {
		b.filled[text] = e
	}
	return e
}

// Reached returns the ids of the rules that did not look at all of the file,
// sorted.
func (b *Budget) Reached() []string { return slices.Sorted(maps.Keys(b.reached)) }

// Unfollowed reports whether a text defines more functions or names than values are
// followed through.
func (b *Budget) Unfollowed() bool { return b.unfollowed }

// Unmasked reports whether there are secrets that no match stands for: then
// nothing of the file may be shown.
func (b *Budget) Unmasked() bool { return b.unmasked }

// full counts a match, and reports whether it is one too many.
func (b *Budget) full(rl *rule.Rule) bool {
	most := maxMatches
	if rl.Redact {
		most = maxSecrets
	}
	if b.matches[rl]++; b.matches[rl] <= most {
		return false
	}
	if b.spare > 0 && !rl.Redact {
		b.spare--
		return false
	}
	b.stop(rl)
	return true
}

// stop records that a rule has not looked at everything.
func (b *Budget) stop(rl *rule.Rule) {
	b.reached[rl.ID] = true
	b.unmasked = b.unmasked || rl.Redact
}

// spend takes a window off the budget, and reports false where nothing is left.
func (r *run) spend(w window, sifted bool) bool {
	size := w.end - w.start
	switch {
	case sifted:
		return r.pay(perWindow + size/siftedSpeed)
	case size > longWindow:
		return r.pay(size * longCost)
	default:
		return r.pay(size)
	}
}

// pay is spend for anything that has a price.
func (r *run) pay(cost int) bool {
	r.share -= cost
	r.Budget.work -= cost
	return r.share >= 0 && r.Budget.work >= 0
}
