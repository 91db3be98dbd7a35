package execute_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/tools/testenv"
)

// scanned is what one scan with a cache in a folder says, or without one.
func scanned(t *testing.T, c *gate.Change, dir string) (gate.Outcome, *gate.Findings, time.Duration) {
	t.Helper()
	s := realStage(t, "runc", func(o *execute.Options) {
		if dir != "" {
			o.Cache = storeIn(t, dir).Space("sandbox")
		}
		supervisor, state := testenv.Gate(t), t.TempDir()
		o.Open = func(ctx context.Context) (execute.Runner, error) { return openEngine(ctx, supervisor, state) }
	})
	begin := time.Now()
	out, found := executions(t, s, c)
	return out, found, time.Since(begin)
}

// exchanges asks for the size of a file under a name that another thread keeps exchanging
// for that of a second file, until it has got that of the second.
const exchanges = `
import ctypes, os, struct, threading
libc = ctypes.CDLL(None, use_errno=True)
name = ctypes.create_string_buffer(b"/workspace/same.txt", 64)
done = False
def exchange():
    other, own = b"/workspace/data.txt\0", b"/workspace/same.txt\0"
    while not done:
        ctypes.memmove(name, other, len(other))
        ctypes.memmove(name, own, len(own))
t = threading.Thread(target=exchange)
t.start()
out = ctypes.create_string_buffer(256)
for _ in range(20000):
    libc.syscall(262, -100, name, out, 0)  # newfstatat
    if struct.unpack_from("q", out, 48)[0] == 4:
        print("got it")
        break
done = True
t.join()
`

// TestARunIsReusedWhereNothingThatItLookedAtChanged: a program and what changes beside
// it, and whether the program has to run again.
func TestARunIsReusedWhereNothingThatItLookedAtChanged(t *testing.T) {
	t.Parallel()
	var programs []looking
	for name, tt := range map[string]struct {
		program string
		change  string
		again   bool
	}{
		"a file that it does not look at":  {"print(1)\n", "data.txt", false},
		"a file that it reads":             {"print(open('data.txt').read())\n", "data.txt", true},
		"its size":                         {"import os\nprint(os.stat('data.txt').st_size)\n", "data.txt", true},
		"its size, and it stays":           {"import os\nprint(os.stat('same.txt').st_size)\n", "same.txt", false},
		"its size through an open path":    {"import os\nprint(os.fstat(os.open('data.txt', os.O_PATH)).st_size)\n", "data.txt", true},
		"its size from a folder":           {"import os\nd = os.open('/workspace', os.O_RDONLY)\nprint(os.stat('data.txt', dir_fd=d).st_size)\n", "data.txt", true},
		"its size through /proc":           {"import os\nprint(os.stat('/proc/self/cwd/data.txt').st_size)\n", "data.txt", true},
		"its size through a link to /proc": {"import os\nos.symlink('/proc/self/cwd/data.txt', '/tmp/l')\nprint(os.stat('/tmp/l').st_size)\n", "data.txt", true},
		"its size through a moved name":    {"import os\nos.rename('data.txt', 'other')\nprint(os.stat('other').st_size)\n", "data.txt", true},
		"a hard link":                      {"import os\nos.link('data.txt', 'other')\nprint(open('other').read())\n", "data.txt", true},
		"a symbolic link":                  {"import os\nos.symlink('/workspace/data.txt', '/tmp/l')\nprint(open('/tmp/l').read())\n", "data.txt", true},
		"a descriptor of /proc":            {"import os\nf = os.open('same.txt', os.O_PATH)\nprint(open(f'/proc/self/fd/{f}').read())\n", "same.txt", true},
		"a moved folder":                   {"import os\nos.rename('sub', 'other')\nprint(open('other/deep.txt').read())\n", "sub/deep.txt", true},
		"a mapping":                        {"import mmap\nf = open('same.txt')\nprint(mmap.mmap(f.fileno(), 0, prot=1)[:])\n", "same.txt", true},
		"a copy in the kernel":             {"import os\nf = os.open('same.txt', 0)\nos.copy_file_range(f, os.open('o', os.O_CREAT | os.O_RDWR), 9)\n", "same.txt", true},
		"how full the workspace is":        {"import os\nprint(os.statvfs('/workspace').f_bfree)\n", "data.txt", false},
		"how full it is, by a page":        {"import os\nprint(os.statvfs('/workspace').f_bfree)\n", "large.txt", true},
		"nothing of a larger one":          {"print(1)\n", "same.txt", false},
		"a path that is tried as a folder": {"import os\ntry:\n    os.open('data.txt', os.O_DIRECTORY)\nexcept OSError:\n    pass\nprint(os.fstat(os.open('data.txt', os.O_PATH)).st_size)\n", "data.txt", true},
		"a program that cannot run":        {"import os\nos.chmod('same.txt', 0o755)\ntry:\n    os.execv('/workspace/same.txt', ['x'])\nexcept OSError as e:\n    print(e)\n", "same.txt", true},
		"a module":                         {"import mod\n", "mod.py", true},
		"another process reads it":         {"import subprocess\nprint(subprocess.run(['cat', 'same.txt'], capture_output=True).stdout)\n", "same.txt", true},
		"a size, by another process":       {"import subprocess\nprint(subprocess.run(['stat', '-c', '%s', 'data.txt'], capture_output=True).stdout)\n", "data.txt", true},
		"a size, by a thread":              {"import os, threading\nt = threading.Thread(target=lambda: print(os.stat('data.txt').st_size))\nt.start()\nt.join()\n", "data.txt", true},
		"a file, beside a thread":          {"import os, threading, time\nthreading.Thread(target=time.sleep, args=(1,)).start()\nprint(os.stat('data.txt').st_size, os.path.exists('nothing'))\n", "large.txt", true},
		"another file, beside a thread":    {"import os, threading, time\nthreading.Thread(target=time.sleep, args=(1,)).start()\nprint(os.stat('same.txt').st_size, os.path.exists('nothing'))\n", "data.txt", false},
		"a link, beside a thread":          {"import os, threading, time\nthreading.Thread(target=time.sleep, args=(1,)).start()\nos.symlink('data.txt', '/workspace/l')\nprint(os.lstat('l').st_size, os.stat('/workspace/sub/../l').st_size)\n", "data.txt", true},
		"a descriptor, beside a thread":    {"import os, threading, time\nthreading.Thread(target=time.sleep, args=(1,)).start()\nd = os.open('.', os.O_RDONLY)\nprint(os.stat('data.txt', dir_fd=d).st_size, os.fstat(d).st_mode)\n", "data.txt", true},
		"an open path, beside a thread":    {"import os, threading, time\nthreading.Thread(target=time.sleep, args=(1,)).start()\nprint(os.fstat(os.open('data.txt', os.O_PATH)).st_size)\n", "data.txt", true},
		"a path that a thread exchanges":   {exchanges, "data.txt", true},
		"the memory of all":                {"print(open('/proc/meminfo').read())\n", "large.txt", true},
	} {
		programs = append(programs, looking{name, fmt.Sprintf("a%d.py", len(programs)), tt.program, tt.change, tt.again})
	}
	reusedUnless(t, programs, map[string]string{"mod.py": "x = 1\n"})
}

