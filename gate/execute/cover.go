package execute

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// Which lines ran is what the interpreters themselves say, written to a folder that
// is brought back. The program could write there as well: nothing of it improves a
// verdict.

const (
	// coverFolder is what is brought back, in the workspace. It appears when a
	// program has ended, so that no program finds it among its files.
	coverFolder = behaviour.CoverageFolder
	// coverOutput bounds what is brought back, in bytes; a report of Node names
	// all its own functions.
	coverOutput = 32 << 20
	// maxCoverFiles bounds how many processes of one run are read.
	maxCoverFiles = 64
	// maxUncovered bounds the ranges in the result document.
	maxUncovered = 100
)

// measurement is how the lines of one run are counted.
type measurement struct {
	reason  string   // why they are not
	started []string // what starts in the end, inside of what counts
	script  string   // of a shell: what it was started as
	goes    map[string]string
}

// measure changes a program so that it tells which of its lines ran.
func (b *batch) measure(u unit, spec *sandbox.Spec) measurement {
	m := measurement{started: spec.Argv}
	switch {
	case interpreted(spec.Argv):
		m.reason = "nothing tells which of its instructions ran"
	case u.image == gate.LanguagePython:
		m.python(u, spec)
	case u.image == gate.LanguageJavaScript:
		spec.Env = append(slices.Clone(spec.Env), "NODE_V8_COVERAGE="+path.Join(sandbox.Workspace, coverFolder))
	case u.image == gate.LanguageGo:
		m.golang(u, spec)
		m.goes = b.goNames(u)
	default:
		m.shell(u, spec, b.tree.Text(u.targets[0]))
	}
	if m.reason == "" {
		spec.Output = append(slices.Clone(spec.Output), coverFolder)
		spec.Limits.Output = max(spec.Limits.Output, coverOutput)
	}
	return m
}

func (m *measurement) python(u unit, spec *sandbox.Spec) {
	code := slices.Index(spec.Argv, pythonBootstrap)
	var job pythonJob
	if code < 0 || code+1 >= len(spec.Argv) || json.Unmarshal([]byte(spec.Argv[code+1]), &job) != nil {
		m.reason = "only programs that are started directly are watched in Python"
		return
	}
	job.Cover = append([]string{}, u.targets...)
	data, _ := json.Marshal(job) // strings and numbers: cannot fail
	spec.Argv = slices.Clone(spec.Argv)
	spec.Argv[code+1] = string(data)
	m.started = spec.Argv
}

// behindGo brings out what a Go program leaves. Its own folder is one that nobody
// lists, because it is there from the start.
const behindGo = `d=/dev/shm/.gate-coverage
mkdir -p $d 2>/dev/null || exec "$@"
exec 8>&2 2>/dev/null
"$@" 2>&8 8>&-
code=$?
cp -R $d /workspace/
exit $code`

func goRunCovered() string { return strings.Replace(goRun(), "go build ", "go build -cover ", 1) }

// goCoverArgument is what tests are told.
const goCoverArgument = "-test.gocoverdir=/dev/shm/" + coverFolder

func (m *measurement) golang(u unit, spec *sandbox.Spec) {
	argv := slices.Clone(spec.Argv)
	switch {
	case len(argv) > 3 && argv[2] == goRun():
		argv[2] = goRunCovered()
		spec.Env = append(slices.Clone(spec.Env), "GOCOVERDIR=/dev/shm/"+coverFolder)
	case len(argv) > 2 && argv[0] == "go" && argv[1] == "test":
		argv = append(slices.Insert(argv, 2, "-cover"), "-args", goCoverArgument)
	default:
		m.reason = "only programs that are started directly are watched in Go"
		return
	}
	m.started = argv
	spec.Argv = append([]string{"sh", "-c", behindGo, "sh"}, argv...)
}

// behindShell gives Bash a place for its trace, of which every line is kept once,
// and what is given to eval. The last line ends it: what the script leaves running
// may hold the place open.
const behindShell = `d=/dev/shm/.gate-coverage c=/tmp/.gate-code
command -v awk >/dev/null && mkdir -p $d $c 2>/dev/null || exec "$@"
exec 186>&2 2>/dev/null
exec 187> >(exec awk -v c=$c/$$ '` + traceReader + `' >$d/shell-lines)
p=$!
BASH_XTRACEFD=187 PS4='+@gate@${BASH_SOURCE[0]-}@$LINENO@ ' "$@" 2>&186 186>&-
code=$?
echo @gate-end@ >&187
wait $p
cp -R $d /workspace/
exit $code`

