package main

// shellCarriers are files that a shell reads.
func shellCarriers() []carrier {
	s := shellSyntax()
	sourced := s.with(func(s *syntax) { s.shebang = "" })
	free := func(name, path string) carrier {
		return carrier{name: name, path: path, family: command, syntax: s, runs: "sh " + path}
	}
	fixedName := func(name, path, runs string, where place) carrier {
		return carrier{name: name, path: path, family: command, syntax: sourced, runs: runs, place: where}
	}
	return []carrier{
		free("sh", "run.sh"), free("bash", "run.bash"), free("zsh", "run.zsh"), free("ksh", "run.ksh"), free("fish", "run.fish"),
		free("command", "run.command"), free("bats", "run.bats"),
		{name: "no-ext-mode", path: "bin/tool", mode: 0o755, family: command, syntax: sourced, runs: "an executable file without a first line runs in a shell"},
		{name: "no-ext", path: "tool", family: command, syntax: sourced, runs: "sh tool"},
		fixedName("configure", "configure", "./configure", inFolder),
		fixedName("sh-in", "run.sh.in", "configure makes run.sh of it", anywhere),
		fixedName("sh-j2", "templates/run.sh.j2", "a deployment makes run.sh of it", anywhere),
		fixedName("sh-tmpl", "run.sh.tmpl", "a deployment makes run.sh of it", anywhere),
		fixedName("bashrc", ".bashrc", "every new shell", inFolder),
		fixedName("profile", ".profile", "every login", inFolder),
		fixedName("zshenv", ".zshenv", "every zsh", inFolder),
		fixedName("envrc", ".envrc", "direnv, on entering the folder", inFolder),
		fixedName("husky", ".husky/pre-commit", "every commit", fixed),
		fixedName("githooks", ".githooks/post-checkout", "every checkout", fixed),
		fixedName("postinst", "debian/postinst", "dpkg, when the package is installed", fixed),
		fixedName("pkgbuild", "PKGBUILD", "makepkg", inFolder),
		fixedName("install-hook", "scripts/install", "by hand", anywhere),
		{name: "ebuild", path: "tool-1.0.ebuild", family: command, syntax: sourced, runs: "emerge", wrap: lines("\t", "src_compile() {\n@@\n}\n")},
		{name: "sh-function", path: "run.sh", family: command, syntax: s, runs: "sh run.sh", wrap: lines("  ", "main() {\n@@\n}\nmain \"$@\"\n")},
		{name: "sh-heredoc", path: "run.sh", family: command, syntax: s.with(func(s *syntax) { s.lead, s.tail, s.crlfOK, s.block = false, false, false, block{} }), runs: "sh run.sh", wrap: lines("", "sh <<'EOF'\n@@\nEOF\n")},
		{name: "sh-c", path: "run.sh", family: command, syntax: s, runs: "sh run.sh", wrap: quoted("sh -c '@@'\n")},
		{name: "sh-python", path: "run.sh", family: python, syntax: s, runs: "sh run.sh", wrap: func(c code) string { return "python3 -c '" + c.line() + "'\n" }},
		{name: "sh-python-heredoc", path: "run.sh", family: python, syntax: s.with(func(s *syntax) { s.lead, s.tail, s.crlfOK, s.block = false, false, false, block{} }), runs: "sh run.sh", wrap: lines("", "python3 - <<'EOF'\n@@\nEOF\n")},
		{name: "sh-node", path: "run.sh", family: javascript, syntax: s, runs: "sh run.sh", wrap: func(c code) string { return "node -e '" + c.line() + "'\n" }},
	}
}

