package change

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git/gittest"
)

func folder(t *testing.T, o Options, named ...string) *gate.Change {
	t.Helper()
	c, err := openRepo(t, named...).Folder(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	checkSorted(t, c)
	return c
}

// ofGit is why what belongs to git is skipped.
const ofGit = "git keeps its own data under this name, and no commit can hold it"

func equal(t *testing.T, what string, want, got []string) {
	t.Helper()
	if want == nil {
		want = []string{}
	}
	if got == nil {
		got = []string{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: -want +got:\n%s", what, diff)
	}
}

func TestFolderUnderGit(t *testing.T) {
	g := gittest.New(t)
	g.Write(".gitignore", "*.log\nbuild/\nsecret/\n")
	g.Write("a.py", "print(1)\n")
	g.Write("lib/b.py", "print(2)\n")
	g.Write(".env", "KEY=1\n")
	g.Write("gone.py", "x\n")
	g.Link("a.py", "link.py")
	g.Commit("x")
	g.Remove("gone.py")
	g.Write("new.py", "print(3)\n")
	g.Write("lib/.env.local", "KEY=2\n")
	g.Write("x.log", "x")
	g.Write("build/out.py", "x")
	g.Git("init", "-q", g.Path("nested"))
	g.Write("nested/deep/n.py", "x\n")

	t.Run("everything tracked and not ignored is a target, secrets included", func(t *testing.T) {
		c := folder(t, Options{}, g.Dir)
		equal(t, "targets", []string{
			`none ".env"`, `none ".gitignore"`, `none "a.py"`, `none "lib/.env.local"`, `none "lib/b.py"`,
			`none "link.py" Lrwxrwxrwx`, `none "nested/deep/n.py"`, `none "new.py"`,
		}, show(c))
		equal(t, "files", []string{".gitignore", "a.py", "lib/b.py", "link.py", "nested/deep/n.py", "new.py"}, c.Files)
		equal(t, "skipped", []string{"build/: ignored by git", "gone.py: tracked by git, and not in the work tree", "nested/.git: " + ofGit, "x.log: ignored by git"}, skips(c))
		equal(t, "incomplete", nil, gaps(c))
		if got := mustRead(t, c, "lib/b.py"); got != "print(2)\n" {
			t.Errorf("lib/b.py reads %q", got)
		}
		if target, err := fs.ReadLink(c.Head, "link.py"); err != nil || target != "a.py" {
			t.Errorf("link.py leads to %q, %v", target, err)
		}
	})
	t.Run("a folder that is named limits the targets, and all tracked files may enter a sandbox", func(t *testing.T) {
		c := folder(t, Options{}, g.Path("lib"))
		equal(t, "targets", []string{`none "lib/.env.local"`, `none "lib/b.py"`}, show(c))
		equal(t, "files", []string{".gitignore", "a.py", "lib/b.py", "link.py"}, c.Files)
	})
	t.Run("an ignored file that is named is a target, and enters no sandbox", func(t *testing.T) {
		c := folder(t, Options{}, g.Path("x.log"), g.Path("build/out.py"))
		equal(t, "targets", []string{`none "build/out.py"`, `none "x.log"`}, show(c))
		equal(t, "files", []string{".gitignore", "a.py", "lib/b.py", "link.py"}, c.Files)
	})
	t.Run("an ignored folder that is named is looked at", func(t *testing.T) {
		equal(t, "targets", []string{`none "build/out.py"`}, show(folder(t, Options{}, g.Path("build"))))
	})
	t.Run("without paths it is the current folder", func(t *testing.T) {
		t.Chdir(g.Path("lib"))
		equal(t, "targets", []string{`none "lib/.env.local"`, `none "lib/b.py"`}, show(folder(t, Options{})))
	})
	t.Run("excluded files are listed with the glob", func(t *testing.T) {
		c := folder(t, Options{Paths: gate.Paths{Include: []string{"**/*.py"}, Exclude: []string{"nested/**", "new.py"}}}, g.Dir)
		equal(t, "targets", []string{`none "a.py"`, `none "lib/b.py"`, `none "link.py" Lrwxrwxrwx`}, show(c))
		got := strings.Join(skips(c), "\n")
		for _, want := range []string{"nested/deep/n.py: excluded by paths.exclude (nested/**)", "new.py: excluded by paths.exclude (new.py)", ".env: not among paths.include"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is missing in:\n%s", want, got)
			}
		}
	})
	t.Run("a bad glob is an error", func(t *testing.T) {
		if _, err := openRepo(t, g.Dir).Folder(t.Context(), Options{Paths: gate.Paths{Exclude: []string{"[a"}}}); err == nil {
			t.Error("no error")
		}
	})
}

func TestFolderOutsideOfGit(t *testing.T) {
	dir := t.TempDir()
	w := gittest.At(t, dir)
	w.Write("a.py", "print(1)\n")
	w.Write("sub/b.sh", "echo\n")
	w.Write("sub/.env", "K=1\n")
	w.Write("sub/.git/config", "[core]\n")
	w.Write("sub/.GIT/hooks/x", "x\n")
	w.Link("/etc/passwd", "out")
	w.Link("sub", "around")

	t.Run("everything but git's own data is a target", func(t *testing.T) {
		c := folder(t, Options{}, dir)
		equal(t, "targets", []string{`none "a.py"`, `none "around" Lrwxrwxrwx`, `none "out" Lrwxrwxrwx`, `none "sub/.env"`, `none "sub/b.sh"`}, show(c))
		equal(t, "files", []string{"a.py", "around", "out", "sub/b.sh"}, c.Files)
	})
	t.Run("git's own data is listed as skipped, under whatever name a file system takes for it", func(t *testing.T) {
		equal(t, "skipped", []string{"sub/.GIT: " + ofGit, "sub/.git: " + ofGit}, skips(folder(t, Options{}, dir)))
		equal(t, "skipped in a folder that is named", []string{".GIT: " + ofGit, ".git: " + ofGit}, skips(folder(t, Options{}, filepath.Join(dir, "sub"))))
	})
	t.Run("no link is followed", func(t *testing.T) {
		c := folder(t, Options{}, dir)
		for _, p := range []string{"out", "around", "around/b.sh", "sub/../../x", "sub/.git/config", "sub/.GIT/hooks/x"} {
			if f, err := c.Head.Open(p); err == nil {
				t.Errorf("%s can be opened", p)
				_ = f.Close()
			}
		}
	})
	t.Run("paths count from the current folder where it holds them", func(t *testing.T) {
		t.Chdir(dir)
		equal(t, "targets", []string{`none "sub/.env"`, `none "sub/b.sh"`}, show(folder(t, Options{}, "sub")))
		equal(t, "targets", []string{`none "sub/b.sh"`}, show(folder(t, Options{}, "sub/b.sh", "./sub/b.sh")))
	})
	t.Run("elsewhere they count from the deepest common folder", func(t *testing.T) {
		equal(t, "targets", []string{`none "a.py"`, `none "sub/b.sh"`}, show(folder(t, Options{}, filepath.Join(dir, "a.py"), filepath.Join(dir, "sub/b.sh"))))
	})
	t.Run("a folder may be named through a link", func(t *testing.T) {
		equal(t, "targets", []string{`none ".env"`, `none "b.sh"`}, show(folder(t, Options{}, filepath.Join(dir, "around"))))
	})
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	g, other := gittest.New(t), gittest.New(t)
	for name, named := range map[string][]string{
		"a path that is not there":    {filepath.Join(dir, "nothing")},
		"an empty path":               {""},
		"git's own data":              {g.Path(".git/config")},
		"two work trees":              {g.Dir, other.Dir},
		"a work tree and a folder":    {g.Dir, dir},
		"a folder and a path in none": {dir, filepath.Join(dir, "x\x00y")},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Open(t.Context(), named)
			if err == nil {
				t.Error("no error")
				_ = r.Close()
			}
		})
	}
}

