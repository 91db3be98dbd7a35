package event

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	base = "1111111111111111111111111111111111111111"
	head = "2222222222222222222222222222222222222222"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func fullName(t testing.TB, data []byte) string {
	t.Helper()
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	return p.Repository.FullName
}

func TestRealPayloadsAreRead(t *testing.T) {
	files, err := filepath.Glob("testdata/pull_request.*.json")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d payloads, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			data := read(t, filepath.Base(file))
			for _, name := range []string{PullRequest, PullRequestTarget} {
				e, err := Parse(Source{Name: name, Repository: fullName(t, data)}, data)
				if err != nil {
					t.Fatal(err)
				}
				if e.Number == 0 || e.Head == "" || e.Base == "" || e.BaseRef == "" || e.Sender == "" || e.Author == "" || e.Action == "" {
					t.Errorf("incomplete: %+v", e)
				}
			}
		})
	}
	labeled := read(t, "pull_request.labeled.json")
	if e, err := Parse(Source{Name: PullRequest, Repository: fullName(t, labeled)}, labeled); err != nil || e.Label == "" {
		t.Errorf("label %q, %v", e.Label, err)
	}
	run := read(t, "workflow_run.completed.json")
	if e, err := Parse(Source{Name: WorkflowRun, Repository: fullName(t, run)}, run); err != nil || e.RunID == 0 {
		t.Errorf("run %d, %v", e.RunID, err)
	}
}