// looking is a program and what changes beside it.
type looking struct {
	name, path, program string
	change              string // the file that changes; "data.txt" becomes longer, "same.txt" does not
	again               bool
}

// reusedUnless scans all programs as one change, and then those for which a file matters once
// for each such file, changed: they run again, or do not.
func reusedUnless(t *testing.T, programs []looking, more map[string]string) {
	t.Helper()
	before := map[string]string{"data.txt": "data", "same.txt": "same one\n", "large.txt": "small\n", "sub/deep.txt": "deep one\n", "same.js": "// one\n"}
	maps.Copy(before, more)
	by := map[string][]looking{}
	var all []string
	for _, p := range programs {
		before[p.path] = p.program
		by[p.change] = append(by[p.change], p)
		all = append(all, p.path)
	}
	dir := filepath.Join(t.TempDir(), "cache")
	scanned(t, changeOf(files(before), all...), dir)
	for change, programs := range by {
		texts := maps.Clone(before)
		switch change {
		case "data.txt":
			texts[change] += ", and more of it"
		case "large.txt":
			texts[change] = strings.Repeat("x", 5000)
		case "mod.py":
			texts[change] = "x = 2\n"
		case "same.js":
			texts[change] = "// two\n"
		default:
			texts[change] = "ANOTHER!\n"
		}
		var targets []string
		for _, p := range programs {
			targets = append(targets, p.path)
		}
		out, _, _ := scanned(t, changeOf(files(texts), targets...), dir)
		for _, p := range programs {
			if x := out.Executions[p.path]; x == nil || x.Cached == p.again {
				t.Errorf("%s, after %s: %+v; %+v", p.name, change, x, explained(t, dir, p.path))
			}
		}
	}
}

