package github

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	gh "github.com/google/go-github/v62/github"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report/story"
)

// CheckName is the check that a repository requires.
const CheckName = "gate"

// Limits of the checks API. Source: docs.github.com, "REST API endpoints for
// check runs".
const (
	annotationsPerRequest = 50
	maxAnnotations        = 1000 // ours: twenty requests are enough of one change
	maxCheckText          = 65_535
	maxAnnotationMessage  = 4096 // GitHub takes 64 KB; no one reads that
)

// Check is one check run to publish.
type Check struct {
	HeadSHA    string
	Decision   gate.Decision
	Title      string
	Summary    string // Markdown
	DetailsURL string
	Files      []gate.FileResult
}

// PublishCheck publishes a completed check run, annotations in batches, and
// returns its address. The conclusion goes with the last batch: a check whose
// publication broke off stays in progress, which a required check does not
// accept.
func (c *Client) PublishCheck(ctx context.Context, k Check) (string, error) {
	notes, left := annotations(k.Files)
	summary := k.Summary
	if left > 0 {
		summary += fmt.Sprintf("\n\n%d more findings are not shown as annotations.", left)
	}
	output := func(batch []*gh.CheckRunAnnotation) *gh.CheckRunOutput {
		return &gh.CheckRunOutput{
			Title:       gh.String(gate.Clip(k.Title, 255)),
			Summary:     gh.String(gate.Clip(summary, maxCheckText)),
			Annotations: batch,
		}
	}
	batches := slices.Collect(slices.Chunk(notes, annotationsPerRequest))
	if len(batches) == 0 {
		batches = append(batches, nil)
	}
	now := &gh.Timestamp{Time: time.Now().UTC()}
	create := gh.CreateCheckRunOptions{
		Name: CheckName, HeadSHA: k.HeadSHA, Status: gh.String("in_progress"), Output: output(batches[0]),
	}
	if k.DetailsURL != "" {
		create.DetailsURL = gh.String(k.DetailsURL)
	}
	if len(batches) == 1 {
		create.Status, create.Conclusion, create.CompletedAt = gh.String("completed"), gh.String(conclusion(k.Decision)), now
	}
	run, _, err := c.api.Checks.CreateCheckRun(ctx, c.owner, c.repo, create)
	if err != nil {
		return "", explain("create the check run", err)
	}
	for i, batch := range batches[1:] {
		update := gh.UpdateCheckRunOptions{Name: CheckName, Output: output(batch)}
		if i == len(batches)-2 {
			update.Status, update.Conclusion, update.CompletedAt = gh.String("completed"), gh.String(conclusion(k.Decision)), now
		}
		if _, _, err := c.api.Checks.UpdateCheckRun(ctx, c.owner, c.repo, run.GetID(), update); err != nil {
			return run.GetHTMLURL(), explain(fmt.Sprintf("add annotations %d and on to the check run", (i+1)*annotationsPerRequest+1), err)
		}
	}
	return run.GetHTMLURL(), nil
}

// conclusion never says neutral or skipped: a required check takes both for a
// pass.
func conclusion(d gate.Decision) string {
	if d == gate.DecisionPass {
		return "success"
	}
	return "failure"
}

// annotations turns what the findings tell into annotations, one for each harm, the worst
// first, and says how many did not fit.
func annotations(files []gate.FileResult) (notes []*gh.CheckRunAnnotation, left int) {
	harms := make([][]story.Harm, len(files))
	for i, f := range files {
		if f.Change != gate.ChangeDeleted && f.Parent == "" { // else there is no line to annotate
			harms[i] = story.Harms(f.Findings)
		}
	}
	for _, severity := range []gate.Severity{gate.SeverityDangerous, gate.SeveritySuspicious, gate.SeverityNote} {
		for i, f := range files {
			for _, h := range harms[i] {
				if lead := f.Findings[h.Lead]; story.Weight(lead) != severity || !lead.Decides() {
					continue
				}
				if len(notes) == maxAnnotations {
					left++
					continue
				}
				notes = append(notes, annotation(f, h))
			}
		}
	}
	return notes, left
}

func annotation(file gate.FileResult, h story.Harm) *gh.CheckRunAnnotation {
	f := file.Findings[h.Lead]
	level := "failure"
	switch story.Weight(f) {
	case gate.SeverityNote:
		level = "notice"
	case gate.SeveritySuspicious:
		level = "warning"
	}
	line := max(f.Line, 1)
	message := story.Says(file.Findings, h).String()
	if f.Evidence != "" {
		message += "\n\n" + f.Evidence
	}
	if len(h.Also) > 0 {
		message += "\n\nAlso: " + strings.Join(rulesOf(file, h.Also), ", ")
	}
	return &gh.CheckRunAnnotation{
		Path:            gh.String(path.Clean(file.Path)),
		StartLine:       gh.Int(line),
		EndLine:         gh.Int(max(f.EndLine, line)),
		AnnotationLevel: gh.String(level),
		Title:           gh.String(gate.Clip(f.Rule+" ("+string(f.Layer)+")", 255)),
		Message:         gh.String(gate.Clip(plain(message), maxAnnotationMessage)),
	}
}

// rulesOf names the rules of findings, each once.
func rulesOf(file gate.FileResult, findings []int) []string {
	var rules []string
	for _, i := range findings {
		if rule := file.Findings[i].Rule; !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	return rules
}

// plain replaces what annotations would show in a misleading way: control
// characters and those that change the direction of text or are not seen.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ', r >= 0x7f && r < 0xa0, r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e,
			r >= 0x2060 && r <= 0x206f, r == 0xfeff, r == 0x061c, r >= 0xe0000 && r <= 0xe0fff:
			return '\ufffd'
		}
		return r
	}, s)
}
