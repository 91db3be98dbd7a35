package report

import (
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
)

// ranShort says for a cell which part of a file ran, or "". Seeing nothing in what
// did not run means nothing, so that is beside the verdict.
func ranShort(e *gate.Execution) string {
	if e == nil {
		return ""
	}
	executed, executable, ok := e.Lines()
	switch {
	case ok && executable == 0:
		return "no line of code"
	case ok:
		return fmt.Sprintf("%d of %s", executed, plural(executable, "line"))
	case e.CoverageReason != "":
		return "lines not measured"
	}
	return ""
}

// ranNarrow is ranShort for a terminal, where columns are few.
func ranNarrow(e *gate.Execution) string {
	switch executed, executable, ok := e.Lines(); {
	case ok && executable == 0:
		return "no code"
	case ok:
		return fmt.Sprintf("%d/%d lines", executed, executable)
	}
	return "? lines"
}

// covered is what is known of the lines of one file: gate's own words, and a reason
// that is hostile.
type covered struct{ path, words, reason string }

// shownRanges bounds the lines that are named.
const shownRanges = 10

func coveredOf(f *gate.FileResult) (covered, bool) {
	e := f.Execution
	executed, executable, ok := e.Lines()
	c := covered{path: f.Path, reason: e.CoverageReason}
	of := "changed line"
	if f.Change == gate.ChangeNone {
		of = "line"
	}
	switch {
	case ok && executable == 0:
		c.words = "no " + of + " has code"
	case ok:
		c.words = fmt.Sprintf("ran %d of %s", executed, plural(executable, of))
		if len(e.Uncovered) > 0 {
			c.words += ", not " + ranges(e.Uncovered)
		}
	case e.CoverageReason != "":
		c.words = "which lines ran was not measured"
	default:
		return c, false
	}
	return c, true
}

func ranges(all []gate.LineRange) string {
	var parts []string
	for i, r := range all {
		if i == shownRanges {
			parts = append(parts, plural(len(all)-i, "more range"))
			break
		}
		if r[0] == r[1] {
			parts = append(parts, fmt.Sprint(r[0]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", r[0], r[1]))
		}
	}
	return strings.Join(parts, ", ")
}

// coverage says which lines of the files of a run were executed, a line for each
// file, the hostile parts escaped by esc.
func (r ran) coverage(esc func(string) string) []string {
	var out []string
	for i, c := range r.covered {
		if i == textFiles {
			return append(out, "and "+plural(len(r.covered)-i, "more file"))
		}
		s := c.words
		if len(r.files) > 1 {
			s = esc(c.path) + ": " + s
		}
		if c.reason != "" {
			s += ": " + esc(gate.Clip(c.reason, gate.MaxEvidence))
		}
		out = append(out, s)
	}
	return out
}
