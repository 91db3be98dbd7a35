package job

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/gocache"
	"github.com/aigate/gate/sandbox/wasm"
)

// GoEnv holds what differs from the image's environment. The cache lies in /tmp,
// with what the build needs; what it starts with is compiled into the image.
func GoEnv() []string { return []string{"GOCACHE=/tmp/gocache", "GOTMPDIR=/tmp"} }

// Cached makes the go command find what an image has compiled in a folder.
func (l Line) Cached(folder string) Line {
	l.Cache = gocache.Command(sandbox.Gate, folder)
	l.Env = append(slices.Clip(l.Env), "GOCACHEPROG="+strings.Join(l.Cache, " "))
	return l
}

// BuildFailed is the exit code by which a Go program says that it was never
// started. A program that ends with it itself is only described wrongly.
const BuildFailed = 125

// How a program is built and run: like `go run`, but telling a failed build from a
// failed program. $0 is what to build, so that $@ is what the program gets.
var (
	goRun        = fmt.Sprintf(`go build -o /tmp/program "$0" || exit %d; exec /tmp/program "$@"`, BuildFailed)
	goRunCounted = strings.Replace(goRun, "go build ", "go build -cover ", 1)
	// goRunCountedOf counts the lines of the packages that $1 names.
	goRunCountedOf = fmt.Sprintf(`go build -cover -coverpkg="$1" -o /tmp/program "$0" || exit %d; shift; exec /tmp/program "$@"`, BuildFailed)
)

// goWasi is goRun by way of WebAssembly, compiled where it runs.
func goWasi(memory int64) string {
	run := wasm.Command(sandbox.Gate, wasm.Options{Module: "/tmp/program.wasm", Memory: memory / 2})
	return fmt.Sprintf(`GOOS=wasip1 GOARCH=wasm go build -o /tmp/program.wasm "$0" || exit %d; exec %s "$@"`, BuildFailed, strings.Join(run, " "))
}

// GoProgram is a program that is built and run.
type GoProgram struct {
	What   string // a folder or a file, as the go command takes it
	Cover  bool   // it tells which of its lines ran
	Of     string // the packages whose lines are counted, with commas between; "" for the whole module
	Wasi   bool   // it is built for WebAssembly and interpreted
	Memory int64  // of its container; for the interpreter
}

func (g GoProgram) line(args, env []string) Line {
	env = slices.Concat(GoEnv(), env)
	how := goRun
	switch {
	case g.Wasi:
		how = goWasi(g.Memory)
	case g.Cover:
		how, env = goRunCounted, append(env, "GOCOVERDIR="+goCoverFolder)
	}
	started := []string{"sh", "-c", how, g.What}
	if g.Cover && !g.Wasi && g.Of != "" {
		started = []string{"sh", "-c", goRunCountedOf, g.What, g.Of}
	}
	started = append(started, args...)
	return Line{Argv: countedGo(g.Cover && !g.Wasi, started), Started: started, Env: env}
}

func (g GoProgram) shown(args []string) []string {
	return append([]string{"go", "run", g.What}, args...)
}

// GoTests runs the tests of packages.
type GoTests struct {
	Packages []string
	Verbose  bool
	Cover    bool // they tell which lines ran
	// Of are the packages whose lines are counted, where these are not those that are
	// tested.
	Of []string
	// Nearest are the tests that run before all others, as go test -run has them; "" for
	// no order.
	Nearest string
	Budget  time.Duration // for all of them; 0 is none
	// Others is how long the tests behind Nearest go on, as long as no file of NotIn runs;
	// 0 is as long as Budget.
	Others time.Duration
	NotIn  []string
	// NearestOnly leaves the tests behind Nearest out.
	NearestOnly bool
}

// goMark says that the nearest tests have ended, unless their time was over.
const goMark = `for f in ` + goCoverFolder + `/tests-running-*; do [ -e "$f" ] || : >` + goCoverFolder + `/tests-nearest; done
`

// goNearest runs the tests of packages that $0 matches, and then the others.
const goNearest = `go test -run "$0" "$@"; near=$?
` + goMark + `go test -skip "$0" "$@"; code=$?
[ $near -eq 0 ] && exit $code
exit $near`

// goNearestOnly runs the tests that $0 matches.
const goNearestOnly = `go test -run "$0" "$@"`

// goTwice does as goNearest, with the tests of one package, which are built once. The go
// command takes it as a word in quotes.
const goTwice = `"$@" -test.run "$` + goNear + `"; near=$?
` + goMark + `"$@" -test.skip "$` + goNear + `"; code=$?
[ $near -eq 0 ] && exit $code
exit $near`

// goTwiceWord is what the go command starts the tests with.
const goTwiceWord = "sh -c '" + goTwice + "' sh"

// goNear is the variable that names the nearest tests for goTwice.
const goNear = "GATE_TESTS_NEAREST"

// aroundGoTests reports whether a command is what we start the tests of one package with.
func aroundGoTests(args []string) bool {
	return len(args) > 4 && args[0] == "sh" && args[1] == "-c" && len(args[2]) >= 100 && strings.HasPrefix(goTwice, args[2]) && strings.HasPrefix(args[4], "/tmp/go-build")
}

func (g GoTests) line(args, env []string) Line {
	// The sandbox has a limit of its own, and one of ten minutes would ring in a run that
	// skips its waits.
	started := slices.Insert(g.shown(args), 2, "-timeout=0")
	if g.Cover {
		flags := []string{"-cover"}
		if len(g.Of) > 0 {
			flags = append(flags, "-coverpkg="+strings.Join(g.Of, ","))
		}
		started = append(slices.Insert(started, 2, flags...), "-args", goCoverArgument)
	}
	if g.Nearest != "" && g.Cover {
		switch {
		case g.NearestOnly:
			started = append([]string{"sh", "-c", goNearestOnly, g.Nearest}, started[2:]...)
		case len(g.Packages) == 1 && !strings.Contains(g.Packages[0], "..."):
			started = slices.Insert(started, 2, "-exec", goTwiceWord)
			env = slices.Concat([]string{goNear + "=" + g.Nearest}, env)
		default:
			started = append([]string{"sh", "-c", goNearest, g.Nearest}, started[2:]...)
		}
	}
	if g.Budget > 0 && g.Cover {
		env = slices.Concat([]string{goBudget + "=" + g.Budget.String()}, env)
		if g.Nearest != "" && g.Others > 0 {
			env = slices.Concat([]string{goOthers + "=" + g.Others.String(), goChanging + "=" + strings.Join(g.NotIn, "\n")}, env)
		}
	}
	return Line{Argv: countedGo(g.Cover, started), Started: started, Env: slices.Concat(GoEnv(), env)}
}

func (g GoTests) shown(args []string) []string {
	argv := []string{"go", "test", "-count=1", "-vet=off"}
	if g.Verbose {
		argv = append(argv, "-v")
	}
	return slices.Concat(argv, g.Packages, args)
}

// AsWasm returns a Go program as WebAssembly. Tests, and what is only imported, stay
// as they are.
func (j Job) AsWasm() (Job, error) {
	g, ok := j.Program.(GoProgram)
	if !ok {
		return Job{}, &NotApplicable{"only programs of Go are run as WebAssembly"}
	}
	g.Wasi = true
	j.Program = g
	return j, nil
}
