package action

import (
	"io"
	"testing"

	"github.com/aigate/gate/gate/change/event"
	"github.com/aigate/gate/gate/engine"
)

func TestCacheAccessDependsOnTheEvent(t *testing.T) {
	for name, tt := range map[string]struct {
		event            event.Event
		protected        string
		readOnly, reuses bool
	}{
		"a pull request":                        {event.Event{Name: event.PullRequest, Number: 7, HeadRepo: "acme/shop"}, "", false, true},
		"a pull request of a fork":              {event.Event{Name: event.PullRequest, Number: 7, HeadRepo: "mallory/shop"}, "", true, true},
		"a pull request of a repository gone":   {event.Event{Name: event.PullRequestTarget, Number: 7}, "", true, true},
		"a merge queue":                         {event.Event{Name: event.MergeGroup, HeadRef: "gh-readonly-queue/main/pr-7"}, "", false, false},
		"a push to the default branch":          {event.Event{Name: event.Push, HeadRef: "main"}, "false", false, false},
		"a push to a protected branch":          {event.Event{Name: event.Push, HeadRef: "release"}, "true", false, false},
		"a push to another branch":              {event.Event{Name: event.Push, HeadRef: "topic"}, "false", false, true},
		"a run by hand of the default branch":   {event.Event{Name: event.WorkflowDispatch, HeadRef: "main"}, "", false, false},
		"a run by hand of a topic branch":       {event.Event{Name: event.WorkflowDispatch, HeadRef: "topic"}, "", false, true},
		"an event that does not say its branch": {event.Event{Name: event.Push}, "", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"GITHUB_REF_PROTECTED": tt.protected, "GATE_CACHE_DIR": "cache"}
			tt.event.Owner, tt.event.Repo, tt.event.Default = "acme", "shop", "main"
			r := &run{event: tt.event, Job: Job{Engine: engine.New(engine.Host{Stderr: io.Discard, Getenv: func(k string) string { return env[k] }})}}
			c := keeps(r)
			if c.ReadOnly != tt.readOnly || (c.Fresh == "") != tt.reuses || c.Dir != "cache" {
				t.Errorf("%+v", c)
			}
		})
	}
}
