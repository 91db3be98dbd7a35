package execute_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/sandbox"
)

// has reports whether a program finds a variable in its environment.
func has(s sandbox.Spec, variable string) bool {
	return slices.ContainsFunc(s.Env, func(e string) bool { return strings.HasPrefix(e, variable) })
}

// shifted reports whether a program finds a later clock.
func shifted(s sandbox.Spec) bool {
	return slices.ContainsFunc(s.Argv, func(a string) bool { return strings.Contains(a, `"clock":1907755200`) }) || has(s, "BASH_FUNC_date%%=") ||
		slices.ContainsFunc(s.Env, func(e string) bool { return strings.Count(e, "--import=data:") > 1 })
}

const waits = "import datetime, os\nif datetime.datetime.now().year >= 2030:\n    os.system('x')\nprint(1)\n"

func TestConditionalBehaviourIsDangerous(t *testing.T) {
	steals := event(sandbox.ActionRead, "/tmp/.ssh/id_rsa")
	// Nothing tells which lines ran, so that functions are called, and conditions taken as met,
	// as well.
	const met = "exercise, with conditions taken as met"
	for name, tt := range map[string]struct {
		source string
		when   func(sandbox.Spec) bool
		want   []string
		kinds  []string
	}{
		"it waits for 2030": {waits, shifted,
			[]string{"time-trigger/observed-conditional dangerous", "credentials/observed-read suspicious"},
			[]string{"script", "exercise", "script, with the clock in 2030", "script, on a build machine", "script, repeated", met}},
		"it waits for a build machine": {"import os\nif os.environ.get('CI'):\n    os.system('x')\nprint(1)\n", func(s sandbox.Spec) bool { return has(s, "CI=true") },
			[]string{"time-trigger/observed-conditional dangerous", "credentials/observed-read suspicious"},
			[]string{"script", "exercise", "script, on a build machine", "script, with the clock in 2030", "script, repeated", met}},
		"it waits for a host": {"import os, socket\nif socket.gethostname() == 'x':\n    os.system('x')\nprint(1)\n", func(s sandbox.Spec) bool { return has(s, "HOSTNAME=prod") },
			[]string{"time-trigger/observed-conditional dangerous", "credentials/observed-read suspicious"},
			[]string{"script", "exercise", "script, as another user on another host", "script, on a build machine", "script, repeated", met}},
		"it waits for a process without limits": {"import os, resource\nif resource.getrlimit(resource.RLIMIT_AS)[0] < 0:\n    os.system('x')\nprint(1)\n",
			func(s sandbox.Spec) bool { return s.Exceptions.NoProcessLimits },
			[]string{"time-trigger/observed-conditional dangerous", "credentials/observed-read suspicious"},
			[]string{"script", "exercise", "script, without limits of its process", "script, on a build machine", "script, repeated", met}},
		"it does so always": {waits, func(sandbox.Spec) bool { return true }, []string{"credentials/observed-read suspicious"},
			[]string{"script", "exercise", "script, with the clock in 2030", "script, on a build machine", met}},
		"it never does": {waits, func(sandbox.Spec) bool { return false }, nil,
			[]string{"script", "exercise", "script, with the clock in 2030", "script, on a build machine", met}},
		"it asks for nothing": {program, func(s sandbox.Spec) bool { return has(s, "CI=true") }, nil, []string{"script"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &fakeRunner{answer: func(s sandbox.Spec) (sandbox.Result, error) {
				if tt.when(s) {
					return did(steals), nil
				}
				return did(), nil
			}}
			c := changeOf(files(map[string]string{"a.py": tt.source}))
			out, found := executions(t, fakeStage(t, r, nil), c)
			if diff := cmp.Diff(tt.want, rules(found, "a.py")); diff != "" {
				t.Error(diff)
			}
			var kinds []string
			for _, u := range out.Executions["a.py"].Units {
				kinds = append(kinds, u.Kind)
				if clock := strings.Contains(u.Kind, "clock"); clock != strings.Contains(u.Reason, "Python's time and datetime") {
					t.Errorf("%s: reason %q", u.Kind, u.Reason)
				}
			}
			if diff := cmp.Diff(tt.kinds, kinds); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSuspicionLeadsToRunsUnderOtherConditions(t *testing.T) {
	for n := range 3 {
		r := &fakeRunner{}
		s := fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions = n })
		c := changeOf(files(map[string]string{"a.py": program, "b.py": program}))
		found := gate.NewFindings(c.Targets, nil)
		found.Add("a.py", suspicious(gate.LayerStatic))
		if _, err := s.Run(t.Context(), c, found); err != nil {
			t.Fatal(err)
		}
		if len(r.specs) != 2+n {
			t.Errorf("%d conditions: %d runs", n, len(r.specs))
		}
	}
}

func TestTheConditionsOfOneUnitRunSideBySide(t *testing.T) {
	var runs atomic.Int64
	both := make(chan struct{})
	r := &fakeRunner{answer: func(sandbox.Spec) (sandbox.Result, error) {
		switch runs.Add(1) {
		case 1: // as it was planned
			return did(), nil
		case 3:
			close(both)
		}
		select {
		case <-both:
		case <-time.After(10 * time.Second):
			t.Error("a condition waited for the end of the other one")
		}
		return did(), nil
	}}
	c := changeOf(files(map[string]string{"a.py": program}))
	found := gate.NewFindings(c.Targets, nil)
	found.Add("a.py", suspicious(gate.LayerStatic))
	out, err := fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions, o.Parallel = 2, 2 }).Run(t.Context(), c, found)
	if err != nil {
		t.Fatal(err)
	}
	if units := out.Executions["a.py"].Units; len(units) != 3 || !strings.Contains(units[1].Kind, "build machine") || !strings.Contains(units[2].Kind, "clock") {
		t.Errorf("the runs, in the order of their conditions: %+v", units)
	}
}

