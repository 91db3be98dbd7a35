package execute

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

// nodeHooks lets Node run what bundlers accept: TypeScript with enums, JSX,
// imports without an extension. It keeps the code that is made from text.
var nodeHooks = nodeResolve + nodeUnpack

//go:embed bootstrap/node.mjs
var nodeResolve string

//go:embed bootstrap/unpack.mjs
var nodeUnpack string

// nodeEnv loads the hooks into every Node process of a unit, also those that a
// test runner starts.
func nodeEnv() []string {
	return []string{"NODE_OPTIONS=--disable-warning=ExperimentalWarning --import=data:text/javascript;base64," + base64.StdEncoding.EncodeToString([]byte(nodeHooks))}
}

// importFile imports what the URL in its argument names, ES module or CommonJS.
const importFile = `await import(process.argv[1])`

// node plans one JavaScript or TypeScript file.
func (p *planner) node(file string) {
	text := p.tree.Text(file)
	if typeDeclarations.MatchString(file) {
		p.skip(file, nothing("type declarations"))
		return
	}
	project, _ := p.tree.Above(workspace.Parent(file), "package.json")
	if isNodeTest(file) {
		p.nodeTest(project, file, file)
		return
	}
	u := unit{kind: kindModule, image: gate.LanguageJavaScript, targets: []string{file}, env: nodeEnv()}
	_, marked := shebang(text)
	if marked || p.tree.Executable(file) || p.isBin(project, file) || nodeScript(text) {
		u.kind = kindScript
		u.argv = []string{"node", "./" + file}
		if wantsArguments(text) {
			u.help = append(slices.Clone(u.argv), "--help")
		}
	} else {
		to := url.URL{Scheme: "file", Path: "/workspace/" + file}
		u.argv = []string{"node", "--input-type=module", "-e", importFile, to.String()}
	}
	p.add(u)
	for _, test := range p.namedTests(file, project) {
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

// manifest is what matters of a package.json.
type manifest struct {
	Name    string
	Bin     json.RawMessage // a path, or paths by name
	Scripts map[string]string
}

// manifestOf reads a package.json. One that cannot be read is like none: npm
// would do nothing with it either.
func (p *planner) manifestOf(dir string) manifest {
	var m manifest
	_ = json.Unmarshal([]byte(p.tree.Text(path.Join(dir, "package.json"))), &m)
	return m
}

// isBin reports whether a package offers the file as a command.
func (p *planner) isBin(project, file string) bool {
	bin := p.manifestOf(project).Bin
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

// nodeTest runs what `npm test` would, or Node's own runner where the package
// does not say what that is.
func (p *planner) nodeTest(project, file, target string) {
	m := p.manifestOf(project)
	script := m.Scripts["test"]
	u := unit{kind: kindTests, image: gate.LanguageJavaScript, dir: project, env: nodeEnv()}
	if script != "" && !noTests.MatchString(script) {
		p.addTest("npm\x00"+project, target, "", func() testGroup {
			u.argv = []string{"sh", "-c", npmScripts(m.Scripts, "pretest", "test", "posttest")}
			u.env = append(u.env, npmEnv(m, "test")...)
			return testGroup{unit: u}
		})
		return
	}
	p.addTest("node\x00"+project, target, file, func() testGroup {
		u.argv = []string{"node", "--test"}
		return testGroup{unit: u, from: project}
	})
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

// npmEnv is what npm adds to the environment of a script and scripts look at.
func npmEnv(m manifest, event string) []string {
	return []string{
		"PATH=node_modules/.bin:/usr/local/bin:/usr/bin:/bin",
		"npm_lifecycle_event=" + event, "npm_package_name=" + strings.ReplaceAll(m.Name, "\x00", ""),
	}
}

// installScripts are the scripts that `npm install` runs in a package, in order;
// prepare only in the repository itself.
var installScripts = []string{"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"}

// packageHooks runs what an installer of the package would.
func (p *planner) packageHooks(file string) {
	dir := workspace.Parent(file)
	m := p.manifestOf(dir)
	script := npmScripts(m.Scripts, installScripts...)
	if script == "" {
		p.skip(file, nothing("it has no scripts that an installer runs"))
		return
	}
	p.add(unit{
		kind: kindHook, image: gate.LanguageJavaScript, targets: []string{file}, dir: dir,
		argv: []string{"sh", "-c", script}, env: append(nodeEnv(), npmEnv(m, "install")...),
	})
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
