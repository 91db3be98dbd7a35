package execute

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/ran"
	"github.com/aigate/gate/gate/execute/workspace"
)

// A file that did not run was not looked at by this layer. Where the change itself is
// the reason, that is a finding and a gap: otherwise one line would take any file out of
// sight.

// notRun is a target for which a program was started, and that did not run.
type notRun struct {
	target  *gate.Target
	verdict ran.Verdict
	args    asked
	code    int // its exit code
}

var rulePrevented = Rule{
	ID: "execution/prevented-run", Severity: gate.SeveritySuspicious,
	Title:   "Execution prevented by the change",
	Message: "was kept from running by the change",
	Why:     "Its base version runs, or a file of the change ends the program, switches off the tests or replaces a module before its code begins. What does not run is not seen.",
	Instead: "Let the file load and its tests run without arguments, data or services, and keep what ends a program in its main function.",
}

// prevented adds the findings and the gaps of files that the change keeps from running.
func (s *Stage) prevented(ctx context.Context, c *gate.Change, l life, installed *provided, stopped []notRun, found *gate.Findings) []gate.Gap {
	if len(stopped) == 0 || c.Base == nil {
		return nil // nothing is known to have changed
	}
	base := workspace.Base(c, s.limits())
	q := question{change: c, head: l.prepare.tree, base: base}
	before := s.earlier(ctx, l, installed, base, c.Base, slices.DeleteFunc(slices.Clone(stopped), q.lacks))
	var gaps []gate.Gap
	for _, n := range stopped {
		why, by := q.caused(n, before[n.target.Path])
		if why == "" {
			continue
		}
		f := gate.Finding{
			Rule: rulePrevented.ID, Layer: gate.LayerSandbox, Severity: rulePrevented.Severity,
			Message: "it " + rulePrevented.Message + ": " + n.verdict.Reason, Evidence: why, Origin: "what ran in the sandbox",
		}
		if n.refused() {
			// Programs check what they run on, and what they miss here they miss because of
			// where they run. That they did not go on is said.
			f.Severity = gate.SeverityNote
			found.Add(n.target.Path, f)
			continue
		}
		found.Add(n.target.Path, f)
		if by != n.target.Path && q.target(by) {
			f.Message = "it keeps " + n.target.Path + " from running: " + n.verdict.Reason
			found.Add(by, f)
		}
		if s.o.Required && !s.o.On.MustRun() { // there it is a gap already
			gaps = append(gaps, gate.Gap{Layer: gate.LayerSandbox, Path: n.target.Path, Reason: "it did not run, because of the change: " + n.verdict.Reason})
		}
	}
	return gaps
}

// refused reports whether a program ended itself under a condition, or a
// command of a script failed: it misses something of the world that it is for.
func (n notRun) refused() bool {
	v := n.verdict
	if v.Deliberate || v.Status != gate.ExecutionStoppedEarly {
		return false
	}
	return v.Refused || n.target.Language == gate.LanguageShell && n.code > 0
}

// question asks whether a change is the reason that a file did not run.
type question struct {
	change     *gate.Change
	head, base *workspace.Tree
}

// caused returns why the change is the reason, "" where it is not, and which file of it.
func (q question) caused(n notRun, before earlier) (why, by string) {
	v := n.verdict
	switch {
	case q.lacks(n) || !v.Status.Interrupted():
		return "", ""
	case n.args.misses && !v.Deliberate && (before.asked || n.args.helps):
		return "", "" // it wants arguments, as programs do
	case before.answer == itRan:
		if v.By != "" && q.changed(v.By) {
			return "the base's version of it ran", v.By
		}
		return "the base's version of it ran", n.target.Path
	case before.answer == itDidNot:
		return "", ""
	case v.Deliberate && v.By == "":
		return "the program ended without an error before its interpreter could tell which lines ran", n.target.Path
	case v.Deliberate && q.changed(v.By):
		return fmt.Sprintf("%s, line %d, is a part of the change", v.By, v.Line), v.By
	case v.Status == gate.ExecutionNoTestsRan && v.Lacks == "":
		if by := q.runner(n.target.Path); by != "" {
			return "the change sets in " + by + " how its tests are run", by
		}
	}
	return "", ""
}

// lacks reports whether a file did not run for want of something that is not a part of
// the repository: a change that uses a new library does that.
func (q question) lacks(n notRun) bool {
	if n.target.Language == gate.LanguageGo {
		return n.verdict.Lacks != "" && !q.ownGo(n.verdict.Lacks)
	}
	return n.verdict.Lacks != "" && !q.own(n.verdict.Lacks)
}

