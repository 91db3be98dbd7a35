package execute_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"os/exec"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
)

// compiled is a Go program for wasip1.
func compiled(t *testing.T, source string) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", "m.wasm", "main.go")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("compile: %v\n%s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(dir, "m.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// thief reads a planted key where it looks for one, and waits for 2030.
const thief = `package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	data, err := os.ReadFile("notes.txt")
	fmt.Printf("module %q %v\n", data, err)
	if _, err := os.ReadFile("/etc/passwd"); err == nil {
		fmt.Println("ESCAPED")
	}
	key, err := os.ReadFile("/tmp/.ssh/id_ed25519")
	fmt.Println("key", len(key) > 0, err)
	os.WriteFile("/tmp/made.txt", []byte("x"), 0o644)
	os.Remove("/tmp/made.txt")
	if time.Now().Year() >= 2030 {
		os.WriteFile("stolen.txt", key, 0o644)
	}
}
`

// foreignModule calls a function sock_open, which is none of WASI's.
const foreignModule = "\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x02\x24\x01\x16wasi_snapshot_preview1\x09sock_open\x00\x00\x03\x02\x01\x00\x07\x0a\x01\x06_start\x00\x01\x0a\x06\x01\x04\x00\x10\x00\x0b"

func TestAWebAssemblyModuleIsRunAndWatched(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"thief.wasm":   {Data: compiled(t, thief), Mode: 0o644},
		"notes.txt":    {Data: []byte("a note"), Mode: 0o644},
		"broken.wasm":  {Data: []byte("\x00asm\x01\x00\x00\x00\x01\x7f\x01"), Mode: 0o644},
		"foreign.wasm": {Data: []byte(foreignModule), Mode: 0o644},
	}
	for _, runtime := range []string{"runc", "runsc"} {
		t.Run(runtime, func(t *testing.T) {
			t.Parallel()
			s := sharedStage(t, runtime, 2)
			out, found := executions(t, s, changeOf(files, "thief.wasm", "broken.wasm", "foreign.wasm"))
			e := out.Executions["thief.wasm"]
			// As it is, on a build machine, in 2030, and once more because it did something in 2030 only.
			if len(e.Units) != 4 || e.Units[3].Kind != "script, repeated" || e.Status != exited || e.ExitCode != 0 || strings.Join(e.Units[0].Command, " ") != "wasm thief.wasm" {
				t.Fatalf("thief.wasm: %s %q %+v", e.Status, e.Reason, e.Units)
			}
			if text := e.Units[0].Stdout.Text; !strings.HasPrefix(text, "module \"a note\" <nil>\nkey true <nil>\n") {
				t.Errorf("it wrote %q and %q", text, e.Units[0].Stderr.Text)
			}
			for _, want := range []gate.Behaviour{{Kind: "read", Detail: "/tmp/.ssh/id_ed25519"}, {Kind: "write", Detail: "/tmp/made.txt"}, {Kind: "delete", Detail: "/tmp/made.txt"}} {
				if !slices.ContainsFunc(e.Behaviour, func(b gate.Behaviour) bool { return b.Kind == want.Kind && strings.HasPrefix(b.Detail, want.Detail) }) {
					t.Errorf("%+v is not on record: %+v", want, e.Behaviour)
				}
			}
			rules := func(path string) (out []string) {
				for _, f := range found.Of(path) {
					out = append(out, f.Rule)
				}
				return out
			}
			if got := rules("thief.wasm"); !slices.Contains(got, "credentials/observed-read") || !slices.Contains(got, "time-trigger/observed-conditional") {
				t.Errorf("thief.wasm: findings %q, units %+v", got, e.Units)
			}
			check(t, out, found, want{path: "broken.wasm", units: "script", status: exited, code: 126, reason: "no module that can be run"})
			check(t, out, found, want{path: "foreign.wasm", units: "script", status: exited, rules: []string{"wasm/foreign-import"}})
			if f := found.Of("foreign.wasm"); len(f) == 1 && (f[0].Evidence != "wasi_snapshot_preview1: sock_open" || f[0].Severity != gate.SeveritySuspicious) {
				t.Errorf("got %+v", f[0])
			}
			if len(out.Incomplete) > 0 {
				t.Errorf("incomplete: %v", out.Incomplete)
			}
		})
	}
}

func TestGoRunsAsWebAssemblyWhereThePolicySaysSo(t *testing.T) {
	const program = `package main

import (
	"fmt"
	"net"
	"os"
	"runtime"
)

func main() {
	_, err := net.Dial("tcp", "example.com:80")
	_, outside := os.ReadFile("/etc/passwd")
	data, _ := os.ReadFile("note.txt")
	fmt.Println(runtime.GOOS, string(data), err != nil, outside != nil)
	os.Exit(3)
}
`
	files := fstest.MapFS{"go.mod": {Data: []byte("module example.com/p\n\ngo 1.20\n")}, "main.go": {Data: []byte(program)}, "note.txt": {Data: []byte("hello")}}
	s := realStage(t, "runc", func(o *execute.Options) { o.Policy.Go, o.Policy.Conditions = "wasip1", 0 })
	out, found := executions(t, s, changeOf(files, "main.go"))
	check(t, out, found, want{path: "main.go", units: "script", status: exited, code: 3, reason: "exit code 3", output: "wasip1 hello true true\n"})
	if e := out.Executions["main.go"]; strings.Join(e.Units[0].Command, " ") != "go run ." {
		t.Errorf("shown as %q", e.Units[0].Command)
	}
}
