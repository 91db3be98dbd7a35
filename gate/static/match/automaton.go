package match

import (
	"slices"
	"strings"
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
	start  *state

	// The trie of words, by node; 0 is the start, and no node has it as a child.
	child, sibling []int32
	by             []uint8 // the class that leads to the node
	own            []int32 // the last of the words that end in the node, -1 for none
	twin           []int32 // another word that is the same, by word; -1 for none
}

// state is a node of the trie, and where each class leads from there.
type state struct {
	node   int32
	suffix *state  // of the longest proper suffix that is in the trie; nil for the start
	ends   []int32 // words that end here
	next   []atomic.Pointer[state]
}

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
	a.start = &state{next: make([]atomic.Pointer[state], a.stride)}
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

// step returns the state that a class leads to. Several texts may make it at once: the first
// one stays.
func (a *automaton) step(s *state, class uint8) *state {
	if to := s.next[class].Load(); to != nil {
		return to
	}
	to := a.start
	if node := a.below(s.node, class); node != 0 {
		to = a.enter(s, node)
	} else if s.suffix != nil {
		to = a.step(s.suffix, class)
	}
	if !s.next[class].CompareAndSwap(nil, to) {
		return s.next[class].Load()
	}
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

// enter makes the state of a node below that of s.
func (a *automaton) enter(s *state, node int32) *state {
	to := &state{node: node, suffix: a.start, next: make([]atomic.Pointer[state], a.stride)}
	if s.suffix != nil {
		to.suffix = a.step(s.suffix, a.by[node])
	}
	for w := a.own[node]; w >= 0; w = a.twin[w] {
		to.ends = append(to.ends, w)
	}
	slices.Reverse(to.ends)
	to.ends = append(to.ends, to.suffix.ends...)
	return to
}

// find calls do with every word of the text, in order of their ends.
func (a *automaton) find(text []byte, do func(hit)) {
	s := a.start
	for i, c := range text {
		class := a.class[c]
		to := s.next[class].Load()
		if to == nil {
			to = a.step(s, class)
		}
		s = to
		for _, w := range s.ends {
			do(hit{word: w, end: int32(i + 1)})
		}
	}
}
