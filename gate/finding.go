package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// MaxEvidence is the longest evidence, in bytes, that a finding carries. What is
// longer is cut at a rune border by [Findings.Add].
const MaxEvidence = 512

// MaxFindingsPerFile bounds what one hostile file can make a report hold. The
// overflow is not lost: a finding that says so, of the highest severity among
// what was dropped, takes its place.
const MaxFindingsPerFile = 1000

// MaxOldFindings is how many of the findings that the base of a change has as well are
// listed of one file, the worst first; the others are counted.
const MaxOldFindings = 500

// MaxFlow is the most steps of a flow that a finding carries; the last one is
// the sink and always among them.
const MaxFlow = 64

// Finding is one thing that one layer saw in one file. Everything in it may be
// hostile text: report handlers escape it for where they show it.
type Finding struct {
	Rule     string   `json:"rule"`     // "category/name", stable across releases
	Category string   `json:"category"` // the part of Rule before the slash
	Layer    Layer    `json:"layer"`
	Severity Severity `json:"severity"`
	Line     int      `json:"line"`     // first line, 1-based; 0 is the file as a whole
	EndLine  int      `json:"end_line"` // last line, inclusive
	Message  string   `json:"message"`  // one sentence, ours
	Evidence string   `json:"evidence"` // what was seen, at most MaxEvidence bytes, secrets redacted
	InChange bool     `json:"in_change"`

	// CorroboratedBy names the finding of another layer, or of another kind of evidence, that
	// makes this suspicious finding count as dangerous: "layer:rule".
	CorroboratedBy string       `json:"corroborated_by,omitempty"`
	Suppressed     *Suppression `json:"suppressed,omitempty"`
	// Origin says where the text was found when it is not in the file
	// itself: "base64 on line 12", "written at run time".
	Origin string `json:"origin,omitempty"`
	// Flow is the path from source to sink, for findings that have one.
	Flow []Step `json:"flow,omitempty"`
	// Group and Lead are set in written results and never read: findings of a file
	// with the same group describe one harm, of which this one is the strongest. Group 1
	// is the worst harm of the file.
	Group int  `json:"group,omitempty"`
	Lead  bool `json:"lead,omitempty"`
}

