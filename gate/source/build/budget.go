package build

import (
	"fmt"
	"slices"
)

// Bounds of the work on one file.
const (
	maxSteps     = 2_000_000
	maxBytes     = 64 << 20 // that all values come to
	maxValue     = 64 << 10 // bytes of one value
	maxDepth     = 60       // how deep values refer to others
	maxVariables = 20_000
	maxVariants  = 32  // values that one variable may have at one place
	maxWays      = 32  // in which one text is worked out, all of them
	maxPairs     = 512 // in which it is, where there are more: those of two variables that are side by side
	maxLines     = 20_000
	maxDocument  = 500_000 // values of a document, and programs in it; files of translations have one for each sentence
)

// budget is what may still be done for one file.
type budget struct {
	steps, bytes int
	spent        bool
	unread       []string // the bounds that kept something from being worked out
}

func newBudget() *budget { return &budget{steps: maxSteps, bytes: maxBytes} }

// reach notes a bound that kept something from being worked out.
func (b *budget) reach(n int, of string) {
	if reason := fmt.Sprintf("%d %s", n, of); !slices.Contains(b.unread, reason) {
		b.unread = append(b.unread, reason)
	}
}

// full reports whether there are as many of something as are looked at, and notes it.
func (b *budget) full(have, most int, of string) bool {
	if have < most {
		return false
	}
	b.reach(most, of)
	return true
}

// over reports whether there is more of something than is looked at, and notes it.
func (b *budget) over(have, most int, of string) bool {
	if have <= most {
		return false
	}
	b.reach(most, of)
	return true
}

// take takes one step that makes so many bytes. It reports false once too much was done.
func (b *budget) take(bytes int) bool {
	b.steps--
	b.bytes -= bytes
	if b.steps < 0 || b.bytes < 0 {
		b.spent = true
		b.reach(maxBytes>>20, "MiB of texts, or "+fmt.Sprint(maxSteps)+" steps")
	}
	return !b.spent
}

// ways goes through the ways to work out a text in which several variables have several
// values: each way is one choice for every variable that is met.
type ways struct {
	order  []string       // of the variables that were met
	choice map[string]int // which value of each
	among  map[string]int // how many there are
	// fixed are the values of some variables, if those of the others don't matter: they
	// have their first or last value.
	fixed map[string]int
	last  bool
	// most is how many ways were tried, where there are more: then a variable with several
	// values has none that is known.
	most int
}

// choose is which of n values the variable has in this way.
func (w *ways) choose(name string, n int) int {
	if n < 2 {
		return 0
	}
	if i, ok := w.fixed[name]; ok {
		return min(i, n-1)
	}
	if w.fixed != nil && w.last {
		return n - 1
	} else if w.fixed != nil {
		return 0
	}
	if _, met := w.choice[name]; !met {
		w.order = append(w.order, name)
		w.choice[name], w.among[name] = 0, n
	}
	return min(w.choice[name], n-1)
}

// tooMany reports whether a variable with such values has none that is known.
func (w *ways) tooMany(values []string) (string, bool) {
	if w.most == 0 || len(values) < 2 {
		return "", false
	}
	return oneOf(values, w.most, "ways to choose values"), true
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

// every calls do once for each way. Where there are too many, all values of two variables
// that are side by side are tried, those of the others being their first or last.
func (b *budget) every(do func(*ways)) {
	w := &ways{choice: map[string]int{}, among: map[string]int{}}
	var met []string
	most := map[string]int{}
	for range maxWays {
		do(w)
		for _, name := range w.order {
			if most[name] == 0 {
				met = append(met, name)
			}
			most[name] = max(most[name], w.among[name])
		}
		if !w.next() {
			return
		}
	}
	n := 0
	for i, name := range met {
		next := met[min(i+1, len(met)-1)]
		for first := range most[name] {
			for second := range most[next] {
				for _, last := range []bool{false, true} {
					if n++; n > maxPairs {
						do(&ways{fixed: map[string]int{}, most: maxPairs})
						return
					}
					do(&ways{fixed: map[string]int{name: first, next: second}, last: last})
				}
			}
		}
	}
}

// variants keeps the values of one variable within their bound. over makes what stands for
// the others.
func variants[T comparable](values []T, over func([]T) T) []T {
	var out []T
	for _, v := range values {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	if len(out) > maxVariants {
		out = append(append(out[:maxVariants/4:maxVariants/4], out[len(out)-maxVariants*3/4:]...), over(out))
	}
	return out
}
