package match

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// automaton finds many words in one pass (Aho–Corasick), ignoring ASCII case. Bytes that no
// word contains share one class, so that states stay small.
//
// A state is made when a text first comes to it. All of them take megabytes, and a short text
// comes to a few hundred.
type automaton struct {
	class  [256]uint8
	stride int

	mu   sync.Mutex // of what makes states
	made int32      // how many there are
	now  atomic.Pointer[table]

	// The trie of words, by node; 0 is the start, and no node has it as a child.
	child, sibling []int32
	by             []uint8 // the class that leads to the node
	own            []int32 // the last of the words that end in the node, -1 for none
	twin           []int32 // another word that is the same, by word; -1 for none
}

// table has the states that are made, by their numbers. It is never made shorter: a larger one
// takes its place.
type table struct {
	// next is where each class leads from each state: 0 where that isn't made yet, else twice the
	// place of that state here, and one more where words end.
	next   []int32
	states []state
}

// state is a node of the trie. The start is the first one.
type state struct {
	node   int32
	suffix int32   // the state of the longest proper suffix that is in the trie
	ends   []int32 // words that end here
}

// first is the number of the state at the start; 0 is none.
const first = 1

// hit is one word found; end is the offset behind its last byte.
type hit struct {
	word int32
	end  int32
}

// newAutomaton builds the automaton of words, which are in lower case. At most
// 255 different bytes may occur in them.
func newAutomaton(words []string) *automaton {
	a := &automaton{stride: 1, twin: make([]int32, len(words))}
	for _, w := range words {
		for i := range len(w) {
			if c := w[i]; a.class[c] == 0 {
				a.class[c] = uint8(a.stride)
				a.stride++
			}
		}
	}
	for c := byte('a'); c <= 'z'; c++ {
		a.class[c-'a'+'A'] = a.class[c]
	}
	a.insert(words)
	a.now.Store(a.room(firstStates))
	a.made = first
	return a
}

// insert makes the trie. In their order, each word shares the nodes of its beginning with the
// one before it.
func (a *automaton) insert(words []string) {
	order := make([]int32, len(words))
	for i := range order {
		order[i], a.twin[i] = int32(i), -1
	}
	slices.SortFunc(order, func(x, y int32) int { return strings.Compare(words[x], words[y]) })
	a.grow(0)
	path, last := []int32{0}, ""
	for _, id := range order {
		w, shared := words[id], 0
		for shared < min(len(w), len(last)) && w[shared] == last[shared] {
			shared++
		}
		path = path[:shared+1]
		for i := shared; i < len(w); i++ {
			node := a.grow(a.class[w[i]])
			a.sibling[node], a.child[path[i]] = a.child[path[i]], node
			path = append(path, node)
		}
		at := path[len(w)]
		a.twin[id], a.own[at] = a.own[at], id
		last = w
	}
}

func (a *automaton) grow(class uint8) int32 {
	a.child, a.sibling, a.by, a.own = append(a.child, 0), append(a.sibling, 0), append(a.by, class), append(a.own, -1)
	return int32(len(a.child) - 1)
}

// firstStates is how many states there is room for at first.
const firstStates = 64

// room makes a table for that many states.
func (a *automaton) room(states int) *table {
	return &table{next: make([]int32, (states+1)*a.stride), states: make([]state, states+1)}
}

// step makes what a class leads to from a state, and returns the table that has it.
func (a *automaton) step(from int32, class uint8) *table {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.make(from, class)
	return a.now.Load()
}

// make returns the state that a class leads to, for one goroutine at a time.
func (a *automaton) make(from int32, class uint8) int32 {
	t := a.now.Load()
	if v := t.next[int(from)*a.stride+int(class)]; v != 0 {
		return v / 2 / int32(a.stride)
	}
	to := int32(first)
	if node := a.below(t.states[from].node, class); node != 0 {
		to = a.enter(from, node)
	} else if from != first {
		to = a.make(t.states[from].suffix, class)
	}
	t = a.now.Load() // there may be a new one
	v := 2 * to * int32(a.stride)
	if len(t.states[to].ends) > 0 {
		v++
	}
	atomic.StoreInt32(&t.next[int(from)*a.stride+int(class)], v)
	return to
}

// below returns the node that a class leads to in the trie, 0 for none.
func (a *automaton) below(node int32, class uint8) int32 {
	n := a.child[node]
	for n != 0 && a.by[n] != class {
		n = a.sibling[n]
	}
	return n
}

// enter makes the state of a node below that of another state.
func (a *automaton) enter(from, node int32) int32 {
	made := state{node: node, suffix: first}
	if from != first {
		made.suffix = a.make(a.now.Load().states[from].suffix, a.by[node])
	}
	for w := a.own[node]; w >= 0; w = a.twin[w] {
		made.ends = append(made.ends, w)
	}
	slices.Reverse(made.ends)
	t := a.now.Load()
	made.ends = append(made.ends, t.states[made.suffix].ends...)
	a.made++
	if int(a.made) == len(t.states) {
		more := a.room(2 * len(t.states))
		copy(more.states, t.states)
		copy(more.next, t.next) // no one else writes there
		a.now.Store(more)
		t = more
	}
	t.states[a.made] = made
	return a.made
}

// find calls do with every word of the text, in order of their ends.
func (a *automaton) find(text []byte, do func(hit)) {
	t := a.now.Load()
	at := first * a.stride
	for i, c := range text {
		class := a.class[c]
		v := atomic.LoadInt32(&t.next[at+int(class)])
		if v == 0 {
			t = a.step(int32(at/a.stride), class)
			v = atomic.LoadInt32(&t.next[at+int(class)])
		}
		at = int(v >> 1)
		if v&1 == 0 {
			continue
		}
		for _, w := range t.states[at/a.stride].ends {
			do(hit{word: w, end: int32(i + 1)})
		}
	}
}