func TestAConditionThatWasThereBeforeIsTriedWhereSomethingDidNotRun(t *testing.T) {
	source := map[string]string{"a.py": "import datetime\nif datetime.datetime.now().year >= 2030:\n    print(1)\nelse:\n    print(2)\nprint(3)\n"}
	for _, tt := range []struct {
		name  string
		lines gate.LineRange
		ran   string
		runs  int
	}{
		{name: "every line of it ran", lines: gate.LineRange{6, 6}, ran: "1, 2, 3, 5, 6", runs: 1},
		{name: "an arm did not run", lines: gate.LineRange{6, 6}, ran: "1, 2, 5, 6", runs: 2},
		{name: "a changed line did not run", lines: gate.LineRange{6, 6}, ran: "1, 2, 3, 5", runs: 2},
		{name: "the condition itself was changed", lines: gate.LineRange{2, 2}, ran: "1, 2, 3, 5, 6", runs: 2},
		{name: "nothing told of lines", lines: gate.LineRange{6, 6}, runs: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &fakeRunner{answer: func(sandbox.Spec) (sandbox.Result, error) {
				one := sandbox.Result{Status: sandbox.Exited}
				if tt.ran != "" {
					one.Files = []sandbox.File{{Path: ".gate-coverage/python-1.json", Data: []byte(`{"files": {"a.py": [[1, 2, 3, 5, 6], [` + tt.ran + `]]}}`)}}
				}
				return one, nil
			}}
			s := fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions = 1 })
			c := changeOf(files(source))
			c.Targets[0].Lines = gate.OnlyLines(tt.lines)
			executions(t, s, c)
			again := slices.DeleteFunc(r.specs, func(s sandbox.Spec) bool { return !shifted(s) })
			if len(again)+1 != tt.runs {
				t.Errorf("%d runs with another clock, want %d", len(again), tt.runs-1)
			}
		})
	}
}

func TestTestsThatTakeLongRunUnderTheBestConditionOnly(t *testing.T) {
	tests := map[string]string{"test_a.py": "import datetime\n\ndef test():\n    assert datetime.datetime.now().year\n"}
	for _, tt := range []struct {
		name   string
		took   time.Duration
		strict bool
		runs   int
		gap    bool
	}{
		{name: "quick ones under all", took: time.Second, runs: 3},
		{name: "slow ones under one", took: 11 * time.Second, runs: 2},
		{name: "which is a gap where everything has to run", took: 11 * time.Second, strict: true, runs: 2, gap: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &fakeRunner{answer: func(sandbox.Spec) (sandbox.Result, error) {
				return sandbox.Result{Status: sandbox.Exited, Duration: tt.took}, nil
			}}
			s := fakeStage(t, r, func(o *execute.Options) {
				if o.Policy.Conditions = 2; tt.strict {
					o.On.NotExecutable = gate.LeniencyIncomplete
				}
			})
			out, _ := executions(t, s, changeOf(files(tests)))
			if len(r.specs) != tt.runs {
				t.Errorf("%d runs, want %d", len(r.specs), tt.runs)
			}
			if gap := strings.Contains(fmt.Sprint(out.Incomplete), "repeated with the clock in 2030 only: they took 11s"); gap != tt.gap {
				t.Errorf("gaps %v", out.Incomplete)
			}
		})
	}
}

