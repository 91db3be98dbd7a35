package execute

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/coverage"
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
	case u.image == gate.LanguagePython:
		m.python(u, spec)
	case u.image == gate.LanguageJavaScript:
		spec.Env = append(slices.Clone(spec.Env), "NODE_V8_COVERAGE="+path.Join(sandbox.Workspace, coverFolder))
	case u.image == gate.LanguageGo:
		m.golang(u, spec)
		m.goes = b.goNames(u)
	default:
		m.shell(u, spec, b.tree.text(u.targets[0]))
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

// goCoverArgument is what tests are told.
const goCoverArgument = "-test.gocoverdir=/dev/shm/" + coverFolder

func (m *measurement) golang(u unit, spec *sandbox.Spec) {
	argv := slices.Clone(spec.Argv)
	switch {
	case len(argv) > 3 && argv[2] == goRun():
		argv[2] = strings.Replace(goRun(), "go build ", "go build -cover ", 1)
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

// behindShell gives Bash a place for its trace, of which every line is kept once.
// The last line ends it: what the script leaves running may hold the place open.
const behindShell = `d=/dev/shm/.gate-coverage
command -v awk >/dev/null && mkdir -p $d 2>/dev/null || exec "$@"
exec 186>&2 2>/dev/null
exec 187> >(exec awk '/^\++@gate@/ { split($0, p, "@"); k = p[3] "@" p[4]; if (!(k in s) && n < 20000) { s[k]; n++; print k } } /^@gate-end@$/ { exit }' >$d/shell-lines)
p=$!
BASH_XTRACEFD=187 PS4='+@gate@${BASH_SOURCE[0]-}@$LINENO@ ' "$@" 2>&186 186>&-
code=$?
echo @gate-end@ >&187
wait $p
cp -R $d /workspace/
exit $code`

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
		dir, known := b.tree.above(parent(t), "go.mod")
		module := syntheticModule
		if known {
			module = goModuleName(b.tree.text(path.Join(dir, "go.mod")))
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

// sources are the texts of all files that units run.
func (b *batch) sources() coverage.Sources {
	out := coverage.Sources{}
	for _, u := range b.units {
		for _, t := range u.targets {
			if b.tree.has(t) && b.tree.bytes(t) <= maxSource {
				out[t] = b.tree.text(t)
			}
		}
	}
	return out
}

// lines is what a run says of its lines.
type lines struct {
	profile coverage.Profile
	reasons map[string]string // by path, "" for all: why not more is known
}

// counted reads what a run brought back.
func (b *batch) counted(m measurement, u unit, res sandbox.Result) lines {
	out := lines{profile: coverage.Profile{}, reasons: map[string]string{}}
	if m.reason != "" {
		out.reasons[""] = m.reason
		return out
	}
	files := map[string][]byte{} // without those that came with the change
	for _, f := range res.Files {
		if name, ok := strings.CutPrefix(f.Path, coverFolder+"/"); ok && len(files) < maxCoverFiles && !b.tree.has(f.Path) {
			files[name] = f.Data
		}
	}
	if len(files) == 0 {
		out.reasons[""] = "the run left no word about its lines"
		if res.Status != sandbox.Exited {
			out.reasons[""] = "the run was ended before it told which of its lines ran"
		}
		return out
	}
	var err error
	switch u.image {
	case gate.LanguagePython:
		err = out.python(files, b.source)
	case gate.LanguageJavaScript:
		err = out.node(files, b.source)
	case gate.LanguageGo:
		out.profile, err = coverage.Go(files, b.source, func(name string) string { return m.goes[name] })
	default:
		out.profile, err = coverage.Shell(files["shell-lines"], b.source, m.script, u.targets[0])
	}
	if err != nil {
		out.reasons[""] = err.Error()
	}
	return out
}

func (l *lines) python(files map[string][]byte, src coverage.Sources) error {
	var failed error
	for _, name := range sorted(files) {
		if !strings.HasPrefix(name, "python-") {
			continue
		}
		p, partial, err := coverage.Python(files[name], src)
		failed = cmp.Or(failed, err)
		if partial {
			l.reasons[""] = "it ran more lines than are watched, so some of those that did not may have"
		}
		l.profile.Merge(p)
	}
	return failed
}

func (l *lines) node(files map[string][]byte, src coverage.Sources) error {
	erased := map[string][]int{}
	var failed error
	for _, name := range sorted(files) {
		if strings.HasPrefix(name, "types-") {
			e, err := coverage.Erased(files[name], src)
			failed = cmp.Or(failed, err)
			for path, lines := range e {
				erased[path] = lines
			}
		}
	}
	for _, name := range sorted(files) {
		if !strings.HasPrefix(name, "coverage-") {
			continue
		}
		p, reasons, err := coverage.V8(files[name], src, sandbox.Workspace, erased)
		failed = cmp.Or(failed, err)
		l.profile.Merge(p)
		for path, why := range reasons {
			l.reasons[path] = why
		}
	}
	return failed
}

func sorted(files map[string][]byte) []string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// covers joins what all runs say.
func covers(results []result) coverage.Profile {
	all := coverage.Profile{}
	for _, r := range results {
		for _, run := range r.runs {
			all.Merge(run.lines.profile)
		}
	}
	return all
}

// cover puts what ran of a target into its execution. runs are those that it took
// part in; one that did not tell is a reason beside what the others told.
func cover(e *gate.Execution, t *gate.Target, text string, all coverage.Profile, runs []run) {
	for _, r := range runs {
		e.CoverageReason = cmp.Or(e.CoverageReason, r.lines.reasons[t.Path], r.lines.reasons[""])
	}
	known, ok := all[t.Path]
	if !ok {
		if len(runs) > 0 {
			e.CoverageReason = cmp.Or(e.CoverageReason, "no run loaded the file")
		}
		return
	}
	c := coverage.CountIn(t.Lines, text, known)
	e.Coverage = map[string]int{"changed": c.Changed, "executable": c.Executable, "executed": c.Executed}
	e.Uncovered = c.Uncovered[:min(len(c.Uncovered), maxUncovered)]
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
	return slices.Equal(args, []string{"mkdir", "-p", folder}) || slices.Equal(args, []string{"cp", "-R", folder, sandbox.Workspace + "/"}) ||
		len(args) == 2 && args[0] == "awk" && strings.Contains(behindShell, "'"+args[1]+"'")
}
