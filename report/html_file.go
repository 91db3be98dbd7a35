package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report/story"
)

type (
	pageFile struct {
		Path, Anchor, Verdict, Parent string
		Summary                       []pageText
		Tone                          tone
		Judge                         *pageJudge
		Findings, Notes               []pageFinding
		NoteCount                     string
	}
	pageJudge   struct{ Model, Verdict, Reason string }
	pageFinding struct {
		Where, Link, Severity, Rule, Layer string
		Message, Evidence, Instead         string
		Tone                               tone
		Context                            []pageLine
		Flow                               []pageStep
		Remarks                            []string
		Also                               []pageFinding
		AlsoCount                          string
	}
	pageLine struct {
		Number int
		Text   string
		Hit    bool
	}
	pageStep struct {
		Line       int
		Link, Text string
		Path       string // of another file than the finding's
	}
	pageRun struct {
		Files, Status, Reason, StandIns, Environment string
		Tone                                         tone
		Open                                         bool
		Units                                        []pageUnit
		Behaviour, Coverage                          []string
	}
	pageUnit struct {
		Command, Ended string
		Outputs        []pageOutput
	}
	pageOutput struct{ Name, Text, Rest string }
)

// newPageFile shows the findings of one file, or returns nil where it has none.
// room is how many findings the page still takes.
func newPageFile(s summary, r row, o Options, anchor string, room *int) *pageFile {
	f := r.file
	if len(f.Findings) == 0 {
		return nil
	}
	p := &pageFile{Path: visible(f.Path), Anchor: anchor, Verdict: r.verdict.text, Tone: r.verdict.tone, Parent: visible(f.Parent)}
	for _, piece := range r.story.Summary {
		p.Summary = append(p.Summary, pageText{visible(piece.Text), piece.Kind == story.Code})
	}
	if j := f.Judge; j != nil && j.Reason != "" {
		p.Judge = &pageJudge{visible(j.Model), j.Verdict.String() + cachedWord(j.Cached), visible(gate.Clip(j.Reason, gate.MaxEvidence))}
	}
	left := 0
	for _, h := range r.story.Harms {
		if n := 1 + len(h.Also); *room < n {
			left += n
			continue
		}
		*room -= 1 + len(h.Also)
		shown := newPageFinding(s, f, f.Findings[h.Lead], o)
		shown.Message = story.Says(f.Findings, h).Shown(visible, visible)
		for _, i := range h.Also {
			shown.Also = append(shown.Also, newPageFinding(s, f, f.Findings[i], o))
		}
		shown.AlsoCount = "seen by " + plural(len(shown.Also), "other rule")
		if folded(f.Findings[h.Lead]) {
			p.Notes = append(p.Notes, shown)
		} else {
			p.Findings = append(p.Findings, shown)
		}
	}
	if left > 0 {
		p.Findings = append(p.Findings, pageFinding{Severity: "more", Message: plural(left, "more finding") + " not on this page; the json result has them"})
	}
	p.NoteCount = plural(len(p.Notes), "note")
	return p
}

func newPageFinding(s summary, file *gate.FileResult, f gate.Finding, o Options) pageFinding {
	p := pageFinding{
		Severity: f.Severity.String(), Rule: visible(f.Rule), Layer: visible(string(f.Layer)), Tone: findingTone(f),
		Message: visible(f.Message), Instead: visible(s.instead(f)), Where: "file", Link: address(o, file, f.Line),
	}
	if l := lines(f); l != "" {
		p.Where = "line " + l
	}
	evidence, more := visibleLines(f.Evidence, htmlLines)
	if more > 0 {
		evidence = append(evidence, "... "+plural(more, "more line"))
	}
	p.Context = around(o, file, f)
	if len(evidence) > 0 && !slices.ContainsFunc(p.Context, func(l pageLine) bool { return strings.Contains(l.Text, strings.TrimSpace(evidence[0])) }) {
		p.Evidence = strings.Join(evidence, "\n")
	}
	for i, step := range f.Flow {
		if i == htmlLines {
			p.Remarks = append(p.Remarks, "and "+plural(len(f.Flow)-i, "more step"))
			break
		}
		s := pageStep{Path: visible(step.Path), Line: step.Line, Text: visibleCode(gate.Clip(step.Text, gate.MaxEvidence))}
		if step.Path == "" {
			s.Link = address(o, file, step.Line)
		}
		p.Flow = append(p.Flow, s)
	}
	for _, r := range remarks(f) {
		p.Remarks = append(p.Remarks, r.shown(visible))
	}
	return p
}