// Step is one line on the path from a sensitive source to a sink.
type Step struct {
	// Path is the file that the line is in, where that isn't the finding's.
	Path string `json:"path,omitempty"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Suppression says who silenced a finding and why. A suppressed finding is
// listed in every report and decides nothing.
type Suppression struct {
	By     string `json:"by"`
	Reason string `json:"reason"`
	// Dismissal is set where a user dismissed the finding, and names that user.
	Dismissal *Dismissal `json:"dismissal,omitempty"`
}

// Dismissal is who dismissed a finding, and until when. Unlike other suppressions it ends
// where another layer confirms the finding: what is dangerous can't be dismissed.
type Dismissal struct {
	Account string `json:"account"`
	Expires string `json:"expires"` // the last day, YYYY-MM-DD
	// Verified says that the account was found to have the right to dismiss.
	Verified bool `json:"verified"`
}

// SuppressedInSource is how By begins for a suppression that is in the source
// as a comment.
const SuppressedInSource = "gate:allow"

// Suppressor says which findings were accepted. Suppress gets a finding
// as it will be reported and returns nil for one that no one has.
type Suppressor interface {
	Suppress(path string, f Finding) *Suppression
}

// Decides reports whether the finding takes part in the verdict: it touches the
// change and no one suppressed it.
func (f Finding) Decides() bool { return f.InChange && f.Suppressed == nil }

// Findings collects what the stages of a run report, file by file, and passes
// it on as events. It is safe for concurrent use and only ever grows: no stage
// can remove what another found.
type Findings struct {
	mu      sync.Mutex
	byPath  map[string][]Finding
	targets map[string]*Target
	emit    func(Event)
	// suppressor, where there is one, is asked about every finding.
	suppressor Suppressor
}

// NewFindings returns an empty collection for the targets of a run. emit, which
// may be nil, is called for every finding and every progress report, one at a
// time.
func NewFindings(targets []*Target, emit func(Event)) *Findings {
	fs := &Findings{byPath: map[string][]Finding{}, targets: map[string]*Target{}, emit: emit}
	fs.Track(targets)
	return fs
}

// Track adds targets that appeared during the run.
func (fs *Findings) Track(targets []*Target) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, t := range targets {
		fs.targets[t.Path] = t
	}
}

// Add records findings for the target with that path. It fills Category from
// Rule and InChange from the target's changed lines, puts EndLine in order, and
// cuts what is too long; what the caller set in those fields does not matter.
func (fs *Findings) Add(path string, found ...Finding) { fs.add(path, false, found) }

// AddNew records findings that the base does not have: they are in the change,
// wherever their lines are.
func (fs *Findings) AddNew(path string, found ...Finding) { fs.add(path, true, found) }

// AddOld records findings that the base has as well, as [Findings.Add] does. At most
// MaxOldFindings of those that don't touch the change are listed, the worst first. A note
// counts the others, which are returned as they would have been listed.
func (fs *Findings) AddOld(path string, found ...Finding) (unlisted []Finding) {
	var touching, old []Finding
	for _, f := range found {
		if fs.Touches(path, f) {
			touching = append(touching, f)
		} else {
			old = append(old, f)
		}
	}
	fs.Add(path, touching...)
	slices.SortStableFunc(old, func(a, b Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	fs.mu.Lock()
	room := max(0, min(len(old), MaxOldFindings, MaxFindingsPerFile-1-len(fs.byPath[path])))
	for _, f := range old[room:] {
		unlisted = append(unlisted, fs.filled(path, false, f))
	}
	fs.mu.Unlock()
	fs.Add(path, old[:room]...)
	if n := len(unlisted); n > 0 {
		fs.Add(path, Finding{
			// Line 0 would be about the file as a whole, and so about the change.
			Rule: oldFindings, Layer: unlisted[0].Layer, Severity: SeverityNote, Line: unlisted[0].Line, EndLine: unlisted[0].EndLine,
			Message: fmt.Sprintf("%d more findings are as the base of the change has them, and are not listed", n),
		})
	}
	return unlisted
}

// Touches reports whether a finding for the target with that path, or any step of its
// flow, lies in the changed lines.
func (fs *Findings) Touches(path string, f Finding) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return touches(fs.targets[path], f)
}

func (fs *Findings) add(path string, isNew bool, found []Finding) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range found {
		f = fs.filled(path, isNew, f)
		have := fs.byPath[path]
		if len(have) >= MaxFindingsPerFile {
			last := &have[len(have)-1]
			*last = overflow(*last, f)
			continue
		}
		fs.byPath[path] = append(have, f)
		if fs.emit != nil {
			fs.emit(Found{Path: path, Finding: f})
		}
	}
}

// filled is a finding with everything that the caller must not decide.
func (fs *Findings) filled(path string, isNew bool, f Finding) Finding {
	f.Category, _, _ = strings.Cut(f.Rule, "/")
	f.Line = max(f.Line, 0)
	f.EndLine = max(f.EndLine, f.Line)
	f.InChange = isNew || touches(fs.targets[path], f)
	f.Evidence = Clip(f.Evidence, MaxEvidence)
	f.Message = Clip(f.Message, MaxEvidence)
	f.Origin = Clip(f.Origin, MaxEvidence)
	f.Flow = clipFlow(f.Flow)
	if fs.suppressor != nil && f.Suppressed == nil {
		f.Suppressed = fs.suppressor.Suppress(path, f)
	}
	return f
}

// Report passes on how far a stage is.
func (fs *Findings) Report(p Progress) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.emit != nil {
		fs.emit(p)
	}
}

// touches reports whether a finding, or any step of its flow, lies in the
// changed lines of its target. A target that no one knows counts as changed.
func touches(t *Target, f Finding) bool {
	if t == nil || t.Lines.Touches(f.Line, f.EndLine) {
		return true
	}
	return slices.ContainsFunc(f.Flow, func(s Step) bool { return s.Path == "" && t.Lines.Touches(s.Line, s.Line) })
}

// Of returns a sorted copy of what is known about path so far.
func (fs *Findings) Of(path string) []Finding {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	out := slices.Clone(fs.byPath[path])
	SortFindings(out)
	return out
}

// Worst returns the highest severity among the deciding findings of path, or
// SeverityUnknown when there are none.
func (fs *Findings) Worst(path string) Severity {
	var worst Severity
	for _, f := range fs.Of(path) {
		if f.Decides() {
			worst = max(worst, f.Severity)
		}
	}
	return worst
}

// SortFindings orders findings by line, then severity (worst first), layer,
// rule and evidence, so that equal input gives equal output.
func SortFindings(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(b.Severity, a.Severity),
			cmp.Compare(a.Layer, b.Layer),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.EndLine, b.EndLine),
			cmp.Compare(a.Evidence, b.Evidence),
			cmp.Compare(a.Message, b.Message),
			cmp.Compare(a.Origin, b.Origin),
		)
	})
}

// tooMany is the rule of the finding that stands for those that did not fit.
const tooMany = "gate/too-many-findings"

// oldFindings is the rule of the note that counts those that the base has as well and
// that are not listed.
const oldFindings = "gate/old-findings"

// overflow merges two findings into one that is at least as bad as those of them
// that decide. Of what is dropped no one knows any more whether it would have
// been corroborated, so suspicion from two layers counts as danger.
func overflow(last, next Finding) Finding {
	merged := last
	if last.Rule != tooMany {
		merged = Finding{Rule: tooMany, Category: "gate", Layer: next.Layer,
			Message: "more findings than a report holds; the rest of this file's findings are not listed"}
	}
	merged.InChange = last.Decides() || next.Decides()
	switch {
	case last.Decides() == next.Decides():
		merged.Severity = worstSeverity(last.Severity, next.Severity)
	case next.Decides():
		merged.Severity = next.Severity
	default:
		merged.Severity = last.Severity
	}
	if last.Decides() && next.Decides() && last.Layer != next.Layer &&
		last.Severity >= SeveritySuspicious && next.Severity >= SeveritySuspicious {
		merged.Severity = SeverityDangerous
	}
	return merged
}

// worstSeverity is max, but for the unknown severity, which decides as the worst.
func worstSeverity(a, b Severity) Severity {
	if a == SeverityUnknown || b == SeverityUnknown {
		return SeverityDangerous
	}
	return max(a, b)
}

func clipFlow(flow []Step) []Step {
	if len(flow) > MaxFlow {
		flow = slices.Concat(flow[:MaxFlow-1], flow[len(flow)-1:])
	}
	flow = slices.Clone(flow)
	for i := range flow {
		flow[i].Line = max(flow[i].Line, 0)
		flow[i].Text = Clip(flow[i].Text, MaxEvidence)
	}
	return flow
}

// Clip cuts s to at most n bytes at a rune border and marks the cut with "…".
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const mark = "…"
	cut := max(n-len(mark), 0)
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + mark
}
