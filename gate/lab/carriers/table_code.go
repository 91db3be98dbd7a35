package main

// pythonCarriers are files that Python reads.
func pythonCarriers() []carrier {
	s := pythonSyntax()
	free := func(name, path, runs string) carrier {
		return carrier{name: name, path: path, family: python, syntax: s, runs: runs}
	}
	at := func(name, path, runs string, where place) carrier {
		c := free(name, path, runs)
		c.place = where
		return c
	}
	return []carrier{
		free("py", "run.py", "python3 run.py"), free("pyw", "run.pyw", "pythonw run.pyw"), free("pyx", "run.pyx", "cython"),
		free("wsgi", "app.wsgi", "a web server"), free("xsh", "run.xsh", "xonsh run.xsh"), free("ipy", "run.ipy", "ipython run.ipy"),
		free("sage", "run.sage", "sage run.sage"),
		{name: "pth", path: "tools.pth", family: python, runs: "every start of Python", syntax: hashSyntax().with(func(s *syntax) { s.crlfOK, s.tail = true, true }), wrap: quoted("@@\n")},
		at("setup-py", "setup.py", "pip install .", inFolder), at("conftest", "conftest.py", "pytest", inFolder),
		at("init-py", "tools/__init__.py", "import tools", inFolder), at("main-py", "tools/__main__.py", "python3 -m tools", inFolder),
		at("sitecustomize", "sitecustomize.py", "every start of Python in the folder", inFolder),
		at("conf-py", "docs/conf.py", "sphinx-build", inFolder), at("noxfile", "noxfile.py", "nox", inFolder), at("wscript", "wscript", "waf", inFolder),
		at("sconstruct", "SConstruct", "scons", inFolder), at("snakefile", "Snakefile", "snakemake", inFolder),
		at("pythonrc", ".pythonrc", "an interactive Python", inFolder), at("dodo", "dodo.py", "doit", inFolder),
		{
			name: "build-backend", path: "_build/backend.py", family: python, syntax: s, place: fixed, runs: "pip install .",
			with: tree{"pyproject.toml": {data: []byte("[build-system]\nrequires = []\nbuild-backend = \"backend\"\nbackend-path = [\"_build\"]\n")}},
		},
		{name: "py-function", path: "run.py", family: python, syntax: s.with(func(s *syntax) { s.feed = false; s.block = block{} }), runs: "python3 run.py", wrap: lines("    ", "def main():\n@@\n\n\nmain()\n")},
		{name: "py-exec", path: "run.py", family: python, syntax: s, runs: "python3 run.py", wrap: func(c code) string { return "exec(" + jsonString(c.text()) + ")\n" }},
	}
}

// javaScriptCarriers are files that a JavaScript engine reads.
func javaScriptCarriers() []carrier {
	s := javaScriptSyntax()
	typed := s.with(func(s *syntax) { s.nul, s.shebang = false, "#!/usr/bin/env -S npx tsx" })
	free := func(name, path, runs string, s syntax) carrier {
		return carrier{name: name, path: path, family: javascript, syntax: s, runs: runs}
	}
	at := func(name, path, runs string) carrier {
		c := free(name, path, runs, s)
		c.place = inFolder
		return c
	}
	module := func(c code) string {
		return "import { createRequire } from \"module\"; const require = createRequire(import.meta.url);\n" + c.text()
	}
	mjs := free("mjs", "run.mjs", "node run.mjs", s)
	mjs.wrap = module
	vite := at("vite", "vite.config.ts", "vite")
	vite.syntax, vite.wrap = typed, func(c code) string { return c.text() + "export default {};\n" }
	return []carrier{
		free("js", "run.js", "node run.js", s), mjs, free("cjs", "run.cjs", "node run.cjs", s), free("jsx", "run.jsx", "a bundler", s),
		free("es6", "run.es6", "a bundler", s), free("ts", "run.ts", "tsx run.ts", typed), free("cts", "run.cts", "tsx run.cts", typed), free("tsx", "run.tsx", "tsx run.tsx", typed),
		at("eslintrc", ".eslintrc.js", "eslint"), at("webpack", "webpack.config.js", "webpack"), at("gulpfile", "gulpfile.js", "gulp"), at("jest", "jest.config.js", "jest"),
		at("pnpmfile", ".pnpmfile.cjs", "pnpm install"), at("postcss", "postcss.config.cjs", "a bundler"), vite,
		{name: "js-function", path: "run.js", family: javascript, syntax: s, runs: "node run.js", wrap: lines("  ", "(function () {\n@@\n})();\n")},
	}
}

