package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/gate/glob"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/ways"
)

// nodeRunner is how a package runs single files of its tests: the runner that its test
// script comes to, without what the script does besides, such as linting or starting a
// browser.
type nodeRunner struct {
	name  string
	dir   string   // folder of the package that it is started in
	line  string   // of a shell, before the files
	specs []string // globs of the files that it takes for tests, seen from there
	// usual are globs of files that it finds by itself.
	usual []string
	// builds are the steps that make files before it, and left the commands in front of it
	// that are neither those nor known to matter to no test.
	builds, left []string
}

// knownRunner is a test runner that takes files as arguments, and which of its options are
// part of how tests run here (the runners' manuals).
type knownRunner struct {
	before, behind []string // that it is given always
	values         []string // options with a value that are kept
	switches       []string // options without one that are kept
	left           []string // options with a value that are left out, and their values with them
}

func knownRunners() map[string]knownRunner {
	node := []string{"--import", "--require", "-r", "--loader", "--experimental-loader", "--conditions", "-C", "--test-concurrency"}
	return map[string]knownRunner{
		// Threads, because what its processes are handed goes through files in /tmp, one a module.
		"vitest": {before: []string{"run"}, behind: []string{"--pool=threads", "--typecheck.enabled=false", "--coverage.enabled=false"}, values: []string{"--config", "-c", "--project", "--environment"}, left: []string{"--reporter"}},
		"jest":   {behind: []string{"--runTestsByPath"}, values: []string{"--config", "-c", "--env", "--testEnvironment"}, switches: []string{"--runInBand", "-i"}, left: []string{"--reporters"}},
		"mocha":  {values: append(slices.Clone(node), "--ui", "-u", "--timeout", "-t", "--config", "--extension", "--node-option", "-n"), switches: []string{"--exit"}, left: []string{"--reporter", "-R", "--reporter-option", "--reporter-options", "-O", "--grep", "-g", "--fgrep", "-f", "--slow", "-s", "--retries", "--jobs", "-j", "--ignore", "--exclude"}},
		"ava":    {values: []string{"--config", "--timeout", "-T"}, switches: []string{"--serial", "-s"}},
		"tap":    {values: []string{"--timeout", "-t"}, left: []string{"--reporter", "-R"}},
		"borp":   {}, // see [runnerIn]
		"bun":    {before: []string{"test"}, behind: job.BunCoverage(), values: []string{"--timeout", "--preload", "-r", "--require", "--define", "--conditions"}},
		"tape":   {values: []string{"--require", "-r", "--import"}},
		"uvu":    {values: []string{"--require", "-r"}},
		"node":   {before: []string{"--test"}, values: node, switches: []string{"--enable-source-maps", "--experimental-strip-types", "--experimental-test-module-mocks", "--expose-gc"}, left: []string{"--test-reporter", "--test-reporter-destination"}},
	}
}

// runnerOf finds the runner of a package; ok is false where its test script comes to none
// that is known. What is in front of it and makes files runs before it, also in the
// packages of a workspace whose root it is.
func runnerOf(m Manifest, w ways.Workspace) (r nodeRunner, ok bool) {
	var builds, left []string
	for _, c := range ways.Scripts(m.Scripts).ChainIn(w, "pretest", "test") {
		if r, ok := runnerIn(c); ok {
			if own := m.configured(r.name); len(r.specs) == 0 && len(own) > 0 {
				r.specs, r.usual = own, nil
			}
			r.builds = builds
			r.line = buildLine(builds) + r.line
			r.left = left
			return r, true
		}
		switch c.For() {
		case ways.Builds:
			if text, ok := buildStep(c); ok && len(builds) < maxBuilds {
				builds = append(builds, text)
				continue
			}
			left = append(left, c.Text)
		case ways.Unknown:
			left = append(left, c.Text)
		case ways.Checks:
		}
	}
	return nodeRunner{}, false
}

// The bounds of a glob of tests: matching takes longer with each "**".
const (
	maxSpec  = 200 // bytes
	maxStars = 3
)

// maxBuilds bounds the steps of a build before tests.
const maxBuilds = 20

// buildStep is a command of a build as a line of a shell. Which lines a compiler runs
// matters to no one, and counting them takes its time.
func buildStep(c ways.Command) (string, bool) {
	words, ok := quoted(c.Words)
	env, plain := variables(c.Env)
	if !ok || !plain || strings.Contains(c.Dir, "'") {
		return "", false
	}
	if path.Base(c.Words[0]) == "tsc" && !slices.ContainsFunc(c.Words, func(w string) bool { return w == "-b" || w == "--build" }) {
		words += " '--noEmitOnError' 'false' '--sourceMap'"
	}
	if c.Words[0] != "node" {
		env = "NODE_V8_COVERAGE= " + env
	}
	step := env + words
	if c.Dir != "" {
		step = "cd '" + c.Dir + "' && " + step
	}
	return "( " + step + " ) >&2", true
}

// builtFiles leaves those of its arguments that a build has made: where a compiler puts a
// file is known to it alone.
const builtFiles = `for f do shift; [ -e "$f" ] && set -- "$@" "$f"; done; [ $# -gt 0 ] || exit 1; `

