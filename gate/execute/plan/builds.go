package plan

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
)

// An installer of Python packages runs code of the project: the commands of its setup.py, and the
// build back end that lies in its own tree (https://peps.python.org/pep-0517/#in-tree-build-backends).
// A build needs compilers and tools that the image lacks, so it goes on where a step fails.

// ownCommands says that a setup.py has commands of its own, which egg_info doesn't reach.
var ownCommands = regexp.MustCompile(`\bcmdclass\b`)

const (
	setupFile   = "gate_setup.py"
	backendFile = "gate_backend.py"
)

// setupRun is what pip runs of a setup.py behind egg_info.
const setupRun = `import runpy, sys
sys.argv = ["setup.py", "--quiet", "egg_info", "--egg-base", "/tmp", "build", "--build-base", "/tmp/gate-build", "install", "--root", "/tmp/gate-root"]
try:
    runpy.run_path("setup.py", run_name="__main__")
except (Exception, SystemExit) as error:
    print(error, file=sys.stderr)
`

// setupPy runs what pip runs of a package that has a setup.py.
func (p *planner) setupPy(file string) {
	m, dir := moduleOf(p.tree, file), workspace.Parent(file)
	p.add(Unit{
		Kind: Hook, Targets: []string{file}, Dir: dir,
		Job: pythonJob(job.RunFile, file, m.roots).With("--quiet", "egg_info", "--egg-base", "/tmp"),
	})
	if ownCommands.MatchString(p.tree.Text(file)) {
		builds(p, dir, setupFile, setupRun, m.roots, file)
	}
}

// builds adds a program of ours that builds the project of a folder.
func builds(p *planner, dir, name, text string, roots []string, targets ...string) {
	file := path.Join(dir, name)
	p.add(Unit{
		Kind: Hook, Targets: targets, Dir: dir, Extra: []workspace.File{{Path: file, Data: []byte(text)}},
		Job: pythonJob(job.RunFile, file, roots),
	})
}

// backend is a build back end in the tree of a project.
type backend struct {
	dir    string   // of its pyproject.toml
	object string   // "module" or "module:attribute"
	roots  []string // folders where its module is looked for
}

// backendOf reads the back end of the project of a folder.
func backendOf(t *workspace.Tree, dir string) (backend, bool) {
	project, ok := t.Above(dir, "pyproject.toml")
	if !ok {
		return backend{}, false
	}
	var m struct {
		BuildSystem struct {
			Backend string   `toml:"build-backend"`
			Path    []string `toml:"backend-path"`
		} `toml:"build-system"`
	}
	text := t.Text(path.Join(project, "pyproject.toml"))
	if len(text) >= workspace.MaxSource || toml.Unmarshal([]byte(text), &m) != nil || !entryObject.MatchString(m.BuildSystem.Backend) {
		return backend{}, false
	}
	b := backend{dir: project, object: m.BuildSystem.Backend}
	for _, d := range m.BuildSystem.Path {
		// Installers refuse folders outside of the project.
		if d = path.Join(project, d); d == "." {
			d = ""
		}
		if below(project, d) || d == project {
			b.roots = append(b.roots, d)
		}
	}
	b.roots = rootsIn(t, b.roots)
	return b, len(b.roots) > 0
}

// files are the changed files of Python that the back end has, sorted: its module or package, and
// what lies beside that in a folder of its own.
func (b backend) files(p *planner) []string {
	name, _, _ := strings.Cut(strings.ReplaceAll(b.object, ":", "."), ".")
	var out []string
	for file, t := range p.targets {
		if t.Language == gate.LanguagePython && p.tree.Has(file) && slices.ContainsFunc(b.roots, func(root string) bool {
			module := path.Join(root, name)
			return file == module+".py" || below(module, file) || root != b.dir && workspace.Parent(file) == root
		}) {
			out = append(out, file)
		}
	}
	slices.Sort(out)
	return out
}

// backendOfFile runs the back end in the tree of the project whose pyproject.toml, or whose module of
// the back end, a changed file is. It reports whether it does. One run is for all of them.
func backendOfFile(p *planner, file string) bool {
	b, ok := backendOf(p.tree, workspace.Parent(file))
	if !ok {
		return false
	}
	settings := path.Join(b.dir, "pyproject.toml")
	targets := b.files(p)
	if p.targets[settings] != nil {
		targets = append([]string{settings}, targets...)
	}
	if !slices.Contains(targets, file) {
		return false
	}
	if file == targets[0] {
		builds(p, b.dir, backendFile, b.program(), b.roots, targets...)
	}
	return true
}

// program calls the hooks of a back end in the order of an installer.
func (b backend) program() string {
	module, attribute, _ := strings.Cut(b.object, ":")
	return fmt.Sprintf(`import functools, importlib, sys, tempfile
backend = functools.reduce(getattr, filter(None, %q.split(".")), importlib.import_module(%q))
for kind in ("wheel", "sdist", "editable"):
    for hook, folder in (("get_requires_for_build_", False), ("prepare_metadata_for_build_", True), ("build_", True)):
        call = getattr(backend, hook + kind, None)
        if call is None:
            continue
        try:
            call(tempfile.mkdtemp(), {}) if folder else call({})
        except (Exception, SystemExit) as error:
            print(hook + kind, error, file=sys.stderr)
`, attribute, module)
}
