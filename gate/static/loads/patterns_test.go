package loads

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

func TestPatternsOfNamesAreThoseOfAnExpression(t *testing.T) {
	want := regexp.MustCompile(`[\w./@+~-]*[*?][\w./@+~*?\[\]-]*`)
	const bytes = "ab_9./@+~-**??[] \n\"\xff"
	source := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		text := make([]byte, source.IntN(60))
		for i := range text {
			text[i] = bytes[source.IntN(len(bytes))]
		}
		var expected [][2]int
		for _, m := range want.FindAllStringIndex(string(text), maxGlobs) {
			expected = append(expected, [2]int{m[0], m[1]})
		}
		got := patterns(string(text))
		if len(got) != len(expected) {
			t.Fatalf("%q: %v, want %v", text, got, expected)
		}
		for i := range got {
			if got[i] != expected[i] {
				t.Fatalf("%q: %v, want %v", text, got, expected)
			}
		}
	}
}

func TestWordsOfATextAreNamesWhateverTheirLastByte(t *testing.T) {
	index := NewIndex([]string{"docs/x.dat", "run", "a b.txt"})
	for text, want := range map[string]int{"cat x.dat": 1, "cat $HERE/x.dat": 1, "--require=./x.dat": 1, "run/": 1, "run": 1, "a b.txt": 1, "x.da": 0, "run=": 0, "=": 0} {
		got := 0
		index.mentions(text, func(mention) bool { got++; return true })
		if got != want {
			t.Errorf("%q mentions %d files, want %d", text, got, want)
		}
	}
	got := 0
	index.with(map[string][]int{"copy.z": {0}}).mentions("sh copy.z", func(mention) bool { got++; return true })
	if got != 1 {
		t.Errorf("a copy is mentioned %d times", got)
	}
}
