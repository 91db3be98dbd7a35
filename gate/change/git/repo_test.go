package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate/change/git/gittest"
)

func TestOpen(t *testing.T) {
	g := gittest.New(t)
	g.Write("deep/er/f", "x\n")
	commit := g.Commit("x")

	t.Run("a folder inside of the work tree finds its root", func(t *testing.T) {
		if got := open(t, g.Path("deep/er")).WorkTree(); got != g.Dir {
			t.Errorf("got %s", got)
		}
	})
	t.Run("a folder that is in no repository says so", func(t *testing.T) {
		if _, err := Open(t.Context(), t.TempDir(), Options{}); !errors.Is(err, ErrNotRepository) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a linked work tree has its own index", func(t *testing.T) {
		linked := filepath.Join(t.TempDir(), "linked")
		g.Git("worktree", "add", "-q", linked, commit)
		r := open(t, linked)
		entries, err := r.Index(t.Context())
		if err != nil || len(entries) != 1 || r.WorkTree() != linked {
			t.Errorf("index %v, work tree %s, %v", entries, r.WorkTree(), err)
		}
	})
	t.Run("a .git file that leads nowhere is an error, not a folder without git", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: /nonexistent\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), dir, Options{}); err == nil || errors.Is(err, ErrNotRepository) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("a .git file that says something else is an error", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ".git"), []byte("hello\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), dir, Options{}); err == nil || errors.Is(err, ErrNotRepository) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("an empty folder .git is none", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), dir, Options{}); !errors.Is(err, ErrNotRepository) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("what looks like a bare repository inside of the tree is not taken for one", func(t *testing.T) {
		g.Git("init", "-q", "--bare", g.Path("deep/bare"))
		if got := open(t, g.Path("deep/bare")).WorkTree(); got != g.Dir {
			t.Errorf("got %s", got)
		}
	})
	t.Run("a machine without git gets a clear error", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if _, err := Open(t.Context(), g.Dir, Options{}); !errors.Is(err, ErrNoGit) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("names of 256 bits are understood", func(t *testing.T) {
		g := gittest.New(t, "--object-format=sha256")
		g.Write("f", "x\n")
		g.Commit("x")
		r := open(t, g.Dir)
		entries, err := r.Index(t.Context())
		if err != nil || len(entries) != 1 || len(entries[0].OID) != 64 {
			t.Fatalf("index %v, %v", entries, err)
		}
		data, err := objects(t, r).Blob(entries[0].OID)
		if err != nil || string(data) != "x\n" {
			t.Errorf("blob %q, %v", data, err)
		}
	})
	t.Run("a repository that another user put above the folder is refused", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Log("only root can give files away; the check is read by eye elsewhere")
			return
		}
		dir := t.TempDir()
		other := gittest.At(t, dir)
		other.Git("init", "-q")
		if err := os.Lchown(filepath.Join(dir, ".git"), 4242, 4242); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, "mine"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), filepath.Join(dir, "mine"), Options{}); err == nil || !strings.Contains(err.Error(), "another user") {
			t.Errorf("error %v", err)
		}
		if err := os.Lchown(filepath.Join(dir, "mine"), 4242, 4242); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), filepath.Join(dir, "mine"), Options{}); err != nil {
			t.Errorf("root on another user's checkout: %v", err)
		}
	})
	t.Run("a hook's index is the one that is read", func(t *testing.T) {
		index := filepath.Join(t.TempDir(), "index")
		g.Env = []string{"GIT_INDEX_FILE=" + index}
		g.Git("read-tree", "--empty")
		g.Env = nil
		r, err := Open(t.Context(), g.Dir, Options{IndexFile: index})
		if err != nil {
			t.Fatal(err)
		}
		if entries, err := r.Index(t.Context()); err != nil || len(entries) != 0 {
			t.Errorf("index %v, %v", entries, err)
		}
	})
}

