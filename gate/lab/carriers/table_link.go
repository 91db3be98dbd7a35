package main

import (
	"encoding/ascii85"
	"fmt"
	"maps"
)

// linkCarriers are files that run under the name of a symbolic link.
func linkCarriers() []carrier {
	add := func(name, target, link, to string, f family, s syntax, wrap func(code) string) carrier {
		s.shebang = ""
		return carrier{
			name: "link-" + name, path: target, place: fixed, family: f, syntax: s, wrap: wrap,
			runs: "what reads " + link, with: tree{link: {link: to}},
		}
	}
	sh, py, js := shellSyntax(), pythonSyntax(), javaScriptSyntax()
	recipe := quoted("all:\n\t@@\n")
	pkg := func(c code) string {
		return `{"name": "tools", "version": "1.0.0", "scripts": {"postinstall": ` + jsonString(c.line()) + "}}\n"
	}
	flow := encoded("on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: @@\n")
	return []carrier{
		add("makefile", "notes.txt", "Makefile", "notes.txt", command, makeSyntax(), recipe),
		add("makefile-picture", "doc/logo.png", "Makefile", "doc/logo.png", command, makeSyntax(), recipe),
		add("setup-py", "doc/logo.png", "setup.py", "doc/logo.png", python, py, nil),
		add("conftest", "LICENSE.txt", "conftest.py", "LICENSE.txt", python, py, nil),
		add("package-json", "data/a.json", "package.json", "data/a.json", command, jsonSyntax(), pkg),
		add("package-json-text", "notes.txt", "package.json", "notes.txt", command, jsonSyntax(), pkg),
		add("husky", "hooks/pre-commit", ".husky", "hooks", command, sh, nil),
		add("workflow", "doc/ci.txt", ".github/workflows/ci.yml", "../../doc/ci.txt", command, yamlSyntax(), flow),
		add("dockerfile", "notes.txt", "Dockerfile", "notes.txt", command, hashSyntax().with(func(s *syntax) { s.lead, s.crlfOK = true, true }), quoted("FROM debian\nRUN @@\n")),
		add("envrc", "notes.txt", ".envrc", "notes.txt", command, sh, nil),
		add("sh", "notes.csv", "run.sh", "notes.csv", command, sh, nil),
		add("js", "style.css", "index.js", "style.css", javascript, js, nil),
		add("chain", "notes.txt", "setup.py", "b.txt", python, py, nil).also(tree{"b.txt": {link: "notes.txt"}}),
		add("gitlab", "notes.txt", ".gitlab-ci.yml", "notes.txt", command, yamlSyntax(), encoded("build:\n  script: @@\n")),
	}
}

// also adds files.
func (c carrier) also(more tree) carrier {
	maps.Copy(c.with, more)
	return c
}

// encodedFiles are files of data that a program decodes and runs.
func encodedFiles() []carrier {
	base85 := func(c code) string {
		out := make([]byte, ascii85.MaxEncodedLen(len(c.text())))
		return string(out[:ascii85.Encode(out, []byte(c.text()))]) + "\n"
	}
	add := func(name, path string, wrap func(code) string) carrier {
		return carrier{name: "data-" + name, path: path, place: fixed, family: command, syntax: noSyntax(), wrap: wrap, runs: "a program that decodes it"}
	}
	return []carrier{add("a85", "data.a85", base85), add("a85-text", "data.txt", base85)}
}

// referenceCarriers are files that another file of the change runs or includes.
func referenceCarriers() []carrier {
	var out []carrier
	add := func(name, path string, f family, s syntax, by, text string) {
		s.shebang = ""
		out = append(out, carrier{
			name: "ref-" + name, path: path, place: fixed, family: f, syntax: s, runs: fmt.Sprintf("%s, which names it", by),
			with: tree{by: {data: []byte(text)}},
		})
	}
	sh, py, js := shellSyntax(), pythonSyntax(), javaScriptSyntax()
	out = append(out, encodedFiles()...)
	add("sh-txt", "data.txt", command, sh, "run.sh", "sh data.txt\n")
	add("source-csv", "data.csv", command, sh, "run.sh", ". ./data.csv\n")
	add("source-word", "lib/data.dat", command, sh, "run.sh", "source lib/data.dat\n")
	add("bash-stdin", "data.log", command, sh, "run.sh", "bash < data.log\n")
	add("cat-sh", "data.tsv", command, sh, "run.sh", "cat data.tsv | sh\n")
	add("eval-cat", "data.txt", command, sh, "run.sh", "eval \"$(cat data.txt)\"\n")
	add("sh-png", "doc/logo.png", command, sh, "run.sh", "bash doc/logo.png\n")
	add("make-sh", "data.txt", command, sh, "Makefile", "all:\n\tsh data.txt\n")
	add("npm-sh", "data.txt", command, sh, "package.json", `{"name": "tools", "version": "1.0.0", "scripts": {"postinstall": "sh data.txt"}}`+"\n")
	add("npm-node", "data.txt", javascript, js, "package.json", `{"name": "tools", "version": "1.0.0", "scripts": {"postinstall": "node data.txt"}}`+"\n")
	add("npm-main", "data.dat", javascript, js, "package.json", `{"name": "tools", "version": "1.0.0", "main": "./data.dat"}`+"\n")
	add("npm-bin", "data.dat", javascript, js, "package.json", `{"name": "tools", "version": "1.0.0", "bin": {"tools": "./data.dat"}}`+"\n")
	add("docker-sh", "data.txt", command, sh, "Dockerfile", "FROM debian\nCOPY data.txt /data.txt\nRUN sh /data.txt\n")
	add("workflow-sh", "data.txt", command, sh, ".github/workflows/ci.yml", "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: sh data.txt\n")
	add("sh-python", "x.css", python, py, "run.sh", "python3 x.css\n")
	add("python-exec", "data.txt", python, py, "run.py", "exec(open(\"data.txt\").read())\n")
	add("python-runpy", "doc/logo.png", python, py, "run.py", "import runpy\nrunpy.run_path(\"doc/logo.png\")\n")
	add("python-loader", "data.bin", python, py, "run.py", "from importlib.machinery import SourceFileLoader\nSourceFileLoader(\"m\", \"data.bin\").load_module()\n")
	add("python-system", "data.txt", command, sh, "run.py", "import os\nos.system(\"sh data.txt\")\n")
	add("js-require", "data.dat", javascript, js, "run.js", "require(\"./data.dat\");\n")
	add("js-import", "data.bin", javascript, js, "run.js", "require(\"module\")._load(\"./data.bin\");\n")
	add("js-eval", "data.txt", javascript, js, "run.js", "eval(require(\"fs\").readFileSync(\"data.txt\", \"utf8\"));\n")
	add("js-exec", "data.txt", command, sh, "run.js", "require(\"child_process\").execSync(\"sh data.txt\");\n")
	add("npmrc-require", "data.txt", javascript, js, ".npmrc", "node-options=--require ./data.txt\n")
	add("npmrc-shell", "data.txt", command, sh, ".npmrc", "script-shell=./data.txt\n")
	add("envrc-source", "data.txt", command, sh, ".envrc", "source_env data.txt\n. ./data.txt\n")
	add("go-generate", "data.txt", command, sh, "gen.go", "package tools\n\n//go:generate sh data.txt\n")
	add("systemd", "data.txt", command, sh, "tool.service", "[Service]\nExecStart=/bin/sh /srv/data.txt\n")
	return out
}
