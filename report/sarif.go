package report

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report/story"
)

// What GitHub's code scanning takes in one upload; a larger one is refused as a
// whole. From "SARIF support for code scanning", section on the limits of files.
const (
	sarifMaxResults = 25_000   // of one run; the 5,000 most severe are shown
	sarifMaxGzip    = 10 << 20 // bytes
	sarifMaxTags    = 20       // of one rule
	sarifMaxSteps   = 1000     // locations of one thread flow
	sarifMaxRelated = 50       // findings that are evidence of one result
)

// sarifMaxNotifications bounds the list of what is incomplete.
const sarifMaxNotifications = 1000

// renderSARIF writes a SARIF 2.1.0 log. The format is written with types of our
// own: they are the twentieth part of the standard that gate uses, and a library
// would add a builder for the rest.
func renderSARIF(w io.Writer, r gate.Result, o Options) error {
	b := &sarif{summary: summarize(r, o), parents: map[string]string{}, seen: map[string]int{}}
	for _, f := range r.Files {
		b.parents[f.Path] = f.Parent
	}
	doc, err := b.within(b.all(), sarifMaxResults, sarifMaxGzip)
	if err != nil {
		return err
	}
	_, err = w.Write(doc)
	return err
}

// sarif builds one log.
type sarif struct {
	summary
	parents map[string]string
	seen    map[string]int // occurrences of a fingerprint
}

// all returns a result for every harm of every file, in order.
func (b *sarif) all() []sarifResult {
	out := []sarifResult{} // null would mean that nothing was analysed
	for i := range b.res.Files {
		f := &b.res.Files[i]
		for _, h := range b.stories[i].Harms {
			res := b.result(f, f.Findings[h.Lead], story.Says(f.Findings, h).String())
			for _, at := range h.Also[:min(len(h.Also), sarifMaxRelated)] {
				res.also(b.root(f.Path), f, f.Findings[at])
			}
			out = append(out, res)
		}
	}
	return out
}

// also adds a finding to the result that it is evidence of.
func (r *sarifResult) also(root string, f *gate.FileResult, finding gate.Finding) {
	r.Properties.Also = append(r.Properties.Also, visible(finding.Rule))
	line, end := max(finding.Line, 1), max(finding.EndLine, finding.Line, 1)
	if f.Parent != "" {
		line, end = 1, 1
	}
	says := sarifMessage(finding.Rule + ": " + finding.Message)
	r.Related = append(r.Related, sarifLocation{physical(root, line, end), &says})
}

// within returns the log with as many of the results as fit, the worst ones, and
// a notification that says how many do not.
func (b *sarif) within(results []sarifResult, most, gzipped int) ([]byte, error) {
	keep := min(len(results), most)
	for {
		doc, err := json.MarshalIndent(b.log(worst(results, keep), len(results)), "", " ")
		if err != nil {
			return nil, err
		}
		doc = append(doc, '\n')
		packed, err := gzipSize(doc)
		if err != nil {
			return nil, err
		}
		if packed <= gzipped || keep == 0 {
			return doc, nil
		}
		// A tenth less than what the ratio says, because results differ in size.
		keep = int(float64(keep) * float64(gzipped) / float64(packed) * 0.9)
	}
}

// worst returns the n most severe results, in their order.
func worst(results []sarifResult, n int) []sarifResult {
	if n >= len(results) {
		return results
	}
	index := make([]int, len(results))
	for i := range index {
		index[i] = i
	}
	slices.SortStableFunc(index, func(a, b int) int { return cmp.Compare(results[b].severity, results[a].severity) })
	index = index[:n]
	slices.Sort(index)
	out := make([]sarifResult, n)
	for i, at := range index {
		out[i] = results[at]
	}
	return out
}

func gzipSize(doc []byte) (int, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(doc); err != nil {
		return 0, err
	}
	if err := z.Close(); err != nil {
		return 0, err
	}
	return b.Len(), nil
}

func (b *sarif) log(results []sarifResult, of int) sarifLog {
	rules, index := b.describe(results)
	for i := range results {
		results[i].RuleIndex = index[results[i].RuleID]
	}
	return sarifLog{
		Schema:  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
		Version: "2.1.0",
		Runs: []sarifRun{{
			Tool:              sarifTool{Driver: sarifDriver{Name: visible(b.res.Tool.Name), Version: visible(b.res.Tool.Version), Rules: rules}},
			AutomationDetails: sarifAutomation{ID: "gate/"},
			ColumnKind:        "unicodeCodePoints",
			Invocations:       []sarifInvocation{b.invocation(of - len(results))},
			Results:           results,
		}},
	}
}

