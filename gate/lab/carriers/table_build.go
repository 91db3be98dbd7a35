package main

func makeSyntax() syntax {
	return hashSyntax().with(func(s *syntax) {
		s.bom, s.bytes, s.mark, s.assign = true, true, "=1", "NAME=1"
		s.crlf, s.tail = "", true
	})
}

// makeCarriers are the ways in which make and its relatives run a command.
func makeCarriers() []carrier {
	s := makeSyntax()
	add := func(name, path, template string) carrier {
		return carrier{name: name, path: path, place: inFolder, family: command, syntax: s, runs: "make", wrap: quoted(template)}
	}
	other := func(c carrier, change func(*carrier)) carrier { change(&c); return c }
	just := hashSyntax()
	return []carrier{
		add("make", "Makefile", "all:\n\t@@\n"),
		add("make-gnu", "GNUmakefile", "all:\n\t@@\n"),
		add("make-lower", "makefile", "all:\n\t@@\n"),
		other(add("make-mk", "rules.mk", "all:\n\t@@\n"), func(c *carrier) { c.place = anywhere }),
		add("make-silent", "Makefile", "all:\n\t@-@@\n"),
		add("make-inline", "Makefile", "all: ; @@\n"),
		add("make-prefix", "Makefile", ".RECIPEPREFIX = >\nall:\n>@@\n"),
		add("make-prefix-blank", "Makefile", ".RECIPEPREFIX := $(.RECIPEPREFIX) \nall:\n @@\n"),
		add("make-shell", "Makefile", "x := $(shell @@)\n"),
		add("make-shell-braces", "Makefile", "x := ${shell @@}\n"),
		add("make-bang", "Makefile", "x != @@\n"),
		add("make-define", "Makefile", "define A\n@@\nendef\nall:\n\t$(A)\n"),
		add("make-variable", "Makefile", "A = @@\nall:\n\t$(A)\n"),
		add("make-target-variable", "Makefile", "all: A = @@\nall:\n\t$(A)\n"),
		add("make-continued", "Makefile", "all:\n\ttrue && \\\n\t@@\n"),
		add("make-oneshell", "Makefile", ".ONESHELL:\nall:\n\tset -e\n\t@@\n"),
		add("make-eval", "Makefile", "$(eval x := $(shell @@))\n"),
		add("make-condition", "Makefile", "ifeq (1,1)\nall:\n\t@@\nendif\n"),
		{name: "make-include", path: "rules.inc", place: fixed, family: command, syntax: s, runs: "make", wrap: quoted("all:\n\t@@\n"), with: tree{"Makefile": {data: []byte("include rules.inc\n")}}},
		{name: "make-include-plain", path: "notes", place: fixed, family: command, syntax: s, runs: "make", wrap: quoted("all:\n\t@@\n"), with: tree{"Makefile": {data: []byte("-include notes\n")}}},
		{name: "make-include-picture", path: "doc/logo.png", place: fixed, family: command, syntax: s, runs: "make", wrap: quoted("all:\n\t@@\n"), with: tree{"Makefile": {data: []byte("sinclude doc/logo.png\n")}}},
		{name: "just", path: "justfile", place: inFolder, family: command, syntax: just, runs: "just", wrap: quoted("all:\n    @@\n")},
		{name: "just-tab", path: "Justfile", place: inFolder, family: command, syntax: just, runs: "just", wrap: quoted("all:\n\t@@\n")},
		{name: "just-backticks", path: "justfile", place: inFolder, family: command, syntax: just, runs: "just", wrap: quoted("x := `@@`\n")},
		{name: "just-shebang", path: "justfile", place: inFolder, family: command, syntax: just, runs: "just", wrap: quoted("all:\n    #!/bin/sh\n    @@\n")},
		{name: "just-python", path: "justfile", place: inFolder, family: python, syntax: just, runs: "just", wrap: lines("    ", "all:\n    #!/usr/bin/env python3\n@@\n")},
		{name: "just-module", path: "tools.just", family: command, syntax: just, runs: "just", wrap: quoted("all:\n    @@\n")},
		{name: "ninja", path: "build.ninja", place: inFolder, family: command, syntax: just, runs: "ninja", wrap: quoted("rule x\n  command = @@\nbuild y: x\n")},
		{name: "procfile", path: "Procfile", place: inFolder, family: command, syntax: noSyntax(), runs: "a host of applications", wrap: quoted("web: @@\n")},
	}
}

