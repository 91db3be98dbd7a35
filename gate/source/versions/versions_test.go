package versions

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

func TestEditedLinesAreChanged(t *testing.T) {
	lines := func(s string) string { return strings.ReplaceAll(s, " ", "\n") + "\n" }
	for _, tt := range []struct {
		name         string
		older, newer string
		want         []gate.LineRange
	}{
		{"an insertion", lines("a b c"), lines("a x b c"), []gate.LineRange{{2, 2}}},
		{"a deletion at the start", lines("a b c"), lines("b c"), []gate.LineRange{{1, 1}}},
		{"a deletion at the end", lines("a b c"), lines("a b"), []gate.LineRange{{2, 2}}},
		{"neighbouring ranges become one", lines("a b c d"), lines("a X d"), []gate.LineRange{{2, 2}}},
		{"a deletion right behind an edit", lines("a b c d e"), lines("X b d e"), []gate.LineRange{{1, 3}}},
		{"a comment that opens", lines("a b c"), lines("/* a b c"), []gate.LineRange{{1, 4}}},
		{"a comment that opens and closes", lines("a b c"), lines("/* x */ a b c"), []gate.LineRange{{1, 3}}},
		{"a comment that is closed earlier", "/* a\nb\nc */\nd\n", "/* a */\nb\nc\nd\n", []gate.LineRange{{1, 4}}},
		{"a here-document that is gone", lines("a <<E x E y"), lines("a x y"), []gate.LineRange{{1, 3}}},
		{"a here-document that is new", lines("a x y"), lines("a <<E x E y"), []gate.LineRange{{2, 2}, {4, 4}}},
		{"an #if that is gone", "#if 0\nx\n#endif\ny\n", "x\ny\n", []gate.LineRange{{1, 2}}},
		{"backquotes in pairs", lines("a b c"), lines("a `x` b c"), []gate.LineRange{{2, 2}}},
		{"nothing", lines("a b"), lines("a b"), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Compare(Text{gate.LanguageText, "a.txt", []byte(tt.older)}, Text{gate.LanguageText, "a.txt", []byte(tt.newer)}).Changed()
			if diff := cmp.Diff(tt.want, got.Ranges()); diff != "" || got.All() {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// edit is a change around a line that itself stays as it is: the one that holds
// "PAYLOAD".
type edit struct {
	name         string
	language     gate.Language
	older, newer string
}

// flips are edits that make the payload mean something else.
func flips() []edit {
	const (
		sh, py, js, golang = gate.LanguageShell, gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageGo
		yaml, workflow     = gate.LanguageYAML, gate.LanguageWorkflow
	)
	return []edit{
		{"a here document that is a string no more", sh, ": <<'DOC'\nPAYLOAD\nDOC\necho\n", ": '<<DOC'\nPAYLOAD\nDOC\necho\n"},
		{"a here document that loses its quotes", sh, "cat <<'E'\n$(PAYLOAD)\nE\n", "cat <<E\n$(PAYLOAD)\nE\n"},
		{"a here document that goes to a shell", sh, "cat <<E\nPAYLOAD\nE\n", "sh <<E\nPAYLOAD\nE\n"},
		{"a string that ends before it", sh, "usage='\nPAYLOAD\n'\n", "usage=''\nPAYLOAD\n:''\n"},
		{"a string that is evaluated", sh, "x='\nPAYLOAD\n'\n", "eval '\nPAYLOAD\n'\n"},
		{"if false becomes if true", sh, "if false; then\nPAYLOAD\nfi\n", "if true; then\nPAYLOAD\nfi\n"},
		{"the other branch", sh, "if true; then\n:\nelse\nPAYLOAD\nfi\n", "if false; then\n:\nelse\nPAYLOAD\nfi\n"},
		{"a loop that never ran", sh, "while false\ndo\nPAYLOAD\ndone\n", "while :\ndo\nPAYLOAD\ndone\n"},
		{"a pattern of a case", sh, "case $1 in\nnever)\nPAYLOAD\n;;\nesac\n", "case $1 in\n*)\nPAYLOAD\n;;\nesac\n"},
		{"a function that is called now", sh, "f() {\nPAYLOAD\n}\necho\n", "f() {\nPAYLOAD\n}\nf\n"},
		{"a function of another name", sh, "f() {\nPAYLOAD\n}\nls\n", "ls() {\nPAYLOAD\n}\nls\n"},
		{"exit with a carriage return", sh, "exit\nPAYLOAD\n", "exit\r\nPAYLOAD\n"},
		{"an exit that is gone", sh, "exit 0\n\n\n\nPAYLOAD\n", "echo\n\n\n\nPAYLOAD\n"},
		{"an exit under a condition", sh, "if [ -z $X ]; then\n  exit\nfi\n:\n:\nPAYLOAD\n", "if [ -n $X ]; then\n  exit\nfi\n:\n:\nPAYLOAD\n"},
		{"an exit behind a condition", sh, "exit\n:\n:\nPAYLOAD\n", "false && exit\n:\n:\nPAYLOAD\n"},
		{"a variable in a condition", sh, "ON=false\n:\nif $ON; then\n:\nPAYLOAD\nfi\n", "ON=true\n:\nif $ON; then\n:\nPAYLOAD\nfi\n"},
		{"a variable in front of an exit", sh, "OFF=true\n:\n$OFF && exit\n:\nPAYLOAD\n", "OFF=false\n:\n$OFF && exit\n:\nPAYLOAD\n"},
		{"noexec", sh, "set -n\n:\n:\nPAYLOAD\n", ":\n:\nPAYLOAD\n"},
		{"a variable", sh, "U=http://good.example.com\n:\n:\nPAYLOAD $U\n", "U=http://bad.example.com\n:\n:\nPAYLOAD $U\n"},
		{"a variable by way of another", sh, "U=good\n:\nV=$U/x\n:\nPAYLOAD $V\n", "U=bad\n:\nV=$U/x\n:\nPAYLOAD $V\n"},
		{"a variable that nothing set", sh, ":\n:\n:\nPAYLOAD $U\n", "U=bad\n:\n:\n:\nPAYLOAD $U\n"},
		{"a variable that is set twice, in another order", sh, "U=good\n:\nPAYLOAD $U\n:\nU=bad\n", "U=bad\n:\nPAYLOAD $U\n:\nU=good\n"},
		{"a variable that was set behind it", sh, ":\n:\nPAYLOAD $U\n:\nU=bad\n", "U=bad\n:\n:\nPAYLOAD $U\n:\n"},
		{"a function instead of the command", sh, ":\n:\n:\ncurl PAYLOAD\n", "curl() { command curl bad; }\n:\n:\n:\ncurl PAYLOAD\n"},
		{"an alias", sh, ":\n:\n:\ncurl PAYLOAD\n", "alias curl=bad\n:\n:\n:\ncurl PAYLOAD\n"},
		{"a command on the next line", sh, "echo \\\n  PAYLOAD\n", "eval \\\n  PAYLOAD\n"},
		{"a pipe behind a group", sh, "{\nPAYLOAD\n}\n", "{\nPAYLOAD\n} | sh\n"},
		{"an interpreter of the project", sh, "#!/bin/sh\n:\n:\nPAYLOAD\n", "#!./bin/sh\n:\n:\nPAYLOAD\n"},
		{"a shell that knows more", sh, "#!/bin/sh\n:\n:\nPAYLOAD\n", "#!/usr/bin/env bash\n:\n:\nPAYLOAD\n"},
		{"another interpreter", sh, "#!/bin/cat\n:\n:\nPAYLOAD\n", "#!/bin/sh\n:\n:\nPAYLOAD\n"},

		{"a documentation string that ends before it", py, "\"\"\"\nPAYLOAD\n\"\"\"\n", "\"\"\" \"\"\"\nPAYLOAD\nx = \"\"\"\n\"\"\"\n"},
		{"quotes in quotes", py, "x = 1\ndoc = \"\"\"\nPAYLOAD\n\"\"\"\n", "x = 1; y = '\"\"\"' + \"\"\"\ndoc = \"\"\"\nPAYLOAD\nz = \"\"\" \"\"\"; w='\"\"\"'; z = \"\"\"\n\"\"\"\n"},
		{"a string that is run", py, "text = '''\nPAYLOAD\n'''\n", "exec('''\nPAYLOAD\n''')\n"},
		{"an argument of something else", py, "print(\n    'PAYLOAD',\n)\n", "os.system(\n    'PAYLOAD',\n)\n"},
		{"a condition", py, "if False:\n    x\n    PAYLOAD\n", "if True:\n    x\n    PAYLOAD\n"},
		{"the condition of the other branch", py, "if a:\n    x\nelse:\n    y\n    PAYLOAD\n", "if not a:\n    x\nelse:\n    y\n    PAYLOAD\n"},
		{"a variable in a condition", py, "ON = False\nx\nif ON:\n    x\n    PAYLOAD\n", "ON = True\nx\nif ON:\n    x\n    PAYLOAD\n"},
		{"a variable in the condition of a return", py, "OFF = True\nx\nif OFF:\n    raise E\nx\nPAYLOAD\n", "OFF = False\nx\nif OFF:\n    raise E\nx\nPAYLOAD\n"},
		{"a function in a condition", js, "function on() { return false }\nx\nif (on()) {\n  x\n  PAYLOAD\n}\n", "function on() { return true }\nx\nif (on()) {\n  x\n  PAYLOAD\n}\n"},
		{"a return that is gone", py, "def f():\n    return\n    x\n    x\n    PAYLOAD\n", "def f():\n    x\n    x\n    PAYLOAD\n"},
		{"raise under a condition", py, "if a:\n    raise E\nx\nx\nPAYLOAD\n", "if a:\n    pass\nx\nx\nPAYLOAD\n"},
		{"a decorator that skips", py, "@unittest.skip('x')\ndef f():\n    x\n    PAYLOAD\n", "def f():\n    x\n    PAYLOAD\n"},
		{"a decorator that registers an unused function", py, "def f():\n    x\n    PAYLOAD\n", "@atexit.register\ndef f():\n    x\n    PAYLOAD\n"},
		{"a decorator with arguments on several lines", py, "def f():\n    x\n    PAYLOAD\n", "@app.route(\n    '/a',\n)\ndef f():\n    x\n    PAYLOAD\n"},
		{"an import under the same name", py, "import json\nx\nx\njson.PAYLOAD\n", "import pickle as json\nx\nx\njson.PAYLOAD\n"},
		{"a default of a parameter", py, "def f(u='good'):\n    x\n    x\n    PAYLOAD(u)\n", "def f(u='bad'):\n    x\n    x\n    PAYLOAD(u)\n"},
		{"an attribute", py, "self.url = 'good'\nx\nx\nPAYLOAD(self.url)\n", "self.url = 'bad'\nx\nx\nPAYLOAD(self.url)\n"},
		{"a function of the file", py, "def f():\n    return 'good'\nx\nx\nPAYLOAD(f())\n", "def f():\n    return 'bad'\nx\nx\nPAYLOAD(f())\n"},
		{"an indentation that leaves a block", py, "def f():\n    x\n    PAYLOAD\n", "def f():\n    x\nPAYLOAD\n"},
		{"an indentation in a string", sh, "cat <<E\nx\nPAYLOAD\nE\n", "cat <<E\nx\n\tPAYLOAD\nE\n"},
		{"a nesting that ends", py, "def f():\n    x\n    def g():\n        x\n        PAYLOAD\n", "def f():\n    x\n    if 1:\n        x\n        PAYLOAD\n"},

		{"a comment whose signs become strings", js, "const a = 1 // /*\n/*\nPAYLOAD\n*/\n", "const a = 1 // /*\n\"/*\"\nPAYLOAD\n\"*/\"\n"},
		{"braces with a condition", js, "if (false) {\nx\nPAYLOAD\n}\n", "if (true) {\nx\nPAYLOAD\n}\n"},
		{"a condition without braces", js, "if (false)\nPAYLOAD\n", "if (true)\nPAYLOAD\n"},
		{"a function that is called in place", js, "var f = (function () {\nx\nPAYLOAD\n});\n", "var f = (function () {\nx\nPAYLOAD\n})();\n"},
		{"a case of a switch", js, "switch (a) {\ncase 1:\nx\nPAYLOAD\n}\n", "switch (a) {\ndefault:\nx\nPAYLOAD\n}\n"},
		{"an operator on the line above", js, "false &&\nPAYLOAD\n", "true &&\nPAYLOAD\n"},
		{"a constant", js, "const u = 'good';\nx\nx\nPAYLOAD(u);\n", "const u = 'bad';\nx\nx\nPAYLOAD(u);\n"},
		{"a throw that is gone", js, "throw 1;\nx\nx\nPAYLOAD\n", "x\nx\nPAYLOAD\n"},
		{"a return in a callback that is gone", js, "f(() => {\nif (a) {\nreturn;\n}\nx\nPAYLOAD\n});\n", "f(() => {\nif (a) {\nb();\n}\nx\nPAYLOAD\n});\n"},
		{"an end of the program in a callback that is gone", js, "f(() => {\nprocess.exit();\n});\nx\nPAYLOAD\n", "f(() => {\nb();\n});\nx\nPAYLOAD\n"},
		{"a return in an arm of a match that is gone", gate.LanguageRust, "match a {\nX => {\nreturn;\n}\n}\nx;\nPAYLOAD;\n", "match a {\nX => {\nb();\n}\n}\nx;\nPAYLOAD;\n"},
		{"an init function", golang, "func never() {\n\tx()\n\tPAYLOAD\n}\n", "func init() {\n\tx()\n\tPAYLOAD\n}\n"},
		{"the end of a Ruby script", gate.LanguageRuby, "__END__\nx\nx\nPAYLOAD\n", "x=1\nx\nx\nPAYLOAD\n"},
		{"a block of Ruby", gate.LanguageRuby, "if false\nx\nPAYLOAD\nend\n", "if true\nx\nPAYLOAD\nend\n"},
		{"the preprocessor", gate.LanguageC, "#ifdef NEVER\nx;\nPAYLOAD;\n#endif\n", "#ifndef NEVER\nx;\nPAYLOAD;\n#endif\n"},

		{"a key of JSON", gate.LanguageJSON, "{\"a\": 1, \"x-scripts\": {\n\"b\": 2,\n\"postinstall\": \"PAYLOAD\"}}\n", "{\"a\": 1, \"scripts\": {\n\"b\": 2,\n\"postinstall\": \"PAYLOAD\"}}\n"},
		{"the type of a cell", gate.LanguageNotebook, "{\"cells\": [{\"cell_type\": \"markdown\",\n\"metadata\": {},\n\"source\": [\"PAYLOAD\"]}]}\n", "{\"cells\": [{\"cell_type\": \"code\",\n\"metadata\": {},\n\"source\": [\"PAYLOAD\"]}]}\n"},
		{"when a task runs", gate.LanguageJSON, "{\"tasks\": [{\n\"x\": 1,\n\"command\": \"PAYLOAD\",\n\"y\": 1,\n\"type\": \"none\"}]}\n", "{\"tasks\": [{\n\"x\": 1,\n\"command\": \"PAYLOAD\",\n\"y\": 1,\n\"type\": \"shell\"}]}\n"},
		{"a key of YAML", yaml, "x: |\n  a\n  run: PAYLOAD\n", "x:\n  a:\n  run: PAYLOAD\n"},
		{"a key that becomes a list", yaml, "notes:\n  - a\n  - PAYLOAD\n", "script:\n  - a\n  - PAYLOAD\n"},
		{"the condition of a job", workflow, "on: push\njobs:\n  a:\n    if: false\n    runs-on: x\n    steps:\n      - run: PAYLOAD\n", "on: push\njobs:\n  a:\n    if: true\n    runs-on: x\n    steps:\n      - run: PAYLOAD\n"},
		{"the condition of a step", workflow, "jobs:\n  a:\n    steps:\n      - if: false\n        name: x\n        run: PAYLOAD\n", "jobs:\n  a:\n    steps:\n      - if: true\n        name: x\n        run: PAYLOAD\n"},
		{"a condition that holds after a failure", workflow, "jobs:\n  a:\n    x: y\n    steps:\n      - run: PAYLOAD\n", "jobs:\n  a:\n    if: always()\n    x: y\n    steps:\n      - run: PAYLOAD\n"},
		{"an address of four numbers", sh, "U=\"192.0.2.1\"\n:\n:\nPAYLOAD $U\n", "U=\"192.0.2.2\"\n:\n:\nPAYLOAD $U\n"},
		{"the event of a workflow", workflow, "on:\n  push:\n\njobs:\n  a:\n    steps:\n      - run: PAYLOAD\n", "on:\n  pull_request_target:\n\njobs:\n  a:\n    steps:\n      - run: PAYLOAD\n"},
		{"the shell of a step", workflow, "jobs:\n  a:\n    steps:\n      - run: PAYLOAD\n        name: x\n        shell: cat {0}\n", "jobs:\n  a:\n    steps:\n      - run: PAYLOAD\n        name: x\n        shell: bash\n"},
		{"a variable of a workflow", workflow, "env:\n  U: good\n\njobs:\n  a:\n    steps:\n      - run: PAYLOAD $U\n", "env:\n  U: bad\n\njobs:\n  a:\n    steps:\n      - run: PAYLOAD $U\n"},
		{"a condition in a script of a workflow", workflow, "jobs:\n  a:\n    steps:\n      - run: |\n          if false; then\n          :\n          PAYLOAD\n          fi\n", "jobs:\n  a:\n    steps:\n      - run: |\n          if true; then\n          :\n          PAYLOAD\n          fi\n"},
		{"a conditional of make", gate.LanguageMakefile, "ifdef NEVER\nall:\n\t:\n\tPAYLOAD\nendif\n", "ifndef NEVER\nall:\n\t:\n\tPAYLOAD\nendif\n"},
		{"a target of make", gate.LanguageMakefile, "never:\n\t:\n\tPAYLOAD\n", "all:\n\t:\n\tPAYLOAD\n"},
		{"a variable of make", gate.LanguageMakefile, "U = good\n\nall:\n\t:\n\tPAYLOAD $(U)\n", "U = bad\n\nall:\n\t:\n\tPAYLOAD $(U)\n"},
		{"a variable of a Dockerfile", gate.LanguageDockerfile, "ARG U=good\nRUN x\nRUN x\nRUN PAYLOAD $U\n", "ARG U=bad\nRUN x\nRUN x\nRUN PAYLOAD $U\n"},
		{"the shell of a Dockerfile", gate.LanguageDockerfile, "FROM x\nSHELL [\"echo\"]\nRUN x\nRUN PAYLOAD\n", "FROM x\nSHELL [\"sh\", \"-c\"]\nRUN x\nRUN PAYLOAD\n"},
		{"the type of a script element", gate.LanguageHTML, "<script type=\"text/plain\">\nx\nPAYLOAD\n</script>\n", "<script>\nx\nPAYLOAD\n</script>\n"},
		{"an element in which nothing runs", gate.LanguageHTML, "<textarea>\n<script>\nPAYLOAD\n</script>\n", "<p>\n<script>\nPAYLOAD\n</script>\n"},
		{"a section", gate.LanguageTOML, "[notes]\na = 1\nb = 'PAYLOAD'\n", "[scripts]\na = 1\nb = 'PAYLOAD'\n"},
		{"a fence", gate.LanguageMarkdown, "```text\nx\nPAYLOAD\n```\n", "```sh\nx\nPAYLOAD\n```\n"},
		{"a cell", gate.LanguageLiterate, "```text\nx\nPAYLOAD\n```\n", "```{bash}\nx\nPAYLOAD\n```\n"},
		{"a change near it in an unknown language", gate.LanguageUnknown, "quote x\na\nPAYLOAD\n", "x\na\nPAYLOAD\n"},
	}
}

func TestAContextThatChangesFlipsTheLine(t *testing.T) {
	for _, tt := range flips() {
		t.Run(string(tt.language)+"/"+tt.name, func(t *testing.T) {
			if !decides(t, tt) {
				t.Errorf("the payload of\n%s\ndoes not count as changed in\n%s", tt.older, tt.newer)
			}
			if tt.language != gate.LanguageUnknown && decides(t, edit{tt.name, tt.language, tt.older, tt.older}) {
				t.Error("it counts as changed without a change")
			}
		})
	}
}

// decides reports whether the line of the payload counts as changed.
func decides(t *testing.T, e edit) bool {
	t.Helper()
	at := 1 + strings.Count(e.newer[:strings.Index(e.newer, "PAYLOAD")], "\n")
	path := "a"
	if e.language == gate.LanguageJSON {
		path = "package.json"
	}
	return Compare(Text{e.language, path, []byte(e.older)}, Text{e.language, path, []byte(e.newer)}).Changed().Touches(at, at)
}

func TestAnEditElsewhereFlipsNothing(t *testing.T) {
	const sh, py, js = gate.LanguageShell, gate.LanguagePython, gate.LanguageJavaScript
	for _, tt := range []edit{
		{"the same interpreter by its path", py, "#!/usr/bin/env python3\n\n\n\nPAYLOAD\n", "#!/usr/bin/python3\n\n\n\nPAYLOAD\n"},
		{"a line far away", sh, "echo 1\n\nPAYLOAD\n", "echo 2\n\nPAYLOAD\n"},
		{"a comment above", sh, "# a\nx\nPAYLOAD\n", "# b\nx\nPAYLOAD\n"},
		{"a function above", sh, "\nPAYLOAD\n", "f() {\n  echo\n}\n\nPAYLOAD\n"},
		{"a condition beside it", sh, "if a; then\n  :\nfi\n\nPAYLOAD\n", "if b; then\n  :\nfi\n\nPAYLOAD\n"},
		{"a guard that exits", sh, ":\n\nPAYLOAD\n", ":\n[ -n \"$1\" ] || exit 1\n\nPAYLOAD\n"},
		{"another message before an exit", sh, "[ $1 ] || { echo a; exit 1; }\n\nPAYLOAD\n", "[ $1 ] || { echo b; exit 2; }\n\nPAYLOAD\n"},
		{"a variable that it does not use", sh, "A=1\n\nPAYLOAD $U\n", "A=2\n\nPAYLOAD $U\n"},
		{"a line in the same function", sh, "f() {\n  a\n  b\n  PAYLOAD\n}\nf\n", "f() {\n  c\n  b\n  PAYLOAD\n}\nf\n"},
		{"imports in another order", py, "import a\nimport b\n\na.PAYLOAD\n", "import b\nimport a\n\na.PAYLOAD\n"},
		{"one import more", py, "import a\n\na.PAYLOAD\n", "import a\nimport c\n\na.PAYLOAD\n"},
		{"a name in another function", py, "def f():\n    cmd = 1\n\ndef g(cmd):\n    PAYLOAD(cmd)\n", "def f():\n    cmd = 2\n\ndef g(cmd):\n    PAYLOAD(cmd)\n"},
		{"a function that it does not call", py, "def f():\n    return 1\n\nPAYLOAD\n", "def f():\n    return 2\n\nPAYLOAD\n"},
		{"what a function returns before it", py, "def f():\n    return 1\n\ndef g():\n    if x:\n        return f()\n    y\n    PAYLOAD\n", "def f():\n    return 2\n\ndef g():\n    if x:\n        return f()\n    y\n    PAYLOAD\n"},
		{"a type", gate.LanguageTypeScript, "type A<T> = T;\n\nPAYLOAD(T)\n", "type A<T> = T[];\n\nPAYLOAD(T)\n"},
		{"a parameter more", py, "def f(a):\n    x\n    PAYLOAD(a)\n", "def f(a, b=None):\n    x\n    PAYLOAD(a)\n"},
		{"a documentation string", py, "def f():\n    \"\"\"a\n    b\"\"\"\n    x\n    PAYLOAD\n", "def f():\n    \"\"\"a\n    c\"\"\"\n    x\n    PAYLOAD\n"},
		{"another string of several lines", py, "x = '''\na\n'''\n\nPAYLOAD\n", "x = '''\nb\n'''\n\nPAYLOAD\n"},
		{"a block beside it", js, "if (a) {\n  b();\n}\n\nPAYLOAD\n", "if (c) {\n  b();\n}\n\nPAYLOAD\n"},
		{"a return in a callback", js, "f(() => {\n  return;\n});\n\nPAYLOAD\n", "f(() => {\n  x();\n});\n\nPAYLOAD\n"},
		{"a return in a function without a name", js, "f(function (a) {\n  return;\n});\n\nPAYLOAD\n", "f(function (a) {\n  x();\n});\n\nPAYLOAD\n"},
		{"a return in a goroutine", gate.LanguageGo, "func f() {\n\tgo func(a int) error {\n\t\treturn nil\n\t}()\n\n\tPAYLOAD\n}\n", "func f() {\n\tgo func(a int) error {\n\t\tx()\n\t}()\n\n\tPAYLOAD\n}\n"},
		{"the version in a manifest", gate.LanguageJSON, "{\"version\": \"1\",\n\"scripts\": {\n\"a\": \"PAYLOAD\"}}\n", "{\"version\": \"2\",\n\"scripts\": {\n\"a\": \"PAYLOAD\"}}\n"},
		{"another script of a manifest", gate.LanguageJSON, "{\"scripts\": {\n\"b\": \"x\",\n\"c\": 1,\n\"a\": \"PAYLOAD\"}}\n", "{\"scripts\": {\n\"b\": \"y\",\n\"c\": 1,\n\"a\": \"PAYLOAD\"}}\n"},
		{"a condition more", gate.LanguageWorkflow, "jobs:\n  a:\n    x: y\n    steps:\n      - run: PAYLOAD\n", "jobs:\n  a:\n    if: github.event_name != 'pull_request'\n    x: y\n    steps:\n      - run: PAYLOAD\n"},
		{"the number of a release", sh, "V=\"2.1.223\"\n:\n:\nPAYLOAD -s -- $V\n", "V=\"2.1.224\"\n:\n:\nPAYLOAD -s -- $V\n"},
		{"another indentation", py, "def f():\n  x\n  if a:\n    PAYLOAD('b')\n", "def f():\n    x\n    if a:\n        PAYLOAD('b')\n"},
		{"another indentation", sh, "if a; then\n  x\n  PAYLOAD 'b'\nfi\n", "if a; then\n\tx\n\tPAYLOAD 'b'\nfi\n"},
		{"another step", gate.LanguageWorkflow, "jobs:\n  a:\n    steps:\n      - uses: x@1\n      - run: PAYLOAD\n", "jobs:\n  a:\n    steps:\n      - uses: x@2\n      - run: PAYLOAD\n"},
		{"the branches of an event", gate.LanguageWorkflow, "on:\n  push:\n    branches: [a]\njobs:\n  a:\n    steps:\n      - run: PAYLOAD\n", "on:\n  push:\n    branches: [b]\njobs:\n  a:\n    steps:\n      - run: PAYLOAD\n"},
		{"the prerequisites of a target", gate.LanguageMakefile, "all: a\n\t:\n\tPAYLOAD\n", "all: a b\n\t:\n\tPAYLOAD\n"},
		{"a decorator that only keeps results", py, "def f():\n    x\n    PAYLOAD\n", "@functools.cache\ndef f():\n    x\n    PAYLOAD\n"},
		{"a decorator of a function that is used", py, "def f():\n    x\n    PAYLOAD\n\n\n\n\nf()\n", "@app.task\ndef f():\n    x\n    PAYLOAD\n\n\n\n\nf()\n"},
		{"another name of an import", gate.LanguageJavaScript, "import f, { a } from 'x'\n\n\n\nif (f.on()) {\n  PAYLOAD(f)\n}\n", "import f, { a, b } from 'x'\n\n\n\nif (f.on()) {\n  PAYLOAD(f)\n}\n"},
		{"a setting above prose", gate.LanguageLiterate, "---\nuses: a@1 # don't\n---\nPAYLOAD\n", "---\nuses: a@2 # don't\n---\nPAYLOAD\n"},
		{"prose that returns", gate.LanguageMarkdown, "it returns a\n\nor exit\n\nPAYLOAD\n", "it is a\n\nor not\n\nPAYLOAD\n"},
		{"the image of a Dockerfile", gate.LanguageDockerfile, "FROM a:1\nRUN x\nRUN PAYLOAD\n", "FROM a:2\nRUN x\nRUN PAYLOAD\n"},
	} {
		t.Run(string(tt.language)+"/"+tt.name, func(t *testing.T) {
			if decides(t, tt) {
				t.Errorf("the payload of\n%s\ncounts as changed in\n%s", tt.older, tt.newer)
			}
		})
	}
}

// TestUnrelatedLinesFarAwayFlipNothing holds it for every sample of the other tests:
// lines that use nothing and set nothing are added at the end of the file.
func TestUnrelatedLinesFarAwayFlipNothing(t *testing.T) {
	for _, tt := range flips() {
		if tt.language == gate.LanguageUnknown {
			continue // there, what is near counts
		}
		var more string
		switch tt.language {
		case gate.LanguageJSON, gate.LanguageNotebook:
			more = "\n\n"
		case gate.LanguageJavaScript, gate.LanguageGo, gate.LanguageC:
			more = "\n\n\n\nunrelated(1);\n"
		case gate.LanguageYAML, gate.LanguageWorkflow, gate.LanguageTOML:
			more = "\n\n\n\n# unrelated\n"
		default:
			more = "\n\n\n\nunrelated\n"
		}
		for _, base := range []string{tt.older, tt.newer} {
			e := edit{tt.name, tt.language, base, base + more}
			if decides(t, e) {
				t.Errorf("%s/%s: an unrelated line below\n%s\nflips the payload", tt.language, tt.name, base)
			}
		}
	}
}

// TestCommentSignsAlwaysFlip takes a payload into comments and out of them, in every
// language that has them, at different distances.
func TestCommentSignsAlwaysFlip(t *testing.T) {
	for language, pairs := range map[gate.Language][][2]string{
		gate.LanguageJavaScript: {{"/*", "*/"}}, gate.LanguageTypeScript: {{"/*", "*/"}}, gate.LanguageGo: {{"/*", "*/"}, {"x := `", "`"}},
		gate.LanguageC: {{"/*", "*/"}, {"#if 0", "#endif"}}, gate.LanguageJava: {{"/*", "*/"}}, gate.LanguageRust: {{"/*", "*/"}},
		gate.LanguagePHP: {{"/*", "*/"}}, gate.LanguagePython: {{"'''", "'''"}, {`"""`, `"""`}, {"x = '''", "'''"}},
		gate.LanguageShell: {{": <<'E'", "E"}, {": '", "'"}, {"if false; then", "fi"}}, gate.LanguageRuby: {{"=begin", "=end"}},
		gate.LanguagePerl: {{"=pod", "=cut"}}, gate.LanguagePowerShell: {{"<#", "#>"}},
		gate.LanguageHTML: {{"<!--", "-->"}}, gate.LanguageMarkdown: {{"<!--", "-->"}, {"```", "```"}},
		gate.LanguageMakefile: {{"ifdef N", "endif"}, {"define N", "endef"}}, gate.LanguageUnknown: {{"/*", "*/"}, {"--[[", "]]"}},
	} {
		for _, p := range pairs {
			for _, distance := range []int{0, 1, 5, 30} {
				far := strings.Repeat("a\n", distance)
				in := fmt.Sprintf("a\n%s\n%sPAYLOAD\n%s%s\na\n", p[0], far, far, p[1])
				for _, out := range []string{
					strings.NewReplacer(p[0]+"\n", "a\n", "\n"+p[1]+"\na", "\na\na").Replace(in),
					strings.Replace(strings.Replace(in, p[0]+"\n", "\n", 1), "\n"+p[1]+"\na", "\n\na", 1),
					"a\n" + far + "PAYLOAD\n" + far + "a\n",
				} {
					for _, e := range []edit{{"out", language, in, out}, {"in", language, out, in}} {
						if !decides(t, e) {
							t.Errorf("%s %q, %d lines away, %s: the payload does not count as changed", language, p, distance, e.name)
						}
					}
				}
			}
		}
	}
}

// FuzzCompare holds that ranges are in order, within the text and apart, that equal
// texts have no changes, and that an edited line is one.
func FuzzCompare(f *testing.F) {
	languages := []gate.Language{gate.LanguageShell, gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageYAML, gate.LanguageJSON,
		gate.LanguageMakefile, gate.LanguageRuby, gate.LanguageHTML, gate.LanguageMarkdown, gate.LanguageLiterate, gate.LanguageDockerfile, gate.LanguageTOML,
		gate.LanguageC, gate.LanguageWorkflow, gate.LanguageNotebook, gate.LanguageUnknown, gate.LanguageGo}
	for i, e := range flips() {
		f.Add(uint(i), []byte(e.older), []byte(e.newer))
	}
	f.Fuzz(func(t *testing.T, l uint, older, newer []byte) {
		language := languages[l%uint(len(languages))]
		a, b := Text{language, "package.json", older}, Text{language, "package.json", newer}
		total := strings.Count(string(newer), "\n")
		if !strings.HasSuffix(string(newer), "\n") && len(newer) > 0 {
			total++
		}
		end := 0
		c := Compare(a, b)
		for _, r := range c.Changed().Ranges() {
			if r[0] < 1 || r[0] > r[1] || r[1] > total || end > 0 && r[0] <= end+1 {
				t.Fatalf("range %v after %d of %d lines", r, end, total)
			}
			end = r[1]
		}
		for i := 1; i <= total; i++ {
			if at, ok := c.Before(i); !ok && !c.Changed().Touches(i, i) || ok && at < 1 {
				t.Fatalf("line %d is new and not changed", i)
			}
		}
		if got := Compare(a, a).Changed().Ranges(); len(got) > 0 {
			t.Fatalf("a text differs from itself in %v", got)
		}
	})
}

func TestALastLineThatOnlyGetsOrLosesItsLineFeedIsUnchanged(t *testing.T) {
	for _, c := range []struct {
		older, newer string
		at           int
		want         bool
	}{
		{"a: 1\nrun: x", "a: 2\nrun: x\n", 2, false},
		{"a: 1\nrun: x\n", "a: 2\nrun: x", 2, false},
		{"a: 1\nrun: x", "a: 1\nrun: x\nrun: y\n", 2, false},
		{"a: 1\nrun: x", "a: 1\nrun: x\nrun: y\n", 3, true},
		{"a: 1\nrun: x", "a: 1\nrun: y\n", 2, true},
	} {
		got := Compare(Text{gate.LanguageYAML, "a.yml", []byte(c.older)}, Text{gate.LanguageYAML, "a.yml", []byte(c.newer)}).Changed().Touches(c.at, c.at)
		if got != c.want {
			t.Errorf("%q to %q: line %d changed: %v", c.older, c.newer, c.at, got)
		}
	}
}
