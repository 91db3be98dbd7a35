package action

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sethvargo/go-githubactions"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/change/event"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/shard"
	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/report/github"
)

// Options are what the commands of a workflow may say.
type Options struct {
	Engine  engine.Options
	Cache   engine.CacheOptions
	Save    string // file for the result as JSON, "" for none
	SARIF   string // file for the SARIF report, "" for none
	Publish bool   // to GitHub
	Part    shard.Part
}

// Job is a job of a workflow, as the commands find it.
type Job struct {
	Engine *engine.Engine
	Stdout io.Writer
	// Rules documents gate's rules and those of a team's own.
	Rules func(own ...static.RuleSource) ([]gate.Rule, error)
	// Progress takes the events of the run; nil drops them.
	Progress gate.Handler
	// Wait bounds the waits between repeated requests to GitHub; 0 is the client's
	// default.
	Wait time.Duration
}

// run is one call of a command: what the event says and who is told.
type run struct {
	Job
	o      Options
	action *githubactions.Action
	event  event.Event
	client *github.Client // nil where nothing is published
	asks   *github.Client // for questions; nil where nothing can be asked
	server string         // GITHUB_SERVER_URL
	runURL string
	rules  []gate.Rule // with the team's own; nil where they were not read
}

// start reads the event, which has to be one of those named, and connects to GitHub.
func (j Job) start(o Options, events ...string) (*run, error) {
	r := &run{
		Job: j, o: o, server: j.Engine.Getenv("GITHUB_SERVER_URL"),
		action: githubactions.New(githubactions.WithWriter(j.Stdout), githubactions.WithGetenv(j.Engine.Getenv)),
	}
	if err := r.readEvent(events); err != nil {
		return nil, exit.Usagef("%w", err)
	}
	if err := r.connect(); err != nil {
		return nil, exit.Usagef("%w", err)
	}
	return r, nil
}

// readEvent reads the payload that the runner has left.
func (r *run) readEvent(names []string) error {
	getenv := r.Engine.Getenv
	path := getenv("GITHUB_EVENT_PATH")
	if path == "" {
		return errors.New("GITHUB_EVENT_PATH is not set: `gate pr` works in GitHub Actions; locally use `gate scan --base REV`")
	}
	data, err := bounded.ReadPath(path, event.MaxBytes)
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
func (r *run) connect() error {
	if r.event.Fork() && r.event.Name == event.PullRequest {
		if !r.o.Publish || !r.o.Part.Whole() {
			return nil
		}
		r.action.Noticef("The token of a pull request from a fork can only read. The verdict is in %s; the workflow with `gate publish` publishes it.", r.o.Save)
		return nil
	}
	client, err := github.New(github.Options{
		Token: r.Engine.Getenv("GITHUB_TOKEN"), BaseURL: r.Engine.Getenv("GITHUB_API_URL"),
		Owner: r.event.Owner, Repo: r.event.Repo, Author: r.Engine.Getenv("GATE_AUTHOR"), MaxWait: r.Wait,
	})
	r.asks = client
	switch {
	case !r.o.Publish, !r.o.Part.Whole():
		return nil // what can't be asked doesn't count
	case err != nil:
		r.asks = nil
		return err
	}
	r.client = client
	return nil
}

// workspace is the checkout that the runner has made.
func (r *run) workspace() []string {
	if dir := r.Engine.Getenv("GITHUB_WORKSPACE"); dir != "" {
		return []string{dir}
	}
	return nil
}

// finish tells what came out, also where that is an error.
func (r *run) finish(ctx context.Context, res gate.Result, p gate.Policy, err error) error {
	switch {
	case err != nil && len(res.Layers) == 0:
		res, p = nothingDone(r.Engine.Tool(), err), gate.DefaultPolicy()
	case err != nil:
		res = spoiled(res, p, err)
	}
	// Publishing has to come through also when the run was interrupted.
	published := r.tell(context.WithoutCancel(ctx), res, p)
	if err != nil {
		return errors.Join(err, published)
	}
	if published != nil {
		r.Engine.Noticef("%v", published)
	}
	return exit.For(res.Decision, nil)
}

// spoiled is the result of a run that failed after its verdict, such as one whose
// container could not be removed. The check run is what a branch rule looks at, so it has
// to say the same as the exit code.
func spoiled(res gate.Result, p gate.Policy, err error) gate.Result {
	res.Incomplete = append(slices.Clone(res.Incomplete), gate.Gap{Layer: gate.LayerStatic, Reason: "gate itself failed: " + err.Error()})
	res.Override = nil
	return gate.Conclude(res, p)
}

// nothingDone is the result of a run that failed before it looked at anything.
// A required check that is merely absent could be taken for one that still runs.
func nothingDone(tool gate.Tool, err error) gate.Result {
	return gate.Conclude(gate.Result{
		SchemaVersion: gate.SchemaVersion, Tool: tool, Layers: []gate.LayerResult{},
		Incomplete: []gate.Gap{{Layer: gate.LayerStatic, Reason: err.Error()}},
	}, gate.DefaultPolicy())
}
