package lsp

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate/lsp/protocol"
	"github.com/aigate/gate/gate/lsp/rpc"
	"github.com/aigate/gate/tools/testenv"
)

// sandboxed is an editor whose server has an engine.
func sandboxed(t *testing.T, files map[string]string) *editor {
	t.Helper()
	testenv.Docker(t)
	testenv.Image(t, "python")
	t.Setenv("GATE_SUPERVISOR", testenv.Gate(t))
	return open(t, project(t, files).Dir, Options{}, nil)
}

func (e *editor) run(name string) (Ran, error) {
	e.t.Helper()
	return call[Ran](e, "workspace/executeCommand", map[string]any{"command": commandRun, "arguments": []any{protocol.TextDocument{URI: e.uri(name)}}})
}

func TestAFileRunsInTheSandboxAndWhatItDidIsShown(t *testing.T) {
	const curious = "import os\nprint(open(os.path.expanduser('~/.ssh/id_rsa')).read())\n"
	e := sandboxed(t, map[string]string{"good.py": "print('hello')\n", "bad.py": curious})
	e.edit("good.py", "print('hello')\n")
	got, err := e.run("good.py")
	if err != nil || got.Verdict != "SAFE" || !strings.Contains(got.Summary, "exited with code 0") {
		t.Fatalf("%+v, %v", got, err)
	}
	e.edit("bad.py", curious)
	if got, err = e.run("bad.py"); err != nil || got.Verdict == "SAFE" {
		t.Fatalf("%+v, %v", got, err)
	}
	observed := func() bool {
		for _, d := range e.told[e.uri("bad.py")].Diagnostics {
			if d.Source == "gate sandbox" && strings.Contains(d.Code, "observed") {
				return true
			}
		}
		return false
	}
	e.wait("word of what it did", observed)
	e.mu.Lock()
	kinds := ""
	for _, p := range e.progress {
		kinds += p.Value.Kind[:1]
	}
	e.mu.Unlock()
	if !strings.HasPrefix(kinds, "b") || strings.Count(kinds, "b") != 2 || strings.Count(kinds, "e") != 2 {
		t.Errorf("progress %q", kinds)
	}
	// What was observed is of the text that ran.
	e.change("bad.py", 2, protocol.Change{Text: "print(2)\n"})
	e.diagnostics("bad.py", 2)
	e.mu.Lock()
	defer e.mu.Unlock()
	if observed() {
		t.Errorf("%+v", e.told[e.uri("bad.py")])
	}
}

func TestARunIsCancelledAndOnlyOneGoesOn(t *testing.T) {
	e := sandboxed(t, map[string]string{"a.py": "while True: pass\n"})
	e.edit("a.py", "while True: pass\n")
	ended := make(chan error, 1)
	go func() { _, err := e.run("a.py"); ended <- err }()
	e.wait("beginning", func() bool { return len(e.progress) > 0 })
	_, err := e.run("a.py")
	refused(t, err, rpc.CodeFailed, "another run goes on")
	e.mu.Lock()
	token := e.progress[0].Token
	e.mu.Unlock()
	e.notify("window/workDoneProgress/cancel", protocol.ProgressToken{Token: token})
	refused(t, <-ended, rpc.CodeCancelled, "cancelled")
}
