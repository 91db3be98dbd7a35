package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/lab/attack"
	"github.com/aigate/gate/tools/testenv"
)

// One attack of each kind, quick ones; `make attack` runs them all.
func TestAttacksOfEachKindAreCaughtAndContainedOnBothRuntimes(t *testing.T) {
	for _, runtime := range []string{"runc", "runsc"} {
		testenv.Runtime(t, runtime)
	}
	for _, lang := range []string{"python", "node", "go", "shell"} {
		testenv.Image(t, lang)
	}
	suite, err := filepath.Abs("../../fixtures/attacks")
	if err != nil {
		t.Fatal(err)
	}
	only := []string{
		"credentials-ssh-folder-tar", "escape-mounts-sh", "resources-memory-js", "hooks-makefile-parse",
		"supply-dockerfile-pipe-shell", "injection-readme-hidden-steps",
	}
	g := newRealGate(t, nil)
	cmd := g.command("attack", suite, "--only", strings.Join(only, ","), "--runtime", "runc,runsc", "--timeout", "10s", "--format", "json")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run() // the exit code says it all
	res, err := attack.ParseResult("stdout", stdout.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	if code := cmd.ProcessState.ExitCode(); code != exitPass || res.Decision != gate.DecisionPass {
		t.Errorf("exit code %d, %s: %+v %q %q", code, res.Decision, res.Failures, res.Left, res.Incomplete)
	}
	if len(res.Attacks) != 4*len(only) || len(res.Probes) != 0 || res.Environment == nil {
		t.Errorf("%d rows, %d probes, environment %v", len(res.Attacks), len(res.Probes), res.Environment)
	}
	for _, r := range res.Attacks {
		readme := r.ID == "injection-readme-hidden-steps"
		if r.Executed == readme || r.Contained == readme || !r.Benign && !r.Caught || r.Layers[gate.LayerSandbox] == gate.VerdictUnknown {
			t.Errorf("%s on %s: executed %v, contained %v, caught %v, %v", r.ID, r.Runtime, r.Executed, r.Contained, r.Caught, r.Layers)
		}
	}
	for _, s := range res.Summary {
		if s.NothingToRun != 1 || s.Executed != len(only)-1 || s.Contained != len(only)-1 || s.TwinsDangerous != 0 {
			t.Errorf("%+v", s)
		}
	}
	for _, l := range res.Latency {
		if inside := l.Layer == gate.LayerSandbox; inside != (l.ProgramsMS > 0) || inside != (l.AroundMS > 0) {
			t.Errorf("it is not told apart what programs and what containers took: %+v", l)
		}
	}
	if len(res.Latency) != 3 || !strings.Contains(stderr.String(), "gate: sandbox") && stderr.Len() > 0 {
		t.Errorf("latency %+v, standard error %q", res.Latency, &stderr)
	}
}
