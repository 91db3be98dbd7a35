package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/ways"
)

func pythonJob(mode job.Mode, target string, roots []string) job.Job {
	return job.Job{Image: gate.LanguagePython, Program: job.Python{Mode: mode, Target: target, Roots: roots}}
}

var pythonProjectFiles = []string{"pyproject.toml", "setup.py", "setup.cfg"}

// python plans one Python file.
func (p *planner) python(file string) {
	text := p.tree.Text(file)
	switch path.Ext(file) {
	case ".pyi":
		p.skip(file, nothing("type declarations"))
		return
	case ".pyx":
		p.skip(file, cannot("Cython has to be compiled first"))
		return
	case ".pth":
		p.pythonPathFile(file)
		return
	}
	if isPythonTest(file, text) {
		p.pythonTest(file, file)
		return
	}
	m := moduleOf(p.tree, file)
	_, marked := Shebang(text)
	u := Unit{Kind: Module, Targets: []string{file}}
	switch {
	case path.Base(file) == "__init__.py": // a package is imported, whatever it does
		u.Job = m.by(job.Import, m.name)
	case marked || p.tree.Executable(file) || pythonScript(text) || path.Base(file) == "__main__.py":
		u.Kind = Script
		u.Job, u.Help = m.run(file), wantsArguments(text)
	case m.name != "":
		u.Job = m.by(job.Import, m.name)
	default:
		u.Job = m.by(job.Load, file)
	}
	p.add(u)
	p.asTheKernel(file)
	backendOfFile(p, file)
	named := p.namedTests(file, m.project)
	for _, test := range named {
		p.far[test] = false
	}
	for _, test := range slices.Concat(named, importing(p, file, m.project, named)) {
		p.pythonTest(test, file)
	}
	if doctestCode.MatchString(text) && p.runsDoctests(m.project) {
		p.pytest(file, file, m.project, "--doctest-modules")
	}
}

// pythonPathFile runs the lines of a .pth file that Python itself would execute
// at its start: those that begin with import.
func (p *planner) pythonPathFile(file string) {
	var code []string
	for line := range strings.Lines(p.tree.Text(file)) {
		if strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "import\t") {
			code = append(code, strings.TrimRight(line, "\r\n"))
		}
	}
	if len(code) == 0 {
		p.skip(file, nothing("no line of it is executed by Python"))
		return
	}
	p.add(Unit{Kind: Hook, Targets: []string{file}, Job: job.Job{
		Image:   gate.LanguagePython,
		Program: job.Command{Argv: []string{"python3", "-I", "-B", "-c", strings.Join(code, "\n")}, OwnInterpreter: true},
	}})
}

// pythonName is what Python calls a file and where it has to look for it.
type pythonName struct {
	name    string // dotted; "" when no folder makes it importable
	pack    bool   // the file lies in a package: relative imports work only by name
	project string
	roots   []string // folders for the module path
	dir     string   // of the file
}

// run is the job that runs the file as a program.
func (m pythonName) run(file string) job.Job {
	if m.pack && m.name != "" {
		return m.by(job.RunModule, strings.TrimSuffix(m.name, ".__main__"))
	}
	roots := []string{m.roots[0]}
	if !slices.Contains(roots, m.dir) {
		roots = append(roots, m.dir)
	}
	return pythonJob(job.RunFile, file, append(roots, slices.DeleteFunc(slices.Clone(m.roots[1:]), func(r string) bool { return r == m.dir })...))
}

// by is the job that starts the file in another way. Its own folder is the last place
// where a module is looked for: a file json.py there would hide the library's.
func (m pythonName) by(mode job.Mode, target string) job.Job {
	p := job.Python{Mode: mode, Target: target, Roots: m.roots}
	if !slices.Contains(m.roots, m.dir) {
		p.Last = []string{m.dir}
	}
	return job.Job{Image: gate.LanguagePython, Program: p}
}

var identifier = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)

// moduleOf finds out the name of a module: packages reach as far up as there
// is an __init__.py; above them, or without, src layouts and project folders are
// where names begin.
func moduleOf(t *workspace.Tree, file string) pythonName {
	dir := workspace.Parent(file)
	top := dir
	for top != "" && t.Has(path.Join(top, "__init__.py")) {
		top = workspace.Parent(top)
	}
	project, _ := t.Above(dir, pythonProjectFiles...)
	m := pythonName{pack: top != dir, project: project}
	candidates := []string{path.Join(project, "src"), project, "src", ""}
	root := top
	if !m.pack {
		for _, c := range candidates {
			if c == dir || c == "" || strings.HasPrefix(dir, c+"/") {
				root = c
				break
			}
		}
	}
	m.roots, m.dir = rootsIn(t, append([]string{root}, candidates...)), dir
	rel := Relative(root, strings.TrimSuffix(strings.TrimSuffix(file, path.Ext(file)), "/__init__"))
	parts := strings.Split(rel, "/")
	if !slices.ContainsFunc(parts, func(s string) bool { return !identifier.MatchString(s) }) {
		m.name = strings.Join(parts, ".")
	}
	return m
}

