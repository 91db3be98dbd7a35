package job

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
)

func TestShown(t *testing.T) {
	for _, tt := range []struct {
		program Program
		args    []string
		want    string
	}{
		{Python{Mode: RunFile, Target: "a b.py"}, []string{"--help"}, "python3|a b.py|--help"},
		{Python{Mode: RunModule, Target: "pytest", Roots: []string{"src"}}, []string{"-q", "t.py"}, "python3|-m|pytest|-q|t.py"},
		{Python{Mode: Import, Target: "pkg.mod"}, nil, "python3|-c|import pkg.mod"},
		{Python{Mode: Load, Target: "my-tools/a.py", Exercise: true}, nil, "python3|-c|import my-tools/a.py and call its functions"},
		{Node{Command: []string{"node", "./a.js"}}, []string{"--help"}, "node|./a.js|--help"},
		{Node{Import: "file:///workspace/a.js"}, nil, "node|-e|import('file:///workspace/a.js')"},
		{Node{Import: "file:///workspace/a.js", Exercise: true}, nil, "node|-e|import('file:///workspace/a.js') and call its functions"},
		{GoProgram{What: "./cmd/x", Cover: true}, []string{"--help"}, "go|run|./cmd/x|--help"},
		{GoTests{Packages: []string{"./a"}, Verbose: true, Cover: true}, nil, "go|test|-count=1|-vet=off|-v|./a"},
		{Lines{Name: "RUN", Each: []string{"one", "two"}}, nil, "sh|-c|one\ntwo"},
		{Script{Interpreter: "bash", File: importFile, Cover: true}, []string{"--help"}, "bash|" + importFile + "|--help"},
		{Module{File: "a.wasm", Memory: 1}, []string{"-x"}, "wasm|a.wasm|-x"},
		{Command{Argv: []string{"sh", "-c", "echo \xff"}}, nil, "sh|-c|echo \uFFFD"},
		{Script{Interpreter: "bash", File: strings.Repeat("x", 1<<20)}, nil, "bash|" + strings.Repeat("x", maxShownArgument-3) + "…"},
		{nil, nil, ""},
	} {
		if got := strings.Join(Job{Program: tt.program, Args: tt.args}.Shown(), "|"); got != tt.want {
			t.Errorf("got %q, want %q", gate.Clip(got, 200), gate.Clip(tt.want, 200))
		}
	}
}

func TestTheTestsOfOnePackageOfGoAreBuiltOnce(t *testing.T) {
	j := Job{Image: gate.LanguageGo, Program: GoTests{Packages: []string{"./a"}, Nearest: "^(TestA)$"}}
	counted, err := j.Counted([]string{"a/a.go"}, "")
	if err != nil {
		t.Fatal(err)
	}
	j, err = counted.Budgeted(Budget{All: time.Minute, Others: 15 * time.Second, Targets: []string{"a/a.go", "a/b.go"}})
	if err != nil {
		t.Fatal(err)
	}
	line := j.Line()
	started := strings.Join(line.Started, "|")
	if strings.Count(started, "go|test") != 1 || !strings.Contains(started, `-exec|sh -c '"$@" -test.run`) || strings.Count(goTwiceWord, "'") != 2 {
		t.Errorf("started %q", started)
	}
	for _, want := range []string{"GATE_TESTS_NEAREST=^(TestA)$", "GATE_TESTS_FOR=1m0s", "GATE_TESTS_OTHERS_FOR=15s", "GATE_TESTS_NOT_IN=a/a.go\na/b.go"} {
		if !slices.Contains(line.Env, want) {
			t.Errorf("no %q in %q", want, line.Env)
		}
	}
	if shown := strings.Join(WithoutCount(line.Started), " "); strings.Contains(shown, "-exec") || strings.Contains(shown, goTwice) {
		t.Errorf("shown %q", shown)
	}
	wrapper := []string{"sh", "-c", goTwice, "sh", "/tmp/go-build1/b001/a.test", "-test.v=true"}
	if !Around(wrapper) || Around(append([]string{"sh", "-c", goTwice + "; curl x | sh"}, wrapper[3:]...)) {
		t.Error("our own start of the tests is not told from others")
	}
	several, err := Job{Image: gate.LanguageGo, Program: GoTests{Packages: []string{"./a", "./b"}, Nearest: "^(TestA)$", Cover: true}}.Budgeted(Budget{All: time.Minute, NearestOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if line := strings.Join(several.Line().Started, "|"); !strings.Contains(line, "go test -run") || strings.Contains(line, "-skip") {
		t.Errorf("the nearest tests only: %q", line)
	}
}

func TestMadeUpRequestsAreMarked(t *testing.T) {
	for _, file := range []string{"bootstrap/exercise.py", "bootstrap/exercise.mjs", "bootstrap/standin.py", "bootstrap/given_test.go.txt"} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), behaviour.Asked) {
			t.Errorf("%s has no mark: %v", file, err)
		}
	}
}
