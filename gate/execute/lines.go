package execute

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/coverage"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

const (
	// maxCoverFiles bounds how many processes of one run are read.
	maxCoverFiles = 256
	// maxUncovered bounds the ranges in the result document.
	maxUncovered = 100
)

// lines reads what a run brought back about its lines.
func (o observer) lines(p prepared, res sandbox.Result) lines {
	out := lines{profile: coverage.Profile{}, shapes: coverage.Shapes{}, reasons: map[string]string{}, counted: p.uncounted == ""}
	if p.uncounted != "" {
		out.reasons[""] = p.uncounted
		return out
	}
	if m, ok := p.job.Program.(job.Make); ok {
		out.told = true
		out.profile, out.shapes = coverage.Makefile(res.Stdout.Data, o.sources, m.File, p.unit.Targets[0])
		out.stopped = coverage.MakeStopped(res.Stdout.Data, o.sources, p.unit.Targets[0])
		return out
	}
	files := map[string][]byte{} // without those that came with the change
	for _, f := range res.Files {
		if name, ok := strings.CutPrefix(f.Path, job.CoverFolder+"/"); ok && len(files) < maxCoverFiles && !o.tree.Has(f.Path) {
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
	out.told = slices.ContainsFunc(sorted(files), func(name string) bool {
		return !strings.HasPrefix(name, coverage.StoppedPrefix) && !strings.HasPrefix(name, job.TestsPrefix)
	})
	if !out.told {
		out.reasons[""] = "the run left no word about its lines"
	}
	out.end(files)
	var err error
	switch p.job.Image {
	case gate.LanguagePython:
		err = out.python(files, o.sources)
	case gate.LanguageJavaScript:
		err = out.node(files, o.sources, p.unit.Dir)
		if files[coverage.BunReport] != nil {
			out.bunTests(p.unit, res.Stderr.Data)
		}
	case gate.LanguageGo:
		names := goNames(o.tree, o.sources, p.unit)
		out.profile, err = coverage.Go(files, o.sources, func(name string) string { return names[name] })
	default:
		if _, bats := p.job.Program.(job.Bats); bats {
			out.profile, out.shapes, err = coverage.ShellTests(files["shell-lines"], o.sources, sandbox.Workspace)
			break
		}
		script, _ := p.job.Program.(job.Script) // nothing else of a shell is counted
		out.profile, out.shapes, err = coverage.Shell(files["shell-lines"], o.sources, script.File, p.unit.Targets[0])
		out.stopped = shellEnd(o.tree, p.unit, files["shell-lines"], res.ExitCode)
	}
	if err != nil {
		out.reasons[""] = err.Error()
	}
	return out
}

// end reads why the program ended, by the process that was started first. What cannot
// be read says nothing.
func (l *lines) end(files map[string][]byte) {
	first := 0
	for name, data := range files {
		number, ok := strings.CutPrefix(strings.TrimSuffix(name, ".json"), coverage.StoppedPrefix)
		pid, err := strconv.Atoi(number)
		if !ok || err != nil || first > 0 && pid > first {
			continue
		}
		if s, err := coverage.ReadStopped(data); err == nil {
			first, l.stopped = pid, s
		}
	}
}

// shellExit is a command that ends a shell.
var shellExit = regexp.MustCompile(`\b(?:exit|exec|return|logout|kill)\b`)

// shellEnd is where a script of Bash ended.
func shellEnd(tree *workspace.Tree, u plan.Unit, trace []byte, code int) *coverage.Stopped {
	name, line, doubt := coverage.ShellDoubt(trace)
	if file := path.Join(u.Dir, name); doubt && tree.Has(file) {
		return &coverage.Stopped{How: "extdebug", Frames: []coverage.Frame{{File: file, Line: line, Top: true}}}
	}
	name, line, ok := coverage.ShellEnd(trace)
	file := path.Join(u.Dir, name)
	if !ok || !tree.Has(file) {
		return nil
	}
	text := lineOf(tree.Text(file), line)
	s := &coverage.Stopped{How: "error", Code: code, Frames: []coverage.Frame{{File: file, Line: line, Top: strings.TrimLeft(text, " \t") == text}}}
	if shellExit.MatchString(text) {
		s.How = "exit"
	}
	return s
}

// lineOf is one line of a text.
func lineOf(text string, n int) string {
	i := 0
	for l := range strings.Lines(text) {
		if i++; i == n {
			return l
		}
	}
	return ""
}

func (l *lines) python(files map[string][]byte, src coverage.Sources) error {
	told, err := coverage.PythonProcesses(files, src)
	l.merge(told)
	return err
}

// node reads what processes of Node and Bun left; dir is where they were started.
func (l *lines) node(files map[string][]byte, src coverage.Sources, dir string) error {
	told, err := coverage.NodeProcesses(files, src, sandbox.Workspace, dir)
	l.merge(told)
	return err
}

func (l *lines) merge(t coverage.Told) {
	l.profile.Merge(t.Profile)
	l.shapes.Merge(t.Shapes)
	maps.Copy(l.reasons, t.Reasons)
}

// bunTests are the files of tests that Bun names as it runs them. Its report leaves them out.
func (l *lines) bunTests(u plan.Unit, stderr []byte) {
	for _, t := range u.Targets {
		heading := "\n" + plan.Relative(u.Dir, t) + ":\n"
		if l.profile[t] == nil && bytes.Contains(stderr, []byte(heading)) {
			l.shapes[t] = coverage.Shape{Loaded: true}
			l.reasons[t] = "Bun does not tell which lines of its files of tests ran"
		}
	}
}

func sorted(files map[string][]byte) []string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// covers joins what all runs say. A line on which a function is only made did not run.
func covers(results []result) coverage.Profile { return coversOf(results, true) }

// coversOf does that with or without runs under other conditions.
func coversOf(results []result, conditions bool) coverage.Profile {
	all, shapes := coverage.Profile{}, coverage.Shapes{}
	for _, r := range results {
		for _, run := range r.runs {
			if run.met || run.condition != "" && !conditions {
				continue // of itself, no line of it would have run
			}
			all.Merge(run.lines.profile)
			shapes.Merge(run.lines.shapes)
		}
	}
	all.Idle(shapes)
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

// unran says which lines of a change with code did not run, "" for none.
func unran(e *gate.Execution) string {
	n := e.Coverage["executable"] - e.Coverage["executed"]
	if n <= 0 {
		return ""
	}
	var at []string
	for _, r := range e.Uncovered[:min(len(e.Uncovered), 5)] {
		place := strconv.Itoa(r[0])
		if r[1] > r[0] {
			place += "-" + strconv.Itoa(r[1])
		}
		at = append(at, place)
	}
	if len(at) < len(e.Uncovered) {
		at = append(at, "…")
	}
	return fmt.Sprintf("%d of the %d changed lines with code did not run (%s): what they do was not seen", n, e.Coverage["executable"], strings.Join(at, ", "))
}

// goNames are the paths of files by what Go calls them: of those of all units, as a program
// consists of several packages, and those that are named on its command line.
func goNames(tree *workspace.Tree, src coverage.Sources, u plan.Unit) map[string]string {
	out := map[string]string{}
	own, _ := tree.Above(workspace.Parent(u.Targets[0]), "go.mod")
	for t := range src {
		dir, known := tree.Above(workspace.Parent(t), "go.mod")
		module := plan.SyntheticModule
		if known {
			module = goModuleName(tree.Text(path.Join(dir, "go.mod")))
		}
		if !slices.Contains(u.Targets, t) && (dir != own || !strings.HasSuffix(t, ".go")) {
			continue // two modules may have one name
		}
		out[path.Join(module, plan.Relative(dir, t))] = t
		out[path.Join(sandbox.Workspace, t)] = t
	}
	for _, t := range u.Targets {
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
