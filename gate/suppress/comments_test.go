package suppress

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// ok stands for a suppression that parses.
const ok = `gate:allow a/b reason="fine"`

func TestASuppressionBelongsToItsLineOrTheNextCode(t *testing.T) {
	for _, c := range []struct {
		name string
		lang gate.Language
		path string
		src  string
		want []string // "line>target" for a suppression, "line!" for what is reported
	}{
		{"behind the code", gate.LanguagePython, "", "a\nb # OK\nc\n", []string{"2>2"}},
		{"above the code", gate.LanguagePython, "", "# OK\na\nb\n", []string{"1>2"}},
		{"above the code, with blank lines and other comments between", gate.LanguagePython, "", "# OK\n# because\n\n   # of this\na\nb\n", []string{"1>5"}},
		{"two of them", gate.LanguagePython, "", "# OK\n# OK\na # OK\n", []string{"1>3", "2>3", "3>3"}},
		{"with CRLF", gate.LanguagePython, "", "a # OK\r\n# OK\r\n\r\nb\r\n", []string{"1>1", "2>4"}},
		{"behind a byte order mark", gate.LanguagePython, "", "\xef\xbb\xbf# OK\na\n", []string{"1>2"}},
		{"a carriage return alone ends no line", gate.LanguagePython, "", "# OK\rimport os\na\n", []string{"1>1"}},
		{"nothing follows", gate.LanguagePython, "", "a\n# OK\n", []string{"2!"}},
		{"in a string", gate.LanguagePython, "", "a = '# OK'\nb = \"\"\"\n# OK\n\"\"\"\nc\n", nil},
		{"in a documentation string", gate.LanguagePython, "", "'''\n# OK\n'''\ndef f():\n  \"\"\"OK\"\"\"\n  a\n", nil},
		{"a documentation string is code to it", gate.LanguagePython, "", "# OK\n'''text'''\na\n", []string{"1>2"}},
		{"in an f-string", gate.LanguagePython, "", "a = f'{x} # OK'\n", nil},
		{"in a string that does not end", gate.LanguagePython, "", "a = '# OK\nb\n", nil},
		{"behind other words", gate.LanguagePython, "", "a # noqa OK\nb # see gate:allow for this\n", []string{"1!"}},
		{"with a justification behind it", gate.LanguagePython, "", "a # OK because we know\n", []string{"1!"}},
		{"misspelt", gate.LanguagePython, "", "a # gate: allow a/b reason=\"x y\"\nb # Gate:Allow\n", []string{"1!", "2!"}},
		{"line and block comments of JavaScript", gate.LanguageJavaScript, "", "// OK\na /* OK */ + b\n/* OK */ c\n", []string{"1>2", "2>2", "3>3"}},
		{"a block of several lines", gate.LanguageJavaScript, "", "/*\n * OK\n */\na\n", []string{"1!"}},
		{"in a template and in a regular expression", gate.LanguageTypeScript, "", "a = `\n// OK\n`\nb = /[/]\\/ OK/\n", nil},
		{"in code inside a template", gate.LanguageTypeScript, "", "a = `${ /* OK */ b }`\n", []string{"1>1"}},
		{"shell", gate.LanguageShell, "", "# OK\na\necho '# OK' \"# OK\" x#OK\ncat <<E\n# OK\nE\nb # OK\n", []string{"1>2", "7>7"}},
		{"Go", gate.LanguageGo, "", "//OK\na()\nb(`\n// OK\n`) // OK\n", []string{"1>2", "5>5"}},
		{"TOML", gate.LanguageTOML, "", "a = '''\n# OK\n'''\nb = 1 # OK\n", []string{"4>4"}},
		{"INI, on a line of its own", gate.LanguageINI, "", "; OK\na = 1\nb = c ; OK\n", []string{"1>2"}},
		{"a language whose strings span lines", gate.LanguageRust, "", "let a = \"\n// OK\n\";\n", []string{"2!"}},
		{"text", gate.LanguageText, "", "# OK\na\n", nil},
		{"JSON", gate.LanguageJSON, "", "{\"a\": \"# OK\"}\n", nil},
		{"Markdown", gate.LanguageMarkdown, "", "# OK\n<!-- OK -->\na\n", []string{"2!"}},
		{"a file that is not UTF-8", gate.LanguagePython, "", "# OK\na = '\xff'\n", []string{"0!"}},
		{"a file with NUL bytes", gate.LanguagePython, "", "# OK\na\x00\n", []string{"0!"}},
		{"YAML", gate.LanguageYAML, "a.yaml", "# OK\na: 1\nb: ' # OK'\nc: |\n  # OK\n  text\nd: 'x\n\n  # OK'\n", []string{"1>2", "3!", "5!", "9!"}},
		{"YAML, behind a value", gate.LanguageYAML, "a.yaml", "a: b # OK\n", []string{"1!"}},
		{"broken YAML", gate.LanguageYAML, "a.yaml", "# OK\na: [\n", []string{"1!"}},
		{"commands of a workflow", gate.LanguageWorkflow, ".github/workflows/a.yml",
			"on: push\njobs:\n  a:\n    steps:\n      # OK\n      - run: |\n          # OK\n          a\n          b # OK\n          echo '# OK'\n          cat <<E\n          # OK\n          E\n",
			[]string{"7>8", "9>9", "5>6"}},
		{"a Dockerfile", gate.LanguageDockerfile, "Dockerfile", "# OK\nRUN a\nRUN b # OK\n", []string{"3>3", "1>2"}},
		{"a here document of a Dockerfile", gate.LanguageDockerfile, "Dockerfile", "COPY <<E /x\n# OK\nE\nRUN a\n", []string{"2!"}},
		{"a Makefile", gate.LanguageMakefile, "Makefile", "# OK\na:\n\t# OK\n\tb \"# OK\"\nX = \" # OK\"\n", []string{"3>4", "1>2", "5!"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := strings.ReplaceAll(c.src, "OK", ok)
			found, wrong := newDocument([]byte(src)).markers(c.lang, c.path)
			var got []string
			for _, m := range found {
				got = append(got, fmt.Sprintf("%d>%d", m.line, m.target))
			}
			for _, p := range wrong {
				got = append(got, fmt.Sprintf("%d!", p.line))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v; reported: %+v, in\n%s", got, c.want, wrong, src)
			}
		})
	}
}

