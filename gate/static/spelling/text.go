package spelling

import (
	"bytes"
	"slices"
)

// Text is a text with the places that it comes from.
type Text struct {
	Content []byte
	Lines   []int // the line of the source, 1-based, for each line of Content
	// Marks are the offsets in Content, sorted, at which the source is spelled in a
	// way without an honest reason: within a word, or with the number of a character.
	Marks []int
}

// Marked reports whether a stretch holds something that was spelled otherwise.
func (t Text) Marked(start, end int) bool {
	i, _ := slices.BinarySearch(t.Marks, start)
	return i < len(t.Marks) && t.Marks[i] <= end
}

// same reports whether a text is the other one, of which nothing was written anew.
func (t Text) same(o Text) bool {
	return len(t.Content) == len(o.Content) && len(t.Marks) == len(o.Marks) && (len(t.Content) == 0 || &t.Content[0] == &o.Content[0])
}

// source is a text as it is in a file.
func source(src []byte) Text {
	lines := make([]int, 1, 1+bytes.Count(src, []byte{'\n'}))
	lines[0] = 1
	for n := range cap(lines) - 1 {
		lines = append(lines, n+2)
	}
	return Text{Content: src, Lines: lines}
}

// builder writes a text anew from the beginning to the end, and keeps lines and marks
// in step. Nothing is copied before the first change.
type builder struct {
	in   Text
	at   int // bytes of in that are read
	line int // of in that at is on
	mark int // marks of in that are read
	out  Text
}

// keep copies what comes before an offset.
func (b *builder) keep(to int) {
	if b.out.Lines == nil {
		b.out.Content = make([]byte, 0, len(b.in.Content))
		b.out.Lines = append(make([]int, 0, len(b.in.Lines)), b.in.Lines[0])
	}
	shift := len(b.out.Content) - b.at
	for ; b.mark < len(b.in.Marks) && b.in.Marks[b.mark] < to; b.mark++ {
		b.out.Marks = append(b.out.Marks, b.in.Marks[b.mark]+shift)
	}
	kept := b.in.Content[b.at:to]
	for range bytes.Count(kept, []byte{'\n'}) {
		b.line++
		b.out.Lines = append(b.out.Lines, b.in.Lines[b.line])
	}
	b.out.Content = append(b.out.Content, kept...)
	b.at = to
}

// replace writes a text for that from one offset to another. marked says that
// there is no honest reason to spell it so.
func (b *builder) replace(from, to int, text string, marked bool) {
	b.keep(from)
	if marked && text != "\n" {
		b.note()
	}
	for i := range len(text) {
		if text[i] == '\n' {
			b.out.Lines = append(b.out.Lines, b.in.Lines[b.line])
		}
	}
	b.out.Content = append(b.out.Content, text...)
	if marked && text == "\n" {
		b.note() // what follows is on a line of its own
	}
	for ; b.mark < len(b.in.Marks) && b.in.Marks[b.mark] < to; b.mark++ {
		b.note()
	}
	b.line += bytes.Count(b.in.Content[b.at:to], []byte{'\n'})
	b.at = to
}

// cut leaves out lines, or pieces of long ones.
func (b *builder) cut(from, to int) {
	b.keep(from)
	for ; b.mark < len(b.in.Marks) && b.in.Marks[b.mark] < to; b.mark++ {
		// what is left out has no marks
	}
	b.line = min(b.line+bytes.Count(b.in.Content[from:to], []byte{'\n'}), len(b.in.Lines)-1)
	if n := len(b.out.Content); n > 0 && b.out.Content[n-1] != '\n' {
		b.out.Content = append(b.out.Content, '\n')
		b.out.Lines = append(b.out.Lines, b.in.Lines[b.line])
	} else {
		b.out.Lines[len(b.out.Lines)-1] = b.in.Lines[b.line]
	}
	b.at = to
}

// note marks the end of what is written.
func (b *builder) note() {
	at := len(b.out.Content)
	if n := len(b.out.Marks); n == 0 || b.out.Marks[n-1] < at {
		b.out.Marks = append(b.out.Marks, at)
	}
}

// last is the last byte that is written, 0 for none.
func (b *builder) last() byte {
	if n := len(b.out.Content); b.out.Lines != nil && b.at > 0 && n > 0 {
		return b.out.Content[n-1]
	}
	return 0
}

// text is what was written, and the rest of what was read.
func (b *builder) text() Text {
	if b.out.Lines == nil {
		return b.in
	}
	b.keep(len(b.in.Content))
	for ; b.mark < len(b.in.Marks); b.mark++ {
		b.note()
	}
	return b.out
}
