package execute

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// What a Go package can do besides computing is compared between base and head: a
// program in the image follows which functions mention which others, through all
// dependencies, up to the standard library. Nothing of the change is built or executed
// for that, and of the base only import declarations are read on this machine.

const (
	// capabilityTool is in the image for Go (sandbox/images/go/capabilities.go).
	capabilityTool    = "/usr/local/bin/gate-capabilities"
	capabilityVersion = 2
	kindCapabilities  = "capabilities"

	// The types of all that a program imports are in memory at a time, and are read
	// from source.
	capabilityMemory  = 3 << 30
	capabilityTimeout = 5 * time.Minute
)

// capability is one thing that one function of a package can do.
type capability struct {
	Name       string       `json:"name"` // "FILES", "MODIFY_SYSTEM_STATE/ENV"
	Path       string       `json:"path"` // the functions that lead to it
	File       string       `json:"file"` // of the first call, from the module's folder
	Line       int          `json:"line"`
	Through    []functionAt `json:"through"`    // the functions of the path that are in the tree; none where no call shows it
	Dependency string       `json:"dependency"` // "path@version" of the module whose code makes the last call
}

// functionAt is where a function lies, from the module's folder.
type functionAt struct {
	File string `json:"file"`
	From int    `json:"from"`
	To   int    `json:"to"`
}

type capablePackage struct {
	Dir          string       `json:"dir"`
	Name         string       `json:"name"`
	Imports      []string     `json:"imports"`
	Error        string       `json:"error"`
	Capabilities []capability `json:"capabilities"`
}

// capable is what the packages of a module can do, by folder of the tree.
type capable map[string]capablePackage

// goTargets are the changed packages of one module: their targets by folder.
type goTargets struct {
	module   string
	known    bool // it has a go.mod
	packages map[string][]string
}

// comparison asks what packages can do, in the head and in the base.
type comparison struct {
	prepare  preparer
	engine   func(*workspace.Tree) engine
	limits   workspace.Limits
	parallel int
	on       gate.On
	found    *gate.Findings
	progress *progress
}

// goChanged groups the changed Go files that are no tests by module and folder.
func goChanged(c *gate.Change, tree *workspace.Tree) []goTargets {
	modules := map[string]*goTargets{}
	for _, t := range c.Targets {
		if t.Language != gate.LanguageGo || !t.Exists() || t.Parent != "" || ignoredByGo(t.Path) || strings.HasSuffix(t.Path, "_test.go") || !tree.Has(t.Path) {
			continue
		}
		dir := workspace.Parent(t.Path)
		module, known := tree.Above(dir, "go.mod")
		m := modules[module]
		if m == nil {
			m = &goTargets{module: module, known: known, packages: map[string][]string{}}
			modules[module] = m
		}
		m.packages[dir] = append(m.packages[dir], t.Path)
	}
	var out []goTargets
	for _, dir := range slices.Sorted(maps.Keys(modules)) {
		out = append(out, *modules[dir])
	}
	return out
}

// ignoredByGo reports whether a file lies where the go command does not look.
func ignoredByGo(p string) bool {
	return slices.ContainsFunc(strings.Split(p, "/"), func(s string) bool { return s == "testdata" || s == "vendor" })
}

// answers are what was said about the changed packages of one module. The zero value is
// no answer.
type answers struct {
	head, base       capable
	headErr, baseErr error
}

// abilities are the changed packages of a change and what they can do.
type abilities struct {
	modules []goTargets
	base    *workspace.Tree
	answers []answers // one for each module
	err     error     // not all of them were asked
}

// ask asks what the changed packages can do, where there is a base to compare them with.
// over is why there is no time left, or nil.
func (x comparison) ask(ctx context.Context, c *gate.Change, over error) abilities {
	if c.Base == nil {
		return abilities{}
	}
	a := abilities{modules: goChanged(c, x.prepare.tree), err: over}
	if len(a.modules) == 0 || over != nil {
		return a
	}
	a.base, a.answers = workspace.Base(c, x.limits), make([]answers, len(a.modules))
	a.err = gate.ForEach(ctx, x.parallel, 2*len(a.modules), func(ctx context.Context, i int) error {
		p, m := &a.answers[i/2], a.modules[i/2]
		if i%2 == 0 {
			p.head, p.headErr = x.ableTo(ctx, x.prepare.tree, m)
		} else {
			p.base, p.baseErr = x.ableTo(ctx, a.base, m)
		}
		x.progress.report("capabilities of " + cmp.Or(m.module, "."))
		return nil
	})
	return a
}

// beside runs what runs the units, and asks what the changed packages can do: meanwhile
// where there are fewer units than may run at a time, and with as many containers as are
// left then, else afterwards.
func (x comparison) beside(ctx context.Context, c *gate.Change, units int, run func() error) (a abilities, err error) {
	x.parallel -= units
	if x.parallel < 1 {
		x.parallel += units
		err = run()
		return x.ask(ctx, c, err), err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		if wrong := gate.Catch(func() error { a = x.ask(ctx, c, nil); return nil }); wrong != nil {
			a = abilities{modules: goChanged(c, x.prepare.tree), err: wrong}
		}
	})
	err = run()
	wg.Wait()
	return a, err
}