// roots returns the folders that exist, each once, in order.
func rootsIn(t *workspace.Tree, dirs []string) []string {
	var out []string
	for _, d := range dirs {
		if t.Dirs[d] && !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

var (
	pythonTestName = regexp.MustCompile(`^(test_.*|.*_test|tests?)\.py$`)
	pythonTestCode = regexp.MustCompile(`(?m)^\s*(async\s+)?def test\w*\(|^class \w*Test\w*\b|\bunittest\.TestCase\b`)
	importsPytest  = regexp.MustCompile(`(?m)^\s*(import|from)\s+pytest\b`)
	usesUnittest   = regexp.MustCompile(`(?m)^\s*(import|from)\s+unittest\b`)
)

func isPythonTest(file, text string) bool {
	return pythonTestName.MatchString(path.Base(file)) && pythonTestCode.MatchString(text)
}

// pythonTest puts a test file into the run of the runner that its project uses.
func (p *planner) pythonTest(file, target string) {
	m := moduleOf(p.tree, file)
	way := p.ways.ofPython(m.project)
	if !importsPytest.MatchString(p.tree.Text(file)) && django(p, way, m.project, file, target) {
		return
	}
	if way.Runner == "pytest" || usesPytest(p.tree, file, m.project) && (way.Runner == "" || importsPytest.MatchString(p.tree.Text(file)) || !usesUnittest.MatchString(p.tree.Text(file))) {
		p.pytest(file, target, m.project)
		return
	}
	dir := startedIn(p.tree, way, m.project, file)
	p.addTest("unittest\x00"+dir, target, file, func() testGroup {
		roots := unique(testRoots(p.tree, m.project), way.Roots)
		u := Unit{Kind: Tests, Dir: dir, Job: pythonJob(job.RunModule, "unittest", roots).ForChildren(roots).With("-v").In(way.Env...), Left: way.Left}
		return testGroup{unit: u, from: dir}
	})
}

// django puts a file of tests into a run of the manage.py of its project, where that is how the
// project runs its tests. It reports whether it is.
func django(p *planner, way ways.Tests, project, file, target string) bool {
	dir := workspace.Parent(way.Program)
	if way.Runner != "django" || !p.tree.Has(way.Program) || !below(dir, file) {
		return false
	}
	p.addTest("django\x00"+way.Program, target, file, func() testGroup {
		roots := unique(append([]string{dir}, testRoots(p.tree, project)...), nil)
		j := pythonJob(job.RunFile, way.Program, roots).ForChildren(roots).Dotted().With("test", "--noinput").With(way.Options...).In(way.Env...)
		return testGroup{unit: Unit{Kind: Tests, Dir: dir, Job: j, Left: way.Left}, from: dir}
	})
	return true
}

// startedIn is the folder in which the tests of a file start.
func startedIn(t *workspace.Tree, way ways.Tests, project, file string) string {
	if way.Runner != "" && t.Dirs[way.Dir] && (way.Dir == "" || strings.HasPrefix(file, way.Dir+"/")) {
		return way.Dir
	}
	return project
}

// unique are the folders of both, each once.
func unique(a, b []string) []string {
	out := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// pytest puts a file into a run of pytest. Options that leave tests out count where the change
// touches no tests of the project: no change may hide its own tests behind a mark.
func (p *planner) pytest(file, target, project string, options ...string) {
	way := p.ways.ofPython(project)
	dir := startedIn(p.tree, way, project, file)
	options = slices.Concat(way.Options, options)
	if !p.ways.touched(p.targets, project) {
		options = append(options, way.Select...)
	}
	p.addTest("pytest\x00"+dir+"\x00"+strings.Join(options, "\x00"), target, file, func() testGroup {
		// The repository's own options often name plugins that are not there.
		roots := unique(testRoots(p.tree, project), way.Roots)
		j := pythonJob(job.RunModule, "pytest", roots).ForChildren(roots).With("-q", "--color=no", "-p", "no:cacheprovider", "-o", "addopts=").In(way.Env...)
		return testGroup{unit: Unit{Kind: Tests, Dir: dir, Job: j.With(options...), Left: way.Left}, from: dir}
	})
}

// testRoots are the folders in which tests of a project find its modules.
func testRoots(t *workspace.Tree, project string) []string {
	return rootsIn(t, []string{project, path.Join(project, "src"), "", "src"})
}

// doctestCode is an example in a text that doctest runs.
var doctestCode = regexp.MustCompile(`(?m)^[ \t]*>>> \S`)

// runsDoctests reports whether the settings of a project's tests name doctests.
func (p *planner) runsDoctests(project string) bool {
	return slices.ContainsFunc(pytestSettings, func(conf string) bool {
		return strings.Contains(p.tree.Text(path.Join(project, conf)), "doctest-modules")
	})
}

// pytestSettings are the files in which pytest looks for its settings, and those that run
// tests.
var pytestSettings = []string{"pytest.ini", ".pytest.ini", "conftest.py", "tox.ini", "setup.cfg", "pyproject.toml", "noxfile.py", "Makefile"}

func usesPytest(t *workspace.Tree, file, project string) bool {
	text := t.Text(file)
	if importsPytest.MatchString(text) || !usesUnittest.MatchString(text) {
		return true
	}
	for _, conf := range []string{"pytest.ini", "conftest.py", "tox.ini", "setup.cfg", "pyproject.toml"} {
		if strings.Contains(t.Text(path.Join(project, conf)), "pytest") {
			return true
		}
	}
	_, conftest := t.Above(workspace.Parent(file), "conftest.py")
	return conftest
}
