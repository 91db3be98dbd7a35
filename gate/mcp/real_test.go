package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/tools/testenv"
)

// real starts a server whose programs run in containers.
func real(t testing.TB, images ...string) *Server {
	t.Helper()
	testenv.Docker(t)
	for _, name := range images {
		testenv.Image(t, name)
	}
	t.Setenv("GATE_SUPERVISOR", testenv.Gate(t))
	o := Options{Engine: engineOf(t)}
	p, err := o.Engine.SettingsWithoutTree(o.Run)
	if err != nil {
		t.Fatal(err)
	}
	o.Programs = engine.NewPrograms(o.Engine, p.Policy)
	return open(t, o)
}

func changes(r reply) []string {
	var out []string
	all, _ := r.out["changed"].([]any)
	for _, c := range all {
		m, _ := c.(map[string]any)
		out = append(out, fmt.Sprint(m["how"], " ", m["path"]))
	}
	return out
}

func TestProgramsRunInContainersAndHandBackWhatChanged(t *testing.T) {
	c := connect(t, real(t, "python", "node", "shell", "go"), nil)
	for _, tt := range []struct {
		name, tool string
		a          arguments
		want       string // in the text
		changed    []string
	}{
		{"Python reads its input and writes a file", "run_code", arguments{"language": "python", "code": "import sys\nopen('out.txt','w').write(sys.stdin.read()+sys.argv[1])\nprint('done')\n", "stdin": "in ", "args": []string{"argument"}}, "done", []string{"created out.txt"}},
		{"a shell finds the file and removes it", "run_command", arguments{"command": "cat out.txt && rm out.txt && mkdir -p a/b && echo x > a/b/c.txt"}, "in argument", []string{"created a/b/c.txt", "deleted out.txt"}},
		{"JavaScript changes a file", "run_code", arguments{"language": "javascript", "code": "import fs from 'node:fs';\nfs.writeFileSync('a/b/c.txt', 'y');\nconsole.log(1 + 1);\n"}, "2\n", []string{"modified a/b/c.txt"}},
		{"TypeScript runs as it is", "run_code", arguments{"language": "typescript", "code": "const n: number = 20;\nconsole.log(n + 2);\n"}, "22\n", nil},
		{"Go is built and run", "run_code", arguments{"language": "go", "code": "package main\n\nfunc main() { println(\"from Go\") }\n"}, "from Go", nil},
		{"a program is kept where that was asked for", "run_code", arguments{"language": "shell", "code": "echo kept\n", "save_as": "bin/k.sh"}, "kept", []string{"created bin/k.sh"}},
		{"a program imports what is in the workspace", "run_code", arguments{"language": "python", "code": "print(open('bin/k.sh').read())\n"}, "echo kept", nil},
		{"there is no network", "run_code", arguments{"language": "python", "code": "import socket\ntry:\n    socket.create_connection(('192.0.2.1', 80), 2)\nexcept OSError as e:\n    print('no:', e)\n"}, "no:", nil},
		{"a failed program says so", "run_command", arguments{"command": "echo wrong >&2; exit 3"}, "exit code 3", nil},
		{"a program without an end is ended", "run_code", arguments{"language": "python", "code": "open('before','w').write('1')\nwhile True: pass\n", "timeout_seconds": 1}, "timeout", []string{"created before"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := works(t, c, tt.tool, tt.a)
			if got := changes(r); !strings.Contains(r.text, tt.want) || !slices.Equal(got, tt.changed) {
				t.Errorf("changed %q, want %q:\n%s", got, tt.changed, r.text)
			}
		})
	}
}

