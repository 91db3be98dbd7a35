package execute_test

import (
	"context"
	"encoding/base64"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/images"
)

// goldenTree has a file for each way in which a file is run.
var goldenTree = map[string]string{
	"go.mod": "module example.com/m\n\ngo 1.21\n", "cmd/run/main.go": "package main\n\nimport (\n\t\"os\"\n\t\"time\"\n)\n\nfunc main() {\n\tif time.Now().Year() > 2029 || os.Getenv(\"CI\") != \"\" {\n\t\tos.Exit(len(os.Args))\n\t}\n}\n",
	"lib/lib.go": "package lib\n", "tested/t.go": "package tested\n", "tested/t_test.go": "package tested\n",
	"asks.py":  "import argparse, datetime, os\nif datetime.datetime.now().year > 2029 and os.environ.get('CI'):\n    print(1)\nargparse.ArgumentParser().parse_args()\n",
	"lacks.py": "import not_there\nimport neither\nprint(1)\n", "module.py": "import os, socket\nif os.environ.get('CI') or socket.gethostname() == 'x':\n    X = 1\ndef f():\n    return 1\n",
	"my-tools/loaded.py": "X = 1\nY = 2\n", "pkg/__init__.py": "X = 1\nY = 2\n", "pkg/tool.py": "if __name__ == '__main__':\n    print(1)\n",
	"test_unit.py": "import unittest\nclass T(unittest.TestCase): pass\n", "test_pytest.py": "import pytest\ndef test_x(): pass\n",
	"site.pth": "import os; print(1)\n", "setup.py": "from setuptools import setup\nsetup()\n",
	"package.json":  `{"name": "root", "workspaces": ["packages/*"], "scripts": {"install": "node -e 1"}}`,
	"app.js":        "import { one, two } from 'not-there';\nif (new Date().getFullYear() > 2029 && process.argv.length > 2) console.log(one, two);\n",
	"module.ts":     "export const isCI = (): boolean => { if (process.env.CI) return true; return false; };\n",
	"plain.test.js": "", "packages/a/package.json": `{"name": "a", "scripts": {"pretest": "true", "test": "jest"}}`, "packages/a/a.test.js": "",
	"date.sh": "#!/bin/bash\nif [[ $(date +%Y) -gt 2029 || -n \"$CI\" ]]; then echo \"$1\"; fi\n", "plain.sh": "#!/bin/sh\nif [ \"$(date +%Y)\" -gt 2029 ]; then id; fi\n",
	"traced.sh": "#!/bin/bash\nset -x\nif [ -n \"$CI\" ]; then id; fi\n",
	"Makefile":  "all:\n\techo 1\n", "Dockerfile": "FROM x\nRUN echo one\nRUN [\"echo\", \"two\"]\n",
	"module.wasm":   "\x00asm\x01\x00\x00\x00",
	"policy/run.py": "import datetime\nif datetime.datetime.now().year > 2029: print(1)\n", "policy/run.js": "if (new Date().getFullYear() > 2029) console.log(require('not-there'));\n",
	"serves.py":     "@app.route('/users/<int:id>', methods=['POST'])\ndef user(id): pass\napp.run()\n",
	"policy/run.sh": "if [ $(date +%Y) -gt 2029 ]; then id; fi\n",
}

