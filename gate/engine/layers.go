package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/cache/ledger"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/rate"
	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/images"
)

// Setup is what the layers of a run are built from.
type Setup struct {
	Settings
	Selected []gate.Layer
	Cache    CachePlace
	// Base is the revision that the change starts from, "" for none. Its dependencies
	// are those that the sandbox has.
	Base string
	// Prepare says how the sandbox gets the dependencies of that revision.
	Prepare Preparation
	// Export, when set, is about programs that are run for their files.
	Export *Export
	// Audit has the container engine describe every container, for [Job.Container].
	Audit bool
}

// Layers are the stages of one or more runs, and what has to be closed behind them.
type Layers struct {
	tool   gate.Tool
	stages []gate.Stage
	rules  []string // ids of the static layer's rules
	close  []func() error
	known  *cache.Store // from earlier runs; nil is nothing
}

// FixedLayers are stages that the caller has built, for tests.
func FixedLayers(stages ...gate.Stage) *Layers { return &Layers{stages: stages} }

// Open builds the selected layers. What is missing on this machine becomes a stage that
// says so; only mistakes of the user are errors. The caller closes the layers.
func (e *Engine) Open(ctx context.Context, s Setup) (*Layers, error) {
	if e.host.Build != nil {
		l, err := e.host.Build(ctx, s)
		if err == nil {
			l.tool = e.host.Tool
		}
		return l, err
	}
	l := &Layers{tool: e.host.Tool}
	if err := l.open(e, s); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	l.prewarm()
	return l, nil
}

func (l *Layers) open(e *Engine, s Setup) error {
	if err := l.openCache(e, s); err != nil {
		return err
	}
	for _, name := range s.Selected {
		var err error
		switch name {
		case gate.LayerStatic:
			err = l.openStatic(e, s)
		case gate.LayerJudge:
			err = l.openJudge(e, s)
		case gate.LayerSandbox:
			err = l.openSandbox(e, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Close ends what the layers have begun.
func (l *Layers) Close() error {
	var errs []error
	for _, c := range slices.Backward(l.close) {
		errs = append(errs, c())
	}
	l.close = nil
	return errors.Join(errs...)
}

// With returns these layers and another stage behind them. They are closed once, as the
// layers that they come from.
func (l *Layers) With(s gate.Stage) *Layers {
	return &Layers{tool: l.tool, stages: append(slices.Clone(l.stages), s), rules: l.rules}
}

func (l *Layers) openStatic(e *Engine, s Setup) error {
	own, err := s.UserRules()
	if err != nil {
		return err
	}
	rules, err := e.rules()
	if err != nil {
		return exit.Failed(fmt.Errorf("gate's own rules: %w", err))
	}
	scanner, err := static.New(static.Options{Policy: s.Policy, Rules: rules, UserRules: own, Classify: change.Classify})
	if err != nil {
		return exit.Usagef("%w", err)
	}
	l.stages = append(l.stages, scanner)
	for _, r := range scanner.Rules() {
		l.rules = append(l.rules, r.ID)
	}
	return nil
}

func (l *Layers) openJudge(e *Engine, s Setup) error {
	o := judge.Options{Policy: s.Policy.Judge, MaxFileBytes: min(s.Policy.Limits.FileSize, gate.LargeSource), Log: e.warn}
	if l.known != nil {
		o.Cache = l.known.Space("judge")
	}
	j, err := NewJudge(o)
	if err != nil {
		return err
	}
	l.stages = append(l.stages, j)
	return nil
}

// openSandbox builds the layer that executes. The engine is opened when there is
// something to run; what earlier runs left behind is swept then.
func (l *Layers) openSandbox(e *Engine, s Setup) error {
	log, err := execute.OpenLog(e.StateDir("logs"), s.Policy.Retention.Logs, e.warn)
	if err != nil {
		e.warn.Warn("runs are not logged", "error", err)
	}
	o := execute.Options{
		Open: func(ctx context.Context) (execute.Runner, error) {
			docker, err := sandbox.Open(ctx, sandbox.Options{Supervisor: e.Supervisor(), Log: e.warn, Pool: runtime.NumCPU()})
			if err != nil {
				return nil, err
			}
			if _, err := docker.Sweep(ctx); err != nil {
				e.warn.Warn("what an earlier run left behind could not be removed", "error", err)
			}
			if s.Audit {
				return audited{docker}, nil
			}
			return limited{docker, rate.New(e.StateDir("rate"), e.runsFor(), s.Policy.Rate.RunsPerHour)}, nil
		},
		Hint:    EngineHint,
		Policy:  s.Policy.Sandbox,
		Imports: s.Policy.Imports,
		On:      s.Policy.On, Required: slices.Contains(s.Policy.Require, gate.LayerSandbox),
		Images: map[gate.Language]string{
			gate.LanguagePython: images.Ref("python"), gate.LanguageJavaScript: images.Ref("node"),
			gate.LanguageGo: images.Ref("go"), gate.LanguageShell: images.Ref("shell"),
		},
		ImageHint: imageHint, DependencyCommand: depsCommand(s.Base),
		Install: e.installer(s), Uninstalled: uninstalled(e, s), NotAdded: notAdded(s.Policy), Locked: s.Prepare.Mode == gate.DepsLocked, NotInstalled: s.Prepare.Why,
		Exchange: s.Export, Log: log,
	}
	if l.known != nil {
		o.Cache, o.Fresh = l.known.Space(ledger.Space), s.Cache.Fresh
	}
	stage, err := execute.New(o)
	if err != nil {
		return exit.Usagef("%w", err)
	}
	l.stages = append(l.stages, stage)
	l.close = append(l.close, stage.Close)
	if log != nil {
		l.close = append(l.close, log.Close)
	}
	return nil
}

// Supervisor is the path of the gate that is PID 1 of containers; "" is this program.
func (e *Engine) Supervisor() string { return e.host.Getenv("GATE_SUPERVISOR") }

// EngineHint is what to do where no container engine answers.
const EngineHint = "install Docker (https://docs.docker.com/engine/install/) and start it, or set DOCKER_HOST"

// imageHint is the command that builds one of gate's own images.
func imageHint(ref string) string {
	for _, name := range images.Languages() {
		if images.Ref(name) == ref {
			return images.Command(name)
		}
	}
	return ""
}

// depsCommand is what builds the images for a change since a revision.
func depsCommand(base string) string {
	if base == "" {
		return "gate deps build"
	}
	return "gate deps build --base " + base
}
