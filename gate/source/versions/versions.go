package versions

import (
	"bytes"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/linediff"
)

// Text is one version of a file.
type Text struct {
	Language gate.Language
	Path     string // in its tree, slash-separated
	Content  []byte
}

// maxText is the largest text whose structure is looked at, in bytes. What is
// larger is read in pieces by the layers anyway.
const maxText = 10<<20 + 1

// Comparison says what became of the lines of the older text.
type Comparison struct {
	before  []int  // for each line of the newer text the line of the older one, -1 for none
	changed []bool // for each line of the newer text: edited, or next to a deletion
	flipped []bool // for each line of the newer text: not edited, and in another context
	gated   []bool // of those that are flipped: by what surrounds them, not by what they use
	existed []bool // for each line of the newer text: the older one has a line like it
	moved   []bool // for each line of the newer text: it was elsewhere in the same context
	older   int    // lines of the older text
}

// Align finds the lines that two versions of a file have in common, and leaves out
// what surrounds them.
func Align(older, newer Text) *Comparison {
	c, hunks := aligned(older, newer)
	c.indented(hunks, newer.Language, linediff.Lines(older.Content), linediff.Lines(newer.Content))
	return c
}

func aligned(older, newer Text) (*Comparison, []linediff.Hunk) {
	n := bytes.Count(newer.Content, []byte{'\n'}) + 1
	if len(newer.Content) == 0 || newer.Content[len(newer.Content)-1] == '\n' {
		n--
	}
	c := &Comparison{older: len(linediff.Lines(older.Content)), before: make([]int, n), changed: make([]bool, n), flipped: make([]bool, n),
		gated: make([]bool, n), existed: make([]bool, n), moved: make([]bool, n)}
	hunks := linediff.Hunks(withLastFeed(older.Content), withLastFeed(newer.Content))
	c.align(hunks)
	return c, hunks
}

// withLastFeed ends the last line of a text, which is the same line where only its line feed
// came or went.
func withLastFeed(text []byte) []byte {
	if len(text) == 0 || text[len(text)-1] == '\n' {
		return text
	}
	return append(slices.Clip(text), '\n')
}

// Compare compares two versions of a file.
func Compare(older, newer Text) *Comparison {
	c, hunks := aligned(older, newer)
	a, b := linediff.Lines(older.Content), linediff.Lines(newer.Content)
	if len(hunks) == 0 {
		return c
	}
	lines := make(map[string]bool, len(a))
	for _, line := range a {
		lines[textOf(newer.Language, line)] = true
	}
	for i, line := range b {
		c.existed[i] = lines[textOf(newer.Language, line)]
	}
	for _, h := range hunks {
		if opens(newer.Language, a[h.Old.Start:h.Old.End], b[h.New.Start:h.New.End]) {
			mark(c.flipped[h.New.Start:])
			break
		}
	}
	if max(len(older.Content), len(newer.Content)) > maxText {
		if !data(newer.Language) {
			mark(c.flipped)
		}
		return c
	}
	c.indented(hunks, newer.Language, a, b)
	known := statements{}
	then, now := read(older, known), read(newer, known)
	c.contexts(then, now)
	copy(c.gated, c.flipped)
	c.names(then, now)
	c.gates(now)
	c.endings(then, now, hunks)
	c.moves(newer.Language, then, now, a, b)
	return c
}

// textOf is what a line says apart from the blocks that it is in.
func textOf(l gate.Language, line []byte) string {
	if indents(l) {
		line = bytes.TrimLeft(line, " \t")
	}
	return string(line)
}

// indents reports whether the indentation of a line says nothing but which block it is in.
func indents(l gate.Language) bool {
	switch shape(l) {
	case shapeShell, shapeBraces, shapeIndented, shapeYAML, shapeWords:
		return true
	}
	return false
}

func mark(lines []bool) {
	for i := range lines {
		lines[i] = true
	}
}

// data reports whether a language only holds data, so that a line of it means
// what its own place says.
func data(l gate.Language) bool {
	switch l {
	case gate.LanguageJSON, gate.LanguageText, gate.LanguageTOML, gate.LanguageINI, gate.LanguageMarkdown, gate.LanguageBinary:
		return true
	}
	return false
}

// align finds for each line of the newer text the one that it was.
func (c *Comparison) align(hunks []linediff.Hunk) {
	older, newer := 0, 0
	next := func(h linediff.Hunk) {
		for newer < h.New.Start {
			c.before[newer] = older
			newer, older = newer+1, older+1
		}
		for newer < h.New.End {
			c.before[newer], c.changed[newer] = -1, true
			newer++
		}
		older = h.Old.End
	}
	for _, h := range hunks {
		next(h)
		if h.New.Len() == 0 { // the lines on both sides of what was deleted
			for _, i := range []int{h.New.Start - 1, h.New.Start} {
				if i >= 0 && i < len(c.changed) {
					c.changed[i] = true
				}
			}
		}
	}
	end := linediff.Span{Start: len(c.before), End: len(c.before)}
	next(linediff.Hunk{Old: linediff.Span{Start: c.older, End: c.older}, New: end})
}

