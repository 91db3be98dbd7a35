package main

import "strings"

// halves splits a line at a blank about its middle: what a tool puts together again.
func halves(line string) (string, string) {
	i := indexOfBlank(line)
	if i < 0 {
		return line, ""
	}
	return line[:i], line[i+1:]
}

// split puts the two halves of the code into a template.
func split(template string) func(code) string {
	return func(c code) string {
		first, rest := halves(c.line())
		return strings.NewReplacer("@1", first, "@2", rest).Replace(template)
	}
}

// toolCarriers are files in which the syntax of a tool puts a command together.
func toolCarriers() []carrier {
	hash := hashSyntax()
	slash := slashSyntax().with(func(s *syntax) { s.block = block{} })
	plain := noSyntax().with(func(s *syntax) { s.tail, s.crlfOK = true, true })
	// What an address has in it, some tools want escaped.
	ninja := strings.NewReplacer("$", "$$", ":", "$:")
	vim := strings.NewReplacer(`\`, `\\`, " ", `\ `, "|", `\|`, ":", `\:`)
	return []carrier{
		{name: "ninja-pieces", path: "build.ninja", place: inFolder, family: command, syntax: hash.with(func(s *syntax) { s.tail = false }), runs: "ninja", wrap: func(c code) string {
			first, rest := halves(c.line())
			return "first = " + ninja.Replace(first) + "\nrest = " + ninja.Replace(rest) + "\nrule x\n  command = $first ${rest}\nbuild y: x\n"
		}},
		{name: "kconfig", path: "Kconfig", place: inFolder, family: command, syntax: hash, runs: "make menuconfig", wrap: split("first := @1\nrun = $(shell,$(first) $(1))\nconfig X\n\tdef_bool $(run,@2)\n")},
		{name: "gyp-pieces", path: "binding.gyp", place: inFolder, family: command, syntax: hash, runs: "node-gyp", wrap: split("# built by hand\n{'variables': {'first%': '@1'},\n 'targets': [{'target_name': 'x', 'sources': ['<!(>(first) @2)',]},],}\n")},
		{name: "scons", path: "SConstruct", place: inFolder, family: command, syntax: hash, runs: "scons", wrap: split("env = Environment()\nenv.Command(\"x\", [], \"@1\" + \" @2\")\n")},
		{name: "waf", path: "wscript", place: inFolder, family: command, syntax: hash, runs: "waf build", wrap: quoted("def build(bld):\n    bld(rule=\"@@\", target=\"x\")\n")},
		{name: "premake", path: "premake5.lua", place: inFolder, family: command, syntax: hash.with(func(s *syntax) { s.comment = "--" }), runs: "premake5", wrap: split("workspace \"x\"\nprebuildcommands { \"@1\" .. \" @2\" }\n")},
		{name: "fortran", path: "tool.f90", family: command, syntax: hash.with(func(s *syntax) { s.comment = "!" }), runs: "what a compiler makes of it", wrap: split("program tool\n  call execute_command_line(\"@1\" // &\n    \" @2\")\nend program\n")},
		{name: "c-macros", path: "tool.c", family: command, syntax: slash, runs: "what a compiler makes of it", wrap: split("#include <stdlib.h>\n#define FIRST \"@1\"\n#define REST \" @2\"\nint main(void) { return system(FIRST REST); }\n")},
		{name: "c-format", path: "tool.c", family: command, syntax: slash, runs: "what a compiler makes of it", wrap: split("#include <stdlib.h>\n#include <stdio.h>\nint main(void) { char b[999]; snprintf(b, sizeof b, \"%s %s\", \"@1\", \"@2\"); return system(b); }\n")},
		{name: "tex", path: "doc/use.tex", family: command, syntax: plain, runs: "latex -shell-escape", wrap: split("\\documentclass{article}\n\\newcommand{\\first}{@1}\n\\immediate\\write18{\\first\\space @2}\n\\begin{document}\nUse it.\n\\end{document}\n")},
		{name: "tex-input", path: "doc/use.tex", family: command, syntax: plain, runs: "latex -shell-escape", wrap: quoted("\\documentclass{article}\n\\input{|\"@@\"}\n")},
		{name: "emacs-local", path: "tool.py", family: command, syntax: pythonSyntax().with(func(s *syntax) { s.cr, s.feed, s.block, s.cookie = false, false, block{}, false }), runs: "Emacs", wrap: quoted("x = 1\n\n# Local Variables:\n# eval: (shell-command \"@@\")\n# End:\n")},
		{name: "vim-modeline", path: "tool.py", family: command, syntax: plain, runs: "Vim with modelineexpr", wrap: func(c code) string {
			return "x = 1\n# vim: set fdm=expr fde=system(\"" + vim.Replace(c.line()) + "\"):\n"
		}},
		{name: "m4-pieces", path: "tool.m4", family: command, syntax: plain, runs: "m4", wrap: split("define(`first', `@1')\nsyscmd(first` @2')\n")},
		{name: "autoconf-pieces", path: "configure.ac", place: inFolder, family: command, syntax: hash, runs: "configure", wrap: split("AC_INIT([x], [1])\nm4_define([first], [@1])\nAC_CONFIG_COMMANDS([x], [first @2])\nAC_OUTPUT\n")},
		{name: "sed-flag", path: "tool.sed", family: command, syntax: hash, runs: "sed -f", wrap: func(c code) string { return "1s\x01.*\x01" + c.line() + "\x01e\n" }, odd: "a sign that no editor shows"},
		{name: "awk-pieces", path: "tool.awk", family: command, syntax: hash, runs: "awk -f", wrap: split("BEGIN {\n  first = \"@1\"\n  line = first \" @2\"\n  system(line)\n}\n")},
		{name: "awk-print", path: "tool.awk", family: command, syntax: hash, runs: "awk -f", wrap: quoted("BEGIN { print \"@@\" | \"sh\" }\n"), odd: "a program that runs data"},
		{name: "shell-subscript", path: "tool.sh", family: command, syntax: shellSyntax().with(func(s *syntax) { s.crlf, s.crlfOK = "", false }), runs: "bash", wrap: quoted("#!/bin/bash\n[[ -v 'a[$(@@)]' ]]\n")},
	}
}
