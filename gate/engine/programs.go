package engine

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/exchange"
	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/gate/rate"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/images"
)

// Ended is what became of a [Program], and what it did, where that was asked for.
type Ended struct {
	sandbox.Result
	Did execute.Deeds
}

// How a program can have ended so that its files are known.
const (
	EndedExited  = sandbox.Exited
	EndedTimeout = sandbox.Timeout
	EndedWaiting = sandbox.Waiting
	EndedServing = sandbox.Serving
)

// Watch asks what a program does: it finds planted secrets and a simulated internet, as every
// program of a scan does. Otherwise it has no network, and nothing is said about it.
type Watch struct {
	Name string          // the path of its text below the workspace, whether the file is there or not
	Text []byte          // of the program
	Own  []exchange.File // all files that it finds in the workspace
}

// Program is one program with its files. It is confined like every program of a scan.
type Program struct {
	Language gate.Language // whose image it runs in: python, javascript, go or shell
	Argv     []string
	Stdin    []byte
	Files    func(*tar.Writer) error
	Timeout  time.Duration // 0 is the policy's, which is also the most
	// Given writes what the program finds in [InputFolder] and can only read, of so many
	// bytes; nil is nothing. A container that waits fits programs that are given as much.
	Given      func(*tar.Writer) error
	GivenBytes int64
	// Results asks for the files that the program leaves in [OutputFolder]. They come back
	// under their absolute paths, after all others.
	Results bool
	Watch   *Watch // nil asks nothing
}

// The folders of a container beside its workspace.
const (
	InputFolder  = sandbox.InputFolder
	OutputFolder = sandbox.OutputFolder
)

// Programs runs programs beside any scan: for those who have checked them by themselves.
// A container serves one program. When a language has been used, [ahead] containers for it
// are started ahead; nothing of anybody is in them, and after [idleFor] without a program all
// of them end.
// It is safe for concurrent use.
type Programs struct {
	engine  *Engine
	policy  gate.Policy
	watcher *execute.Watcher

	mu     sync.Mutex
	docker *sandbox.Docker
	using  int
	warm   map[gate.Language]bool // containers for it are started ahead
	rest   *time.Timer
	closed bool
}

const (
	// idleFor is after how long without a program no container waits any more.
	idleFor = 10 * time.Minute
	// ahead is how many containers wait for a language that is in use: an agent that runs one
	// program after the other finds one, although starting one takes longer than a program.
	ahead = 2
	// roomBeside is what a program may write beside its files, in bytes.
	roomBeside = 64 << 20
	// keptText is what is kept of each stream of a program, in bytes.
	keptText = 256 << 10
	// inodes is how many files and folders a program may have at a time.
	inodes = 16 << 10
)

// MostFiles is what the files of a program may have together, in bytes, before it runs and
// after.
const MostFiles = 64 << 20

// NewPrograms returns what runs programs under a policy. The container engine is asked when
// there is something to run. The caller closes it.
func NewPrograms(e *Engine, p gate.Policy) *Programs {
	return &Programs{engine: e, policy: p, watcher: execute.NewWatcher(p.Sandbox)}
}

// Run runs a program. An error says why it did not come about; see [sandbox.Docker.Run].
func (p *Programs) Run(ctx context.Context, prog Program) (Ended, error) {
	docker, done, err := p.take(ctx)
	if err != nil {
		return Ended{Result: sandbox.Result{Status: sandbox.Failed, ExitCode: -1}}, err
	}
	defer done()
	spec := p.spec(prog)
	hourly := limited{docker, rate.New(p.engine.StateDir("rate"), p.engine.runsFor(), p.policy.Rate.RunsPerHour)}
	res, did, err := p.through(ctx, hourly, prog, spec)
	if missing, ok := errors.AsType[*sandbox.MissingError](err); ok && missing.What == "image" {
		missing.Hint = cmp.Or(imageHint(missing.Name), missing.Hint)
	}
	if err == nil {
		p.expect(docker, prog.Language, spec)
	}
	return Ended{Result: res, Did: did}, err
}

// through runs a program, and watches it where that is asked for.
func (p *Programs) through(ctx context.Context, runner execute.Runner, prog Program, spec sandbox.Spec) (sandbox.Result, execute.Deeds, error) {
	if prog.Watch == nil {
		res, err := runner.Run(ctx, spec)
		return res, execute.Deeds{}, err
	}
	w := execute.Watched{Name: prog.Watch.Name, Language: prog.Language, Spec: spec}
	for _, f := range prog.Watch.Own {
		if f.Path != prog.Watch.Name {
			w.Files = append(w.Files, workspace.File{Path: f.Path, Data: f.Data})
		}
	}
	w.Files = append(w.Files, workspace.File{Path: prog.Watch.Name, Data: prog.Watch.Text})
	return p.watcher.Run(ctx, runner, w)
}

