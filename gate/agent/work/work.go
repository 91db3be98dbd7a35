package work

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent/memory"
)

// The bounds of a task.
const (
	DefaultSteps = 16
	MaxSteps     = 64
	maxWrong     = 3 // answers in a row that cannot be used

	maxAsked    = 4 << 10 // bytes of a task
	maxAnswered = 4 << 10 // bytes of an answer that are remembered
	maxDone     = 32      // calls of a task that are remembered
)

// Options are a task and everything that it needs.
type Options struct {
	Task   string
	Steps  int // calls of tools, 1 to MaxSteps
	Tools  []Tool
	Native bool   // the model makes tool calls by itself
	About  string // what else the model has to know: libraries, data, files
	Memory *memory.Memory

	// Room is how many bytes one question may have.
	Room func(ctx context.Context) (int, error)
	// Ask puts a question. A [*gate.Unavailable] ends the task.
	Ask func(ctx context.Context, q Question) (Answer, error)
	// Call calls a tool. What is wrong with a call is a reply; an error ends the task.
	Call func(ctx context.Context, c Call) (Reply, error)
	// Progress, when set, is told what is done.
	Progress func(Step)
}

// Reply is what a tool answered.
type Reply struct {
	Text    string
	Error   bool
	Refused bool // the layers let nothing run
	Did     *Did // nil where no program has run
	Spent   Phases
}

// Check says what is wrong with a task, before anybody is asked.
func (o *Options) Check() error {
	switch {
	case strings.TrimSpace(o.Task) == "":
		return errors.New("there is no task")
	case len(o.Task) > maxAsked || !utf8.ValidString(o.Task):
		return fmt.Errorf("a task is text of at most %d bytes", maxAsked)
	case o.Steps < 1 || o.Steps > MaxSteps:
		return fmt.Errorf("a task takes 1 to %d steps, not %d", MaxSteps, o.Steps)
	}
	return nil
}

// Run does a task, remembers it, and says what became of it. The error is the cause of ctx,
// or a mistake in o.
func Run(ctx context.Context, o Options) (Outcome, error) {
	o.Steps = cmp.Or(o.Steps, DefaultSteps)
	if err := o.Check(); err != nil {
		return Outcome{}, err
	}
	if o.Memory == nil {
		o.Memory = &memory.Memory{}
	}
	if o.Progress == nil {
		o.Progress = func(Step) {}
	}
	out := Outcome{Task: o.Task, Decision: gate.DecisionIncomplete, Steps: []Step{}}
	err := o.run(ctx, &out)
	turn := memory.Turn{Asked: o.Task, Done: []string{}, Answered: clip(cmp.Or(out.Answer, "(not done: "+out.Reason+")"), maxAnswered)}
	for _, s := range out.Steps {
		if s.Tool != "" && len(turn.Done) < maxDone {
			turn.Done = append(turn.Done, s.Line())
		}
	}
	o.Memory.Add(turn)
	return out, err
}

func (o *Options) run(ctx context.Context, out *Outcome) error {
	var steps []done
	wrong, calls := 0, 0
	for {
		answer, took, err := o.ask(ctx, steps, len(out.Steps))
		if ctx.Err() != nil {
			out.Reason = context.Cause(ctx).Error()
			return context.Cause(ctx)
		}
		if err != nil {
			step := Step{Number: len(out.Steps) + 1, Problem: err.Error(), Spent: Phases{Generation: took}}
			out.add(step, o.Progress)
			if _, ok := errors.AsType[*gate.Unavailable](err); ok {
				out.Reason = "no model can be asked: " + err.Error()
				return nil
			}
			if wrong++; wrong == maxWrong {
				out.Reason = fmt.Sprintf("%d answers in a row cannot be used; the last one: %s", wrong, err)
				return nil
			}
			steps = append(steps, done{wrong: gate.Clip(oneLine(err.Error()), 300)})
			continue
		}
		wrong = 0
		if len(answer.Calls) == 0 {
			out.Answer = answer.Text
			out.decide()
			out.Spent.Generation += took
			return nil
		}
		for _, c := range answer.Calls {
			if calls++; calls > o.Steps {
				out.Reason = fmt.Sprintf("after %d steps there is no answer", o.Steps)
				return nil
			}
			r, err := o.Call(ctx, c)
			if err != nil {
				out.Reason = err.Error()
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				return nil
			}
			step := Step{Number: len(out.Steps) + 1, Tool: c.Tool, About: about(c), Arguments: c.Arguments, Error: r.Error, Refused: r.Refused, Did: r.Did, Spent: r.Spent, Text: clip(r.Text, maxResult)}
			step.Spent.Generation, took = took, 0 // one answer may have several calls
			out.add(step, o.Progress)
			steps = append(steps, done{call: c, result: r.Text})
		}
	}
}

// ask puts the next question. took is in milliseconds.
func (o *Options) ask(ctx context.Context, steps []done, n int) (a Answer, took int64, err error) {
	room, err := o.Room(ctx)
	if err != nil {
		return Answer{}, 0, err
	}
	q := Question{Native: o.Native, Seed: n + 1}
	if o.Native {
		q.Tools = o.Tools
		room -= len(encoded(o.Tools)) * 3 / 2 // as a server writes them
	} else {
		q.Form = form(o.Tools)
	}
	q.Said = o.talk(room-room/16, steps)
	begin := time.Now()
	a, err = o.Ask(ctx, q)
	took = time.Since(begin).Milliseconds()
	if err != nil {
		return Answer{}, took, fmt.Errorf("there is no answer: %w", err)
	}
	if o.Native {
		a, err = native(a, o.Tools)
	} else {
		a, err = decode(a.Text, o.Tools)
	}
	return a, took, err
}

// about is a call in a few words.
func about(c Call) string {
	var arguments map[string]any
	if json.Unmarshal(c.Arguments, &arguments) != nil {
		return ""
	}
	for _, name := range []string{"path", "command", "save_as", "pattern", "name", "skill", "rule", "language"} {
		if text, ok := arguments[name].(string); ok && text != "" {
			return gate.Clip(oneLine(text), 100)
		}
	}
	return ""
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
