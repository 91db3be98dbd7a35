package git

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate/change/git/gittest"
)

// TestTheHostileRepositoryIsHostile keeps the other tests honest: without the
// pinned environment the same repository does run its programs.
func TestTheHostileRepositoryIsHostile(t *testing.T) {
	h := gittest.NewHostile(t)
	h.Git("config", "--unset", "core.worktree")
	for _, args := range [][]string{
		{"ls-files", "--others"},
		{"diff", "--no-ext-diff", h.Base, h.Head},
		{"diff", h.Base, h.Head},
		{"hash-object", "a.py"},
		{"cat-file", "-p", h.Missing},
	} {
		h.Triggered()
		h.Unpinned(args...)
		if h.Triggered() == "" {
			t.Errorf("git %s ran nothing: the repository is less hostile than it should be", strings.Join(args, " "))
		}
	}
}

func TestReadingAHostileRepositoryRunsNothing(t *testing.T) {
	h := gittest.NewHostile(t)
	ctx := t.Context()
	r := open(t, h.Dir)
	if r.WorkTree() != h.Dir {
		t.Errorf("the work tree is %s: core.worktree was followed", r.WorkTree())
	}
	head, born, err := r.Head(ctx)
	if err != nil || !born || string(head) != h.Head {
		t.Errorf("head %s, %t, %v", head, born, err)
	}
	base, err := r.Commit(ctx, h.Base)
	if err != nil {
		t.Fatal(err)
	}
	o := objects(t, r)
	steps := map[string]func() error{
		"merge base": func() error { _, err := r.MergeBase(ctx, base, head); return err },
		"tree":       func() error { _, err := r.Tree(ctx, head); return err },
		"index":      func() error { _, err := r.Index(ctx); return err },
		"untracked":  func() error { _, err := r.Untracked(ctx, []string{"."}); return err },
		"ignored":    func() error { _, err := r.Ignored(ctx, []string{"."}); return err },
		"diff":       func() error { _, err := r.Diff(ctx, base, head); return err },
		"diff index": func() error { _, err := r.DiffIndex(ctx, base); return err },
		"shallow":    func() error { _, err := r.Shallow(ctx); return err },
		"blob": func() error {
			entries, err := r.Tree(ctx, head)
			if err == nil {
				_, err = o.Blob(entries[0].OID)
			}
			return err
		},
	}
	for name, step := range steps {
		if err := step(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if ran := h.Triggered(); ran != "" {
			t.Errorf("%s ran %q", name, ran)
		}
	}
	// A missing object is what a partial clone would download.
	if _, err := o.Blob(OID(h.Missing)); !errors.Is(err, ErrMissing) {
		t.Errorf("a missing object: %v", err)
	}
	if ran := h.Triggered(); ran != "" {
		t.Errorf("the missing object ran %q", ran)
	}
}

func TestFetchFromAHostileRemoteRunsNothing(t *testing.T) {
	h := gittest.NewHostile(t)
	r := open(t, h.Dir)
	if err := r.Fetch(t.Context(), 10, h.Base); err == nil {
		t.Error("the transport ext:: was used")
	}
	if ran := h.Triggered(); ran != "" {
		t.Errorf("it ran %q", ran)
	}
	// A transport that is allowed, with a program for the other side.
	other := gittest.New(t)
	other.Write("x", "x\n")
	other.Commit("x")
	h.Git("config", "remote.origin.url", "file://"+other.Dir)
	if err := r.Fetch(t.Context(), 10); err != nil {
		t.Errorf("fetch from a local mirror: %v", err)
	}
	if ran := h.Triggered(); ran != "" {
		t.Errorf("it ran %q", ran)
	}
}

func TestReplacementsAndGraftsAreNotFollowed(t *testing.T) {
	g := gittest.New(t)
	g.Write("f", "one\n")
	first := g.Commit("one")
	g.Write("f", "two\n")
	second := g.Commit("two")
	good, bad := g.Blob("two\n"), g.Blob("harmless\n")
	g.Git("replace", good, bad)
	g.Write(".git/info/grafts", second+"\n") // second has no parents, it says
	r := open(t, g.Dir)
	data, err := objects(t, r).Blob(OID(good))
	if err != nil || string(data) != "two\n" {
		t.Errorf("the blob reads %q, %v", data, err)
	}
	at, err := r.MergeBase(t.Context(), OID(first), OID(second))
	if err != nil || string(at) != first {
		t.Errorf("the merge base is %s, %v", at, err)
	}
}

func TestASubmoduleCannotHideItsChange(t *testing.T) {
	g := gittest.New(t)
	one, two := strings.Repeat("1", 40), strings.Repeat("2", 40)
	g.Write(".gitmodules", "[submodule \"s\"]\n\tpath = s\n\turl = https://example.com/s\n\tignore = all\n")
	g.Git("add", ".gitmodules")
	g.Git("update-index", "--add", "--cacheinfo", "160000,"+one+",s")
	base := g.CommitStaged("one")
	g.Git("update-index", "--add", "--cacheinfo", "160000,"+two+",s")
	head := g.CommitStaged("two")
	g.Git("config", "submodule.s.ignore", "all")
	diff, err := open(t, g.Dir).Diff(t.Context(), OID(base), OID(head))
	if err != nil || len(diff) != 1 || string(diff[0].New.OID) != two {
		t.Errorf("diff %+v, %v", diff, err)
	}
}

func TestTheEnvironmentOfTheProcessDoesNotReachGit(t *testing.T) {
	g := gittest.New(t)
	g.Write("f", "x\n")
	g.Commit("x")
	other := gittest.New(t)
	marker := filepath.Join(t.TempDir(), "trace")
	for name, value := range map[string]string{
		"GIT_DIR": other.Path(".git"), "GIT_WORK_TREE": other.Dir, "GIT_INDEX_FILE": "/nonexistent/index", "GIT_TRACE": marker,
		"GIT_TRACE2_EVENT": marker, "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.bare", "GIT_CONFIG_VALUE_0": "true",
		"GIT_CONFIG_PARAMETERS": "'core.bare'='true'", "GIT_OBJECT_DIRECTORY": "/nonexistent", "GIT_NAMESPACE": "x",
		"GIT_EXTERNAL_DIFF": "false", "GIT_CEILING_DIRECTORIES": g.Dir, "HOME": other.Dir,
	} {
		t.Setenv(name, value)
	}
	r := open(t, g.Dir)
	index, err := r.Index(t.Context())
	if err != nil || len(index) != 1 {
		t.Errorf("index %v, %v", index, err)
	}
	if _, err := os.Stat(marker); !errors.Is(err, os.ErrNotExist) {
		t.Error("git wrote a trace")
	}
}

func TestAGitThatHangsIsStopped(t *testing.T) {
	r := open(t, gittest.New(t).Dir)
	r.program = filepath.Join(t.TempDir(), "git")
	// The child outlives the shell that is killed, and keeps the pipe open.
	if err := os.WriteFile(r.program, []byte("#!/bin/sh\necho started\nsleep 150\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	began := time.Now()
	err := r.run(ctx, command{args: []string{"ls-files"}, read: func(rd io.Reader) error {
		_, err := rd.Read(make([]byte, 1))
		cancel(stop)
		return err
	}})
	if !errors.Is(err, stop) || time.Since(began) > 2*time.Minute {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}

func TestOutputWithoutEndIsCut(t *testing.T) {
	r := open(t, gittest.New(t).Dir)
	r.program = filepath.Join(t.TempDir(), "git")
	if err := os.WriteFile(r.program, []byte("#!/bin/sh\nexec yes\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := r.Index(t.Context())
	if err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("records: %v", err)
	}
	err = r.run(t.Context(), command{args: []string{"ls-files"}})
	if !errors.Is(err, errOutput) {
		t.Errorf("bytes: %v", err)
	}
}

func TestOutputOfGitCannotControlATerminal(t *testing.T) {
	if got := printable("fatal: \x1b[2Jbad\u202e\nsecond\xff"); got != "fatal: ?[2Jbad? second?" {
		t.Errorf("got %q", got)
	}
}
