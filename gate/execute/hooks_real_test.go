package execute_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
)

// A child that is started without what we put into the environment is one of ours all the same.
func TestCodeOfAChildThatWasStartedWithoutTheHooksIsSeen(t *testing.T) {
	t.Parallel()
	const spawn = "const { spawnSync, execFileSync } = require('child_process');\n"
	hidden := func(what string) string { return encoded("globalThis.a = '" + what + "'") }
	child := "new Function(Buffer.from(process.argv[2], 'base64').toString())();\n"
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			s := sharedStage(t, runtime, 0)
			programs := map[string]string{
				"clean.js":   spawn + "spawnSync(process.execPath, ['child.js', '" + hidden("clean") + "'], { env: { PATH: process.env.PATH } });\n",
				"empty.js":   spawn + "spawnSync(process.execPath, ['child.js', '" + hidden("empty") + "'], { env: {} });\n",
				"deleted.js": spawn + "delete process.env.NODE_OPTIONS;\nexecFileSync('node', ['child.js', '" + hidden("deleted") + "']);\n",
				"own.js":     spawn + "spawnSync(process.execPath, ['child.js', '" + hidden("own") + "'], { env: { NODE_OPTIONS: '--title=mine' } });\n",
				"quoted.js":  spawn + "spawnSync(process.execPath, ['child.js', '" + hidden("quoted") + "'], { env: { NODE_OPTIONS: '--title=\"x ' + process.env.NODE_OPTIONS + '\"' } });\n",
				"shell.js":   spawn + "execFileSync('sh', ['-c', 'env -u NODE_OPTIONS node child.js " + hidden("shell") + "']);\n",
				"loader.js":  spawn + "spawnSync('/lib64/ld-linux-x86-64.so.2', [process.execPath, 'child.js', '" + hidden("loader") + "'], { env: {} });\n",
				"clean.sh":   "#!/bin/sh\ncommand -v node >/dev/null && env -i node child.js " + hidden("never") + "\n",
			}
			tree := files(programs)
			maps.Copy(tree, files(map[string]string{"child.js": child}))
			var targets []string
			want := map[string]string{}
			for name := range programs {
				targets = append(targets, name)
				if what := name[:len(name)-3]; name != "clean.sh" {
					want[name+"!compiled.js"] = "(function anonymous(\n) {\nglobalThis.a = '" + what + "'\n})"
				}
			}
			slices.Sort(targets)
			out, _ := executions(t, s, changeOf(tree, targets...))
			got := map[string]string{}
			for _, c := range out.Derived {
				got[c.Target.Path] = string(c.Content)
			}
			if diff := cmp.Diff(want, got); diff != "" || len(out.Incomplete) > 0 {
				t.Errorf("%s\nincomplete: %v", diff, out.Incomplete)
			}
		})
	}
}

// A text that says it is ours is not: ours are known word for word, whatever the environment says.
func TestCodeThatCallsItselfOursIsSeen(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 0)
	const claim = "globalThis.claimed = 'a text that is long enough to be a piece of its own'"
	text := "Buffer.from('" + encoded(claim) + "', 'base64').toString() + '\\n//# source' + 'URL=gate:hooks\\n'"
	out, _ := executions(t, s, changeOf(files(map[string]string{
		"claims.js": "const text = " + text + ";\nrequire('child_process').spawnSync(process.execPath, ['said.js'], " +
			"{ env: { NODE_OPTIONS: process.env.NODE_OPTIONS + ' --title=base64,' + Buffer.from(text).toString('base64') } });\n",
		"said.js": "eval(" + text + ");\n",
	}), "claims.js"))
	var got []string
	for _, c := range out.Derived {
		got = append(got, c.Target.Path+": "+string(c.Content))
	}
	if diff := cmp.Diff([]string{"claims.js!compiled.js: " + claim + "\n//# sourceURL=gate:hooks\n"}, got); diff != "" {
		t.Error(diff)
	}
}