func TestTheOtherEventsSayBetweenWhichCommitsTheChangeLies(t *testing.T) {
	repo := `"repository": {"full_name": "acme/shop", "default_branch": "main"}, "sender": {"login": "ada"}`
	tests := map[string]struct {
		src  Source
		data string
		want Event
	}{
		"a merge queue": {
			Source{Name: MergeGroup}, `{"action": "checks_requested", "merge_group": {"base_sha": "` + base + `", "head_sha": "` + head + `", "base_ref": "refs/heads/main", "head_ref": "refs/heads/gh-readonly-queue/main/pr-1"}, ` + repo + `}`,
			Event{Action: "checks_requested", Base: base, Head: head, BaseRef: "main", HeadRef: "gh-readonly-queue/main/pr-1"}},
		"a push": {
			Source{Name: Push}, `{"ref": "refs/heads/topic", "before": "` + base + `", "after": "` + head + `", ` + repo + `}`,
			Event{Base: base, Head: head, BaseRef: "main", HeadRef: "topic"}},
		"the push of a new branch has no base commit": {
			Source{Name: Push}, `{"ref": "refs/heads/topic", "before": "0000000000000000000000000000000000000000", "after": "` + head + `", ` + repo + `}`,
			Event{Head: head, BaseRef: "main", HeadRef: "topic"}},
		"a manual run": {
			Source{Name: WorkflowDispatch, SHA: head, Ref: "refs/heads/topic"}, `{` + repo + `}`,
			Event{Head: head, BaseRef: "main", HeadRef: "topic"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.src.Repository = "Acme/Shop"
			tt.want.Name, tt.want.Owner, tt.want.Repo, tt.want.Default, tt.want.Sender = tt.src.Name, "acme", "shop", "main", "ada"
			got, err := Parse(tt.src, []byte(tt.data))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnEventThatSaysNothingAboutAChangeIsAnError(t *testing.T) {
	pr := func(change func(map[string]any)) string {
		doc := map[string]any{
			"action": "opened", "repository": map[string]any{"full_name": "acme/shop", "default_branch": "main"},
			"sender": map[string]any{"login": "ada"},
			"pull_request": map[string]any{
				"number": 7, "head": map[string]any{"sha": head, "ref": "topic", "repo": map[string]any{"full_name": "acme/shop"}},
				"base": map[string]any{"sha": base, "ref": "main", "repo": map[string]any{"full_name": "acme/shop"}},
			},
		}
		change(doc)
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	side := func(doc map[string]any, name string) map[string]any {
		return doc["pull_request"].(map[string]any)[name].(map[string]any)
	}
	tests := map[string]struct{ name, data, want string }{
		"an event of another kind":      {"issues", "{}", `nothing to look at in a "issues" event`},
		"no event":                      {"", "{}", `nothing to look at in a "" event`},
		"text that is not JSON":         {PullRequest, "<html>", "not what GitHub sends"},
		"a JSON list":                   {PullRequest, "[]", "not what GitHub sends"},
		"no repository":                 {PullRequest, "{}", `lacks "repository"`},
		"another repository":            {PullRequest, pr(func(d map[string]any) { d["repository"].(map[string]any)["full_name"] = "mallory/shop" }), "the workflow runs in"},
		"a repository with a path":      {PullRequest, pr(func(d map[string]any) { d["repository"].(map[string]any)["full_name"] = "a/../b" }), "want owner/name"},
		"a pull request for another":    {PullRequest, pr(func(d map[string]any) { side(d, "base")["repo"] = map[string]any{"full_name": "mallory/shop"} }), "the pull request is for mallory/shop"},
		"no pull request":               {PullRequest, pr(func(d map[string]any) { delete(d, "pull_request") }), `lacks "pull_request.number"`},
		"a head that is an option":      {PullRequest, pr(func(d map[string]any) { side(d, "head")["sha"] = "--upload-pack=x" }), "want 40 or 64 hex digits"},
		"no head":                       {PullRequest, pr(func(d map[string]any) { side(d, "head")["sha"] = "" }), "want 40 or 64 hex digits"},
		"no base":                       {PullRequest, pr(func(d map[string]any) { side(d, "base")["sha"] = "" }), `lacks "pull_request.base.sha"`},
		"a base branch with a command":  {PullRequest, pr(func(d map[string]any) { side(d, "base")["ref"] = "main; id" }), "no branch name"},
		"a base branch like an option":  {PullRequest, pr(func(d map[string]any) { side(d, "base")["ref"] = "-x" }), "no branch name"},
		"a push that deletes":           {Push, `{"ref": "refs/heads/x", "after": "0000000000000000000000000000000000000000", "deleted": true, "repository": {"full_name": "acme/shop"}}`, "the push deletes"},
		"a merge group without commits": {MergeGroup, `{"merge_group": {}, "repository": {"full_name": "acme/shop"}}`, `lacks "merge_group.base_sha"`},
		"a manual run without a commit": {WorkflowDispatch, `{"repository": {"full_name": "acme/shop"}}`, "want 40 or 64 hex digits"},
		"a run without its number":      {WorkflowRun, `{"workflow_run": {}, "repository": {"full_name": "acme/shop"}}`, `lacks "workflow_run.id"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(Source{Name: tt.name, Repository: "acme/shop"}, []byte(tt.data))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestAForkIsWhateverIsNotTheRepositoryItself(t *testing.T) {
	for headRepo, want := range map[string]bool{"acme/shop": false, "ACME/Shop": false, "mallory/shop": true, "": true} {
		if got := (Event{Owner: "acme", Repo: "shop", Number: 7, HeadRepo: headRepo}).Fork(); got != want {
			t.Errorf("%q: %v, want %v", headRepo, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.json")
	for _, file := range files {
		f.Add(PullRequest, read(f, filepath.Base(file)))
	}
	f.Add(Push, []byte(`{"repository": {"full_name": "acme/shop"}, "after": "x"}`))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		e, err := Parse(Source{Name: name, Repository: "acme/shop", SHA: head}, data)
		if err != nil {
			return
		}
		if name != WorkflowRun && !shaPattern.MatchString(e.Head) || e.Owner != "acme" && !strings.EqualFold(e.Owner, "acme") || strings.HasPrefix(e.BaseRef, "-") {
			t.Errorf("accepted %+v", e)
		}
	})
}
