package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report/story"
)

// listed returns the harms that are shown: not those that are nothing but notes.
func (r row) listed() []story.Harm {
	var out []story.Harm
	for _, h := range r.story.Harms {
		if slices.ContainsFunc(h.All(), func(i int) bool { return !folded(r.file.Findings[i]) }) {
			out = append(out, h)
		}
	}
	return out
}

// decidesWith reports whether a harm decides with that weight.
func (r row) decidesWith(h story.Harm, s gate.Severity) bool {
	lead := r.file.Findings[h.Lead]
	return lead.Decides() && story.Weight(lead) == s
}

// also names the evidence of a harm besides its lead: the rule of each finding, with the
// line where it is another one, and the layer where that is another one. Notes are left out.
func (r row) also(h story.Harm, esc func(string) string) []string {
	lead := r.file.Findings[h.Lead]
	var out []string
	for _, i := range h.Also {
		f := r.file.Findings[i]
		if folded(f) {
			continue
		}
		s := esc(f.Rule)
		var where []string
		if l := lines(f); l != lines(lead) && l != "" {
			where = append(where, "line "+l)
		}
		if f.Layer != lead.Layer {
			where = append(where, esc(string(f.Layer)))
		}
		if len(where) > 0 {
			s += " (" + strings.Join(where, ", ") + ")"
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// firstOf returns at most n entries, the last of which says how many are left out.
func firstOf(entries []string, n int) []string {
	if len(entries) <= n {
		return entries
	}
	return append(slices.Clone(entries[:n-1]), fmt.Sprintf("%d more", len(entries)-n+1))
}

// isPart reports whether a file is text that came out of another one, with nothing in it:
// it is no file of the change, and counted rather than listed.
func (r row) isPart() bool { return r.file.Parent != "" && r.file.Verdict == gate.Safe }

// unlisted counts what a table leaves out.
type unlisted struct {
	safe  int // files
	parts int // what came out of files and is safe
}

// listed returns the rows of a table and what is counted instead: parts of files in which
// nothing was found, and all safe files where there are more than most files.
func (s summary) listed(most int) (rows []row, rest unlisted) {
	for _, r := range s.rows {
		switch {
		case r.isPart():
			rest.parts++
		case r.file.Verdict == gate.Safe && len(s.rows) > most:
			rest.safe++
		default:
			rows = append(rows, r)
		}
	}
	return rows, rest
}

// sentences say what is left out, in gate's own words.
func (u unlisted) sentences() []string {
	var out []string
	if u.safe > 0 {
		out = append(out, plural(u.safe, "more file")+" SAFE")
	}
	if u.parts > 0 {
		out = append(out, plural(u.parts, "text")+" inside of files SAFE")
	}
	return out
}

// telling returns the runs that explain something: those of a file with a finding that is
// more than a note, or that is not safe. left is how many others there are.
func (s summary) telling() (runs []ran, left int) {
	matters := map[string]bool{}
	for _, r := range s.rows {
		matters[r.file.Path] = r.file.Verdict != gate.Safe || len(r.listed()) > 0
	}
	for _, r := range s.runs {
		if slices.ContainsFunc(r.files, func(path string) bool { return matters[path] }) {
			runs = append(runs, r)
		} else {
			left++
		}
	}
	return runs, left
}
