package change

import (
	"os"
	"strings"
	"testing"

	"github.com/aigate/gate/gate/change/git/gittest"
)

// changeCase is one edit of a repository, with the targets that it leads to. It
// holds whether the edit is committed, staged or just made.
type changeCase struct {
	name   string
	before func(*gittest.Repo)
	edit   func(*gittest.Repo)
	want   []string
	// untracked is how the edit looks while nothing of it is staged, where
	// that differs: git learns of renames and copies when they are staged.
	unstaged []string
}

func changeCases() []changeCase {
	oneSub, twoSub := strings.Repeat("1", 40), strings.Repeat("2", 40)
	return []changeCase{
		{name: "nothing", edit: func(*gittest.Repo) {}, want: nil},
		{name: "an edit of one line",
			before: func(g *gittest.Repo) { g.Write("a.py", numbered(9)) },
			edit:   func(g *gittest.Repo) { g.Write("a.py", strings.Replace(numbered(9), "line 5\n", "new\n", 1)) },
			want:   []string{`modified "a.py" [[5 5]]`}},
		{name: "lines at both ends",
			before: func(g *gittest.Repo) { g.Write("a.py", numbered(9)) },
			edit:   func(g *gittest.Repo) { g.Write("a.py", "first\n"+numbered(9)+"last\n") },
			want:   []string{`modified "a.py" [[1 1] [11 11]]`}},
		{name: "a deleted line puts both sides of the gap into the change",
			before: func(g *gittest.Repo) { g.Write("a.py", numbered(9)) },
			edit:   func(g *gittest.Repo) { g.Write("a.py", strings.Replace(numbered(9), "line 5\n", "", 1)) },
			want:   []string{`modified "a.py" [[4 5]]`}},
		{name: "a file that is emptied",
			before: func(g *gittest.Repo) { g.Write("a.py", numbered(3)) },
			edit:   func(g *gittest.Repo) { g.Write("a.py", "") },
			want:   []string{`modified "a.py" []`}},
		{name: "an addition", edit: func(g *gittest.Repo) { g.Write("n.py", "x\n") }, want: []string{`added "n.py"`}},
		{name: "a deletion",
			before: func(g *gittest.Repo) { g.Write("a.py", "x\n") },
			edit:   func(g *gittest.Repo) { g.Remove("a.py") },
			want:   []string{`deleted "a.py"`}},
		{name: "a rename into another folder with an edit",
			before: func(g *gittest.Repo) { g.Write("src/a.py", numbered(40)) },
			edit: func(g *gittest.Repo) {
				g.Remove("src/a.py")
				g.Write("lib/a.py", strings.Replace(numbered(40), "line 7\n", "new\n", 1))
			},
			want:     []string{`renamed "lib/a.py" from "src/a.py" [[7 7]]`},
			unstaged: []string{`added "lib/a.py"`, `deleted "src/a.py"`}},
		{name: "a rename to another name puts all lines into the change",
			before:   func(g *gittest.Repo) { g.Write("a.py", numbered(40)) },
			edit:     func(g *gittest.Repo) { g.Remove("a.py"); g.Write("sitecustomize.py", numbered(40)) },
			want:     []string{`renamed "sitecustomize.py" from "a.py"`},
			unstaged: []string{`deleted "a.py"`, `added "sitecustomize.py"`}},
		{name: "a rename to where another role holds puts all lines into the change",
			before:   func(g *gittest.Repo) { g.Write("tests/a.py", numbered(40)) },
			edit:     func(g *gittest.Repo) { g.Remove("tests/a.py"); g.Write("src/a.py", numbered(40)) },
			want:     []string{`renamed "src/a.py" from "tests/a.py"`},
			unstaged: []string{`added "src/a.py"`, `deleted "tests/a.py"`}},
		{name: "a copy is an addition with all its lines",
			before: func(g *gittest.Repo) { g.Write("a.py", numbered(40)) },
			edit: func(g *gittest.Repo) {
				g.Write("a.py", numbered(41))
				g.Write("b/a.py", numbered(40))
			},
			want:     []string{`modified "a.py" [[41 41]]`, `added "b/a.py" from "a.py"`},
			unstaged: []string{`modified "a.py" [[41 41]]`, `added "b/a.py"`}},
		{name: "a file that becomes executable is in the change with all its lines",
			before: func(g *gittest.Repo) { g.Write("a.sh", numbered(3)) },
			edit: func(g *gittest.Repo) {
				if err := os.Chmod(g.Path("a.sh"), 0o755); err != nil {
					panic(err)
				}
			},
			want: []string{`mode "a.sh" -rwxr-xr-x`}},
		{name: "a file that stops being executable has no changed lines",
			before: func(g *gittest.Repo) { g.Write("a.sh", numbered(3)); g.Git("add", "a.sh"); chmod(g, "a.sh", 0o755) },
			edit:   func(g *gittest.Repo) { chmod(g, "a.sh", 0o644) },
			want:   []string{`mode "a.sh" []`}},
		{name: "a file that becomes a link",
			before: func(g *gittest.Repo) { g.Write("a.py", "x\n") },
			edit:   func(g *gittest.Repo) { g.Remove("a.py"); g.Link("/etc/passwd", "a.py") },
			want:   []string{`type "a.py" Lrwxrwxrwx`}},
		{name: "a link that becomes a file",
			before: func(g *gittest.Repo) { g.Link("b.py", "a.py") },
			edit:   func(g *gittest.Repo) { g.Remove("a.py"); g.Write("a.py", "b.py") },
			want:   []string{`type "a.py"`}},
		{name: "a link that leads elsewhere",
			before: func(g *gittest.Repo) { g.Link("b.py", "a.py") },
			edit:   func(g *gittest.Repo) { g.Remove("a.py"); g.Link("../../../etc/shadow", "a.py") },
			want:   []string{`modified "a.py" Lrwxrwxrwx`}},
		{name: "a link that stays as it is",
			before: func(g *gittest.Repo) { g.Link("b.py", "a.py"); g.Write("b.py", numbered(3)) },
			edit:   func(g *gittest.Repo) { g.Write("b.py", numbered(4)) },
			want:   []string{`modified "b.py" [[4 4]]`}},
		{name: "a new link out of the repository", edit: func(g *gittest.Repo) { g.Link("/", "root") }, want: []string{`added "root" Lrwxrwxrwx`}},
		{name: "a submodule that moves on",
			before:   func(g *gittest.Repo) { submodule(g, oneSub) },
			edit:     func(g *gittest.Repo) { submodule(g, twoSub) },
			want:     []string{`modified "module" drwxr-xr-x`},
			unstaged: []string{`modified "module" drwxr-xr-x`}},
		{name: "a submodule in place of a file",
			before:   func(g *gittest.Repo) { g.Write("module", "x\n") },
			edit:     func(g *gittest.Repo) { g.Remove("module"); submodule(g, oneSub) },
			want:     []string{`type "module" drwxr-xr-x`},
			unstaged: []string{`type "module" drwxr-xr-x`}},
		{name: "line ends that become CRLF change every line",
			before:   func(g *gittest.Repo) { g.Write("a.py", numbered(3)) },
			edit:     func(g *gittest.Repo) { g.Write("a.py", strings.ReplaceAll(numbered(3), "\n", "\r\n")) },
			want:     []string{`modified "a.py" [[1 3]]`},
			unstaged: nil},
		{name: "an edit in a file with CRLF",
			before: func(g *gittest.Repo) { g.Write("a.py", strings.ReplaceAll(numbered(9), "\n", "\r\n")) },
			edit: func(g *gittest.Repo) {
				g.Write("a.py", strings.ReplaceAll(strings.Replace(numbered(9), "line 5", "new", 1), "\n", "\r\n"))
			},
			want: []string{`modified "a.py" [[5 5]]`}},
		{name: "a lost line feed at the end",
			before: func(g *gittest.Repo) { g.Write("a.py", "a\nb\n") },
			edit:   func(g *gittest.Repo) { g.Write("a.py", "a\nb") },
			want:   []string{`modified "a.py" []`}},
		{name: "a binary file",
			before: func(g *gittest.Repo) { g.Write("a.bin", "\x00\n\x01\n\x02\n") },
			edit:   func(g *gittest.Repo) { g.Write("a.bin", "\x00\n\x03\n\x02\n") },
			want:   []string{`modified "a.bin" [[2 2]]`}},
		{name: "attributes cannot hide lines",
			before: func(g *gittest.Repo) {
				g.Write(".gitattributes", "* -diff -text binary linguist-generated\n")
				g.Write("a.py", numbered(9))
			},
			edit: func(g *gittest.Repo) { g.Write("a.py", numbered(10)) },
			want: []string{`modified "a.py" [[10 10]]`}},
		{name: "names that are hard to read",
			before: func(g *gittest.Repo) { g.Write("a\n\"b\".py", numbered(3)) },
			edit: func(g *gittest.Repo) {
				g.Write("a\n\"b\".py", numbered(4))
				g.Write("ü\u202e \t.py", "x\n")
				g.Write("\xff.py", "x\n")
				g.Write("-o", "x\n")
			},
			want: []string{`added "-o"`, `modified "a\n\"b\".py" [[4 4]]`, `added "ü\u202e \t.py"`, `added "\xff.py"`}},
		{name: "a comment that is opened elsewhere puts the rest of the file into the change",
			before: func(g *gittest.Repo) { g.Write("a.py", numbered(2)+"'''\n"+numbered(3)+"'''\n"+numbered(2)) },
			edit:   func(g *gittest.Repo) { g.Write("a.py", numbered(2)+numbered(3)+"'''\n"+numbered(2)) },
			want:   []string{`modified "a.py" [[2 8]]`}},
		{name: "a documentation string that is added whole changes nothing else",
			before: func(g *gittest.Repo) { g.Write("a.py", numbered(5)) },
			edit: func(g *gittest.Repo) {
				g.Write("a.py", strings.Replace(numbered(5), "line 2\n", "line 2\n\"\"\"Say\nso.\"\"\"\n", 1))
			},
			want: []string{`modified "a.py" [[3 4]]`}},
		{name: "a first line that makes another program read the file puts all lines into the change",
			before: func(g *gittest.Repo) { g.Write("run", "notes\n"+numbered(5)) },
			edit:   func(g *gittest.Repo) { g.Write("run", "#!/bin/sh\n"+numbered(5)) },
			want:   []string{`modified "run"`}},
		{name: "a file in place of a folder",
			before:   func(g *gittest.Repo) { g.Write("d/a.py", "x\n") },
			edit:     func(g *gittest.Repo) { g.Remove("d"); g.Write("d", "y\n") },
			want:     []string{`added "d"`, `deleted "d/a.py"`},
			unstaged: []string{`added "d"`, `deleted "d/a.py"`}},
	}
}

func chmod(g *gittest.Repo, path string, mode os.FileMode) {
	if err := os.Chmod(g.Path(path), mode); err != nil {
		panic(err)
	}
}

// submodule makes the index name a commit for the path "module".
func submodule(g *gittest.Repo, commit string) {
	if err := os.MkdirAll(g.Path("module"), 0o755); err != nil {
		panic(err)
	}
	g.Git("update-index", "--add", "--replace", "--cacheinfo", "160000,"+commit+",module")
}

// stageAll stages everything but the made-up submodule, in which git would look
// for a repository.
func stageAll(g *gittest.Repo) *gittest.Repo {
	if g.Git("ls-files", "-s", "module") == "" || !strings.HasPrefix(g.Git("ls-files", "-s", "module"), "160000") {
		g.Git("add", "-A")
		return g
	}
	g.Git("add", "-A", "--", ".", ":(exclude)module")
	return g
}

// prepare returns a repository before the edit.
func (tt changeCase) prepare(t *testing.T) (*gittest.Repo, string) {
	t.Helper()
	g := gittest.New(t)
	g.Write("README.md", "unchanged\n")
	if tt.before != nil {
		tt.before(g)
	}
	return g, stageAll(g).CommitStaged("before")
}
