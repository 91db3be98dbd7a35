package change

import (
	"bytes"
	"path"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git"
	"github.com/aigate/gate/gate/change/linediff"
)

// lines returns which lines of a target are in the change. All of them are where
// the comparison is not possible, or where the file as a whole became something
// else: another language or role, another name, a program.
func (b *builder) lines(t *gate.Target, before git.Entry) gate.LineSet {
	head, err := b.change.Read(t, git.MaxBuffered)
	if err != nil {
		return gate.LineSet{}
	}
	old, err := b.before(before.OID)
	if err != nil {
		return gate.LineSet{}
	}
	language, role := Classify(before.Path, before.Mode.FS(), old[:min(len(old), HeadBytes)])
	became := t.Mode&0o111 != 0 && before.Mode != git.ModeExecutable
	if language != t.Language || role != t.Role || became || path.Base(before.Path) != path.Base(t.Path) {
		return gate.LineSet{}
	}
	if b.checkedOut {
		head = asCheckedIn(head, old)
	}
	return changedLines(old, head)
}

// changedLines returns the lines of the newer text that differ from the older
// one. Where lines were deleted, the lines on both sides of the gap are in the
// change. Where a change opens or closes a comment or a string that goes over
// several lines, all lines behind it are: their meaning changed.
func changedLines(older, newer []byte) gate.LineSet {
	a, b := linediff.Lines(older), linediff.Lines(newer)
	var ranges []gate.LineRange
	add := func(from, to int) { // 1-based, both included
		from, to = max(from, 1), min(to, len(b))
		switch n := len(ranges); {
		case from > to:
		case n > 0 && from <= ranges[n-1][1]+1:
			ranges[n-1][1] = max(ranges[n-1][1], to)
		default:
			ranges = append(ranges, gate.LineRange{from, to})
		}
	}
	for _, h := range linediff.Hunks(older, newer) {
		switch {
		case flips(a[h.Old.Start:h.Old.End], b[h.New.Start:h.New.End]):
			add(h.New.Start, len(b))
			return gate.OnlyLines(ranges...)
		case h.New.Len() == 0:
			add(h.New.Start, h.New.Start+1)
		default:
			add(h.New.Start+1, h.New.End)
		}
	}
	return gate.OnlyLines(ranges...)
}

// flips reports whether replacing the old lines by the new ones leaves a comment
// or a string open that was closed, or the other way round. For here-documents
// it is enough that one that began is gone: its text becomes code.
func flips(older, newer [][]byte) bool {
	o, n := bytes.Join(older, nil), bytes.Join(newer, nil)
	for _, quote := range []string{`"""`, "'''", "`"} {
		if (bytes.Count(o, []byte(quote))-bytes.Count(n, []byte(quote)))%2 != 0 {
			return true
		}
	}
	for _, pair := range [][2]string{{"/*", "*/"}, {"<!--", "-->"}, {"#if", "#endif"}, {"=begin", "=end"}, {"<#", "#>"}} {
		if balance(o, pair) != balance(n, pair) {
			return true
		}
	}
	return bytes.Count(o, []byte("<<")) > bytes.Count(n, []byte("<<"))
}

func balance(text []byte, pair [2]string) int {
	return bytes.Count(text, []byte(pair[0])) - bytes.Count(text, []byte(pair[1]))
}
