package execute

import (
	"path"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/coverage"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/ran"
	"github.com/aigate/gate/gate/execute/workspace"
)

// plainly reports whether a run was in the world that the change is for: without
// conditions, without anything made up, and as it was planned.
func (r run) plainly() bool { return r.condition == "" && r.kind == "" && len(r.standIns) == 0 }

// told joins what the plain runs of all units say of lines and of how files are made.
func plainLines(results []result) (coverage.Profile, coverage.Shapes) {
	all, shapes := coverage.Profile{}, coverage.Shapes{}
	for _, one := range results {
		for _, r := range one.runs {
			if r.plainly() {
				all.Merge(r.lines.profile)
				shapes.Merge(r.lines.shapes)
			}
		}
	}
	return all, shapes
}

// evidence is what the runs of the units of a file left about it.
func evidence(tree *workspace.Tree, file string, changed gate.LineSet, units []plan.Unit, results []result, lines coverage.Profile, shapes coverage.Shapes) ran.Evidence {
	e := ran.Evidence{Path: file, Changed: changed, Shape: shapes[file], Source: tree.Text}
	if l, ok := lines[file]; ok {
		e.Lines = l
	}
	manifest := path.Base(file) == "package.json" // which is run by its scripts, whatever starts them
	for i, u := range units {
		if !slices.Contains(u.Targets, file) {
			continue
		}
		for _, r := range furthest(results[i].runs) {
			if !r.plainly() {
				continue
			}
			_, recipes := u.Job.Program.(job.Make)
			hook := (u.Kind == plan.Hook || u.Kind == plan.Policy || manifest) && !recipes
			e.Runs = append(e.Runs, ran.Run{
				Tests: u.Kind == plan.Tests && !manifest, Code: r.res.ExitCode,
				Counted: r.lines.counted && (!hook || direct(u)) && !wrapped(file), Told: r.lines.told, Direct: direct(u),
				Compiled: u.Job.Image == gate.LanguageGo, Stopped: r.lines.stopped, Failure: r.failure,
			})
		}
	}
	return e
}

// wrapped reports whether a file is run by a program of ours that does what the file says: no
// interpreter counts lines of it.
func wrapped(file string) bool {
	return path.Base(file) == "pyproject.toml" || path.Ext(file) == ".ipynb"
}

// furthest are the runs that tell how far a unit came: where it got what it asked for, the
// last one that did.
func furthest(runs []run) []run {
	for i, r := range slices.Backward(runs) {
		if r.supplied != "" && r.plainly() {
			return runs[i : i+1]
		}
	}
	return runs
}

// direct reports whether the interpreter that tells of lines is started for the files
// of a unit themselves, and not by a command of theirs.
func direct(u plan.Unit) bool {
	n, ok := u.Job.Program.(job.Node)
	return !ok || len(n.Command) == 0 || n.Command[0] == "node"
}