// indented takes lines for the same that differ in their indentation only, where that
// says nothing but which block they are in: their contexts are compared.
func (c *Comparison) indented(hunks []linediff.Hunk, l gate.Language, older, newer [][]byte) {
	if !indents(l) {
		return
	}
	trimmed := func(lines [][]byte) []byte {
		var out []byte
		for _, line := range lines {
			out = append(out, bytes.TrimLeft(line, " \t")...)
		}
		return out
	}
	for _, h := range hunks {
		a, b := older[h.Old.Start:h.Old.End], newer[h.New.Start:h.New.End]
		if len(a) == 0 || len(b) == 0 {
			continue
		}
		inner := &Comparison{older: len(a), before: make([]int, len(b)), changed: make([]bool, len(b))}
		inner.align(linediff.Hunks(trimmed(a), trimmed(b)))
		for i, at := range inner.before {
			if at >= 0 && !inner.changed[i] {
				c.before[h.New.Start+i], c.changed[h.New.Start+i] = h.Old.Start+at, false
			}
		}
	}
}

// contexts compares the contexts of the unedited lines.
func (c *Comparison) contexts(then, now *reading) {
	for i, at := range c.before {
		if at < 0 {
			continue
		}
		guards := now.outlines[0].conditions(i)
		unguarded := func(g uint64) bool { return !slices.Contains(guards, g) }
		if now.context[i] != then.context[at] || slices.ContainsFunc(then.outlines[0].conditions(at), unguarded) {
			c.flipped[i] = true
		}
	}
	if now.near > 0 {
		c.around(now.near, now.outlines[0])
	}
}

// around marks the lines near an edit and those in the same indented block, for
// texts whose structure is not known.
func (c *Comparison) around(near int, o *outline) {
	edited := map[int]bool{}
	for i := range c.changed {
		if at := o.in[i]; at > 0 && c.changed[i] {
			edited[at] = true
		}
	}
	for i, at := range o.in {
		c.flipped[i] = c.flipped[i] || edited[at]
	}
	last := -near - 1
	for i := range c.changed {
		if c.changed[i] {
			last = i
		}
		c.flipped[i] = c.flipped[i] || i-last <= near
	}
	last = len(c.changed) + near
	for i := len(c.changed) - 1; i >= 0; i-- {
		if c.changed[i] {
			last = i
		}
		c.flipped[i] = c.flipped[i] || last-i <= near
	}
}

// Changed returns the lines that are new or mean something else now.
func (c *Comparison) Changed() gate.LineSet {
	var ranges []gate.LineRange
	for i := range c.before {
		switch n := len(ranges); {
		case !c.differs(i):
		case n > 0 && ranges[n-1][1] == i:
			ranges[n-1][1] = i + 1
		default:
			ranges = append(ranges, gate.LineRange{i + 1, i + 1})
		}
	}
	return gate.OnlyLines(ranges...)
}

func (c *Comparison) differs(i int) bool { return c.changed[i] || c.flipped[i] }

// Before returns the line of the older text that a line of the newer one is, both
// from 1 on. It is false for a line that is new.
func (c *Comparison) Before(line int) (int, bool) {
	if line < 1 || line > len(c.before) || c.before[line-1] < 0 {
		return 0, false
	}
	return c.before[line-1] + 1, true
}

// opens reports whether replacing the old lines by the new ones leaves a comment
// or a string open that was closed, or the other way round. For here documents
// it is enough that one that began is gone: its text becomes code. It holds where a
// lexer is mistaken, or where there is none.
func opens(l gate.Language, older, newer [][]byte) bool {
	o, n := bytes.Join(older, nil), bytes.Join(newer, nil)
	for _, quote := range []string{`"""`, "'''", "`"} {
		if (bytes.Count(o, []byte(quote))-bytes.Count(n, []byte(quote)))%2 != 0 {
			return true
		}
	}
	pairs := [][2]string{{"/*", "*/"}, {"<!--", "-->"}, {"#if", "#endif"}, {"=begin", "=end"}, {"=pod", "=cut"}, {"<#", "#>"}}
	if shape(l) == shapeUnknown && !data(l) {
		pairs = append(pairs, [][2]string{{"{#", "#}"}, {"--[[", "]]"}, {"{-", "-}"}, {"(*", "*)"}, {"@*", "*@"}}...)
	}
	for _, pair := range pairs {
		if balance(o, pair) != balance(n, pair) {
			return true
		}
	}
	return bytes.Count(o, []byte("<<")) > bytes.Count(n, []byte("<<"))
}

func balance(text []byte, pair [2]string) int {
	return bytes.Count(text, []byte(pair[0])) - bytes.Count(text, []byte(pair[1]))
}