// ownGo reports whether a package is, or was, one of a module of the repository.
func (q question) ownGo(name string) bool {
	return slices.ContainsFunc([]*workspace.Tree{q.head, q.base}, func(t *workspace.Tree) bool {
		return slices.ContainsFunc(t.Files, func(f workspace.File) bool {
			if path.Base(f.Path) != "go.mod" {
				return false
			}
			module := modfile.ModulePath(f.Data)
			return module != "" && (name == module || strings.HasPrefix(name, module+"/"))
		})
	})
}

// own reports whether a module is, or was, one of the repository.
func (q question) own(name string) bool {
	name = strings.TrimPrefix(strings.TrimPrefix(name, "/workspace/"), "./")
	for strings.HasPrefix(name, "../") {
		name = name[len("../"):]
	}
	top, _, _ := strings.Cut(name, ".")
	top, _, _ = strings.Cut(top, "/")
	if top == "" {
		return false
	}
	return slices.ContainsFunc([]*workspace.Tree{q.head, q.base}, func(t *workspace.Tree) bool {
		return slices.ContainsFunc(t.Files, func(f workspace.File) bool {
			dir, base := path.Split(f.Path)
			return strings.TrimSuffix(base, path.Ext(base)) == top || path.Base(dir) == top || strings.HasPrefix(f.Path, name)
		})
	})
}

// targetOf returns the target of a path, nil for none.
func (q question) targetOf(p string) *gate.Target {
	for _, t := range slices.Concat(q.change.Targets, q.change.OtherShards) {
		if t.Path == p {
			return t
		}
	}
	return nil
}

func (q question) changed(p string) bool {
	t := q.targetOf(p)
	return t != nil && t.Kind != gate.ChangeNone
}

// target reports whether the change has a target of that path that this run looks at.
func (q question) target(p string) bool {
	return slices.ContainsFunc(q.change.Targets, func(t *gate.Target) bool { return t.Path == p })
}

// runners are the files that say how tests are run, and what of them does.
var runners = map[string]func(text string) string{
	"conftest.py": whole, "pytest.ini": whole, ".pytest.ini": whole, "tox.ini": section("[pytest]"), "setup.cfg": section("[tool:pytest]"),
	"pyproject.toml": section("[tool.pytest"), "package.json": testScripts, "pytest.py": whole, "_pytest.py": whole, "unittest.py": whole,
	"jest.config.js": whole, "jest.config.cjs": whole, "jest.config.mjs": whole, "jest.config.ts": whole, "jest.config.json": whole,
	"vitest.config.js": whole, "vitest.config.mjs": whole, "vitest.config.ts": whole, "vitest.config.mts": whole, "vitest.workspace.ts": whole,
	"vite.config.js": whole, "vite.config.mjs": whole, "vite.config.ts": whole, "vite.config.mts": whole,
	".mocharc.js": whole, ".mocharc.cjs": whole, ".mocharc.json": whole, ".mocharc.yml": whole, ".mocharc.yaml": whole, "bunfig.toml": whole,
}

// runner returns a file of the change that says how the tests of a file are run, in its
// folder or above.
func (q question) runner(file string) string {
	for dir := workspace.Parent(file); ; dir = workspace.Parent(dir) {
		for name, part := range runners {
			p := path.Join(dir, name)
			if q.changed(p) && part(q.head.Text(p)) != part(q.base.Text(p)) {
				return p
			}
		}
		if dir == "" {
			return ""
		}
	}
}

func whole(text string) string { return text }

// section returns what makes the part of a file of settings that begins with a line.
func section(head string) func(string) string {
	return func(text string) string {
		var b strings.Builder
		in := false
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "[") {
				in = strings.HasPrefix(line, head)
			}
			if in {
				b.WriteString(line)
			}
		}
		return b.String()
	}
}

// testScripts are the scripts that `npm test` runs.
func testScripts(text string) string {
	s := plan.ReadManifest(text).Scripts
	return strings.Join([]string{s["pretest"], s["test"], s["posttest"], jestPart(text)}, "\x00")
}

// jestPart is the part of a manifest with the settings of Jest.
func jestPart(text string) string {
	var m struct {
		Jest json.RawMessage `json:"jest"`
	}
	if json.Unmarshal([]byte(text), &m) != nil {
		return ""
	}
	return string(m.Jest)
}
