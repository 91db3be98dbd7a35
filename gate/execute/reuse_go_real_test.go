package execute_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// TestGoRunsAreReusedWhereNothingThatTheyLookedAtChanged: tests and a program of one module, and
// what changes beside them. All start from the same two runs.
func TestGoRunsAreReusedWhereNothingThatTheyLookedAtChanged(t *testing.T) {
	t.Parallel()
	const tests, program = "calc/calc.go", "cmd/x/main.go"
	tree := map[string]string{
		"go.mod":               "module example.com/m\n\ngo 1.21\n",
		tests:                  "package calc\n\nfunc Add(a, b int) int { return a + b }\n",
		"calc/c_test.go":       "package calc\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestAdd(t *testing.T) {\n\tif _, err := os.ReadFile(\"testdata/in.txt\"); err != nil || Add(1, 2) != 3 {\n\t\tt.Fatal(err)\n\t}\n}\n",
		"calc/testdata/in.txt": "in\n",
		"other/other.go":       "package other\n\nfunc F() int { return 1 }\n",
		program:                "package main\n\nimport \"example.com/m/calc\"\n\nfunc main() { println(calc.Add(1, 2)) }\n",
		"README.md":            "Words.\n",
	}
	dir := filepath.Join(t.TempDir(), "cache")
	scanned(t, changeOf(files(tree), tests, program), dir)
	for _, tt := range []struct {
		name    string
		change  string
		tests   bool // run again
		program bool
	}{
		{"a text beside them", "README.md", false, false},
		{"a package that neither needs", "other/other.go", false, false},
		{"a file that tests read", "calc/testdata/in.txt", true, false},
		{"the package of both", tests, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			texts := maps.Clone(tree)
			texts[tt.change] += "\n// and more of it\n"
			out, _, _ := scanned(t, changeOf(files(texts), tests, program), dir)
			for target, again := range map[string]bool{tests: tt.tests, program: tt.program} {
				if x := out.Executions[target]; x.Cached == again || x.Status != gate.ExecutionExited {
					t.Errorf("%s: cached %v: %s %s; %+v", target, x.Cached, x.Status, x.Reason, explained(t, dir, target))
				}
			}
		})
	}
}

// TestCallsThatTheSupervisorMakesSayWhatTheKernelSays: a program asks for many paths, then beside
// a thread once more.
func TestCallsThatTheSupervisorMakesSayWhatTheKernelSays(t *testing.T) {
	t.Parallel()
	const program = `
import os, threading, time
os.symlink("/workspace/a.py", "/tmp/own")
d, f, p, bare = os.open("sub", os.O_RDONLY), os.open("a.py", os.O_RDONLY), os.pipe()[0], os.open("a.py", os.O_PATH)
paths = ["", ".", "a.py", "./sub/../a.py", "sub/", "a.py/", "a.py/x", "nothing", "/", "/etc/passwd", "/etc/shadow", "/usr/bin/python3", "/root/x", "/dev/null", "/dev/fd/0",
    "/proc/self/fd/1", f"/proc/self/fd/{f}", f"/dev/fd/{bare}", "/proc/self/fd/999", "/proc/uptime", "/tmp/own", "x" * 300, "y/" * 3000]
def one(*a, **k):
    try:
        s = os.stat(*a, **k)
        return tuple(s)[:7] + (s.st_rdev, s.st_blksize, s.st_blocks, s.st_mtime_ns)
    except OSError as e:
        return e.errno
def all():
    out = [(n, follow, one(n, follow_symlinks=follow)) for n in paths for follow in (True, False)]
    out += [(n, one(n, dir_fd=d)) for n in ("deep.txt", "../a.py", "nothing", "/etc/passwd")]
    return out + [(n, one(n)) for n in (d, f, p, bare, 998)] + [one("x", dir_fd=998), one("x", dir_fd=f)]
before = all()
stop = threading.Event()
t = threading.Thread(target=stop.wait)
t.start()
beside = all()
stop.set()
t.join()
print(len(before), [(a, b) for a, b in zip(before, beside) if a != b])
`
	texts := map[string]string{"a.py": program, "sub/deep.txt": "deep\n", "else.txt": "short\n"}
	dir := filepath.Join(t.TempDir(), "cache")
	out, _, _ := scanned(t, changeOf(files(texts), "a.py"), dir)
	x := out.Executions["a.py"]
	if said := x.Units[0].Stdout.Text; strings.TrimSpace(said) != "57 []" {
		t.Errorf("it printed %q and ended %s: %s; %s", said, x.Status, x.Reason, x.Units[0].Stderr.Text)
	}
	texts["else.txt"] = "longer than before\n"
	if out, _, _ = scanned(t, changeOf(files(texts), "a.py"), dir); !out.Executions["a.py"].Cached {
		t.Errorf("a call was left to the kernel: %+v", explained(t, dir, "a.py"))
	}
}
