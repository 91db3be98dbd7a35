package plan

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/gate/glob"
)

// Make groups targets into units. commands are those of the policy, by glob; base says
// how tests run, nil is the tree itself.
func Make(t *workspace.Tree, targets []*gate.Target, commands map[string]string, base fs.FS) Plan {
	return planned(t, targets, commands, base).plan
}

// planner collects the units of a change.
type planner struct {
	tree      *workspace.Tree
	asks      asked
	ways      testWays
	named     map[string][]string // paths by base name
	plan      Plan
	tests     map[string]*testGroup // by project and runner
	order     []string              // of tests
	goes      *goPlanner
	far       map[string]bool // tests that only import a file of the change (true), and those that carry the name of one
	runners   nodeRunners
	importers importers
	// targets are those of the change, by path.
	targets map[string]*gate.Target
}

func (p *planner) add(u Unit) { p.plan.Units = append(p.plan.Units, withDistribution(p.tree, u)) }

func (p *planner) skip(path string, n NotRun) {
	if _, ok := p.plan.Reasons[path]; !ok {
		p.plan.Reasons[path] = n
	}
}

func planned(t *workspace.Tree, targets []*gate.Target, commands map[string]string, base fs.FS) *planner {
	asks := asked{base: base, tree: t}
	p := &planner{tree: t, asks: asks, ways: newTestWays(asks), plan: Plan{Reasons: map[string]NotRun{}}, tests: map[string]*testGroup{}, named: map[string][]string{}, far: map[string]bool{}, runners: nodeRunners{t, asks, map[string]nodeRunner{}}, importers: importers{t, map[string]map[string][]string{}}, targets: map[string]*gate.Target{}}
	for _, target := range targets {
		p.targets[target.Path] = target
	}
	for _, f := range t.Files {
		if f.Link == "" {
			p.named[path.Base(f.Path)] = append(p.named[path.Base(f.Path)], f.Path)
		}
	}
	p.goes = newGoPlanner(p)
	byPolicy := map[string]*Unit{}
	for _, target := range targets {
		if n, ok := p.absent(target); ok {
			p.skip(target.Path, n)
			continue
		}
		if glob := bestGlob(commands, target.Path); glob != "" {
			p.byPolicy(byPolicy, glob, commands[glob], target)
			continue
		}
		p.target(target)
	}
	for _, key := range slices.Sorted(maps.Keys(byPolicy)) {
		p.add(*byPolicy[key])
	}
	p.goes.finish()
	p.finishTests()
	linkWorkspace(p.tree, p.plan.Units)
	for i := range p.plan.Units {
		for _, path := range p.plan.Units[i].Targets {
			delete(p.plan.Reasons, path)
		}
	}
	return p
}

// absent says why a target cannot be run whatever it is.
func (p *planner) absent(t *gate.Target) (NotRun, bool) {
	switch {
	case !t.Exists():
		return nothing("the file was deleted"), true
	case p.tree.Withheld[t.Path]:
		return nothing("a layer calls it dangerous"), true
	case p.tree.Has(t.Path) && p.tree.Bytes(t.Path) > workspace.MaxSource && !passive(t) && t.Language != gate.LanguageWasm:
		return lost(fmt.Sprintf("it is larger than the %d KiB in which its way of running is looked for", workspace.MaxSource>>10)), true
	case p.tree.Has(t.Path):
		if t.Parent != "" && !strings.HasPrefix(p.tree.Text(t.Path), "#!") && !startsIn(t) {
			return nothing("text that came out of another file and is not a script by itself"), true
		}
		return NotRun{}, false
	case t.Mode.Type() != 0:
		return nothing("not a regular file"), true
	case passive(t):
		return nothing("nothing to execute in " + languageName(t.Language)), true
	case p.tree.Left[t.Path] != "":
		return lost("it did not enter a container: " + p.tree.Left[t.Path]), true
	}
	return cannot("it is not among the files that may enter a container"), true
}

// startsIn reports whether a member of an archive is what is run when the archive is
// installed, or run itself.
func startsIn(t *gate.Target) bool {
	return strings.HasPrefix(t.Path, t.Parent+"!/") && slices.Contains([]string{"setup.py", "package.json", "__main__.py"}, path.Base(t.Path))
}

// bestGlob returns the most specific glob that matches: the longest one, and of
// equally long ones the first in the alphabet.
func bestGlob(commands map[string]string, path string) string {
	best := ""
	for _, g := range slices.Sorted(maps.Keys(commands)) {
		if len(g) > len(best) && glob.Match(g, path) {
			best = g
		}
	}
	return best
}

