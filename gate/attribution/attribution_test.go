package attribution

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/change/git"
	"github.com/aigate/gate/gate/change/git/gittest"
)

const (
	byClaude = "\n\nCo-Authored-By: Claude <noreply@anthropic.com>"
	byCursor = "\n\nCo-authored-by: Cursor <cursoragent@cursor.com>"
)

// start returns a repository with one file of ten lines.
func start(t *testing.T) (*gittest.Repo, string) {
	t.Helper()
	g := gittest.New(t)
	g.Write("a.py", numbered(1, 10))
	g.Write("README.md", "x\n")
	return g, g.Commit("x")
}

func TestAttribute(t *testing.T) {
	tests := []struct {
		name string
		edit func(*gittest.Repo)
		pull Pull
		want map[string]string // by path
	}{
		{name: "lines belong to the commit that wrote them",
			edit: func(g *gittest.Repo) {
				g.Write("a.py", numbered(1, 10)+numbered(101, 105))
				g.Commit("by people")
				g.Write("a.py", numbered(1, 5)+numbered(201, 202)+numbered(6, 10)+numbered(101, 105))
				g.Commit("by an agent" + byClaude)
			},
			want: map[string]string{"a.py": "marked claude-code [[6 7]]"}},
		{name: "a commit without a mark beside one with a mark",
			edit: func(g *gittest.Repo) {
				g.Write("h.py", "x\n")
				g.Commit("by people")
				g.Write("m.py", "x\n")
				g.Commit("by an agent" + byClaude)
			},
			want: map[string]string{"h.py": "unmarked", "m.py": "marked claude-code [[1 1]]"}},
		{name: "two agents in one file",
			edit: func(g *gittest.Repo) {
				g.Write("n.py", numbered(1, 3))
				g.Commit("one" + byClaude)
				g.Write("n.py", numbered(1, 3)+numbered(4, 5))
				g.Commit("two" + byCursor)
			},
			want: map[string]string{"n.py": "marked claude-code+cursor [[1 5]]"}},
		{name: "what people wrote over still counts as touched by an agent",
			edit: func(g *gittest.Repo) {
				g.Write("n.py", numbered(1, 3))
				g.Commit("one" + byClaude)
				g.Write("n.py", numbered(11, 13))
				g.Commit("two")
			},
			want: map[string]string{"n.py": "marked claude-code"}},
		{name: "renames are followed",
			edit: func(g *gittest.Repo) {
				g.Write("n.py", numbered(1, 30))
				g.Commit("one" + byClaude)
				g.Git("mv", "n.py", "m.py")
				g.Commit("two")
				g.Write("m.py", numbered(1, 30)+"end\n")
				g.Commit("three")
			},
			want: map[string]string{"m.py": "marked claude-code [[1 30]]"}},
		{name: "a deletion belongs to who deleted",
			edit: func(g *gittest.Repo) {
				g.Remove("a.py")
				g.Commit("gone" + byClaude)
			},
			want: map[string]string{"a.py": "marked claude-code"}},
		{name: "a file that loses lines has no lines of an agent, and is marked",
			edit: func(g *gittest.Repo) {
				g.Write("a.py", numbered(1, 4)+numbered(7, 10))
				g.Commit("shorter" + byClaude)
			},
			want: map[string]string{"a.py": "marked claude-code"}},
		{name: "a mode, a link and a submodule belong to their commit",
			edit: func(g *gittest.Repo) {
				g.Link("/etc/passwd", "l")
				g.Git("add", "l")
				g.Git("update-index", "--chmod=+x", "a.py")
				g.Git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",s")
				g.CommitStaged("x" + byClaude)
			},
			want: map[string]string{"l": "marked claude-code", "a.py": "marked claude-code", "s": "marked claude-code"}},
		{name: "a merge of a branch of an agent",
			edit: func(g *gittest.Repo) {
				g.Git("checkout", "-q", "-b", "side")
				g.Write("side.py", "x\n")
				g.Commit("side" + byCursor)
				g.Git("checkout", "-q", "main")
				g.Write("m.py", "x\n")
				g.Commit("main")
				g.Git("merge", "-q", "--no-ff", "-m", "merge", "side")
			},
			want: map[string]string{"m.py": "unmarked", "side.py": "marked cursor [[1 1]]"}},
		{name: "a merge that writes lines of its own is their author",
			edit: func(g *gittest.Repo) {
				g.Git("checkout", "-q", "-b", "side")
				g.Write("side.py", "x\n")
				g.Commit("side")
				g.Git("checkout", "-q", "main")
				g.Write("m.py", "x\n")
				g.Commit("main")
				g.Git("merge", "-q", "--no-ff", "--no-commit", "side")
				g.Write("m.py", "x\nevil\n")
				g.Commit("merge" + byClaude)
			},
			want: map[string]string{"m.py": "marked claude-code [[2 2]]", "side.py": "unmarked"}},
		{name: "a squash keeps the marks of what it squashed",
			edit: func(g *gittest.Repo) {
				g.Write("n.py", "x\n")
				g.Commit("Add n (#12)\n\n* one\n\n* two\n\nCo-authored-by: Cursor <cursoragent@cursor.com>\n\n* three")
			},
			want: map[string]string{"n.py": "marked cursor [[1 1]]"}},
		{name: "a squash without a mark may have lost it",
			edit: func(g *gittest.Repo) {
				g.Write("n.py", "x\n")
				g.Git("add", "-A")
				g.Env = []string{"GIT_COMMITTER_NAME=GitHub", "GIT_COMMITTER_EMAIL=noreply@github.com"}
				g.CommitStaged("Add n (#12)\n\n* one\n\n* two")
			},
			want: map[string]string{"n.py": "unknown"}},
		{name: "automation that no one knows may be an agent",
			edit: func(g *gittest.Repo) {
				g.Write("n.py", "x\n")
				commitAs(g, "some-new[bot]", "1+some-new[bot]@users.noreply.github.com", "x")
			},
			want: map[string]string{"n.py": "unknown"}},
		{name: "a branch marks everything",
			edit: func(g *gittest.Repo) { g.Write("n.py", "x\n"); g.Commit("x") },
			pull: Pull{Branch: "devin/123"},
			want: map[string]string{"n.py": "marked devin [[1 1]]"}},
		{name: "a comment marks its file",
			edit: func(g *gittest.Repo) { g.Write("n.py", "x = 1\n# Generated by ChatGPT\ny = 2\n"); g.Commit("x") },
			want: map[string]string{"n.py": "marked chatgpt [[1 3]]"}},
		{name: "a comment that was there before marks nothing",
			edit: func(g *gittest.Repo) {
				g.Write("a.py", numbered(1, 11))
				g.Commit("x")
			},
			want: map[string]string{"a.py": "unmarked"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, base := start(t)
			tt.edit(g)
			targets := attribute(t, g, base, "HEAD", Input{Pull: tt.pull})
			if len(targets) != len(tt.want) {
				t.Errorf("%d targets, want %d", len(targets), len(tt.want))
			}
			for path, want := range tt.want {
				if got := who(targets[path]); got != want {
					t.Errorf("%s is %s, want %s\n%s", path, got, want, evidence(targets[path]))
				}
			}
		})
	}
}

