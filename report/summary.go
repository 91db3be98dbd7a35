package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/report/story"
)

// summary is what the formats for people (text, markdown, html) show, worked
// out once. Its strings are as hostile as the result's: every format escapes
// them for where it writes them.
type summary struct {
	res        gate.Result
	headline   string
	tone       tone
	steps      []string
	rows       []row        // worst first
	stories    []story.File // of the files of res, in their order
	runs       []ran
	attributed bool // attribution looked for who wrote the files
	notes      int  // findings that are folded into a count
	rules      map[string]gate.Rule
	told       map[string]bool // rules whose way out has been shown
}

// tone is what a piece of the report feels like; formats turn it into a colour.
type tone string

const (
	toneNone tone = ""
	toneGood tone = "good"
	toneNote tone = "note"
	toneWarn tone = "warn"
	toneGap  tone = "gap"
	toneBad  tone = "bad"
)

// cell is one field of the table. Its text is gate's own words.
type cell struct {
	text string
	tone tone
}

// row is one file in the table.
type row struct {
	file    *gate.FileResult
	story   story.File
	layers  [3]cell // in the order of gate.Layers
	verdict cell
}

// ran is a group of files that one or more runs had in common.
type ran struct {
	files   []string
	exec    *gate.Execution
	covered []covered // of those files of which something is known
}

func summarize(r gate.Result, o Options) summary {
	s := summary{res: r, headline: Headline(r), steps: NextSteps(r), tone: decisionTone(r), rules: map[string]gate.Rule{}, told: map[string]bool{}}
	for _, rule := range o.Rules {
		s.rules[rule.ID] = rule
	}
	gaps := indexGaps(r)
	s.stories = story.Of(r)
	for i := range r.Files {
		f := &r.Files[i]
		row := row{file: f, story: s.stories[i], verdict: cell{f.Verdict.String(), verdictTone(f.Verdict)}}
		for j, l := range gate.Layers() {
			row.layers[j] = layerCell(r, f, l, gaps)
			if s := ranShort(f.Execution); l == gate.LayerSandbox && s != "" {
				row.layers[j].text += ", " + s
			}
		}
		s.rows = append(s.rows, row)
		s.attributed = s.attributed || f.Attribution.Basis != "unknown" || len(f.Attribution.Evidence) > 0
		for _, finding := range f.Findings {
			if folded(finding) {
				s.notes++
			}
		}
	}
	slices.SortStableFunc(s.rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.file.Verdict, a.file.Verdict), cmp.Compare(b.file.RiskScore, a.file.RiskScore))
	})
	s.runs = grouped(r.Files)
	return s
}

// instead returns what to do about a finding, where its rule says so and this is
// the first one of its rule: no one reads it twenty times.
func (s summary) instead(f gate.Finding) string {
	if s.told[f.Rule] {
		return ""
	}
	s.told[f.Rule] = true
	return s.rules[f.Rule].Instead
}

// folded reports whether a finding is counted rather than listed. A suppressed
// one never is: who silenced what is for everybody to see, and so is a suppression
// in the change that does nothing.
func folded(f gate.Finding) bool {
	return f.Severity == gate.SeverityNote && f.Suppressed == nil && (f.Category != "suppression" || !f.InChange)
}

// override says who let the run pass, with the hostile parts escaped by esc, or
// returns "".
func (s summary) override(esc func(string) string) string {
	o := s.res.Override
	if o == nil {
		return ""
	}
	const most = 100 // bytes of a name or a label
	because := ""
	if o.Reason != "" {
		because = ", because: " + esc(gate.Clip(o.Reason, gate.MaxEvidence))
	}
	return "Overridden by " + esc(gate.Clip(o.By, most)) + " with the label " + esc(gate.Clip(o.Label, most)) + because +
		". Without that, the decision would be " + o.Decision.String() + "."
}

