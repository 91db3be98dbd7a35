package execute

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/sandbox"
)

const (
	// keptOutput is how much of each stream is brought back to find out what went
	// wrong, in bytes; shownOutput of it goes into the result document.
	keptOutput  = 256 << 10
	shownOutput = 16 << 10

	// workRoom is what a program may write beside its input, in bytes and files.
	// The Go toolchain builds there what it runs.
	workRoom   = 64 << 20
	goWorkRoom = 192 << 20
	fileRoom   = 16 << 10

	// toolPids is what a toolchain needs at least: Go runs several compilers and
	// Node several test files side by side, each with a dozen threads.
	toolPids = 256
)

// batch runs the units of one plan.
type batch struct {
	stage   *Stage
	runner  Runner
	tree    *tree
	units   []unit
	results []result // one slot for each unit
	found   *gate.Findings
	done    atomic.Int64
}

// result is what became of one unit.
type result struct {
	runs    []run
	lost    string // why nothing can be said; a gap
	missing *sandbox.MissingError
	needs   string // what the program lacked, so that not all of it ran
}

// run is one container of a unit: the second one asked for help.
type run struct {
	argv []string
	pids int64 // how many processes and threads it might have
	res  sandbox.Result
	note string // in our words, what is to be known about the end
}

func (b *batch) run(ctx context.Context) error {
	b.report("")
	for i := range b.results {
		b.results[i].lost = "it was not reached"
	}
	err := gate.ForEach(ctx, b.stage.o.Parallel, len(b.units), func(ctx context.Context, i int) error {
		u := b.units[i]
		b.results[i] = b.unit(ctx, u)
		b.done.Add(1)
		b.report(u.kind + " " + u.targets[0])
		return nil
	})
	if err != nil {
		for i := range b.results {
			if r := &b.results[i]; len(r.runs) == 0 && r.missing == nil {
				r.lost = "it was not run to its end: " + err.Error()
			}
		}
	}
	return err
}

func (b *batch) report(detail string) {
	b.found.Report(gate.Progress{Layer: gate.LayerSandbox, Done: int(b.done.Load()), Total: len(b.units), Detail: detail})
}

// nothingThere returns why the layer is unavailable: not one unit had its image or
// its runtime.
func (b *batch) nothingThere() *gate.Unavailable {
	var first *sandbox.MissingError
	for _, r := range b.results {
		if r.missing == nil {
			return nil
		}
		if first == nil {
			first = r.missing
		}
	}
	return &gate.Unavailable{
		Reason: fmt.Sprintf("the container engine has no %s %s", first.What, first.Name),
		Hint:   b.stage.hint(first),
	}
}

func (s *Stage) hint(m *sandbox.MissingError) string {
	if m.What == "image" {
		if h := s.o.ImageHint(m.Name); h != "" {
			return h
		}
	}
	return m.Hint
}

// unit runs one unit, and once more for its help where it wants arguments.
func (b *batch) unit(ctx context.Context, u unit) result {
	var r result
	for _, argv := range [][]string{u.argv, u.help} {
		if argv == nil || len(r.runs) > 0 && !failedOnItsOwn(r.runs[0].res) {
			break
		}
		spec := b.spec(u, argv)
		res, err := b.runner.Run(ctx, spec)
		b.stage.o.Log.write(u, run{argv: argv, res: res}, err)
		switch {
		case errors.As(err, &r.missing):
			r.lost = fmt.Sprintf("the container engine has no %s %s", r.missing.What, r.missing.Name)
			if h := b.stage.hint(r.missing); h != "" {
				r.lost += "; to get it: " + h
			}
		case ctx.Err() != nil:
			r.lost = "it was not run to its end: " + context.Cause(ctx).Error()
		case err != nil:
			r.lost = "it could not be run: " + err.Error()
		case statusOf(res.Status) == gate.ExecutionFailed:
			r.lost = "what happened is not known: " + cmp.Or(res.Reason, "the sandbox did not say")
		}
		if r.lost != "" {
			return r
		}
		d := diagnose(u, res, b.tree.withheld)
		r.runs = append(r.runs, run{argv: argv, pids: spec.Limits.Pids, res: res, note: d.note})
		if d.needs != "" && r.needs == "" {
			r.needs = d.needs
		}
	}
	return r
}

// failedOnItsOwn reports whether a program ended with an error, as one does that
// misses its arguments.
func failedOnItsOwn(r sandbox.Result) bool {
	return r.Status == sandbox.Exited && r.ExitCode > 0 && r.ExitCode < 126
}

// spec is the program of a unit as the sandbox takes it.
func (b *batch) spec(u unit, argv []string) sandbox.Spec {
	p := b.stage.o.Policy
	bytes, entries := b.tree.size()
	spec := sandbox.Spec{
		Image:   b.stage.o.Images[u.image],
		Runtime: p.Runtime,
		Argv:    argv,
		Env:     u.env,
		Dir:     u.dir,
		Input:   func(w *tar.Writer) error { return b.tree.write(w, u.extra) },
		Limits: sandbox.Limits{
			Memory: p.Memory, CPUs: p.CPUs, Pids: p.Pids, Timeout: p.Timeout,
			Workspace: bytes + entries*512 + workRoom,
			Inodes:    entries + fileRoom,
			Stdout:    keptOutput,
		},
	}
	switch u.image {
	case gate.LanguageGo:
		spec.Deltas = sandbox.Deltas{ExecutableTmp: true, NoAddressSpace: true}
		spec.Limits.Pids = max(spec.Limits.Pids, toolPids)
		spec.Limits.Workspace += goWorkRoom - workRoom
	case gate.LanguageJavaScript:
		spec.Deltas = sandbox.Deltas{NoAddressSpace: true}
		spec.Limits.Pids = max(spec.Limits.Pids, toolPids)
	}
	return spec
}