func TestFilesThatAProgramLeavesAreHostile(t *testing.T) {
	c := connect(t, real(t, "shell", "python"), nil)
	r := works(t, c, "run_command", arguments{"command": `ln -s /etc/passwd link; mkfifo pipe; touch plain; mkdir .git; touch .git/config; printf 'x' > "$(printf 'a\033[2Jb')"; touch ./-rf`})
	if got := changes(r); !slices.Equal(got, []string{"created -rf", "created plain"}) {
		t.Errorf("%q\n%s", got, r.text)
	}
	for _, want := range []string{"link", "pipe", ".git/config", `a\x1b[2Jb`} {
		if !strings.Contains(fmt.Sprint(r.out["left_out"]), want) {
			t.Errorf("%q is not said to be left out: %v", want, r.out["left_out"])
		}
	}
	refused(t, c, "read_file", arguments{"path": "link"}, `there is no file "link"`)

	r = works(t, c, "run_code", arguments{"language": "python", "code": "for i in range(1100): open(f'f{i}', 'w')\n"})
	if len(changes(r)) > 0 || r.out["workspace_kept"] != false || !strings.Contains(r.text, "too many files") || r.out["workspace_files"] != 2.0 {
		t.Errorf("%.2000s", r.text)
	}
	r = works(t, c, "run_code", arguments{"language": "python", "code": "import os\nos.write(1, b'\\xff\\x00\\x1b[2J' * 100)\nos.write(1, b'x' * 3_000_000)\n"})
	out, _ := r.out["stdout"].(map[string]any)
	if out["cut"] != true || out["exact"] != false || strings.ContainsAny(r.text, "\x1b\x00") || len(r.text) > maxShown+4<<10 {
		t.Errorf("%d bytes: %.500s", len(r.text), r.text)
	}
	r = works(t, c, "run_code", arguments{"language": "python", "code": "b = b'x' * (1 << 20)\nf = open('large', 'wb')\nfor _ in range(9): f.write(b)\n"})
	if got := changes(r); len(got) > 0 || !strings.Contains(r.text, "at most 8388608 are allowed for one file") {
		t.Errorf("%q\n%s", got, r.text)
	}
}

func TestACancelledCallLeavesNoContainer(t *testing.T) {
	s := real(t, "python")
	running := make(chan struct{})
	programs, _ := s.programs.(*engine.Programs)
	works(t, connect(t, s, nil), "run_code", arguments{"language": "python", "code": "print(1)\n"}) // it opens the container engine
	run := programs.RunID()
	c := connect(t, s, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		if strings.Contains(r.Params.Message, "it runs") {
			close(running)
		}
	}})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		p := &sdk.CallToolParams{Name: "run_code", Arguments: arguments{"language": "python", "code": "while True: pass\n"}}
		p.SetProgressToken("1")
		_, err := c.CallTool(ctx, p)
		ended <- err
	}()
	<-running
	cancel()
	if err := <-ended; err == nil {
		t.Fatal("the call was not cancelled")
	}
	if n := containers(t, run); n == 0 || n > 3 { // those that wait, and perhaps the one that is being removed
		t.Errorf("%d containers", n)
	}
	if err := s.Close(); err != nil { // it waits until they are gone
		t.Fatal(err)
	}
	if n := containers(t, run); n != 0 {
		t.Errorf("%d containers are left", n)
	}
}

// settled returns when nothing starts or ends: an agent takes its time between two calls.
func settled(t testing.TB, run string) {
	t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	before := -1
	for same := 0; same < 15; same++ {
		<-look.C
		if n := containers(t, run); n != before {
			before, same = n, 0
		}
	}
}

// containers counts those of a run.
func containers(t testing.TB, run string) int {
	t.Helper()
	api, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	all, err := api.ContainerList(context.WithoutCancel(t.Context()), container.ListOptions{All: true, Filters: filters.NewArgs(filters.Arg("label", "aigate.run="+run))})
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

func TestContainersWaitForTheNextProgram(t *testing.T) {
	s := real(t, "shell")
	programs, _ := s.programs.(*engine.Programs)
	c := connect(t, s, nil)
	for range 2 { // each program uses up one, and another one takes its place
		works(t, c, "run_command", arguments{"command": "true"})
		// A used container is removed beside the next call, on a busy machine late.
		for deadline := time.Now().Add(2 * time.Minute); ; {
			settled(t, programs.RunID())
			n := containers(t, programs.RunID())
			if n == 2 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d containers wait", n)
			}
		}
	}
}

