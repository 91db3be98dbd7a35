package lsp

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aigate/gate/gate/lsp/protocol"
)

func at(line, character int) protocol.Position {
	return protocol.Position{Line: line, Character: character}
}

// edits are changes of texts, with what comes of them; want is "" where a change does not fit.
func edits() []struct {
	name, before string
	change       protocol.Change
	want         string
} {
	part := func(from, to protocol.Position, with string) protocol.Change {
		return protocol.Change{Range: &protocol.Range{Start: from, End: to}, Text: with}
	}
	return []struct {
		name, before string
		change       protocol.Change
		want         string
	}{
		{"all of it", "a", protocol.Change{Text: "b\n"}, "b\n"},
		{"a letter", "ab\ncd\n", part(at(1, 1), at(1, 1), "x"), "ab\ncxd\n"},
		{"over lines", "ab\ncd\nef\n", part(at(0, 1), at(2, 1), "-"), "a-f\n"},
		{"behind the last line end", "ab\n", part(at(1, 0), at(1, 0), "c"), "ab\nc"},
		{"the line behind the last one is the end", "ab", part(at(1, 0), at(1, 0), "c"), "abc"},
		{"a character behind the end of the line is the end of the line", "ab\ncd", part(at(0, 9), at(0, 9), "x"), "abx\ncd"},
		{"and so it is before CR LF", "ab\r\ncd", part(at(0, 9), at(0, 9), "x"), "abx\r\ncd"},
		{"letters of two bytes are one", "äöü", part(at(0, 1), at(0, 2), "o"), "äoü"},
		{"letters outside of the first plane are two", "a😀b", part(at(0, 3), at(0, 4), "c"), "a😀c"},
		{"the middle of such a letter is behind it", "😀b", part(at(0, 1), at(0, 2), ""), "😀b"},
		{"a carriage return alone ends a line", "a\rb\rc", part(at(2, 0), at(2, 1), "d"), "a\rb\rd"},
		{"an empty text", "", part(at(0, 0), at(0, 0), "a"), "a"},
		{"a line that is not there", "a\n", part(at(3, 0), at(3, 0), "x"), ""},
		{"a line before the first", "a\n", part(at(-1, 0), at(0, 0), "x"), ""},
		{"a character before the first", "a\n", part(at(0, -1), at(0, 0), "x"), ""},
		{"an end before the beginning", "ab\n", part(at(0, 2), at(0, 1), "x"), ""},
	}
}

func TestChangesOfATextAreInCodeUnitsOfUTF16(t *testing.T) {
	for _, tt := range edits() {
		t.Run(tt.name, func(t *testing.T) {
			got, err := newText([]byte(tt.before)).with(tt.change)
			if (err == nil) != (tt.want != "") || err == nil && string(got.data) != tt.want {
				t.Errorf("got %q, %v, want %q", got.data, err, tt.want)
			}
		})
	}
}

func TestPlacesOfLinesAreWhereEditorsCountThem(t *testing.T) {
	x := newText([]byte("one\n\t two \r\nthree\rhalf\n\nlast 😀"))
	for _, tt := range []struct {
		from, to int
		want     protocol.Range
	}{
		{0, 0, protocol.Range{Start: at(0, 0), End: at(0, 3)}},
		{2, 2, protocol.Range{Start: at(1, 2), End: at(1, 5)}},
		{3, 3, protocol.Range{Start: at(2, 0), End: at(3, 4)}},
		{1, 3, protocol.Range{Start: at(0, 0), End: at(3, 4)}},
		{4, 4, protocol.Range{Start: at(4, 0), End: at(4, 0)}},
		{5, 5, protocol.Range{Start: at(5, 0), End: at(5, 7)}},
		{9, 9, protocol.Range{Start: at(5, 7), End: at(5, 7)}},
	} {
		if got := x.span(tt.from, tt.to); got != tt.want {
			t.Errorf("%d to %d: got %v, want %v", tt.from, tt.to, got, tt.want)
		}
	}
	for line, want := range []int{1, 2, 3, 3, 4, 5, 5} {
		if got := x.gateLine(line); got != want {
			t.Errorf("line %d: got %d, want %d", line, got, want)
		}
	}
}

func FuzzChange(f *testing.F) {
	for _, tt := range edits() {
		r := tt.change.Range
		if r == nil {
			r = &protocol.Range{}
		}
		f.Add(tt.before, r.Start.Line, r.Start.Character, r.End.Line, r.End.Character, tt.change.Text)
	}
	f.Fuzz(func(t *testing.T, before string, l1, c1, l2, c2 int, with string) {
		x := newText([]byte(before))
		got, err := x.with(protocol.Change{Range: &protocol.Range{Start: at(l1, c1), End: at(l2, c2)}, Text: with})
		if err != nil {
			return
		}
		if !strings.Contains(string(got.data), with) || utf8.ValidString(before) && utf8.ValidString(with) && !utf8.Valid(got.data) {
			t.Errorf("%q became %q", before, got.data)
		}
		for n := range x.lines {
			p := at(n, 0)
			offset, err := x.offset(p)
			if err != nil || x.position(offset) != p {
				t.Errorf("line %d of %q: %d, %v", n, before, offset, err)
			}
			x.span(n, n+1)
			x.gateLine(n)
		}
	})
}
