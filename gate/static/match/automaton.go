package match

import "slices"

// automaton finds many words in one pass (Aho–Corasick), ignoring ASCII case.
// Bytes that no word contains share one class, so that the table stays small
// and a step costs two loads.
type automaton struct {
	class  [256]uint8
	stride int
	next   []uint32  // state*stride + class → state*stride, with the top bit set where words end
	ends   [][]int32 // words that end in a state, by state
}

// ending marks a transition into a state in which words end.
const ending = 1 << 31

// hit is one word found; end is the offset behind its last byte.
type hit struct {
	word int32
	end  int32
}

// newAutomaton builds the automaton of words, which are in lower case. At most
// 255 different bytes may occur in them.
func newAutomaton(words []string) *automaton {
	a := &automaton{stride: 1}
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
	a.link()
	return a
}

func (a *automaton) grow() uint32 {
	state := uint32(len(a.next))
	a.next = a.next[:len(a.next)+a.stride] // there is room, and nothing in it yet
	a.ends = append(a.ends, nil)
	return state
}

// states counts the states of the trie of words: one for each different
// beginning of a word, the empty one too.
func states(words []string) int {
	n, last := 1, ""
	for _, w := range slices.Sorted(slices.Values(words)) {
		shared := 0
		for shared < min(len(w), len(last)) && w[shared] == last[shared] {
			shared++
		}
		n += len(w) - shared
		last = w
	}
	return n
}

func (a *automaton) insert(words []string) {
	// The table takes megabytes: growing it step by step would cost more than all
	// the rest of starting.
	n := states(words)
	a.next, a.ends = make([]uint32, 0, n*a.stride), make([][]int32, 0, n)
	a.grow()
	for id, w := range words {
		state := uint32(0)
		for i := range len(w) {
			edge := state + uint32(a.class[w[i]])
			if a.next[edge] == 0 { // no edge: none leads back to the start in a trie
				a.next[edge] = a.grow()
			}
			state = a.next[edge]
		}
		at := state / uint32(a.stride)
		a.ends[at] = append(a.ends[at], int32(id))
	}
}

// link turns the trie into an automaton, breadth first: a missing edge leads
// where the longest proper suffix of the state leads.
func (a *automaton) link() {
	stride := uint32(a.stride)
	suffix := make([]uint32, len(a.ends))
	queue := make([]uint32, 1, len(a.ends)) // the start is its own suffix
	for i := 0; i < len(queue); i++ {
		state := queue[i]
		back := suffix[state/stride]
		row, behind := a.next[state:state+stride], a.next[back:back+stride]
		for c, to := range row {
			if to == 0 {
				row[c] = behind[c]
				continue
			}
			queue = append(queue, to)
			own := &a.ends[to/stride]
			if state != 0 {
				to := behind[c] &^ ending
				suffix[row[c]/stride] = to
				*own = append(*own, a.ends[to/stride]...)
			}
			if len(*own) > 0 {
				row[c] |= ending
			}
		}
	}
}

// find calls do with every word of the text, in order of their ends.
func (a *automaton) find(text []byte, do func(hit)) {
	state := uint32(0)
	for i, c := range text {
		state = a.next[state+uint32(a.class[c])]
		if state&ending != 0 {
			state &^= ending
			for _, w := range a.ends[state/uint32(a.stride)] {
				do(hit{word: w, end: int32(i + 1)})
			}
		}
	}
}
