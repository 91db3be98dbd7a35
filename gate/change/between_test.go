package change

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git"
	"github.com/aigate/gate/gate/change/git/gittest"
)

// numbered is a text of n distinct lines.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func between(t *testing.T, dir, base, head string, o Options) *gate.Change {
	t.Helper()
	c, err := openRepo(t, dir).Between(t.Context(), base, head, o)
	if err != nil {
		t.Fatal(err)
	}
	checkSorted(t, c)
	return c
}

func TestBetweenCommits(t *testing.T) {
	for _, tt := range changeCases() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, base := tt.prepare(t)
			tt.edit(g)
			head := stageAll(g).CommitStaged("after")
			equal(t, "targets", tt.want, show(between(t, g.Dir, base, head, Options{})))
		})
	}
}

func TestStaged(t *testing.T) {
	for _, tt := range changeCases() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g, _ := tt.prepare(t)
			tt.edit(g)
			stageAll(g)
			c, err := openRepo(t, g.Dir).Staged(t.Context(), Options{})
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "targets", tt.want, show(c))
		})
	}
}

func TestUpToNow(t *testing.T) {
	for _, tt := range changeCases() {
		t.Run(tt.name+", staged", func(t *testing.T) {
			t.Parallel()
			g, base := tt.prepare(t)
			tt.edit(g)
			stageAll(g)
			want := tt.want
			if strings.Contains(tt.name, "become CRLF") {
				want = []string{`modified "a.py" []`} // what a checkout may make of it
			}
			equal(t, "targets", want, show(between(t, g.Dir, base, "", Options{})))
		})
		t.Run(tt.name+", not staged", func(t *testing.T) {
			t.Parallel()
			g, base := tt.prepare(t)
			tt.edit(g)
			want := tt.want
			if tt.unstaged != nil || strings.Contains(tt.name, "become CRLF") {
				want = tt.unstaged
			}
			equal(t, "targets", want, show(between(t, g.Dir, base, "", Options{})))
		})
		t.Run(tt.name+", committed", func(t *testing.T) {
			t.Parallel()
			g, base := tt.prepare(t)
			tt.edit(g)
			stageAll(g).CommitStaged("after")
			want := tt.want
			if strings.Contains(tt.name, "become CRLF") {
				want = []string{`modified "a.py" []`}
			}
			equal(t, "targets", want, show(between(t, g.Dir, base, "", Options{})))
		})
	}
}

func TestHeadAndFilesOfACommit(t *testing.T) {
	g := gittest.New(t)
	g.Write("a.py", "old\n")
	g.Write(".env", "K=1\n")
	base := g.Commit("x")
	g.Write("a.py", "new\n")
	g.Write("sub/.env.production", "K=2\n")
	g.Link("/etc/passwd", "out")
	head := g.Commit("y")
	g.Write("a.py", "work tree\n")
	g.Write("untracked.py", "x\n")
	c := between(t, g.Dir, base, head, Options{})
	equal(t, "targets", []string{"a.py", "out", "sub/.env.production"}, paths(c))
	equal(t, "files", []string{"a.py", "out"}, c.Files)
	if got := mustRead(t, c, "a.py"); got != "new\n" {
		t.Errorf("the head reads %q", got)
	}
	if old, err := fs.ReadFile(c.Base, "a.py"); err != nil || string(old) != "old\n" {
		t.Errorf("the base reads %q, %v", old, err)
	}
	if target, err := fs.ReadLink(c.Head, "out"); err != nil || target != "/etc/passwd" {
		t.Errorf("out leads to %q, %v", target, err)
	}
	if c.Targets[0].Size != 4 {
		t.Errorf("a.py has %d bytes", c.Targets[0].Size)
	}
}