func TestCommit(t *testing.T) {
	g := gittest.New(t)
	g.Write("f", "x\n")
	first := g.Commit("x")
	g.Git("tag", "-a", "v1", "-m", "v1")
	g.Git("branch", "feature/ümlaut")
	tree := g.Git("rev-parse", "HEAD^{tree}")
	r := open(t, g.Dir)
	for _, rev := range []string{"HEAD", "main", "v1", first, first[:10], "feature/ümlaut", "HEAD~0", "@"} {
		if got, err := r.Commit(t.Context(), rev); err != nil || string(got) != first {
			t.Errorf("%q: %s, %v", rev, got, err)
		}
	}
	for _, rev := range []string{"", "--help", "-h", "--output=/tmp/x", "nothing", tree, "HEAD\nHEAD", "HEAD\x00", "HEAD:f",
		strings.Repeat("x", maxRevision+1), strings.Repeat("d", 40), "HEAD^{tree}", "$(touch x)", "..", "HEAD..main"} {
		if got, err := r.Commit(t.Context(), rev); err == nil {
			t.Errorf("%q is commit %s", rev, got)
		}
	}
}

func TestHeadWithoutCommits(t *testing.T) {
	g := gittest.New(t)
	r := open(t, g.Dir)
	if oid, born, err := r.Head(t.Context()); born || err != nil {
		t.Errorf("%s, %t, %v", oid, born, err)
	}
	g.Write(".git/HEAD", "garbage\n")
	if _, _, err := r.Head(t.Context()); err == nil {
		t.Error("a broken HEAD passes for a branch without commits")
	}
}

func TestMergeBase(t *testing.T) {
	g := gittest.New(t)
	g.Write("f", "x\n")
	first := g.Commit("x")
	g.Git("checkout", "-q", "-b", "topic")
	g.Write("g", "x\n")
	topic := g.Commit("topic")
	g.Git("checkout", "-q", "main")
	g.Write("h", "x\n")
	main := g.Commit("main")
	g.Git("checkout", "-q", "--orphan", "alone")
	alone := g.Commit("alone")
	r := open(t, g.Dir)
	if got, err := r.MergeBase(t.Context(), OID(main), OID(topic)); err != nil || string(got) != first {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := r.MergeBase(t.Context(), OID(main), OID(alone)); !errors.Is(err, ErrNoAncestor) || errors.Is(err, ErrShallow) {
		t.Errorf("unrelated: %v", err)
	}
	clone := filepath.Join(t.TempDir(), "clone")
	g.Git("clone", "-q", "--depth=1", "--no-single-branch", "file://"+g.Dir, clone)
	shallow := open(t, clone)
	_, err := shallow.MergeBase(t.Context(), OID(main), OID(topic))
	if !errors.Is(err, ErrNoAncestor) || !errors.Is(err, ErrShallow) || !strings.Contains(err.Error(), "fetch-depth: 0") {
		t.Errorf("shallow: %v", err)
	}
	if err := shallow.Fetch(t.Context(), 5); err != nil {
		t.Fatal(err)
	}
	if got, err := shallow.MergeBase(t.Context(), OID(main), OID(topic)); err != nil || string(got) != first {
		t.Errorf("after a fetch: %s, %v", got, err)
	}
}

func TestUntrackedAndIgnored(t *testing.T) {
	g := gittest.New(t)
	g.Write(".gitignore", "*.log\nbuild/\n")
	g.Commit("x")
	g.Write("new file\nwith a line feed", "x")
	g.Write("dir/new", "x")
	g.Write("x.log", "x")
	g.Write("build/a", "x")
	g.Write("build/b", "x")
	g.Git("init", "-q", g.Path("nested"))
	g.Write("nested/f", "x")
	r := open(t, g.Dir)
	got, err := r.Untracked(t.Context(), []string{"."})
	if diff := cmp.Diff([]string{"dir/new", "nested/", "new file\nwith a line feed"}, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	got, err = r.Untracked(t.Context(), []string{"dir", "*"})
	if diff := cmp.Diff([]string{"dir/new"}, got); diff != "" || err != nil {
		t.Errorf("a path is not taken literally: %v\n%s", err, diff)
	}
	got, err = r.Ignored(t.Context(), []string{"."})
	if diff := cmp.Diff([]string{"build/", "x.log"}, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestDiffRefusesConflicts(t *testing.T) {
	g := gittest.New(t)
	g.Write("f", "x\n")
	base := g.Commit("x")
	a, b := g.Blob("a\n"), g.Blob("b\n")
	g.Git("update-index", "--force-remove", "f")
	g.GitInput("100644 "+a+" 2\tf\n100644 "+b+" 3\tf\n", "update-index", "--index-info")
	if _, err := open(t, g.Dir).DiffIndex(t.Context(), OID(base)); err == nil || !strings.Contains(err.Error(), "conflict") {
		t.Errorf("error %v", err)
	}
}
