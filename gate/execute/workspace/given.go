package workspace

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/aigate/gate/sandbox"
)

// Given reports whether a program finds a file at an absolute path because we put it
// there: with the tree, or as one of the extra files of its own.
func (t *Tree) Given(extra []File, p string) bool {
	rel, ok := strings.CutPrefix(p, sandbox.Workspace+"/")
	return ok && (t.Has(rel) || slices.ContainsFunc(extra, func(f File) bool { return f.Path == rel }))
}

// The bounds of the search for code in the files of a change.
const (
	minLiteralLine  = 8  // bytes; shorter lines are everywhere
	maxLiteralLines = 40 // that are looked for
	literalHead     = 512
)

// Literal reports whether one of the files contains code literally: at least half
// of its lines, or the beginning of what has no lines.
func (t *Tree) Literal(code []byte) bool {
	inside := func(part []byte) bool {
		return slices.ContainsFunc(t.Files, func(f File) bool { return bytes.Contains(f.Data, part) })
	}
	if bytes.IndexByte(code, 0) >= 0 {
		return inside(code[:min(len(code), literalHead)])
	}
	var lines [][]byte
	for line := range bytes.Lines(code) {
		if line = bytes.TrimSpace(line); len(line) >= minLiteralLine && !bytes.HasPrefix(line, []byte("#!")) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return inside(bytes.TrimSpace(code))
	}
	slices.SortStableFunc(lines, func(a, b []byte) int { return cmp.Compare(len(b), len(a)) })
	lines = lines[:min(len(lines), maxLiteralLines)]
	found := 0
	for _, line := range lines {
		if inside(line) {
			found++
		}
	}
	return found*2 >= len(lines)
}
