package execute

import (
	_ "embed"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

// pythonBootstrap puts the roots of the repository on the module path, which
// `python3 -I` leaves empty, and runs or imports the target; where it is told to,
// it notes which lines run.
var pythonBootstrap = pythonCover + pythonUnpack + pythonRestrict + pythonStandIn + pythonStart

//go:embed bootstrap/python.py
var pythonStart string

//go:embed bootstrap/standin.py
var pythonStandIn string

//go:embed bootstrap/restrict.py
var pythonRestrict string

//go:embed bootstrap/unpack.py
var pythonUnpack string

//go:embed bootstrap/cover.py
var pythonCover string

// The modes of the bootstrap.
const (
	pythonRunFile   = "file"   // a path, as __main__
	pythonRunModule = "main"   // a module name, as __main__, like python -m
	pythonImport    = "import" // a module name
	pythonLoad      = "load"   // a path, as a module: its folder has no name that Python can import
)

// pythonJob is what the bootstrap is told.
type pythonJob struct {
	Mode   string   `json:"mode"`
	Roots  []string `json:"roots"`
	Target string   `json:"target"`
	Clock  int64    `json:"clock,omitempty"` // what time it is at the start, in seconds since 1970; 0 is now
	// Cover are the files whose lines are counted also where nothing loads them;
	// nil watches nothing.
	Cover    []string `json:"cover,omitempty"`
	Exercise bool     `json:"exercise,omitempty"`  // call the functions of the module that want no arguments
	StandIns []string `json:"stand_ins,omitempty"` // modules that are not there and are made up
	// Restrict refuses imports and calls before the program starts; nil refuses nothing.
	Restrict *pythonLimits `json:"restrict,omitempty"`
}

func pythonArgv(mode, target string, roots []string, args ...string) []string {
	job, _ := json.Marshal(pythonJob{Mode: mode, Target: target, Roots: roots}) // strings only: cannot fail
	return append([]string{"python3", "-I", "-B", "-u", "-c", pythonBootstrap, string(job)}, args...)
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
	m := p.pythonModule(file)
	_, marked := shebang(text)
	u := unit{kind: kindModule, image: gate.LanguagePython, targets: []string{file}}
	switch {
	case path.Base(file) == "__init__.py": // a package is imported, whatever it does
		u.argv = pythonArgv(pythonImport, m.name, m.roots)
	case marked || p.tree.Executable(file) || pythonScript(text) || path.Base(file) == "__main__.py":
		u.kind = kindScript
		u.argv = m.run(file)
		if wantsArguments(text) {
			u.help = append(slices.Clone(u.argv), "--help")
		}
	case m.name != "":
		u.argv = pythonArgv(pythonImport, m.name, m.roots)
	default:
		u.argv = pythonArgv(pythonLoad, file, m.roots)
	}
	p.add(u)
	for _, test := range p.namedTests(file, m.project) {
		p.pythonTest(test, file)
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
	p.add(unit{kind: kindHook, image: gate.LanguagePython, targets: []string{file},
		argv: []string{"python3", "-I", "-B", "-c", strings.Join(code, "\n")}})
}

// pythonName is what Python calls a file and where it has to look for it.
type pythonName struct {
	name    string // dotted; "" when no folder makes it importable
	pack    bool   // the file lies in a package: relative imports work only by name
	project string
	roots   []string // folders for the module path
}

// run is the command line that runs the file as a program.
func (m pythonName) run(file string) []string {
	if m.pack && m.name != "" {
		return pythonArgv(pythonRunModule, strings.TrimSuffix(m.name, ".__main__"), m.roots)
	}
	return pythonArgv(pythonRunFile, file, m.roots)
}

var identifier = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)

// pythonModule finds out the name of a module: packages reach as far up as there
// is an __init__.py; above them, or without, src layouts and project folders are
// where names begin.
func (p *planner) pythonModule(file string) pythonName {
	dir := workspace.Parent(file)
	top := dir
	for top != "" && p.tree.Has(path.Join(top, "__init__.py")) {
		top = workspace.Parent(top)
	}
	project, _ := p.tree.Above(dir, pythonProjectFiles...)
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
	m.roots = p.roots(append([]string{root, dir}, candidates...))
	if m.pack {
		// Its own folder is not where a module of a package looks first: a file
		// json.py there would stand for the library's.
		m.roots = append(slices.DeleteFunc(m.roots, func(r string) bool { return r == dir && r != root }), dir)
	}
	rel := relative(root, strings.TrimSuffix(strings.TrimSuffix(file, path.Ext(file)), "/__init__"))
	parts := strings.Split(rel, "/")
	if !slices.ContainsFunc(parts, func(s string) bool { return !identifier.MatchString(s) }) {
		m.name = strings.Join(parts, ".")
	}
	return m
}

// roots returns the folders that exist, each once, in order.
func (p *planner) roots(dirs []string) []string {
	var out []string
	for _, d := range dirs {
		if p.tree.Dirs[d] && !slices.Contains(out, d) {
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
	m := p.pythonModule(file)
	roots := p.roots([]string{m.project, path.Join(m.project, "src"), "", "src"})
	u := unit{kind: kindTests, image: gate.LanguagePython, dir: m.project}
	if p.usesPytest(file, m.project) {
		p.addTest("pytest\x00"+m.project, target, file, func() testGroup {
			// The repository's own options often name plugins that are not there.
			u.argv = pythonArgv(pythonRunModule, "pytest", roots, "-q", "--color=no", "-p", "no:cacheprovider", "-o", "addopts=")
			return testGroup{unit: u, from: m.project}
		})
		return
	}
	p.addTest("unittest\x00"+m.project, target, file, func() testGroup {
		u.argv = pythonArgv(pythonRunModule, "unittest", roots, "-v")
		return testGroup{unit: u, from: m.project}
	})
}

func (p *planner) usesPytest(file, project string) bool {
	text := p.tree.Text(file)
	if importsPytest.MatchString(text) || !usesUnittest.MatchString(text) {
		return true
	}
	for _, conf := range []string{"pytest.ini", "conftest.py", "tox.ini", "setup.cfg", "pyproject.toml"} {
		if strings.Contains(p.tree.Text(path.Join(project, conf)), "pytest") {
			return true
		}
	}
	_, conftest := p.tree.Above(workspace.Parent(file), "conftest.py")
	return conftest
}