// built are the files that a build may make of a file of tests, of those that the runner
// takes: in a folder that is not there before.
func (n nodeRunners) built(project, file string) []string {
	r, known := n.of(project)
	rel, below := strings.CutPrefix(file, r.dir+"/")
	if r.dir == "" {
		rel, below = file, true
	}
	if !known || !below || len(r.builds) == 0 {
		return nil
	}
	rel = typescript.ReplaceAllString(rel, "${1}js")
	var out []string
	for _, spec := range r.specs {
		folder, _, deep := strings.Cut(spec, "/")
		if !deep && path.Ext(spec) != "" || strings.ContainsAny(folder, "*?[{.") || n.tree.Dirs[path.Join(r.dir, folder)] {
			continue
		}
		_, inner, _ := strings.Cut(rel, "/")
		for _, at := range []string{path.Join(folder, inner), path.Join(folder, rel)} {
			takes := glob.Match(spec, at) || !strings.ContainsAny(spec, "*?[{") && path.Ext(spec) == "" && strings.HasPrefix(at, strings.TrimSuffix(spec, "/")+"/")
			if at = path.Join(r.dir, at); takes && !slices.Contains(out, at) {
				out = append(out, at)
			}
		}
	}
	return out
}

var typescript = regexp.MustCompile(`([cm]?)tsx?$`)

// buildLine is what a shell does before a runner starts: the build, whose time is part of
// the tests' budget. Compilers write files also where they find mistakes, so that one that
// fails does not end it.
func buildLine(steps []string) string {
	if len(steps) == 0 {
		return ""
	}
	return strings.Join(steps, "; ") + "; " + builtFiles
}

// quoted are words for a shell; ok is false where one of them cannot be put in quotes.
func quoted(words []string) (line string, ok bool) {
	if slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, "'\n\x00") }) {
		return "", false
	}
	return "'" + strings.Join(words, "' '") + "'", true
}

// variables are those of a command that a run may have, as a shell sets them. Options for
// Node go behind those that are set for it here.
func variables(env []string) (line string, ok bool) {
	for _, v := range env {
		if !ways.Settable(v) {
			continue
		}
		name, value, _ := strings.Cut(v, "=")
		word, plain := quoted([]string{value})
		if !plain {
			return "", false
		}
		if name == "NODE_OPTIONS" {
			word = `"$NODE_OPTIONS "` + word
		}
		line += name + "=" + word + " "
	}
	return line, true
}

// runnerIn finds a runner among the words of a command.
func runnerIn(c ways.Command) (nodeRunner, bool) {
	env, plain := variables(c.Env)
	if c.Open || c.Dir != "" || !plain || c.For() == ways.Checks {
		return nodeRunner{}, false
	}
	words := c.Words
	if len(words) > 1 && words[0] == "tsx" && slices.Contains(words, "--test") { // which starts Node with itself
		words = slices.Concat([]string{"node", "--import", "tsx"}, words[1:])
	}
	known := knownRunners()
	for i, w := range words {
		name := strings.TrimSuffix(strings.TrimSuffix(path.Base(w), ".js"), ".mjs")
		k, ok := known[name]
		if !ok || name == "node" && !slices.Contains(words[i:], "--test") || name == "bun" && !slices.Contains(words[i:], "test") {
			continue
		}
		if name == "borp" { // Node's own runner; given a configuration it runs all files
			return nodeRunner{name: "node", line: env + `'node' '--test' "$@"`}, true
		}
		var line []string
		if i > 0 && words[0] == "node" { // options of Node, or a program that starts the runner
			line = words[:i:i]
		}
		line = append(append(line, w), k.before...)
		options, specs := k.kept(words[i+1:])
		line = append(append(line, options...), k.behind...)
		text, ok := quoted(line)
		r := nodeRunner{name: name, line: env + text + ` "$@"`, specs: specs, usual: folders(name, specs, words[i+1:])}
		if len(specs) == 0 {
			r.usual = usualTests(name)
		}
		return r, ok
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
		case slices.Contains(k.left, w):
			i++
		}
	}
	return options, specs
}

// nodeRunners finds the runners of packages.
type nodeRunners struct {
	tree *workspace.Tree
	asks asked
	seen map[string]nodeRunner // by folder of the package
}

// of is the runner of a package, which is looked for once: by its own test script, else by
// that of the package around it. Where both come to the same runner, and it is one that
// knows workspaces, it is started where the workspace is.
func (n nodeRunners) of(project string) (r nodeRunner, ok bool) {
	if r, seen := n.seen[project]; seen {
		return r, r.line != ""
	}
	m := n.asks.manifest(project)
	r, ok = runnerOf(m, n.workspace(project))
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

// workspace are the packages of the workspace whose root a package is, none for another.
func (n nodeRunners) workspace(project string) ways.Workspace {
	if project != "" || !isWorkspace(n.tree) {
		return nil
	}
	var out ways.Workspace
	for _, f := range n.tree.Files {
		dir := workspace.Parent(f.Path)
		if path.Base(f.Path) != "package.json" || dir == "" || strings.Contains("/"+f.Path, "/node_modules/") || len(out) == maxPackages {
			continue
		}
		m := n.asks.manifest(dir)
		out = append(out, ways.Package{Dir: dir, Name: m.Name, Scripts: m.Scripts, Needs: m.Needs})
	}
	return out.InOrder()
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
	if m == nil || testsItself(n.asks.manifest(project)) {
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
	r, ok := runnerIn(ways.Command{Words: words})
	r.dir = project
	return r, ok
}

// isTest reports whether a runner takes a file for tests: by its name, or as its package
// says.
func (n nodeRunners) isTest(project, file string) bool {
	if isNodeTest(file) {
		// What is called test.js in a folder of a library is often a part of it.
		return path.Base(strings.TrimSuffix(file, path.Ext(file))) != "test" || workspace.Parent(file) == project || n.takes(project, file)
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
	}) || r.usually(rel)
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
