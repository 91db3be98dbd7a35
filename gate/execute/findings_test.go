package execute_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
)

// did is a run in which these events were seen, ten milliseconds after one
// another.
func did(events ...sandbox.Event) sandbox.Result {
	r := sandbox.Result{Status: sandbox.Exited, Behaviour: sandbox.Behaviour{Recorder: "fake"}}
	for i, e := range events {
		e.Count, e.First = max(e.Count, 1), time.Duration(i+1)*10*time.Millisecond
		r.Behaviour.Events = append(r.Behaviour.Events, e)
	}
	return r
}

func event(action sandbox.Action, object string, args ...string) sandbox.Event {
	return sandbox.Event{Action: action, Object: object, Args: args}
}

func answer(r sandbox.Result) func(sandbox.Spec) (sandbox.Result, error) {
	return func(sandbox.Spec) (sandbox.Result, error) {
		mine := r
		mine.Behaviour.Events = slices.Clone(r.Behaviour.Events)
		mine.Behaviour.Captures = slices.Clone(r.Behaviour.Captures)
		return mine, nil
	}
}

func rules(found *gate.Findings, path string) []string {
	var out []string
	for _, f := range found.Of(path) {
		out = append(out, f.Rule+" "+f.Severity.String())
	}
	return out
}

func TestBehaviourOfARunIsInTheDocumentAndIsFound(t *testing.T) {
	r := &fakeRunner{answer: answer(did(
		event(sandbox.ActionRead, "/usr/lib/python3.11/os.py"),
		sandbox.Event{Action: sandbox.ActionRead, Object: "/tmp/.ssh/id_rsa", Count: 3},
		event(sandbox.ActionConnect, "192.0.2.1:443"),
	))}
	c := changeOf(files(map[string]string{"a.py": program}))
	out, found := executions(t, fakeStage(t, r, nil), c)
	want := []gate.Behaviour{{Kind: "read", Detail: "/tmp/.ssh/id_rsa", Count: 3}, {Kind: "connect", Detail: "192.0.2.1:443", Count: 1}}
	if diff := cmp.Diff(want, out.Executions["a.py"].Behaviour); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"credentials/observed-read suspicious", "network/observed-raw-address suspicious", "network/observed-connection note"}, rules(found, "a.py")); diff != "" {
		t.Error(diff)
	}
	if len(out.Incomplete) > 0 {
		t.Errorf("incomplete: %v", out.Incomplete)
	}
}

func TestAFindingOfAUnitConcernsAllItsFiles(t *testing.T) {
	r := &fakeRunner{answer: answer(did(event(sandbox.ActionRead, "/etc/shadow")))}
	c := changeOf(files(map[string]string{"test_a.py": "def test_x(): pass", "test_b.py": "def test_x(): pass"}))
	_, found := executions(t, fakeStage(t, r, nil), c)
	for _, p := range []string{"test_a.py", "test_b.py"} {
		fs := found.Of(p)
		if len(fs) != 1 || fs[0].Rule != "file-access/observed-system-file" || !strings.Contains(fs[0].Message, "together with another changed file") {
			t.Errorf("%s: %+v", p, fs)
		}
	}
}

