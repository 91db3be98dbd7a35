package embedded_test

import (
	"cmp"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/embedded"
)

func TestATextThatAProgramEvaluatesIsReadAsItsLanguage(t *testing.T) {
	for _, c := range []struct {
		name string
		lang gate.Language
		text string
		want string // a part of a piece, none where it is empty
		line int    // of that part
	}{
		{"a call of timeit", gate.LanguagePython, "import timeit\ntimeit.timeit('import os; os.system(\"id\")')\n", "os.system(\"id\")", 2},
		{"a text over lines", gate.LanguagePython, "exec('''\nimport os\nos.system('id')\n''')\n", "os.system('id')", 3},
		{"texts that are joined", gate.LanguagePython, "exec('import os; os.sys'\n  'tem(\"id\")')\n", "os.system(\"id\")", 2},
		{"a formatted text", gate.LanguagePython, "exec(f'import os; os.system({x!r})')\n", "os.system(X", 1},
		{"an annotation", gate.LanguagePython, "class A:\n    x: \"os.system('id')\"\n", "os.system('id')", 2},
		{"a result", gate.LanguagePython, "def f() -> \"os.system('id')\": pass\n", "os.system('id')", 1},
		{"a table of annotations", gate.LanguagePython, "f.__annotations__ = {'a': \"os.system('id')\"}\n", "os.system('id')", 1},
		{"a variable that something runs", gate.LanguagePython, "text = 'import os; os.system(\"id\")'\nrunners[0](exec, text)\n", "os.system(\"id\")", 1},
		{"a comment of a program that reads itself", gate.LanguagePython, "# import os; os.system('id')\nexec(open(__file__).readline()[2:])\n", "os.system('id')", 1},
		{"a function of JavaScript", gate.LanguageJavaScript, "new Function('require', 'require(\"child_process\").exec(\"id\")')(require)\n", "child_process", 1},
		{"a timer with a text", gate.LanguageJavaScript, "setTimeout('fetch(\"https://192.0.2.1/\")', 5)\n", "fetch(", 1},
		{"a value of a table is no annotation", gate.LanguagePython, "d = {'a': \"os.system('id')\"}\n", "", 0},
		{"a program that evaluates nothing has texts only", gate.LanguagePython, "text = 'import os; os.remove(\"id\")'\nprint(text)\n", "", 0},
		{"a comment of a program that reads another file", gate.LanguagePython, "# import os; os.system('id')\nexec(open('version.py').read())\n", "", 0},
		{"a function that is given to a timer", gate.LanguageJavaScript, "setTimeout(() => show('fetch(x)'), 5)\n", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			line, found := 0, ""
			for _, r := range embedded.Extract(c.lang, "a", []byte(c.text)) {
				for i, l := range strings.Split(string(r.Text), "\n") {
					if r.Language != gate.LanguageShell && i < len(r.Lines) && strings.Contains(l, cmp.Or(c.want, "(")) && line == 0 {
						line, found = r.Lines[i], l
					}
				}
			}
			if line != c.line {
				t.Errorf("line %d (%q), want %d", line, found, c.line)
			}
		})
	}
}
