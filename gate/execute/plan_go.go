package execute

import (
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

// goPlanner gathers Go files by module: one run of go tests all changed packages
// of a module.
type goPlanner struct {
	p       *planner
	modules map[string]*goModule
	seen    map[string]bool // commands that have a unit: a folder or a file
}

type goModule struct {
	dir      string
	packages map[string]*goPackage // by folder
}

// goPackage is a folder with changed files.
type goPackage struct {
	dir     string
	name    string // of the package clause, without _test
	tests   bool   // it has test files
	targets []string
}

func newGoPlanner(p *planner) *goPlanner {
	return &goPlanner{p: p, modules: map[string]*goModule{}, seen: map[string]bool{}}
}

// file plans one Go file. Its text is parsed here, by Go's own parser; nothing of
// it is built outside of a container.
func (g *goPlanner) file(file string) {
	src := g.p.tree.Text(file)
	parsed, err := parser.ParseFile(token.NewFileSet(), "", src, parser.ImportsOnly)
	if err != nil {
		g.p.skip(file, cannot("it is not Go that can be parsed"))
		return
	}
	if slices.ContainsFunc(strings.Split(file, "/"), func(s string) bool { return s == "testdata" || s == "vendor" }) {
		g.p.skip(file, nothing("the go command ignores its folder"))
		return
	}
	for _, i := range parsed.Imports {
		if i.Path.Value == `"C"` {
			g.p.skip(file, cannot("it needs cgo, and the image has no C compiler"))
			return
		}
	}
	dir := workspace.Parent(file)
	module, known := g.p.tree.Above(dir, "go.mod")
	name := parsed.Name.Name
	switch built, err := builtOnLinux(file, src); {
	case err != nil:
		g.p.skip(file, cannot("its build constraints cannot be read"))
	case !built && name == "main":
		// A tool that is started by name: go run FILE.
		g.command(module, known, file, here(relative(module, file)), src)
	case !built:
		g.p.skip(file, cannot("its build constraints exclude Linux"))
	case name == "main" && !strings.HasSuffix(file, "_test.go"):
		g.command(module, known, file, here(relative(module, dir)), src)
		g.library(module, file, name)
	default:
		g.library(module, file, name)
	}
}

// here makes the go command take a path for a path.
func here(p string) string {
	if p == "." || strings.HasPrefix(p, "./") {
		return p
	}
	return "./" + p
}

// builtOnLinux reports whether the go command would build the file on the
// architecture of the images.
func builtOnLinux(file, src string) (bool, error) {
	ctx := build.Context{
		GOOS: "linux", GOARCH: "amd64", Compiler: "gc", ReleaseTags: build.Default.ReleaseTags,
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(src)), nil },
	}
	return ctx.MatchFile("", path.Base(file))
}

// goEnv holds what differs from the image's environment. The cache lies in /tmp,
// with what the build needs; what it starts with is compiled into the image.
var goEnv = []string{"GOCACHE=/tmp/gocache", "GOTMPDIR=/tmp"}

// buildFailed is the exit code by which a unit says that the program was never
// started. A program that ends with it itself is only described wrongly.
const buildFailed = 125

// goRun is `go run` that tells a failed build from a failed program.
func goRun() string {
	return fmt.Sprintf(`go build -o /tmp/program "$0" || exit %d; exec /tmp/program "$@"`, buildFailed)
}

// command builds and runs a program.
func (g *goPlanner) command(module string, known bool, file, what, src string) {
	if !strings.HasSuffix(what, ".go") && g.seen[module+"\x00"+what] {
		for i := range g.p.plan.units {
			u := &g.p.plan.units[i]
			if u.kind == kindScript && u.image == gate.LanguageGo && u.dir == module && u.argv[3] == what {
				u.targets = append(u.targets, file)
			}
		}
		return
	}
	g.seen[module+"\x00"+what] = true
	u := unit{
		kind: kindScript, image: gate.LanguageGo, targets: []string{file}, dir: module, env: goEnv,
		// $0 is what to build, so that $@ is what the program gets.
		argv:  []string{"sh", "-c", goRun(), what},
		extra: g.synthetic(known),
	}
	if wantsArguments(src) {
		u.help = append(slices.Clone(u.argv), "--help")
	}
	g.p.add(u)
}

// syntheticModule is what a tree without a module is called.
const syntheticModule = "gate.invalid/workspace"

// synthetic is the go.mod of a tree that has none.
func (g *goPlanner) synthetic(known bool) []workspace.File {
	if known {
		return nil
	}
	return []workspace.File{{Path: "go.mod", Data: []byte("module " + syntheticModule + "\n\ngo 1.21\n")}}
}

// library notes that the package of a file is to be tested.
func (g *goPlanner) library(module, file, name string) {
	m := g.modules[module]
	if m == nil {
		m = &goModule{dir: module, packages: map[string]*goPackage{}}
		g.modules[module] = m
	}
	dir := workspace.Parent(file)
	pkg := m.packages[dir]
	if pkg == nil {
		pkg = &goPackage{dir: dir, name: strings.TrimSuffix(name, "_test")}
		pkg.tests = slices.ContainsFunc(g.p.tree.In(dir), func(f string) bool { return strings.HasSuffix(f, "_test.go") })
		m.packages[dir] = pkg
	}
	pkg.targets = append(pkg.targets, file)
}

// finish makes the units of all modules: one for the packages with tests, and one
// that links and initialises those without. Commands without tests were run, which
// says more.
func (g *goPlanner) finish() {
	for _, dir := range slices.Sorted(maps.Keys(g.modules)) {
		var tested, others []*goPackage
		for _, d := range slices.Sorted(maps.Keys(g.modules[dir].packages)) {
			switch pkg := g.modules[dir].packages[d]; {
			case pkg.tests:
				tested = append(tested, pkg)
			case pkg.name != "main":
				others = append(others, pkg)
			}
		}
		g.test(kindTests, dir, tested)
		g.test(kindModule, dir, others)
	}
}

// emptyTest is what a package without tests gets, so that `go test` links it and
// runs its init functions.
const emptyTest = "package %s\n\nimport \"testing\"\n\nfunc TestGateImports(*testing.T) {}\n"

func (g *goPlanner) test(kind, module string, packages []*goPackage) {
	if len(packages) == 0 {
		return
	}
	_, known := g.p.tree.Above(module, "go.mod")
	u := unit{
		kind: kind, image: gate.LanguageGo, dir: module, env: goEnv, extra: g.synthetic(known),
		argv: []string{"go", "test", "-count=1", "-vet=off"},
	}
	if kind == kindModule {
		u.argv = append(u.argv, "-v") // or what init prints would be lost
	}
	for _, pkg := range packages {
		u.argv = append(u.argv, here(relative(module, pkg.dir)))
		u.targets = append(u.targets, pkg.targets...)
		if kind == kindModule {
			u.extra = append(u.extra, workspace.File{Path: path.Join(pkg.dir, "gate_imports_test.go"), Data: fmt.Appendf(nil, emptyTest, pkg.name)})
		}
	}
	g.p.add(u)
}
