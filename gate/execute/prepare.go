package execute

import (
	"archive/tar"
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/canary"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/routes"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/images"
)

const (
	// keptOutput is how much of each stream is brought back to find out what went
	// wrong, in bytes; shownOutput of it goes into the result document.
	keptOutput  = 256 << 10
	shownOutput = 16 << 10

	// coverOutput bounds what is brought back about lines, in bytes; a report of
	// Node names all its own functions.
	coverOutput = 32 << 20

	// untilEnded is what tests have to end when their time is over, and to tell of it.
	untilEnded = 10 * time.Second

	// workRoom is what a program may write beside its input, in bytes and files.
	// The Go toolchain builds there what it runs.
	workRoom   = 64 << 20
	goWorkRoom = 192 << 20
	fileRoom   = 16 << 10

	// workStep is to what the size of the input is rounded up: programs can ask how much
	// room there is, so a run of a larger workspace is another run.
	workStep = 4 << 20

	// toolPids is what a toolchain needs at least: Go runs several compilers and
	// Node several test files side by side, each with a dozen threads.
	toolPids = 256
)

// restricted is the word for the restricted mode of Python in a policy, and wasip1
// that for programs of Go as WebAssembly.
const (
	restricted = "restricted"
	wasip1     = "wasip1"
)

// preparer makes of a job what a container is started with.
type preparer struct {
	policy   gate.SandboxPolicy
	imports  gate.Imports
	images   map[gate.Language]string // of the stage, or of the base's dependencies
	tree     *workspace.Tree
	exchange *Exchange
	modules  map[string]pinned // those of Go, by folder, that are built with versions of the base
	compiled bool              // the image for Go has a build cache
	// everything gives all tests the same time, also those that are not nearest to the change.
	everything bool
	// within bounds the time of a run, beside the policy; 0 does not.
	within time.Duration
	// suspicious reports whether something is known about a file that is more than a note; nil is
	// nothing.
	suspicious func(file string) bool
}

// prepared is one program as it is run.
type prepared struct {
	unit      plan.Unit
	job       job.Job // with everything that is set for it
	line      job.Line
	spec      sandbox.Spec
	canaries  *canary.Set
	uncounted string        // why its lines are not counted, "" where they are
	budget    time.Duration // after it, its tests have ended themselves; 0 is never
	others    time.Duration // after it, they may have, the nearest being over; 0 is never
	noFiles   bool          // it finds no files
	as        string        // how it runs, "" is as planned
	routes    routes.Found  // what it is asked where it serves
	// repeated says that the same run was made before, and a second one is wanted beside it.
	repeated bool
}

// program prepares a job of a unit. An error says what of the policy cannot be set
// for it: it must not run without.
func (p preparer) program(u plan.Unit, j job.Job) (prepared, error) {
	j, err := p.set(u, j)
	if err != nil {
		return prepared{}, err
	}
	uncounted := ""
	if counted, err := j.Counted(u.Targets, p.tree.Text(u.Targets[0])); err != nil {
		uncounted = err.Error()
	} else {
		j = counted
	}
	var budget job.Budget
	if u.Kind == plan.Tests && uncounted == "" && !j.Patient {
		budget = p.budget(u, j.NearestOnly)
		if timed, err := j.Budgeted(budget); err == nil {
			j = timed
		} else {
			budget = job.Budget{}
		}
	}
	out := p.container(u, j)
	if p.within > 0 {
		out.spec.Limits.Timeout = min(out.spec.Limits.Timeout, p.within)
	}
	out.uncounted, out.budget, out.others = uncounted, budget.All, budget.Others
	if _, bats := j.Program.(job.Bats); !bats && budget.Shown > 0 {
		out.others = budget.Shown
	}
	// Tests end by themselves, and a command of the policy may be some.
	out.spec.EndIdle = !j.Patient && u.Kind != plan.Tests && u.Kind != plan.Policy
	if u.Kind != plan.Tests && u.Kind != plan.Policy {
		out.routes = p.questions(u)
		out.spec.Ask = &sandbox.Ask{Questions: out.routes.Questions}
	}
	// Tests look whether a command is there, and expect that reserved names are unknown.
	out.spec.Observe.Bait = u.Kind != plan.Tests && u.Kind != plan.Policy || slices.Contains(j.Args, job.GoGivenTest)
	if u.Kind == plan.Tests {
		if j.Image == gate.LanguageJavaScript {
			// A runner, its workers, and often a compiler: as much again as a program gets.
			out.spec.Limits.Memory *= 2
		}
		out.spec.Limits.Timeout = p.forAll(u)
		if budget.All > 0 {
			out.spec.Limits.Timeout += untilEnded
			out.spec.Budget = budget.All
		}
	}
	if p.exchange != nil && p.exchange.Given != nil {
		out.spec.Given = p.exchange.Given
		out.spec.Limits.Workspace += roundUp(p.exchange.GivenBytes+sandbox.MaxFiles*512, workStep)
	}
	if handsOut(p.exchange, u) {
		out.spec.Output = append(out.spec.Output, p.exchange.Out)
		// Which lines ran is brought back as well, and is not to take their place.
		out.spec.Limits.Output = p.exchange.Bytes + coverOutput
	}
	if _, prints := j.Program.(job.Make); uncounted == "" && !prints {
		out.spec.Output = append(out.spec.Output, job.CoverFolder)
		out.spec.Limits.Output = max(out.spec.Limits.Output, coverOutput)
	}
	return out, nil
}

