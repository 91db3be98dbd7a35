package plan

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
)

// describe says in a line or more what happens to every target of a tree:
//
//	kind image dir: command → targets
//	path: not run, reason
//
// A name that begins with * is a file that is there and not part of the change.
func describe(t *testing.T, files map[string]string, commands map[string]string) string {
	t.Helper()
	head := fstest.MapFS{}
	c := &gate.Change{Head: head}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		p, other := strings.CutPrefix(name, "*")
		mode := fs.FileMode(0o644)
		if q, ok := strings.CutSuffix(p, "!x"); ok {
			p, mode = q, 0o755
		}
		head[p] = &fstest.MapFile{Data: []byte(files[name]), Mode: mode}
		c.Files = append(c.Files, p)
		if !other {
			lang, role := change.Classify(p, mode, []byte(files[name]))
			c.Targets = append(c.Targets, &gate.Target{Path: p, Language: lang, Role: role, Kind: gate.ChangeAdded, Mode: mode})
		}
	}
	slices.Sort(c.Files)
	pl := Make(workspace.Load(c, nil, workspace.Limits{Bytes: 4 << 20, Files: 100}), c.Targets, commands, nil)
	var lines []string
	for _, u := range pl.Units {
		argv := slices.Clone(u.Job.Line().Argv)
		switch p := u.Job.Program.(type) {
		case job.Node:
			if p.Import != "" {
				argv[3] = "<import>"
			}
		case job.Python:
			argv = append([]string{"python"}, argv[6:]...)
		case job.Lines:
			argv[2] = "<each line>"
		}
		line := fmt.Sprintf("%s %s %s: %s → %s", u.Kind, u.Job.Image, path.Clean("/"+u.Dir), strings.Join(argv, " "), strings.Join(u.Targets, " "))
		if u.Help {
			line += " (or --help)"
		}
		for _, f := range u.Extra {
			line += " +" + f.Path
		}
		lines = append(lines, line)
	}
	for _, p := range slices.Sorted(maps.Keys(pl.Reasons)) {
		lines = append(lines, p+": not run, "+pl.Reasons[p].Reason)
	}
	return strings.Join(lines, "\n")
}