func TestStagedContentIsNotTheWorkTrees(t *testing.T) {
	g := gittest.New(t)
	g.Write("a.py", "committed\n")
	g.Commit("x")
	g.Write("a.py", "staged\n")
	g.Write(".env", "K=1\n")
	g.Git("add", "-A")
	g.Write("a.py", "later\n")
	g.Write("untracked.py", "x\n")
	c, err := openRepo(t, g.Dir).Staged(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "targets", []string{`added ".env"`, `modified "a.py" [[1 1]]`}, show(c))
	equal(t, "files", []string{"a.py"}, c.Files)
	if got := mustRead(t, c, "a.py"); got != "staged\n" {
		t.Errorf("the head reads %q", got)
	}
}

func TestStagedOnABranchWithoutCommits(t *testing.T) {
	g := gittest.New(t)
	g.Write("a.py", "x\n")
	g.Git("add", "-A")
	c, err := openRepo(t, g.Dir).Staged(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "targets", []string{`added "a.py"`}, show(c))
	if _, err := openRepo(t, g.Dir).Tree(t.Context(), "HEAD"); !errors.Is(err, ErrNoCommit) {
		t.Errorf("error %v", err)
	}
}

// TestStagedInAHook commits one of two changes, for which git gives the hook
// another index.
func TestStagedInAHook(t *testing.T) {
	g := gittest.New(t)
	g.Write("a.py", "x\n")
	g.Commit("x")
	g.Write("a.py", "taken\n")
	index := filepath.Join(t.TempDir(), "index")
	g.Env = []string{"GIT_INDEX_FILE=" + index}
	g.Git("read-tree", "HEAD")
	g.Git("update-index", "--add", "a.py")
	g.Env = nil
	t.Setenv("GIT_INDEX_FILE", index)
	c, err := openRepo(t, g.Dir).Staged(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "targets", []string{`modified "a.py" [[1 1]]`}, show(c))
}

func TestTheScopeOfAChange(t *testing.T) {
	g := gittest.New(t)
	g.Write("a/x.py", "x\n")
	g.Write("b/x.py", "x\n")
	base := g.Commit("x")
	g.Write("a/x.py", "y\n")
	g.Write("b/x.py", "y\n")
	head := g.Commit("y")
	t.Run("without paths it is the whole change, in any working directory", func(t *testing.T) {
		t.Chdir(g.Path("a"))
		c, err := openRepo(t).Between(t.Context(), base, head, Options{})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "targets", []string{"a/x.py", "b/x.py"}, paths(c))
	})
	t.Run("with paths the others are listed", func(t *testing.T) {
		c := between(t, g.Path("a"), base, head, Options{})
		equal(t, "targets", []string{"a/x.py"}, paths(c))
		equal(t, "skipped", []string{"b/x.py: not among the paths of the command line"}, skips(c))
	})
}

func TestTheWorkTreeOfARepositoryWithConversions(t *testing.T) {
	pointer := func(sum string) string {
		return "version https://git-lfs.github.com/spec/v1\noid sha256:" + sum + "\nsize 6\n"
	}
	g := gittest.New(t)
	g.Write("crlf.py", numbered(5))
	g.Write("same.bin", pointer("5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03")) // of "hello\n"
	g.Write("other.bin", pointer(strings.Repeat("a", 64)))
	base := g.Commit("x")
	g.Write("crlf.py", strings.ReplaceAll(numbered(5), "\n", "\r\n"))
	g.Write("same.bin", "hello\n")
	g.Write("other.bin", "hello\n")
	c := between(t, g.Dir, base, "", Options{})
	equal(t, "targets", []string{`modified "other.bin" [[1 1]]`}, show(c))
	g.Write("crlf.py", strings.ReplaceAll(strings.Replace(numbered(5), "line 3", "new", 1), "\n", "\r\n"))
	c = between(t, g.Dir, base, "", Options{})
	equal(t, "targets", []string{`modified "crlf.py" [[3 3]]`, `modified "other.bin" [[1 1]]`}, show(c))
}

