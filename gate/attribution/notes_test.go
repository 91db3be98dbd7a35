package attribution

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/change/git/gittest"
)

func gitAINote(entries string) string {
	return entries + `---
{"schema_version": "authorship/3.0.0", "base_commit_sha": "x",
 "prompts": {"abcd1234abcd1234": {"agent_id": {"tool": "cursor", "id": "1", "model": "claude-4.5-opus"}}},
 "humans": {"h_0123456789abcd": {"author": "Ada"}},
 "sessions": {"s_0123456789abcd": {"agent_id": {"tool": "newtool", "id": "1", "model": "m"}}}}
`
}

func TestGitAINotes(t *testing.T) {
	g, base := start(t)
	g.Write("n.py", numbered(1, 10))
	g.Write("with space.py", numbered(1, 10))
	g.Write("people.py", numbered(1, 3))
	first := g.Commit("one")
	g.Git("notes", "--ref=ai", "add", "-m", gitAINote("n.py\n  abcd1234abcd1234 2-3,5\n  h_0123456789abcd 7\n\"with space.py\"\n  s_0123456789abcd::t_00000000000000 1\n"), first)
	g.Write("n.py", "new\n"+numbered(1, 10)) // moves the lines
	second := g.Commit("two")
	g.Git("notes", "--ref=ai", "add", "-m", gitAINote(""), second)
	targets := attribute(t, g, base, "HEAD", Input{})
	for path, want := range map[string]string{
		"n.py": "marked cursor [[3 4] [6 6]]", "with space.py": "marked newtool [[1 1]]", "people.py": "unmarked",
	} {
		if got := who(targets[path]); got != want {
			t.Errorf("%s is %s, want %s\n%s", path, got, want, evidence(targets[path]))
		}
	}
	if e := evidence(targets["n.py"]); !strings.Contains(e, first[:10]+": git-ai: cursor (claude-4.5-opus)") {
		t.Errorf("evidence %s", e)
	}
}

func TestNotesAreFetchedExplicitly(t *testing.T) {
	g, base := start(t)
	g.Write("n.py", numbered(1, 3))
	head := g.Commit("one")
	clone := filepath.Join(t.TempDir(), "clone")
	g.Git("clone", "-q", "file://"+g.Dir, clone)
	c := gittest.At(t, clone)
	fetch := func() string {
		t.Helper()
		r, err := change.Open(t.Context(), []string{clone})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		ref, err := r.FetchNotes(t.Context(), GitAINotes)
		if err != nil {
			t.Fatal(err)
		}
		return ref
	}
	if got := who(attribute(t, c, base, head, Input{Notes: []string{fetch()}})["n.py"]); got != "unmarked" {
		t.Errorf("without notes: %s", got)
	}
	g.Git("notes", "--ref=ai", "add", "-m", gitAINote("n.py\n  abcd1234abcd1234 2\n"), head)
	if got := who(attribute(t, c, base, head, Input{})["n.py"]); got != "unmarked" {
		t.Errorf("before the fetch: %s", got)
	}
	if got := who(attribute(t, c, base, head, Input{Notes: []string{fetch()}})["n.py"]); got != "marked cursor [[2 2]]" {
		t.Errorf("after the fetch: %s", got)
	}
	c.Git("config", "remote.origin.url", "file:///nonexistent")
	r, err := change.Open(t.Context(), []string{clone})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.FetchNotes(t.Context(), GitAINotes); err == nil {
		t.Error("a remote that does not answer passes for one without notes")
	}
}

func TestARewrittenCommitMayHaveLostItsNote(t *testing.T) {
	g, base := start(t)
	g.Write("n.py", "x\n")
	noted := g.Commit("one")
	g.Git("notes", "--ref=ai", "add", "-m", gitAINote(""), noted)
	g.Write("m.py", "x\n")
	g.Git("add", "-A")
	g.Env = []string{"GIT_COMMITTER_DATE=2026-03-04T05:06:07Z"}
	g.CommitStaged("rebased")
	targets := attribute(t, g, base, "HEAD", Input{})
	if got := who(targets["m.py"]); got != "unknown" {
		t.Errorf("the rewritten one is %s", got)
	}
	if got := who(targets["n.py"]); got != "unmarked" {
		t.Errorf("the other one is %s", got)
	}
}

func TestANoteThatCannotBeReadIsADoubt(t *testing.T) {
	for _, note := range []string{"garbage", "n.py\n  abcd 1-2\n", "n.py\n  abcd x\n---\n{\"schema_version\":\"authorship/3.0.0\"}", "n.py\n---\n{", "  abcd 1\n---\n{\"schema_version\":\"authorship/3.0.0\"}", "---\n{\"schema_version\":\"other/1\"}"} {
		g, base := start(t)
		g.Write("n.py", "x\n")
		g.Git("notes", "--ref=ai", "add", "-m", note, g.Commit("one"))
		if got := who(attribute(t, g, base, "HEAD", Input{})["n.py"]); got != "unknown" {
			t.Errorf("%q: %s", note, got)
		}
	}
}

func TestAgentTrace(t *testing.T) {
	record := func(revision, path, contributor string) string {
		return fmt.Sprintf(`{"version":"0.1.0","id":"550e8400-e29b-41d4-a716-446655440000","timestamp":"2026-01-23T14:30:00Z",
"vcs":{"type":"git","revision":%q},"tool":{"name":"cursor","version":"2"},
"files":[{"path":%q,"conversations":[{"contributor":%s,"ranges":[{"start_line":2,"end_line":3}]}]}]}`+"\n", revision, path, contributor)
	}
	g, base := start(t)
	g.Write("n.py", numbered(1, 5))
	first := g.Commit("one")
	for _, p := range []string{"loose.py", "human.py", "unsaid.py", "untouched.py"} {
		g.Write(p, numbered(1, 4))
	}
	g.Commit("two")
	g.Write(".agent-trace/traces.jsonl",
		record(first, "n.py", `{"type":"ai","model_id":"anthropic/claude-opus-4-5"}`)+
			record(base, "loose.py", `{"type":"mixed"}`)+
			record(first, "human.py", `{"type":"human"}`)+
			record("", "unsaid.py", "null"))
	head := g.Commit("traces")
	targets := attribute(t, g, base, head, Input{})
	for path, want := range map[string]string{
		"n.py": "marked cursor [[2 3]]", "loose.py": "marked cursor [[1 4]]", "human.py": "unmarked",
		"unsaid.py": "marked cursor [[1 4]]", "untouched.py": "unmarked",
	} {
		if got := who(targets[path]); got != want {
			t.Errorf("%s is %s, want %s\n%s", path, got, want, evidence(targets[path]))
		}
	}
	t.Run("in notes", func(t *testing.T) {
		g.Git("notes", "--ref=agent-trace", "add", "-m", record("", "untouched.py", `{"type":"ai"}`), g.Git("rev-parse", "HEAD~1"))
		if got := who(attribute(t, g, base, head, Input{})["untouched.py"]); got != "marked cursor [[2 3]]" {
			t.Error(got)
		}
	})
	t.Run("a record that cannot be read is a doubt", func(t *testing.T) {
		g.Write(".agent-trace/x.json", "{")
		if got := who(attribute(t, g, base, g.Commit("x"), Input{})["human.py"]); got != "unknown" {
			t.Error(got)
		}
	})
}
