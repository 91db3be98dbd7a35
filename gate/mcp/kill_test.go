package mcp

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/filters"
	"github.com/docker/docker/client"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/aigate/gate/tools/testenv"
)

// A server that is killed cleans nothing up: its containers end by themselves, and the next
// server finds its sessions. A container that was made and not yet started does nothing; it
// is there until the next program runs.
func TestAServerThatIsKilledLeavesNoContainerAndKeepsItsSessions(t *testing.T) {
	testenv.Docker(t)
	testenv.Image(t, "python")
	home, locks := t.TempDir(), t.TempDir()
	start := func(o *sdk.ClientOptions) (*exec.Cmd, *sdk.ClientSession) {
		cmd := process(t)
		cmd.Env = append(cmd.Env, "HOME="+home, "XDG_RUNTIME_DIR="+locks, "DOCKER_HOST="+os.Getenv("DOCKER_HOST"))
		c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(), &sdk.CommandTransport{Command: cmd, TerminateDuration: 4 * time.Minute}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return cmd, c
	}
	runs := make(chan struct{})
	server, c := start(&sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		if strings.Contains(r.Params.Message, "it runs") {
			close(runs)
		}
	}})
	// This opens the container engine, and has containers wait for the next program.
	id := works(t, c, "run_code", arguments{"language": "python", "code": "open('a.txt', 'w').write('kept')\n"}).session()
	cut := make(chan error, 1)
	go func() {
		p := &sdk.CallToolParams{Name: "run_code", Arguments: arguments{"language": "python", "code": "while True: pass\n"}}
		p.SetProgressToken("1")
		_, err := c.CallTool(t.Context(), p)
		cut <- err
	}()
	select {
	case <-runs:
	case err := <-cut:
		t.Fatalf("the program does not run: %v", err)
	}
	owner, err := os.ReadFile(filepath.Join(locks, "gate", "owner"))
	if err != nil {
		t.Fatal(err)
	}
	within, stop := context.WithTimeout(t.Context(), 4*time.Minute)
	defer stop()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	// The engine says late, on a busy machine, that a container runs.
	for running := 0; running == 0; running, _ = containersOf(t, owner) {
		select {
		case <-look.C:
		case <-within.Done():
			t.Fatal("there is no container to leave behind")
		}
	}
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-cut; err == nil {
		t.Error("a call of a killed server has a result")
	}
	_ = c.Close() // it says that the server was killed
	for running := 1; running > 0; running, _ = containersOf(t, owner) {
		select {
		case <-look.C:
		case <-within.Done():
			t.Fatalf("%d containers run without their server", running)
		}
	}

	_, again := start(nil)
	if r := works(t, again, "read_file", arguments{"path": "a.txt", "session": id}); r.out["text"] != "kept" {
		t.Error(r.text)
	}
	works(t, again, "run_code", arguments{"language": "python", "code": "print(1)\n", "session": id})
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	if running, all := containersOf(t, owner); all > 0 {
		t.Errorf("%d containers are left, %d of them run", all, running)
	}
}

// containersOf counts the containers of all runs that share a folder of locks: those that
// run, and all.
func containersOf(t *testing.T, owner []byte) (running, all int) {
	t.Helper()
	api, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	label := filters.Arg("label", "aigate.owner="+strings.TrimSpace(string(owner)))
	found, err := api.ContainerList(t.Context(), container.ListOptions{All: true, Filters: filters.NewArgs(label)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range found {
		if c.State != container.StateCreated {
			running++
		}
	}
	return running, len(found)
}