func TestSpecialFilesAreTargetsThatAreNeverOpened(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.py"), 0o644); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	g := gittest.New(t)
	g.Write("tracked.py", "x\n")
	g.Commit("x")
	g.Remove("tracked.py")
	if err := syscall.Mkfifo(g.Path("tracked.py"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{dir, g.Dir} {
		c := folder(t, Options{}, d)
		if len(c.Targets) == 0 || len(c.Files) != 0 {
			t.Errorf("targets %v, files %v", show(c), c.Files)
		}
		for _, target := range c.Targets {
			if target.Mode.IsRegular() {
				t.Errorf("%s is taken for a regular file", target.Path)
			}
			if _, err := c.Read(target, 10); err == nil {
				t.Errorf("%s can be read", target.Path)
			}
			if _, err := c.Head.Open(target.Path); err == nil { // also where a stage forgets to ask
				t.Errorf("%s can be opened", target.Path)
			}
		}
	}
}

// TestALinkCannotLeadGitsDataIntoASandbox has a folder of tracked files replaced
// by a link to .git, where CI systems keep credentials.
func TestALinkCannotLeadGitsDataIntoASandbox(t *testing.T) {
	g := gittest.New(t)
	g.Write("d/config", "harmless\n")
	g.Commit("x")
	g.Remove("d")
	g.Link(".git", "d")
	c := folder(t, Options{}, g.Dir)
	if len(c.Files) != 1 || c.Files[0] != "d" {
		t.Errorf("files %v", c.Files)
	}
	for _, p := range []string{"d/config", ".git/config"} {
		if _, err := c.Head.Open(p); err == nil {
			t.Errorf("%s can be opened", p)
		}
	}
	equal(t, "incomplete", []string{"d/config: a symbolic link, which is not followed"}, gaps(c))
}

func TestAnUnreadableFolderIsAGap(t *testing.T) {
	dir := t.TempDir()
	w := gittest.At(t, dir)
	w.Write("closed/a.py", "x\n")
	if err := os.Chmod(filepath.Join(dir, "closed"), 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "closed"), 0o755) })
	if os.Geteuid() == 0 {
		if err := asUnprivileged(t, dir); err != nil {
			t.Fatal(err)
		}
		return
	}
	checkUnreadable(t, dir)
}

