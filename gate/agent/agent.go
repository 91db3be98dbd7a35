package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent/data"
	"github.com/aigate/gate/gate/agent/memory"
)

// maxTask bounds what a person asks for, in bytes.
const maxTask = 4 << 10

// Options are a task and everything that it needs.
type Options struct {
	Tool     gate.Tool
	Task     string
	Language string // one of [Languages]; "" leaves it to the model
	Turns    int    // 1 to MaxTurns
	Memory   *memory.Memory
	Data     []data.Datum

	// Room is how many bytes one question may have, with all that comes before it.
	Room func(ctx context.Context) (int, error)
	// Ask says talk, whose last element is a question, to a model and returns the
	// answer. An [*gate.Unavailable] ends the task.
	Ask func(ctx context.Context, system string, talk []string, schema json.RawMessage, seed int) (string, error)
	// Try puts a program through all layers. Its error ends the task.
	Try func(ctx context.Context, p Program) (Trial, error)
	// Deliver gets the files of the program that passed, and returns those that it
	// has written.
	Deliver func(p Program, files []File) ([]File, error)
	// Progress, when set, is told what is done.
	Progress func(turn int, what string)
}

// Check says what is wrong with a task, before anybody is asked.
func (o *Options) Check() error {
	switch {
	case strings.TrimSpace(o.Task) == "":
		return errors.New("there is no task")
	case len(o.Task) > maxTask || !utf8.ValidString(o.Task):
		return fmt.Errorf("a task is text of at most %d bytes", maxTask)
	case len(choice(o.Language)) == 0:
		return fmt.Errorf("there is no language %q (one of %s)", o.Language, strings.Join(Languages(), ", "))
	case o.Turns < 1 || o.Turns > MaxTurns:
		return fmt.Errorf("a task takes 1 to %d turns, not %d", MaxTurns, o.Turns)
	}
	return nil
}

// Run asks for a program until one passes, gives its files to Deliver, and says what
// became of the task. It adds to the memory what was said. The error is the cause of
// ctx, or a mistake in o.
func Run(ctx context.Context, o Options) (Result, error) {
	if err := o.Check(); err != nil {
		return Result{}, err
	}
	res := Result{SchemaVersion: SchemaVersion, Tool: o.Tool, Task: o.Task, Decision: gate.DecisionIncomplete, Data: o.Data, Turns: []Turn{}, Files: []Delivered{}}
	if res.Data == nil {
		res.Data = []data.Datum{}
	}
	if o.Memory == nil {
		o.Memory = &memory.Memory{}
	}
	if o.Progress == nil {
		o.Progress = func(int, string) {}
	}
	first := firstQuestion(o.Task, o.Data)
	question := first
	for n := 1; n <= o.Turns; n++ {
		t := o.turn(ctx, n, question)
		if ctx.Err() != nil {
			res.Reason = context.Cause(ctx).Error()
			return res, context.Cause(ctx)
		}
		res.Turns = append(res.Turns, t.Turn)
		res.Decision = t.decision
		switch {
		case t.failure != "":
			res.Reason = t.failure
			return res, nil
		case t.delivered != nil:
			res.Files, res.Reason = t.delivered, ""
			return res, nil
		}
		res.Reason = fmt.Sprintf("after %d turns there is no program that does it; the last one: %s", n, strings.Join(t.Problems, "; "))
		question = nextQuestion(first, t.Problems, t.printed)
	}
	return res, nil
}

// turn is a Turn with what the task goes on with.
type turn struct {
	Turn
	decision  gate.Decision
	delivered []Delivered // not nil where the task is done
	failure   string      // what no other answer would fix
	printed   string      // by the program that failed
}

// turn asks once and tries the answer.
func (o *Options) turn(ctx context.Context, n int, question string) turn {
	t := turn{Turn: Turn{Number: n, Problems: []string{}}, decision: gate.DecisionIncomplete}
	o.Progress(n, "the model writes a program")
	text, err := o.ask(ctx, n, question)
	remembered := text
	defer func() { o.Memory.Add(memory.Turn{Asked: question, Answered: remembered}) }()
	if err != nil {
		remembered = "(no answer)"
		t.Problems = append(t.Problems, "there is no answer: "+err.Error())
		if _, ok := errors.AsType[*gate.Unavailable](err); ok {
			t.failure = "no model can be asked: " + err.Error()
		}
		return t
	}
	p, err := decode(text, choice(o.Language))
	if err != nil {
		remembered = gate.Clip(strings.ToValidUTF8(text, "?"), 500)
		t.Problems = append(t.Problems, err.Error())
		return t
	}
	t.Program = &p
	o.Progress(n, "the layers look at "+p.Path)
	trial, err := o.Try(ctx, p)
	if err != nil {
		t.failure = err.Error()
		t.Problems = append(t.Problems, t.failure)
		return t
	}
	t.Result = &trial.Result
	if trial.Result.Decision == gate.DecisionBlock {
		t.decision = gate.DecisionBlock // anything else is a pass only when the files are written
	}
	r := reviewOf(trial, p)
	if r.failure != "" {
		r.problems = append(r.problems, r.failure)
	}
	if t.failure, t.printed = r.failure, r.printed; len(r.problems) > 0 {
		t.Problems = r.problems
		return t
	}
	files, err := o.Deliver(p, trial.Files)
	if err != nil {
		t.failure = "the files were not written: " + err.Error()
		return t
	}
	t.decision, t.delivered = gate.DecisionPass, delivered(files)
	return t
}

func (o *Options) ask(ctx context.Context, n int, question string) (string, error) {
	room, err := o.Room(ctx)
	if err != nil {
		return "", err
	}
	c := choice(o.Language)
	s := system(c)
	return o.Ask(ctx, s, talk(o.Memory, question, room-len(s)), schema(c), n)
}
