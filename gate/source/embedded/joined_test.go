package embedded

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

func TestTextsThatStandNextToEachOtherAreOneProgram(t *testing.T) {
	const want = "import shutil\nfor d in [\"/srv\"]:\n    shutil.rmtree(d)\n"
	for name, tc := range map[string]struct {
		lang gate.Language
		text string
		want string // in Python, "" where there is none
	}{
		"added in Go":                      {gate.LanguageGo, "exec.Command(\"python3\", \"-c\", \"import shutil\\n\" + // first\n\t\"for d in [\\\"/srv\\\"]:\\n\" +\n\t\"    shutil.rmtree(d)\\n\")", want},
		"cut within a word":                {gate.LanguageGo, `exec.Command("python3", "-c", "import shutil\nfor d in [\"/s" + "rv\"]:\n    shutil.rm" + "tree(d)\n")`, want},
		"written line by line":             {gate.LanguageGo, "c := exec.Command(\"python3\", \"-\")\nw, _ := c.StdinPipe()\nfmt.Fprintln(w, \"import shutil\")\nfmt.Fprintln(w, `for d in [\"/srv\"]:`)\nfmt.Fprintln(w, \"    shutil.rmtree(d)\")\n", want},
		"joined from a list in Perl":       {gate.LanguagePerl, `system("python3", "-c", join("\n", 'import shutil', 'for d in ["/srv"]:', '    shutil.rmtree(d)'));`, want},
		"pushed":                           {gate.LanguageJavaScript, "const a = [];\na.push('import shutil');\na.push('for d in [\"/srv\"]:');\na.push('    shutil.rmtree(d)');\nspawnSync('python3', ['-c', a.join('\\n')]);", want},
		"added to a variable":              {gate.LanguageShell, "c=$'import shutil\\n'\nc+=$'for d in [\"/srv\"]:\\n'\nc+=$'    shutil.rmtree(d)\\n'\npython3 -c \"$c\"", want},
		"written by lines of another call": {gate.LanguageGo, "c := exec.Command(\"python3\", \"-\")\nw, _ := c.StdinPipe()\nfmt.Fprintln(w, \"import shutil\")\nfmt.Fprintln(w, `for d in [\"/srv\"]:`)\nfmt.Fprintln(w, \"    shutil.rmtree(d)\")\n", want},
		"numbered":                         {gate.LanguageJavaScript, `const p = {0: 'import shutil', 1: 'for d in ["/srv"]:', 2: '    shutil.rmtree(d)'}; run("python3", p)`, want},
		"an array of a shell":              {gate.LanguageShell, "a=(\n'import shutil'\n'for d in [\"/srv\"]:'\n'    shutil.rmtree(d)'\n)\npython3 -c \"$(printf '%s\\n' \"${a[@]}\")\"", want},
		"behind a margin of Kotlin":        {gate.LanguageKotlin, "run(\"python3\", \"-c\", \"\"\"\n  |import shutil\n  |for d in [\"/srv\"]:\n  |    shutil.rmtree(d)\n\"\"\".trimMargin())", want},
		"a text of Lisp":                   {gate.LanguageElisp, "(call-process \"python3\" nil nil nil \"-c\" \"\nimport shutil\nfor d in [\\\"/srv\\\"]:\n    shutil.rmtree(d)\n\")", want},
		"texts that are no program":        {gate.LanguageGo, "exec.Command(\"python3\", \"-c\", \"print(1)\\n\" +\n\t\"print(2)\\n\")", ""},
		"a list that names no Python":      {gate.LanguageGo, "run(\"node\", \"-e\", \"import shutil\",\n\"shutil.rmtree(d)\")", ""},
	} {
		t.Run(name, func(t *testing.T) {
			holdsPython(t, tc.lang, tc.text, tc.want)
		})
	}
}

func TestTextsOfDifferentStatementsAreNotPutTogether(t *testing.T) {
	text := "a := \"import os\"\nb := run(\"python3\", \"shutil.rmtree(d)\")\n"
	for _, c := range Extract(gate.LanguageGo, "a.go", []byte(text)) {
		if c.Language == gate.LanguagePython && strings.Contains(string(c.Text), "rmtree") {
			t.Errorf("in Python: %q", c.Text)
		}
	}
}

func TestTextsBehindTheBoundOfAGroupAreAGap(t *testing.T) {
	text := "exec.Command(\"python3\", \"-c\", \"import shutil\\n\"" + strings.Repeat(" +\n\""+strings.Repeat("#", 1000)+"\\n\"", 300) + ")\n"
	if _, unread := Read(gate.LanguageGo, "a.go", []byte(text)); !strings.Contains(fmt.Sprint(unread), "programs of another language") {
		t.Errorf("unread: %q", unread)
	}
}

func TestCellsOfANotebookAreOneProgram(t *testing.T) {
	const first, second = `{"cell_type": "code", "source": ["import shutil\n", "home = '/srv'\n"]}`, `{"cell_type": "code", "source": ["shutil.rmtree(home)\n"]}`
	const between = `{"cell_type": "markdown", "source": ["notes"]}, {"cell_type": "code", "source": ["%%bash\n", "ls\n"]}`
	text := `{"cells": [` + first + ",\n" + between + ",\n" + second + `]}`
	for _, c := range Extract(gate.LanguageNotebook, "a.ipynb", []byte(text)) {
		if string(c.Text) == "import shutil\nhome = '/srv'\nshutil.rmtree(home)\n" {
			if got := fmt.Sprint(c.Lines); got != "[1 1 3]" {
				t.Errorf("lines: %s", got)
			}
			return
		}
	}
	t.Error("no program holds both cells")
}
