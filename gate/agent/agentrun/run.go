package agentrun

import (
	"context"
	"errors"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent"
	"github.com/aigate/gate/gate/agent/data"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/judge"
)

// Run has a model do a task, and reports. A task that is not done is an error with its
// exit code.
func Run(ctx context.Context, p Process, o Options) error {
	task := agent.Options{Tool: p.Engine.Tool(), Task: o.Task, Language: o.Language, Turns: o.Turns}
	if err := o.check(&task); err != nil {
		return err
	}
	memory, err := o.recall()
	if err != nil {
		return exit.Usagef("--session: %w", err)
	}
	here, err := openHere(ctx, p.Engine, o.Engine)
	if err != nil {
		return err
	}
	defer here.Close() // the layers and the report read a team's own rules from it
	set, err := here.Settings(ctx)
	if err != nil {
		return err
	}
	allow, err := data.ParseList(set.Policy.Agent.Data)
	if err != nil {
		return exit.Usagef("agent.data: %w", err)
	}
	fetcher := &data.Fetcher{Allow: allow, Public: engine.PublicAddress}
	if err := fetcher.Check(o.Data); err != nil {
		return exit.Usagef("--data: %w", err)
	}
	writer, err := engine.NewJudge(judge.Options{Policy: set.Policy.Judge})
	if err != nil {
		return err
	}
	if task.Data, err = fetcher.Fetch(ctx, o.Data); err != nil {
		return exit.Failed(err)
	}
	b, err := openBench(ctx, p, set, task.Data)
	if err != nil {
		return err
	}
	task.Memory, task.Room, task.Ask, task.Try = memory, room(writer), writer.Converse, b.try
	task.Deliver = o.deliver
	if p.Progress != nil {
		task.Progress = func(turn int, what string) { p.Engine.Noticef("turn %d of %d: %s", turn, o.Turns, what) }
	}
	res, err := agent.Run(ctx, task)
	if len(res.Files) > 0 {
		res.Out = o.Out
	}
	last := Last{Settings: set, Result: res.Last(), Change: b.change}
	err = errors.Join(err, b.layers.Close(), o.remember(memory), o.report(p, last, res))
	return exit.For(res.Decision, err)
}

// room implements [agent.Options].Room.
func room(j *judge.Judge) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) {
		w, err := j.Writer(ctx)
		return w.Room, err
	}
}

// openHere opens the current folder, for its settings without what an agent's program
// never gets: a way out, or a layer less.
func openHere(ctx context.Context, e *engine.Engine, o engine.Options) (*engine.Local, error) {
	return e.OpenLocal(ctx, engine.LocalOptions{Options: o, Adjust: func(p *gate.Policy) {
		p.Require = gate.Layers()
		p.Paths = gate.DefaultPolicy().Paths // they are about the folder, and the program is no part of it
		p.Sandbox.Run, p.Sandbox.Egress, p.Sandbox.RunDangerous = nil, nil, false
	}})
}

// deliver implements [agent.Options].Deliver.
func (o *Options) deliver(p agent.Program, files []agent.File) ([]agent.File, error) {
	if o.Keep {
		files = append(slices.Clone(files), agent.File{Path: p.Path, Data: []byte(p.Code)})
	}
	if len(files) == 0 {
		return nil, nil
	}
	return files, agent.Write(o.Out, files, o.Force)
}