// byPolicy puts a target into the unit of the policy's command, one for each
// image that the targets need.
func (p *planner) byPolicy(units map[string]*Unit, glob, command string, t *gate.Target) {
	image := imageOf(t.Language)
	key := glob + "\x00" + string(image)
	u := units[key]
	if u == nil {
		u = &Unit{Kind: Policy, Job: commandOf(image, command)}
		units[key] = u
	}
	u.Targets = append(u.Targets, t.Path)
}

// commandOf is the job of a command of the policy.
func commandOf(image gate.Language, command string) job.Job {
	return commandJob(image, []string{"sh", "-c", command})
}

// imageOf returns the language whose image runs a file; what has none of its own
// gets the one with the shell.
func imageOf(l gate.Language) gate.Language {
	switch l {
	case gate.LanguagePython, gate.LanguageGo:
		return l
	case gate.LanguageJavaScript, gate.LanguageTypeScript:
		return gate.LanguageJavaScript
	}
	return gate.LanguageShell
}

// target plans one target by its language.
func (p *planner) target(t *gate.Target) {
	base := path.Base(t.Path)
	switch {
	case base == "package.json":
		p.packageHooks(t.Path)
	case base == "setup.py":
		p.setupPy(t.Path)
	case base == "pyproject.toml" && backendOfFile(p, t.Path):
		embeddedCode(p, t)
	default:
		p.byLanguage(t)
	}
}

func (p *planner) byLanguage(t *gate.Target) {
	switch t.Language {
	case gate.LanguagePython:
		p.python(t.Path)
	case gate.LanguageJavaScript, gate.LanguageTypeScript:
		p.node(t.Path)
	case gate.LanguageGo:
		p.goes.file(t.Path)
	case gate.LanguageShell:
		p.shell(t.Path)
	case gate.LanguageWasm:
		p.add(Unit{Kind: Script, Targets: []string{t.Path}, Job: job.Job{Image: gate.LanguageShell, Program: job.Module{File: t.Path}}})
	case gate.LanguageMakefile:
		p.makefile(t.Path)
	case gate.LanguageDockerfile:
		p.dockerfile(t.Path)
	case gate.LanguagePowerShell, gate.LanguageRuby, gate.LanguagePerl, gate.LanguagePHP, gate.LanguageC, gate.LanguageRust,
		gate.LanguageJava, gate.LanguageNotebook:
		if embeddedCode(p, t) {
			return
		}
		p.skip(t.Path, cannot("there is no way to run "+languageName(t.Language)+" yet; sandbox.run in the policy can name a command"))
	default:
		name := t.Language.GenericName()
		switch {
		case p.marked(t), embeddedCode(p, t):
		case name != "":
			p.skip(t.Path, cannot("there is no way to run "+name+" yet; sandbox.run in the policy can name a command"))
		default:
			p.skip(t.Path, nothing("nothing to execute in "+languageName(t.Language)))
		}
	}
}

// passive reports whether nothing in a file is ever executed by this layer.
func passive(t *gate.Target) bool {
	if path.Base(t.Path) == "package.json" {
		return false
	}
	switch t.Language {
	case gate.LanguageText, gate.LanguageYAML, gate.LanguageJSON, gate.LanguageTOML, gate.LanguageINI, gate.LanguageMarkdown,
		gate.LanguageHTML, gate.LanguageWorkflow, gate.LanguageBinary:
		return true
	}
	return false
}

func languageName(l gate.Language) string {
	names := map[gate.Language]string{
		gate.LanguageUnknown: "a file of unknown type", gate.LanguageBinary: "a binary file", gate.LanguageWorkflow: "a workflow outside of its CI system",
		gate.LanguageText: "text", gate.LanguageYAML: "YAML", gate.LanguageJSON: "JSON", gate.LanguageTOML: "TOML", gate.LanguageINI: "INI",
		gate.LanguageMarkdown: "Markdown", gate.LanguageHTML: "HTML", gate.LanguagePowerShell: "PowerShell", gate.LanguageRuby: "Ruby",
		gate.LanguagePerl: "Perl", gate.LanguagePHP: "PHP", gate.LanguageC: "C", gate.LanguageRust: "Rust", gate.LanguageJava: "Java",
		gate.LanguageWasm: "WebAssembly", gate.LanguageNotebook: "a notebook",
	}
	return cmp.Or(names[l], string(l))
}

// Relative returns a path in or below dir as seen from dir, never looking like a
// flag.
func Relative(dir, p string) string {
	if p == dir {
		return "."
	}
	if dir != "" {
		p = strings.TrimPrefix(p, dir+"/")
	}
	if strings.HasPrefix(p, "-") {
		return "./" + p
	}
	return p
}