// traceReader prints the lines of a trace and writes down what follows an eval, up
// to the next line of the trace: the quotes around it are those of the trace.
const traceReader = `function keep() {
  if (t == "" || k > 65536 || n2 >= 16) { t = ""; return }
  if (substr(t, 1, 3) == "-- ") t = substr(t, 4)
  if (substr(t, 1, 1) == "\047" && substr(t, length(t)) == "\047") { t = substr(t, 2, length(t) - 2); gsub(/\047\\\047\047/, "\047", t) }
  f = c "-" ++n2 ".sh"; print t >f; close(f); t = ""
}
/^\++@gate@/ {
  keep(); split($0, p, "@"); k = p[3] "@" p[4]
  if (!(k in s) && n < 20000) { s[k]; n++; print k }
  i = index($0, "@ eval "); k = 0
  if (i > 0 && i == length(p[1] p[2] p[3] p[4]) + 4) { t = substr($0, i + 7); k = length(t) }
  next
}
/^@gate-end@$/ { keep(); exit }
t != "" && k <= 65536 { t = t "\n" $0; k += length($0) + 1 }`

// tracesItself is a script that the trace would disturb.
var tracesItself = regexp.MustCompile(`\bset\s+[-+]\w*x|xtrace|BASH_XTRACEFD|\bPS4\b`)

func (m *measurement) shell(u unit, spec *sandbox.Spec, text string) {
	switch {
	case u.kind != kindScript || len(spec.Argv) < 2:
		m.reason = "nothing tells which of its lines ran"
	case spec.Argv[0] != "bash":
		m.reason = spec.Argv[0] + " does not tell which of its lines ran"
	case tracesItself.MatchString(text):
		m.reason = "the script has a trace of its own"
	default:
		m.script = spec.Argv[1]
		m.started = append([]string{"bash", "-x"}, spec.Argv[1:]...)
		spec.Argv = append([]string{"bash", "-c", behindShell, "bash"}, m.started...)
	}
}

// goNames are the paths of the targets by what Go calls them.
func (b *batch) goNames(u unit) map[string]string {
	out := map[string]string{}
	for _, t := range u.targets {
		dir, known := b.tree.Above(workspace.Parent(t), "go.mod")
		module := syntheticModule
		if known {
			module = goModuleName(b.tree.Text(path.Join(dir, "go.mod")))
		}
		out[path.Join(module, relative(dir, t))] = t
		out[path.Join(sandbox.Workspace, t)] = t
		out["command-line-arguments/"+path.Base(t)] = t
	}
	return out
}

var goModuleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

func goModuleName(mod string) string {
	if m := goModuleLine.FindStringSubmatch(mod); m != nil {
		return m[1]
	}
	return "command-line-arguments"
}

// unmeasured removes from a behaviour what was done to count lines.
func (m measurement) unmeasured(seen sandbox.Behaviour, argv []string) sandbox.Behaviour {
	if m.reason != "" {
		return seen
	}
	var rest []sandbox.Event
	for _, e := range seen.Events {
		ours := e.Action == sandbox.ActionExec && len(e.Canaries) == 0 && (len(argv) != len(m.started) && sameStart(e.Args, argv) || aroundRun(e.Args))
		if !ours {
			if i := slices.Index(e.Args, goCoverArgument); i > 0 && e.Action == sandbox.ActionExec {
				e.Args = slices.Delete(slices.Clone(e.Args), i, i+1)
			}
			rest = append(rest, e)
		}
	}
	seen.Events = rest
	return seen
}

// aroundRun are the commands of our own around a program.
func aroundRun(args []string) bool {
	const folder = "/dev/shm/" + coverFolder
	return slices.Equal(args, []string{"mkdir", "-p", folder}) || slices.Equal(args, []string{"mkdir", "-p", folder, behaviour.CodeFolder}) ||
		slices.Equal(args, []string{"cp", "-R", folder, sandbox.Workspace + "/"}) ||
		len(args) == 4 && args[0] == "awk" && len(args[3]) >= 100 && strings.HasPrefix(traceReader, args[3])
}
