package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answer is one of a model.
func answer(code string) string {
	text, _ := json.Marshal(map[string]string{"language": "python", "file": "task.py", "code": code, "notes": "done"})
	return string(text)
}

// passing is a trial of a program that did what it should.
func passing() Trial {
	res := gate.Result{Decision: gate.DecisionPass, Verdict: gate.Safe}
	for _, l := range gate.Layers() {
		res.Layers = append(res.Layers, gate.LayerResult{Name: l, Status: gate.LayerRan})
	}
	res.Files = []gate.FileResult{{Path: "task.py", Verdict: gate.Safe, Execution: &gate.Execution{Status: gate.ExecutionExited}}}
	return Trial{Result: res, Files: []File{{Path: "a.txt", Data: []byte("42")}}}
}

// task runs a task against the answers of a model and what happens to each.
func task(t *testing.T, o Options, answers []string, try func(n int) (Trial, error)) (res Result, talks [][]string, delivered int) {
	t.Helper()
	tried := 0
	o.Task, o.Turns = "the answer", max(o.Turns, MaxTurns)
	o.Room = func(context.Context) (int, error) { return 12 << 10, nil }
	o.Ask = func(_ context.Context, system string, talk []string, schema json.RawMessage, _ int) (string, error) {
		if !json.Valid(schema) || len(system) > 4<<10 {
			t.Errorf("a system part of %d bytes, schema %s", len(system), schema)
		}
		talks = append(talks, talk)
		text := answers[min(len(talks), len(answers))-1]
		if text == "" {
			return "", errors.New("it rambled")
		}
		return text, nil
	}
	o.Try = func(context.Context, Program) (Trial, error) { tried++; return try(tried) }
	o.Deliver = func(_ Program, files []File) ([]File, error) { delivered++; return files, nil }
	res, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if (res.Decision == gate.DecisionPass) != (delivered == 1) || delivered > 1 || (res.Reason == "") != (delivered == 1) {
		t.Errorf("%s (%s), and files were handed out %d times", res.Decision, res.Reason, delivered)
	}
	return res, talks, delivered
}

func TestFilesAreHandedOutOnlyOfATrialThatIsCompleteAndGood(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(*Trial)
		want  gate.Decision
		turns int
	}{
		"nothing is wrong": {func(*Trial) {}, gate.DecisionPass, 1},
		"only printed": {func(x *Trial) {
			x.Files = nil
			x.Result.Files[0].Execution.Units = []gate.Unit{{Stdout: gate.Output{Text: "42"}}}
		}, gate.DecisionPass, 1},
		"blocked":                    {func(x *Trial) { x.Result.Decision = gate.DecisionBlock }, gate.DecisionBlock, 6},
		"incomplete":                 {func(x *Trial) { x.Result.Decision = gate.DecisionIncomplete }, gate.DecisionIncomplete, 6},
		"no decision":                {func(x *Trial) { x.Result.Decision = 0 }, gate.DecisionIncomplete, 6},
		"let pass by somebody":       {func(x *Trial) { x.Result.Override = &gate.Overridden{} }, gate.DecisionIncomplete, 6},
		"a gap":                      {func(x *Trial) { x.Result.Incomplete = []gate.Gap{{Reason: "lost"}} }, gate.DecisionIncomplete, 6},
		"a layer was skipped":        {func(x *Trial) { x.Result.Layers[1].Status = gate.LayerSkipped }, gate.DecisionIncomplete, 1},
		"a layer failed":             {func(x *Trial) { x.Result.Layers[2].Status = gate.LayerFailed }, gate.DecisionIncomplete, 1},
		"a layer is not there":       {func(x *Trial) { x.Result.Layers = x.Result.Layers[:2] }, gate.DecisionIncomplete, 1},
		"nothing at all":             {func(x *Trial) { x.Result = gate.Result{} }, gate.DecisionIncomplete, 1},
		"the program is not there":   {func(x *Trial) { x.Result.Files[0].Path = "other.py" }, gate.DecisionIncomplete, 1},
		"it was not run":             {func(x *Trial) { x.Result.Files[0].Execution = nil }, gate.DecisionIncomplete, 1},
		"a run that no one knows of": {func(x *Trial) { x.Result.Files[0].Execution.Status = "" }, gate.DecisionIncomplete, 6},
		"not run for a reason":       {func(x *Trial) { x.Result.Files[0].Execution.Status = gate.ExecutionNotRun }, gate.DecisionIncomplete, 6},
		"killed":                     {func(x *Trial) { x.Result.Files[0].Execution.Status = gate.ExecutionOOM }, gate.DecisionIncomplete, 6},
		"an error":                   {func(x *Trial) { x.Result.Files[0].Execution.ExitCode = 1 }, gate.DecisionIncomplete, 6},
		"a stand-in":                 {func(x *Trial) { x.Result.Files[0].Execution.StandIns = []string{"numpy"} }, gate.DecisionIncomplete, 6},
		"a file stayed behind":       {func(x *Trial) { x.Refused = []Refusal{{"b", "a link"}} }, gate.DecisionIncomplete, 6},
		"a bad name":                 {func(x *Trial) { x.Files[0].Path = "../a" }, gate.DecisionIncomplete, 6},
		"no file":                    {func(x *Trial) { x.Files = nil }, gate.DecisionIncomplete, 6},
	} {
		res, _, _ := task(t, Options{}, []string{answer("x = 1")}, func(int) (Trial, error) {
			x := passing()
			tt.spoil(&x)
			return x, nil
		})
		if res.Decision != tt.want || len(res.Turns) != tt.turns {
			t.Errorf("%s: %s after %d turns (%s)", name, res.Decision, len(res.Turns), res.Reason)
		}
	}
}

