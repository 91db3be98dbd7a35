package execute

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

// makePlan groups targets into units. It only looks at the tree, and the same
// tree gives the same plan.
func makePlan(t *workspace.Tree, targets []*gate.Target, commands map[string]string) plan {
	return planned(t, targets, commands).plan
}

func planned(t *workspace.Tree, targets []*gate.Target, commands map[string]string) *planner {
	p := &planner{tree: t, plan: plan{reason: map[string]notRun{}}, tests: map[string]*testGroup{}, named: map[string][]string{}}
	for _, f := range t.Files {
		if f.Link == "" {
			p.named[path.Base(f.Path)] = append(p.named[path.Base(f.Path)], f.Path)
		}
	}
	p.goes = newGoPlanner(p)
	byPolicy := map[string]*unit{}
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
	linkWorkspace(p.tree, p.plan.units)
	for i := range p.plan.units {
		for _, path := range p.plan.units[i].targets {
			delete(p.plan.reason, path)
		}
	}
	return p
}

// absent says why a target cannot be run whatever it is.
func (p *planner) absent(t *gate.Target) (notRun, bool) {
	switch {
	case !t.Exists():
		return nothing("the file was deleted"), true
	case p.tree.Withheld[t.Path]:
		return nothing("a layer calls it dangerous"), true
	case p.tree.Has(t.Path) && p.tree.Bytes(t.Path) > workspace.MaxSource && !passive(t) && t.Language != gate.LanguageWasm:
		return lost(fmt.Sprintf("it is larger than the %d KiB in which its way of running is looked for", workspace.MaxSource>>10)), true
	case p.tree.Has(t.Path):
		if t.Parent != "" && !strings.HasPrefix(p.tree.Text(t.Path), "#!") {
			return nothing("decoded text that is not a script by itself"), true
		}
		return notRun{}, false
	case t.Mode.Type() != 0:
		return nothing("not a regular file"), true
	case passive(t):
		return nothing("nothing to execute in " + languageName(t.Language)), true
	case p.tree.Left[t.Path] != "":
		return lost("it did not enter a container: " + p.tree.Left[t.Path]), true
	}
	return cannot("it is not among the files that may enter a container"), true
}

// bestGlob returns the most specific glob that matches: the longest one, and of
// equally long ones the first in the alphabet.
func bestGlob(commands map[string]string, path string) string {
	best := ""
	for _, glob := range slices.Sorted(maps.Keys(commands)) {
		if len(glob) > len(best) && match(glob, path) {
			best = glob
		}
	}
	return best
}

// match is the matching of all globs of a policy: one without a slash is looked
// for in every folder.
func match(glob, path string) bool {
	glob = strings.TrimPrefix(glob, "/")
	if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	return doublestar.MatchUnvalidated(glob, path)
}

// byPolicy puts a target into the unit of the policy's command, one for each
// image that the targets need.
func (p *planner) byPolicy(units map[string]*unit, glob, command string, t *gate.Target) {
	image := imageOf(t.Language)
	key := glob + "\x00" + string(image)
	u := units[key]
	if u == nil {
		u = &unit{kind: kindPolicy, image: image, argv: []string{"sh", "-c", command}}
		units[key] = u
	}
	u.targets = append(u.targets, t.Path)
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
		p.wasm(t.Path)
	case gate.LanguageMakefile:
		p.makefile(t.Path)
	case gate.LanguageDockerfile:
		p.dockerfile(t.Path)
	case gate.LanguagePowerShell, gate.LanguageRuby, gate.LanguagePerl, gate.LanguagePHP, gate.LanguageC, gate.LanguageRust,
		gate.LanguageJava, gate.LanguageNotebook:
		p.skip(t.Path, cannot("there is no way to run "+languageName(t.Language)+" yet; sandbox.run in the policy can name a command"))
	default:
		p.skip(t.Path, nothing("nothing to execute in "+languageName(t.Language)))
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

// testGroup is one run of a test runner.
type testGroup struct {
	unit  unit // without the files at the end of argv
	files []string
	from  string // folder that the files are named from
}

// maxTestFiles bounds one run of a test runner, so that one that hangs does not
// take the time of all others with it.
const maxTestFiles = 25

// addTest puts a test file into the run of its runner, on behalf of a target.
func (p *planner) addTest(key string, target, file string, make func() testGroup) {
	for n := 0; ; n++ {
		k := key + strings.Repeat("\x00+", n)
		g := p.tests[k]
		if g == nil {
			made := make()
			g = &made
			p.tests[k] = g
			p.order = append(p.order, k)
		}
		if len(g.files) >= maxTestFiles && !slices.Contains(g.files, file) {
			continue
		}
		if file != "" && !slices.Contains(g.files, file) {
			g.files = append(g.files, file)
		}
		if !slices.Contains(g.unit.targets, target) {
			g.unit.targets = append(g.unit.targets, target)
		}
		return
	}
}

func (p *planner) finishTests() {
	for _, k := range p.order {
		g := p.tests[k]
		for _, f := range g.files {
			g.unit.argv = append(g.unit.argv, relative(g.from, f))
		}
		p.add(g.unit)
	}
}

// relative returns a path in or below dir as seen from dir, never looking like a
// flag.
func relative(dir, p string) string {
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
