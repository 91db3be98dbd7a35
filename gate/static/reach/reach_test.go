package reach_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static/reach"
)

func TestNamesAreOnTheLinesOfTheTextBehindBracketsOverSeveralLines(t *testing.T) {
	text := "import (\n\t\"fmt\"\n\t_ \"example.com/a/internal/x\"\n)\n\nfunc a() {\n\tfetch()\n}\n"
	n := reach.Read(gate.LanguageGo, "a.go", []byte(text), nil, gate.OnlyLines(gate.LineRange{7, 7}))
	if n.Calls["fetch"] != 7 || len(n.Modules) > 0 {
		t.Errorf("calls %v, modules %v", n.Calls, n.Modules)
	}
	n = reach.Read(gate.LanguageGo, "a.go", []byte(text), []byte("import (\n\t\"fmt\"\n)\n"), gate.OnlyLines(gate.LineRange{3, 3}))
	if n.Modules["example.com/a/internal/x"] != 3 {
		t.Errorf("modules %v", n.Modules)
	}
}

func TestALineBehindBracketsOverSeveralLinesIsInItsFunction(t *testing.T) {
	o := reach.NewOutline(gate.LanguagePython, []byte("X = [\n  1,\n  2,\n]\n\ndef a():\n    run()\n\nprint(1)\n"))
	if o.AtTop(7) || !o.AtTop(9) || !o.AtTop(2) {
		t.Errorf("line 7 at top: %v, line 9: %v, line 2: %v", o.AtTop(7), o.AtTop(9), o.AtTop(2))
	}
}

func TestSwitchesAreWhatIsTurnedOffEmptiedOrRemoved(t *testing.T) {
	for _, c := range []struct {
		older, text string
		want        bool
	}{
		{"DRY=1\n", "DRY=0\n", true},
		{"DRY=1\n", "DRY=\n", true},
		{"DRY=1\n", "DRY=''\n", true},
		{"DRY=1\n", "unset DRY\n", true},
		{"DRY=1\nA=b\n", "A=c\n", true},
		{"DRY=\n", "DRY=\n", false},
		{"DRY=1\n", "A=c\nDRY=1\n", false},
		{"DRY=abc\n", "DRY=abd\n", false},
	} {
		n := reach.Read(gate.LanguageUnknown, ".env", []byte(c.text), []byte(c.older), gate.LineSet{})
		if _, got := n.Switches["DRY"]; got != c.want {
			t.Errorf("%q to %q: switches %v", c.older, c.text, n.Switches)
		}
	}
}

func TestAnImageAndItsTagAreNoModuleWithAFunction(t *testing.T) {
	for text, want := range map[string]bool{
		"FROM docker:dind AS engine\n":                 false,
		"COPY --link --from=docker:dind /a /b\n":       false,
		"    image: docker:dind\n":                     false,
		"CMD [\"gunicorn\", \"docker:dind\"]\n":        true,
		"RUN uvicorn docker:dind\n":                    true,
		"    command: gunicorn docker:dind\n":          true,
		"FROM busybox\nRUN gunicorn docker:dind app\n": true,
	} {
		n := reach.Read(gate.LanguageDockerfile, "Dockerfile", []byte(text), nil, gate.LineSet{})
		if n.Modules["docker"] > 0 != want || n.Calls["dind"] > 0 != want {
			t.Errorf("%q: modules %v, calls %v, want an entry: %v", text, n.Modules, n.Calls, want)
		}
	}
}

func TestAConstantOfGoRunsWhereItIsUsed(t *testing.T) {
	const text = "package a\n\nconst (\n\tHost = \"a\"\n\tPath = \"b\"\n\tAlone = \"c\"\n)\n\nvar at = Path\n\ntype T struct{ Get int }\n\nfunc Get() string {\n\treturn Host\n}\n"
	o := reach.NewOutline(gate.LanguageGo, []byte(text))
	lines := strings.Split(text, "\n")
	for line, want := range map[int][]int{4: {14}, 5: {9}, 6: nil, 9: nil, 14: nil} {
		if got := o.UsesOfConstant(line, lines[line-1]); !slices.Equal(got, want) {
			t.Errorf("line %d: %v, want %v", line, got, want)
		}
	}
	if o.AtTop(14) {
		t.Error("a function runs whose name is that of a field")
	}
}