func TestUncommittedFilesHaveUnknownAuthors(t *testing.T) {
	g, base := start(t)
	g.Write("c.py", numbered(1, 3))
	g.Write("m.py", numbered(1, 3))
	g.Commit("people")
	g.Write("m.py", numbered(1, 5))
	g.Commit("agent" + byClaude)
	g.Write("a.py", numbered(1, 11))
	g.Write("n.py", "x\n")
	g.Write("m.py", "new\n"+numbered(1, 5))
	targets := attribute(t, g, base, "", Input{})
	for path, want := range map[string]string{
		"a.py": "unknown", "n.py": "unknown", "c.py": "unmarked", "m.py": "marked claude-code [[5 6]]",
	} {
		if got := who(targets[path]); got != want {
			t.Errorf("%s is %s, want %s\n%s", path, got, want, evidence(targets[path]))
		}
	}
}

func TestAuthorsAreUnknownWithoutAHistory(t *testing.T) {
	target := &gate.Target{Path: "a.py", Mode: 0o644}
	if err := Attribute(t.Context(), Input{Change: &gate.Change{Targets: []*gate.Target{target}}, Policy: gate.DefaultPolicy()}); err != nil {
		t.Fatal(err)
	}
	if got := who(target); got != "unknown" {
		t.Error(got)
	}
}

func TestADoubtOfTheCallerMakesUnmarkedUnknown(t *testing.T) {
	g, base := start(t)
	g.Write("n.py", "x\n")
	g.Commit("x")
	if got := who(attribute(t, g, base, "HEAD", Input{Doubt: "the notes could not be fetched"})["n.py"]); got != "unknown" {
		t.Error(got)
	}
}

func TestThePolicyDecidesWhoGetsAllLayers(t *testing.T) {
	g, base := start(t)
	g.Write("infra/x.py", "x\n")
	g.Write("src/x.py", "x\n")
	g.Write("src/deep/y.py", "x\n")
	g.Commit("people")
	p := gate.DefaultPolicy()
	p.Paths.Overrides = []gate.PathOverride{{Match: "infra/**", Changes: "all"}, {Match: "**/*.py", Changes: "ai"}, {Match: "x.py", Changes: "all"}}
	for path, want := range map[string]bool{"infra/x.py": false, "src/x.py": false, "src/deep/y.py": true} {
		if got := attribute(t, g, base, "HEAD", Input{Policy: p})[path].StaticOnly; got != want {
			t.Errorf("%s: static only %t", path, got)
		}
	}
	for _, changes := range []string{"all", "whatever"} {
		p := gate.DefaultPolicy()
		p.Changes = changes
		for path, target := range attribute(t, g, base, "HEAD", Input{Policy: p}) {
			if target.StaticOnly {
				t.Errorf("changes: %s, and %s gets the static layer only", changes, path)
			}
		}
	}
	p.Paths.Overrides = []gate.PathOverride{{Match: "[", Changes: "ai"}}
	if err := Attribute(t.Context(), Input{Change: &gate.Change{}, Policy: p}); err == nil {
		t.Error("an invalid glob is no error")
	}
}