func TestTooManySuppressionsAreReportedAndBounded(t *testing.T) {
	src := strings.Repeat("a # "+ok+"\n", 50_000)
	found, wrong := newDocument([]byte(src)).markers(gate.LanguagePython, "a.py")
	if len(found) != maxMarkers || len(wrong) == 0 || len(wrong) > maxMarkers {
		t.Errorf("%d suppressions, %d reported", len(found), len(wrong))
	}
}

func FuzzMarkers(f *testing.F) {
	languages := []struct {
		lang gate.Language
		path string
	}{
		{gate.LanguagePython, "a.py"}, {gate.LanguageJavaScript, "a.js"}, {gate.LanguageShell, "a.sh"}, {gate.LanguageGo, "a.go"},
		{gate.LanguageYAML, "a.yaml"}, {gate.LanguageWorkflow, ".github/workflows/a.yml"}, {gate.LanguageDockerfile, "Dockerfile"},
		{gate.LanguageMakefile, "Makefile"}, {gate.LanguageRust, "a.rs"}, {gate.LanguageMarkdown, "a.md"},
	}
	for i, seed := range []string{"# OK\na", "/* OK */ a\n// OK", "cat <<E\n# OK\nE\n", "// OK\r\na\r\n", "# OK\na: |\n # OK\n", "jobs:\n- run: |\n   # OK\n   a\n",
		"RUN a \\\n# OK\nb\n", "a:\n\t# OK\n\tb\n", "\"\n// OK\n\"", "<!-- OK --> a"} {
		f.Add(i, []byte(strings.ReplaceAll(seed, "OK", ok)))
	}
	f.Fuzz(func(t *testing.T, which int, src []byte) {
		l := languages[uint(which)%uint(len(languages))]
		d := newDocument(src)
		last := strings.Count(string(d.text), "\n") + 2
		found, wrong := d.markers(l.lang, l.path)
		for _, m := range found {
			if m.line < 1 || m.target < 1 || m.line > last || m.target > last || len(m.rules) == 0 || m.reason == "" {
				t.Fatalf("%+v of %d lines", m, last)
			}
			if kindOf(l.lang) == unknown {
				t.Fatalf("%+v in a language of which nothing is known", m)
			}
		}
		if len(found) > maxMarkers || len(wrong) > maxMarkers {
			t.Fatalf("%d and %d", len(found), len(wrong))
		}
	})
}