func decisionTone(r gate.Result) tone {
	if r.Override != nil {
		return toneWarn
	}
	switch r.Decision {
	case gate.DecisionBlock:
		return toneBad
	case gate.DecisionPass:
		return verdictTone(r.Verdict)
	default:
		return toneGap
	}
}

func verdictTone(v gate.Verdict) tone {
	switch v {
	case gate.Dangerous:
		return toneBad
	case gate.Suspicious:
		return toneWarn
	case gate.Safe:
		return toneGood
	default:
		return toneGap
	}
}

// findingTone leaves what decides nothing without colour.
func findingTone(f gate.Finding) tone {
	if !f.Decides() {
		return toneNone
	}
	return severityTone(story.Weight(f))
}

func severityTone(s gate.Severity) tone {
	switch s {
	case gate.SeverityNote:
		return toneNote
	case gate.SeveritySuspicious:
		return toneWarn
	default:
		return toneBad
	}
}

// layerCell says what one layer made of one file, the most important thing
// first: danger, a gap, suspicion, then how the layer ended.
func layerCell(r gate.Result, f *gate.FileResult, l gate.Layer, gaps gapIndex) cell {
	worst, count := gate.SeverityUnknown, 0
	for _, finding := range f.Findings {
		if finding.Layer != l || !finding.Decides() {
			continue
		}
		switch w := story.Weight(finding); {
		case w > worst:
			worst, count = w, 1
		case w == worst:
			count++
		}
	}
	found := cell{fmt.Sprintf("%s %d", worst, count), severityTone(worst)}
	stopped := l == gate.LayerSandbox && f.Execution != nil && f.Execution.Status.Interrupted()
	switch {
	case worst == gate.SeverityDangerous:
		return found
	case gaps.covers(f, l) && stopped:
		return cell{interrupted(f.Execution), toneGap}
	case gaps.covers(f, l):
		return cell{"incomplete", toneGap}
	case worst == gate.SeveritySuspicious && stopped:
		return cell{found.text + ", " + interrupted(f.Execution), found.tone}
	case worst == gate.SeveritySuspicious:
		return found
	}
	ended := ended(r, f, l)
	if worst == gate.SeverityNote && ended.tone != toneWarn && ended.tone != toneBad {
		return found
	}
	return ended
}

// gapIndex holds the reasons for what is incomplete, by layer and path.
type gapIndex map[gapKey][]string

type gapKey struct {
	layer gate.Layer
	path  string // empty for the layer as a whole
}

func indexGaps(r gate.Result) gapIndex {
	index := gapIndex{}
	for _, g := range r.Incomplete {
		k := gapKey{g.Layer, g.Path}
		index[k] = append(index[k], g.Reason)
	}
	return index
}

// covers reports whether a layer did not complete for a file. A gap of the layer
// as a whole counts only where the verdict shows that the file needed it: a
// file that policy restricts to the static layer does not.
func (g gapIndex) covers(f *gate.FileResult, l gate.Layer) bool {
	return len(g[gapKey{l, f.Path}]) > 0 || len(g[gapKey{l, ""}]) > 0 && f.Verdict >= gate.Incomplete
}

// ended says how a layer ended for a file about which it reported nothing.
func ended(r gate.Result, f *gate.FileResult, l gate.Layer) cell {
	i := slices.IndexFunc(r.Layers, func(lr gate.LayerResult) bool { return lr.Name == l })
	switch {
	case i < 0 || r.Layers[i].Status == gate.LayerSkipped && r.Layers[i].Reason == notSelected:
		return cell{"-", toneNone}
	case r.Layers[i].Status == gate.LayerSkipped:
		return cell{"skipped", toneNone}
	case l == gate.LayerJudge && f.Judge != nil:
		return cell{strings.ToLower(f.Judge.Verdict.String()), verdictTone(f.Judge.Verdict)}
	case l == gate.LayerSandbox && f.Execution != nil:
		return executionCell(f.Execution)
	case l == gate.LayerStatic && r.Layers[i].Status == gate.LayerRan:
		return cell{"clean", toneGood}
	}
	return cell{"-", toneNone}
}