// TestProgramsOfShellsAndNodeAreReusedAsWell: programs of other languages, and what
// changes beside them.
func TestProgramsOfShellsAndNodeAreReusedAsWell(t *testing.T) {
	t.Parallel()
	reusedUnless(t, []looking{
		{"a shell that does not look", "a0.sh", "#!/bin/sh\necho 1\n", "data.txt", false},
		{"a shell that reads", "a1.sh", "#!/bin/sh\nread x < same.txt\necho $x\n", "same.txt", true},
		{"a shell that reads another", "a2.sh", "#!/bin/sh\nread x < same.txt\necho $x\n", "data.txt", false},
		{"a shell that asks for a size", "a3.sh", "#!/bin/sh\n[ -s data.txt ] && echo there\n", "data.txt", true},
		{"a process of a shell reads", "a4.sh", "#!/bin/sh\ncat same.txt\n", "same.txt", true},
		{"a process of a shell, and size", "a5.sh", "#!/bin/sh\nstat -c %s data.txt\n", "data.txt", true},
		{"Node that reads", "a6.js", "console.log(require('fs').readFileSync('same.txt', 'utf8'))\n", "same.txt", true},
		{"Node that does not", "a7.js", "console.log(1)\n", "same.txt", false},
		{"Node, and another size", "b.js", "console.log(1)\n", "data.txt", false},
		{"Node that asks for a size", "a8.js", "console.log(require('fs').statSync('data.txt').size)\n", "data.txt", true},
		{"Node that asks later", "a9.js", "require('fs').stat('data.txt', (e, s) => console.log(s.size))\n", "data.txt", true},
		{"Node that imports", "a10.js", "require('./same.js')\n", "same.js", true},
	}, nil)
}

// TestServersAreReusedAsWell: servers, which also run without their waits, and what changes
// beside them.
func TestServersAreReusedAsWell(t *testing.T) {
	t.Parallel()
	server := func(answer, later string) string {
		return "import os, threading\nfrom http.server import BaseHTTPRequestHandler, HTTPServer\n\n\nclass H(BaseHTTPRequestHandler):\n    def do_GET(self):\n        self.send_response(200)\n        self.end_headers()\n        self.wfile.write(str(" + answer + ").encode())\n\n\n" + later + "HTTPServer(('127.0.0.1', 8080), H).serve_forever()\n"
	}
	inAnHour := func(what string) string {
		return "t = threading.Timer(3600, lambda: print(" + what + "))\nt.daemon = True\nt.start()\n"
	}
	reusedUnless(t, []looking{
		{"one that does not look", "a0.py", server("1", ""), "data.txt", false},
		{"one that reads when it is asked", "a1.py", server("open('same.txt').read()", ""), "same.txt", true},
		{"one that asks for a size when it is asked", "a2.py", server("os.stat('data.txt').st_size", ""), "data.txt", true},
		{"one that reads an hour later", "a3.py", server("1", inAnHour("open('same.txt').read()")), "same.txt", true},
		{"one that asks for a size an hour later", "a4.py", server("1", inAnHour("os.stat('data.txt').st_size")), "data.txt", true},
		{"one that does not look an hour later", "a5.py", server("1", inAnHour("1")), "data.txt", false},
		{"Node", "a6.js", "require('http').createServer((q, r) => r.end('1')).listen(8081)\n", "data.txt", false},
	}, nil)
}