// goldenAnswer fails as programs do that lack arguments or modules, and shows how
// the program was started as a recorder does.
func goldenAnswer(s sandbox.Spec) (sandbox.Result, error) {
	res := sandbox.Result{Status: sandbox.Exited, Behaviour: sandbox.Behaviour{Recorder: "fake"}}
	started := [][]string{s.Argv}
	if len(s.Argv) > 4 && s.Argv[1] == "-c" && (strings.Contains(s.Argv[2], "/dev/shm/.gate-coverage")) {
		started = append(started, []string{"mkdir", "-p", "/dev/shm/.gate-coverage"}, s.Argv[4:])
	}
	if len(s.Argv) > 7 && strings.Contains(s.Argv[2], "GATE_TESTS_BEGIN") {
		started = append(started, []string{"date", "+%s%3N"}, s.Argv[4:], s.Argv[7:])
	}
	for _, argv := range started {
		cut := make([]string, 0, len(argv))
		for i, a := range argv {
			cut = append(cut, a[:min(len(a), 512)])
			if i > 0 && (argv[i-1] == "-c" || argv[i-1] == "-e") {
				res.Behaviour.Captures = append(res.Behaviour.Captures, sandbox.Capture{Path: argv[0], How: sandbox.PassedAsArgument, Data: []byte(a)})
			}
		}
		res.Behaviour.Events = append(res.Behaviour.Events, event(sandbox.ActionExec, argv[0], cut...))
	}
	all := strings.Join(slices.Concat(s.Argv, s.Env), "\n")
	switch {
	case strings.Contains(all, `"target":"asks.py"`) && !slices.Contains(s.Argv, "--help"):
		res.ExitCode, res.Stderr.Data = 2, []byte("usage: asks.py\n")
	case strings.Contains(all, `"target":"lacks.py"`) && !strings.Contains(all, `"stand_ins":["not_there","neither"]`):
		res.ExitCode, res.Stderr.Data = 1, []byte("ModuleNotFoundError: No module named 'not_there'\n")
		if strings.Contains(all, `"stand_ins":["not_there"]`) {
			res.Stderr.Data = []byte("ModuleNotFoundError: No module named 'neither'\n")
		}
	case (slices.Contains(s.Argv, "./app.js") || slices.Contains(s.Argv, "node policy/run.js")) && strings.Count(all, "--import=data:") < 3 && !strings.Contains(all, "PATH=x"):
		res.ExitCode, res.Stderr.Data = 1, []byte("Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'not-there' imported from /workspace/app.js\n")
	}
	return res, nil
}

// goldenWords replaces what is random, and the code that starts programs, by names.
// What is long besides is shown once.
type goldenWords struct {
	t     *testing.T
	codes []string // pairs of a text and its name
	long  []string
}

func newGoldenWords(t *testing.T) *goldenWords {
	w := &goldenWords{t: t}
	names, err := filepath.Glob("job/bootstrap/*")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, part := range regexp.MustCompile(`\b(?:LATER|NAMES|PLAIN|OURS)\b`).Split(strings.Replace(string(data), "NAMES is what", "Names is what", 1), -1) {
			part = strings.Replace(part, "Names is what", "NAMES is what", 1)
			if len(part) > 40 {
				w.codes = append(w.codes, part, fmt.Sprintf("<%s %d>", filepath.Base(name), i))
			}
		}
	}
	return w
}

var dataURL = regexp.MustCompile(`(data:text/javascript;base64,)([A-Za-z0-9+/=]+)`)

func (w *goldenWords) plain(text string) string {
	text = dataURL.ReplaceAllStringFunc(text, func(url string) string {
		m := dataURL.FindStringSubmatch(url)
		code, err := base64.StdEncoding.DecodeString(m[2])
		if err != nil {
			w.t.Fatal(err)
		}
		return m[1] + string(code)
	})
	text = strings.NewReplacer(w.codes...).Replace(text)
	if len(text) <= 300 {
		return fmt.Sprintf("%q", text)
	}
	i := slices.Index(w.long, text)
	if i < 0 {
		i, w.long = len(w.long), append(w.long, text)
	}
	return fmt.Sprintf("<text %d>", i)
}

func (w *goldenWords) spec(s sandbox.Spec, input map[string]string) string {
	var b strings.Builder
	list := func(name string, texts []string) {
		if len(texts) > 0 {
			fmt.Fprintf(&b, "%s:\n", name)
		}
		for _, x := range texts {
			fmt.Fprintf(&b, "\t%s\n", w.plain(x))
		}
	}
	fmt.Fprintf(&b, "image %s runtime %q dir %q limits %+v exceptions %+v\n", s.Image, s.Runtime, s.Dir, s.Limits, s.Exceptions)
	list("argv", s.Argv)
	var own []string
	for _, e := range s.Env {
		switch planted := slices.ContainsFunc(s.Observe.Canaries, func(c sandbox.Canary) bool { return strings.Contains(e, c.Value) }); {
		case !planted:
			own = append(own, e)
		case len(own) == 0 || own[len(own)-1] != "<canaries>":
			own = append(own, "<canaries>")
		}
	}
	list("env", own)
	list("output", s.Output)
	if s.Ask != nil {
		fmt.Fprintf(&b, "asked: %v\n", s.Ask.Questions)
	}
	var files []string
	for _, f := range slices.Sorted(maps.Keys(input)) {
		if _, ok := goldenTree[f]; !ok {
			files = append(files, f+": "+input[f])
		}
	}
	list("added files", files)
	return b.String()
}