// dockerCarriers are the ways in which building or starting an image runs a command.
func dockerCarriers() []carrier {
	s := hashSyntax().with(func(s *syntax) { s.lead, s.crlfOK, s.bom, s.bytes, s.nul = true, true, true, true, true })
	strict := hashSyntax().with(func(s *syntax) { s.bytes, s.nul = true, true })
	add := func(name, template string, s syntax) carrier {
		return carrier{name: "docker-" + name, path: "Dockerfile", place: inFolder, family: command, syntax: s, runs: "docker build", wrap: quoted(template)}
	}
	first := strict.with(func(s *syntax) { s.keep = 1 })
	out := []carrier{
		add("run", "FROM debian\nRUN @@\n", s),
		add("lower", "from debian\nrun @@\n", s),
		add("continued", "FROM debian\nRUN true && \\\n    @@\n", strict.with(func(s *syntax) { s.tail = false })),
		add("comment-within", "FROM debian\nRUN true && \\\n# note\n    @@\n", strict.with(func(s *syntax) { s.tail = false })),
		add("escape", "# escape=`\nFROM debian\nRUN true && `\n    @@\n", first.with(func(s *syntax) { s.tail = false })),
		add("escape-split", "# escape=`\nFROM debian\nRUN @@\n", first.with(func(s *syntax) { s.tail = false })),
		add("syntax", "# syntax=docker/dockerfile:1\nFROM debian\nRUN @@\n", first),
		add("heredoc", "FROM debian\nRUN <<EOF\n@@\nEOF\n", strict.with(func(s *syntax) { s.tail = false })),
		add("heredoc-quoted", "FROM debian\nRUN <<-'EOF'\n\t@@\nEOF\n", strict.with(func(s *syntax) { s.tail = false })),
		add("heredoc-command", "FROM debian\nRUN sh <<EOF\n@@\nEOF\n", strict.with(func(s *syntax) { s.tail = false })),
		add("copy-heredoc", "FROM debian\nCOPY <<EOF /run.sh\n@@\nEOF\nRUN sh /run.sh\n", strict.with(func(s *syntax) { s.tail = false })),
		add("json", "FROM debian\nRUN [\"sh\", \"-c\", \"@@\"]\n", s),
		add("mount", "FROM debian\nRUN --mount=type=cache,target=/c --network=host @@\n", s),
		add("onbuild", "FROM debian\nONBUILD RUN @@\n", s),
		add("healthcheck", "FROM debian\nHEALTHCHECK CMD @@\n", s),
		add("cmd", "FROM debian\nCMD @@\n", s),
		add("entrypoint", "FROM debian\nENTRYPOINT [\"sh\", \"-c\", \"@@\"]\n", s),
		add("shell", "FROM debian\nSHELL [\"/bin/bash\", \"-c\"]\nRUN @@\n", s),
		add("stage", "FROM debian AS a\nRUN true\nFROM a\nRUN @@\n", s),
		add("arg", "FROM debian\nARG X=\"@@\"\nRUN sh -c \"$X\"\n", s),
	}
	out[3].syntax.comment = ""
	name := func(name, path string) carrier {
		c := add(name, "FROM debian\nRUN @@\n", s)
		c.path = path
		return c
	}
	escaped := add("escape-words", "", first.with(func(s *syntax) { s.tail = false }))
	escaped.wrap = func(c code) string {
		line := c.line()
		if i := indexOfBlank(line); i > 0 {
			line = line[:i] + " `\n" + line[i:]
		}
		return "# escape=`\nFROM debian\nRUN " + line + "\n"
	}
	pythonShell := add("python-shell", "", s)
	pythonShell.family, pythonShell.wrap = python, quoted("FROM debian\nSHELL [\"python3\", \"-c\"]\nRUN @@\n")
	pythonHeredoc := add("python-heredoc", "", strict.with(func(s *syntax) { s.tail = false }))
	pythonHeredoc.family, pythonHeredoc.wrap = python, lines("", "FROM debian\nRUN python3 <<EOF\n@@\nEOF\n")
	return append(out, escaped, pythonShell, pythonHeredoc, name("file-suffix", "Dockerfile.dev"), name("file-ext", "tool.dockerfile"), name("containerfile", "Containerfile"))
}

// indexOfBlank is where a line has a blank about its middle.
func indexOfBlank(line string) int {
	for i := len(line) / 2; i < len(line); i++ {
		if line[i] == ' ' {
			return i
		}
	}
	return -1
}