// TestARunThatTossesACoinIsNotKept: a program that once does no harm is not known for it.
func TestARunThatTossesACoinIsNotKept(t *testing.T) {
	t.Parallel()
	programs := []struct {
		name, path, program string
		kept                bool
	}{
		{"Python, no coin", "a0.py", "print(1)\n", true},
		{"Python, a module", "a1.py", "import random\nprint(random.random() < 0.5)\n", false},
		{"Python, the kernel", "a2.py", "import os\nprint(os.urandom(1))\n", false},
		{"Python, a file", "a3.py", "print(open('/dev/urandom', 'rb').read(1))\n", false},
		{"Python, a moved folder", "a4.py", "import os\nos.rename('sub', 'other')\nprint(os.urandom(1))\n", false},
		{"Python, a module that is imported", "a9.py", "import random\nprint(random.__name__)\n", true},
		{"Python, the library imports it", "c0.py", "import http.server, tempfile\nprint(1)\n", true},
		{"Python, a seed of its own", "c1.py", "import random\nrandom.seed(7)\nprint(random.random(), random.choice('abc'))\n", true},
		{"Python, a function of the module", "c2.py", "from random import choice as c\nprint(c('abc'))\n", false},
		{"Python, the state of the module", "c3.py", "import random\nprint(hash(random.getstate()))\n", false},
		{"Python, a generator of its own", "c4.py", "import random\nprint(random.Random().random())\n", false},
		{"Python, a fork that tosses", "c5.py", "import os, random\nrandom.seed(7)\nif os.fork() == 0:\n    random.random()\n    os._exit(0)\nos.wait()\n", false},
		{"Python, a name", "c6.py", "import uuid\nprint(uuid.uuid4())\n", false},
		{"a shell, no coin", "a5.sh", "#!/bin/sh\necho 1\n", true},
		{"a shell", "a6.sh", "#!/bin/sh\nhead -c 1 /dev/urandom\n", false},
		{"Node, no coin", "a7.js", "console.log(1)\n", true},
		{"Node, a module", "a8.js", "console.log(require('crypto').randomBytes(1))\n", false},
		{"a process of Python", "b0.py", "import subprocess, sys\nopen('sub/x.txt').read()\nprint(subprocess.run([sys.executable, '-c', 'print(1)']).returncode)\n", true},
		{"a process of Python that tosses", "b1.py", "import subprocess, sys\nopen('sub/x.txt').read()\nprint(subprocess.run([sys.executable, '-c', 'import os; os.getrandom(24, os.GRND_NONBLOCK)']).returncode)\n", false},
		{"tests of Python", "one/test_one.py", "def test_one():\n    assert 1\n", true},
		{"tests of Python that toss", "two/test_two.py", "import os\n\ndef test_two():\n    assert os.urandom(1)\n", false},
		{"a process of Node", "b2.js", "require('fs').readFileSync('sub/x.txt');\nrequire('child_process').execFileSync(process.execPath, ['-e', '1']);\n", true},
		{"a process of Node that tosses", "b3.js", "require('fs').readFileSync('sub/x.txt');\nrequire('child_process').execFileSync(process.execPath, ['-e', 'require(\"crypto\").randomBytes(1)']);\n", false},
	}
	const settings = "[tool.pytest.ini_options]\npythonpath = [\".\"]\n"
	texts, paths := map[string]string{"sub/x.txt": "x", "one/pyproject.toml": settings, "two/pyproject.toml": settings}, []string{}
	for _, p := range programs {
		texts[p.path], paths = p.program, append(paths, p.path)
	}
	dir := filepath.Join(t.TempDir(), "cache")
	scanned(t, changeOf(files(texts), paths...), dir)
	for _, p := range programs {
		if r := explained(t, dir, p.path); (r.NotKept == "") != p.kept || !p.kept && r.NotKept != "it asked for random numbers" {
			t.Errorf("%s: %+v", p.name, r)
		}
	}
}

