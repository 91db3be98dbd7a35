package plan

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
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// goPlanner gathers Go files by module and package.
type goPlanner struct {
	p       *planner
	modules map[string]*goModule
	seen    map[string]bool                // commands that have a unit: a folder or a file
	chosen  map[string]string              // build tags by module
	imports map[string]map[string][]string // by module and folder: the folders that import it
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
	return &goPlanner{p: p, chosen: map[string]string{}, modules: map[string]*goModule{}, seen: map[string]bool{}}
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
		g.p.skip(file, cannot("the go command ignores its folder"))
		return
	}
	for _, i := range parsed.Imports {
		if i.Path.Value == `"C"` {
			g.p.skip(file, cannot("it needs cgo, and the image has no C compiler"))
			return
		}
	}
	dir := workspace.Parent(file)
	generators(g.p, file, src)
	module, known := g.p.tree.Above(dir, "go.mod")
	name := parsed.Name.Name
	switch built, err := builtOnLinux(file, src, g.tags(module)); {
	case err != nil:
		g.p.skip(file, cannot("its build constraints cannot be read"))
	case !built && name == "main":
		// A tool that is started by name: go run FILE.
		g.command(module, known, file, GoPath(module, file), src)
	case !built:
		g.p.skip(file, cannot("its build constraints exclude Linux"))
	case name == "main" && !strings.HasSuffix(file, "_test.go"):
		g.command(module, known, file, GoPath(module, dir), src)
		g.library(module, file, name)
	default:
		g.library(module, file, name)
	}
}

// GoPath names a path in or below a module as the go command takes it.
func GoPath(module, p string) string { return here(Relative(module, p)) }

// here makes the go command take a path for a path.
func here(p string) string {
	if p == "." || strings.HasPrefix(p, "./") {
		return p
	}
	return "./" + p
}

// builtOnLinux reports whether the go command would build the file on the
// architecture of the images, with build tags ("a,b").
func builtOnLinux(file, src, tags string) (bool, error) {
	ctx := build.Context{
		BuildTags: strings.FieldsFunc(tags, func(r rune) bool { return r == ',' }),
		GOOS:      "linux", GOARCH: "amd64", Compiler: "gc", ReleaseTags: build.Default.ReleaseTags,
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(src)), nil },
	}
	return ctx.MatchFile("", path.Base(file))
}

// tags are the build tags with which a module is built and tested: of those that the base's
// own commands have, the first with which most of its changed files are built.
func (g *goPlanner) tags(module string) string {
	if tags, ok := g.chosen[module]; ok {
		return tags
	}
	best, most := "", -1
	for _, tags := range g.p.ways.ways.Go(module).Tags {
		built := 0
		for _, file := range slices.Sorted(maps.Keys(g.p.targets)) {
			if at, _ := g.p.tree.Above(workspace.Parent(file), "go.mod"); at != module || path.Ext(file) != ".go" || !g.p.tree.Has(file) {
				continue
			}
			if ok, err := builtOnLinux(file, g.p.tree.Text(file), tags); ok && err == nil {
				built++
			}
		}
		if built > most {
			best, most = tags, built
		}
	}
	g.chosen[module] = best
	return best
}

// job is a job of Go as its module runs it.
func (g *goPlanner) job(module string, program job.Program) job.Job {
	j := job.Job{Image: gate.LanguageGo, Program: program}
	if _, tests := program.(job.GoTests); tests {
		j = j.In(g.p.ways.ways.Go(module).Env...)
	}
	if tags := g.tags(module); tags != "" {
		j = j.In("GOFLAGS=-tags=" + tags)
	}
	return j
}

// command builds and runs a program.
func (g *goPlanner) command(module string, known bool, file, what, src string) {
	if !strings.HasSuffix(what, ".go") && g.seen[module+"\x00"+what] {
		for i := range g.p.plan.Units {
			u := &g.p.plan.Units[i]
			if u.Job.Program == (job.GoProgram{What: what}) && u.Dir == module {
				u.Targets = append(u.Targets, file)
			}
		}
		return
	}
	g.seen[module+"\x00"+what] = true
	g.p.add(Unit{
		Kind: Script, Targets: []string{file}, Dir: module, Extra: append(MissingModule(known), g.told(file, what)...), Help: wantsArguments(src),
		Job: g.job(module, job.GoProgram{What: what}),
	})
}

// serves is a source that may wait for others.
var serves = regexp.MustCompile(`Listen|Serve|\.Run\(`)

// toldFile is what a program finds beside it that may be ended while it serves.
const toldFile = "gate_told.go"

// told is what makes a program tell which of its lines ran when it is ended. Others find
// no such file: with a goroutine that waits for a signal, Go does not notice that
// everything else waits for ever.
func (g *goPlanner) told(file, what string) []workspace.File {
	dir := workspace.Parent(file)
	at := path.Join(dir, toldFile)
	if strings.HasSuffix(what, ".go") || g.p.tree.Has(at) {
		return nil
	}
	for _, f := range g.p.tree.In(dir) {
		if strings.HasSuffix(f, ".go") && !strings.HasSuffix(f, "_test.go") && serves.MatchString(g.p.tree.Text(f)) {
			return []workspace.File{{Path: at, Data: job.GoTold()}}
		}
	}
	return nil
}

