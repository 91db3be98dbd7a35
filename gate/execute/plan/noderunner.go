package plan

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/gate/glob"
)

// nodeRunner is how a package runs single files of its tests: the runner that its test
// script comes to, without what the script does besides, such as linting or starting a
// browser.
type nodeRunner struct {
	name  string
	dir   string   // folder of the package that it is started in
	line  string   // of a shell, before the files
	specs []string // globs of the files that it takes for tests, seen from there
}

// knownRunner is a test runner that takes files as arguments, and which of its options are
// part of how tests run here (the runners' manuals).
type knownRunner struct {
	before, behind []string // that it is given always
	values         []string // options with a value that are kept
	switches       []string // options without one that are kept
}

func knownRunners() map[string]knownRunner {
	node := []string{"--import", "--require", "-r", "--loader", "--experimental-loader", "--conditions", "-C", "--test-concurrency"}
	return map[string]knownRunner{
		// Threads, because what its processes are handed goes through files in /tmp, one a module.
		"vitest": {before: []string{"run"}, behind: []string{"--pool=threads", "--typecheck.enabled=false", "--coverage.enabled=false"}, values: []string{"--config", "-c", "--project", "--environment"}},
		"jest":   {behind: []string{"--runTestsByPath"}, values: []string{"--config", "-c", "--env", "--testEnvironment"}, switches: []string{"--runInBand", "-i"}},
		"mocha":  {values: append(slices.Clone(node), "--ui", "-u", "--timeout", "-t", "--config", "--extension", "--node-option", "-n"), switches: []string{"--exit"}},
		"ava":    {values: []string{"--config", "--timeout", "-T"}, switches: []string{"--serial", "-s"}},
		"tap":    {values: []string{"--timeout", "-t"}},
		"borp":   {}, // see [runnerIn]
		"bun":    {before: []string{"test"}, behind: job.BunCoverage(), values: []string{"--timeout", "--preload", "-r", "--require", "--define", "--conditions"}},
		"tape":   {values: []string{"--require", "-r", "--import"}},
		"uvu":    {values: []string{"--require", "-r"}},
		"node":   {before: []string{"--test"}, values: node, switches: []string{"--enable-source-maps", "--experimental-strip-types", "--experimental-test-module-mocks", "--expose-gc"}},
	}
}

// maxScriptDepth bounds how scripts call each other.
const maxScriptDepth = 4

// runnerOf finds the runner of a package; ok is false where its test script comes to none
// that is known.
func runnerOf(m Manifest) (r nodeRunner, ok bool) {
	for _, words := range commandsOf(m, "test", 0) {
		if r, ok := runnerIn(words); ok {
			return r, true
		}
	}
	return nodeRunner{}, false
}

var (
	scriptSeparator = regexp.MustCompile(`&&|\|\||[;|\n]`)
	scriptWord      = regexp.MustCompile(`"[^"]*"|'[^']*'|[^\s"']+`)
	assignment      = regexp.MustCompile(`^[A-Za-z_]\w*=`)
)

// The bounds of a glob of tests: matching takes longer with each "**".
const (
	maxSpec  = 200 // bytes
	maxStars = 3
)

// commandsOf are the commands of a script, with those of the scripts that it calls in
// their place. One that a shell would have to work out is left out.
func commandsOf(m Manifest, script string, depth int) [][]string {
	if depth > maxScriptDepth {
		return nil
	}
	var out [][]string
	for _, text := range scriptSeparator.Split(m.Scripts[script], -1) {
		if strings.ContainsAny(text, "$`()<>\\") {
			continue
		}
		var words []string
		for _, w := range scriptWord.FindAllString(text, -1) {
			words = append(words, strings.Trim(w, `"'`))
		}
		if slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, `"'`) }) {
			continue
		}
		for len(words) > 0 && assignment.MatchString(words[0]) {
			words = words[1:]
		}
		if called := calledScript(m, words); called != "" {
			out = append(out, commandsOf(m, called, depth+1)...)
		} else if len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// calledScript is the script of the package that a command runs, "" for none.
func calledScript(m Manifest, words []string) string {
	if len(words) < 2 || !slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, words[0]) {
		return ""
	}
	name := words[1]
	if words[0] == "bun" && name == "test" {
		return "" // its own runner
	}
	if (name == "run" || name == "run-script") && len(words) > 2 {
		name = words[2]
	}
	if _, ok := m.Scripts[name]; ok {
		return name
	}
	return ""
}

