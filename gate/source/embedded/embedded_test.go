package embedded

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// shown is one line of the regions: language, line of the file, text.
func shown(regions []Code) []string {
	var out []string
	for _, r := range regions {
		for i, line := range strings.Split(strings.TrimSuffix(string(r.Text), "\n"), "\n") {
			if strings.TrimSpace(line) != "" {
				out = append(out, fmt.Sprintf("%s %d %s", r.Language, r.Lines[i], line))
			}
		}
	}
	return out
}

func TestExtract(t *testing.T) {
	for _, c := range []struct {
		name string
		lang gate.Language
		path string
		src  string
		want []string
	}{
		{"a cell of a notebook", gate.LanguageNotebook, "a.ipynb",
			"{\n\"cells\": [\n{\"cell_type\": \"markdown\", \"source\": \"no\"},\n{\"source\": [\n\"a = 1\\n\",\n\"b = 2\"\n], \"outputs\": [{}], \"cell_type\": \"code\"}]}",
			[]string{"python 5 a = 1", "python 6 b = 2"}},
		{"shell lines of a notebook", gate.LanguageNotebook, "a.ipynb",
			"{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"x\\n\",\n\"!curl a\\n\", \"%pip install b\"]}]}",
			[]string{"python 1 x", "shell 2 curl a", "shell 2 pip install b"}},
		{"a cell magic switches the language", gate.LanguageNotebook, "a.ipynb",
			`{"cells": [{"cell_type": "code", "source": "%%bash\nls"}]}`,
			[]string{"shell 1 ls"}},
		{"the language of the kernel, though it comes after the cells", gate.LanguageNotebook, "a.ipynb",
			`{"cells": [{"cell_type": "code", "source": ["a"]}], "metadata": {"kernelspec": {"name": "javascript"}}}`,
			[]string{"javascript 1 a"}},
		{"a broken notebook gives what comes before the break", gate.LanguageNotebook, "a.ipynb",
			`{"cells": [{"cell_type": "code", "source": ["a"]}, {`, []string{"python 1 a"}},
		{"run blocks of a workflow, each in its shell", gate.LanguageWorkflow, ".github/workflows/a.yml",
			"jobs:\n  a:\n    steps:\n      - run: one\n      - run: |\n          two\n          three\n      - shell: python\n        run: four\n",
			[]string{"shell 4 one", "shell 6 two", "shell 7 three", "python 9 four"}},
		{"commands of go generate", gate.LanguageGo, "a.go",
			"package a\n\n//go:generate -command tool sh -c\n//go:generate tool \"curl b | sh\"\n//go:generate stringer -type=C\n// go:generate no\n",
			[]string{"shell 4 sh -c \"curl b | sh\"", "shell 5 stringer -type=C"}},
		{"a script of actions/github-script", gate.LanguageWorkflow, ".github/workflows/a.yml",
			"steps:\n- uses: actions/github-script@v7\n  with:\n    script: |\n      eval(x)\n",
			[]string{"javascript 5 eval(x)"}},
		{"the preamble of cgo", gate.LanguageGo, "a.go", "package a\n\n// #cgo LDFLAGS: -lm\n// #include <stdlib.h>\n// static void x() { system(\"a | b\"); }\nimport \"C\"\n",
			[]string{"c 4  #include <stdlib.h>", "c 5  static void x() { system(\"a | b\"); }"}},
		{"a shell that PowerShell starts", gate.LanguagePowerShell, "a.ps1", "bash -c \"one | two\"\nwsl bash -lc 'three'\nWrite-Host \"bash -c four\"\n", []string{"shell 1 one | two", "shell 2 three"}},
		{"a shell in a list, whatever takes it", gate.LanguagePython, "a.py", "which(\"sh\")(\"-c\", \"one | two\")\ntool([\"bash\", \"-lc\", \"three\"])\n", []string{"shell 1 -c one | two", "shell 2 bash -lc three"}},
		{"a rule of Snakemake", gate.LanguagePython, "Snakefile", "rule x:\n    output: \"y\"\n    shell: \"one | two\"\n", []string{"shell 3 one | two"}},
		{"commands of clients of databases", gate.LanguageSQL, "a.sql", ".once \"|one\"\n.import '|two' t\nHOST three\n:!! four\n\\set x `five`\npager six\n", []string{"shell 1 one", "shell 2 two", "shell 3 three", "shell 4 four", "shell 5 five", "shell 6 six"}},
		{"an escaped key", gate.LanguageWorkflow, ".github/workflows/a.yml", `{"\x72\x75\x6e": "one"}`, []string{"shell 1 one"}},
		{"commands of other YAML files", gate.LanguageYAML, "pod.yaml",
			"command: [sh, -c, 'a | b']\nscript:\n  - c\n", []string{"shell 1 sh -c a | b", "shell 3 c", "shell 1 a | b"}},
		{"commands behind aliases, and in base64", gate.LanguageYAML, ".gitlab-ci.yml",
			"x: &c curl a | sh\ny:\n  script:\n    - *c\n    - !!binary Y3VybCBi\n", []string{"shell 1 curl a | sh", "shell 1 curl a | sh", "shell 5 curl b", "shell 4 curl a | sh Y3VybCBi", "shell 1 curl a | sh", "shell 5 curl b", "shell 4 curl a | sh curl b"}},
		{"commands of keys that are not known", gate.LanguageYAML, "Taskfile.yml",
			"tasks:\n  a: curl b | sh\n  description: curl c | sh\n", []string{"shell 2 curl b | sh"}},
		{"YAML that is broken is read unchanged", gate.LanguageYAML, "a.yaml",
			"run: a\n{{ b }}\nrun: curl c\n", []string{"shell 1 run: a", "shell 2 {{ b }}", "shell 3 run: curl c", "shell 1 a", "shell 3 curl c", "shell 1 a", "shell 3 curl c"}},
		{"commands of TOML", gate.LanguageTOML, "pyproject.toml",
			"[tool.poe.tasks]\na = \"b\"\n[x]\nname = \"curl c | sh\"\nd = \"curl e | sh\"\ncommand = [\"sh\", \"-c\",\n\"f\"]\n",
			[]string{"shell 2 b", "shell 5 curl e | sh", "shell 6 sh -c f", "shell 7 f"}},
		{"commands of a file of keys and values", gate.LanguageINI, ".gitconfig",
			"[alias]\n  a = !curl b | sh\nname = curl c | sh\nExecStart=d\ncommands =\n  e\n  f\nx = y\n",
			[]string{"shell 2 curl b | sh", "shell 4 d", "shell 6 e", "shell 7 f", "shell 8 y"}},
		{"scripts in attributes of a page", gate.LanguageHTML, "a.html",
			"<b onClick=\"a(&quot;b&quot;)\">\n<a href='javascript:c()'>\n", []string{"javascript 1 a(\"b\")", "javascript 2 c()"}},
		{"instructions of a Dockerfile", gate.LanguageDockerfile, "Dockerfile",
			"FROM a\nRUN --mount=type=cache b \\\n  # comment\n  && c\nCMD [\"sh\", \"-c\", \"d\"]\nHEALTHCHECK --interval=1s CMD e\nCOPY f g\n",
			[]string{"shell 2 b \\", "shell 4   && c", "shell 5 sh -c d", "shell 5 d", "shell 6 e", "shell 2 b \\", "shell 4   && c", "shell 6 e"}},
		{"a here document of a Dockerfile", gate.LanguageDockerfile, "Dockerfile",
			"RUN <<EOF\na\nb\nEOF\nRUN c\n", []string{"shell 2 a", "shell 3 b", "shell 5 c", "shell 2 a", "shell 3 b", "shell 5 c"}},
		{"a Dockerfile with an escape sign of its own", gate.LanguageDockerfile, "Dockerfile",
			"# Escape = `\r\nFROM a\nRUN curl b `\n\n# comment\n  | sh\n", []string{"shell 3 curl b \\", "shell 6   | sh"}},
		{"an escape sign that comes too late is a comment", gate.LanguageDockerfile, "Dockerfile",
			"FROM a\n# escape=`\nRUN b \\\n c\n", []string{"shell 3 b \\", "shell 4  c"}},
		{"an instruction whose name is spread over lines", gate.LanguageDockerfile, "Dockerfile",
			"on\\\nbuild R\\\nUN a\n", []string{"shell 3 a"}},
		{"here documents behind a command, and one that is copied", gate.LanguageDockerfile, "Dockerfile",
			"RUN python3 <<A && sh <<-B\nimport os\nA\n\tRUN x\n\tB\nCOPY <<\"E\" /a.py\nb\nE\nRUN c\n",
			[]string{"shell 1 python3 <<A && sh <<-B", "shell 2 import os", "shell 1 A", "shell 4 \tRUN x", "shell 1 B", "python 7 b", "shell 9 c",
				"shell 1 python3 <<A && sh <<-B", "shell 2 import os", "shell 1 A", "shell 4 \tRUN x", "shell 1 B", "shell 9 c"}},
		{"what variables of a Dockerfile hold", gate.LanguageDockerfile, "Dockerfile",
			"ARG A=curl\nENV B x\nRUN $A $B\n", []string{"shell 3 $A $B", "shell 1 A='curl'", "shell 2 B='x'", "shell 3 $A $B"}},
		{"a program in the words of an instruction", gate.LanguageDockerfile, "Dockerfile",
			"CMD [\"python3\", \"-c\", \"import os\"]\n", []string{"shell 1 python3 -c import os", "python 1 import os"}},
		{"recipes of a Makefile and what runs as it is read", gate.LanguageMakefile, "Makefile",
			"A := $(shell b $$C)\nall:\n\t@d\n\t-e\nx: ; f\nG != h\n",
			[]string{"shell 3 d", "shell 4 e", "shell 5 f", "shell 1 b $C", "shell 6 h"}},
		{"a Makefile with a prefix of its own", gate.LanguageMakefile, "Makefile",
			".RECIPEPREFIX = >\nall:\n>curl a \\\n  | sh\n", []string{"shell 3 curl a \\", "shell 4 | sh"}},
		{"a definition of a Makefile, and recipes with its variables written out", gate.LanguageMakefile, "Makefile",
			"define A\ncurl a\nendef\nB := | sh\nall: ; $(A) ${B}\nC = ${shell d}\nE != \\\n f\n",
			[]string{"shell 2 curl a", "shell 5 $(A) ${B}", "shell 6 d", "shell 7 f", "shell 5 curl a | sh"}},
		{"a Makefile whose recipes are Python", gate.LanguageMakefile, "Makefile",
			"SHELL := /usr/bin/python3\nall:\n\timport os\n", []string{"shell 3 import os", "python 3 import os"}},
		{"recipes of a justfile", gate.LanguageJust, "justfile",
			"set shell := [\"bash\", \"-c\"]\nx := `a`\nall: b\n  @c\n\td\ne:\n  #!/usr/bin/env python3\n  import f\n  if g:\n    h()\n",
			[]string{"shell 4 c", "shell 5 d", "python 8 import f", "python 9 if g:", "python 10   h()", "shell 2 a"}},
		{"scripts of package.json", gate.LanguageJSON, "a/package.json",
			"{\n\"name\": \"x\",\n\"scripts\": {\n\"postinstall\": \"a\",\n\"test\": \"b\"}}",
			[]string{"shell 4 a", "shell 5 b"}},
		{"scripts in JSON with comments, single quotes and commas too many", gate.LanguageJSON, "package.json",
			"\ufeff{\n// x\n'scripts': { /* y */\n\"postinstall\": \"a\",,\n\"scripts\": {},\n},\n}", []string{"shell 4 a", "json 3 \"scripts\": {", "json 4 \"postinstall\": \"a\"", "json 5 \"scripts\": {", "json 5 }", "json 6 }", "json 7 }"}},
		{"scripts of a package.json that says it twice", gate.LanguageJSON, "package.json",
			"{\n\"scripts\": {\n\"postinstall\": \"a\"\n},\n\"scripts\": {\n\"postinstall\": \"b\"}}", []string{"shell 3 a", "shell 6 b"}},
		{"JSON on one line and with escapes is read as it is usually written", gate.LanguageJSON, "a.json",
			`{"a":{"res\u006flved":"http:\/\/b","c":[1,"d"]}}`, []string{"json 1 \"a\": {", "json 1 \"resolved\": \"http://b\"", "json 1 \"c\": [", "json 1 \"d\"", "json 1 ]", "json 1 }", "json 1 }"}},
		{"a program and its arguments in settings", gate.LanguageJSON, ".vscode/tasks.json",
			"{\n\"command\": \"sh\",\n\"args\": [\n\"-c\",\n\"a | b\"\n]\n}", []string{"shell 2 sh", "shell 5 a | b", "shell 3 -c a | b", "shell 1 sh -c a | b"}},
		{"other JSON has no scripts", gate.LanguageJSON, "a.json", "{\n\"scripts\": {\n\"a\": \"b\"}}", nil},
		{"inline scripts of a page", gate.LanguageHTML, "a.html", "<b>\n<SCRIPT type=x>\na()</script>", []string{"javascript 3 a()"}},
		{"command lines of Python", gate.LanguagePython, "a.py",
			"# os.system('no')\nos.system('a ' + b)\nsubprocess.run([\"rm\", \"-rf\",\n \"/\"], cwd=\"c\", shell=True)\nos.system(f\"d {e} f\")\n",
			[]string{"shell 2 a ", "shell 3 rm -rf /", "shell 5 d $X f"}},
		{"a script in one literal keeps its lines", gate.LanguagePython, "a.py", "os.system('''a\nb''')", []string{"shell 1 a", "shell 2 b"}},
		{"command lines of JavaScript", gate.LanguageJavaScript, "a.js",
			"spawn('sh', ['-c', `a ${b} c`], {cwd: 'd'})", []string{"shell 1 sh -c a $X c"}},
		{"command lines of Go", gate.LanguageGo, "a.go",
			`exec.CommandContext(ctx, "sh", "-c", "a\tb")`, []string{"shell 1 sh -c a\tb"}},
		{"programs in a shell script", gate.LanguageShell, "a.sh",
			"python3 -c 'import a\nb()'\nnode -e \"c()\"\necho 'd'\npython3 - <<E\ne()\nE\n",
			[]string{"python 1 import a", "python 2 b()", "javascript 3 c()", "python 6 e()"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := shown(Extract(c.lang, c.path, []byte(c.src)))
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestTooManyRegionsAreMergedNotDropped(t *testing.T) {
	src := strings.Repeat("RUN a\n", maxRegions+10)
	got := Extract(gate.LanguageDockerfile, "Dockerfile", []byte(src))
	if len(got) != maxRegions {
		t.Fatalf("%d regions", len(got))
	}
	places := map[int]bool{}
	for _, r := range got {
		for _, line := range r.Lines {
			places[line] = true
		}
	}
	if n := len(places); n != maxRegions+10 {
		t.Errorf("%d lines of %d", n, maxRegions+10)
	}
}

// FuzzExtract holds what the package promises for any input.
func FuzzExtract(f *testing.F) {
	languages := []struct {
		lang gate.Language
		path string
	}{
		{gate.LanguageNotebook, "a.ipynb"}, {gate.LanguageWorkflow, "a.yml"}, {gate.LanguageYAML, "a.yml"},
		{gate.LanguageDockerfile, "Dockerfile"}, {gate.LanguageMakefile, "Makefile"}, {gate.LanguageJSON, "package.json"},
		{gate.LanguageHTML, "a.html"}, {gate.LanguagePython, "a.py"}, {gate.LanguageJavaScript, "a.js"},
		{gate.LanguageGo, "a.go"}, {gate.LanguageShell, "a.sh"}, {gate.LanguageTerraform, "a.tf"}, {gate.LanguageTOML, "a.toml"}, {gate.LanguageINI, "tox.ini"},
	}
	for i, seed := range []string{`{"cells": [{"cell_type": "code", "source": ["a\n", "!b"]}]}`, "jobs:\n- run: |\n   a\n", "command: [a]",
		"RUN <<EOF\na\nEOF\nRUN [\"a\"]", "a := $(shell (b)\n\tc", `{"scripts": {"a": ["b"]}}`, "<script>a</script", "os.system(f'{a}b' + \"c\")",
		"spawn('a', [`b${c}`])", "exec.Command(`a`)", "python -c 'a' <<X\nb",
		"a \"b\" { c = { d = \"${join(\"\", [\"e\"])}\" }\n f = [<<-X\n g\n X\n ]\n}", "[a]\nb = [\"c\", \"{{d}}\"]", "[a]\nExecb=-c \\\n \\x63%(d)s"} {
		f.Add(i, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, which int, src []byte) {
		l := languages[uint(which)%uint(len(languages))]
		last := bytes.Count(src, []byte{'\n'}) + 2
		for _, r := range Extract(l.lang, l.path, src) {
			if n := bytes.Count(r.Text, []byte{'\n'}); n != len(r.Lines) {
				t.Fatalf("%d lines of text, %d places", n, len(r.Lines))
			}
			for _, line := range r.Lines {
				if line < 1 || line > last && l.lang != gate.LanguageYAML && l.lang != gate.LanguageWorkflow && l.lang != gate.LanguageTerraform {
					t.Fatalf("line %d of %d", line, last)
				}
			}
		}
	})
}

// Scripts in a text of any language have a place in the text for each of their lines, and
// are the same when they are read again.
func FuzzScripts(f *testing.F) {
	f.Add("ruby", "source", "a.rb", []byte("# x\ncurl -d @a http://b/ | sh\n"))
	f.Add("text", "docs", "README", []byte("Run this:\n\n    import os\n    os.system('a')\n\nAnd say why it is so.\n"))
	f.Add("markdown", "docs", "a.md", []byte("```sh\na\n```\n~~~ python\nb\n"))
	f.Add("", "source", "run", []byte("const a = require('b')\nprocess.env.A\n"))
	f.Fuzz(func(t *testing.T, lang, role, name string, src []byte) {
		last := bytes.Count(src, []byte{'\n'}) + 1
		read := Scripts(gate.Language(lang), gate.Role(role), name, src)
		for _, r := range read {
			if n := bytes.Count(r.Text, []byte{'\n'}); n != len(r.Lines) {
				t.Fatalf("%d lines of text, %d places", n, len(r.Lines))
			}
			for _, line := range r.Lines {
				if line < 1 || line > last {
					t.Fatalf("line %d of %d", line, last)
				}
			}
		}
		if again := Scripts(gate.Language(lang), gate.Role(role), name, src); !reflect.DeepEqual(read, again) {
			t.Fatal("reading twice differs")
		}
	})
}

func TestALongYAMLFileIsReadToItsEnd(t *testing.T) {
	content := strings.Repeat("# nothing\n", maxYAML/10+1) + "run: curl http://192.0.2.1/\n"
	var all []byte
	for _, r := range Extract(gate.LanguageYAML, "a.yaml", []byte(content)) {
		all = append(all, r.Text...)
		if got, want := r.Lines[len(r.Lines)-1], strings.Count(content, "\n"); got != want {
			t.Errorf("the last line is %d, want %d", got, want)
		}
	}
	if !bytes.Contains(all, []byte("curl http://192.0.2.1/")) {
		t.Error("the command at the end is left out")
	}
}
