package job

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
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