func TestBehaviourThatWasNotRecordedIsAGap(t *testing.T) {
	lossy := did(event(sandbox.ActionList, "/tmp"))
	lossy.Behaviour.Lost = 7
	for name, tt := range map[string]struct {
		res    sandbox.Result
		reason string
		rules  []string
	}{
		"not watched":      {sandbox.Result{Status: sandbox.Exited}, "its behaviour was not recorded", nil},
		"not all was kept": {lossy, "7 events of its behaviour were not kept", []string{"resource-exhaustion/observed-event-flood suspicious"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := changeOf(files(map[string]string{"a.py": program}))
			out, found := executions(t, fakeStage(t, &fakeRunner{answer: answer(tt.res), blind: true}, nil), c)
			if diff := cmp.Diff([]gate.Gap{{Layer: gate.LayerSandbox, Path: "a.py", Reason: tt.reason}}, out.Incomplete); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.rules, rules(found, "a.py")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestARunWhoseRecorderRanOutOfMemoryIsAskedOnceMore(t *testing.T) {
	lost := sandbox.Result{Status: sandbox.OOM}
	recorded := did(event(sandbox.ActionRead, "/etc/shadow"))
	recorded.Status = sandbox.OOM
	other := did()
	const gap = "its behaviour was not recorded"
	const memory, read = "resource-exhaustion/observed-out-of-memory suspicious", "file-access/observed-system-file suspicious"
	for name, tt := range map[string]struct {
		answers []sandbox.Result // to one run after the other, the last one to all that follow
		gap     bool
		rules   []string
		runs    int
	}{
		"the second is recorded":       {[]sandbox.Result{lost, recorded}, false, []string{read, memory}, 2},
		"the second is not recorded":   {[]sandbox.Result{lost, lost}, true, []string{memory}, 2},
		"the second ends in other way": {[]sandbox.Result{lost, other}, true, []string{memory}, 2},
		"the first is recorded":        {[]sandbox.Result{recorded}, false, []string{read, memory}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			answers := tt.answers
			var mu sync.Mutex
			r := &fakeRunner{blind: true, answer: func(sandbox.Spec) (sandbox.Result, error) {
				mu.Lock()
				defer mu.Unlock()
				res := answers[0]
				answers = answers[min(1, len(answers)-1):]
				return res, nil
			}}
			out, found := executions(t, fakeStage(t, r, nil), changeOf(files(map[string]string{"a.sh": "exit"})))
			same := 0 // runs with the secrets of the first one; those under other conditions have their own
			for _, s := range r.specs {
				if slices.Equal(s.Env, r.specs[0].Env) {
					same++
				}
			}
			if diff := cmp.Diff(tt.rules, rules(found, "a.sh")); diff != "" || same != tt.runs {
				t.Errorf("%d runs: %s", same, diff)
			}
			if got := len(out.Incomplete) == 1 && out.Incomplete[0].Reason == gap; got != tt.gap {
				t.Errorf("gaps %v", out.Incomplete)
			}
		})
	}
}

func TestRunsAreObservedAndFindCanariesOfTheirOwn(t *testing.T) {
	r := &fakeRunner{}
	executions(t, fakeStage(t, r, nil), changeOf(files(map[string]string{"a.py": program, "b.js": "1", "c.go": "package main\nfunc main() {}", "d.sh": ""})))
	seen := map[string]bool{}
	for _, s := range r.specs {
		if s.Observe == nil || !s.Observe.Internet || len(s.Observe.Canaries) == 0 || len(s.Observe.Plants) == 0 {
			t.Fatalf("%s: %+v", s.Image, s.Observe)
		}
		var text strings.Builder
		text.WriteString(s.Observe.Metadata + strings.Join(s.Env, "\n"))
		for _, p := range s.Observe.Plants {
			text.Write(p.Data)
		}
		for _, c := range s.Observe.Canaries {
			if seen[c.Value] || !strings.Contains(text.String(), c.Value) {
				t.Errorf("%s: %s is not its own, or nowhere", s.Image, c.ID)
			}
			seen[c.Value] = true
		}
	}
	r = &fakeRunner{}
	executions(t, fakeStage(t, r, func(o *execute.Options) { o.Policy.Egress = []string{"example.com"} }), changeOf(files(map[string]string{"a.py": program})))
	if o := r.specs[0].Observe; !o.Internet || !slices.Equal(o.Egress, []string{"example.com"}) {
		t.Errorf("the way out of the policy is not that of the run: %+v", o)
	}
}

// TestCanaryValuesAreNeverShown lets a program put every canary, as it is and
// encoded, wherever it can, and looks for it in everything that people see.
func TestCanaryValuesAreNeverShown(t *testing.T) {
	var values []string
	var keep sync.Mutex // runs may be at the same time
	r := &fakeRunner{answer: func(s sandbox.Spec) (sandbox.Result, error) {
		var text strings.Builder
		keep.Lock()
		defer keep.Unlock()
		for _, c := range s.Observe.Canaries {
			values = append(values, c.Value, fmt.Sprintf("%x", c.Value), base64.StdEncoding.EncodeToString([]byte(c.Value))[:20])
			fmt.Fprintf(&text, "%s %x %s ", c.Value, c.Value, base64.StdEncoding.EncodeToString([]byte(c.Value)))
		}
		id := s.Observe.Canaries[0].ID + " (hex)"
		res := did(
			sandbox.Event{Action: sandbox.ActionRequest, Object: "POST https://example.com/" + text.String(), Canaries: []string{id}, Data: []byte(text.String())},
			sandbox.Event{Action: sandbox.ActionExec, Object: "/bin/x", Args: []string{"x", text.String()}, Canaries: []string{id}},
			sandbox.Event{Action: sandbox.ActionLeak, Object: "/workspace/" + text.String(), Canaries: []string{id}},
		)
		res.Stdout.Data, res.Stderr.Data = []byte(text.String()), []byte("Error: "+text.String())
		res.ExitCode = 1
		return res, nil
	}}
	dir := t.TempDir()
	log, err := execute.OpenLog(dir, time.Hour, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	c := changeOf(files(map[string]string{"a.py": program}))
	out, found := executions(t, fakeStage(t, r, func(o *execute.Options) { o.Log = log }), c)
	document, err := json.Marshal([]any{out, found.Of("a.py")})
	if err != nil {
		t.Fatal(err)
	}
	shown := string(document)
	entries, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(entries) == 0 {
		t.Fatalf("no records: %v", err)
	}
	for _, name := range entries {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		shown += string(data)
	}
	for _, v := range values {
		if strings.Contains(shown, v) {
			t.Errorf("%q is shown", v)
		}
	}
	if !strings.Contains(shown, `canary: aws key`) {
		t.Error("nothing is in its place")
	}
	for _, want := range []string{"exfiltration/observed-canary dangerous", "exfiltration/observed-copy dangerous", "exfiltration/observed-printed suspicious"} {
		if !slices.Contains(rules(found, "a.py"), want) {
			t.Errorf("not found: %s", want)
		}
	}
}

func TestCodeOfTheChangeIsLiteralAndDecodedCodeIsNot(t *testing.T) {
	const script = "import subprocess\nopen('/tmp/x', 'w').write('''#!/bin/sh\necho building the project\nmake --silent all\n''')\n"
	for name, tt := range map[string]struct{ code, want string }{
		"it is in the file":       {"#!/bin/sh\necho building the project\nmake --silent all\n", "download-execute/observed-dropped suspicious"},
		"the change lacks it":     {"#!/bin/sh\ncat /proc/version >/tmp/y\n", "download-execute/observed-dropped dangerous"},
		"it is a program of bits": {"\x7fELF\x00\x01\x02", "download-execute/observed-dropped dangerous"},
	} {
		t.Run(name, func(t *testing.T) {
			res := did(event(sandbox.ActionWrite, "/tmp/x"), event(sandbox.ActionExec, "/tmp/x", "/tmp/x"))
			res.Behaviour.Captures = []sandbox.Capture{{Path: "/tmp/x", How: "executed after it was written", Data: []byte(tt.code)}}
			_, found := executions(t, fakeStage(t, &fakeRunner{answer: answer(res)}, nil), changeOf(files(map[string]string{"a.py": script})))
			if diff := cmp.Diff([]string{tt.want}, rules(found, "a.py")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOurOwnStartOfAProgramIsShownAsPeopleTypeIt(t *testing.T) {
	r := &fakeRunner{answer: func(s sandbox.Spec) (sandbox.Result, error) {
		args := slices.Clone(s.Argv)
		for i := range args {
			args[i] = args[i][:min(len(args[i]), 512)]
		}
		return did(event(sandbox.ActionExec, "/usr/bin/python3", args...), event(sandbox.ActionExec, "/usr/bin/python3", "python3")), nil
	}}
	out, _ := executions(t, fakeStage(t, r, nil), changeOf(files(map[string]string{"a.py": program})))
	want := []gate.Behaviour{{Kind: "exec", Detail: "/usr/bin/python3 a.py", Count: 1}, {Kind: "exec", Detail: "/usr/bin/python3", Count: 1}}
	if diff := cmp.Diff(want, out.Executions["a.py"].Behaviour); diff != "" {
		t.Error(diff)
	}
}
