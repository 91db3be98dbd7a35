package linediff

import (
	"slices"
	"sort"
)

const (
	// maxWork bounds the comparisons of one difference: about a second.
	maxWork = 100_000_000
	// maxEdits is the most insertions and deletions that one search looks for;
	// its memory grows with the square: 8 MiB.
	maxEdits = 2000
	// maxSplits bounds how often a region is split at its unique lines.
	maxSplits = 16
)

// differ compares two texts of numbered lines.
type differ struct {
	a, b  []int32
	work  int // what is left of maxWork
	hunks []Hunk
}

// compare appends the hunks between the lines of o and those of n. First comes
// the search for the shortest way; where that is too long, the region is split
// at lines that are in both exactly once; where there are none, all of it changed.
func (d *differ) compare(o, n Span, splits int) {
	o, n = d.trim(o, n)
	if o.Len() == 0 || n.Len() == 0 {
		d.emit(o, n)
		return
	}
	if path, ok := d.shortest(o, n); ok {
		d.walk(o, n, path)
		return
	}
	anchors := d.anchors(o, n)
	if len(anchors) == 0 || splits == maxSplits {
		d.emit(o, n)
		return
	}
	from := [2]int{o.Start, n.Start}
	for _, at := range append(anchors, [2]int{o.End, n.End}) {
		d.compare(Span{from[0], at[0]}, Span{from[1], at[1]}, splits+1)
		from = [2]int{at[0] + 1, at[1] + 1}
	}
}

// trim drops equal lines at both ends.
func (d *differ) trim(o, n Span) (Span, Span) {
	for o.Len() > 0 && n.Len() > 0 && d.a[o.Start] == d.b[n.Start] {
		o.Start++
		n.Start++
	}
	for o.Len() > 0 && n.Len() > 0 && d.a[o.End-1] == d.b[n.End-1] {
		o.End--
		n.End--
	}
	return o, n
}

func (d *differ) emit(o, n Span) {
	if o.Len() > 0 || n.Len() > 0 {
		d.hunks = append(d.hunks, Hunk{o, n})
	}
}

// shortest is the greedy algorithm of Myers, "An O(ND) Difference Algorithm and
// Its Variations" (1986). It returns the furthest-reaching points of every
// round, from which walk finds the way back; ok is false when the texts are too
// different for what is left of the work.
func (d *differ) shortest(o, n Span) (rounds [][]int32, ok bool) {
	lo, ln := o.Len(), n.Len()
	reach := []int32{0} // of diagonals -edits, -edits+2, …, edits
	for edits := 0; edits <= maxEdits; edits++ {
		if edits > 0 {
			reach = advance(rounds[edits-1], edits)
		}
		for i, x32 := range reach {
			k := 2*i - edits
			x := int(x32)
			y := x - k
			from := x
			for x < lo && y < ln && d.a[o.Start+x] == d.b[n.Start+y] {
				x++
				y++
			}
			d.work -= 1 + x - from
			reach[i] = int32(x)
			if x >= lo && y >= ln {
				return append(rounds, reach), true
			}
		}
		if d.work <= 0 {
			return nil, false
		}
		rounds = append(rounds, reach)
	}
	return nil, false
}

// advance returns where each diagonal of the next round starts, given how far
// those of the last one reach.
func advance(last []int32, edits int) []int32 {
	next := make([]int32, edits+1)
	for i := range next {
		next[i], _ = step(last, i)
	}
	return next
}

// step says where diagonal i of the next round starts: one line further down
// (an insertion) or to the right (a deletion) of a diagonal of the last round.
func step(last []int32, i int) (x int32, inserted bool) {
	if i == 0 || i < len(last) && last[i-1] < last[i] {
		return last[i], true
	}
	return last[i-1] + 1, false
}

// walk goes back along the shortest way and emits its edits in order.
func (d *differ) walk(o, n Span, rounds [][]int32) {
	var hunks []Hunk
	x, y := o.Len(), n.Len()
	for edits := len(rounds) - 1; edits > 0; edits-- {
		i := (x - y + edits) / 2
		start, inserted := step(rounds[edits-1], i)
		x = int(start)
		y = x - (2*i - edits)
		if inserted {
			y--
			hunks = append(hunks, Hunk{Span{o.Start + x, o.Start + x}, Span{n.Start + y, n.Start + y + 1}})
			continue
		}
		x--
		hunks = append(hunks, Hunk{Span{o.Start + x, o.Start + x + 1}, Span{n.Start + y, n.Start + y}})
	}
	slices.Reverse(hunks)
	d.hunks = append(d.hunks, hunks...)
}

// anchors returns the longest chain of lines that are in both regions exactly
// once, in the order of both ("patience" difference).
func (d *differ) anchors(o, n Span) [][2]int {
	type place struct{ a, b, inA, inB int }
	places := map[int32]*place{}
	for i := o.Start; i < o.End; i++ {
		p := places[d.a[i]]
		if p == nil {
			p = &place{}
			places[d.a[i]] = p
		}
		p.a, p.inA = i, p.inA+1
	}
	for i := n.Start; i < n.End; i++ {
		if p := places[d.b[i]]; p != nil {
			p.b, p.inB = i, p.inB+1
		}
	}
	var unique [][2]int
	for i := o.Start; i < o.End; i++ {
		if p := places[d.a[i]]; p.inA == 1 && p.inB == 1 {
			unique = append(unique, [2]int{p.a, p.b})
		}
	}
	return increasing(unique)
}

// increasing returns the longest subsequence whose second numbers increase.
func increasing(pairs [][2]int) [][2]int {
	var ends []int // index of the pair that ends the best chain of each length
	before := make([]int, len(pairs))
	for i, p := range pairs {
		at := sort.Search(len(ends), func(j int) bool { return pairs[ends[j]][1] >= p[1] })
		before[i] = -1
		if at > 0 {
			before[i] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, i)
		} else {
			ends[at] = i
		}
	}
	if len(ends) == 0 {
		return nil
	}
	out := make([][2]int, 0, len(ends))
	for i := ends[len(ends)-1]; i >= 0; i = before[i] {
		out = append(out, pairs[i])
	}
	slices.Reverse(out)
	return out
}
