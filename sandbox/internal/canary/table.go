package canary

import "math/bits"

// table holds the patterns of one view by their rolling hash. All patterns of a
// table have the same length, so one hash over the last length bytes finds them
// all at once, in constant time a byte. Hashes are 64 bits with a random seed:
// a false find is a matter of 1 in 10^9 for a terabyte.
type table struct {
	mix    [256]uint64
	length int
	used   int
	keys   []uint64 // 0: free
	finds  []find
	// maybe has a bit for every hash that is there, and is small enough to stay in
	// the processor's nearest cache: nearly every byte ends the search here.
	maybe []uint64
}

// find is what a pattern means.
type find struct {
	token int32
	form  uint8
	last  byte // of the value in the pattern, for the key of an XOR
}

// hash returns the hash that a roller has after pattern.
func (t *table) hash(pattern []byte) uint64 {
	var h uint64
	for _, b := range pattern {
		h = bits.RotateLeft64(h, 1) ^ t.mix[b]
	}
	return h
}

// add enters a pattern. Of two that are the same the first one stays.
func (t *table) add(pattern []byte, f find) {
	t.length = len(pattern)
	if 2*(t.used+1) > len(t.keys) {
		old := *t
		t.keys = make([]uint64, max(64, 2*len(old.keys)))
		t.finds = make([]find, len(t.keys))
		t.maybe = make([]uint64, len(t.keys)/8) // 8 bits a slot, so 16 and more a hash
		for i, k := range old.keys {
			if k != 0 {
				at, _ := t.slot(k)
				t.keys[at], t.finds[at] = k, old.finds[i]
				t.mark(k)
			}
		}
	}
	h := t.hash(pattern)
	if at, found := t.slot(h); !found && h != 0 {
		t.keys[at], t.finds[at] = h, f
		t.used++
		t.mark(h)
	}
}

// mark and may use other bits of a hash than slot does.
func (t *table) mark(h uint64) {
	t.maybe[h>>32&uint64(len(t.maybe)-1)] |= 1 << (h >> 26 & 63)
}

func (t *table) may(h uint64) bool {
	return t.maybe[h>>32&uint64(len(t.maybe)-1)]>>(h>>26&63)&1 != 0
}

// slot returns where h is, or where it belongs.
func (t *table) slot(h uint64) (at int, found bool) {
	mask := uint64(len(t.keys) - 1)
	i := h & mask
	for t.keys[i] != 0 && t.keys[i] != h {
		i = (i + 1) & mask
	}
	return int(i), t.keys[i] == h
}

// lookup returns what ends here, if anything.
func (t *table) lookup(h uint64) (find, bool) {
	if t.used == 0 || h == 0 || !t.may(h) {
		return find{}, false
	}
	at, found := t.slot(h)
	if !found {
		return find{}, false
	}
	return t.finds[at], true
}

// roller is the hash over the last bytes of a stream. Patterns are shorter than
// its ring.
type roller struct {
	hash uint64
	n    uint32 // bytes seen; wraps, which costs at most one find
	ring [32]byte
}

// push takes the next byte and looks up what ends with it.
func (r *roller) push(t *table, b byte) (find, bool) {
	out := r.ring[(r.n-uint32(t.length))&31]
	r.hash = bits.RotateLeft64(r.hash, 1) ^ t.mix[b]
	if r.n >= uint32(t.length) {
		r.hash ^= bits.RotateLeft64(t.mix[out], t.length)
	}
	r.ring[r.n&31] = b
	r.n++
	if r.n < uint32(t.length) {
		return find{}, false
	}
	return t.lookup(r.hash)
}