// result turns the finding that leads a harm, which text tells, into a result.
func (b *sarif) result(f *gate.FileResult, finding gate.Finding, text string) sarifResult {
	root, line, end := f.Path, max(finding.Line, 1), max(finding.EndLine, finding.Line, 1)
	if f.Parent != "" {
		// The lines of decoded text are no lines of a file that anybody has.
		root, line, end = b.root(f.Path), 1, 1
		text += fmt.Sprintf(" (in %s, line %d)", f.Path, finding.Line)
	}
	for _, r := range remarks(finding) {
		text += "; " + r.shown(visible)
	}
	if finding.Evidence != "" {
		text += ": " + finding.Evidence
	}
	res := sarifResult{
		RuleID:       visible(finding.Rule),
		Level:        sarifLevel(story.Weight(finding)),
		Message:      sarifMessage(text),
		Locations:    []sarifLocation{{Physical: physical(root, line, end)}},
		Fingerprints: map[string]string{"primaryLocationLineHash": b.fingerprint(f.Path, finding)},
		Properties:   sarifProperties{Layer: string(finding.Layer), InChange: finding.InChange, Decides: finding.Decides()},
		severity:     story.Weight(finding),
	}
	if s := finding.Suppressed; s != nil {
		kind := "external"
		if strings.HasPrefix(s.By, gate.SuppressedInSource) {
			kind = "inSource"
		}
		res.Suppressions = []sarifSuppression{{Kind: kind, Status: "accepted", Justification: visible(s.By + ": " + s.Reason)}}
	}
	if len(finding.Flow) > 0 && f.Parent == "" {
		var steps []sarifStep
		for _, step := range finding.Flow[:min(len(finding.Flow), sarifMaxSteps)] {
			msg := sarifMessage(step.Text)
			steps = append(steps, sarifStep{sarifLocation{physical(cmp.Or(step.Path, f.Path), max(step.Line, 1), max(step.Line, 1)), &msg}})
		}
		res.CodeFlows = []sarifCodeFlow{{[]sarifThreadFlow{{steps}}}}
	}
	return res
}

// root returns the file of the change that a text came out of.
func (b *sarif) root(path string) string {
	for range len(b.parents) {
		parent := b.parents[path]
		if parent == "" {
			return path
		}
		path = parent
	}
	return path
}

// fingerprint identifies a finding from one version of a file to the next. It
// depends on what was seen and not on where, so that lines inserted above do not
// make an old alert a new one; equal findings of a file are counted.
func (b *sarif) fingerprint(path string, f gate.Finding) string {
	key := strings.Join([]string{path, string(f.Layer), f.Rule, strings.Join(strings.Fields(f.Evidence), " ")}, "\x00")
	sum := sha256.Sum256([]byte(key))
	hash := hex.EncodeToString(sum[:8])
	b.seen[hash]++
	return fmt.Sprintf("%s:%d", hash, b.seen[hash])
}

// invocation says whether the run did what it should, and what it did not.
func (b *sarif) invocation(left int) sarifInvocation {
	inv := sarifInvocation{
		Successful:    b.res.Decision != gate.DecisionIncomplete && len(b.res.Incomplete) == 0,
		Notifications: []sarifNotification{},
	}
	if left > 0 {
		inv.Notifications = append(inv.Notifications, sarifNotification{Level: "warning", Message: sarifMessage(fmt.Sprintf(
			"%s left out, the least severe ones, because code scanning would refuse the file; the json result has all of them", plural(left, "result")))})
	}
	for i, g := range b.res.Incomplete {
		if i == sarifMaxNotifications {
			inv.Notifications = append(inv.Notifications, sarifNotification{Level: "error", Message: sarifMessage(
				plural(len(b.res.Incomplete)-i, "more gap"))})
			break
		}
		n := sarifNotification{Level: "error", Message: sarifMessage(string(g.Layer) + " layer incomplete: " + g.Reason)}
		if g.Path != "" {
			n.Locations = []sarifLocation{{Physical: physical(b.root(g.Path), 1, 1)}}
		}
		inv.Notifications = append(inv.Notifications, n)
	}
	if x := executedText(b.res, visible); x != "" {
		inv.Notifications = append(inv.Notifications, sarifNotification{Level: "note", Message: sarifMessage(x)})
	}
	for _, l := range b.res.Layers {
		if unavailable(l) {
			inv.Notifications = append(inv.Notifications, sarifNotification{Level: "warning", Message: sarifMessage(string(l.Name) + " layer skipped: " + l.Reason)})
		}
	}
	return inv
}

func physical(path string, from, to int) sarifPhysical {
	// A colon in the first name would make the rest of it a scheme.
	uri := strings.ReplaceAll((&url.URL{Path: path}).EscapedPath(), ":", "%3A")
	return sarifPhysical{
		Artifact: sarifArtifact{URI: uri, Base: "%SRCROOT%"},
		Region:   sarifRegion{Start: from, End: to},
	}
}

func sarifLevel(s gate.Severity) string {
	switch s {
	case gate.SeverityNote:
		return "note"
	case gate.SeveritySuspicious:
		return "warning"
	default:
		return "error"
	}
}

// sarifMessage makes hostile text a plain message. Brackets would be read as an
// embedded link (SARIF 2.1.0, 3.11.6).
func sarifMessage(s string) sarifText {
	return sarifText{strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(visible(s))}
}
