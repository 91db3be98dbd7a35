package lsp

import (
	"bytes"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/aigate/gate/gate/lsp/protocol"
)

// text is the content of a document, as the client has it.
type text struct {
	data  []byte
	lines []int // where each line of the protocol begins, in bytes
	feeds []int // where each line begins as gate counts them: behind a line feed
}

// newText returns a text that no one else changes.
func newText(data []byte) text {
	lines, feeds := []int{0}, []int{0}
	for i, b := range data {
		switch {
		case b == '\n':
			lines, feeds = append(lines, i+1), append(feeds, i+1)
		case b == '\r' && (i+1 == len(data) || data[i+1] != '\n'):
			lines = append(lines, i+1)
		}
	}
	return text{data, lines, feeds}
}

// line returns a line from 0, without its end, and where it begins.
func (t text) line(n int) (content []byte, start int) {
	start, end := t.lines[n], len(t.data)
	if n+1 < len(t.lines) {
		end = t.lines[n+1]
	}
	return bytes.TrimRight(t.data[start:end], "\r\n"), start
}

// offset returns where a position is, in bytes. A character behind the end of its line is
// the end of the line, as the protocol has it.
func (t text) offset(p protocol.Position) (int, error) {
	if p.Line == len(t.lines) && p.Character == 0 {
		return len(t.data), nil
	}
	if p.Line < 0 || p.Character < 0 || p.Line >= len(t.lines) {
		return 0, fmt.Errorf("there is no line %d in a text of %d", p.Line, len(t.lines))
	}
	content, start := t.line(p.Line)
	at, units := 0, 0
	for at < len(content) && units < p.Character {
		r, size := utf8.DecodeRune(content[at:])
		at += size
		if units++; r > 0xFFFF {
			units++
		}
	}
	return start + at, nil
}

// position is the place of an offset in bytes.
func (t text) position(offset int) protocol.Position {
	offset = min(offset, len(t.data))
	low, high := 0, len(t.lines)
	for low+1 < high {
		if mid := (low + high) / 2; t.lines[mid] <= offset {
			low = mid
		} else {
			high = mid
		}
	}
	p := protocol.Position{Line: low}
	for _, r := range string(t.data[t.lines[low]:offset]) {
		if p.Character++; r > 0xFFFF {
			p.Character++
		}
	}
	return p
}

// lonelyReturn reports whether a carriage return ends a line by itself: the protocol says
// that it does, and not every editor counts so.
func (t text) lonelyReturn() bool {
	for rest := t.data; ; {
		i := bytes.IndexByte(rest, '\r')
		if i < 0 {
			return false
		}
		if i+1 == len(rest) || rest[i+1] != '\n' {
			return true
		}
		rest = rest[i+2:]
	}
}

// with returns the text after a change.
func (t text) with(c protocol.Change) (text, error) {
	if c.Range == nil {
		return newText([]byte(c.Text)), nil
	}
	start, err := t.offset(c.Range.Start)
	if err != nil {
		return t, err
	}
	end, err := t.offset(c.Range.End)
	if err != nil {
		return t, err
	}
	if start > end {
		return t, fmt.Errorf("a change ends before it begins")
	}
	out := make([]byte, 0, len(t.data)-(end-start)+len(c.Text))
	out = append(append(append(out, t.data[:start]...), c.Text...), t.data[end:]...)
	return newText(out), nil
}

// bounds returns where lines begin and end, as gate counts them: from 1, and a line ends
// with a line feed, which is left out.
func (t text) bounds(from, to int) (start, end int) {
	start, end = len(t.data), len(t.data)
	if from = max(from, 1); from <= len(t.feeds) {
		start = t.feeds[from-1]
	}
	if to = max(from, to); to < len(t.feeds) {
		end = t.feeds[to] - 1
	}
	return start, end
}

// span is the place of lines as gate counts them, without the blanks around them. Without a
// line it is the first one.
func (t text) span(from, to int) protocol.Range {
	start, end := t.bounds(from, to)
	end = start + len(bytes.TrimRight(t.data[start:end], "\r \t"))
	start = end - len(bytes.TrimLeft(t.data[start:end], " \t"))
	return protocol.Range{Start: t.position(start), End: t.position(end)}
}

// gateLine is a line of the protocol as gate counts it.
func (t text) gateLine(n int) int {
	if n < 0 || n >= len(t.lines) {
		n = len(t.lines) - 1
	}
	line, exact := slices.BinarySearch(t.feeds, t.lines[n])
	if exact {
		line++
	}
	return line
}
