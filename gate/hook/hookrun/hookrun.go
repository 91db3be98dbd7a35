package hookrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/hook"
)

// Process is what a hook needs of the process that it is.
type Process struct {
	Engine         *engine.Engine
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Program        string // the absolute path of gate
	Cwd            string // the absolute path of the folder that it runs in
}

// Here is this process. A path that can't be found out is left empty: less is protected
// then, and nothing passes because of it.
func Here(e *engine.Engine, in io.Reader, out, errs io.Writer) Process {
	program, err := os.Executable()
	if err != nil {
		program = ""
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	return Process{Engine: e, Stdin: in, Stdout: out, Stderr: errs, Program: program, Cwd: dir}
}

// Options are what the command line says.
type Options struct {
	Config   string        // a file with the policy, "" for none
	Policy   string        // a revision whose policy counts, "" for none
	Deadline time.Duration // after which the answer is a refusal
}

// Run answers one event of a tool. The error is nil where the answer was written and the
// tool reads it from there, else it has the exit code that the tool reads as a refusal.
func Run(ctx context.Context, p Process, tool hook.Tool, event string, o Options) error {
	ctx, cancel := context.WithTimeout(ctx, o.Deadline)
	defer cancel()
	ev, answer := answer(ctx, p, tool, event, o)
	out := tool.Render(ev, answer)
	fmt.Fprint(p.Stderr, out.Stderr)
	if _, err := io.WriteString(p.Stdout, out.Stdout); err != nil {
		return &exit.Error{Code: exit.Usage, Err: fmt.Errorf("write the answer: %w", err)}
	}
	if out.Code != 0 {
		return &exit.Error{Code: out.Code}
	}
	return nil
}

// parsed is a message that was read.
type parsed struct {
	event hook.Event
	err   error
}

// answer reads the message and decides, by the deadline. What isn't done by then goes on
// until the process ends, which is right away.
func answer(ctx context.Context, p Process, tool hook.Tool, name string, o Options) (hook.Event, hook.Answer) {
	messages := make(chan parsed, 1)
	go func() {
		var m parsed
		if err := gate.Catch(func() error {
			data, err := bounded.Read(p.Stdin, "the message", hook.MaxMessage)
			if err != nil {
				m.event = hook.Event{Tool: tool.Name, Name: name}
				return err
			}
			m.event, m.err = tool.Parse(name, data)
			return nil
		}); err != nil {
			m.err = err
		}
		messages <- m
	}()
	var m parsed
	select {
	case m = <-messages:
	case <-ctx.Done():
		return hook.Event{Tool: tool.Name, Name: name}, late(ctx, o)
	}
	if m.err != nil {
		return m.event, hook.Refuse("%v", m.err)
	}
	if m.event.Phase == hook.Other || len(m.event.Actions) == 0 {
		return m.event, hook.Pass()
	}
	answers := make(chan hook.Answer, 1)
	go func() {
		var a hook.Answer
		err := gate.Catch(func() (err error) {
			a, err = decide(ctx, p, m.event, o)
			return err
		})
		if err != nil {
			a = hook.Refuse("gate failed: %v", err)
		}
		answers <- a
	}()
	select {
	case a := <-answers:
		return m.event, a
	case <-ctx.Done():
		return m.event, late(ctx, o)
	}
}

// late is the answer where there is no time left for another.
func late(ctx context.Context, o Options) hook.Answer {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return hook.Refuse("gate did not finish within %s, so nothing is known about it", o.Deadline)
	}
	return hook.Refuse("gate was ended before it was done, so nothing is known about it")
}