func TestASparseCheckout(t *testing.T) {
	g := gittest.New(t)
	g.Write("in/a.py", "x\n")
	g.Write("out/a.py", "x\n")
	g.Write("out/b.py", "x\n")
	base := g.Commit("x")
	g.Write("out/b.py", "y\n")
	g.Commit("y")
	g.Git("update-index", "--skip-worktree", "out/a.py", "out/b.py")
	g.Remove("out")
	c := between(t, g.Dir, base, "", Options{})
	equal(t, "targets", nil, show(c))
	if len(c.Incomplete) != 1 || c.Incomplete[0].Path != "out/b.py" {
		t.Errorf("incomplete %v", c.Incomplete)
	}
}

func TestTreesThatNoCheckoutHolds(t *testing.T) {
	g := gittest.New(t)
	g.Write("a.py", "x\n")
	base := g.Commit("x")
	blob := g.Blob("evil\n")
	inner := g.GitInput("100644 blob "+blob+"\tconfig\n", "mktree")
	tree := g.GitInput("100644 blob "+blob+"\ta.py\n040000 tree "+inner+"\t.git\n040000 tree "+inner+"\t..\n", "mktree")
	head := g.Git("commit-tree", "-p", base, "-m", "evil", tree)
	c := between(t, g.Dir, base, head, Options{})
	equal(t, "targets", []string{`modified "a.py" [[1 1]]`}, show(c))
	equal(t, "files", []string{"a.py"}, c.Files)
	equal(t, "incomplete", []string{`../config: the path has a part ".."`, ".git/config: the path leads into a git repository"}, gaps(c))
}

func TestAMissingObjectIsAGap(t *testing.T) {
	g := gittest.New(t)
	base := g.Commit("x")
	g.Write("a.py", "x\n")
	g.Write("b.py", "y\n")
	head := g.Commit("y")
	blob := g.Git("rev-parse", head+":a.py")
	g.Remove(".git/objects/" + blob[:2] + "/" + blob[2:])
	c := between(t, g.Dir, base, head, Options{})
	equal(t, "targets", []string{"b.py"}, paths(c))
	if len(c.Incomplete) != 1 || c.Incomplete[0].Path != "a.py" {
		t.Errorf("incomplete %v", c.Incomplete)
	}
}

