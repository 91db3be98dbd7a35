package linediff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHunks(t *testing.T) {
	tests := []struct {
		name         string
		older, newer string
		want         []Hunk
	}{
		{"equal texts have no hunks", "a\nb\n", "a\nb\n", nil},
		{"two empty texts have no hunks", "", "", nil},
		{"a new text is one insertion", "", "a\nb\n", []Hunk{{Span{0, 0}, Span{0, 2}}}},
		{"an emptied text is one deletion", "a\nb\n", "", []Hunk{{Span{0, 2}, Span{0, 0}}}},
		{"a changed line is replaced", "a\nb\nc\n", "a\nX\nc\n", []Hunk{{Span{1, 2}, Span{1, 2}}}},
		{"an inserted line keeps its neighbours", "a\nc\n", "a\nb\nc\n", []Hunk{{Span{1, 1}, Span{1, 2}}}},
		{"a deleted line keeps its neighbours", "a\nb\nc\n", "a\nc\n", []Hunk{{Span{1, 2}, Span{1, 1}}}},
		{"two edits are two hunks", "a\nb\nc\nd\n", "X\nb\nc\nY\n", []Hunk{{Span{0, 1}, Span{0, 1}}, {Span{3, 4}, Span{3, 4}}}},
		{"a lost line feed at the end changes the last line", "a\nb\n", "a\nb", []Hunk{{Span{1, 2}, Span{1, 2}}}},
		{"a carriage return changes a line", "a\nb\n", "a\r\nb\n", []Hunk{{Span{0, 1}, Span{0, 1}}}},
		{"a carriage return alone ends no line", "a\rb\n", "a\rc\n", []Hunk{{Span{0, 1}, Span{0, 1}}}},
		{"a repeated block is added behind the first", "{\n}\n", "{\n}\n{\n}\n", []Hunk{{Span{2, 2}, Span{2, 4}}}},
		{"bytes that are not text are compared as bytes", "\xff\x00\n\n", "\xff\x01\n\n", []Hunk{{Span{0, 1}, Span{0, 1}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Hunks([]byte(tt.older), []byte(tt.newer))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// check fails the test unless the hunks turn older into newer when everything
// between them is copied: then what they call unchanged is.
func check(t *testing.T, older, newer []byte, hunks []Hunk) (edits int) {
	t.Helper()
	a, b := Lines(older), Lines(newer)
	at := Span{}
	same := func(o, n int) {
		t.Helper()
		if o-at.Start != n-at.End || !bytes.Equal(bytes.Join(a[at.Start:o], nil), bytes.Join(b[at.End:n], nil)) {
			t.Fatalf("lines %d..%d and %d..%d are called unchanged and differ", at.Start, o, at.End, n)
		}
	}
	for i, h := range hunks {
		if h.Old.Len() < 0 || h.New.Len() < 0 || h.Old.Len()+h.New.Len() == 0 {
			t.Fatalf("hunk %d is empty or backwards: %+v", i, h)
		}
		if i > 0 && h.Old.Start == at.Start && h.New.Start == at.End {
			t.Fatalf("hunk %d touches the one before it", i)
		}
		same(h.Old.Start, h.New.Start)
		at = Span{h.Old.End, h.New.End}
		edits += h.Old.Len() + h.New.Len()
	}
	same(len(a), len(b))
	return edits
}

func randomText(r *rand.Rand, lines, words int) []byte {
	var b strings.Builder
	for range lines {
		fmt.Fprintf(&b, "%d\n", r.IntN(words))
	}
	return []byte(b.String())
}

func TestHunksAreAsFewEditsAsPossible(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		older, newer := randomText(r, r.IntN(30), 6), randomText(r, r.IntN(30), 6)
		got := check(t, older, newer, Hunks(older, newer))
		if want := leastEdits(Lines(older), Lines(newer)); got != want {
			t.Fatalf("%d edits, and %d suffice:\n%q\n%q", got, want, older, newer)
		}
	}
}

// leastEdits is the textbook table of the longest common subsequence.
func leastEdits(a, b [][]byte) int {
	table := make([][]int, len(a)+1)
	for i := range table {
		table[i] = make([]int, len(b)+1)
	}
	for i := range a {
		for j := range b {
			if bytes.Equal(a[i], b[j]) {
				table[i+1][j+1] = table[i][j] + 1
			} else {
				table[i+1][j+1] = max(table[i][j+1], table[i+1][j])
			}
		}
	}
	return len(a) + len(b) - 2*table[len(a)][len(b)]
}

func TestRandomEditsOfDistinctLinesAreFoundExactly(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 200 {
		var older, newer strings.Builder
		var want []Hunk
		o, n := 0, 0
		for i := range 200 {
			switch r.IntN(12) {
			case 0: // replaced
				fmt.Fprintf(&older, "line %d\n", i)
				fmt.Fprintf(&newer, "new %d\n", i)
				want = append(want, Hunk{Span{o, o + 1}, Span{n, n + 1}})
				o, n = o+1, n+1
			case 1: // deleted
				fmt.Fprintf(&older, "line %d\n", i)
				want = append(want, Hunk{Span{o, o + 1}, Span{n, n}})
				o++
			case 2: // inserted
				fmt.Fprintf(&newer, "new %d\n", i)
				want = append(want, Hunk{Span{o, o}, Span{n, n + 1}})
				n++
			default:
				fmt.Fprintf(&older, "line %d\n", i)
				fmt.Fprintf(&newer, "line %d\n", i)
				o, n = o+1, n+1
			}
		}
		got := Hunks([]byte(older.String()), []byte(newer.String()))
		if diff := cmp.Diff(merge(want), got); diff != "" {
			t.Fatalf("round %d: -want +got:\n%s", round, diff)
		}
	}
}

// TestVeryDifferentTextsAreSplitAtUniqueLines has more edits than one search
// looks for, so that the anchors have to find the unchanged lines.
func TestVeryDifferentTextsAreSplitAtUniqueLines(t *testing.T) {
	var older, newer bytes.Buffer
	const lines = 4 * maxEdits
	for i := range lines {
		fmt.Fprintf(&older, "kept %d\nold %d\n", i, i)
		fmt.Fprintf(&newer, "kept %d\nnew %d\n", i, i)
	}
	hunks := Hunks(older.Bytes(), newer.Bytes())
	check(t, older.Bytes(), newer.Bytes(), hunks)
	if len(hunks) != lines {
		t.Errorf("%d hunks, want %d", len(hunks), lines)
	}
}

func TestHostileTextsCostBoundedWork(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	tests := map[string][2][]byte{
		"two letters at random":     {randomText(r, 200_000, 2), randomText(r, 200_000, 2)},
		"nothing in common":         {bytes.Repeat([]byte("a\n"), 300_000), bytes.Repeat([]byte("b\n"), 300_000)},
		"one text twice as often":   {bytes.Repeat([]byte("a\nb\n"), 100_000), bytes.Repeat([]byte("b\na\na\n"), 100_000)},
		"many regions without hope": {regions(r), regions(r)},
	}
	for name, texts := range tests {
		t.Run(name, func(t *testing.T) {
			a, b := number(Lines(texts[0]), Lines(texts[1]))
			d := differ{a: a, b: b, work: maxWork}
			d.compare(Span{0, len(a)}, Span{0, len(b)}, 0)
			check(t, texts[0], texts[1], merge(d.hunks))
			// One round and the lines that it follows may go past the bound.
			if over := maxEdits + len(a) + len(b); d.work < -over {
				t.Errorf("%d comparisons more than are allowed", -d.work)
			}
		})
	}
}

// regions has unique lines with noise between them.
func regions(r *rand.Rand) []byte {
	var b bytes.Buffer
	for i := range 500 {
		fmt.Fprintf(&b, "unique %d\n", i)
		b.Write(randomText(r, 400, 2))
	}
	return b.Bytes()
}

func FuzzHunks(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nc\nd"))
	f.Add([]byte(""), []byte("\n\n"))
	f.Add([]byte("{\n}\n"), []byte("{\n}\n{\n}\n"))
	f.Add([]byte("a\r\nb\x00\xff"), []byte("b\x00\xff\na"))
	f.Fuzz(func(t *testing.T, older, newer []byte) {
		check(t, older, newer, Hunks(older, newer))
	})
}

func BenchmarkHunks(b *testing.B) {
	r := rand.New(rand.NewPCG(7, 8))
	older := randomText(r, 5000, 2000)
	newer := bytes.ReplaceAll(older, []byte("\n7"), []byte("\n7x"))
	b.SetBytes(int64(len(older) + len(newer)))
	for b.Loop() {
		Hunks(older, newer)
	}
}