// budget is the time that a unit's tests have.
func (p preparer) budget(u plan.Unit, nearestOnly bool) job.Budget {
	b := job.Budget{All: p.forAll(u), Near: u.Near, Edited: u.Edited, Changed: u.Changed, Targets: u.Targets, Words: u.Words}
	if !p.everything {
		b.Others, b.NearestOnly = forOthers(p.policy), nearestOnly
		if p.suspicious == nil || !slices.ContainsFunc(u.Targets, p.suspicious) {
			b.Shown = min(b.Others, forShown)
		}
	}
	return b
}

// forAll is the time that all tests of a unit have.
func (p preparer) forAll(u plan.Unit) time.Duration {
	switch {
	case u.Beside && !p.everything:
		return forOthers(p.policy)
	case u.Further && !u.Beside:
		return forFurther(p.policy)
	}
	return p.policy.ForTests()
}

// questions are what a unit is asked where it serves, as its own files name it; the
// program of a Go package has all files of its folder.
func (p preparer) questions(u plan.Unit) routes.Found {
	files := slices.Clone(u.Targets)
	if _, ok := u.Job.Program.(job.GoProgram); ok {
		for _, f := range p.tree.In(workspace.Parent(u.Targets[0])) {
			if strings.HasSuffix(f, ".go") && !strings.HasSuffix(f, "_test.go") && !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	var texts []string
	for _, f := range files {
		texts = append(texts, p.tree.Text(f))
	}
	return routes.Of(texts...)
}

// set puts on a job what the policy wants of its language.
func (p preparer) set(u plan.Unit, j job.Job) (job.Job, error) {
	if p.policy.Python == restricted && j.Image == gate.LanguagePython {
		limits := job.Limits{Allow: p.imports.Allow}
		if u.Kind == plan.Tests {
			limits.Runner = []string{"pytest", "_pytest", "unittest", "builtins"} // pytest imports the last for its assertions
		}
		return j.Restricted(limits)
	}
	if p.policy.Go == wasip1 && j.Image == gate.LanguageGo {
		module, err := j.AsWasm()
		if notApplicable := new(job.NotApplicable); errors.As(err, &notApplicable) {
			return j, nil // tests, and commands of the policy, stay as they are
		}
		return module, err
	}
	return j, nil
}

// hashSeed makes Python hash texts the same way in each process. It asks for random numbers for
// that when it starts otherwise, also in each process that a test starts, and such a run depends
// on chance: it would never be reused.
const hashSeed = "PYTHONHASHSEED=0"

// scratch reports whether a file is in a folder for temporary files that a program of the unit
// names itself: the home folder in the images is one.
func (p preparer) scratch(u plan.Unit, file string) bool {
	in, ok := strings.CutPrefix(file, canary.Home+"/")
	if !ok || in[0] == '.' {
		return false
	}
	first, _, _ := strings.Cut(in, "/")
	return slices.ContainsFunc(u.Targets, func(t string) bool { return strings.Contains(p.tree.Text(t), canary.Home+"/"+first) })
}

// container is a job in a container, with the canaries that it will find there.
func (p preparer) container(u plan.Unit, j job.Job) prepared {
	memory := memoryFor(p.policy, j)
	j = j.Within(memory)
	line := j.Line()
	if j.Image == gate.LanguageGo && p.compiled {
		line = line.Cached(images.CompiledRoot)
	}
	if m, ok := p.modules[u.Dir]; ok && j.Image == gate.LanguageGo {
		u.Extra = slices.Concat(u.Extra, m.files)
		line.Env = withFlag(line.Env, m.flag)
	}
	planted := canary.New(func(file string) bool { return p.tree.Given(u.Extra, file) || p.scratch(u, file) })
	bytes, entries := p.tree.Size()
	spec := sandbox.Spec{
		Image:   p.images[j.Image],
		Runtime: p.policy.Runtime,
		Argv:    line.Argv,
		// What the unit needs comes last, which is what counts.
		Env:   slices.Concat([]string{hashSeed}, planted.Env(), line.Env),
		Dir:   u.Dir,
		Input: func(w *tar.Writer) error { return p.input(w, u) },
		Limits: sandbox.Limits{
			Memory: memory, CPUs: coresFor(p.policy, u), Pids: p.policy.Pids, Timeout: p.policy.Timeout,
			Workspace: roundUp(bytes+entries*512, workStep) + workRoom,
			Inodes:    entries + fileRoom,
			Stdout:    keptOutput,
		},
		Observe: observed(planted),
	}
	spec.Observe.Egress, spec.Observe.Hooks = p.policy.Egress, line.Hooks()
	spec.Observe.Reports = path.Join(sandbox.Workspace, job.CoverFolder)
	spec.Exceptions.NoAddressSpace = j.Interpreted() // the interpreter is a Go program
	switch j.Image {
	case gate.LanguageGo:
		spec.Exceptions = sandbox.Exceptions{ExecutableTmp: true, NoAddressSpace: true}
		spec.Limits.Pids = max(spec.Limits.Pids, toolPids)
		spec.Limits.Workspace += goWorkRoom - workRoom
	case gate.LanguageJavaScript:
		spec.Exceptions = sandbox.Exceptions{NoAddressSpace: true}
		spec.Limits.Pids = max(spec.Limits.Pids, toolPids)
	}
	_, script := j.Program.(job.Script)
	if u.Kind == plan.Tests {
		spec.Limits.Pids = max(spec.Limits.Pids, toolPids)
	}
	if u.Kind == plan.Tests || script {
		spec.Exceptions.ExecutableWorkspace = slices.ContainsFunc(p.tree.Files, func(f workspace.File) bool { return f.Exec })
	}
	spec.Exceptions.NoProcessLimits = j.Unlimited
	return prepared{unit: u, job: j, line: line, spec: spec, canaries: planted}
}

// memoryFor is the memory of the container of a job.
func memoryFor(p gate.SandboxPolicy, j job.Job) int64 {
	if _, ok := j.Program.(job.Module); ok {
		return p.MemoryFor(gate.LanguageWasm) // in whatever image
	}
	return p.MemoryFor(j.Image)
}

// toolCores are the cores of compilers and runners of tests, which use them, where the
// policy names none. A container never has more than there are.
const toolCores = 4

// coresFor is how many cores the container of a unit may use.
func coresFor(p gate.SandboxPolicy, u plan.Unit) float64 {
	if p.CPUs == 0 && (u.Job.Image == gate.LanguageGo || u.Kind == plan.Tests) {
		return toolCores
	}
	return cmp.Or(p.CPUs, 1)
}

func roundUp(n, step int64) int64 { return (n + step - 1) / step * step }

// empty is a job that finds no files.
func (p preparer) empty(u plan.Unit) prepared {
	out := p.container(u, u.Job)
	out.noFiles = true
	out.spec.Input = func(*tar.Writer) error { return nil }
	return out
}

// input is what a unit finds in its workspace.
func (p preparer) input(w *tar.Writer, u plan.Unit) error {
	if handsOut(p.exchange, u) && p.exchange.Out != sandbox.OutputFolder {
		out := &tar.Header{Name: p.exchange.Out + "/", Typeflag: tar.TypeDir, Mode: 0o755, ModTime: workspace.Time}
		if err := w.WriteHeader(out); err != nil {
			return fmt.Errorf("put %s into the container: %w", out.Name, err)
		}
	}
	return p.tree.Write(w, u.Extra)
}