func TestBetweenRefuses(t *testing.T) {
	g := gittest.New(t)
	g.Write("a.py", "x\n")
	first := g.Commit("x")
	g.Git("checkout", "-q", "--orphan", "alone")
	alone := g.CommitStaged("alone")
	for name, tt := range map[string]struct {
		base, head string
		want       error
	}{
		"a revision that looks like an option": {"--output=x", first, nil},
		"a head that looks like an option":     {first, "--output=x", nil},
		"a revision that is not there":         {"nothing", first, git.ErrNoRevision},
		"commits without a common ancestor":    {first, alone, git.ErrNoAncestor},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := openRepo(t, g.Dir).Between(t.Context(), tt.base, tt.head, Options{})
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("a folder that is not under git", func(t *testing.T) {
		r := openRepo(t, t.TempDir())
		if _, err := r.Between(t.Context(), "HEAD", "", Options{}); !errors.Is(err, ErrNoRepository) {
			t.Errorf("error %v", err)
		}
		if _, err := r.Staged(t.Context(), Options{}); !errors.Is(err, ErrNoRepository) {
			t.Errorf("error %v", err)
		}
		if _, err := r.Tree(t.Context(), "HEAD"); !errors.Is(err, ErrNoRepository) {
			t.Errorf("error %v", err)
		}
	})
}

func TestAShallowClone(t *testing.T) {
	g := gittest.New(t)
	g.Write("a.py", "x\n")
	g.Commit("root")
	g.Git("checkout", "-q", "-b", "topic")
	for i := range 120 {
		g.Write("t.py", numbered(i+1))
		g.Commit("topic")
	}
	head := g.Git("rev-parse", "HEAD")
	g.Git("checkout", "-q", "main")
	g.Write("m.py", "x\n")
	base := g.Commit("main")
	g.Git("config", "uploadpack.allowAnySHA1InWant", "true")
	clone := func(t *testing.T) string {
		dir := filepath.Join(t.TempDir(), "clone")
		g.Git("clone", "-q", "--depth=1", "--branch=topic", "file://"+g.Dir, dir)
		return dir
	}
	t.Run("says what to set", func(t *testing.T) {
		_, err := openRepo(t, clone(t)).Between(t.Context(), base, head, Options{})
		if !errors.Is(err, git.ErrShallow) || !strings.Contains(err.Error(), "fetch-depth: 0") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("fetches what it lacks where it may", func(t *testing.T) {
		c := between(t, clone(t), base, head, Options{Fetch: true})
		equal(t, "targets", []string{`added "t.py"`}, show(c))
	})
	t.Run("a base that is not here is not an empty one", func(t *testing.T) {
		r := openRepo(t, clone(t))
		if _, err := r.Tree(t.Context(), base); err == nil || errors.Is(err, ErrNoCommit) {
			t.Errorf("error %v", err)
		}
		if err := r.Fetch(t.Context(), base, head); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Tree(t.Context(), base); err != nil {
			t.Errorf("after the fetch: %v", err)
		}
	})
	t.Run("an error of the fetch is an error", func(t *testing.T) {
		dir := clone(t)
		gittest.At(t, dir).Git("config", "remote.origin.url", "file:///nonexistent")
		if _, err := openRepo(t, dir).Between(t.Context(), base, head, Options{Fetch: true}); err == nil || !strings.Contains(err.Error(), "fetch history") {
			t.Errorf("error %v", err)
		}
	})
}

func TestManyFilesAndCommits(t *testing.T) {
	g := gittest.New(t)
	g.Write("README.md", "x\n")
	base := g.Commit("x")
	var stream strings.Builder
	for i := range 300 {
		fmt.Fprintf(&stream, "commit refs/heads/many\ncommitter A <a@example.com> %d +0000\ndata 1\nx\n", 1700000000+i)
		if i == 0 {
			fmt.Fprintf(&stream, "from %s\n", base)
		}
		for j := range 12 {
			fmt.Fprintf(&stream, "M 100644 inline src/f%d_%d.py\ndata 9\nprint(1)\n\n", i, j)
		}
	}
	g.GitInput(stream.String(), "fast-import", "--quiet")
	c := between(t, g.Dir, base, "many", Options{Targets: 5000})
	if len(c.Targets) != 3600 || len(c.Incomplete) != 0 || len(c.Files) != 3601 {
		t.Errorf("%d targets, %d gaps, %d files", len(c.Targets), len(c.Incomplete), len(c.Files))
	}
	c = between(t, g.Dir, base, "many", Options{})
	if len(c.Targets) != 3000 || len(c.Incomplete) != 600 {
		t.Errorf("over the limit: %d targets, %d gaps", len(c.Targets), len(c.Incomplete))
	}
}

func TestALargeFileIsNeitherReadNorCut(t *testing.T) {
	g := gittest.New(t)
	g.Write("big.txt", "x\n")
	base := g.Commit("x")
	big := strings.Repeat("0123456789abcde\n", 20<<16) // 20 MiB
	g.Write("big.txt", big)
	head := g.Commit("y")
	c := between(t, g.Dir, base, head, Options{})
	equal(t, "targets", []string{`modified "big.txt"`}, show(c))
	f, err := c.Open(c.Targets[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if data, err := io.ReadAll(f); err != nil || string(data) != big || c.Targets[0].Size != int64(len(big)) {
		t.Errorf("%d bytes, size %d, %v", len(data), c.Targets[0].Size, err)
	}
}

func TestTreeReadsAnyCommit(t *testing.T) {
	g := gittest.New(t)
	g.Write(".gate.yml", "fail-on: dangerous\n")
	g.Commit("x")
	tree, err := openRepo(t, g.Dir).Tree(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := fs.ReadFile(tree, ".gate.yml"); err != nil || string(data) != "fail-on: dangerous\n" {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := fs.ReadFile(openRepo(t, g.Dir).WorkTree(), ".gate.yml"); err != nil || len(data) == 0 {
		t.Errorf("%q, %v", data, err)
	}
}
