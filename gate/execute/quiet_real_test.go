package execute_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/testenv"
)

// benignPrograms are a hundred programs and more that do what programs do. Most are
// not ours: modules of Python's and Node's standard libraries and commands of the
// image, started as people start them.
func benignPrograms() map[string]string {
	out := map[string]string{}
	for _, m := range []string{ // imported
		"argparse", "ast", "asyncio", "bisect", "calendar", "cmath", "codecs", "collections", "configparser", "contextlib", "copy", "csv", "ctypes",
		"datetime", "dbm", "decimal", "difflib", "email.message", "fractions", "ftplib", "getpass", "gettext", "glob", "gzip", "hashlib", "heapq",
		"html.parser", "http.client", "imaplib", "logging.handlers", "lzma", "mailbox", "mimetypes", "multiprocessing", "pathlib", "pickle", "pwd",
		"secrets", "shelve", "smtplib", "socketserver", "sqlite3", "ssl", "statistics", "subprocess", "tarfile", "telnetlib", "urllib.request", "xml.dom.minidom", "zoneinfo",
	} {
		out[fmt.Sprintf("imports/with_%s.py", m)] = fmt.Sprintf("import %s\n\nprint(%[1]s.__name__, len(dir(%[1]s)) > 0)\n", m)
	}
	for _, m := range []string{ // started with a question for their options
		"ast", "base64", "calendar", "compileall", "cProfile", "dis", "doctest", "gzip", "http.server", "inspect", "json.tool", "pdb", "pickletools",
		"platform", "py_compile", "pydoc", "sysconfig", "tarfile", "timeit", "tokenize", "trace", "unittest", "venv", "zipapp", "zipfile",
	} {
		out[fmt.Sprintf("commands/ask_%s.py", m)] = fmt.Sprintf("import runpy\nimport sys\n\nsys.argv = ['%s', '--help']\nrunpy.run_module('%[1]s', run_name='__main__')\n", m)
	}
	for name, command := range map[string]string{
		"archive": "tar cf /tmp/a.tar *.sh && tar tf /tmp/a.tar", "awk": "printf '1 2\\n' | awk '{print $1+$2}'", "base64": "printf hello | base64 | base64 -d",
		"calendar": "date +%F", "copy": "cp \"$0\" /tmp/copy && cmp \"$0\" /tmp/copy", "count": "wc -l \"$0\"", "find": "find . -name '*.sh' -type f",
		"environment": "printf '%s\\n' \"${LANG:-none}\"", "files": "mkdir -p /tmp/a/b && touch /tmp/a/b/c && rm -r /tmp/a", "grep": "grep -c sh \"$0\"", "hash": "sha256sum \"$0\"",
		"identity": "id -u", "links": "ln -s /etc/hostname /tmp/name && readlink /tmp/name", "loops": "for i in 1 2 3; do echo $i; done", "sed": "sed -n 1p \"$0\"",
		"sort": "printf 'b\\na\\n' | sort -u", "temporary": "t=$(mktemp) && echo x >\"$t\" && rm \"$t\"", "tools": "command -v tar sed awk", "trap": "trap 'echo bye' EXIT",
		"uname": "uname -sm",
	} {
		out["shell/"+name+".sh"] = "#!/bin/sh\nset -eu\n" + command + "\n"
	}
	for _, m := range []string{
		"assert", "buffer", "child_process", "crypto", "dns", "events", "fs", "http", "https", "net", "os", "path", "readline", "stream", "url", "util", "worker_threads", "zlib",
	} {
		out[fmt.Sprintf("node/%s.js", m)] = fmt.Sprintf("const m = require('node:%s');\nconsole.log(Object.keys(m).length > 0);\n", m)
	}
	return out
}

func TestAHundredBenignProgramsAreQuiet(t *testing.T) {
	t.Parallel()
	if n := len(benignPrograms()); n < 100 {
		t.Fatalf("%d programs", n)
	}
	t.Run("runc", func(t *testing.T) {
		t.Parallel()
		areQuiet(t, "runc", benignPrograms())
	})
	// On gVisor each takes seconds: every fifth here, all by make test-nightly.
	t.Run("runsc", func(t *testing.T) {
		t.Parallel()
		programs := benignPrograms()
		if !testenv.Thorough() {
			for i, path := range slices.Sorted(maps.Keys(programs)) {
				if i%5 != 0 {
					delete(programs, path)
				}
			}
		}
		areQuiet(t, "runsc", programs)
	})
}

// areQuiet runs programs as a pull request has them: all of them new, one change,
// one pool.
func areQuiet(t *testing.T, runtime string, programs map[string]string) {
	t.Helper()
	s := sharedStage(t, runtime, 0)
	out, found := executions(t, s, changeOf(files(programs)))
	for path := range programs {
		for _, f := range found.Of(path) {
			if f.Severity != gate.SeverityNote {
				t.Errorf("%s: %s %s: %s", path, f.Rule, f.Severity, f.Evidence)
			}
		}
		if e := out.Executions[path]; e.Status != exited || e.ExitCode > 2 {
			t.Errorf("%s: %s %d, %q: %q", path, e.Status, e.ExitCode, e.Reason, e.Units[0].Stderr.Text)
		}
	}
	for _, c := range out.Derived {
		t.Errorf("code that appeared: %s: %.200q", c.Target.Path, c.Content)
	}
	for _, g := range out.Incomplete {
		t.Errorf("%s: %s", g.Path, g.Reason)
	}
}