// TestSpecs holds what a container is started with, for every kind of unit under
// every setting.
func TestSpecs(t *testing.T) {
	lockFiles := map[string]string{"requirements.txt": "flask==3.0.0\n", "package.json": "{}", "package-lock.json": `{"packages": {}}`}
	for _, tt := range []struct {
		name  string
		with  func(*execute.Options)
		locks bool
		ends  []string // of the names of the targets; none for all
	}{
		{"the defaults", nil, false, nil},
		{"all conditions", func(o *execute.Options) { o.Policy.Conditions = 6 }, false, []string{"py", "wasm", ".sh", ".js", "main.go"}},
		{"restricted Python", func(o *execute.Options) {
			o.Policy.Python, o.Imports.Allow, o.Policy.Conditions = "restricted", []string{"os", "json"}, 1
		}, false, []string{"py", "pth"}},
		{"Go as WebAssembly", func(o *execute.Options) { o.Policy.Go = "wasip1" }, false, []string{"go", "wasm"}},
		{"programs that are run for their files", func(o *execute.Options) {
			o.Policy.Conditions = 0
			o.Exchange = &execute.Exchange{Out: "out", Bytes: 1 << 20, Take: func(string, []sandbox.File, []sandbox.Refusal) []gate.Derived { return nil }}
		}, false, nil},
		{"the dependencies of the base", func(o *execute.Options) { o.Policy.Python = "restricted" }, true, []string{"py", "js"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newGoldenWords(t)
			r := &library{fakeRunner: fakeRunner{answer: goldenAnswer}}
			tree := maps.Clone(goldenTree)
			c := changeOf(files(tree))
			c.Targets = slices.DeleteFunc(c.Targets, func(x *gate.Target) bool {
				return len(tt.ends) > 0 && !slices.ContainsFunc(tt.ends, func(e string) bool { return strings.HasSuffix(x.Path, e) })
			})
			if tt.locks {
				python, node := lockOf(t, lockFiles, "python"), lockOf(t, lockFiles, "node")
				r.labels = map[string]map[string]string{
					images.DependencyRef("python", python.Digest): labelsOf(python, `[{"dir": "", "at": "/opt/aigate/deps/0"}]`),
					images.DependencyRef("node", node.Digest):     labelsOf(node, `[{"dir": "", "at": "/opt/aigate/deps/1", "modules": ["node_modules"]}]`),
				}
				base := fstest.MapFS{}
				maps.Copy(base, files(lockFiles))
				c.Base = base
			}
			s := goldenStage(t, r, tt.with)
			out, _ := executions(t, s, c)
			var b strings.Builder
			for _, spec := range r.baselines {
				b.WriteString("== empty program\n" + w.spec(spec, nil))
			}
			for i, spec := range r.specs {
				b.WriteString("== program\n" + w.spec(spec, r.inputs[i]))
			}
			for _, path := range slices.Sorted(maps.Keys(out.Executions)) {
				e := out.Executions[path]
				fmt.Fprintf(&b, "== result of %s: %s, %q, stand-ins %q, lines: %s\n", path, e.Status, e.Reason, e.StandIns, told(e))
				for _, u := range e.Units {
					fmt.Fprintf(&b, "%s: %s, %q\n", u.Kind, w.plain(strings.Join(u.Command, " ")), u.Reason)
				}
				for _, x := range e.Behaviour {
					fmt.Fprintf(&b, "did %s %s\n", x.Kind, w.plain(x.Detail))
				}
			}
			for _, child := range out.Derived {
				fmt.Fprintf(&b, "== code that appeared: %s\n%s\n", child.Target.Path, w.plain(string(child.Content)))
			}
			for _, g := range out.Incomplete {
				fmt.Fprintf(&b, "== gap: %s %s\n", g.Path, g.Reason)
			}
			for i, text := range w.long {
				fmt.Fprintf(&b, "== text %d\n%s\n", i, text)
			}
			golden(t, filepath.Join("testdata", "specs", strings.ReplaceAll(tt.name, " ", "-")+".golden"), b.String())
		})
	}
}

func goldenStage(t *testing.T, r *library, with func(*execute.Options)) *execute.Stage {
	t.Helper()
	o := options(func(context.Context) (execute.Runner, error) { return r, nil })
	o.Parallel = 1
	o.Policy.Run = map[string]string{"policy/*": "node policy/run.js"}
	if with != nil {
		with(&o)
	}
	s, err := execute.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// golden compares a text with a file, or writes it there under -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
