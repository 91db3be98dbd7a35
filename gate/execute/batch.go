package execute

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/canary"
	"github.com/aigate/gate/gate/execute/coverage"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/wasm"
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
	tree    *workspace.Tree
	units   []unit
	results []result // one slot for each unit
	found   *gate.Findings
	source  coverage.Sources // texts of the files whose lines are counted
	changed map[string]gate.LineSet
	done    atomic.Int64
	reuse   *reuse
	// images are those of the stage, or of the base's dependencies, by language.
	images   map[gate.Language]string
	provided *provided
}

// result is what became of one unit.
type result struct {
	runs    []run
	lost    string // why nothing can be said; a gap
	missing *sandbox.MissingError
	needs   string // what the program lacked, so that not all of it ran
	unseen  string // what of its behaviour is not known; a gap
}

// run is one container of a unit: the second one asked for help.
type run struct {
	argv []string
	pids int64 // how many processes and threads it might have
	res  sandbox.Result
	note string // in our words, what is to be known about the end
	// printed are the canaries that stood in its output.
	printed []string
	// condition is what was different from an ordinary run, "" for nothing.
	condition string
	// kind is what it was run as where that is not the kind of its unit.
	kind string
	// standIns are the modules in whose place something stood.
	standIns []string
	// refused is what the restricted mode did not let it do.
	refused []refusal
	// foreign is what a WebAssembly module imports besides WASI.
	foreign []wasm.Foreign
	// lines are those that ran.
	lines lines
	// cached says that it is known from an earlier run.
	cached bool
}

func (b *batch) run(ctx context.Context) error {
	b.report("")
	b.source = b.sources()
	b.reuse = newReuse(b)
	images := b.unknownImages()
	b.announce(ctx, images)
	for i := range b.results {
		b.results[i].lost = "it was not reached"
	}
	err := gate.ForEach(ctx, b.stage.o.Parallel, len(images)+len(b.units), func(ctx context.Context, i int) error {
		if i < len(images) {
			b.learn(ctx, images[i])
			return nil
		}
		i -= len(images)
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
	for i, u := range b.units {
		for j := range b.results[i].runs {
			seen := &b.results[i].runs[j].res.Behaviour
			*seen = b.own(u, *seen)
		}
	}
	if err != nil {
		return err
	}
	if err := b.exerciseAll(ctx); err != nil {
		return err
	}
	return b.varyAll(ctx)
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
		if len(r.runs) > 0 {
			b.expect(ctx, u, argv)
		}
		one, err := b.once(ctx, u, argv)
		if err != nil {
			r.lost = err.Error()
			errors.As(err, &r.missing)
			return r
		}
		d := diagnose(u, one.res, b.tree.Withheld)
		one.note = d.note
		r.runs = append(r.runs, one)
		if r.unseen == "" {
			r.unseen = unseen(one.res.Behaviour)
		}
		if d.needs != "" && r.needs == "" {
			r.needs = d.needs
		}
	}
	if b.missingModule(r.needs) != "" {
		b.standIn(ctx, u, &r)
	}
	return r
}

// once runs a program in a container of its own. An error says in a sentence why
// nothing can be said about the program.
func (b *batch) once(ctx context.Context, u unit, argv []string) (run, error) {
	spec, planted, measured := b.prepared(u, argv)
	done, reused, err := b.perform(ctx, spec, planted, b.reuse.input(u))
	res := done.Result
	one := run{argv: argv, pids: spec.Limits.Pids, printed: done.Printed, cached: reused}
	one.refused, res.Behaviour = b.refusals(res.Behaviour)
	one.foreign, res.Behaviour = foreign(interpreted(argv) || b.goesToWasm(u, argv), res.Behaviour)
	res.Behaviour = recognised(measured.unmeasured(res.Behaviour, spec.Argv), measured.started, argv)
	one.lines = b.counted(measured, u, res)
	one.res = res
	if !reused {
		b.stage.o.Log.write(u, one, err)
	}
	var missing *sandbox.MissingError
	switch {
	case errors.As(err, &missing):
		return run{}, &lackError{missing: missing, hint: b.stage.hint(missing)}
	case ctx.Err() != nil:
		return run{}, fmt.Errorf("it was not run to its end: %w", context.Cause(ctx))
	case err != nil:
		return run{}, fmt.Errorf("it could not be run: %w", err)
	case statusOf(res.Status) == gate.ExecutionFailed:
		return run{}, errors.New("what happened is not known: " + cmp.Or(res.Reason, "the sandbox did not say"))
	}
	return one, nil
}

// prepared is a program of a unit as it is run.
func (b *batch) prepared(u unit, argv []string) (sandbox.Spec, *canary.Set, measurement) {
	spec, planted := b.spec(u, argv)
	b.restrict(u, &spec)
	b.exchange(u, &spec)
	return spec, planted, b.measure(u, &spec)
}

// lackError is an engine that lacks what a program needs, with what mends it.
type lackError struct {
	missing *sandbox.MissingError
	hint    string
}

func (l *lackError) Error() string {
	t := fmt.Sprintf("the container engine has no %s %s", l.missing.What, l.missing.Name)
	if l.hint != "" {
		t += "; to get it: " + l.hint
	}
	return t
}

func (l *lackError) Unwrap() error { return l.missing }

// unseen says what of a behaviour is not known, "" where nothing is missing.
func unseen(seen sandbox.Behaviour) string {
	switch {
	case seen.Recorder == "":
		return "its behaviour was not recorded"
	case seen.Lost > 0:
		return fmt.Sprintf("%d events of its behaviour were not kept", seen.Lost)
	}
	return ""
}

// failedOnItsOwn reports whether a program ended with an error, as one does that
// misses its arguments.
func failedOnItsOwn(r sandbox.Result) bool {
	return r.Status == sandbox.Exited && r.ExitCode > 0 && r.ExitCode < 126
}

// spec is the program of a unit as the sandbox takes it, and the canaries that it
// will find.
func (b *batch) spec(u unit, argv []string) (sandbox.Spec, *canary.Set) {
	p := b.stage.o.Policy
	planted := canary.New(func(p string) bool { return b.tree.Given(u.extra, p) })
	bytes, entries := b.tree.Size()
	spec := sandbox.Spec{
		Image:   b.images[u.image],
		Runtime: p.Runtime,
		Argv:    argv,
		// What the unit needs comes last, which is what counts.
		Env:   slices.Concat(planted.Env(), u.env),
		Dir:   u.dir,
		Input: func(w *tar.Writer) error { return b.input(w, u) },
		Limits: sandbox.Limits{
			Memory: p.Memory, CPUs: p.CPUs, Pids: p.Pids, Timeout: p.Timeout,
			Workspace: bytes + entries*512 + workRoom,
			Inodes:    entries + fileRoom,
			Stdout:    keptOutput,
		},
		Observe: &sandbox.Observe{Internet: true, Egress: p.Egress, Canaries: planted.Canaries(), Plants: planted.Plants(), Metadata: planted.Metadata()},
	}
	if b.goesToWasm(u, argv) {
		spec.Argv = slices.Clone(argv)
		spec.Argv[2] = goWasi(p.Memory)
	}
	if interpreted(argv) {
		spec.Argv = withMemory(argv, p.Memory)
		spec.Deltas.NoAddressSpace = true // the interpreter is a Go program
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
	return spec, planted
}
