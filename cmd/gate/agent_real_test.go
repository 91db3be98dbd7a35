package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent/workrun"
	"github.com/aigate/gate/gate/lab/agentattack"
	"github.com/aigate/gate/tools/testenv"
)

// agentWith is gate agent with a model that runs one Python program and then answers.
func agentWith(t *testing.T, code string) (g *realGate, args []string) {
	t.Helper()
	testenv.Image(t, "python")
	asked := false
	model, err := agentattack.NewServer(t.Context(), false, func([]agentattack.Message) string {
		if asked {
			return agentattack.Answer("done")
		}
		asked = true
		return agentattack.Call("run_code", map[string]any{"language": "python", "code": code})
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	return newRealGate(t, nil), []string{"agent", "run it", "--ollama", model.URL, "--model", agentattack.ModelName, "--format", "json"}
}

func TestASignalEndsTheAgentAndItsContainers(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			g, args := agentWith(t, "import time\ntime.sleep(600)\n")
			cmd := g.command(append(args, "--timeout", "10m")...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			owner := ""
			running := within(t, 2*time.Minute, func() bool {
				if text, err := os.ReadFile(filepath.Join(g.home, "gate", "owner")); err == nil {
					owner = string(text)
				}
				for _, state := range containersOfOwner(t, owner) {
					if owner != "" && state == "running" {
						return true
					}
				}
				return false
			})
			if err := cmd.Process.Signal(signal); err != nil {
				t.Error(err)
			}
			_ = cmd.Wait() // the exit code says it all
			var r workrun.Report
			if err := json.Unmarshal(stdout.Bytes(), &r); !running || err != nil || cmd.ProcessState.ExitCode() != 3 || r.Decision != gate.DecisionIncomplete || !strings.Contains(r.Reason, "interrupted") {
				t.Errorf("running %v, exit code %d, %+v, %v\n%s", running, cmd.ProcessState.ExitCode(), r, err, &stderr)
			}
			if left := containersOfOwner(t, owner); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestTheAgentSaysWhatIsMissingAndWhatToDo(t *testing.T) {
	for name, tt := range map[string]struct {
		env, args []string
		says      []string
	}{
		"no container engine": {[]string{"DOCKER_HOST=unix:///nowhere/docker.sock"}, nil, []string{"could not be run", "DOCKER_HOST"}},
		"no image":            {[]string{"GATE_IMAGE_PYTHON=gate-test/absent:1"}, nil, []string{"could not be run", "gate-test/absent:1"}},
		"no model server":     {nil, []string{"--ollama", "http://127.0.0.1:9"}, []string{"no model can be asked", "127.0.0.1:9"}},
	} {
		t.Run(name, func(t *testing.T) {
			g, args := agentWith(t, "print(1)\n")
			g.env = append(slices.Clone(g.env), tt.env...)
			cmd := g.command(append(args, tt.args...)...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run() // the exit code says it all
			var r workrun.Report
			if err := json.Unmarshal(stdout.Bytes(), &r); err != nil || cmd.ProcessState.ExitCode() != 3 || r.Decision != gate.DecisionIncomplete {
				t.Errorf("exit code %d, %+v, %v\n%s", cmd.ProcessState.ExitCode(), r, err, &stderr)
			}
			for _, want := range tt.says {
				if !strings.Contains(r.Reason, want) {
					t.Errorf("%q is not in %q", want, r.Reason)
				}
			}
		})
	}
}