// TestAReusedRunEqualsAFreshOne edits, adds, removes, renames and links files at random,
// and changes their permissions; after each step a scan with the cache says what one
// without says.
func TestAReusedRunEqualsAFreshOne(t *testing.T) {
	t.Parallel()
	const seed = 15
	steps := testenv.Rounds(5, 8)
	r := rand.New(rand.NewPCG(seed, seed))
	texts := map[string]string{
		"one.py":   "import os\nprint(sorted(os.listdir('.')))\n",
		"two.py":   "import mod\nprint(mod.f())\n",
		"three.py": "import os\nfor n in ('d0.txt', 'd1.txt', 'gone.txt'):\n    if os.path.exists(n) and os.path.getsize(n) > 6:\n        print(n, open(n).read())\n    else:\n        print('no', n, os.access(n, os.X_OK))\n",
		"four.sh":  "#!/bin/sh\nread x < d2.txt\necho $x\n[ -s d1.txt ] && echo there\n",
		"five.js":  "const fs = require('fs');\nconsole.log(fs.existsSync('d0.txt') && fs.readFileSync('d0.txt', 'utf8'));\n",
		"six.py":   "import os, threading\nt = threading.Thread(target=lambda: print([os.path.getsize(n) for n in ('d0.txt', 'mod.py') if os.path.exists(n)]))\nt.start()\nt.join()\n",
		"seven.py": "from http.server import BaseHTTPRequestHandler, HTTPServer\n\n\nclass H(BaseHTTPRequestHandler):\n    def do_GET(self):\n        self.send_response(200)\n        self.end_headers()\n        self.wfile.write(open('d0.txt', 'rb').read())\n\n    def log_message(self, *_):\n        pass\n\n\nHTTPServer(('127.0.0.1', 8080), H).serve_forever()\n",
		"mod.py":   "def f():\n    return 7\n", "d0.txt": "data 0\n", "d1.txt": "data 1\n", "d2.txt": "data 2\n",
	}
	fsys := files(texts)
	targets := []string{"one.py", "two.py", "three.py", "four.sh", "five.js", "six.py", "seven.py"}
	dir := filepath.Join(t.TempDir(), "cache")
	reused := 0
	for step := range steps {
		said := "nothing"
		if step > 0 {
			said = randomEdit(r, fsys)
		}
		cached, found, took := scanned(t, changeOf(fsys, targets...), dir)
		fresh, want, _ := scanned(t, changeOf(fsys, targets...), "")
		t.Logf("%s: %s", said, took)
		for _, p := range targets {
			x, y := cached.Executions[p], fresh.Executions[p]
			if x.Cached {
				reused++
			}
			if diff := cmp.Diff(want.Of(p), found.Of(p), cmp.Transformer("timeless", func(f gate.Finding) gate.Finding { f.Evidence = timeless(f.Evidence); return f })); diff != "" {
				t.Errorf("%s, findings of %s: %s", said, p, diff)
			}
			if fmt.Sprint(x.Coverage) != fmt.Sprint(y.Coverage) || x.Status != y.Status || x.ExitCode != y.ExitCode || timeless(x.Reason) != timeless(y.Reason) || len(x.Units) != len(y.Units) {
				t.Errorf("%s, %s: %+v, fresh %+v", said, p, x, y)
				continue
			}
			for i, u := range x.Units {
				if u.Stdout.Text != y.Units[i].Stdout.Text {
					t.Errorf("%s, %s printed %q, fresh %q", said, p, u.Stdout.Text, y.Units[i].Stdout.Text)
				}
			}
		}
	}
	if reused < steps {
		t.Errorf("of %d runs %d were reused", steps*len(targets), reused)
	}
}

// timeless is a reason without how long something took.
func timeless(reason string) string { return took.ReplaceAllString(reason, "_") }

var took = regexp.MustCompile(`[0-9.]+m?s`)

// randomEdit changes one file, most often what is in it.
func randomEdit(r *rand.Rand, fsys fstest.MapFS) string {
	names := slices.Sorted(maps.Keys(fsys))
	name := names[r.IntN(len(names))]
	f := *fsys[name]
	what := r.IntN(10)
	if f.Mode&fs.ModeSymlink != 0 || slices.Contains([]string{".py", ".sh", ".js"}, filepath.Ext(name)) && what > 6 {
		what = 0
	}
	switch what {
	case 6: // its permissions
		f.Mode ^= 0o111
		fsys[name] = &f
		return "mode of " + name
	case 7:
		to := fmt.Sprintf("new%d.txt", r.IntN(100))
		delete(fsys, name)
		fsys[to] = &f
		return name + " is now " + to
	case 8:
		delete(fsys, name)
		return name + " is gone"
	case 9:
		to := []string{"gone.txt", "link.txt"}[r.IntN(2)]
		fsys[to] = &fstest.MapFile{Data: []byte(name), Mode: fs.ModeSymlink | 0o777}
		return to + " leads to " + name
	}
	if f.Mode&fs.ModeSymlink != 0 {
		delete(fsys, name)
		return name + " is gone"
	}
	comment := "#"
	if filepath.Ext(name) == ".js" {
		comment = "//"
	}
	f.Data = fmt.Appendf(slices.Clone(f.Data), "%s edit %d\n", comment, r.IntN(1000))
	fsys[name] = &f
	return name + " has one line more"
}

// TestOneEditedProgramOfTenRunsAgain is what a push costs that changes one file.
func TestOneEditedProgramOfTenRunsAgain(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for i := range 10 {
		texts[fmt.Sprintf("p%d.py", i)] = fmt.Sprintf("print(%d)\n", i)
	}
	dir := filepath.Join(t.TempDir(), "cache")
	_, _, cold := scanned(t, changeOf(files(texts)), dir)
	_, _, again := scanned(t, changeOf(files(texts)), dir)
	texts["p3.py"] += "print('more of it')\n"
	out, _, edited := scanned(t, changeOf(files(texts)), dir)
	t.Logf("cold %s, again %s, with one file edited %s", cold, again, edited)
	for p, x := range out.Executions {
		if x.Cached == (p == "p3.py") {
			t.Errorf("%s: cached %v", p, x.Cached)
		}
	}
}