// SyntheticModule is what a tree without a module is called.
const SyntheticModule = "gate.invalid/workspace"

// MissingModule is the go.mod of a tree that has none.
func MissingModule(known bool) []workspace.File {
	if known {
		return nil
	}
	return []workspace.File{{Path: "go.mod", Data: []byte("module " + SyntheticModule + "\n\ngo 1.21\n")}}
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
		pkg.tests = g.hasTests(dir)
		m.packages[dir] = pkg
	}
	pkg.targets = append(pkg.targets, file)
}

// finish makes the units of all modules: those of the packages with tests, and one
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
		g.tests(dir, tested)
		g.test(Module, dir, others, others)
		g.fromElsewhere(dir, others)
	}
	g.counted()
}

// counted names the packages whose lines a program counts: its own, and those that the
// change touches and the program consists of. All others are compiled without counters, as
// the image may have them.
func (g *goPlanner) counted() {
	for i := range g.p.plan.Units {
		u := &g.p.plan.Units[i]
		program, ok := u.Job.Program.(job.GoProgram)
		if !ok || strings.HasSuffix(program.What, ".go") {
			continue
		}
		if _, workspace := g.p.tree.Above(u.Dir, "go.work"); workspace {
			continue // packages of other modules count as well
		}
		of := []string{program.What}
		if m := g.modules[u.Dir]; m != nil {
			own := path.Join(u.Dir, program.What)
			if own == "." {
				own = ""
			}
			for _, dir := range slices.Sorted(maps.Keys(m.packages)) {
				if dir != own && g.partOf(u.Dir, dir, own) {
					of = append(of, GoPath(u.Dir, dir))
				}
			}
		}
		if g.moduleName(u.Dir) == "" || slices.ContainsFunc(of, func(p string) bool { return strings.ContainsAny(p, ",\\") || strings.Contains(p, "...") }) {
			continue
		}
		program.Of = strings.Join(of, ",")
		u.Job.Program = program
	}
}

// partOf reports whether a package of a module is part of a program of it.
func (g *goPlanner) partOf(module, dir, program string) bool {
	seen, todo := map[string]bool{dir: true}, []string{dir}
	for len(todo) > 0 {
		at := todo[0]
		todo = todo[1:]
		for _, by := range g.importersOf(module)[at] {
			if by == program {
				return true
			}
			if !seen[by] {
				seen[by], todo = true, append(todo, by)
			}
		}
	}
	return false
}

// emptyTest is what a package without tests gets, so that `go test` links it and
// runs its init functions.
const emptyTest = "package %s\n\nimport \"testing\"\n\nfunc TestGateImports(*testing.T) {}\n"

// maxGoAlone is how many packages of a module are tested each in a run of its own. More are
// tested in one: each run compiles and links for itself.
const maxGoAlone = 8

// tests makes the units of packages with tests: one for each, so that a run is the same as long
// as its package, and what that imports, is. What is nearest to the change is told by those
// packages only.
func (g *goPlanner) tests(module string, packages []*goPackage) {
	if len(packages) > maxGoAlone {
		g.test(Tests, module, packages, packages)
		return
	}
	for _, pkg := range packages {
		reached := slices.DeleteFunc(slices.Clone(packages), func(other *goPackage) bool {
			return other != pkg && !g.partOf(module, other.dir, pkg.dir)
		})
		g.test(Tests, module, []*goPackage{pkg}, reached)
	}
}

// test makes the unit of some packages. Reached are the changed packages by which it is told
// which of their tests are nearest.
func (g *goPlanner) test(kind, module string, packages, reached []*goPackage) {
	if len(packages) == 0 {
		return
	}
	_, known := g.p.tree.Above(module, "go.mod")
	u := Unit{Kind: kind, Dir: module, Extra: MissingModule(known)}
	tests := job.GoTests{Verbose: true} // or what init prints would be lost, and which tests ran
	for _, pkg := range packages {
		tests.Packages = append(tests.Packages, GoPath(module, pkg.dir))
		u.Targets = append(u.Targets, pkg.targets...)
		if kind == Module {
			u.Extra = append(u.Extra, workspace.File{Path: path.Join(pkg.dir, "gate_imports_test.go"), Data: fmt.Appendf(nil, emptyTest, pkg.name)})
		}
	}
	if kind == Tests {
		var folders []string
		for _, pkg := range packages {
			folders = append(folders, pkg.dir)
			g.budgeted(&u, pkg.dir)
		}
		g.ordered(&u, &tests, reached, folders)
	}
	u.Job = g.job(module, tests)
	g.p.add(u)
}

// fromElsewhere runs the tests of other packages that are nearest to packages which have
// none of their own.
func (g *goPlanner) fromElsewhere(module string, packages []*goPackage) {
	for _, pkg := range packages {
		folders := g.importers(module, pkg.dir)
		if len(folders) == 0 {
			continue
		}
		u := Unit{Kind: Tests, Dir: module, Targets: pkg.targets}
		tests := job.GoTests{Verbose: true, Of: []string{GoPath(module, pkg.dir)}}
		for _, dir := range folders {
			tests.Packages = append(tests.Packages, GoPath(module, dir))
			g.budgeted(&u, dir)
		}
		g.ordered(&u, &tests, []*goPackage{pkg}, folders)
		u.Job = g.job(module, tests)
		g.p.add(u)
	}
}
