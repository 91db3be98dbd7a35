package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/shard"
	"github.com/aigate/gate/gate/static"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/images"
)

// layerFlags say which layers run, and with what.
type layerFlags struct {
	layers  []string
	require []string
	runtime string
	memory  string
	timeout string
	ollama  string
	model   string
}

func (f *layerFlags) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringSliceVar(&f.layers, "layers", nil, "run and require these `LAYERS`: static, judge, sandbox (default: all that are there, required as the policy says)")
	fl.StringSliceVar(&f.require, "require", nil, "`LAYERS` that must complete, besides those that the policy or --layers requires")
	fl.StringVar(&f.ollama, "ollama", "", "`URL` of the Ollama server (default: the policy's, or $OLLAMA_HOST)")
	fl.StringVar(&f.model, "model", "", "`NAME` of the model that judges")
	f.registerSandbox(cmd)
	complete(cmd, "layers", "static", "judge", "sandbox", "static,judge", "static,sandbox", "static,judge,sandbox")
}

func (f *layerFlags) registerSandbox(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.runtime, "runtime", "", "`NAME` of the container runtime: runc, runsc (default: the policy's, or $GATE_RUNTIME)")
	fl.StringVar(&f.memory, "memory", "", "memory of one container, such as 512m")
	fl.StringVar(&f.timeout, "timeout", "", "wall clock of one run, such as 30s")
	complete(cmd, "runtime", "runc", "runsc", "kata")
}

// apply puts the environment and then the flags over the policy's machine keys.
func (f *layerFlags) apply(p *gate.Policy, getenv func(string) string) error {
	settings := []struct{ value, key, where string }{
		{getenv("GATE_RUNTIME"), "sandbox.runtime", "GATE_RUNTIME"},
		{getenv("GATE_MODEL"), "judge.model", "GATE_MODEL"},
		{f.runtime, "sandbox.runtime", "--runtime"},
		{f.memory, "sandbox.memory", "--memory"},
		{f.timeout, "sandbox.timeout", "--timeout"},
		{f.model, "judge.model", "--model"},
	}
	for _, s := range settings {
		if s.value == "" {
			continue
		}
		if err := policy.Set(p, s.key, s.value, s.where); err != nil {
			return usage("%w", err)
		}
	}
	for name, langs := range policy.ImageNames() {
		ref := getenv("GATE_IMAGE_" + strings.ToUpper(name))
		if ref == "" {
			continue
		}
		if p.Sandbox.Images == nil {
			p.Sandbox.Images = map[gate.Language]string{}
		}
		for _, l := range langs {
			p.Sandbox.Images[l] = ref
		}
	}
	if host := cmp.Or(f.ollama, getenv("OLLAMA_HOST")); host != "" {
		p.Judge.Hosts = []string{withScheme(host)}
	}
	named, err := layerNames("--layers", f.layers)
	if err != nil {
		return err
	}
	if len(named) > 0 {
		p.Require = named
	}
	more, err := layerNames("--require", f.require)
	if err != nil {
		return err
	}
	for _, l := range more {
		if !slices.Contains(p.Require, l) {
			p.Require = append(slices.Clone(p.Require), l)
		}
	}
	return nil
}

func layerNames(flag string, names []string) ([]gate.Layer, error) {
	var out []gate.Layer
	for _, n := range names {
		if !slices.Contains(gate.Layers(), gate.Layer(n)) {
			return nil, usage("%s: %q is not a layer (static, judge, sandbox)", flag, n)
		}
		out = append(out, gate.Layer(n))
	}
	return out, nil
}

// selected returns the layers to run: those that were named, or all.
func (f *layerFlags) selected() []gate.Layer {
	if len(f.layers) == 0 {
		return gate.Layers()
	}
	var out []gate.Layer
	for _, l := range gate.Layers() {
		if slices.Contains(f.layers, string(l)) {
			out = append(out, l)
		}
	}
	return out
}

// wiring is what the layers of one run are built from.
type wiring struct {
	settings
	selected   []gate.Layer
	rules      func() (*static.OwnRules, error)
	supervisor string       // path of the gate that is PID 1 of containers; "" is this program
	logs       string       // folder for the records of runs
	warn       *slog.Logger // what went wrong besides the run
	cache      cachePlace   // for what is known from earlier runs
	base       string       // the revision that the change starts from, "" for none
	head       string       // the commit of the change, "" where it is none or not known
	part       shard.Part   // of the change, to look at
	// exchange, when set, is about programs that are run for their files.
	exchange *execute.Exchange
	// around, when set, stands between the sandbox layer and the engine.
	around func(*sandbox.Docker) execute.Runner
}

