package constprop

import (
	"bytes"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestOtherNamesAreResolved(t *testing.T) {
	for _, c := range []struct {
		name      string
		lang      gate.Language
		src, want string // "" is: nothing to resolve
	}{
		{"a module", gate.LanguagePython, "import os as o\no.system(x)", "import os as os\nos.system(x)"},
		{"a function", gate.LanguagePython, "from subprocess import run as r\nr(x)", "from subprocess import run as subprocess.run\nsubprocess.run(x)"},
		{"a function by its own name", gate.LanguagePython, "from os import system\nsystem(x)", "from os import os.system\nos.system(x)"},
		{"a submodule", gate.LanguagePython, "from urllib import request as rq\nrq.urlopen(u)", "from urllib import request as urllib.request\nurllib.request.urlopen(u)"},
		{"a variable", gate.LanguagePython, "run = os.system\nrun(x)", "run = os.system\nos.system(x)"},
		{"a variable in an expression", gate.LanguagePython, "if (run := os.system): run(x)", "if (run := os.system): os.system(x)"},
		{"a variable behind a statement", gate.LanguagePython, "else: run = os.system; run(x)", "else: run = os.system; os.system(x)"},
		{"a variable with its type", gate.LanguagePython, "run: object = os.system\nrun(x)", "os.system: object = os.system\nos.system(x)"},
		{"a row of variables", gate.LanguagePython, "a = run = os.system\nrun(x)", "a = run = os.system\nos.system(x)"},
		{"several variables with several values", gate.LanguagePython, "a, run = 1, os.system\nrun(x)\na()", "a, run = 1, os.system\nos.system(x)\na()"},
		{"a variable of a loop", gate.LanguagePython, "for run in [os.system]: run(x)", "for os.system in [os.system]: os.system(x)"},
		{"a default", gate.LanguagePython, "def f(run=os.system):\n run(x)", "def f(run=os.system):\n os.system(x)"},
		{"one of two values", gate.LanguagePython, "run = os.system if a else b\nrun(x)", "run = os.system if a else b\nos.system(x)"},
		{"an entry of a table", gate.LanguagePython, "d = {\"x\": os.system}\nd[\"x\"](x)", "d = {\"x\": os.system}\nos.system(x)"},
		{"an entry of a table that is asked for", gate.LanguagePython, "d = {\"x\": os.system}\nd.get('x')(x)", "d = {\"x\": os.system}\nos.system(x)"},
		{"an entry that is set later", gate.LanguagePython, "d['x'] = eval\nd['x'](x)", "d['x'] = eval\neval(x)"},
		{"an entry with two values", gate.LanguagePython, "d = {\"x\": os.system}\ne = {\"x\": os.popen}\nd[\"x\"](x)", ""},
		{"an entry that holds something else", gate.LanguagePython, "d = {\"x\": os.system}\nd[\"y\"](x)", ""},
		{"a field of an object", gate.LanguagePython, "class A:\n def __init__(self): self.s = os.system\nA().s(x)", "class A:\n def __init__(self): self.s = os.system\nos.system(x)"},
		{"a field of a class", gate.LanguagePython, "class A: s = staticmethod(os.system)\nA.s(x)", "class A: s = staticmethod(os.system)\nos.system(x)"},
		{"a call by its method", gate.LanguagePython, "os.system.__call__(x)", "os.system(x)"},
		{"a name that is set by its text", gate.LanguagePython, "globals()[\"s\"] = os.system\ns(x)", "globals()[\"s\"] = os.system\nos.system(x)"},
		{"a name behind a starred one", gate.LanguagePython, "*_, s = 1, os.system\ns(x)", "*_, s = 1, os.system\nos.system(x)"},
		{"a name of a pattern", gate.LanguagePython, "match os.system:\n case s: s(x)", "match os.system:\n case os.system: os.system(x)"},
		{"a comparison names nothing", gate.LanguagePython, "if a == os.sep: a(x)", ""},
		{"a type names nothing", gate.LanguagePython, "def f(a: str = os.sep):\n str(x)", "def f(os.sep: str = os.sep):\n str(x)"},
		{"a hidden function", gate.LanguagePython, "run = getattr(builtins, \"eval\")\nrun(x)", "run = getattr(builtins, \"eval\")\neval(x)"},
		{"a module by its name in a text", gate.LanguagePython, "m = __import__(\"os\")\nm.system(x)", "m = __import__(\"os\")\nos.system(x)"},
		{"a function of a module by its name in a text", gate.LanguagePython, "f = import_module('urllib.request').urlopen\nf(x)", "f = import_module('urllib.request').urlopen\nurllib.request.urlopen(x)"},
		{"a method is not the function", gate.LanguagePython, "import os as o\nx.o.y\nz = 'o'", "import os as os\nx.o.y\nz = 'o'"},
		{"a keyword argument is not the function", gate.LanguagePython, "from os import system\nf(system=1)", "from os import os.system\nf(system=1)"},
		{"harmless modules", gate.LanguagePython, "import numpy as np\nnp.array(x)", ""},
		{"required", gate.LanguageJavaScript, "const cp = require('child_process');\ncp.exec(x)", "const cp = require('child_process');\nchild_process.exec(x)"},
		{"required in parts", gate.LanguageJavaScript, "const {exec: run} = require('node:child_process');\nrun(x)", "const {exec: child_process.exec} = require('node:child_process');\nchild_process.exec(x)"},
		{"imported", gate.LanguageTypeScript, "import * as c from \"child_process\";\nc.exec(x)", "import * as child_process from \"child_process\";\nchild_process.exec(x)"},
		{"a module that is built in", gate.LanguageJavaScript, "const cp = process.getBuiltinModule('child_process');\ncp.exec(x)", "const cp = process.getBuiltinModule('child_process');\nchild_process.exec(x)"},
		{"a module whose name is a constant", gate.LanguageJavaScript, "const m = 'fs'; const mod = 'child_process'\nconst cp = require(mod)\ncp.exec(x)", "const m = 'fs'; const mod = 'child_process'\nconst cp = require(\"child_process\")\nchild_process.exec(x)"},
		{"eval", gate.LanguageJavaScript, "const run = (0, eval);\nrun(x)", "const run = (0, eval);\neval(x)"},
		{"the constructor of functions", gate.LanguageJavaScript, "const F = Object.getPrototypeOf(async function () {}).constructor;\nnew F(x)", "const F = Object.getPrototypeOf(async function () {}).constructor;\nnew Function(x)"},
		{"another name for the request of the page", gate.LanguageTypeScript, "const original = globalThis.fetch;\noriginal(x, y)", "const original = globalThis.fetch;\nfetch(x, y)"},
		{"another name for a function of a module", gate.LanguageJavaScript, "const cp = require('child_process');\nconst run = cp.exec.bind(cp);\nrun(x)", "const cp = require('child_process');\nconst run = child_process.exec.bind(child_process);\nchild_process.exec(x)"},
		{"another name for a function of no module", gate.LanguageJavaScript, "const run = tasks.exec;\nrun(x)", ""},
		{"a promise", gate.LanguageTypeScript, "import { exec } from 'child_process'\nconst run = promisify(exec);\nrun(x)", "import { child_process.exec } from 'child_process'\nconst run = promisify(child_process.exec);\nchild_process.exec(x)"},
		{"a request", gate.LanguageTypeScript, "import { request } from 'node:https'\nconst r = request(u);\nr.write(x)", "import { https.request } from 'node:https'\nconst r = https.request(u);\nreq.write(x)"},
		{"a constant command", gate.LanguageJavaScript, "const line = 'curl ' + url\nconst url = 'x'\nexec(line)", "const line = \"curl x\"     \nconst url = 'x'\nexec(\"curl x\")"},
		{"a name with two values", gate.LanguageJavaScript, "let line = 'ls'\nline = 'id'\nexec(line)", ""},
		{"a name that gets more", gate.LanguageJavaScript, "let line = 'ls'\nline += x\nexec(line)", ""},
		{"a name in a text", gate.LanguageJavaScript, "const line = 'ls'\nexec('line')", ""},
		{"a function", gate.LanguageGo, "f := exec.CommandContext\nf(ctx, x)", "f := exec.CommandContext\nexec.CommandContext(ctx, x)"},
		{"constants", gate.LanguageGo, "const (\n\tsh = \"/bin/\" + name\n\tname = \"sh\"\n)\nexec.Command(sh, arg)", "const (\n\tsh = \"/bin/sh\"     \n\tname = \"sh\"\n)\nexec.Command(\"/bin/sh\", arg)"},
		{"one of several values", gate.LanguageGo, "a, bc := \"x\", \"y\"\nexec.Command(bc)", ""},
		{"a package", gate.LanguageGo, "import ex \"os/exec\"\nex.Command(x)", "import exec \"os/exec\"\nexec.Command(x)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, ok := Names(c.lang, []byte(c.src), nil)
			if got := string(out); ok != (c.want != "") || ok && got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// FuzzNames holds that lines stay where they are.
func FuzzNames(f *testing.F) {
	languages := []gate.Language{gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageGo}
	f.Add(0, []byte("import os as o\no.system(x)\nfrom os import (a,\n b as c)\nc()"))
	f.Add(1, []byte("const {a: b} = require('fs'); b()\nimport c, {d as e} from 'os'"))
	f.Add(2, []byte("import (\n x \"os\"\n)\nx.Y()"))
	f.Fuzz(func(t *testing.T, lang int, src []byte) {
		out, ok := Names(languages[uint(lang)%uint(len(languages))], src, nil)
		if ok && bytes.Count(out, []byte{'\n'}) != bytes.Count(src, []byte{'\n'}) {
			t.Fatalf("%q became %q", src, out)
		}
	})
}
