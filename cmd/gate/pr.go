package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/sethvargo/go-githubactions"
	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/attribution"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/change/event"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/shard"
	"github.com/aigate/gate/report"
	"github.com/aigate/gate/report/github"
)

// prFlags are the flags of `gate pr`.
type prFlags struct {
	layerFlags
	cache   cacheFlags
	save    string
	sarif   string
	publish bool
	shard   string
}

func (a *app) prCommand() *cobra.Command {
	var f prFlags
	cmd := &cobra.Command{
		Use:   "pr",
		Short: "In GitHub Actions: gate the change of the event and publish the verdict",
		Long: `pr reads the event that started the workflow, puts the change through the layers,
and publishes the verdict as a check run named "gate", a comment, annotations, a
step summary, an upload to code scanning, and step outputs.

The policy, the rules that it names, the baseline and the suppressions come from the
base commit. A pull request from a
fork has a read-only token: there the result is only saved, for "gate publish".

With --shard I/N, pr looks at a part of the change and only saves the result;
"gate merge --publish" publishes what all shards come to.`,
		Example: `  gate pr
  gate pr --layers static,sandbox --save gate-result.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.pr(cmd.Context(), f) },
	}
	f.layerFlags.register(cmd)
	f.cache.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.save, "save", "gate-result.json", "save the result as JSON to `FILE`")
	fl.StringVar(&f.sarif, "sarif", "gate.sarif", "save the SARIF report to `FILE`")
	fl.BoolVar(&f.publish, "publish", true, "publish the verdict to GitHub")
	fl.StringVar(&f.shard, "shard", "", shardUsage)
	return cmd
}

// prRun is one `gate pr`: what the event says and whom to tell.
type prRun struct {
	app    *app
	flags  prFlags
	part   shard.Part
	action *githubactions.Action
	event  event.Event
	client *github.Client // nil where nothing is published
	server string         // GITHUB_SERVER_URL
	runURL string
	rules  []gate.Rule // with the team's own; nil where they were not read
}

func (a *app) pr(ctx context.Context, f prFlags) error {
	action := githubactions.New(githubactions.WithWriter(a.stdout), githubactions.WithGetenv(a.getenv))
	part, err := partOf(f.shard)
	if err != nil {
		return usage("--shard: %w", err)
	}
	r := &prRun{app: a, flags: f, part: part, action: action, server: a.getenv("GITHUB_SERVER_URL")}
	if err := r.readEvent(event.Names()...); err != nil {
		return usage("%w", err)
	}
	if err := r.connect(); err != nil {
		return usage("%w", err)
	}
	res, set, err := r.gate(ctx)
	if err != nil && len(res.Layers) == 0 && !part.Whole() {
		return err // a result that is not there is missed; one without a shard is refused
	}
	return r.finish(ctx, res, set, err)
}

// finish tells what came out, also where that is an error.
func (r *prRun) finish(ctx context.Context, res gate.Result, set settings, err error) error {
	if err != nil && len(res.Layers) == 0 {
		res = nothingDone(err)
		set.policy = gate.DefaultPolicy()
	}
	// Publishing has to come through also when the run was interrupted.
	published := r.tell(context.WithoutCancel(ctx), res, set.policy)
	if err != nil {
		return errors.Join(err, published)
	}
	if published != nil {
		fmt.Fprintf(r.app.stderr, "gate: %v\n", published)
	}
	return exitFor(res, nil)
}

// readEvent reads the payload that the runner has left, of one of these events.
func (r *prRun) readEvent(names ...string) error {
	getenv := r.app.getenv
	path := getenv("GITHUB_EVENT_PATH")
	if path == "" {
		return errors.New("GITHUB_EVENT_PATH is not set: `gate pr` works in GitHub Actions; locally use `gate scan --base REV`")
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read the event: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, event.MaxBytes+1))
	if err != nil {
		return fmt.Errorf("read the event: %w", err)
	}
	r.event, err = event.Parse(event.Source{
		Name: getenv("GITHUB_EVENT_NAME"), Repository: getenv("GITHUB_REPOSITORY"),
		SHA: getenv("GITHUB_SHA"), Ref: getenv("GITHUB_REF"),
	}, data)
	if err != nil {
		return err
	}
	if !slices.Contains(names, r.event.Name) {
		return fmt.Errorf("this command works on the events %s, not on %q (gate publish is for workflow_run, gate pr for the others)", strings.Join(names, ", "), r.event.Name)
	}
	if id := getenv("GITHUB_RUN_ID"); id != "" && r.server != "" {
		r.runURL = fmt.Sprintf("%s/%s/%s/actions/runs/%s", r.server, r.event.Owner, r.event.Repo, id)
	}
	return nil
}

// connect makes the client for everything that is asked of GitHub, except where
// the token could only read.
func (r *prRun) connect() error {
	switch {
	case !r.flags.publish, !r.part.Whole():
		return nil
	case r.event.Fork() && r.event.Name == event.PullRequest:
		r.action.Noticef("The token of a pull request from a fork can only read. The verdict is in %s; the workflow with `gate publish` publishes it.", r.flags.save)
		return nil
	}
	var err error
	r.client, err = github.New(github.Options{
		Token: r.app.getenv("GITHUB_TOKEN"), BaseURL: r.app.getenv("GITHUB_API_URL"),
		Owner: r.event.Owner, Repo: r.event.Repo, Author: r.app.getenv("GATE_AUTHOR"), MaxWait: r.app.apiWait,
	})
	return err
}

// gate puts the change of the event through the layers.
func (r *prRun) gate(ctx context.Context) (gate.Result, settings, error) {
	a := r.app
	repo, err := change.Open(ctx, workspace(a.getenv))
	if err != nil {
		return gate.Result{}, settings{}, usage("%w", err)
	}
	defer repo.Close()
	base, set, err := r.basePolicy(ctx, repo)
	if err != nil {
		return gate.Result{}, settings{}, err
	}
	// While the repository is open. Rules that can't be read stop the static layer below.
	if own, err := set.userRules(); err == nil && len(own) > 0 {
		if docs, err := a.reportRules(own...); err == nil {
			r.rules = docs
		}
	}
	c, err := repo.Between(ctx, base, r.event.Head, change.Options{Paths: set.policy.Paths, Targets: set.policy.Limits.Files})
	if err != nil {
		return gate.Result{}, set, incomplete(err)
	}
	if err := r.attribute(ctx, repo, base, c, set.policy); err != nil {
		return gate.Result{}, set, incomplete(err)
	}
	accepted, err := set.baseline()
	if err != nil {
		return gate.Result{}, set, err
	}
	w := a.wiring(set, r.flags.selected())
	w.cache, w.base = a.cachePlace(r.flags.cache), base
	w.head, w.part = r.event.Head, r.part
	// What a fork brings about must not be known to anybody else's run.
	w.cache.readOnly = r.event.Fork()
	l, err := a.stages(ctx, w)
	if err != nil {
		return gate.Result{}, set, err
	}
	silenced := l.suppressions(silencing{change: c, againstBase: true, baseline: accepted, usage: set.policy.Rules.Usage})
	mine, info, err := l.part(c, w)
	if err != nil {
		return gate.Result{}, set, errors.Join(incomplete(err), l.shut())
	}
	res, err := gate.Run(ctx, gate.Request{
		Tool: tool(), Change: mine, Shard: info, Policy: set.policy, Stages: l.stages, Suppress: silenced,
		Handler: newLogProgress(a.stderr), Override: r.override(ctx, set.policy),
	})
	if err = errors.Join(err, l.shut()); err != nil {
		err = incomplete(err)
	}
	return res, set, err
}

// basePolicy fetches the commits, because the policy is the base's.
func (r *prRun) basePolicy(ctx context.Context, repo *change.Repo) (base string, set settings, err error) {
	if base, err = r.base(ctx, repo); err != nil {
		return "", settings{}, incomplete(err)
	}
	if err := repo.Fetch(ctx, base, r.event.Head); err != nil {
		return "", settings{}, incomplete(err)
	}
	set, err = r.policy(ctx, repo, base)
	return base, set, err
}

// policy is the base commit's. The flags stand in a workflow file, which a pull
// request can change: they can require more layers, and not fewer.
func (r *prRun) policy(ctx context.Context, repo *change.Repo, base string) (settings, error) {
	var none layerFlags
	plain, err := r.app.policyOf(ctx, repo, base, "", &none)
	if err != nil {
		return settings{}, err
	}
	set, err := r.app.policyOf(ctx, repo, base, "", &r.flags.layerFlags)
	for _, l := range plain.policy.Require {
		if !slices.Contains(set.policy.Require, l) {
			set.policy.Require = append(slices.Clone(set.policy.Require), l)
		}
	}
	return set, err
}

// base is the commit from which the change starts. A new branch and a manual run
// have none: they start where the default branch was left.
func (r *prRun) base(ctx context.Context, repo *change.Repo) (string, error) {
	if r.event.Base != "" {
		return r.event.Base, nil
	}
	if r.event.BaseRef == "" {
		return "", errors.New("the event names neither a base commit nor a default branch")
	}
	return "refs/remotes/origin/" + r.event.BaseRef, nil
}

// override returns who passes this change regardless, or nil. Only the event of
// setting the label counts, because only that says who did; a later push is a new
// change and wants the label anew.
func (r *prRun) override(ctx context.Context, p gate.Policy) *gate.Overridden {
	e := r.event
	if e.Action != "labeled" || e.Label == "" || e.Label != p.Override.Label || r.client == nil {
		return nil
	}
	has, err := r.client.Permission(ctx, e.Sender)
	if err != nil {
		r.action.Warningf("The label %q does not count: %v", e.Label, err)
		return nil
	}
	if !atLeast(has, p.Override.Permission) {
		r.action.Warningf("The label %q does not count: %s has the permission %q and %q is needed", e.Label, e.Sender, has, p.Override.Permission)
		return nil
	}
	return &gate.Overridden{By: e.Sender, Label: e.Label}
}

// atLeast compares permissions. A name that nobody knows, such as a custom role,
// is not enough for anything.
func atLeast(has, want string) bool {
	rank := map[string]int{"write": 1, "maintain": 2, "admin": 3}
	return rank[has] > 0 && rank[has] >= rank[want] && rank[want] > 0
}

// tell writes the files and outputs and publishes. What goes wrong is returned
// and changes no decision.
func (r *prRun) tell(ctx context.Context, res gate.Result, p gate.Policy) error {
	link := github.Permalink(r.server, r.event.Owner+"/"+r.event.Repo, r.event.Head)
	rules, err := r.rules, error(nil)
	if rules == nil {
		rules, err = r.app.reportRules()
	}
	errs := []error{err}
	opts := report.Options{FailOn: p.FailOn, Rules: rules, Permalink: link, FullReport: r.runURL}
	render := func(format string, maxBytes int) []byte {
		o := opts
		o.MaxBytes = maxBytes
		text, err := rendered(format, res, o)
		errs = append(errs, err)
		return text
	}
	if !r.part.Whole() {
		r.quote(render("text", 0))
		errs = append(errs, saveAs(r.flags.save, render("json", 0)))
		r.outputs(res)
		return errors.Join(errs...)
	}
	// The log is the first place where people look; hostile text in it must not
	// be taken for commands to the runner.
	r.quote(render("text", 0))
	r.annotateLog(res)

	sarif := render("sarif", 0)
	errs = append(errs, saveAs(r.flags.save, render("json", 0)), saveAs(r.flags.sarif, sarif))
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

func rendered(format string, res gate.Result, o report.Options) ([]byte, error) {
	var buf bytes.Buffer
	h, err := report.New(format, &buf, o)
	if err != nil {
		return nil, err
	}
	if err := gate.Replay(res, h); err != nil {
		return nil, fmt.Errorf("render the %s report: %w", format, err)
	}
	return buf.Bytes(), nil
}

func saveAs(path string, data []byte) error {
	if path == "" || len(data) == 0 {
		return nil
	}
	if err := writeFile(path, data); err != nil {
		return fmt.Errorf("save %s: %w", path, err)
	}
	return nil
}

// quote prints text between stop-commands tokens that its author cannot know.
func (r *prRun) quote(text []byte) {
	token := rand.Text()
	r.action.IssueCommand(&githubactions.Command{Name: "stop-commands", Message: token})
	_, _ = r.app.stdout.Write(append(text, '\n'))
	r.action.IssueCommand(&githubactions.Command{Name: token})
}

// logAnnotations is how many annotations of each level a step shows
// (docs.github.com, "Workflow commands").
const logAnnotations = 10

// annotateLog repeats the worst findings as annotations of the log.
func (r *prRun) annotateLog(res gate.Result) {
	errorsLeft, warningsLeft := logAnnotations, logAnnotations
	for _, f := range res.Files {
		for _, finding := range f.Findings {
			at := r.action.WithFieldsMap(map[string]string{"file": f.Path, "line": fmt.Sprint(max(finding.Line, 1)), "title": finding.Rule})
			switch {
			case !finding.Decides():
			case finding.Severity == gate.SeveritySuspicious && finding.CorroboratedBy == "" && warningsLeft > 0:
				warningsLeft--
				at.Warningf("%s", finding.Message)
			case finding.Severity != gate.SeverityNote && finding.Severity != gate.SeveritySuspicious && errorsLeft > 0:
				errorsLeft--
				at.Errorf("%s", finding.Message)
			}
		}
	}
}

func (r *prRun) summary(markdown []byte) {
	if r.app.getenv("GITHUB_STEP_SUMMARY") != "" && len(markdown) > 0 {
		r.action.AddStepSummary(string(markdown))
	}
}

// outputs sets the outputs of the step. The library's own delimiter is a
// constant; one that nobody can know keeps a value from setting another output.
func (r *prRun) outputs(res gate.Result) {
	if r.app.getenv("GITHUB_OUTPUT") == "" {
		return
	}
	count := map[gate.Verdict]int{}
	for _, f := range res.Files {
		count[f.Verdict]++
	}
	for _, o := range []struct{ name, value string }{
		{"verdict", res.Verdict.String()},
		{"decision", res.Decision.String()},
		{"risk-score", fmt.Sprint(res.RiskScore)},
		{"result-file", r.flags.save},
		{"sarif-file", r.flags.sarif},
		{"files", fmt.Sprint(len(res.Files))},
		{"dangerous", fmt.Sprint(count[gate.Dangerous])},
		{"suspicious", fmt.Sprint(count[gate.Suspicious])},
		{"incomplete", fmt.Sprint(len(res.Incomplete))},
	} {
		end := "gate_" + rand.Text()
		r.action.IssueFileCommand(&githubactions.Command{Name: "output", Message: fmt.Sprintf("%s<<%s\n%s\n%s", o.name, end, o.value, end)})
	}
}

// codeScanningRef is the ref under which code scanning files the results.
func (r *prRun) codeScanningRef() string {
	switch {
	case r.event.Number > 0:
		return fmt.Sprintf("refs/pull/%d/head", r.event.Number)
	case r.event.HeadRef != "":
		return "refs/heads/" + r.event.HeadRef
	default:
		return r.app.getenv("GITHUB_REF")
	}
}

// workspace is the checkout that the runner has made.
func workspace(getenv func(string) string) []string {
	if dir := getenv("GITHUB_WORKSPACE"); dir != "" {
		return []string{dir}
	}
	return nil
}

// incomplete marks an error as gate's own: exit code 3.
func incomplete(err error) error {
	if _, coded := errors.AsType[*exit.Error](err); coded {
		return err
	}
	return &exit.Error{Code: exitIncomplete, Err: err}
}

// attribute finds out who wrote the change. Notes that some tools keep are not
// part of a clone; that they could not be fetched is a doubt, not a failure.
func (r *prRun) attribute(ctx context.Context, repo *change.Repo, base string, c *gate.Change, p gate.Policy) error {
	history, doubt, err := historyOf(ctx, repo, base, r.event.Head)
	if err != nil {
		return err
	}
	in := attribution.Input{Change: c, History: history, Doubt: doubt, Policy: p, Pull: attribution.Pull{
		Branch: r.event.HeadRef, Title: r.event.Title, Body: r.event.Body, Author: r.event.Author, Labels: r.event.Labels,
	}}
	for _, ref := range []string{attribution.GitAINotes, attribution.AgentTraceNotes} {
		fetched, err := repo.FetchNotes(ctx, ref)
		switch {
		case err != nil:
			in.Doubt = fmt.Sprintf("the notes in %s could not be fetched: %v", ref, err)
		case fetched != "":
			in.Notes = append(in.Notes, fetched)
		}
	}
	return attribution.Attribute(ctx, in)
}