// Of slow tests, those that only import a file of the change don't run again.
func TestSlowTestsRunTheNearestUnderAnotherCondition(t *testing.T) {
	head := files(map[string]string{
		"a.py":      "import os\n\ndef f():\n    return os.getenv('CI') or 1\n",
		"test_a.py": "import a\n\ndef test():\n    assert a.f()\n",
		"test_b.py": "import a\n\ndef test():\n    assert a.f()\n",
	})
	for _, tt := range []struct {
		name   string
		took   time.Duration
		strict bool
		again  string
	}{
		{"quick ones", time.Second, false, "test_a.py test_b.py"},
		{"slow ones", 11 * time.Second, false, "test_a.py"},
		{"slow ones where everything has to run", 11 * time.Second, true, "test_a.py test_b.py"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := &fakeRunner{answer: func(sandbox.Spec) (sandbox.Result, error) {
				return sandbox.Result{Status: sandbox.Exited, Duration: tt.took}, nil
			}}
			s := fakeStage(t, r, func(o *execute.Options) {
				if o.Policy.Conditions, o.Parallel = 1, 1; tt.strict {
					o.On.NotExecutable = gate.LeniencyIncomplete
				}
			})
			executions(t, s, changeOf(head, "a.py"))
			var runs []string
			for _, spec := range r.specs {
				if at := slices.Index(spec.Argv, "addopts="); at > 0 {
					runs = append(runs, strings.Join(spec.Argv[at+1:], " "))
				}
			}
			if want := []string{"test_a.py test_b.py", tt.again}; !slices.Equal(runs, want) {
				t.Errorf("runs of tests %q, want %q", runs, want)
			}
		})
	}
}

func TestAConnectionOnABuildMachineOnlyIsSuspicious(t *testing.T) {
	r := &fakeRunner{answer: func(s sandbox.Spec) (sandbox.Result, error) {
		if has(s, "CI=true") {
			return did(event(sandbox.ActionResolve, "A codecov.io")), nil
		}
		return did(), nil
	}}
	_, found := executions(t, fakeStage(t, r, nil), changeOf(files(map[string]string{"test_a.py": "import os\nif os.getenv('CI'): pass\ndef test_x(): pass\n"})))
	want := []string{"network/observed-connection suspicious", "time-trigger/observed-conditional suspicious"}
	if diff := cmp.Diff(want, rules(found, "test_a.py")); diff != "" {
		t.Error(diff)
	}
}

func TestConditionsClaimNothingWhereTheClockCannotBeShifted(t *testing.T) {
	for name, text := range map[string]string{
		"a.go": "package main\nimport \"time\"\nfunc main() {\n\tif time.Now().Year() > 2029 { println() }\n}\n",
		"a.sh": "#!/bin/sh\nif [ \"$(date +%Y)\" -gt 2029 ]; then id; fi\n",
	} {
		r := &fakeRunner{}
		out, _ := executions(t, fakeStage(t, r, func(o *execute.Options) { o.Policy.Conditions = 8 }), changeOf(files(map[string]string{name: text})))
		if len(r.specs) < 2 {
			t.Errorf("%s: %d runs", name, len(r.specs))
		}
		for _, u := range out.Executions[name].Units {
			if strings.Contains(u.Kind+u.Reason, "clock") {
				t.Errorf("%s: %s, %s", name, u.Kind, u.Reason)
			}
		}
	}
	r := &fakeRunner{}
	executions(t, fakeStage(t, r, nil), changeOf(files(map[string]string{
		"b.bash": "if [[ $(date +%Y) -gt 2029 ]]; then id; fi\n", "c.js": "if (new Date().getFullYear() > 2029) { console.log(1) }\n",
	})))
	for _, image := range []string{"shell", "node"} {
		if !slices.ContainsFunc(r.specs, func(s sandbox.Spec) bool { return strings.Contains(s.Image, image) && shifted(s) }) {
			t.Errorf("%s: no run with a later clock", image)
		}
	}
}

