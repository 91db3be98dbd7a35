package execute

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/coverage"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/sandbox"
)

// sources are the texts of all files that units run.
func (b *batch) sources() coverage.Sources {
	out := coverage.Sources{}
	for _, u := range b.units {
		for _, t := range u.targets {
			if b.tree.Has(t) && b.tree.Bytes(t) <= workspace.MaxSource {
				out[t] = b.tree.Text(t)
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
		if name, ok := strings.CutPrefix(f.Path, coverFolder+"/"); ok && len(files) < maxCoverFiles && !b.tree.Has(f.Path) {
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
			maps.Copy(erased, e)
		}
	}
	for _, name := range sorted(files) {
		if !strings.HasPrefix(name, "coverage-") {
			continue
		}
		p, reasons, err := coverage.V8(files[name], src, sandbox.Workspace, erased)
		failed = cmp.Or(failed, err)
		l.profile.Merge(p)
		maps.Copy(l.reasons, reasons)
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
