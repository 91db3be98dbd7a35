package action

import (
	"context"
	"errors"
	"fmt"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/report"
	"github.com/aigate/gate/report/github"
)

// tell writes the files and outputs and publishes. What goes wrong is returned
// and changes no decision.
func (r *run) tell(ctx context.Context, res gate.Result, p gate.Policy) error {
	link := github.Permalink(r.server, r.event.Owner+"/"+r.event.Repo, r.event.Head)
	rules, err := r.rules, error(nil)
	if rules == nil {
		rules, err = r.Rules()
	}
	errs := []error{err}
	opts := report.Options{FailOn: p.FailOn, Rules: rules, Permalink: link, FullReport: r.runURL}
	render := func(format string, maxBytes int) []byte {
		o := opts
		o.MaxBytes = maxBytes
		text, err := report.Render(format, res, o)
		errs = append(errs, err)
		return text
	}
	if !r.o.Part.Whole() {
		r.quote(render("text", 0))
		errs = append(errs, saveAs(r.o.Save, render("json", 0)))
		r.outputs(res)
		return errors.Join(errs...)
	}
	// The log is the first place where people look; hostile text in it must not
	// be taken for commands to the runner.
	r.quote(render("text", 0))
	r.annotateLog(res)

	sarif := render("sarif", 0)
	errs = append(errs, saveAs(r.o.Save, render("json", 0)), saveAs(r.o.SARIF, sarif))
	r.summary(render("markdown", maxStepSummary))
	r.outputs(res)

	if r.client == nil {
		return errors.Join(errs...)
	}
	for _, part := range r.client.Publish(ctx, github.Publication{
		PullRequest: r.event.Number, HeadSHA: r.event.Head, Ref: r.codeScanningRef(), Result: res,
		Title:   report.Headline(res),
		Comment: string(render("markdown", commentRoom)), Summary: string(render("markdown", checkRoom)),
		SARIF: sarif, DetailsURL: r.runURL, Wanted: p.Report,
	}) {
		if part.Err != nil {
			r.action.Errorf("The %s could not be published: %v", part.Name, part.Err)
			errs = append(errs, fmt.Errorf("publish the %s: %w", part.Name, part.Err))
		}
	}
	return errors.Join(errs...)
}

// Room for Markdown: what GitHub takes, less the marker and the notes that are
// added to it. The step summary takes 1 MiB (docs.github.com, "Workflow commands").
const (
	commentRoom    = report.GitHubCommentLimit - 512
	checkRoom      = 65_535 - 512
	maxStepSummary = 1<<20 - 512
)

func saveAs(path string, data []byte) error {
	if path == "" || len(data) == 0 {
		return nil
	}
	if err := atomicfile.Write(path, data); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}
