package lsp

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/tools/testenv"
)

// The tests of the extension, one of which is the client library of VS Code against gate.
func TestTheExtensionOfVSCodePassesItsTests(t *testing.T) {
	node, dir := testenv.Node(t), testenv.Packages(t, "vscode")
	files, err := filepath.Glob(filepath.Join(dir, "test", "*.test.js"))
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	cmd := exec.CommandContext(t.Context(), node, append([]string{"--test"}, files...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GATE="+testenv.Gate(t))
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "# SKIP") || !strings.Contains(string(out), "the client of VS Code") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTheExtensionOfVSCodeIsBuilt(t *testing.T) {
	node, dir := testenv.Node(t), testenv.Packages(t, "vscode")
	out := filepath.Join(t.TempDir(), "extension.js")
	cmd := exec.CommandContext(t.Context(), node, filepath.Join("node_modules", "esbuild", "bin", "esbuild"), "src/extension.js",
		"--bundle", "--platform=node", "--format=cjs", "--external:vscode", "--outfile="+out)
	cmd.Dir = dir
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	code, err := os.ReadFile(out)
	if err != nil || !strings.Contains(string(code), "gate.askReason") || !strings.Contains(string(code), "LanguageClient") {
		t.Error(err)
	}
}