// runnerIn finds a runner among the words of a command.
func runnerIn(words []string) (nodeRunner, bool) {
	known := knownRunners()
	for i, w := range words {
		name := strings.TrimSuffix(strings.TrimSuffix(path.Base(w), ".js"), ".mjs")
		k, ok := known[name]
		if !ok || name == "node" && !slices.Contains(words[i:], "--test") || name == "bun" && !slices.Contains(words[i:], "test") {
			continue
		}
		if name == "borp" { // Node's own runner; given a configuration it runs all files
			return nodeRunner{name: "node", line: `'node' '--test' "$@"`}, true
		}
		var line []string
		if i > 0 && words[0] == "node" { // options of Node, or a program that starts the runner
			line = words[:i:i]
		}
		line = append(append(line, w), k.before...)
		options, specs := k.kept(words[i+1:])
		line = append(append(line, options...), k.behind...)
		for n, part := range line {
			line[n] = "'" + part + "'" // a word of a script has no quote in it
		}
		return nodeRunner{name: name, line: strings.Join(line, " ") + ` "$@"`, specs: specs}, true
	}
	return nodeRunner{}, false
}

// kept are the options of a command that belong to how tests run, and the files that it
// names.
func (k knownRunner) kept(words []string) (options, specs []string) {
	for i := 0; i < len(words); i++ {
		w := words[i]
		name, _, joined := strings.Cut(w, "=")
		switch {
		case !strings.HasPrefix(w, "-"):
			if !slices.Contains(k.before, w) && len(w) <= maxSpec && strings.Count(w, "**") <= maxStars {
				specs = append(specs, strings.TrimPrefix(w, "./"))
			}
		case slices.Contains(k.before, w):
		case joined && slices.Contains(k.values, name), slices.Contains(k.switches, w):
			options = append(options, w)
		case slices.Contains(k.values, w) && i+1 < len(words):
			options = append(options, w, words[i+1])
			i++
		}
	}
	return options, specs
}

// nodeRunners finds the runners of packages.
type nodeRunners struct {
	tree *workspace.Tree
	seen map[string]nodeRunner // by folder of the package
}

// of is the runner of a package, which is looked for once: by its own test script, else by
// that of the package around it. Where both come to the same runner, and it is one that
// knows workspaces, it is started where the workspace is.
func (n nodeRunners) of(project string) (r nodeRunner, ok bool) {
	if r, seen := n.seen[project]; seen {
		return r, r.line != ""
	}
	m := manifestOf(n.tree, project)
	r, ok = runnerOf(m)
	r.dir = project
	if above, found := n.tree.Above(workspace.Parent(project), "package.json"); found && project != "" {
		around, known := n.of(above)
		workspaces := around.name == "vitest" || around.name == "jest"
		if known && (!ok && !testsItself(m) || ok && workspaces && around.name == r.name) {
			r, ok = around, true
		}
	}
	n.seen[project] = r
	return r, ok
}

// imported are the runners that files of tests import.
var imported = regexp.MustCompile(`(?:\bfrom|\bimport|\brequire\()[ \t]*['"](vitest|@jest/globals|ava|tap|tape|uvu|bun:test)['"]`)

// ofTest is the runner of a file of tests: that of its package, else the one that it
// imports itself.
func (n nodeRunners) ofTest(project, file string) (nodeRunner, bool) {
	if r, ok := n.of(project); ok {
		return r, true
	}
	m := imported.FindStringSubmatch(n.tree.Text(file))
	if m == nil || testsItself(manifestOf(n.tree, project)) {
		return nodeRunner{}, false
	}
	name := m[1]
	if name == "@jest/globals" {
		name = "jest"
	}
	words := []string{name}
	if name == "bun:test" {
		words = []string{"bun", "test"}
	}
	r, ok := runnerIn(words)
	r.dir = project
	return r, ok
}

// isTest reports whether a runner takes a file for tests: by its name, or as its package
// says.
func (n nodeRunners) isTest(project, file string) bool {
	if isNodeTest(file) {
		return true
	}
	r, _ := n.of(project)
	return r.names(file)
}

// names reports whether the test script of a package names a file for its runner.
func (r nodeRunner) names(file string) bool {
	rel, below := strings.CutPrefix(file, r.dir+"/")
	if r.dir == "" {
		rel, below = file, true
	}
	if !below || !nodeSource.MatchString(file) {
		return false
	}
	return slices.ContainsFunc(r.specs, func(spec string) bool {
		return spec == rel || strings.ContainsAny(spec, "*?[{") && glob.Match(spec, rel)
	})
}

// takes reports whether a file of tests is one for the runner of its package, as far as the
// test script says: another may be for a runner that is not known, such as one in a browser.
func (n nodeRunners) takes(project, file string) bool {
	r, known := n.of(project)
	return !known || len(r.specs) == 0 || r.names(file) || slices.ContainsFunc(r.specs, func(spec string) bool {
		return !strings.ContainsAny(spec, "*?[{") && path.Ext(spec) == "" // a folder, or the name of a project
	})
}

var nodeSource = regexp.MustCompile(`\.[cm]?[jt]sx?$`)

// binFolders are where the commands of installed packages are for a package: its own and
// those of the folders above it.
func binFolders(project string) []string {
	var out []string
	for dir := project; ; dir = workspace.Parent(dir) {
		out = append(out, path.Join("/workspace", dir, "node_modules/.bin"))
		if dir == "" {
			return out
		}
	}
}
