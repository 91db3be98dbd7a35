package attackrun

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/lab/attack"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// samples makes the current folder one with a suite of one attack and a policy.
func samples(t *testing.T, payload, policy string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		".gate.yml": policy,
		"samples/group/sample-one/attack.yaml": "id: sample-one\ntitle: Runs what it is given\ntechnique: T1059\nlanguage: python\ntries: runs a command\nentry: payload/run.py\n" +
			"catch: [static]\ncontain: [processes]\nruntimes: [runc, runsc]\nblind: false\n",
		"samples/group/sample-one/payload/run.py": payload,
		"samples/group/sample-one/twin/run.py":    "print('nothing')\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// process is one without an environment. What it writes is in the buffer.
func process(t *testing.T, stdout *bytes.Buffer) Process {
	t.Helper()
	return Process{
		Stdout: stdout,
		Engine: engine.New(engine.Host{Tool: gate.Tool{Name: "gate", Version: "test"}, Stderr: &bytes.Buffer{}, Getenv: func(string) string { return "" }}),
	}
}

func TestRunSuppressesNothing(t *testing.T) {
	const call = "exec(sys.argv[1])"
	for name, tt := range map[string]struct{ payload, policy string }{
		"nothing speaks for it":            {call, "fail-on: dangerous\n"},
		"a comment in the payload":         {call + `  # gate:allow dynamic-code/python-input reason="ours"`, "fail-on: dangerous\n"},
		"a safe usage of the folder's own": {call, "rules: {usage: [{rule: dynamic-code/python-input, line: 'exec.sys.*', reason: ours}]}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			samples(t, "import sys\n\n"+tt.payload+"\n", tt.policy)
			var stdout bytes.Buffer
			err := Run(t.Context(), process(t, &stdout), Options{
				Samples: "samples", Engine: engine.Options{Layers: []string{"static"}}, Output: Output{Format: "json"},
			})
			if err != nil {
				t.Errorf("it does not pass: %v", err)
			}
			res, err := attack.ParseResult("stdout", stdout.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range res.Attacks {
				if r.Caught == r.Benign {
					t.Errorf("twin %v: caught %v, %v", r.Benign, r.Caught, r.Layers)
				}
			}
		})
	}
}

func TestRunEndsWithTheExitCodeOfItsDecision(t *testing.T) {
	samples(t, "print('nothing either')\n", "fail-on: dangerous\n")
	var stdout bytes.Buffer
	save := filepath.Join(t.TempDir(), "result.json")
	err := Run(t.Context(), process(t, &stdout), Options{
		Samples: "samples", Engine: engine.Options{Layers: []string{"static"}}, Output: Output{Format: "text", Save: save},
	})
	if coded, ok := errors.AsType[*exit.Error](err); !ok || coded.Code != exit.Blocked || coded.Err != nil {
		t.Errorf("an attack that was missed ends with %v", err)
	}
	shown := stdout.String()
	stdout.Reset()
	err = Run(t.Context(), process(t, &stdout), Options{From: save, Engine: engine.Options{Layers: []string{"static"}}, Output: Output{Format: "text"}})
	if coded, ok := errors.AsType[*exit.Error](err); !ok || coded.Code != exit.Blocked || stdout.String() != shown {
		t.Errorf("the saved result ends with %v, and is shown as\n%s\nwhere the run was\n%s", err, &stdout, shown)
	}
}

func TestRunRefusesOptionsThatContradictEachOther(t *testing.T) {
	static := engine.Options{Layers: []string{"static"}}
	text := Output{Format: "text"}
	for want, o := range map[string]Options{
		"there is no format":     {Engine: static, Output: Output{Format: "html"}},
		"--accept needs":         {Engine: static, Output: text, Accept: AcceptBetter},
		"--accept is better or":  {Engine: static, Output: text, Accept: "worse", Baseline: "b.json"},
		"--probes runs no":       {Engine: static, Output: text, Probes: true, Baseline: "b.json"},
		"--generate makes other": {Engine: static, Output: text, Generate: 1, Probes: true},
		"--shard attacks with":   {Engine: static, Output: text, Shard: "1/2", From: "r.json"},
		"--keep needs":           {Engine: static, Output: text, Keep: "dir"},
		"--generate is 1 to 100": {Engine: static, Output: text, Generate: 101},
		"--parallel is 1 to 256": {Engine: static, Output: text, Parallel: -1},
		"--layers names none":    {Output: text},
		"--history and --issue":  {Engine: static, Output: text, Shard: "1/2", Issue: true},
	} {
		var stdout bytes.Buffer
		err := Run(t.Context(), process(t, &stdout), o)
		if coded, ok := errors.AsType[*exit.Error](err); !ok || coded.Code != exit.Usage || !strings.Contains(err.Error(), want) || stdout.Len() > 0 {
			t.Errorf("%q: %v, %q", want, err, &stdout)
		}
	}
}
