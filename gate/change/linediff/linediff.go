package linediff

import "bytes"

// Span is a range of lines, 0-based, the end excluded.
type Span struct{ Start, End int }

// Len returns the number of lines.
func (s Span) Len() int { return s.End - s.Start }

// Hunk says that the lines Old of the older text became the lines New. One of
// the two may be empty.
type Hunk struct{ Old, New Span }

// Lines splits a text into its lines, each with its line feed; the last one may
// have none. Lines end with a line feed and nothing else, as git counts them.
func Lines(text []byte) [][]byte {
	if len(text) == 0 {
		return nil
	}
	out := make([][]byte, 0, bytes.Count(text, []byte{'\n'})+1)
	for line := range bytes.SplitAfterSeq(text, []byte{'\n'}) {
		if len(line) > 0 {
			out = append(out, line)
		}
	}
	return out
}

// Hunks returns what became different, in order; between two hunks there is at
// least one unchanged line.
func Hunks(older, newer []byte) []Hunk {
	a, b := number(Lines(older), Lines(newer))
	d := differ{a: a, b: b, work: maxWork}
	d.compare(Span{0, len(a)}, Span{0, len(b)}, 0)
	return merge(d.hunks)
}

// number gives equal lines equal numbers, from 0 on.
func number(older, newer [][]byte) (a, b []int32) {
	ids := make(map[string]int32, len(older))
	assign := func(lines [][]byte) []int32 {
		out := make([]int32, len(lines))
		for i, l := range lines {
			id, ok := ids[string(l)]
			if !ok {
				id = int32(len(ids))
				ids[string(l)] = id
			}
			out[i] = id
		}
		return out
	}
	return assign(older), assign(newer)
}

// merge joins hunks that touch.
func merge(hunks []Hunk) []Hunk {
	var out []Hunk
	for _, h := range hunks {
		if n := len(out); n > 0 && out[n-1].Old.End == h.Old.Start && out[n-1].New.End == h.New.Start {
			out[n-1].Old.End, out[n-1].New.End = h.Old.End, h.New.End
			continue
		}
		out = append(out, h)
	}
	return out
}
