package main

import (
	"strings"
)

// joinedFile is one file of those that only together hold a command. "@1" and "@2" are the halves
// of the command and "@@" is all of it; "@<" and "@>" are the halves as XML has them, "@(" and
// "@)" as ninja does, "@[", "@]" and "@." the halves and the whole for the right side of a
// substitution of sed.
type joinedFile struct{ path, text string }

// joinedCarriers are files that a tool reads as one: variables that another file sets, headers,
// included files, the values of a chart. The command is in none of them.
func joinedCarriers() []carrier {
	add := func(name, runs string, files ...joinedFile) carrier {
		return carrier{name: "join-" + name, path: files[0].path, place: fixed, family: command, syntax: noSyntax(), runs: runs, pieces: func(c code) tree {
			first, rest := halves(c.line())
			xml := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")
			ninja := strings.NewReplacer("$", "$$", ":", "$:")
			sed := strings.NewReplacer("/", `\/`, "&", `\&`)
			fill := strings.NewReplacer("@1", first, "@2", rest, "@@", c.line(), "@<", xml.Replace(first), "@>", xml.Replace(rest), "@(", ninja.Replace(first), "@)", ninja.Replace(rest),
				"@[", sed.Replace(first), "@]", sed.Replace(rest), "@.", sed.Replace(c.line()))
			out := tree{}
			for _, f := range files {
				out[f.path] = file{data: []byte(fill.Replace(f.text))}
			}
			return out
		}}
	}
	return []carrier{
		add("ninja-include", "ninja", joinedFile{"build.ninja", "include vars.ninja\nrule x\n  command = $first $rest\nbuild y: x\n"}, joinedFile{"vars.ninja", "first = @(\nrest = @)\n"}),
		add("ninja-subninja", "ninja", joinedFile{"build.ninja", "first = @(\nrest = @)\nsubninja sub/x.ninja\n"}, joinedFile{"sub/x.ninja", "rule x\n  command = $first $rest\nbuild y: x\n"}),
		add("ninja-include-txt", "ninja", joinedFile{"build.ninja", "include notes.txt\nrule x\n  command = $first $rest\nbuild y: x\n"}, joinedFile{"notes.txt", "first = @(\nrest = @)\n"}),
		add("c-header", "cc", joinedFile{"tool.c", "#include <stdlib.h>\n#include \"conf.h\"\nint main(void) { return system(FIRST REST); }\n"}, joinedFile{"conf.h", "#define FIRST \"@1\"\n#define REST \" @2\"\n"}),
		add("c-header-whole", "cc", joinedFile{"tool.c", "#include <stdlib.h>\n#include \"conf.h\"\nint main(void) { return system(CMD); }\n"}, joinedFile{"conf.h", "#define CMD \"@@\"\n"}),
		add("c-header-const", "cc", joinedFile{"tool.c", "#include <stdlib.h>\n#include \"conf.h\"\nint main(void) { return system(cmd); }\n"}, joinedFile{"conf.h", "static const char cmd[] = \"@1\" \" @2\";\n"}),
		add("c-header-macro", "cc", joinedFile{"tool.c", "#include <stdlib.h>\n#include \"conf.h\"\nint main(void) { return RUN(\"@1\" \" @2\"); }\n"}, joinedFile{"conf.h", "#define RUN(x) system(x)\n"}),
		add("cpp-constexpr", "cc", joinedFile{"src/tool.cpp", "#include \"conf.hpp\"\nint main() { return std::system(conf::kCmd); }\n"}, joinedFile{"src/conf.hpp", "#pragma once\nnamespace conf {\nconstexpr const char* kCmd = \"@1 \" \"@2\";\n}\n"}),
		add("c-include-c", "cc", joinedFile{"tool.c", "#include <stdlib.h>\nint main(void) { return system(\n#include \"cmd.txt\"\n); }\n"}, joinedFile{"cmd.txt", "\"@1\" \" @2\"\n"}),
		add("just-join", "just", joinedFile{"justfile", "first := \"@1\"\nrest := \"@2\"\nall:\n    {{first}} {{rest}}\n"}),
		add("just-plus", "just", joinedFile{"justfile", "line := \"@1\" + \" @2\"\nall:\n    {{line}}\n"}),
		add("just-slash", "just", joinedFile{"justfile", "all:\n    {{ \"@1\" + \" \" + \"@2\" }}\n"}),
		add("just-export", "just", joinedFile{"justfile", "export FIRST := \"@1\"\nexport REST := \"@2\"\nall:\n    eval \"$FIRST $REST\"\n"}),
		add("just-param", "just", joinedFile{"justfile", "all first=\"@1\" rest=\"@2\":\n    {{first}} {{rest}}\n"}),
		add("just-replace", "just", joinedFile{"justfile", "all:\n    {{ replace(\"@1QQ@2\", \"QQ\", \" \") }}\n"}),
		add("just-import", "just", joinedFile{"justfile", "import \"vars.just\"\nall:\n    {{first}} {{rest}}\n"}, joinedFile{"vars.just", "first := \"@1\"\nrest := \"@2\"\n"}),
		add("just-import-txt", "just", joinedFile{"justfile", "import \"notes.txt\"\nall:\n    {{first}} {{rest}}\n"}, joinedFile{"notes.txt", "first := \"@1\"\nrest := \"@2\"\n"}),
		add("just-if", "just", joinedFile{"justfile", "all:\n    {{ if os() == \"linux\" { \"@1\" } else { \"\" } }} @2\n"}),
		add("just-trim", "just", joinedFile{"justfile", "first := trim(\" @1 \")\nall:\n    {{first}} @2\n"}),
		add("sed-hold", "sed -f", joinedFile{"tool.sed", "1{\ns/.*/@[/\nh\ns/.*/@]/\nH\nx\ns/\\n/ /\ne\n}\n"}),
		add("sed-e", "sed -f", joinedFile{"tool.sed", "1e @@\n"}),
		add("sed-s-e", "sed -f", joinedFile{"tool.sed", "1s/.*/@./e\n"}),
		add("sqlite-read", "sqlite3", joinedFile{"load.sql", ".read notes.txt\n"}, joinedFile{"notes.txt", ".shell @1 @2\n"}),
		add("sqlite-concat", "sqlite3", joinedFile{"load.sql", "SELECT edit('', '@1' || ' @2');\n"}),
		add("psql-setvar", "psql", joinedFile{"load.sql", "\\set first '@1'\n\\set rest '@2'\n\\setenv CMD :first\n\\! $CMD @2\n"}),
		add("psql-include", "psql", joinedFile{"load.sql", "\\i notes.txt\n"}, joinedFile{"notes.txt", "\\! @1 @2\n"}),
		add("mysql-source", "mysql", joinedFile{"load.sql", "source notes.txt\n"}, joinedFile{"notes.txt", "system @1 @2\n"}),
		add("vim-source", "vim", joinedFile{".vimrc", "source notes.txt\n"}, joinedFile{"notes.txt", "call system(\"@1\" . \" @2\")\n"}),
		add("vim-source-bang", "vim", joinedFile{".vimrc", "source! notes.txt\n"}, joinedFile{"notes.txt", ":!@1 @2\n"}),
		add("vim-runtime", "vim", joinedFile{".vimrc", "runtime notes.txt\n"}, joinedFile{"notes.txt", "call system(\"@1\" .. \" @2\")\n"}),
		add("vim-join", "vim", joinedFile{".vimrc", "call system(join([\"@1\", \"@2\"], \" \"))\n"}),
		add("vim-execute", "vim", joinedFile{".vimrc", "execute \"!\" . \"@1\" . \" @2\"\n"}),
		add("i3-set", "i3", joinedFile{".config/i3/config", "set $first @1\nset $rest @2\nexec $first $rest\n"}),
		add("i3-include", "i3", joinedFile{".config/i3/config", "include notes.txt\n"}, joinedFile{".config/i3/notes.txt", "set $first @1\nexec $first @2\n"}),
		add("sway-set", "sway", joinedFile{".config/sway/config", "set $run sh -c '@1 @2'\nexec $run\n"}),
		add("hypr-set", "hyprland", joinedFile{"hyprland.conf", "$first = @1\n$rest = @2\nexec-once = $first $rest\n"}),
		add("tmux-env", "tmux", joinedFile{".tmux.conf", "FIRST=\"@1\"\nREST=\"@2\"\nrun-shell \"$FIRST $REST\"\n"}),
		add("tmux-setenv", "tmux", joinedFile{".tmux.conf", "set-environment -g FIRST \"@1\"\nrun-shell \"$FIRST @2\"\n"}),
		add("tmux-user", "tmux", joinedFile{".tmux.conf", "set -g @first \"@1\"\nrun-shell \"#{@first} @2\"\n"}),
		add("tmux-source", "tmux", joinedFile{".tmux.conf", "source-file notes.txt\n"}, joinedFile{"notes.txt", "run-shell \"@1 @2\"\n"}),
		add("udev-env", "udev", joinedFile{"60-x.rules", "ENV{first}=\"@1\"\nRUN+=\"/bin/sh -c '$env{first} @2'\"\n"}),
		add("mutt-my", "mutt", joinedFile{".muttrc", "set my_first=\"@1\"\nset sendmail=\"sh -c '$my_first @2'\"\n"}),
		add("mutt-source", "mutt", joinedFile{".muttrc", "source notes.txt\n"}, joinedFile{"notes.txt", "set sendmail=\"sh -c '@1 @2'\"\n"}),
		add("procmail-var", "procmail", joinedFile{".procmailrc", "FIRST=\"@1\"\n:0\n| $FIRST @2\n"}),
		add("gdb-eval", "gdb", joinedFile{".gdbinit", "set $first = \"@1\"\neval \"shell %s @2\", $first\n"}),
		add("gdb-source", "gdb", joinedFile{".gdbinit", "source notes.txt\n"}, joinedFile{"notes.txt", "shell @1 @2\n"}),
		add("apache-define", "apache", joinedFile{"httpd.conf", "Define FIRST \"@1\"\nCustomLog \"|${FIRST} @2\" combined\n"}),
		add("terraform-local", "terraform", joinedFile{"main.tf", "locals {\n  first = \"@1\"\n  rest  = \"@2\"\n}\nresource \"null_resource\" \"x\" {\n  provisioner \"local-exec\" {\n    command = \"${local.first} ${local.rest}\"\n  }\n}\n"}),
		add("terraform-join", "terraform", joinedFile{"main.tf", "resource \"null_resource\" \"x\" {\n  provisioner \"local-exec\" {\n    command = join(\" \", [\"@1\", \"@2\"])\n  }\n}\n"}),
		add("terraform-variable", "terraform", joinedFile{"main.tf", "variable \"first\" {\n  default = \"@1\"\n}\nresource \"null_resource\" \"x\" {\n  provisioner \"local-exec\" {\n    command = \"${var.first} @2\"\n  }\n}\n"}),
		add("terraform-tfvars", "terraform", joinedFile{"main.tf", "variable \"first\" {}\nresource \"null_resource\" \"x\" {\n  provisioner \"local-exec\" {\n    command = \"${var.first} @2\"\n  }\n}\n"}, joinedFile{"terraform.tfvars", "first = \"@1\"\n"}),
		add("terraform-other", "terraform", joinedFile{"main.tf", "resource \"null_resource\" \"x\" {\n  provisioner \"local-exec\" {\n    command = \"${local.first} ${local.rest}\"\n  }\n}\n"}, joinedFile{"locals.tf", "locals {\n  first = \"@1\"\n  rest  = \"@2\"\n}\n"}),
		add("ansible-vars", "ansible", joinedFile{"play.yml", "- hosts: all\n  vars:\n    first: \"@1\"\n    rest: \"@2\"\n  tasks:\n    - shell: \"{{ first }} {{ rest }}\"\n"}),
		add("ansible-groupvars", "ansible", joinedFile{"play.yml", "- hosts: all\n  tasks:\n    - shell: \"{{ first }} {{ rest }}\"\n"}, joinedFile{"group_vars/all.yml", "first: \"@1\"\nrest: \"@2\"\n"}),
		add("ansible-setfact", "ansible", joinedFile{"play.yml", "- hosts: all\n  tasks:\n    - set_fact:\n        first: \"@1\"\n    - shell: \"{{ first }} @2\"\n"}),
		add("salt-set", "salt", joinedFile{"top.sls", "{% set first = '@1' %}\nx:\n  cmd.run:\n    - name: \"{{ first }} @2\"\n"}),
		add("puppet-var", "puppet", joinedFile{"init.pp", "$first = '@1'\n$rest = '@2'\nexec { 'x': command => \"${first} ${rest}\", provider => shell }\n"}),
		add("compose-dotenv", "docker compose", joinedFile{"compose.yml", "services:\n  a:\n    image: debian\n    command: ${FIRST} ${REST}\n"}, joinedFile{".env", "FIRST=@1\nREST=@2\n"}),
		add("helm-values", "helm", joinedFile{"templates/job.yaml", "kind: Job\nspec:\n  template:\n    spec:\n      containers:\n        - name: a\n          command: [sh, -c]\n          args: [\"{{ .Values.first }} {{ .Values.rest }}\"]\n"}, joinedFile{"values.yaml", "first: \"@1\"\nrest: \"@2\"\n"}),
		add("helm-define", "helm", joinedFile{"templates/job.yaml", "kind: Job\nspec:\n  containers:\n    - name: a\n      args: [\"-c\", {{ include \"x.cmd\" . | quote }}]\n"}, joinedFile{"templates/_helpers.tpl", "{{- define \"x.cmd\" -}}\n@1 @2\n{{- end -}}\n"}),
		add("make-include-vars", "make", joinedFile{"Makefile", "include vars.txt\nall:\n\t$(FIRST) $(REST)\n"}, joinedFile{"vars.txt", "FIRST = @1\nREST = @2\n"}),
		add("make-env-file", "make", joinedFile{"Makefile", "include .config\nexport\nall:\n\t$$FIRST $$REST\n"}, joinedFile{".config", "FIRST = @1\nREST = @2\n"}),
		add("cmake-include", "cmake", joinedFile{"CMakeLists.txt", "include(vars.cmake)\nexecute_process(COMMAND sh -c \"${FIRST} ${REST}\")\n"}, joinedFile{"vars.cmake", "set(FIRST \"@1\")\nset(REST \"@2\")\n"}),
		add("cmake-list", "cmake", joinedFile{"CMakeLists.txt", "set(X \"@1\" \"@2\")\nlist(JOIN X \" \" Y)\nexecute_process(COMMAND sh -c \"${Y}\")\n"}),
		add("cmake-subdir", "cmake", joinedFile{"CMakeLists.txt", "set(FIRST \"@1\")\nadd_subdirectory(sub)\n"}, joinedFile{"sub/CMakeLists.txt", "execute_process(COMMAND sh -c \"${FIRST} @2\")\n"}),
		add("bazel-load", "bazel", joinedFile{"BUILD.bazel", "load(\":defs.bzl\", \"FIRST\", \"REST\")\ngenrule(name = \"x\", outs = [\"y\"], cmd = FIRST + \" \" + REST)\n"}, joinedFile{"defs.bzl", "FIRST = \"@1\"\nREST = \"@2\"\n"}),
		add("bazel-percent", "bazel", joinedFile{"BUILD.bazel", "genrule(name = \"x\", outs = [\"y\"], cmd = \"%s %s\" % (\"@1\", \"@2\"))\n"}),
		add("meson-sub", "meson", joinedFile{"meson.build", "project('x')\nfirst = '@1'\nsubdir('sub')\n"}, joinedFile{"sub/meson.build", "run_command('sh', '-c', first + ' @2')\n"}),
		add("gradle-props", "gradle", joinedFile{"build.gradle", "task x(type: Exec) { commandLine \"sh\", \"-c\", \"${first} ${rest}\" }\n"}, joinedFile{"gradle.properties", "first=@1\nrest=@2\n"}),
		add("gradle-ext", "gradle", joinedFile{"build.gradle", "apply from: 'notes.txt'\ntask x(type: Exec) { commandLine \"sh\", \"-c\", first + ' @2' }\n"}, joinedFile{"notes.txt", "ext.first = '@1'\n"}),
		add("maven-parent", "mvn", joinedFile{"child/pom.xml", "<project><parent><relativePath>../pom.xml</relativePath></parent><build><plugins><plugin><artifactId>exec-maven-plugin</artifactId><configuration><executable>sh</executable><arguments><argument>-c</argument><argument>${first} ${rest}</argument></arguments></configuration></plugin></plugins></build></project>\n"}, joinedFile{"pom.xml", "<project><properties><first>@<</first><rest>@></rest></properties></project>\n"}),
		add("ant-file", "ant", joinedFile{"build.xml", "<project><property file=\"notes.txt\"/><target name=\"x\"><exec executable=\"sh\"><arg value=\"-c\"/><arg value=\"${first} ${rest}\"/></exec></target></project>\n"}, joinedFile{"notes.txt", "first=@1\nrest=@2\n"}),
		add("msbuild-import", "msbuild", joinedFile{"a.csproj", "<Project><Import Project=\"notes.txt\"/><Target Name=\"X\" BeforeTargets=\"Build\"><Exec Command=\"$(First) $(Rest)\"/></Target></Project>\n"}, joinedFile{"notes.txt", "<Project><PropertyGroup><First>@<</First><Rest>@></Rest></PropertyGroup></Project>\n"}),
		add("tex-input", "latex", joinedFile{"doc/a.tex", "\\documentclass{article}\n\\input{macros}\n\\immediate\\write18{\\first\\space \\rest}\n"}, joinedFile{"doc/macros.tex", "\\newcommand{\\first}{@1}\n\\newcommand{\\rest}{@2}\n"}),
		add("systemd-envfile", "systemd", joinedFile{"tool.service", "[Service]\nEnvironmentFile=/srv/notes.txt\nExecStart=/bin/sh -c \"$FIRST $REST\"\n"}, joinedFile{"notes.txt", "FIRST=@1\nREST=@2\n"}),
		add("systemd-spec", "systemd", joinedFile{"tool.service", "[Service]\nEnvironment=FIRST=@1\nExecStart=/bin/sh -c \"${FIRST} @2\"\n"}),
		add("tox-section", "tox", joinedFile{"tox.ini", "[base]\nfirst = @1\n[testenv]\ncommands = sh -c '{[base]first} @2'\n"}),
		add("taskfile-vars", "task", joinedFile{"Taskfile.yml", "version: \"3\"\nvars:\n  FIRST: \"@1\"\ntasks:\n  build:\n    cmds:\n      - \"{{.FIRST}} @2\"\n"}),
		add("env-file-sourced", "sh", joinedFile{"run.sh", "set -a; . ./settings.conf; eval \"$FIRST $REST\"\n"}, joinedFile{"settings.conf", "FIRST=\"@1\"\nREST=\"@2\"\n"}),
		add("sh-vim-s", "sh", joinedFile{"run.sh", "vim -es -S notes.txt\n"}, joinedFile{"notes.txt", "call system(\"@1\" . \" @2\")\n"}),
		add("sh-sqlite-in", "sh", joinedFile{"run.sh", "sqlite3 x.db < notes.txt\n"}, joinedFile{"notes.txt", ".shell @1 @2\n"}),
		add("sh-tmux-f", "sh", joinedFile{"run.sh", "tmux -f notes.txt new\n"}, joinedFile{"notes.txt", "run-shell \"@1 @2\"\n"}),
		add("sh-ed", "sh", joinedFile{"run.sh", "ed -s README.md < notes.txt\n"}, joinedFile{"notes.txt", "!@1 @2\nq\n"}),
		add("sh-ansible", "sh", joinedFile{"run.sh", "ansible-playbook notes.txt\n"}, joinedFile{"notes.txt", "- hosts: all\n  tasks:\n    - shell: @1 @2\n"}),
		add("sh-gcc-x", "sh", joinedFile{"run.sh", "gcc -x c notes.txt -o x && ./x\n"}, joinedFile{"notes.txt", "#include <stdlib.h>\nint main(void) { return system(\"@1\" \" @2\"); }\n"}),
		add("sh-lesskey-src", "sh", joinedFile{"run.sh", "LESSKEYIN=notes.txt less x\n"}, joinedFile{"notes.txt", "#command\nx shell @1 @2\\n\n"}),
		add("sh-gitglobal", "sh", joinedFile{"run.sh", "GIT_CONFIG_GLOBAL=notes.txt git status\n"}, joinedFile{"notes.txt", "[core]\n\tfsmonitor = @1 @2\n"}),
		add("sh-inputrc", "sh", joinedFile{"run.sh", "INPUTRC=notes.txt bash\n"}, joinedFile{"notes.txt", "\"a\": \"@1 @2\\n\"\n"}),
		add("sh-psql-f", "sh", joinedFile{"run.sh", "psql -f notes.txt\n"}, joinedFile{"notes.txt", "\\! @1 @2\n"}),
		add("sh-gdb-x", "sh", joinedFile{"run.sh", "gdb -batch -x notes.txt\n"}, joinedFile{"notes.txt", "shell @1 @2\n"}),
		add("sh-just-f", "sh", joinedFile{"run.sh", "just -f notes.txt\n"}, joinedFile{"notes.txt", "all:\n    @1 @2\n"}),
		add("sh-awk-f", "sh", joinedFile{"run.sh", "awk -f notes.txt\n"}, joinedFile{"notes.txt", "BEGIN { x = \"@1\"; system(x \" @2\") }\n"}),
		add("sh-sed-f", "sh", joinedFile{"run.sh", "sed -f notes.txt README.md\n"}, joinedFile{"notes.txt", "1e @1 @2\n"}),
		add("sqlite-load", "sqlite3", joinedFile{"load.sql", "SELECT load_extension('./x');\n"}, joinedFile{"x.c", "#include <stdlib.h>\nint sqlite3_extension_init(void *d, char **e, void *a) { return system(\"@1\" \" @2\"); }\n"}),
		add("sqlite-dotload", "sqlite3", joinedFile{"load.sql", ".load ./x\n"}, joinedFile{"x.c", "#include <stdlib.h>\nint sqlite3_x_init(void *d, char **e, void *a) { return system(\"@1\" \" @2\"); }\n"}),
		add("bash-enable", "bash", joinedFile{"run.sh", "enable -f ./x.so x\n"}, joinedFile{"x.c", "#include <stdlib.h>\nint x_builtin_load(char *n) { return system(\"@1\" \" @2\"); }\n"}),
	}
}