func checkUnreadable(t *testing.T, dir string) {
	t.Helper()
	equal(t, "incomplete", []string{"closed: cannot be listed: permission denied"}, gaps(folder(t, Options{}, dir)))
}

func TestDeepTrees(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	deepest := strings.Repeat("d/", 299) + "d"
	if err := root.MkdirAll(deepest, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := root.WriteFile(strings.Repeat("d/", 100)+"a.py", []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := root.Close(); err != nil {
		t.Fatal(err)
	}
	c := folder(t, Options{}, dir)
	equal(t, "targets", []string{strings.Repeat("d/", 100) + "a.py"}, paths(c))
	if len(c.Incomplete) != 1 || !strings.Contains(c.Incomplete[0].Reason, "deeper than") {
		t.Errorf("incomplete %v", c.Incomplete)
	}
}

func TestMoreFilesThanTheLimit(t *testing.T) {
	dir := t.TempDir()
	w := gittest.At(t, dir)
	for i := range 2000 {
		w.Write(fmt.Sprintf("data/%04d.csv", i), "1\n")
	}
	w.Write("z.py", "x\n")
	w.Write("package.json", "{}\n")
	w.Write("yarn.lock", "x\n")
	c := folder(t, Options{Targets: 10}, dir)
	if len(c.Targets) != 10 || !strings.Contains(strings.Join(paths(c), " "), "package.json z.py") {
		t.Errorf("targets %v", paths(c))
	}
	if want := maxListed + 1; len(c.Incomplete) != want {
		t.Errorf("%d gaps, want %d", len(c.Incomplete), want)
	}
	if got := c.Incomplete[0]; got.Path != "" || !strings.HasPrefix(got.Reason, "993 more files") {
		t.Errorf("the rest: %+v", got)
	}
	if len(c.Files) != 2003 {
		t.Errorf("%d files may enter a sandbox", len(c.Files))
	}
}

func TestNamesThatAreHardToRead(t *testing.T) {
	names := []string{"a b.py", "a\"b.py", "a'b.py", "a\\b.py", "a\nb.py", "a\tb.py", "ü\u202e.py", "\xff\xfe.py", "-rf", "--help", "$(x).py", "`x`.py", "*", ":(top)x", "#x", " ", "...", "a|b", "a;b"}
	g := gittest.New(t)
	plain := gittest.At(t, t.TempDir())
	for _, n := range names {
		g.Write(n, "x\n")
		plain.Write(n, "x\n")
	}
	untracked := folder(t, Options{}, g.Dir)
	g.Commit("x")
	for what, c := range map[string]*gate.Change{"tracked": folder(t, Options{}, g.Dir), "untracked": untracked, "plain": folder(t, Options{}, plain.Dir)} {
		if len(c.Targets) != len(names) || len(c.Files) != len(names) || len(c.Incomplete) != 0 {
			t.Errorf("%s: %d targets, %d files, gaps %v", what, len(c.Targets), len(c.Files), c.Incomplete)
		}
		for _, n := range names {
			if got := mustRead(t, c, n); got != "x\n" {
				t.Errorf("%s: %q reads %q", what, n, got)
			}
		}
	}
	for _, n := range names {
		equal(t, "one named file", []string{n}, paths(folder(t, Options{}, filepath.Join(g.Dir, n))))
	}
}

func TestGitLFSPointers(t *testing.T) {
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
	dir := t.TempDir()
	w := gittest.At(t, dir)
	w.Write("weights.bin", pointer)
	w.Write("evil.py", pointer)
	w.Write("package.json", pointer)
	c := folder(t, Options{}, dir)
	equal(t, "targets", []string{"evil.py", "package.json", "weights.bin"}, paths(c))
	equal(t, "skipped", []string{"weights.bin: the content is in Git LFS; the pointer was looked at"}, skips(c))
	if len(c.Incomplete) != 2 || c.Incomplete[0].Path != "evil.py" {
		t.Errorf("incomplete %v", c.Incomplete)
	}
	for _, target := range c.Targets {
		if target.Stub != "Git LFS" {
			t.Errorf("%s: kept by %q", target.Path, target.Stub)
		}
	}
}

func TestLinksOfGitAnnex(t *testing.T) {
	dir := t.TempDir()
	w := gittest.At(t, dir)
	w.Write("a.csv", "x\n")
	for _, name := range []string{"data.csv", "tool.sh"} {
		w.Link(".git/annex/objects/xx/yy/SHA256E-s3--ab/SHA256E-s3--ab", name)
	}
	c := folder(t, Options{}, dir)
	equal(t, "skipped", []string{"data.csv: the content is in git-annex; the pointer was looked at"}, skips(c))
	if len(c.Incomplete) != 1 || c.Incomplete[0].Path != "tool.sh" {
		t.Errorf("incomplete %v", c.Incomplete)
	}
	for _, target := range c.Targets {
		if (target.Stub == "git-annex") != (target.Path != "a.csv") {
			t.Errorf("%s: kept by %q", target.Path, target.Stub)
		}
	}
}

func TestSubmodulesAndSparseFilesInAFolder(t *testing.T) {
	g := gittest.New(t)
	g.Write("a.py", "x\n")
	g.Write("sparse/b.py", "x\n")
	g.Git("add", "-A")
	g.Git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+",module")
	g.CommitStaged("x")
	if err := os.Mkdir(g.Path("module"), 0o755); err != nil {
		t.Fatal(err)
	}
	g.Git("update-index", "--skip-worktree", "sparse/b.py")
	g.Remove("sparse")
	c := folder(t, Options{}, g.Dir)
	equal(t, "targets", []string{`none "a.py"`, `none "module" drwxr-xr-x`}, show(c))
	equal(t, "files", []string{"a.py"}, c.Files)
	equal(t, "skipped", []string{"sparse/b.py: tracked by git, and not in the work tree"}, skips(c))
}
