package build

import "slices"

// Bounds of the work on one file.
const (
	maxSteps     = 200_000
	maxBytes     = 32 << 20 // that all values come to
	maxValue     = 64 << 10 // bytes of one value
	maxDepth     = 60       // how deep values refer to others
	maxVariables = 20_000
	maxVariants  = 8  // values that one variable may have at one place
	maxWays      = 16 // in which one text is worked out
	maxLines     = 20_000
)

// budget is what may still be done for one file.
type budget struct {
	steps, bytes int
	spent        bool
}

func newBudget() budget { return budget{steps: maxSteps, bytes: maxBytes} }

// take takes one step that makes so many bytes. It reports false once too much was done.
func (b *budget) take(bytes int) bool {
	b.steps--
	b.bytes -= bytes
	if b.steps < 0 || b.bytes < 0 {
		b.spent = true
	}
	return !b.spent
}

// ways goes through the ways to work out a text in which several variables have several
// values: each way is one choice for every variable that is met.
type ways struct {
	order  []string       // of the variables that were met
	choice map[string]int // which value of each
	among  map[string]int // how many there are
}

// choose is which of n values the variable has in this way.
func (w *ways) choose(name string, n int) int {
	if n < 2 {
		return 0
	}
	if _, met := w.choice[name]; !met {
		w.order = append(w.order, name)
		w.choice[name], w.among[name] = 0, n
	}
	return min(w.choice[name], n-1)
}

// next goes to the next way and reports whether there is one.
func (w *ways) next() bool {
	for i, name := range slices.Backward(w.order) {
		if w.choice[name]++; w.choice[name] < w.among[name] {
			return true
		}
		delete(w.choice, name)
		w.order = w.order[:i]
	}
	return false
}

// every calls do once for each way, at most maxWays times.
func every(do func(*ways)) {
	w := &ways{choice: map[string]int{}, among: map[string]int{}}
	for range maxWays {
		do(w)
		if !w.next() {
			return
		}
	}
}
