package execute_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// encoded hides a text from the person who reads the source.
func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestCodeThatAppearsInARealContainerIsSeen(t *testing.T) {
	t.Parallel()
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			s := sharedStage(t, runtime, 0)
			out, _ := executions(t, s, changeOf(files(map[string]string{
				"packed.py": "words = ['(1)', 'print']\nvars(__import__('builtins'))['ex' 'ec'](words[1] + words[0])\n",
				// What Python's own library makes for these is not the program's code.
				"plain.py": "import collections, dataclasses, enum\n\nP = collections.namedtuple('P', 'x y')\n\n" +
					"@dataclasses.dataclass\nclass D:\n    a: int\n\nclass E(enum.Enum):\n    A = 1\n\nprint(P(1, 2), D(3), E.A)\n",
				"counts.sh": "#!/bin/bash\necho \"passed-$$\" >/tmp/latch\necho 12 >>/tmp/latch\nx=$(</tmp/latch)\necho \"${#x}\"\n",
				"stages.sh": "#!/bin/sh\nprintf 'echo from %s\\n' 'the second stage' >/tmp/stage2\n. /tmp/stage2\n",
				"packed.js": "const text = (t) => Buffer.from(t, 'base64').toString();\nfunction local(x) { return eval(text('" + encoded("Number(x) + 1 // direct") + "')); }\nif (local(1) !== 2) throw new Error();\n" +
					"new Function('a', text('" + encoded("return a // function") + "'))(1);\nrequire('vm').runInNewContext(text('" + encoded("Number(1) // vm") + "'), {});\n" +
					"const m = new module.constructor();\nm._compile(text('" + encoded("exports.fresh = 1 // module") + "'), '/workspace/packed.js');\n" +
					"require('child_process').execFileSync(process.execPath, ['-e', text('" + encoded("console.log(1) // child") + "')]);\n",
				"plain.js":   "const all = Function('return this')();\nconsole.log(typeof all, require('./plain.json').a, require('./plain.ts').b);\n",
				"plain.ts":   "enum E { A = 1 }\nconst e: number = E.A;\nmodule.exports = { b: e };\n",
				"simple.ts":  "const n: number = 1;\nconsole.log(n);\n",
				"plain.json": "{\"a\": 1}\n",
				"shells.py": "import base64, subprocess, sys\nsubprocess.run(['sh', '-c', base64.b64decode('" + encoded("echo decoded; id -u") + "').decode()])\n" +
					"subprocess.run('echo plain | wc -l', shell=True)\nsubprocess.run(f'ls {sys.argv[0]}', shell=True)\nsubprocess.run([sys.executable, '-c', 'print(2)'])\n",
				"pipes.sh": "#!/bin/sh\necho " + encoded("echo one | sort\nread x\nrest of the input\necho \"got $x\"\nexit 7\n") + " | base64 -d | bash\necho \"ended with $?\"\nsh <<'END'\necho 'what is here'\nEND\n",
				"evals.sh": "#!/bin/bash\neval \"$(echo " + encoded("echo \"it's decoded\"\ntrue") + " | base64 -d)\"\neval 'echo plain'\n",
			})))
			got := map[string]string{}
			for _, c := range out.Derived {
				got[c.Target.Path] = string(c.Content)
			}
			want := map[string]string{
				"packed.py!compiled.py": "print(1)", "stages.sh!tmp/stage2": "echo from the second stage\n",
				"packed.js!compiled.js": "Number(x) + 1 // direct", "packed.js!compiled-2.js": "(function anonymous(a\n) {\nreturn a // function\n})", "packed.js!compiled-3.js": "Number(1) // vm",
				"packed.js!compiled-4.js": "exports.fresh = 1 // module", "packed.js!argument.js": "console.log(1) // child",
				"shells.py!argument.sh": "echo decoded; id -u", "evals.sh!compiled.sh": "echo \"it's decoded\"\ntrue\n",
			}
			if runtime == "runc" { // on gVisor only what it does is seen
				want["pipes.sh!stdin.sh"] = "echo one | sort\nread x\nrest of the input\necho \"got $x\"\nexit 7\n"
			}
			if text := out.Executions["pipes.sh"].Units[0].Stdout.Text; text != "one\ngot rest of the input\nended with 7\nwhat is here\n" {
				t.Errorf("a program that is read from a pipe printed %q", text)
			}
			if diff := cmp.Diff(want, got); diff != "" || len(out.Incomplete) > 0 {
				t.Errorf("%s\nincomplete: %v", diff, out.Incomplete)
			}
		})
	}
}

func TestADecodedPayloadIsCaughtWithItsEvidence(t *testing.T) {
	t.Parallel()
	const python, node, shell = "import os\nopen(os.path.expanduser('~/.ssh/id_rsa')).read()\n", "require('fs').readFileSync(process.env.HOME + '/.ssh/id_rsa');\n", "cat ~/.ssh/id_rsa >/dev/null\n"
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			s := sharedStage(t, runtime, 0)
			out, found := executions(t, s, changeOf(files(map[string]string{
				"a.py": "import base64\nexec(base64.b64decode('" + encoded(python) + "'))\n",
				"b.js": "eval(Buffer.from('" + encoded(node) + "', 'base64').toString());\n",
				"c.sh": "#!/bin/sh\necho " + encoded(shell) + " | base64 -d | sh\n",
			})))
			children := map[string]string{}
			for _, c := range out.Derived {
				children[c.Target.Path] = string(c.Content)
			}
			want := map[string]string{"a.py!compiled.py": python, "b.js!compiled.js": node}
			if runtime == "runc" {
				want["c.sh!stdin.sh"] = shell
			}
			if diff := cmp.Diff(want, children); diff != "" {
				t.Error(diff)
			}
			for path, rule := range map[string]string{
				"a.py": "credentials/observed-read suspicious", "b.js": "credentials/observed-read suspicious", "c.sh": "obfuscation/observed-decode-run dangerous",
			} {
				if got := rules(found, path); !slices.Contains(got, rule) {
					t.Errorf("%s: found %q, want %s", path, got, rule)
				}
			}
		})
	}
}

