package embedded

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestWhatIsPutIntoAProgramIsReadInIt(t *testing.T) {
	for name, tc := range map[string]struct {
		lang gate.Language
		text string
		want string // in Python, "" where there is none
	}{
		"a field of a formatted text":         {gate.LanguagePython, "T = 'import shutil; shutil.rmtree(\"{to}\")'\nexec(T.format(to='/srv'))\n", `shutil.rmtree("/srv")`},
		"a field of a template":               {gate.LanguagePython, "T = 'import shutil; $f(\"/srv\")'\nexec(Template(T).substitute(f='shutil.rmtree'))\n", `shutil.rmtree("/srv")`},
		"a field from a table":                {gate.LanguagePython, "T = 'import shutil; shutil.rmtree(\"%(to)s\")'\nexec(T % {'to': '/srv'})\n", `shutil.rmtree("/srv")`},
		"a text that a loader returns":        {gate.LanguagePython, "class L(InspectLoader):\n    def get_source(self, name):\n        return 'import shutil; shutil.rmtree(\"/srv\")'\n", "shutil.rmtree"},
		"a template that nothing runs":        {gate.LanguagePython, "T = 'import shutil; shutil.rmtree(\"{to}\")'\nprint(T.format(to='/srv'))\n", ""},
		"the home folder that a shell knows":  {gate.LanguageShell, "python3 -c \"import shutil; shutil.rmtree('$HOME/a')\"\n", "shutil.rmtree(os.path.expanduser('~/a'))"},
		"the arguments of one command":        {gate.LanguageShell, "printf '%s\\n' \\\n  'import shutil' \\\n  'shutil.rmtree(\"/srv\")' | python3\n", "import shutil\nshutil.rmtree(\"/srv\")"},
		"a variable for another script":       {gate.LanguageShell, "CODE='import shutil; shutil.rmtree(\"/srv\")'\n", "shutil.rmtree"},
		"a variable in a file of settings":    {gate.LanguageUnknown, "A=1\nCODE=import shutil; shutil.rmtree('/srv')\n", "shutil.rmtree"},
		"the members of a shell archive":      {gate.LanguageShell, "sed 's/^X//' > x.py <<'E'\nXimport shutil\nXshutil.rmtree('/srv')\nE\npython3 x.py\n", "import shutil\nshutil.rmtree('/srv')"},
		"comments that a script runs":         {gate.LanguageShell, "#: import shutil\n#: shutil.rmtree('/srv')\nsed -n 's/^#: //p' \"$0\" | python3 -\n", "import shutil\nshutil.rmtree('/srv')"},
		"comments that a script shows":        {gate.LanguageShell, "#: import shutil\n#: shutil.rmtree('/srv')\nsed -n 's/^#: //p' \"$0\"\n", ""},
		"a word that is no program":           {gate.LanguageShell, "MODE='import the data; then go on'\n", ""},
		"arguments of a command of two lines": {gate.LanguageShell, "echo 'import shutil'\n'shutil.rmtree(\"/srv\")'\npython3 a.py\n", "import shutil"},
	} {
		t.Run(name, func(t *testing.T) {
			holdsPython(t, tc.lang, tc.text, tc.want)
		})
	}
}

// holdsPython checks what of a text is read as Python: want "" is nothing.
func holdsPython(t *testing.T, lang gate.Language, text, want string) {
	t.Helper()
	var got strings.Builder
	for _, c := range Extract(lang, "a", []byte(text)) {
		if len(c.Lines) == 0 || c.Lines[0] < 1 || c.Lines[len(c.Lines)-1] > strings.Count(text, "\n")+1 {
			t.Errorf("the lines of %q are %v", c.Text, c.Lines)
		}
		if c.Language == gate.LanguagePython {
			got.Write(c.Text)
		}
	}
	if want == "" && got.Len() > 0 || !strings.Contains(got.String(), want) {
		t.Errorf("in Python: %q", got.String())
	}
}