func TestAConditionThatWasNotReachedIsAGap(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	over := errors.New("the time budget was used up")
	r := &fakeRunner{answer: func(s sandbox.Spec) (sandbox.Result, error) {
		if shifted(s) {
			cancel(over)
			return sandbox.Result{Status: sandbox.Killed}, over
		}
		return did(), nil
	}}
	c := changeOf(files(map[string]string{"a.py": waits, "b.py": waits, "c.py": program}))
	out, err := fakeStage(t, r, func(o *execute.Options) { o.Parallel = 1 }).Run(ctx, c, gate.NewFindings(c.Targets, nil))
	if !errors.Is(err, over) {
		t.Errorf("error %v", err)
	}
	var gaps []string
	for _, g := range out.Incomplete {
		gaps = append(gaps, g.Path)
		if !strings.Contains(g.Reason, "it was not run") || !strings.Contains(g.Reason, over.Error()) {
			t.Errorf("reason %q", g.Reason)
		}
	}
	if diff := cmp.Diff([]string{"a.py", "b.py"}, gaps); diff != "" {
		t.Error(diff)
	}
}

func TestBehaviourOfAnEmptyProgramIsSubtracted(t *testing.T) {
	r := &fakeRunner{
		empty:  answer(did(event(sandbox.ActionRead, "/etc/odd"), event(sandbox.ActionHide, "io_uring_setup"))),
		answer: answer(did(event(sandbox.ActionRead, "/etc/odd"), event(sandbox.ActionHide, "io_uring_setup"), event(sandbox.ActionRead, "/etc/odder"))),
	}
	s := fakeStage(t, r, nil)
	for range 2 {
		c := changeOf(files(map[string]string{"a.py": program, "b.py": program}))
		out, found := executions(t, s, c)
		if diff := cmp.Diff([]gate.Behaviour{{Kind: "read", Detail: "/etc/odder", Count: 1}}, out.Executions["a.py"].Behaviour); diff != "" {
			t.Error(diff)
		}
		if got := rules(found, "a.py"); got != nil {
			t.Errorf("found %q", got)
		}
	}
	if len(r.baselines) != 1 {
		t.Errorf("%d empty programs were run for one image", len(r.baselines))
	}
}

func TestBehaviourWithoutABaselineIsShownInFull(t *testing.T) {
	unseen := sandbox.Result{Status: sandbox.Exited}
	for name, empty := range map[string]func(sandbox.Spec) (sandbox.Result, error){
		"the engine fails":       func(sandbox.Spec) (sandbox.Result, error) { return sandbox.Result{}, errors.New("engine died") },
		"it was not recorded":    answer(unseen),
		"the interpreter failed": func(sandbox.Spec) (sandbox.Result, error) { r := did(); r.ExitCode = 1; return r, nil },
	} {
		t.Run(name, func(t *testing.T) {
			seen := did(event(sandbox.ActionRead, "/etc/odd"))
			r := &fakeRunner{blind: true, empty: empty, answer: answer(seen)}
			out, _ := executions(t, fakeStage(t, r, nil), changeOf(files(map[string]string{"a.py": program})))
			if len(out.Executions["a.py"].Behaviour) != 1 || len(out.Incomplete) != 0 {
				t.Errorf("%+v, incomplete %v", out.Executions["a.py"].Behaviour, out.Incomplete)
			}
		})
	}
}

func TestBehaviourOfARepeatedRunIsNotConditional(t *testing.T) {
	for name, tt := range map[string]struct {
		again bool
		want  []string
	}{
		"the repeated run does it as well": {again: true, want: []string{"network/observed-connection suspicious"}},
		"only the condition brings it up":  {want: []string{"network/observed-connection suspicious", "time-trigger/observed-conditional suspicious"}},
	} {
		t.Run(name, func(t *testing.T) {
			plain := 0
			r := &fakeRunner{answer: func(s sandbox.Spec) (sandbox.Result, error) {
				if !has(s, "CI=true") {
					// The first is the empty program, the second the tests.
					if plain++; plain <= 2 || !tt.again {
						return did(), nil
					}
				}
				return did(event(sandbox.ActionResolve, "A codecov.io")), nil
			}}
			_, found := executions(t, fakeStage(t, r, nil), changeOf(files(map[string]string{"test_a.py": "import os\nif os.getenv('CI'): pass\ndef test_x(): pass\n"})))
			if diff := cmp.Diff(tt.want, rules(found, "test_a.py")); diff != "" {
				t.Error(diff)
			}
			if plain != 3 {
				t.Errorf("%d runs as usual, want the empty program, the tests and the tests again", plain)
			}
		})
	}
}