// A compiler's text of a file says what the file says; anything else may pass for it.
func TestCodeWithTheNameOfAFileIsSeenUnlessItSaysWhatTheFileSays(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 0)
	out, _ := executions(t, s, changeOf(files(map[string]string{
		"lib.js": "function greet(name) {\n  return 'hi ' + name + 0xffff + 3.4028234663852886e38;\n}\nmodule.exports = greet;\n",
		"run.js": "const { Script } = require('vm');\nconst filename = require.resolve('./lib.js');\n" +
			"new Script('\"use strict\"; const __greet = (name2) => \"hi \" + name2 + 65535 + 34028234663852886e22; __greet(1)', { filename }).runInThisContext();\n" +
			// What Jest makes of a module.
			"const around = (names, text) => `({\"Object.<anonymous>\":function(module,exports,require,__dirname,__filename,${names}){${text}\\n}});`;\n" +
			"new Script(around('jest', require('fs').readFileSync(filename, 'utf8')), { filename }).runInThisContext();\n" +
			"new Script(around('jest,curl', 'module.exports = greet'), { filename }).runInThisContext();\n" +
			"for (const text of ['" + encoded("console.log('other', process.pid, 'curl')") + "', '" + encoded("greet = [104, 105, 32, 33]") + "', '" +
			encoded("greet('_Z2xvYmFsVGhpcy5vdGhlciA9ICdjdXJsJw')") + "']) {\n  try {\n    new Script(Buffer.from(text, 'base64').toString(), { filename }).runInThisContext();\n  } catch {}\n}\n",
	})))
	var got []string
	for _, c := range out.Derived {
		got = append(got, c.Target.Parent+": "+string(c.Content))
	}
	if diff := cmp.Diff([]string{
		"run.js: ({\"Object.<anonymous>\":function(module,exports,require,__dirname,__filename,jest,curl){module.exports = greet\n}});",
		"run.js: console.log('other', process.pid, 'curl')", "run.js: greet = [104, 105, 32, 33]", "run.js: greet('_Z2xvYmFsVGhpcy5vdGhlciA9ICdjdXJsJw')",
	}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCompiledCodeThatIsTooMuchIsAGapAndNeverLeftOut(t *testing.T) {
	t.Parallel()
	s := sharedStage(t, "runc", 0)
	parts := map[string]string{
		"long.py": "text = 'x = 1\\n' + '#' * (1 << 20)\nexec(text)\n",
		"many.py": "import base64\nfor i in range(60):\n    exec(open(f'part{i}.py').read())\nexec(base64.b64decode('" + encoded("hidden = 'after sixty'\n") + "'))\n",
	}
	parts["long.js"] = "eval('x = 1 //' + 'a'.repeat(1100000) + '\\n' + atob('" + encoded("y = 'hidden'") + "'));\n"
	parts["more.js"] = "for (let i = 0; i < 60; i++) eval('x = ' + i + ' //' + 'a'.repeat(20100));\neval(atob('" + encoded("y = 'hidden'") + "'));\n"
	parts["long.sh"] = "#!/bin/bash\neval \"x='$(head -c 1100000 /dev/zero | tr '\\0' a)'\"\n"
	parts["many.sh"] = "#!/bin/bash\nfor i in {0..59}; do\n  eval \"$(cat part$i.sh)\"\ndone\neval \"$(echo " + encoded("echo 'after sixty'\n") + " | base64 -d)\"\n"
	for i := range 60 {
		parts[fmt.Sprintf("part%d.sh", i)] = fmt.Sprintf("echo part of %d $0\n", i)
		parts[fmt.Sprintf("part%d.py", i)] = fmt.Sprintf("part = %d\n", i)
	}
	out, _ := executions(t, s, changeOf(files(parts), "long.js", "more.js", "long.py", "long.sh", "many.py", "many.sh"))
	var children, gaps []string
	var more []byte
	for _, c := range out.Derived {
		many := strings.HasPrefix(c.Target.Parent, "many.")
		if many || strings.HasPrefix(c.Target.Parent, "long.") {
			children = append(children, c.Target.Path)
		}
		if c.Target.Parent == "more.js" {
			more = append(more, c.Content...)
		}
		if many && !strings.Contains(string(c.Content), "after sixty") {
			t.Errorf("got %q, want the code that came after the sixty parts", c.Content)
		}
	}
	for _, g := range out.Incomplete {
		gaps = append(gaps, g.Path+": "+g.Reason)
	}
	slices.Sort(children)
	if diff := cmp.Diff([]string{"long.js!compiled.js", "long.py!compiled.py", "long.sh!compiled.sh", "many.py!compiled.py", "many.sh!compiled.sh"}, children); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(string(more), "hidden") && !slices.ContainsFunc(gaps, func(g string) bool { return strings.HasPrefix(g, "more.js: ") }) {
		t.Error("what came after sixty long texts is missing, and nothing says so")
	}
	for _, want := range []string{
		"long.js: of the code that appeared as long.js!compiled.js only the first 1024 KiB were looked at",
		"long.py: of the code that appeared as long.py!compiled.py only the first 1024 KiB were looked at",
		"long.sh: of the code that appeared as long.sh!compiled.sh only the first 1024 KiB were looked at",
	} {
		if !slices.Contains(gaps, want) {
			t.Errorf("got %q, want %q", gaps, want)
		}
	}
}