func TestPlan(t *testing.T) {
	const tc = "import unittest\nclass T(unittest.TestCase): pass\n"
	for _, tt := range []struct {
		name     string
		files    map[string]string
		commands map[string]string
		want     string
	}{
		{"a guarded file is a program", map[string]string{"a.py": "def f(): pass\nif __name__ == '__main__':\n    f()\n"}, nil,
			`script python /: python {"mode":"file","roots":[""],"target":"a.py"} → a.py`},
		{"a file that only defines is imported by its name", map[string]string{"pkg/__init__.py": "", "pkg/a.py": "X = 1\n"}, nil,
			`module python /: python {"mode":"import","roots":[""],"last":["pkg"],"target":"pkg"} → pkg/__init__.py
module python /: python {"mode":"import","roots":[""],"last":["pkg"],"target":"pkg.a"} → pkg/a.py`},
		{"code in the first line", map[string]string{"a.py": "#!/usr/bin/env -S python3 -c \"import os\"\nprint(1)\n"}, nil,
			`script python /: python {"mode":"file","roots":[""],"target":"a.py"} → a.py
script python /: /usr/bin/env -S python3 -c "import os" ./a.py → a.py`},
		{"a first line that names a tool", map[string]string{"x": "#! /usr/bin/awk -f\nBEGIN { print 1 }\n", "y": "#!/usr/bin/tclsh\n"}, nil,
			`script shell /: /usr/bin/awk -f ./x → x
y: not run, the image has no tclsh`},
		{"data that an install script runs", map[string]string{"package.json": `{"scripts": {"postinstall": "node ./lib/x.dat"}}`, "lib/x.dat": "1"}, nil,
			"hook javascript /: sh -c ( node ./lib/x.dat\n) → package.json lib/x.dat"},
		{"calls at the top level make a program", map[string]string{"a.py": "print(1)\n"}, nil,
			`script python /: python {"mode":"file","roots":[""],"target":"a.py"} → a.py`},
		{"the executable bit makes a program", map[string]string{"a.py!x": "X = 1\n"}, nil,
			`script python /: python {"mode":"file","roots":[""],"target":"a.py"} → a.py`},
		{"a program that reads its command line is asked for help", map[string]string{"a.py": "import argparse\nargparse.ArgumentParser().parse_args()\nprint()\n"}, nil,
			`script python /: python {"mode":"file","roots":[""],"target":"a.py"} → a.py (or --help)`},
		{"names begin in a src folder", map[string]string{"*pyproject.toml": "", "src/lib/__init__.py": "", "src/lib/a.py": "X=1"}, nil,
			`module python /: python {"mode":"import","roots":["src",""],"last":["src/lib"],"target":"lib"} → src/lib/__init__.py
module python /: python {"mode":"import","roots":["src",""],"last":["src/lib"],"target":"lib.a"} → src/lib/a.py`},
		{"a folder that cannot be a name is loaded by path", map[string]string{"my-tools/a.py": "X = 1"}, nil,
			`module python /: python {"mode":"load","roots":[""],"last":["my-tools"],"target":"my-tools/a.py"} → my-tools/a.py`},
		{"a test goes to pytest, and brings the file that it names", map[string]string{"calc.py": "X=1", "test_calc.py": "import pytest\ndef test_x(): pass"}, nil,
			`module python /: python {"mode":"import","roots":[""],"target":"calc"} → calc.py
tests python /: python {"mode":"main","roots":[""],"target":"pytest"} -q --color=no -p no:cacheprovider -o addopts= test_calc.py → calc.py test_calc.py`},
		{"a changed file brings the test that carries its name", map[string]string{"calc.py": "X=1", "*tests/test_calc.py": "def test_x(): pass"}, nil,
			`module python /: python {"mode":"import","roots":[""],"target":"calc"} → calc.py
tests python /: python {"mode":"main","roots":[""],"target":"pytest"} -q --color=no -p no:cacheprovider -o addopts= tests/test_calc.py → calc.py`},
		{"unittest where nothing speaks for pytest", map[string]string{"test_a.py": tc}, nil,
			`tests python /: python {"mode":"main","roots":[""],"target":"unittest"} -v test_a.py → test_a.py`},
		{"pytest where the project configures it", map[string]string{"test_a.py": tc, "*pytest.ini": "[pytest]"}, nil,
			`tests python /: python {"mode":"main","roots":[""],"target":"pytest"} -q --color=no -p no:cacheprovider -o addopts= test_a.py → test_a.py`},
		{"setup.py runs as an installer would", map[string]string{"setup.py": "import setuptools\nsetuptools.setup()"}, nil,
			`hook python /: python {"mode":"file","roots":[""],"target":"setup.py"} --quiet egg_info --egg-base /tmp → setup.py`},
		{"commands of a setup.py run as well", map[string]string{"a/setup.py": "import setuptools\nsetuptools.setup(cmdclass={'build_py': X})"}, nil,
			"hook python /a: python {\"mode\":\"file\",\"roots\":[\"a\",\"\"],\"target\":\"a/setup.py\"} --quiet egg_info --egg-base /tmp → a/setup.py\nhook python /a: python {\"mode\":\"file\",\"roots\":[\"a\",\"\"],\"target\":\"a/gate_setup.py\"} → a/setup.py +a/gate_setup.py"},
		{"a build back end in the tree runs once for its settings and its modules", map[string]string{"pyproject.toml": "[build-system]\nbuild-backend = 'make:api'\nbackend-path = ['build', '../other']\n", "build/make.py": "api = 1"}, nil,
			"module python /: python {\"mode\":\"import\",\"roots\":[\"\"],\"last\":[\"build\"],\"target\":\"build.make\"} → build/make.py\n" +
				`hook python /: python {"mode":"file","roots":["build"],"target":"gate_backend.py"} → pyproject.toml build/make.py +gate_backend.py`},
		{"a build back end beside its settings is its module only", map[string]string{"*pyproject.toml": "[build-system]\nbuild-backend = 'make'\nbackend-path = ['.']\n", "make.py": "x = 1", "a.py": "x = 1"}, nil,
			"module python /: python {\"mode\":\"import\",\"roots\":[\"\"],\"target\":\"a\"} → a.py\nmodule python /: python {\"mode\":\"import\",\"roots\":[\"\"],\"target\":\"make\"} → make.py\n" +
				`hook python /: python {"mode":"file","roots":[""],"target":"gate_backend.py"} → make.py +gate_backend.py`},
		{"a build back end that is installed does not run", map[string]string{"pyproject.toml": "[build-system]\nbuild-backend = 'hatchling.build'\n", "a.py": "x = 1"}, nil,
			`module python /: python {"mode":"import","roots":[""],"target":"a"} → a.py
pyproject.toml: not run, nothing to execute in TOML`},
		{"the lines of a .pth file that Python executes", map[string]string{"a.pth": "/some/where\nimport os; os.getpid()\n"}, nil,
			`hook python /: python3 -I -B -c import os; os.getpid() → a.pth`},

		{"a file without exports is a program", map[string]string{"a.js": "console.log(1)"}, nil, `script javascript /: node ./a.js → a.js`},
		{"a file with exports is imported", map[string]string{"a b.ts": "export const a = 1"}, nil,
			`module javascript /: node --input-type=module -e <import> file:///workspace/a%20b.ts → a b.ts`},
		{"what a package offers as a command is a program", map[string]string{"bin/a.js": "module.exports = 1", "*package.json": `{"bin": {"a": "./bin/a.js"}}`}, nil,
			`script javascript /: node ./bin/a.js → bin/a.js`},
		{"npm test with what goes before and behind", map[string]string{"p/a.test.js": "", "*p/package.json": `{"scripts": {"pretest": "one", "test": "two", "posttest": "three"}}`}, nil,
			"tests javascript /p: sh -c ( one\n) && ( two\n) && ( three\n) → p/a.test.js"},
		{"the runner that the test script comes to, with the nearest tests only", map[string]string{"p/src/a.ts": "export const a = 1", "*p/src/a.test.ts": "", "*p/src/other.test.ts": "", "*p/package.json": `{"scripts": {"test": "npm run lint && pnpm unit", "lint": "eslint .", "unit": "cross-env CI=1 vitest run --coverage --config v.ts"}}`}, nil,
			"module javascript /: node --input-type=module -e <import> file:///workspace/p/src/a.ts → p/src/a.ts\ntests javascript /p: sh -c 'vitest' 'run' '--config' 'v.ts' '--pool=threads' '--typecheck.enabled=false' '--coverage.enabled=false' \"$@\" sh src/a.test.ts → p/src/a.ts"},
		{"a workspace's runner, where its own package comes to the same", map[string]string{"p/a.test.ts": "", "*p/package.json": `{"scripts": {"test": "pnpm vitest run"}}`, "*package.json": `{"scripts": {"test": "vitest run"}}`}, nil,
			"tests javascript /: sh -c 'vitest' 'run' '--pool=threads' '--typecheck.enabled=false' '--coverage.enabled=false' \"$@\" sh p/a.test.ts → p/a.test.ts"},
		{"the runner of the package around, where a package has none", map[string]string{"p/a.test.js": "", "*p/package.json": `{}`, "*package.json": `{"scripts": {"test": "mocha"}}`}, nil,
			"tests javascript /: sh -c 'mocha' \"$@\" sh p/a.test.js → p/a.test.js"},
		{"the runner that the tests import, where no script tells", map[string]string{"a.test.js": "import { test } from '@jest/globals'\n", "*package.json": `{}`}, nil,
			"tests javascript /: sh -c 'jest' '--runTestsByPath' \"$@\" sh a.test.js → a.test.js"},
		{"files that only the runner's arguments call tests", map[string]string{"test/unit/http.js": "", "*package.json": `{"scripts": {"test": "mocha 'test/unit/**/*.js' --exit"}}`}, nil,
			`tests javascript /: sh -c 'mocha' '--exit' "$@" sh test/unit/http.js → test/unit/http.js`},
		{"a change of the test script runs the whole of it as well", map[string]string{"a.test.js": "", "package.json": `{"scripts": {"test": "jest && node evil.js"}}`}, nil,
			"tests javascript /: sh -c 'jest' '--runTestsByPath' \"$@\" sh a.test.js → a.test.js\ntests javascript /: sh -c ( jest && node evil.js\n) → package.json"},
		{"node's runner where the package has no tests of its own", map[string]string{"a.test.js": "", "-b.test.js": "", "*package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`}, nil,
			`tests javascript /: node --test ./-b.test.js a.test.js → -b.test.js a.test.js`},
		{"install hooks run in order, and only those", map[string]string{"package.json": `{"scripts": {"postinstall": "b", "preinstall": "a", "start": "c"}}`}, nil,
			"hook javascript /: sh -c ( a\n) && ( b\n) → package.json"},
		{"a manifest without hooks", map[string]string{"package.json": `{"scripts": {"start": "c"}}`}, nil,
			`package.json: not run, it has no scripts that an installer runs`},

		{"a command is built and run from its module", map[string]string{"*m/go.mod": "module m", "m/cmd/x/main.go": "package main\nfunc main() {}"}, nil,
			`script go /m: sh -c go build -o /tmp/program "$0" || exit 125; exec /tmp/program "$@" ./cmd/x → m/cmd/x/main.go`},
		{"the files of a command are one unit", map[string]string{"*go.mod": "module m", "a.go": "package main\nfunc main() {}", "b.go": "package main"}, nil,
			`script go /: sh -c go build -o /tmp/program "$0" || exit 125; exec /tmp/program "$@" . → a.go b.go`},
		{"packages with tests each in a run of its own, those without in one", map[string]string{"*go.mod": "module m", "a/a.go": "package a", "*a/a_test.go": "package a", "b/b_test.go": "package b_test", "c/c.go": "package c"}, nil,
			`tests go /: go test -timeout=0 -count=1 -vet=off -v ./a → a/a.go +a/gate_budget_test.go
tests go /: go test -timeout=0 -count=1 -vet=off -v ./b → b/b_test.go +b/gate_budget_test.go
module go /: go test -timeout=0 -count=1 -vet=off -v ./c → c/c.go +c/gate_imports_test.go`},
		{"a folder without a module gets one", map[string]string{"x/a.go": "package x"}, nil,
			`module go /: go test -timeout=0 -count=1 -vet=off -v ./x → x/a.go +go.mod +x/gate_imports_test.go`},
		{"a tool that is no part of the build is started by name", map[string]string{"*go.mod": "module m", "gen.go": "//go:build ignore\n\npackage main\nfunc main() {}"}, nil,
			`script go /: sh -c go build -o /tmp/program "$0" || exit 125; exec /tmp/program "$@" ./gen.go → gen.go`},
		{"what the go command cannot or does not build", map[string]string{"*go.mod": "module m", "a.go": "package", "b_windows.go": "package m", "testdata/c.go": "package c", "d.go": "package m\nimport \"C\""}, nil,
			`a.go: not run, it is not Go that can be parsed
b_windows.go: not run, its build constraints exclude Linux
d.go: not run, it needs cgo, and the image has no C compiler
testdata/c.go: not run, the go command ignores its folder`},

		{"shells by first line and extension", map[string]string{"a.sh": "#!/bin/sh", "b": "#!/usr/bin/env bash", "c.sh": "", "d.sh": "#!/bin/zsh", "e.fish": ""}, nil,
			`script shell /: sh a.sh → a.sh
script shell /: bash b → b
script shell /: bash c.sh → c.sh
d.sh: not run, the image has no zsh
e.fish: not run, the image has no fish`},
		{"a name that looks like a flag is a path", map[string]string{"-c": "#!/bin/sh\necho $1", "-m.py": "print(1)"}, nil,
			`script shell /: sh ./-c → -c (or --help)
script python /: python {"mode":"file","roots":[""],"target":"-m.py"} → -m.py`},
		{"doctests run where pytest is to collect them", map[string]string{"a.py": "def f():\n    \"\"\"\n    >>> f()\n    \"\"\"\n", "pytest.ini": "[pytest]\naddopts = --doctest-modules\n"}, nil,
			"module python /: python {\"mode\":\"import\",\"roots\":[\"\"],\"target\":\"a\"} → a.py\ntests python /: python {\"mode\":\"main\",\"roots\":[\"\"],\"target\":\"pytest\"} -q --color=no -p no:cacheprovider -o addopts= --doctest-modules a.py → a.py\npytest.ini: not run, nothing to execute in INI"},
		{"make runs the default goal", map[string]string{"sub/Makefile": "all:"}, nil, `hook shell /sub: make -f Makefile → sub/Makefile`},
		{"RUN lines of a Dockerfile", map[string]string{"Dockerfile": "FROM x\nRUN --mount=type=cache,target=/c a \\\n  # comment\n  b\nrun [\"c d\", \"it's\"]\nRUN <<E\none\nE\nCOPY a b\n"}, nil,
			"hook shell /: sh -c <each line> RUN a   b 'c d' 'it'\\''s' sh <<E\none\nE → Dockerfile"},
		{"a Dockerfile without RUN", map[string]string{"Dockerfile": "FROM x\n"}, nil, `Dockerfile: not run, it has no RUN line`},

		{"a command of the policy stands for the usual way", map[string]string{"api/a.py": "", "api/b.py": "", "c.py": "X=1"},
			map[string]string{"api/**": "pytest -q api", "**": "true", "*.py": "also"},
			`policy python /: sh -c also → c.py
policy python /: sh -c pytest -q api → api/a.py api/b.py`},

		{"documents and data have nothing to execute", map[string]string{"a.md": "# a", "b.yaml": "a: 1", "c.json": "{}", "d.bin": "\x00"}, nil,
			`a.md: not run, nothing to execute in Markdown
b.yaml: not run, nothing to execute in YAML
c.json: not run, nothing to execute in JSON
d.bin: not run, nothing to execute in a binary file`},
		{"programs that there is no way to run", map[string]string{"a.rb": "puts 1", "b.ipynb": "{}"}, nil,
			`a.rb: not run, there is no way to run Ruby yet; sandbox.run in the policy can name a command
b.ipynb: not run, there is no way to run a notebook yet; sandbox.run in the policy can name a command`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, describe(t, tt.files, tt.commands)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestManyTestFilesAreSeveralRuns(t *testing.T) {
	files := map[string]string{}
	for i := range maxTestFiles + 3 {
		files[fmt.Sprintf("test_%02d.py", i)] = "def test_x(): pass"
	}
	got := describe(t, files, nil)
	if n := strings.Count(got, "tests python"); n != 2 {
		t.Errorf("%d runs of tests, want 2:\n%s", n, got)
	}
}

func TestAFileThatIsTooLargeToPlanIsLost(t *testing.T) {
	got := describe(t, map[string]string{"package.json": "{" + strings.Repeat(" ", workspace.MaxSource) + `"scripts": {"install": "x"}}`}, nil)
	if !strings.Contains(got, "package.json: not run, it is larger") {
		t.Error(got)
	}
}

// FuzzPlan puts any text under any name: every target is in a unit or has a
// reason, and every unit has a program.
func FuzzPlan(f *testing.F) {
	for _, name := range []string{"a.py", "test_a.py", "a.ts", "a.test.js", "package.json", "m.go", "x/m_test.go", "a.sh", "Dockerfile", "Makefile", "a.pth", "setup.py"} {
		for _, text := range []string{
			"", "#!", "#!/usr/bin/env -S A=b python3 -u\n", "package main\nfunc main() {}", `{"bin": {"a": 1}, "scripts": {"test": "x", "install": "\u0000"}}`,
			"RUN a \\\n# c\nRUN <<E\n", "run [\"a\"]\nRUN --x y", "import os; x\n", "def test_x(): pass", "//go:build !linux\n\npackage x",
		} {
			f.Add(name, text)
		}
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		if !fs.ValidPath(name) || name == "." || strings.HasPrefix(name, "*") {
			return
		}
		lang, role := change.Classify(name, 0o644, []byte(text))
		target := &gate.Target{Path: name, Language: lang, Role: role, Kind: gate.ChangeAdded}
		c := &gate.Change{Head: fstest.MapFS{name: &fstest.MapFile{Data: []byte(text), Mode: 0o644}}, Files: []string{name}, Targets: []*gate.Target{target}}
		p := Make(workspace.Load(c, nil, workspace.Limits{Bytes: 1 << 20, Files: 10}), c.Targets, nil, nil)
		planned := false
		for _, u := range p.Units {
			planned = planned || slices.Contains(u.Targets, name)
			if argv := u.Job.Line().Argv; len(argv) == 0 || argv[0] == "" || u.Kind == "" || u.Job.Image == "" {
				t.Errorf("%+v", u)
			}
			if _, err := u.Job.Restricted(job.Limits{}); u.Job.Image == gate.LanguagePython && err != nil {
				t.Errorf("it could not be restricted: %+v", u)
			}
		}
		if n := p.Reasons[name]; planned == (n.Reason != "") {
			t.Errorf("planned %v, reason %q", planned, n.Reason)
		}
	})
}

func TestTheSameTreeGivesTheSamePlan(t *testing.T) {
	files := map[string]string{"*go.mod": "module m"}
	for _, n := range []string{"a", "b", "c", "d"} {
		files[n+"/x.go"], files[n+"/x_test.go"], files[n+"/x.test.js"], files[n+"/test_x.py"] = "package x", "package x", "", "def test_x(): pass"
	}
	first := describe(t, files, map[string]string{"*/x.go": "go vet", "a/*": "true"})
	for range 20 {
		if diff := cmp.Diff(first, describe(t, files, map[string]string{"*/x.go": "go vet", "a/*": "true"})); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestATargetThatDoesNotFitIsNotRun(t *testing.T) {
	c := &gate.Change{
		Head:    fstest.MapFS{"a.py": {Data: []byte("print(1)"), Mode: 0o644}},
		Files:   []string{"a.py"},
		Targets: []*gate.Target{{Path: "a.py", Language: gate.LanguagePython, Kind: gate.ChangeAdded}},
	}
	p := Make(workspace.Load(c, nil, workspace.Limits{Bytes: 2, Files: 10}), c.Targets, nil, nil)
	if n := p.Reasons["a.py"]; len(p.Units) != 0 || !n.Lost {
		t.Errorf("%d units, %+v", len(p.Units), n)
	}
}