func TestAFailureOfGateEndsTheTask(t *testing.T) {
	res, _, _ := task(t, Options{}, []string{answer("x = 1")}, func(int) (Trial, error) { return Trial{}, errors.New("the disk is full") })
	if len(res.Turns) != 1 || res.Reason != "the disk is full" {
		t.Errorf("%+v", res)
	}
	o := Options{
		Task: "x", Turns: 6, Room: func(context.Context) (int, error) { return 0, &gate.Unavailable{Reason: "no server"} },
		Ask: func(context.Context, string, []string, json.RawMessage, int) (string, error) {
			t.Error("it was asked")
			return "", nil
		},
	}
	if res, err := Run(t.Context(), o); err != nil || len(res.Turns) != 1 || !strings.Contains(res.Reason, "no server") || res.Decision != gate.DecisionIncomplete {
		t.Errorf("%+v, %v", res, err)
	}
	written := errors.New("no room")
	o = Options{
		Task: "x", Turns: 6, Room: func(context.Context) (int, error) { return 9999, nil },
		Ask: func(context.Context, string, []string, json.RawMessage, int) (string, error) {
			return answer("x = 1"), nil
		},
		Try: func(context.Context, Program) (Trial, error) { return passing(), nil }, Deliver: func(Program, []File) ([]File, error) { return nil, written },
	}
	if res, err := Run(t.Context(), o); err != nil || len(res.Files) > 0 || res.Decision != gate.DecisionIncomplete || !strings.Contains(res.Reason, "no room") {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestEveryQuestionSaysTheTaskAndWhatWasWrong(t *testing.T) {
	res, talks, _ := task(t, Options{}, []string{"", "prose", answer("x = 1")}, func(n int) (Trial, error) {
		x := passing()
		if n == 1 {
			e := x.Result.Files[0].Execution
			e.ExitCode, e.Units = 2, []gate.Unit{{Stderr: gate.Output{Text: "ValueError: no luck"}}}
		}
		return x, nil
	})
	if res.Decision != gate.DecisionPass || len(talks) != 4 {
		t.Fatalf("%+v", res)
	}
	for i, want := range []string{"", "it rambled", "not the JSON object", "ValueError: no luck"} {
		q := talks[i][len(talks[i])-1]
		if len(talks[i]) != 2*i+1 || !strings.Contains(q, want) || !strings.Contains(q, "The task: the answer") {
			t.Errorf("question %d of %d: %s", i+1, len(talks[i]), q)
		}
	}
}

// Whatever was said before: six turns at most, the latest, in order, in their bounds.
func TestTheMemoryIsTheLastSixTurns(t *testing.T) {
	for turns := range 20 {
		m := &memory.Memory{}
		for n := range turns {
			m.Add(memory.Turn{Asked: fmt.Sprintf("asked %d", n), Answered: fmt.Sprintf("answered %d", n)})
		}
		var want []string
		for n := max(0, turns-MaxTurns); n < turns; n++ {
			want = append(want, fmt.Sprintf("asked %d", n), fmt.Sprintf("answered %d", n))
		}
		if got := talk(m, "now", 1<<20); !slices.Equal(got, append(want, "now")) {
			t.Errorf("after %d turns: %q", turns, got)
		}
		for room := range 200 {
			got := talk(m, "now", room)
			size := 0
			for _, s := range got {
				size += len(s)
			}
			if size > max(room, len("now")) || len(got)%2 != 1 || !slices.Equal(got[:len(got)-1], want[len(want)-len(got)+1:]) {
				t.Errorf("after %d turns with room for %d bytes: %q", turns, room, got)
			}
		}
		text, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := memory.Parse(text)
		if err != nil || !slices.Equal(talk(again, "now", 1<<20), append(want, "now")) {
			t.Errorf("after %d turns the session is %+v, %v", turns, again, err)
		}
	}
	for _, text := range []string{"", "{}", "[]", `{"schema_version": 2, "turns": []}`, `{"schema_version": 1, "turns": [{},{},{},{},{},{},{}]}`, `{"schema_version": 1, "turns": []} {}`, `{"schema_version": 1, "more": 1}`} {
		if _, err := memory.Parse([]byte(text)); err == nil {
			t.Errorf("%s is taken for a session", text)
		}
	}
}

func TestTasksThatCannotBe(t *testing.T) {
	for name, o := range map[string]Options{
		"none": {Turns: 1}, "too long": {Task: strings.Repeat("x", maxTask+1), Turns: 1}, "no text": {Task: "\xff", Turns: 1},
		"no such language": {Task: "x", Turns: 1, Language: "perl"}, "no turns": {Task: "x"}, "too many turns": {Task: "x", Turns: 7},
	} {
		if _, err := Run(t.Context(), o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