// capabilities reports what the changed packages can do that they could not before.
func (x comparison) capabilities(c *gate.Change, a abilities) []gate.Gap {
	var gaps []gate.Gap
	gap := func(m goTargets, err error) {
		for _, dir := range slices.Sorted(maps.Keys(m.packages)) {
			for _, p := range m.packages[dir] {
				gaps = append(gaps, gate.Gap{Layer: gate.LayerSandbox, Path: p, Reason: "what it can do was not compared with the base: " + err.Error()})
			}
		}
	}
	for i, m := range a.modules {
		if a.err != nil {
			gap(m, a.err)
			continue
		}
		p := a.answers[i]
		if refused := errors.Join(p.headErr, p.baseErr); errors.Is(refused, ErrRefused) {
			gap(m, refused)
			continue
		}
		w := newWeigher(m, a.base, c)
		for _, dir := range slices.Sorted(maps.Keys(m.packages)) {
			before, after := p.base[dir], p.head[dir]
			_, isNew := p.base[dir]
			isNew = !isNew && p.baseErr == nil
			g := gain{weigher: w, dir: dir, targets: m.packages[dir], before: before, after: after, isNew: isNew}
			why := cmp.Or(reasonOf(p.headErr), after.Error, reasonOf(p.baseErr), before.Error)
			if why != "" {
				gaps = append(gaps, x.unable(m.packages[dir], why)...)
				// C, assembly and linked names are seen all the same.
				g.after.Capabilities = slices.DeleteFunc(after.Capabilities, func(c capability) bool { return len(c.Through) > 0 })
			}
			for _, f := range g.findings() {
				x.found.Add(f.target, f.Finding)
			}
		}
	}
	return gaps
}

func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// unable says that the capabilities of a package are not known: a note in its first
// file, and a gap in each where the policy wants everything to be run.
func (x comparison) unable(targets []string, why string) []gate.Gap {
	x.found.Add(targets[0], gate.Finding{
		Rule: ruleCapabilityUnknown.ID, Layer: gate.LayerSandbox, Severity: ruleCapabilityUnknown.Severity,
		Message: "its package " + ruleCapabilityUnknown.Message, Evidence: why,
	})
	var gaps []gate.Gap
	for _, p := range targets {
		if x.on.MustRun() {
			gaps = append(gaps, gate.Gap{Layer: gate.LayerSandbox, Path: p, Reason: "what it can do is not known: " + why})
		}
	}
	return gaps
}

// ableTo asks what the changed packages of a module can do in a tree. Those that the
// tree does not have are not in the answer.
func (x comparison) ableTo(ctx context.Context, t *workspace.Tree, m goTargets) (capable, error) {
	argv := []string{capabilityTool}
	for _, dir := range slices.Sorted(maps.Keys(m.packages)) {
		if slices.ContainsFunc(t.In(dir), func(f string) bool { return strings.HasSuffix(f, ".go") && !strings.HasSuffix(f, "_test.go") }) {
			argv = append(argv, plan.GoPath(m.module, dir))
		}
	}
	if len(argv) == 1 || m.known && !t.Has(path.Join(m.module, "go.mod")) {
		return capable{}, nil
	}
	prepare := x.prepare
	prepare.tree = t
	program := prepare.container(plan.Unit{Kind: kindCapabilities, Dir: m.module, Extra: plan.MissingModule(m.known)}, job.Job{
		Image: gate.LanguageGo, Program: job.Command{Argv: argv}, Env: job.GoEnv(),
	})
	spec := program.spec
	// It is recorded like every run of a container, but what the analysis itself does
	// is no finding, and nothing waits for it there.
	spec.Env, spec.Observe = program.line.Env, &sandbox.Observe{}
	spec.Limits.Memory, spec.Limits.Timeout = max(spec.Limits.Memory, capabilityMemory), max(spec.Limits.Timeout, capabilityTimeout)
	spec.Limits.Stdout = 8 << 20
	program.spec = spec
	// The same question about the same files is answered from the cache, as any run.
	done, _, err := x.engine(t).run(ctx, program)
	if err != nil {
		return nil, err
	}
	return readCapable(done.Result, m.module)
}

// readCapable reads the answer of the program, which names what the change named.
func readCapable(res sandbox.Result, module string) (capable, error) {
	const renew = "; an image that is older than this lacks it: gate doctor --build go"
	switch {
	case res.Status != sandbox.Exited:
		return nil, fmt.Errorf("the analysis ended as %s: %s", res.Status, res.Reason)
	case res.ExitCode == 126 || res.ExitCode == 127:
		return nil, errors.New("the image has no " + capabilityTool + renew)
	case res.ExitCode != 0 || res.Stdout.Truncated:
		return nil, fmt.Errorf("the analysis ended with exit code %d: %s", res.ExitCode, lastLine(tail(res.Stderr.Data)))
	}
	var doc struct {
		Version  int              `json:"version"`
		Error    string           `json:"error"`
		Packages []capablePackage `json:"packages"`
	}
	if err := json.Unmarshal(res.Stdout.Data, &doc); err != nil || doc.Version != capabilityVersion {
		return nil, fmt.Errorf("the analysis gave no answer that is understood (version %d)%s", doc.Version, renew)
	}
	if doc.Error != "" {
		return nil, errors.New(doc.Error)
	}
	out := capable{}
	for _, p := range doc.Packages {
		dir := path.Join(module, p.Dir)
		if dir == "." {
			dir = ""
		}
		out[dir] = p
	}
	return out, nil
}
