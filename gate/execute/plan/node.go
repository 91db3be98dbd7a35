package plan

import (
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// node plans one JavaScript or TypeScript file.
func (p *planner) node(file string) {
	text := p.tree.Text(file)
	if typeDeclarations.MatchString(file) {
		p.skip(file, nothing("type declarations"))
		return
	}
	project, _ := p.tree.Above(workspace.Parent(file), "package.json")
	if p.runners.isTest(project, file) {
		p.nodeTest(project, file, file)
		return
	}
	u := Unit{Kind: Module, Targets: []string{file}, Job: job.Job{Image: gate.LanguageJavaScript}}
	_, marked := Shebang(text)
	if marked || p.tree.Executable(file) || isBin(p.tree, project, file) || nodeScript(text) {
		u.Kind = Script
		u.Job.Program = job.Node{Command: []string{"node", "./" + file}}
		u.Help = wantsArguments(text)
	} else {
		to := url.URL{Scheme: "file", Path: "/workspace/" + file}
		u.Job.Program = job.Node{Import: to.String()}
	}
	p.add(u)
	p.asTheKernel(file)
	named := p.namedTests(file, project)
	for _, test := range named {
		p.far[test] = false
	}
	for _, test := range slices.Concat(named, importing(p, file, project, named)) {
		p.nodeTest(project, test, file)
	}
}

var (
	typeDeclarations = regexp.MustCompile(`\.d\.[cm]?ts$`)
	nodeTestName     = regexp.MustCompile(`[.-](test|spec)\.[cm]?[jt]sx?$|(^|/)(__tests__/.*|tests?/test[-_.].*|test)\.[cm]?[jt]sx?$`)
	// What `npm init` writes where there are no tests.
	noTests = regexp.MustCompile(`no test specified`)
)

func isNodeTest(file string) bool { return nodeTestName.MatchString(file) }

// isBin reports whether a package offers the file as a command.
func isBin(t *workspace.Tree, project, file string) bool {
	bin := manifestOf(t, project).Bin
	var one string
	var many map[string]string
	if json.Unmarshal(bin, &one) == nil && one != "" {
		return path.Join(project, one) == file
	}
	_ = json.Unmarshal(bin, &many)
	for _, b := range many {
		if path.Join(project, b) == file {
			return true
		}
	}
	return false
}

// nodeTest runs a file of tests with the runner of its package, or Node's own where the
// package names none; what `npm test` would run where that is no runner that is known.
func (p *planner) nodeTest(project, file, target string) {
	m := manifestOf(p.tree, project)
	runner, known := p.runners.ofTest(project, file)
	switch {
	case known:
		key := "runner\x00" + runner.line + "\x00" + runner.dir
		if !p.runners.takes(project, file) && len(p.runners.built(project, file)) == 0 {
			key += otherRunner // one that cannot be loaded ends the run of all
		}
		made := func() testGroup {
			u := nodeUnit(runner.dir, manifestOf(p.tree, runner.dir), runner.line, "sh")
			u.Left = runner.left
			return testGroup{unit: u, from: runner.dir, anyOrder: runner.name != "node", builds: len(runner.builds) > 0}
		}
		built := p.runners.built(project, file)
		if len(built) == 0 {
			built = []string{file}
		}
		for _, f := range built {
			if f != file {
				p.far[f] = p.far[file] && p.targets[file] == nil
			}
			p.addTest(key, target, f, made)
		}
	case testsItself(m):
		npmTest(p, project, m, target)
	default:
		p.addTest("node\x00"+project, target, file, func() testGroup {
			u := Unit{Kind: Tests, Dir: project, Job: job.Job{Image: gate.LanguageJavaScript, Program: job.Node{Command: []string{"node", "--test"}}}}
			return testGroup{unit: u, from: project}
		})
	}
}

// testsItself reports whether a package says how its tests run.
func testsItself(m Manifest) bool {
	return m.Scripts["test"] != "" && !noTests.MatchString(m.Scripts["test"])
}

// npmTest runs what `npm test` would.
func npmTest(p *planner, project string, m Manifest, target string) {
	p.addTest("npm\x00"+project, target, "", func() testGroup {
		return testGroup{unit: nodeUnit(project, m, npmScripts(m.Scripts, "pretest", "test", "posttest"))}
	})
}

// nodeUnit is a run of tests by a line of a shell, as npm would start it.
func nodeUnit(project string, m Manifest, line string, args ...string) Unit {
	return Unit{Kind: Tests, Dir: project, Job: job.Job{Image: gate.LanguageJavaScript, Program: job.Node{
		Command: append([]string{"sh", "-c", line}, args...), Env: npmEnv(project, m, "test"),
	}}}
}

// npmScripts is the shell line that npm would run for these scripts, those that
// the package has: one after the other, the first that fails ends it.
func npmScripts(scripts map[string]string, names ...string) string {
	var lines []string
	for _, n := range names {
		if s := strings.TrimSpace(scripts[n]); s != "" {
			lines = append(lines, "( "+s+"\n)")
		}
	}
	return strings.Join(lines, " && ")
}

// installedInterpreter is where an image has the interpreter that the base asks for, if it
// has another one than the sandbox image (package sandbox/images).
const installedInterpreter = "/opt/aigate/deps/interpreter/bin"

// npmEnv is what npm adds to the environment of a script and scripts look at.
func npmEnv(project string, m Manifest, event string) []string {
	return []string{
		"PATH=" + strings.Join(append(binFolders(project), installedInterpreter), ":") + ":/usr/local/bin:/usr/bin:/bin",
		"npm_lifecycle_event=" + event, "npm_package_name=" + strings.ReplaceAll(m.Name, "\x00", ""),
	}
}

// installScripts are the scripts that `npm install` runs in a package, in order;
// prepare only in the repository itself.
var installScripts = []string{"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"}

// packageHooks runs what an installer of the package would, and what `npm test` would
// where the change says what that is.
func (p *planner) packageHooks(file string) {
	dir := workspace.Parent(file)
	m := manifestOf(p.tree, dir)
	script := npmScripts(m.Scripts, installScripts...)
	tested := testsItself(m) && scriptsEdited(p.tree.Text(file), p.targets[file].Lines)
	if tested {
		npmTest(p, dir, m, file)
	}
	edited := editedScripts(p, file, m)
	switch {
	case script == "" && (tested || edited):
		return
	case script == "" && m.Broken != "":
		p.skip(file, cannot("npm cannot read it: "+gate.Clip(m.Broken, 200)))
		return
	case script == "":
		p.skip(file, nothing("it has no scripts that an installer runs"))
		return
	}
	p.add(Unit{
		Kind: Hook, Targets: append([]string{file}, p.started(dir, script)...), Dir: dir,
		Job: job.Job{Image: gate.LanguageJavaScript, Program: job.Node{Command: []string{"sh", "-c", script}, Env: npmEnv(dir, m, "install")}},
	})
}

// started lists the targets of no language that a script names: the interpreter that
// runs them does not go by their names.
func (p *planner) started(dir, script string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(script, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`;&|()<>=", r) }) {
		file := path.Join(dir, word)
		if t := p.targets[file]; t != nil && t.Language == gate.LanguageUnknown && p.tree.Has(file) && !slices.Contains(out, file) {
			out = append(out, file)
		}
	}
	return out
}

// namedTests lists the tests of a project that carry the name of a file, which is
// how a change finds the tests that it may break.
func (p *planner) namedTests(file, project string) []string {
	const most = 5
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if stem == "__init__" || stem == "index" || stem == "main" || stem == "__main__" {
		return nil
	}
	names := []string{"test_" + stem + ".py", stem + "_test.py"}
	if path.Ext(file) != ".py" {
		names = nil
		for _, kind := range []string{".test", ".spec", "-test"} {
			for _, ext := range []string{".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"} {
				names = append(names, stem+kind+ext)
			}
		}
	}
	var out []string
	for _, name := range names {
		for _, f := range p.named[name] {
			if below := project == "" || strings.HasPrefix(f, project+"/"); below && len(out) < most {
				out = append(out, f)
			}
		}
	}
	return out
}