// address returns where a line can be read on the web, or "".
func address(o Options, f *gate.FileResult, line int) string {
	if o.Permalink == nil || f.Parent != "" || f.Change == gate.ChangeDeleted {
		return ""
	}
	a, _ := webAddress(o.Permalink(f.Path, line))
	return a
}

// maskSign is in evidence for what was taken out of a secret.
const maskSign = "***"

// holdsSecret reports whether something in the file is masked, also by a rule
// that reports nothing in files of its role. The source is not, and a key may go
// on for many lines: none of them is shown then.
func holdsSecret(file *gate.FileResult) bool {
	if file.Masked {
		return true
	}
	for _, f := range file.Findings {
		if strings.HasPrefix(f.Rule, "secrets/") || strings.Contains(f.Evidence, maskSign) {
			return true
		}
		for _, s := range f.Flow {
			if strings.Contains(s.Text, maskSign) {
				return true
			}
		}
	}
	return false
}

// around returns the lines around a finding where the source is at hand and
// holds nothing that is masked elsewhere.
func around(o Options, file *gate.FileResult, f gate.Finding) []pageLine {
	if o.Source == nil || f.Line == 0 || file.Parent != "" || holdsSecret(file) {
		return nil
	}
	first := max(f.Line-htmlContext, 1)
	last := min(f.EndLine+htmlContext, first+htmlLines-1)
	var out []pageLine
	for i, text := range o.Source(file.Path, first, last) {
		if n := first + i; n <= last {
			out = append(out, pageLine{n, visibleCode(gate.Clip(text, gate.MaxEvidence)), n >= f.Line && n <= f.EndLine})
		}
	}
	return out
}

func newPageRun(r ran) pageRun {
	e := r.exec
	status := executionCell(e)
	p := pageRun{
		Files: fileList(r.files), Status: status.text, Tone: status.tone, Reason: visible(gate.Clip(e.Reason, gate.MaxEvidence)),
		StandIns: visible(strings.Join(e.StandIns, ", ")), Environment: environment(e), Coverage: r.coverage(visible),
	}
	for _, u := range e.Units {
		unit := pageUnit{
			Command: visible(strings.Join(u.Command, " ")),
			Ended:   fmt.Sprintf("%s, %s, %s%s", unitCell(u).text, milliseconds(u.DurationMS), visible(u.Kind), cachedWord(u.Cached)),
		}
		if u.Reason != "" {
			unit.Ended += ": " + visible(u.Reason)
		}
		for _, o := range []struct {
			name string
			gate.Output
		}{{"standard output", u.Stdout}, {"standard error", u.Stderr}} {
			if shown, more := visibleLines(o.Text, textOutputLines); len(shown) > 0 {
				unit.Outputs = append(unit.Outputs, pageOutput{o.name, strings.Join(shown, "\n"), outputRest(more, o.Output)})
			}
		}
		p.Units = append(p.Units, unit)
	}
	did, caches := withoutCaches(e.Behaviour)
	for i, b := range did {
		if i == htmlListed {
			p.Behaviour = append(p.Behaviour, "and "+plural(len(did)-i, "more thing"))
			break
		}
		p.Behaviour = append(p.Behaviour, "did "+behaviour(b))
	}
	if caches != "" {
		p.Behaviour = append(p.Behaviour, "and "+caches)
	}
	return p
}
