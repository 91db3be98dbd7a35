package judge

import (
	"fmt"
	"strings"
	"testing"
)

func numbered(n int, text string) []line {
	lines := make([]line, n)
	for i := range lines {
		lines[i] = line{i + 1, text}
	}
	return lines
}

func TestChunksFitAndCoverEverythingWithOverlap(t *testing.T) {
	var endless strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&endless, "abc%d⟦U+202E⟧ä", i)
	}
	long := []line{{1, "x"}, {2, endless.String()}, {3, "y"}}
	sizes := numbered(100, "x")
	sizes[50].text = endless.String()
	for i := range 40 {
		sizes = append(sizes, line{101 + i, strings.Repeat("z", 8*i+1)})
	}
	tests := map[string]struct {
		lines  []line
		budget int
		one    bool // everything fits into one chunk
	}{
		"nothing":            {nil, 1000, true},
		"one line":           {numbered(1, "x"), 1000, true},
		"just fits":          {numbered(10, strings.Repeat("x", 100)), 10*(100+codeWordLen+4+1) + 1, true},
		"many short lines":   {numbered(5000, "x = 1"), 1000, false},
		"lines of all sizes": {sizes, 1500, false},
		"one endless line":   {long, 1024, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			chunks := split(test.lines, test.budget)
			if test.one && len(chunks) > 1 {
				t.Errorf("%d chunks, want one", len(chunks))
			}
			for i, c := range chunks {
				size := 0
				for _, l := range c {
					size += l.cost()
				}
				if size > test.budget || len(c) == 0 {
					t.Errorf("chunk %d has %d lines of %d bytes, want 1 to %d bytes", i, len(c), size, test.budget)
				}
				if i > 0 && c[0].number > chunks[i-1][len(chunks[i-1])-1].number {
					t.Errorf("chunk %d shares no line with the one before", i)
				}
			}
			if got, want := joined(t, chunks), fullText(test.lines); got != want {
				t.Errorf("the chunks together say %d bytes of %d", len(got), len(want))
			}
		})
	}
}

// joined puts chunks together again by laying each piece over what is there.
func joined(t *testing.T, chunks [][]line) string {
	texts := map[int]string{}
	for _, c := range chunks {
		for _, l := range c {
			have := texts[l.number]
			if have != "" && strings.Contains(have, l.text) {
				continue
			}
			n := min(len(have), len(l.text))
			for n > 0 && !strings.HasSuffix(have, l.text[:n]) {
				n--
			}
			texts[l.number] += l.text[n:]
		}
	}
	var lines []line
	for n := 1; len(lines) < len(texts); n++ {
		if text, ok := texts[n]; ok {
			lines = append(lines, line{n, text})
		}
		if n > 1e6 {
			t.Fatal("lines are missing")
		}
	}
	return fullText(lines)
}

func fullText(lines []line) string {
	var b strings.Builder
	texts := map[int]bool{}
	for _, l := range lines {
		if !texts[l.number] {
			texts[l.number] = true
			fmt.Fprintf(&b, "%d%s\n", l.number, l.text)
		}
	}
	return b.String()
}

func TestAMarkerOnAnyBorderIsWholeInOneChunk(t *testing.T) {
	const marker = "os.system(payload)"
	for at := range 300 {
		text := strings.Repeat("a", at) + marker + strings.Repeat("b", 2000-at)
		seen := false
		for _, c := range split([]line{{1, text}}, 1024) {
			for _, l := range c {
				seen = seen || strings.Contains(l.text, marker)
			}
		}
		if !seen {
			t.Fatalf("a marker at byte %d is in no chunk as a whole", at)
		}
	}
}

func TestChunksEndWhereTheCodeHasABorder(t *testing.T) {
	var lines []line
	n := 0
	for range 12 { // functions of nine lines, with a blank line in front
		n += 2
		lines = append(lines, line{n, "def f():"})
		for range 8 {
			n++
			lines = append(lines, line{n, "    x = " + strings.Repeat("1", 20)})
		}
	}
	for i, c := range split(lines, 2000) {
		if last := c[len(c)-1].number; i == 0 && lines[last/10*9].text != "def f():" {
			t.Errorf("the first chunk ends at line %d, in the middle of a function", last)
		}
		if i == 0 && c[len(c)-1].number%10 != 0 {
			t.Errorf("the first chunk ends at line %d, want the end of a function", c[len(c)-1].number)
		}
	}
}

func TestALineIsNeverCutWithinAnEscape(t *testing.T) {
	text := strings.Repeat("ä⟦U+10FFFF⟧", 20)
	for n := range len(text) + 1 {
		cut := nonEscapeCut(text, n)
		if cut > n || n-cut > len("⟦U+10FFFF⟧") {
			t.Fatalf("cut at %d for %d", cut, n)
		}
		if head := text[:cut]; strings.Count(head, "⟦") != strings.Count(head, "⟧") || strings.ContainsRune(head, '\ufffd') {
			t.Fatalf("cut at %d within an escape: %q", cut, head)
		}
	}
}