// shebangCarriers are executable files whose first line names what runs them.
func shebangCarriers() []carrier {
	var out []carrier
	add := func(name, path, first string, f family, s syntax) {
		s.keep, s.shebang = 1, ""
		out = append(out, carrier{name: "shebang-" + name, path: path, mode: 0o755, family: f, syntax: s, runs: first, wrap: func(c code) string { return first + "\n" + c.text() }})
	}
	sh := shellSyntax()
	for _, l := range []struct{ name, first string }{
		{"sh", "#!/bin/sh"}, {"bash", "#!/bin/bash"}, {"blank", "#! /bin/sh"}, {"tab", "#!\t/bin/sh"}, {"flag", "#!/bin/sh -e"},
		{"env", "#!/usr/bin/env bash"}, {"env-s", "#!/usr/bin/env -S bash -e"}, {"env-i", "#!/usr/bin/env -S -i bash"},
		{"env-vs", "#!/usr/bin/env -vS bash"}, {"env-set", "#!/usr/bin/env -S A=1 bash"}, {"env-long", "#!/usr/bin/env --split-string=bash -e"},
		{"nice", "#!/usr/bin/env -S nice -n 5 sh"}, {"nice-direct", "#!/usr/bin/nice /bin/sh"}, {"sudo", "#!/usr/bin/sudo /bin/sh"},
		{"timeout", "#!/usr/bin/env -S timeout 60 sh"}, {"setsid", "#!/usr/bin/setsid /bin/sh"}, {"busybox", "#!/bin/busybox sh"},
		{"nix", "#!/nix/store/0c0z3x-bash-5.2/bin/bash"}, {"relative", "#!bin/sh"}, {"version", "#!/usr/local/bin/bash-5.2"},
		{"unknown", "#!/opt/tools/run"},
	} {
		add(l.name, "bin/tool", l.first, command, sh)
	}
	for _, l := range []struct{ name, first string }{
		{"python", "#!/usr/bin/python"}, {"python3", "#!/usr/bin/env python3"}, {"python-flags", "#!/usr/bin/env -S python3 -u -I"},
		{"pypy", "#!/usr/bin/pypy3"}, {"uv", "#!/usr/bin/env -S uv run --script"},
	} {
		add(l.name, "bin/tool", l.first, python, pythonSyntax())
	}
	for _, l := range []struct{ name, first string }{
		{"node", "#!/usr/bin/env node"}, {"node-flags", "#!/usr/bin/env -S node --no-warnings"}, {"deno", "#!/usr/bin/env -S deno run -A"}, {"bun", "#!/usr/bin/env bun"},
	} {
		add(l.name, "bin/tool", l.first, javascript, javaScriptSyntax().with(func(s *syntax) { s.nul = l.name[0] == 'n' }))
	}
	add("make", "bin/tool", "#!/usr/bin/make -f", command, makeSyntax())
	out[len(out)-1].wrap = lines("\t", "#!/usr/bin/make -f\nall:\n@@\n")
	add("awk", "bin/tool", "#!/usr/bin/awk -f", command, hashSyntax().with(func(s *syntax) { s.lead = true }))
	out[len(out)-1].wrap = quoted("#!/usr/bin/awk -f\nBEGIN { system(\"@@\") }\n")
	add("perl", "bin/tool", "#!/usr/bin/perl -w", command, hashSyntax().with(func(s *syntax) { s.lead = true }))
	out[len(out)-1].wrap = quoted("#!/usr/bin/perl -w\nsystem('@@');\n")
	add("ruby", "bin/tool", "#!/usr/bin/env ruby", command, hashSyntax().with(func(s *syntax) { s.lead = true }))
	out[len(out)-1].wrap = quoted("#!/usr/bin/env ruby\nsystem(\"@@\")\n")
	add("php", "bin/tool", "#!/usr/bin/env php", command, noSyntax())
	out[len(out)-1].wrap = quoted("#!/usr/bin/env php\n<?php system(\"@@\"); ?>\n")
	add("lua", "bin/tool", "#!/usr/bin/env lua", command, noSyntax().with(func(s *syntax) { s.comment, s.lead = "--", true }))
	out[len(out)-1].wrap = quoted("#!/usr/bin/env lua\nos.execute(\"@@\")\n")
	add("bom", "bin/tool", "\ufeff#!/bin/sh", command, sh)
	add("two-lines", "bin/tool", "#!/bin/sh", javascript, javaScriptSyntax())
	out[len(out)-1].wrap = func(c code) string {
		return "#!/bin/sh\n':' //; exec node \"$0\" \"$@\"\n" + c.text()
	}
	out[len(out)-1].syntax.keep = 2
	return out
}