// expect has as many containers wait for a language as before a program of it has run.
func (p *Programs) expect(docker *sandbox.Docker, l gate.Language, spec sandbox.Spec) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.warm[l] {
		docker.Expect(spec, 1)
		return
	}
	p.warm[l] = true
	docker.Expect(spec, ahead)
}

// RunID is what the containers of now are labelled with, "" where there can be none.
func (p *Programs) RunID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.docker == nil {
		return ""
	}
	return p.docker.RunID()
}

// take returns the container engine; done lets go of it.
func (p *Programs) take(ctx context.Context) (_ *sandbox.Docker, done func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, errors.New("gate is ending")
	}
	if p.docker == nil {
		e := p.engine
		docker, err := sandbox.Open(ctx, sandbox.Options{Supervisor: e.Supervisor(), Log: e.warn, Pool: ahead})
		if err != nil {
			return nil, nil, errors.Join(err, errors.New(EngineHint))
		}
		if _, err := docker.Sweep(ctx); err != nil {
			e.warn.Warn("what an earlier run left behind could not be removed", "error", err)
		}
		p.docker, p.warm = docker, map[gate.Language]bool{}
	}
	if p.rest != nil {
		p.rest.Stop()
	}
	p.using++
	return p.docker, p.done, nil
}

func (p *Programs) done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.using--; {
	case p.using > 0:
	case p.closed:
		_ = p.release()
	default:
		p.rest = time.AfterFunc(idleFor, p.idle)
	}
}

// idle removes the containers that wait where no program has come meanwhile.
func (p *Programs) idle() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.using == 0 {
		_ = p.release()
	}
}

// Close removes the containers that wait, as soon as the last program has ended.
func (p *Programs) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.rest != nil {
		p.rest.Stop()
	}
	if p.using > 0 {
		return nil
	}
	return p.release()
}

func (p *Programs) release() error {
	docker := p.docker
	if docker == nil {
		return nil
	}
	p.docker = nil
	return docker.Close()
}

// spec is a program as the sandbox takes it. Programs of one language have equal limits, so
// that a container that waits fits the next one.
func (p *Programs) spec(prog Program) sandbox.Spec {
	policy := p.policy.Sandbox
	image := map[gate.Language]string{
		gate.LanguagePython: "python", gate.LanguageJavaScript: "node", gate.LanguageGo: "go",
	}[prog.Language]
	spec := sandbox.Spec{
		Image:   cmp.Or(policy.Images[prog.Language], images.Ref(cmp.Or(image, "shell"))),
		Runtime: policy.Runtime,
		Argv:    prog.Argv,
		Env:     []string{"PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1"},
		Stdin:   prog.Stdin,
		Input:   prog.Files,
		Output:  []string{"."},
		Limits: sandbox.Limits{
			Memory: policy.MemoryFor(prog.Language), CPUs: cmp.Or(policy.CPUs, 1), Pids: policy.Pids, Timeout: policy.Timeout,
			Workspace: MostFiles + roomBeside, Inodes: inodes, Stdout: keptText, Output: MostFiles,
		},
	}
	if prog.Results {
		spec.Output = append(spec.Output, OutputFolder)
	}
	if prog.Given != nil {
		spec.Given = prog.Given
		spec.Limits.Workspace += prog.GivenBytes + sandbox.MaxFiles*512
	}
	if prog.Timeout > 0 && prog.Timeout < policy.Timeout {
		spec.Limits.Timeout = prog.Timeout
	}
	const toolPids = 256 // Go runs several compilers side by side, Node a dozen threads
	switch prog.Language {
	case gate.LanguageGo:
		spec.Exceptions = sandbox.Exceptions{ExecutableTmp: true, NoAddressSpace: true}
		spec.Limits.Pids = max(spec.Limits.Pids, toolPids)
		spec.Limits.Workspace += 2 * roomBeside // for what it builds
		spec.Limits.CPUs = cmp.Or(policy.CPUs, 4)
		spec.Env = append(spec.Env, job.GoEnv()...)
	case gate.LanguageJavaScript:
		spec.Exceptions = sandbox.Exceptions{NoAddressSpace: true}
		spec.Limits.Pids = max(spec.Limits.Pids, toolPids)
	}
	return spec
}