// What cannot be kept is named, and what is kept in every interpreter is not.
func TestCodeOfOtherInterpretersOfPythonIsSeenWhateverTheirOptions(t *testing.T) {
	t.Parallel()
	const start = "import subprocess, sys\n"
	hidden := func(what string) string { return encoded("print('a text of " + what + "', len(str(__name__)))") }
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			s := sharedStage(t, runtime, 0)
			tree := files(map[string]string{
				"child.py":    "import base64, sys\nexec(base64.b64decode(sys.argv[1]))\n",
				"isolated.py": start + "subprocess.run([sys.executable, '-I', '-S', '-E', 'child.py', '" + hidden("isolated") + "'], env={})\n",
				"ordinary.py": start + "subprocess.run(['python3', 'child.py', '" + hidden("ordinary") + "'])\n",
				"home.py": start + "import os\nos.makedirs('/tmp/own/lib')\nos.symlink('/usr/lib/python3.11', '/tmp/own/lib/python3.11')\n" +
					"subprocess.run([sys.executable, 'child.py', '" + hidden("home") + "'], env={'PYTHONHOME': '/tmp/own'})\n",
				"version.py": start + "subprocess.run([sys.executable, '--version'])\n",
			})
			out, found := executions(t, s, changeOf(tree, "home.py", "isolated.py", "ordinary.py", "version.py"))
			got := map[string]string{}
			for _, c := range out.Derived {
				got[c.Target.Parent] = string(c.Content)
			}
			want := map[string]string{}
			for _, what := range []string{"isolated", "ordinary", "home"} {
				want[what+".py"] = "print('a text of " + what + "', len(str(__name__)))"
			}
			if diff := cmp.Diff(want, got); diff != "" || len(out.Incomplete) > 0 {
				t.Errorf("%s\nincomplete: %v", diff, out.Incomplete)
			}
			// That one has loaded its hooks from another place, which may be another library.
			for program, named := range map[string]bool{"isolated.py": false, "ordinary.py": false, "version.py": false, "home.py": true} {
				if r := rules(found, program); slices.Contains(r, "execution/unseen-code note") != named {
					t.Errorf("%s: found %q", program, r)
				}
			}
		})
	}
}

func TestAnInterpreterThatRunsWithoutWhatKeepsItsCodeIsNamed(t *testing.T) {
	t.Parallel()
	const spawn = "const { spawnSync } = require('child_process');\n"
	tree := files(map[string]string{
		// An environment for which there is no room beside it.
		"crowded.js": spawn + "const env = {};\nfor (let i = 0; i < 12000; i++) env['A' + i] = '';\nspawnSync(process.execPath, ['other.js'], { env });\n",
		"early.js":   spawn + "spawnSync(process.execPath, ['-r', './other.js', 'main.js']);\n",
		"other.js":   "process.exit(0);\n", "main.js": "console.log(1);\n",
		"eval.sh":  "#!/bin/sh\neval \"$(printf 'echo %s' one)\"\n",
		"child.sh": "#!/bin/bash\nsh ./eval.sh\n",
		"plain.sh": "#!/bin/sh\n# eval \"$x\" is not here\neval 'echo plain'\n",
		"plain.js": spawn + "spawnSync(process.execPath, ['--title=x', 'main.js', '-r', 'x'], { env: {} });\n",
	})
	want := map[string][]string{
		"crowded.js": {"node: its arguments and its environment are too long"},
		"early.js":   {"node: with -r it loads code before its hooks"},
		"eval.sh":    {"a shell runs what eval.sh puts together for eval"},
		"child.sh":   {"a shell runs what eval.sh puts together for eval"},
	}
	targets := []string{"child.sh", "crowded.js", "early.js", "eval.sh", "plain.js", "plain.sh"}
	for _, runtime := range []string{"runc", "runsc"} {
		for name, tt := range map[string]struct {
			with func(*execute.Options)
			gaps []string
		}{
			"where the layer is not required":    {func(*execute.Options) {}, nil},
			"where it is required":               {func(o *execute.Options) { o.Required = true }, []string{"crowded.js"}},
			"where everything has to run at all": {func(o *execute.Options) { o.On.NotExecutable = gate.LeniencyIncomplete }, []string{"child.sh", "crowded.js", "early.js", "eval.sh"}},
		} {
			t.Run(runtime+" "+name, func(t *testing.T) {
				t.Parallel()
				s := realStage(t, runtime, func(o *execute.Options) { o.Policy.Conditions = 0; tt.with(o) })
				out, found := executions(t, s, changeOf(tree, targets...))
				got := map[string][]string{}
				for _, p := range targets {
					for _, f := range found.Of(p) {
						if f.Rule == "execution/unseen-code" {
							got[p] = append(got[p], f.Evidence)
						}
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
				var gaps []string
				for _, g := range out.Incomplete {
					gaps = append(gaps, g.Path)
				}
				if diff := cmp.Diff(tt.gaps, gaps); diff != "" {
					t.Errorf("%s\n%v", diff, out.Incomplete)
				}
			})
		}
	}
}