func TestEvidenceIsBounded(t *testing.T) {
	g, base := start(t)
	for i := range 30 {
		g.Write("n.py", numbered(1, i+1))
		g.Commit(fmt.Sprintf("commit %d\n\nAmp-Thread-ID: %s", i, strings.Repeat("T", 1000)))
	}
	a := attribute(t, g, base, "HEAD", Input{})["n.py"].Attribution
	if len(a.Evidence) != maxEvidence+1 || a.Evidence[maxEvidence].Text != "and 18 more" {
		t.Errorf("%d pieces, the last %+v", len(a.Evidence), a.Evidence[len(a.Evidence)-1])
	}
	for _, e := range a.Evidence {
		if len(e.Text) > maxEvidenceText {
			t.Errorf("%d bytes of evidence", len(e.Text))
		}
	}
}

// TestWhenGitFails lets every run of git fail once while the history is read and
// used. Nothing may turn from AI into people's work by that.
func TestWhenGitFails(t *testing.T) {
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	g, base := start(t)
	g.Write("n.py", numbered(1, 3))
	noted := g.Commit("one")
	g.Git("notes", "--ref=ai", "add", "-m", gitAINote("n.py\n  abcd1234abcd1234 2\n"), noted)
	g.Write("m.py", numbered(1, 3))
	g.Commit("two" + byClaude)
	repo, err := change.Open(t.Context(), []string{g.Dir})
	if err != nil {
		t.Fatal(err)
	}
	c, err := repo.Between(t.Context(), base, "HEAD", change.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	fake := t.TempDir()
	counter := filepath.Join(fake, "count")
	script := fmt.Sprintf("#!/bin/sh\necho >> '%s'\nif [ $(wc -l < '%s') = \"$(cat '%s/fail')\" ]; then exit 128; fi\nexec '%s' \"$@\"\n", counter, counter, fake, real)
	if err := os.WriteFile(filepath.Join(fake, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", fake+":"+os.Getenv("PATH"))
	attempt := func(fail int) (runs int, err error) {
		_ = os.Remove(counter)
		if err := os.WriteFile(filepath.Join(fake, "fail"), []byte(strconv.Itoa(fail)), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := change.Open(t.Context(), []string{g.Dir})
		if err == nil {
			defer r.Close()
			in := Input{Change: c, Policy: gate.DefaultPolicy()}
			if in.History, err = r.History(t.Context(), base, "HEAD"); err == nil {
				err = Attribute(t.Context(), in)
			}
		}
		data, readErr := os.ReadFile(counter)
		if readErr != nil {
			t.Fatal(readErr)
		}
		return strings.Count(string(data), "\n"), err
	}
	runs, err := attempt(0)
	if err != nil || runs < 10 {
		t.Fatalf("%d runs, %v", runs, err)
	}
	for i := 1; i <= runs; i++ {
		_, err := attempt(i)
		for _, target := range c.Targets {
			if err == nil && !target.Attribution.AI {
				t.Errorf("run %d of %d fails and %s is %s", i, runs, target.Path, who(target))
			}
		}
		t.Logf("run %d of %d fails: %v; %s, %s", i, runs, err, who(c.Targets[0]), who(c.Targets[1]))
	}
}

func TestAttributeStopsWithItsContext(t *testing.T) {
	g, base := start(t)
	g.Write("n.py", "x\n")
	g.Commit("x")
	repo, err := change.Open(t.Context(), []string{g.Dir})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	c, err := repo.Between(t.Context(), base, "HEAD", change.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := repo.History(t.Context(), base, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	cancel(stop)
	if err := Attribute(ctx, Input{Change: c, History: h, Policy: gate.DefaultPolicy()}); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
}

func TestAHistoryThatIsTooLongIsAnError(t *testing.T) {
	g, base := start(t)
	var stream strings.Builder
	for i := range git.MaxCommits + 1 {
		fmt.Fprintf(&stream, "commit refs/heads/long\ncommitter A <a@example.com> %d +0000\ndata 1\nx\n", 1700000000+i)
		if i == 0 {
			fmt.Fprintf(&stream, "from %s\n", base)
		}
	}
	g.GitInput(stream.String(), "fast-import", "--quiet")
	repo, err := change.Open(t.Context(), []string{g.Dir})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	if _, err := repo.History(t.Context(), base, "long"); !errors.Is(err, git.ErrTooLong) {
		t.Errorf("error %v", err)
	}
}
