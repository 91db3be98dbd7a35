package job

import (
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// Job is one program and all that is set for it.
type Job struct {
	// Image is the language whose image the program needs; that of JavaScript is for
	// TypeScript too.
	Image   gate.Language
	Program Program
	Args    []string // behind the program's own
	Env     []string // behind the program's own variables
	// Unlimited leaves out the limits of its own process, which the program can ask for.
	Unlimited bool
	// Patient says that its tests are given no budget of time.
	Patient bool
	// NearestOnly says that of its tests only the nearest to the change run.
	NearestOnly bool
}

// Program is what a job starts: [Python], [Node], [GoProgram], [GoTests], [Script], [Bats],
// [Make],
// [Module], [Lines] or [Command].
type Program interface {
	// line writes the program down, with arguments and variables behind its own.
	line(args, env []string) Line
	// shown is what people would type to start it.
	shown(args []string) []string
}

// Line is a job as a container takes it.
type Line struct {
	Argv []string
	// Started is the program itself: the end of Argv, inside of what counts its lines.
	Started []string
	Env     []string
	// Cache is gate as the build cache that the go command asks; nil for none.
	Cache []string
}

// Line writes the job down.
func (j Job) Line() Line {
	if j.Program == nil {
		return Line{}
	}
	return j.Program.line(j.Args, j.Env)
}

// maxShownArgument bounds one argument in a report, in bytes.
const maxShownArgument = 4 << 10

// Shown is what a report shows of a job: what people would type, without the code
// that we start programs with.
func (j Job) Shown() []string {
	if j.Program == nil {
		return nil
	}
	out := slices.Clone(j.Program.shown(j.Args))
	for i, a := range out {
		out[i] = gate.Clip(strings.ToValidUTF8(a, "\uFFFD"), maxShownArgument)
	}
	return out
}

// With returns the job with more arguments.
func (j Job) With(args ...string) Job {
	j.Args = slices.Concat(j.Args, args)
	return j
}

// In returns the job with more variables in its environment.
func (j Job) In(env ...string) Job {
	j.Env = slices.Concat(j.Env, env)
	return j
}

// NotApplicable says that a program cannot honour a setting, and why.
type NotApplicable struct{ Why string }

func (n *NotApplicable) Error() string { return n.Why }

// Ours reports whether code that was handed to an interpreter as text is ours: code
// that programs are started with, or a part of the job's own line. memory is that of
// its container.
func (j Job) Ours(code string, memory int64) bool {
	ours := append([]string{importFile, exerciseFile, aroundShell, aroundGo, aroundNode, aroundMake, batsTrace, batsFirst, goRun, goRunCounted, goRunCountedOf, goNearest, goNearestOnly, goTwice, goWasi(memory)}, j.With("--help").Line().Argv...)
	return slices.ContainsFunc(ours, func(o string) bool { return strings.TrimSpace(o) == code }) || strings.HasPrefix(code, pythonCover)
}