// layers are the stages of one run and what must be closed behind them.
type layers struct {
	stages []gate.Stage
	rules  []string // ids of the static layer's rules
	close  []func() error
	known  *cache.Store // from earlier runs; nil is nothing
}

func (l *layers) shut() error {
	var errs []error
	for _, c := range slices.Backward(l.close) {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

// realLayers builds the selected layers. What is missing on this machine becomes
// a stage that says so; only mistakes of the user are errors.
func realLayers(_ context.Context, w wiring) (layers, error) {
	var l layers
	if err := l.openCache(w); err != nil {
		return layers{}, err
	}
	for _, name := range w.selected {
		var err error
		switch name {
		case gate.LayerStatic:
			err = l.static(w)
		case gate.LayerJudge:
			err = l.judge(w)
		case gate.LayerSandbox:
			err = l.sandbox(w)
		}
		if err != nil {
			return layers{}, errors.Join(err, l.shut())
		}
	}
	l.prepareEarly()
	return l, nil
}

func (l *layers) static(w wiring) error {
	own, err := w.userRules()
	if err != nil {
		return err
	}
	rules, err := w.rules()
	if err != nil {
		return incomplete(fmt.Errorf("gate's own rules: %w", err))
	}
	s, err := static.New(static.Options{Policy: w.policy, Rules: rules, UserRules: own})
	if err != nil {
		return usage("%w", err)
	}
	l.stages = append(l.stages, s)
	for _, r := range s.Rules() {
		l.rules = append(l.rules, r.ID)
	}
	return nil
}

func (l *layers) judge(w wiring) error {
	o := judge.Options{Policy: w.policy.Judge, Comments: comments, MaxFileBytes: w.policy.Limits.FileSize, Log: w.warn}
	if l.known != nil {
		o.Cache = l.known.Space("judge")
	}
	j, err := judge.New(o)
	if err != nil {
		return usage("%w", err)
	}
	l.stages = append(l.stages, j)
	return nil
}

// sandbox builds the layer that executes. The engine is opened when there is
// something to run; what earlier runs left behind is swept then.
func (l *layers) sandbox(w wiring) error {
	log, err := execute.OpenLog(w.logs, w.policy.Retention.Logs, w.warn)
	if err != nil {
		w.warn.Warn("runs are not logged", "error", err)
	}
	o := execute.Options{
		Open: func(ctx context.Context) (execute.Runner, error) {
			docker, err := sandbox.Open(ctx, sandbox.Options{Supervisor: w.supervisor, Log: w.warn, Pool: runtime.NumCPU()})
			if err != nil {
				return nil, err
			}
			if _, err := docker.Sweep(ctx); err != nil {
				w.warn.Warn("what an earlier run left behind could not be removed", "error", err)
			}
			if w.around != nil {
				return w.around(docker), nil
			}
			return docker, nil
		},
		Hint:    engineHint,
		Policy:  w.policy.Sandbox,
		Imports: w.policy.Imports,
		On:      w.policy.On,
		Images: map[gate.Language]string{
			gate.LanguagePython: images.Ref("python"), gate.LanguageJavaScript: images.Ref("node"),
			gate.LanguageGo: images.Ref("go"), gate.LanguageShell: images.Ref("shell"),
		},
		ImageHint: imageHint, DependencyCommand: depsCommand(w.base),
		Exchange: w.exchange, Log: log,
	}
	if l.known != nil {
		o.Cache = l.known.Space("sandbox")
	}
	s, err := execute.New(o)
	if err != nil {
		return usage("%w", err)
	}
	l.stages = append(l.stages, s)
	l.close = append(l.close, s.Close)
	if log != nil {
		l.close = append(l.close, log.Close)
	}
	return nil
}

// imageHint is the command that builds one of gate's own images.
func imageHint(ref string) string {
	for _, name := range images.Languages() {
		if images.Ref(name) == ref {
			return images.Command(name)
		}
	}
	return ""
}

// withScheme completes an address as OLLAMA_HOST may have it: host, host:port or
// a URL.
func withScheme(host string) string {
	if strings.Contains(host, "://") {
		return host
	}
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(strings.Trim(host, "[]"), "11434")
	}
	return "http://" + host
}