// BenchmarkAWarmRun measures what a call takes beside its program, by the clock of the
// client: the transport, the static layer, the container and the workspace. Before each call
// it waits until containers wait, as they do while an agent thinks.
func BenchmarkAWarmRun(b *testing.B) {
	s := real(b, "python", "shell")
	programs, _ := s.programs.(*engine.Programs)
	c := connect(b, s, nil)
	for _, bb := range []struct {
		name, tool string
		a          arguments
	}{
		{"run_code", "run_code", arguments{"language": "python", "code": "open('n','a').write('x')\nprint(1)\n"}},
		{"run_command", "run_command", arguments{"command": "echo x >> m; cat m"}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			works(b, c, bb.tool, bb.a)
			var beside []time.Duration
			for b.Loop() {
				settled(b, programs.RunID())
				begin := time.Now()
				r := works(b, c, bb.tool, bb.a)
				ran, _ := r.out["duration_ms"].(float64)
				beside = append(beside, time.Since(begin)-time.Duration(ran)*time.Millisecond)
			}
			slices.Sort(beside)
			b.ReportMetric(float64(beside[0].Milliseconds()), "ms-beside-least")
			b.ReportMetric(float64(beside[len(beside)/2].Milliseconds()), "ms-beside-median")
			b.ReportMetric(float64(beside[len(beside)*95/100].Milliseconds()), "ms-beside-p95")
		})
	}
}

// process starts the command itself as a client does.
func process(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(testenv.Gate(t), append([]string{"mcp"}, args...)...)
	cmd.Env = []string{"HOME=" + t.TempDir(), "GATE_MCP_TOKEN=" + token, "PATH=" + os.Getenv("PATH")}
	return cmd
}

func TestTheCommandServesOverStandardInputAndOutput(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a.sh", reverseShell+"\n")
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: process(t, "--root", dir)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := works(t, c, "scan_change", nil); r.out["verdict"] != "DANGEROUS" {
		t.Error(r.text)
	}
	id := works(t, c, "write_file", arguments{"path": "a.txt", "text": "x"}).session()
	if r := works(t, c, "read_file", arguments{"path": "a.txt"}); r.session() != id || r.out["text"] != "x" {
		t.Error(r.text)
	}
	if err := c.Close(); err != nil {
		t.Errorf("the command does not end by itself: %v", err)
	}
}

// The policy's runtime holds for what the command runs: the kernel is gVisor's, a workspace goes
// in and comes back, and what has no end is ended.
func TestTheCommandRunsProgramsUnderTheRuntimeOfThePolicy(t *testing.T) {
	testenv.Runtime(t, "runsc")
	testenv.Image(t, "shell")
	host, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir+"/policy.yml", "sandbox: {runtime: runsc}\n")
	cmd := process(t, "--root", dir, "--config", dir+"/policy.yml")
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	works(t, c, "write_file", arguments{"path": "in.txt", "text": "given\n"})
	r := works(t, c, "run_command", arguments{"command": "uname -r; cat in.txt >out.txt; echo done"})
	if !strings.Contains(r.text, "done") || !slices.Equal(changes(r), []string{"created out.txt"}) {
		t.Errorf("changed %q:\n%s", changes(r), r.text)
	}
	if strings.Contains(r.text, strings.TrimSpace(string(host))) {
		t.Errorf("the kernel is that of the host:\n%s", r.text)
	}
	if r := works(t, c, "run_command", arguments{"command": "cat out.txt; while :; do :; done", "timeout_seconds": 2}); !strings.Contains(r.text, "timeout") || !strings.Contains(r.text, "given") {
		t.Errorf("%s", r.text)
	}
}

func TestTheCommandServesOverHTTP(t *testing.T) {
	cmd := process(t, "--http", "127.0.0.1:0")
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	if !lines.Scan() {
		t.Fatal("it says nothing")
	}
	_, address, _ := strings.Cut(lines.Text(), "http://")
	address, _, _ = strings.Cut(address, Path)
	if strings.Contains(lines.Text(), token) {
		t.Error("the token is shown")
	}
	c, err := overHTTP(t, address, token)
	if err != nil {
		t.Fatal(err)
	}
	works(t, c, "scan_code", arguments{"code": "print(1)\n", "language": "python"})
	if err := errors.Join(c.Close(), cmd.Process.Signal(os.Interrupt), cmd.Wait()); err != nil {
		t.Errorf("the command does not end when it is told to: %v", err)
	}
}