// languageCarriers are programs in other languages that start a command.
func languageCarriers() []carrier {
	slash, hash := slashSyntax(), hashSyntax()
	hashed := hash.with(func(s *syntax) { s.lead, s.crlfOK = true, true })
	dashed := noSyntax().with(func(s *syntax) { s.comment, s.lead, s.tail, s.crlfOK = "--", true, true, true })
	out := []carrier{
		{name: "ps1", path: "run.ps1", runs: "pwsh run.ps1", wrap: quoted("& sh -c \"@@\"\n"), syntax: hashed.with(func(s *syntax) {
			s.bom, s.utf16, s.utf32, s.cr, s.bytes, s.junk, s.block = true, true, true, true, true, "", block{"<#", "#>", "<# #>", "<# #>"}
		})},
		{name: "bat", path: "run.bat", runs: "cmd", wrap: quoted("@echo off\r\nbash -c \"@@\"\r\n"), syntax: syntax{
			comment: "rem", lead: true, tail: true, bom: true, mark: "", junk: "", bytes: true, nul: true,
		}},
		{name: "cmd", path: "run.cmd", runs: "cmd", wrap: quoted("bash -c \"@@\"\r\n"), syntax: syntax{comment: "rem", lead: true, tail: true, bom: true, mark: "", junk: "", bytes: true, nul: true}},
		{name: "rb", path: "run.rb", runs: "ruby run.rb", wrap: quoted("system(\"@@\")\n"), syntax: hashed.with(func(s *syntax) {
			s.bom, s.bytes, s.feed, s.assign, s.shebang, s.block = true, true, true, "NAME=1", "#!/usr/bin/env ruby", block{"=begin", "=end", "", "=begin\n=end"}
		})},
		{name: "rb-backticks", path: "run.rb", runs: "ruby run.rb", wrap: quoted("puts `@@`\n"), syntax: hashed},
		{name: "pl", path: "run.pl", runs: "perl run.pl", wrap: quoted("system('@@');\n"), syntax: hashed.with(func(s *syntax) {
			s.bom, s.bytes, s.nul, s.feed, s.shebang = true, true, true, true, "#!/usr/bin/perl"
		})},
		{name: "pl-backticks", path: "run.pm", runs: "perl", wrap: quoted("my $x = qx{@@};\n"), syntax: hashed},
		{name: "php", path: "run.php", runs: "php run.php", wrap: quoted("<?php\nsystem(\"@@\");\n"), syntax: slash.with(func(s *syntax) {
			s.keep = 1
			s.bytes, s.nul = true, true
		})},
		{name: "php-inline", path: "page.php", runs: "a web server", wrap: quoted("<p>Page</p>\n<?= shell_exec(\"@@\") ?>\n"), syntax: syntax{mark: "", junk: "", bom: true, lead: true}},
		{name: "lua", path: "run.lua", runs: "lua run.lua", wrap: quoted("os.execute(\"@@\")\n"), syntax: dashed.with(func(s *syntax) {
			s.bom, s.bytes, s.nul, s.feed, s.assign, s.shebang, s.block = true, true, true, true, "NAME=1", "#!/usr/bin/env lua", block{"--[[", "]]", "--", "--"}
		})},
		{name: "r", path: "run.R", runs: "Rscript run.R", wrap: quoted("system(\"@@\")\n"), syntax: hashed.with(func(s *syntax) { s.assign = "NAME=1" })},
		{name: "rprofile", path: ".Rprofile", place: inFolder, runs: "every start of R", wrap: quoted("system(\"@@\")\n"), syntax: hashed},
		{name: "nix", path: "default.nix", runs: "nix-build", wrap: lines("    ", "derivation {\n  name = \"x\";\n  buildPhase = ''\n@@\n  '';\n}\n"), syntax: hashed},
		{name: "nix-shell", path: "shell.nix", runs: "nix-shell", wrap: lines("    ", "{ mkShell }: mkShell {\n  shellHook = ''\n@@\n  '';\n}\n"), syntax: hashed},
		{name: "bzl", path: "defs.bzl", runs: "bazel build", wrap: quoted("def tool():\n    native.genrule(name = \"x\", cmd = \"@@\", outs = [\"y\"])\n"), syntax: hash.with(func(s *syntax) { s.crlfOK = true })},
		{name: "bazel", path: "BUILD.bazel", place: inFolder, runs: "bazel build", wrap: quoted("genrule(name = \"x\", cmd = \"@@\", outs = [\"y\"])\n"), syntax: hash},
		{name: "build", path: "BUILD", place: inFolder, runs: "bazel build", wrap: quoted("genrule(name = \"x\", cmd = \"@@\", outs = [\"y\"])\n"), syntax: hash},
		{name: "tiltfile", path: "Tiltfile", place: inFolder, runs: "tilt up", wrap: quoted("local(\"@@\")\n"), syntax: hash},
		{name: "gradle", path: "build.gradle", place: inFolder, runs: "gradle build", wrap: quoted("exec { commandLine 'sh', '-c', '@@' }\n"), syntax: slash},
		{name: "gradle-kts", path: "build.gradle.kts", place: inFolder, runs: "gradle build", wrap: quoted("exec { commandLine(\"sh\", \"-c\", \"@@\") }\n"), syntax: slash},
		{name: "kts", path: "run.main.kts", runs: "kotlin run.main.kts", wrap: quoted("ProcessBuilder(\"sh\", \"-c\", \"@@\").start()\n"), syntax: slash},
		{name: "groovy", path: "run.groovy", runs: "groovy run.groovy", wrap: quoted("['sh', '-c', '@@'].execute()\n"), syntax: slash},
		{name: "jenkinsfile", path: "Jenkinsfile", place: inFolder, runs: "Jenkins", wrap: quoted("node {\n  sh '@@'\n}\n"), syntax: slash},
		{name: "sbt", path: "build.sbt", place: inFolder, runs: "sbt", wrap: quoted("import sys.process._\nval x = Seq(\"sh\", \"-c\", \"@@\").!\n"), syntax: slash},
		{name: "cs", path: "Run.cs", runs: "dotnet run", wrap: quoted("System.Diagnostics.Process.Start(\"sh\", \"-c '@@'\");\n"), syntax: slash.with(func(s *syntax) { s.bom, s.utf16, s.utf32, s.cr, s.separator = true, true, true, true, true })},
		{name: "csx", path: "run.csx", runs: "dotnet script run.csx", wrap: quoted("System.Diagnostics.Process.Start(\"sh\", \"-c '@@'\");\n"), syntax: slash},
		{name: "fsx", path: "run.fsx", runs: "dotnet fsi run.fsx", wrap: quoted("System.Diagnostics.Process.Start(\"sh\", \"-c '@@'\") |> ignore\n"), syntax: slash},
		{name: "kt", path: "Run.kt", runs: "kotlinc", wrap: quoted("fun main() {\n    Runtime.getRuntime().exec(arrayOf(\"sh\", \"-c\", \"@@\"))\n}\n"), syntax: slash},
		{name: "java", path: "Run.java", runs: "java Run.java", wrap: quoted("class Run {\n  public static void main(String[] a) throws Exception {\n    new ProcessBuilder(\"sh\", \"-c\", \"@@\").start();\n  }\n}\n"), syntax: slash},
		{name: "scala", path: "Run.scala", runs: "scala Run.scala", wrap: quoted("import sys.process._\nobject Run extends App { Seq(\"sh\", \"-c\", \"@@\").! }\n"), syntax: slash},
		{name: "swift", path: "Package.swift", place: inFolder, runs: "swift build", wrap: quoted("import Foundation\nlet p = Process(); p.launchPath = \"/bin/sh\"; p.arguments = [\"-c\", \"@@\"]; p.launch()\n"), syntax: slash},
		{name: "go-generate", path: "gen.go", runs: "go generate", wrap: quoted("package tools\n\n//go:generate sh -c \"@@\"\n"), syntax: slash.with(func(s *syntax) { s.bom, s.block, s.lead = true, block{}, false })},
		{name: "go-init", path: "init.go", runs: "any program that imports the package", wrap: quoted("package tools\n\nimport \"os/exec\"\n\nfunc init() {\n\t_ = exec.Command(\"sh\", \"-c\", \"@@\").Run()\n}\n"), syntax: slash.with(func(s *syntax) { s.bom = true })},
		{name: "go-test", path: "init_test.go", runs: "go test", wrap: quoted("package tools\n\nimport \"os/exec\"\n\nvar _ = exec.Command(\"sh\", \"-c\", \"@@\").Run()\n"), syntax: slash.with(func(s *syntax) { s.bom = true })},
		{name: "build-rs", path: "build.rs", place: inFolder, runs: "cargo build", wrap: quoted("fn main() {\n    std::process::Command::new(\"sh\").arg(\"-c\").arg(\"@@\").status().unwrap();\n}\n"), syntax: slash},
		{name: "rs", path: "src/main.rs", runs: "cargo run", wrap: quoted("fn main() {\n    std::process::Command::new(\"sh\").arg(\"-c\").arg(\"@@\").status().unwrap();\n}\n"), syntax: slash.with(func(s *syntax) { s.bom = true })},
		{name: "c", path: "run.c", runs: "a compiler", wrap: quoted("#include <stdlib.h>\nint main(void) { return system(\"@@\"); }\n"), syntax: slash.with(func(s *syntax) { s.bom, s.bytes = true, true })},
		{name: "cpp", path: "run.cpp", runs: "a compiler", wrap: quoted("#include <cstdlib>\nint x = std::system(\"@@\");\n"), syntax: slash},
		{name: "zig", path: "build.zig", runs: "zig build", wrap: quoted("pub fn build(b: *B) void { _ = b.addSystemCommand(&.{ \"sh\", \"-c\", \"@@\" }); }\n"), syntax: slash.with(func(s *syntax) { s.block = block{} })},
		{name: "nim", path: "run.nims", runs: "nim", wrap: quoted("exec \"@@\"\n"), syntax: hash},
		{name: "dart", path: "run.dart", runs: "dart run.dart", wrap: quoted("import 'dart:io';\nvoid main() { Process.runSync('sh', ['-c', '@@']); }\n"), syntax: slash},
		{name: "exs", path: "mix.exs", place: inFolder, runs: "mix", wrap: quoted("System.cmd(\"sh\", [\"-c\", \"@@\"])\n"), syntax: hashed},
		{name: "erl", path: "run.escript", runs: "escript", wrap: quoted("%%! -smp\nmain(_) -> os:cmd(\"@@\").\n"), syntax: noSyntax().with(func(s *syntax) { s.comment, s.keep = "%", 1 })},
		{name: "hs", path: "Setup.hs", runs: "cabal", wrap: quoted("import System.Process\nmain = callCommand \"@@\"\n"), syntax: dashed.with(func(s *syntax) { s.lead = false })},
		{name: "ml", path: "run.ml", runs: "ocaml run.ml", wrap: quoted("let _ = Sys.command \"@@\"\n"), syntax: noSyntax().with(func(s *syntax) { s.comment, s.close, s.lead = "(*", "*)", true })},
		{name: "jl", path: "run.jl", runs: "julia run.jl", wrap: quoted("run(Cmd([\"sh\", \"-c\", \"@@\"]))\n"), syntax: hashed},
		{name: "cr", path: "run.cr", runs: "crystal run.cr", wrap: quoted("system(\"@@\")\n"), syntax: hashed},
		{name: "clj", path: "run.clj", runs: "clojure", wrap: quoted("(require '[clojure.java.shell :refer [sh]])\n(sh \"sh\" \"-c\" \"@@\")\n"), syntax: noSyntax().with(func(s *syntax) { s.comment, s.lead = ";", true })},
		{name: "tcl", path: "run.tcl", runs: "tclsh run.tcl", wrap: quoted("exec sh -c \"@@\"\n"), syntax: hashed},
		{name: "expect", path: "run.exp", runs: "expect run.exp", wrap: quoted("spawn sh -c \"@@\"\n"), syntax: hashed},
		{name: "awk", path: "run.awk", runs: "awk -f run.awk", wrap: quoted("BEGIN { system(\"@@\") }\n"), syntax: hashed.with(func(s *syntax) { s.bytes = true })},
		{name: "vbs", path: "run.vbs", runs: "cscript run.vbs", wrap: quoted("CreateObject(\"WScript.Shell\").Run \"bash -c '@@'\"\n"), syntax: noSyntax().with(func(s *syntax) { s.comment, s.lead, s.tail, s.crlfOK, s.utf16 = "'", true, true, true, true })},
		{name: "hta", path: "run.hta", runs: "mshta", wrap: quoted("<script language=\"VBScript\">\nCreateObject(\"WScript.Shell\").Run \"bash -c '@@'\"\n</script>\n"), syntax: htmlSyntax().with(func(s *syntax) { s.cr = false })},
		{name: "el", path: "init.el", runs: "Emacs", wrap: quoted("(shell-command \"@@\")\n"), syntax: noSyntax().with(func(s *syntax) { s.comment, s.lead, s.bytes = ";", true, true })},
		{name: "vimrc", path: ".vimrc", place: inFolder, runs: "Vim", wrap: quoted("call system('@@')\n"), syntax: noSyntax().with(func(s *syntax) {
			s.comment, s.lead, s.tail, s.mark, s.junk, s.bom, s.bytes = "\"", true, true, "", "", true, true
		})},
		{name: "vim", path: "plugin/tool.vim", runs: "Vim", wrap: quoted("silent !@@\n"), syntax: noSyntax().with(func(s *syntax) { s.comment, s.lead, s.junk, s.mark, s.bytes = "\"", true, "", "", true })},
		{name: "applescript", path: "run.applescript", runs: "osascript", wrap: quoted("do shell script \"@@\"\n"), syntax: dashed},
		{name: "sql", path: "run.sql", runs: "psql -f run.sql", wrap: quoted("COPY x FROM PROGRAM '@@';\n"), syntax: dashed.with(func(s *syntax) { s.bom = true })},
		{name: "psql", path: "load.psql", runs: "psql", wrap: quoted("\\! @@\n"), syntax: dashed.with(func(s *syntax) { s.bom, s.crlfOK = true, false })},
		{name: "tf", path: "main.tf", runs: "terraform apply", wrap: quoted("resource \"null_resource\" \"x\" {\n  provisioner \"local-exec\" {\n    command = \"@@\"\n  }\n}\n"), syntax: hashed.with(func(s *syntax) { s.bom = true })},
		{name: "hcl", path: "image.pkr.hcl", runs: "packer build", wrap: quoted("build {\n  provisioner \"shell-local\" {\n    inline = [\"@@\"]\n  }\n}\n"), syntax: hashed},
		{name: "m4", path: "configure.ac", place: inFolder, runs: "autoconf", wrap: quoted("m4_esyscmd([@@])\n"), syntax: noSyntax().with(func(s *syntax) { s.comment, s.lead = "dnl", true })},
		{name: "meson", path: "meson.build", place: inFolder, runs: "meson setup", wrap: quoted("run_command('sh', '-c', '@@')\n"), syntax: hashed},
		{name: "cmake-lists", path: "CMakeLists.txt", place: inFolder, runs: "cmake", wrap: quoted("execute_process(COMMAND sh -c \"@@\")\n"), syntax: hashed.with(func(s *syntax) { s.bom = true })},
		{name: "cmake", path: "tool.cmake", runs: "cmake -P tool.cmake", wrap: quoted("execute_process(COMMAND sh -c \"@@\")\n"), syntax: hashed},
		{name: "dune", path: "dune", place: inFolder, runs: "dune build", wrap: quoted("(rule (targets x) (action (run sh -c \"@@\")))\n"), syntax: noSyntax().with(func(s *syntax) { s.comment, s.lead = ";", true })},
		{name: "rebar", path: "rebar.config", place: inFolder, runs: "rebar3", wrap: quoted("{pre_hooks, [{compile, \"@@\"}]}.\n"), syntax: noSyntax().with(func(s *syntax) { s.comment, s.lead = "%", true })},
		{name: "gemfile", path: "Gemfile", place: inFolder, runs: "bundle install", wrap: quoted("source \"https://rubygems.org\"\nsystem(\"@@\")\n"), syntax: hashed},
		{name: "rakefile", path: "Rakefile", place: inFolder, runs: "rake", wrap: quoted("task :default do\n  sh \"@@\"\nend\n"), syntax: hashed},
		{name: "vagrantfile", path: "Vagrantfile", place: inFolder, runs: "vagrant up", wrap: quoted("Vagrant.configure(\"2\") do |c|\n  c.vm.provision \"shell\", inline: \"@@\"\nend\n"), syntax: hashed},
		{name: "gdbinit", path: ".gdbinit", place: inFolder, runs: "gdb", wrap: quoted("shell @@\n"), syntax: hashed.with(func(s *syntax) { s.crlfOK = false })},
		{name: "lldbinit", path: ".lldbinit", place: inFolder, runs: "lldb", wrap: quoted("platform shell @@\n"), syntax: hash},
		{name: "spec", path: "tool.spec", runs: "rpmbuild", wrap: lines("", "Name: tool\n%build\n@@\n"), syntax: hash},
		{name: "nsi", path: "run.nsi", runs: "makensis", wrap: quoted("!system \"@@\"\n"), syntax: hashed.with(func(s *syntax) { s.comment = ";" })},
		{name: "earthfile", path: "Earthfile", place: inFolder, runs: "earthly +x", wrap: quoted("VERSION 0.8\nx:\n    FROM debian\n    RUN @@\n"), syntax: hash},
	}
	for i := range out {
		out[i].family = command
	}
	return out
}
