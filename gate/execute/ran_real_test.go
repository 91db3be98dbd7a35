package execute_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
)

// ran is a file of a change, what became of it, and whether the change is the reason.
type ran struct {
	path      string
	status    gate.ExecutionStatus
	reason    string // a part of it
	prevented bool
}

// wants begins a program that wants an argument.
const wants = "import argparse\np = argparse.ArgumentParser()\np.add_argument('target')\n"

func TestAFileThatDidNotRunHasAStatusThatSaysWhy(t *testing.T) {
	t.Parallel()
	// Every folder is a world of its own: what is in base is its file before the change.
	head := map[string]string{
		"own/exit.py": "import os\nraise SystemExit(0)\nos.getpid()\n", "own/cut.py": "import os\nif os.getpid():\n    os._exit(0)\nos.getppid()\n",
		"own/usage.py":      "import sys\nif len(sys.argv) < 9:\n    sys.exit('usage: usage.py FILE')\nprint(sys.argv[8])\n",
		"own/whole.py":      "import sys\n\ndef main():\n    return 0\n\nif __name__ == '__main__':\n    sys.exit(main())\n",
		"pack/__init__.py":  "raise SystemExit\n",
		"pack/mod.py":       "X = 1\n",
		"shadow/json.py":    "import os\nos._exit(0)\n",
		"shadow/user.py":    "import json\nprint(json.dumps(1))\n",
		"broken/text.py":    "X = 1\ndef f(:\n",
		"broken/text.js":    "const x = 1;\nconst y = ;\n",
		"broken/text.ts":    "export const x: number = 1;\nfunction ( {\n",
		"broken/text.sh":    "echo one\nif true; then\n",
		"broken/go/main.go": "package main\n\nfunc main() { undefined() }\n",
		"lacks/a.py":        "import nobody_has_this\nprint(1)\n",
		"lacks/a.mjs":       "import x from 'not-installed-here';\nconsole.log(x);\n",
		"fails/a.py":        "from json import nobody_has_this\nprint(1)\n",
		"fails/a.mjs":       "import { nobodyHasThis } from 'node:fs';\nconsole.log(nobodyHasThis);\n",
		"skips/test_a.py":   "import pytest\npytest.skip('no', allow_module_level=True)\n\ndef test_a():\n    assert True\n",
		"off/setup.cfg":     "", "skips/setup.cfg": "",
		"off/conftest.py":   "import pytest\npytest.exit('no', 0)\n",
		"off/test_b.py":     "def test_b():\n    assert True\n",
		"chosen/pytest.ini": "[pytest]\npython_functions = check_*\n", "chosen/test_c.py": "def test_c():\n    assert True\n",
		"npm/package.json":  `{"name": "x", "scripts": {"test": "true"}}`,
		"npm/only.test.js":  "require('node:test')('a', () => { console.log(2); });\n",
		"ends/package.json": `{"name": "y"}`, "ends/a.test.js": "require('node:test')('a', () => { console.log(2); });\nconst { test } = require('node:test');\ntest('b', () => { console.log(3); });\nprocess.exit(0);\n",
		"node/init.cjs": "process.exit(0);\n",
		"node/main.js":  "require('./init.cjs');\nconsole.log(1);\n",
		"node/late.mjs": "console.log(1);\nprocess.exit(0);\nfunction f() { return 1; }\n",
		"bash/lib.sh":   "exit 0\n",
		"bash/main.sh":  ". bash/lib.sh\necho one\n",
		"goinit/go.mod": "module example.com/x\n\ngo 1.21\n",
		"goinit/x.go":   "package x\n\nimport \"os\"\n\nfunc init() { os.Exit(0) }\n\nfunc F() int { return 1 }\n",
		"was/good.py":   "import os\nos.nobody_has_this()\nprint(2)\n",
		"was/bad.py":    "import os\nos.nobody_has_this()\nprint(2)\n",
		// Tools that say that they ran what they did not.
		"says/trap.sh": "#!/bin/bash\nshopt -s extdebug\ntrap false DEBUG\necho one\n", "says/all/Makefile": "MAKEFLAGS += -n\nall:\n\techo one\n",
		"says/word/Makefile": "F := --dry\nMAKEFLAGS = $(F)-run\nall:\n\techo one\n", "says/fine/Makefile": "MAKEFLAGS += --no-print-directory -j1\nall:\n\techo one\n",
		// Programs that want arguments: as before, for the first time, where none is at hand, and
		// where the change itself ends the program.
		"args/before.py": wants + "a = p.parse_args()\nprint(a.target)\n", "args/now.py": wants + "a = p.parse_args()\nprint(a.target)\n",
		"args/guard.py": "import os, sys\nif not os.path.isdir('.git'):\n    sys.exit('usage: guard.py')\nprint(2)\n",
		"args/own.py":   "import sys\nprint('usage: own.py', file=sys.stderr)\nsys.exit(2)\nprint(2)\n",
	}
	base := map[string]string{
		"args/before.py": wants + "print(p.parse_args())\n", "args/now.py": "print(1)\n", "args/guard.py": "print(1)\n", "args/own.py": wants + "print(p.parse_args())\n",
		"was/good.py": "import os\nprint(1)\n", "was/bad.py": "import os\nos.neither()\nprint(2)\n", "npm/package.json": `{"name": "x", "scripts": {"test": "node --test"}}`,
	}
	c := changeOf(files(head))
	c.Base = files(base)
	for _, target := range c.Targets {
		target.Kind = gate.ChangeAdded
	}
	s := realStage(t, "runc", func(o *execute.Options) { o.Policy.Conditions, o.Required = 0, true })
	out, found := executions(t, s, c)
	for _, w := range []ran{
		{"own/exit.py", gate.ExecutionStoppedEarly, "SystemExit ended the program in line 2", true},
		{"own/cut.py", gate.ExecutionStoppedEarly, "os._exit ended the program in line 3", true},
		{"own/usage.py", gate.ExecutionStoppedEarly, "SystemExit ended the program in line 3", false},
		{"own/whole.py", exited, "", false},
		{"pack/mod.py", gate.ExecutionStoppedEarly, "SystemExit ended the program in pack/__init__.py, line 1", true},
		{"pack/__init__.py", exited, "", true}, // it is the one that does it
		{"shadow/user.py", gate.ExecutionStoppedEarly, "os._exit ended the program in shadow/json.py, line 2", true},
		{"broken/text.py", gate.ExecutionSyntaxError, "syntax error in line 2", false},
		{"broken/text.js", gate.ExecutionSyntaxError, "syntax error in line 2", false},
		{"broken/text.ts", gate.ExecutionSyntaxError, "syntax error in line 2", false},
		{"broken/text.sh", gate.ExecutionSyntaxError, "syntax error in line 3", false},
		{"broken/go/main.go", gate.ExecutionNotBuilt, "it did not build", false},
		{"lacks/a.py", gate.ExecutionMissingModule, "it needs the module nobody_has_this", false},
		{"lacks/a.mjs", gate.ExecutionMissingModule, "it needs the module not-installed-here", false},
		{"fails/a.py", gate.ExecutionImportFailed, "its import from json failed in line 1", false},
		{"fails/a.mjs", gate.ExecutionImportFailed, "its import from node:fs failed", false},
		{"skips/test_a.py", gate.ExecutionNoTestsRan, "it skips all of its tests in line 2", true},
		{"off/test_b.py", gate.ExecutionNoTestsRan, "Exit: no", true},
		{"chosen/test_c.py", gate.ExecutionNoTestsRan, "the runner collected no test", true},
		{"npm/only.test.js", exited, "", false}, // as the base says, whatever the change makes of its script
		{"ends/a.test.js", gate.ExecutionNoTestsRan, "process.exit ended the program in line 4", true},
		{"node/main.js", gate.ExecutionStoppedEarly, "process.exit ended the program in node/init.cjs, line 1", true},
		{"node/late.mjs", exited, "", false},
		{"bash/main.sh", gate.ExecutionStoppedEarly, "exit ended the program in bash/lib.sh, line 1", true},
		{"goinit/x.go", gate.ExecutionStoppedEarly, "before it told which of its lines ran", true},
		{"was/good.py", gate.ExecutionStoppedEarly, "in line 2", true},
		{"was/bad.py", gate.ExecutionStoppedEarly, "in line 2", false},
		{"says/trap.sh", gate.ExecutionStoppedEarly, "extdebug lets its shell skip commands in line 2", true},
		{"says/all/Makefile", gate.ExecutionStoppedEarly, "MAKEFLAGS let make run no recipe in line 1", true},
		{"says/word/Makefile", gate.ExecutionStoppedEarly, "MAKEFLAGS let make run no recipe in line 2", true},
		{"says/fine/Makefile", exited, "", false},
		{"args/before.py", gate.ExecutionStoppedEarly, "SystemExit ended the program in line 4", false},
		{"args/now.py", gate.ExecutionStoppedEarly, "SystemExit ended the program in line 4", false},
		{"args/guard.py", gate.ExecutionStoppedEarly, "SystemExit ended the program in line 3", false}, // what it checks may hold elsewhere
		{"args/own.py", gate.ExecutionStoppedEarly, "SystemExit ended the program in line 3", true},
	} {
		e := out.Executions[w.path]
		if w.path == "args/guard.py" && !slices.Contains(rules(found, w.path), "execution/prevented-run note") {
			t.Errorf("%s: %q, want a note that it did not go on", w.path, rules(found, w.path))
		}
		prevented := slices.ContainsFunc(found.Of(w.path), func(f gate.Finding) bool {
			return f.Rule == "execution/prevented-run" && f.Severity > gate.SeverityNote
		})
		gap := slices.ContainsFunc(out.Incomplete, func(g gate.Gap) bool { return g.Path == w.path })
		if e.Status != w.status || !strings.Contains(e.Reason, w.reason) || prevented != w.prevented || gap != (w.prevented && w.status != exited) {
			t.Errorf("%s: %s %q, prevented %v, gap %v\nwant %s %q, prevented %v", w.path, e.Status, e.Reason, prevented, gap, w.status, w.reason, w.prevented)
			t.Log(told(e))
			for _, u := range e.Units {
				t.Logf("%s %q %q %q", u.Kind, u.Command, u.Stdout.Text, u.Stderr.Text)
			}
		}
	}
}

// On gVisor interpreters tell of themselves as they do elsewhere.
func TestAFileThatDidNotRunSaysSoOnGVisor(t *testing.T) {
	t.Parallel()
	c := changeOf(files(map[string]string{"p/__init__.py": "raise SystemExit\n", "p/a.py": "X = 1\n", "a.sh": "exit 0\necho one\n", "b.js": "process.exit(0);\nconsole.log(1);\n"}))
	c.Base = files(nil)
	for _, target := range c.Targets {
		target.Kind = gate.ChangeAdded
	}
	out, found := executions(t, sharedStage(t, "runsc", 0), c)
	for _, p := range []string{"p/a.py", "a.sh", "b.js"} {
		if e := out.Executions[p]; e.Status != gate.ExecutionStoppedEarly || len(found.Of(p)) == 0 {
			t.Errorf("%s: %s %q, findings %v", p, e.Status, e.Reason, found.Of(p))
		}
	}
}
