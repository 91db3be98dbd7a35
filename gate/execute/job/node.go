package job

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aigate/gate/sandbox"
)

// nodeHooks lets Node run what bundlers accept: TypeScript with enums, JSX,
// imports without an extension. It keeps the code that is made from text. plain only
// keeps that; shared lets our module that calls functions say what it has made; others are the texts of our other modules.
func nodeHooks(plain, shared bool, others []string) string {
	sums := []string{}
	for _, text := range others {
		sums = append(sums, fmt.Sprintf("%x", sha256.Sum256([]byte(text))))
	}
	own, _ := json.Marshal(sums) // strings: cannot fail
	resolve := strings.Replace(strings.Replace(nodeResolve, "PLAIN", strconv.FormatBool(plain), 1), "SHARED", strconv.FormatBool(shared), 1)
	return resolve + strings.Replace(nodeUnpack, "OURS", string(own), 1)
}

//go:embed bootstrap/node.mjs
var nodeResolve string

//go:embed bootstrap/unpack.mjs
var nodeUnpack string

//go:embed bootstrap/clock.mjs
var nodeClock string

//go:embed bootstrap/told.mjs
var nodeTold string

//go:embed bootstrap/budget.mjs
var nodeBudget string

//go:embed bootstrap/standin.mjs
var nodeStandIn string

// importFile imports what the URL in its argument names, ES module or CommonJS.
const importFile = `await import(process.argv[1])`

//go:embed bootstrap/exercise.mjs
var exerciseFile string

// Node is a program of Node, or a command that starts some. What is set for it is in
// its environment, and so for every Node process that it starts.
type Node struct {
	Command  []string // nil where a module is imported
	Import   string   // the URL of that module
	Exercise bool     // call functions of the module: those of Calls, and those that want no arguments
	Calls    Calls
	// Plain is a Node as it is, without the hooks that let it run what bundlers accept.
	Plain    bool
	Env      []string            // of its own
	Clock    int64               // what time it is at the start, in seconds since 1970; 0 is now
	StandIns map[string][]string // modules that are made up, with the names that are imported from them
	Cover    bool                // V8 tells which lines ran
	Measured []string            // the files of the change whose lines matter, nil for all
	Budget   time.Duration       // for tests; 0 is no end
}

func (n Node) line(args, env []string) Line {
	argv := slices.Concat(n.Command, args)
	if n.Command == nil {
		code := importFile
		if n.Exercise {
			code = exerciseFile
		}
		argv = []string{"node", "--input-type=module", "-e", code, n.Import}
		if n.Exercise {
			told, _ := json.Marshal(map[string]any{"touched": n.Calls.Touched, "force": n.Calls.Force}) // strings and numbers: cannot fail
			argv = append(argv, string(told))
		}
		argv = append(argv, args...)
	}
	var own []string
	if options := n.options(); len(options) > 0 {
		own = []string{nodeOptions + "=" + strings.Join(options, " ")}
	}
	own = slices.Concat(own, n.Env, env)
	if n.Cover {
		own = append(own, "NODE_V8_COVERAGE="+path.Join(sandbox.Workspace, CoverFolder))
		if len(n.Measured) > 0 && len(n.Measured) <= maxMeasured {
			own = append(own, "NODE_V8_COVERAGE_FILES="+strings.Join(n.Measured, "\n"))
		}
	}
	started := argv
	if n.ends() {
		argv = slices.Concat([]string{"sh", "-c", aroundNode, "sh", nodeEnd, nodeGrace, strconv.Itoa(stretched*int(n.Budget.Seconds()) + nodeLater)}, started)
	}
	return Line{Argv: argv, Started: started, Env: own}
}

// ends reports whether a run ends itself when its time is over.
func (n Node) ends() bool { return n.Budget > 0 && n.Cover }

// aroundNode says when tests began, for all their processes: the process of Node's own runner loads
// nothing of ours. A process that computes does not look at its clock, so the supervisor ends it from
// outside a little later, and what others have told is kept.
const aroundNode = `export GATE_TESTS_BEGIN=$(date +%s%3N)
command -v "$1" >/dev/null || shift 3
exec "$@"`

const (
	nodeEnd   = "timeout"
	nodeGrace = "-k2" // in seconds, after which it is ended for good
	nodeLater = 2     // in seconds
)

// nodeBegan are the arguments of the command that says when tests began.
func nodeBegan() []string { return []string{"date", "+%s%3N"} }

// aroundNodeTests reports whether a command is what we start tests of Node with.
func aroundNodeTests(args []string) bool {
	return slices.Equal(args, nodeBegan()) || len(args) > 3 && args[0] == nodeEnd && args[1] == nodeGrace && strings.Trim(args[2], "0123456789") == ""
}

// options are those that Node takes from its environment.
func (n Node) options() []string {
	var others []string
	named := func(name, code string) string {
		// Stack traces name it, and would otherwise repeat the whole address in each line.
		return code + "\n//# sourceURL=gate:" + name + "\n"
	}
	if n.Cover && !n.Plain {
		others = append(others, named("told", nodeTold))
	}
	if n.Clock != 0 {
		others = append(others, named("clock", strings.ReplaceAll(nodeClock, "LATER", strconv.FormatInt(n.Clock*1000, 10))))
	}
	if n.ends() {
		others = append(others, named("budget", strings.ReplaceAll(nodeBudget, "BUDGET", strconv.FormatInt(n.Budget.Milliseconds(), 10))))
	}
	if n.StandIns != nil {
		names, _ := json.Marshal(n.StandIns) // strings: cannot fail
		others = append(others, named("standin", strings.Replace(nodeStandIn, "= NAMES;", "= "+string(names)+";", 1)))
	}
	var out []string
	if !n.Plain {
		out = append(out, "--disable-warning=ExperimentalWarning")
	}
	for _, code := range append([]string{named("hooks", nodeHooks(n.Plain, n.Exercise, others))}, others...) {
		out = append(out, "--import=data:text/javascript;base64,"+base64.StdEncoding.EncodeToString([]byte(code)))
	}
	return out
}

// nodeOptions is the variable from which Node takes options.
const nodeOptions = "NODE_OPTIONS"

// maxMeasured bounds the files that a program is told to tell of: they are in its
// environment, of which Linux takes 128 KiB in one text.
const maxMeasured = 200

func (n Node) shown(args []string) []string {
	if n.Command != nil {
		return slices.Concat(n.Command, args)
	}
	shown := "import('" + n.Import + "')"
	if n.Exercise {
		shown += " and call its functions"
	}
	return []string{"node", "-e", shown}
}

// BunCoverage are the arguments after which `bun test` leaves its report in [CoverFolder]: nothing that
// is set for Node in its environment matters to Bun.
func BunCoverage() []string {
	return []string{"--coverage", "--coverage-reporter=lcov", "--coverage-dir=" + path.Join(sandbox.Workspace, CoverFolder)}
}
