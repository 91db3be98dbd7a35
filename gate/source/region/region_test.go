package region

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// shown is one line of the regions: language, line of the file, text.
func shown(regions []Region) []string {
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
		{"the language of the kernel, though it stands behind the cells", gate.LanguageNotebook, "a.ipynb",
			`{"cells": [{"cell_type": "code", "source": ["a"]}], "metadata": {"kernelspec": {"name": "javascript"}}}`,
			[]string{"javascript 1 a"}},
		{"a broken notebook gives what stands before the break", gate.LanguageNotebook, "a.ipynb",
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
		{"an escaped key", gate.LanguageWorkflow, ".github/workflows/a.yml", `{"\x72\x75\x6e": "one"}`, []string{"shell 1 one"}},
		{"commands of other YAML files", gate.LanguageYAML, "pod.yaml",
			"command: [sh, -c, 'a | b']\nscript:\n  - c\n", []string{"shell 1 sh -c a | b", "shell 3 c"}},
		{"instructions of a Dockerfile", gate.LanguageDockerfile, "Dockerfile",
			"FROM a\nRUN --mount=type=cache b \\\n  # comment\n  && c\nCMD [\"sh\", \"-c\", \"d\"]\nHEALTHCHECK --interval=1s CMD e\nCOPY f g\n",
			[]string{"shell 2 b \\", "shell 4   && c", "shell 5 sh -c d", "shell 6 e"}},
		{"a here document of a Dockerfile", gate.LanguageDockerfile, "Dockerfile",
			"RUN <<EOF\na\nb\nEOF\nRUN c\n", []string{"shell 2 a", "shell 3 b", "shell 1 <<EOF", "shell 5 c"}},
		{"recipes of a Makefile and what runs as it is read", gate.LanguageMakefile, "Makefile",
			"A := $(shell b $$C)\nall:\n\t@d\n\t-e\nx: ; f\nG != h\n",
			[]string{"shell 3 d", "shell 4 e", "shell 5  f", "shell 1 b $C", "shell 6  h"}},
		{"scripts of package.json", gate.LanguageJSON, "a/package.json",
			"{\"name\": \"x\",\n\"scripts\": {\"postinstall\": \"a\",\n\"test\": \"b\"}}",
			[]string{"shell 2 a", "shell 3 b"}},
		{"other JSON has no scripts", gate.LanguageJSON, "a.json", `{"scripts": {"a": "b"}}`, nil},
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
	if n := len(shown(got)); n != maxRegions+10 {
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
		{gate.LanguageGo, "a.go"}, {gate.LanguageShell, "a.sh"},
	}
	for i, seed := range []string{`{"cells": [{"cell_type": "code", "source": ["a\n", "!b"]}]}`, "jobs:\n- run: |\n   a\n", "command: [a]",
		"RUN <<EOF\na\nEOF\nRUN [\"a\"]", "a := $(shell (b)\n\tc", `{"scripts": {"a": ["b"]}}`, "<script>a</script", "os.system(f'{a}b' + \"c\")",
		"spawn('a', [`b${c}`])", "exec.Command(`a`)", "python -c 'a' <<X\nb"} {
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
				if line < 1 || line > last && l.lang != gate.LanguageYAML && l.lang != gate.LanguageWorkflow {
					t.Fatalf("line %d of %d", line, last)
				}
			}
		}
	})
}

func TestALongYAMLFileIsReadToItsEnd(t *testing.T) {
	content := strings.Repeat("# nothing\n", maxYAML/10+1) + "run: curl http://192.0.2.1/\n"
	var all []byte
	for _, r := range Extract(gate.LanguageYAML, "a.yaml", []byte(content)) {
		all = append(all, r.Text...)
		if got, want := r.Lines[len(r.Lines)-2], strings.Count(content, "\n"); got != want {
			t.Errorf("the last line is %d, want %d", got, want)
		}
	}
	if !bytes.Contains(all, []byte("curl http://192.0.2.1/")) {
		t.Error("the command at the end is left out")
	}
}