func executionCell(e *gate.Execution) cell {
	switch e.Status {
	case gate.ExecutionExited:
		return cell{fmt.Sprintf("exit %d", e.ExitCode), toneNone}
	case gate.ExecutionTimeout:
		return cell{"timeout", toneNote}
	case gate.ExecutionWaiting:
		return cell{"still waiting", toneNote}
	case gate.ExecutionServing:
		return cell{"serving", toneNone}
	case gate.ExecutionOOM:
		return cell{"out of memory", toneNote}
	case gate.ExecutionKilled:
		return cell{"killed", toneNote}
	case gate.ExecutionNotRun:
		return cell{"not run", toneNone}
	}
	if e.Status.Interrupted() {
		return cell{interrupted(e), toneNote}
	}
	return cell{"failed", toneGap}
}

// ownLine is a reason that is gate's own words and names a line of the file.
var ownLine = regexp.MustCompile(`^syntax error in line \d{1,6}$`)

// interrupted says in a cell why a file did not run for which a program was started.
func interrupted(e *gate.Execution) string {
	what := map[gate.ExecutionStatus]string{
		gate.ExecutionSyntaxError: "syntax error", gate.ExecutionMissingModule: "missing module", gate.ExecutionImportFailed: "import failed",
		gate.ExecutionStoppedEarly: "stopped early", gate.ExecutionNoTestsRan: "no tests ran", gate.ExecutionNotBuilt: "not built",
	}[e.Status]
	switch {
	case len(e.StandIns) > 0:
		return "with stand-ins: " + what
	case ownLine.MatchString(e.Reason):
		what = e.Reason
	}
	return "did not run: " + what
}

// grouped lists the executions once each, with the files that share them: files
// that ran in one unit all carry it.
func grouped(files []gate.FileResult) []ran {
	var out []ran
	index := map[string]int{}
	for i := range files {
		e := files[i].Execution
		if e == nil {
			continue
		}
		same := *e
		same.Coverage, same.Uncovered, same.CoverageReason, same.DurationMS = nil, nil, "", 0
		key, err := json.Marshal(same)
		if err != nil { // cannot happen: the type holds nothing that JSON has no form for
			key = []byte(files[i].Path)
		}
		at, ok := index[string(key)]
		if !ok {
			at = len(out)
			index[string(key)] = at
			out = append(out, ran{exec: e})
		}
		out[at].files = append(out[at].files, files[i].Path)
		if c, ok := coveredOf(&files[i]); ok {
			out[at].covered = append(out[at].covered, c)
		}
	}
	return out
}

// lines says where a finding is: "12", "12-14", or "" for the file as a whole.
func lines(f gate.Finding) string {
	switch {
	case f.Line == 0:
		return ""
	case f.EndLine > f.Line:
		return fmt.Sprintf("%d-%d", f.Line, f.EndLine)
	default:
		return fmt.Sprint(f.Line)
	}
}

// remark is something else that is known about a finding: gate's words around a
// hostile text, which may be empty.
type remark struct{ before, text, after string }

func remarks(f gate.Finding) []remark {
	var out []remark
	if f.Origin != "" {
		out = append(out, remark{before: "found in", text: f.Origin})
	}
	if f.CorroboratedBy != "" {
		out = append(out, remark{"confirmed by", f.CorroboratedBy, ", so it counts as dangerous"})
	}
	if s := f.Suppressed; s != nil {
		out = append(out, remark{"suppressed by", s.By, ", so it decides nothing"}, remark{before: "because:", text: s.Reason})
	} else if !f.InChange {
		out = append(out, remark{before: "outside of the changed lines, so it decides nothing"})
	}
	return out
}

// shown joins the parts of a remark with the hostile one escaped by esc.
func (r remark) shown(esc func(string) string) string {
	if r.text == "" {
		return r.before + r.after
	}
	return r.before + " " + esc(r.text) + r.after
}
