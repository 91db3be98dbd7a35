package plan

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Which tests of Go are nearest to a change: those that it edits, and those whose name
// or text, or that of what they call in the tests, mentions what the change declares.

const (
	// maxGoNearest is how many tests are still worth running before the others.
	maxGoNearest = 200
	// maxGoImporters bounds the packages whose tests run for one that has none.
	maxGoImporters = 5
	// maxGoDistance is how far away these may be, in imports.
	maxGoDistance = 4
	// maxGoMentions bounds the steps from a test to what it calls.
	maxGoMentions = 4
)

// goDecl is a declaration of a file of tests.
type goDecl struct {
	name    string
	test    bool            // the go command runs it
	changed bool            // the change edits it
	uses    map[string]bool // names in it
}

// isGoTest reports whether the go command runs a function as a test.
func isGoTest(name string) bool {
	for _, kind := range []string{"Test", "Example", "Fuzz"} {
		rest, ok := strings.CutPrefix(name, kind)
		if first, _ := utf8.DecodeRuneInString(rest); ok && name != "TestMain" && !unicode.IsLower(first) {
			return true
		}
	}
	return false
}

// goDecls are the declarations of a file.
func (g *goPlanner) goDecls(file string) []goDecl {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, "", g.p.tree.Text(file), parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	touched := func(n ast.Node) bool {
		t := g.p.targets[file]
		return t != nil && t.Lines.Touches(set.PositionFor(n.Pos(), false).Line, set.PositionFor(n.End(), false).Line)
	}
	var out []goDecl
	add := func(name string, n ast.Node, test bool) {
		d := goDecl{name: name, test: test, changed: touched(n), uses: map[string]bool{}}
		ast.Inspect(n, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				d.uses[id.Name] = true
			}
			return true
		})
		out = append(out, d)
	}
	for _, d := range parsed.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(d.Name.Name, d, d.Recv == nil && isGoTest(d.Name.Name))
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					add(s.Name.Name, s, false)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						add(name.Name, s, false)
					}
				}
			}
		}
	}
	return out
}

// nearest are all tests of some folders, and those of them that are nearest to the
// changed files of others.
func (g *goPlanner) nearest(changed []*goPackage, folders []string) (all, near []string) {
	wanted := map[string]bool{}
	for _, pkg := range changed {
		for _, file := range pkg.targets {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, d := range g.goDecls(file) {
				if d.changed && d.name != "init" && d.name != "_" && d.name != "main" {
					wanted[d.name] = true
				}
			}
		}
	}
	var decls []goDecl
	for _, dir := range folders {
		for _, file := range g.p.tree.In(dir) {
			if strings.HasSuffix(file, "_test.go") && g.p.tree.Bytes(file) <= workspace.MaxSource {
				decls = append(decls, g.goDecls(file)...)
			}
		}
	}
	mentions := func(d goDecl) bool {
		if d.changed {
			return true
		}
		for name := range d.uses {
			if wanted[name] {
				return true
			}
		}
		return d.test && slices.ContainsFunc(slices.Collect(maps.Keys(wanted)), func(w string) bool {
			return len(w) > 3 && strings.Contains(strings.ToLower(d.name), strings.ToLower(w))
		})
	}
	for range maxGoMentions {
		grown := false
		for _, d := range decls {
			if !d.test && !wanted[d.name] && d.name != "_" && d.name != "init" && mentions(d) {
				wanted[d.name], grown = true, true
			}
		}
		if !grown {
			break
		}
	}
	for _, d := range decls {
		if d.test {
			all = append(all, d.name)
			if mentions(d) && !slices.Contains(near, d.name) {
				near = append(near, d.name)
			}
		}
	}
	return all, near
}

// ordered makes the nearest tests of some folders run first.
func (g *goPlanner) ordered(u *Unit, tests *job.GoTests, changed []*goPackage, folders []string) {
	all, near := g.nearest(changed, folders)
	u.Tests, u.Near = all, near
	if len(near) == 0 || len(near) > maxGoNearest || len(near) >= len(all) {
		return
	}
	quoted := make([]string, len(near))
	for i, n := range near {
		quoted[i] = regexp.QuoteMeta(n)
	}
	tests.Nearest = "^(" + strings.Join(quoted, "|") + ")$"
}

// budgeted adds to a unit what ends the tests of a folder when their time is over.
func (g *goPlanner) budgeted(u *Unit, dir string) {
	name := ""
	for _, file := range g.p.tree.In(dir) {
		if !strings.HasSuffix(file, ".go") {
			continue
		}
		if built, err := builtOnLinux(file, g.p.tree.Text(file), g.chosen[u.Dir]); err != nil || !built {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), "", g.p.tree.Text(file), parser.PackageClauseOnly)
		if err != nil {
			continue
		}
		if name = parsed.Name.Name; !strings.HasSuffix(file, "_test.go") {
			break // tests may be in a package of their own
		}
		name = strings.TrimSuffix(name, "_test")
	}
	file := path.Join(dir, "gate_budget_test.go")
	for g.p.tree.Has(file) {
		file = strings.TrimSuffix(file, "_test.go") + "_x_test.go"
	}
	if name != "" {
		u.Extra = append(u.Extra, workspace.File{Path: file, Data: job.GoBudgetTest(name)})
	}
}

// importers are the folders of the packages with tests that lead to a package by the
// fewest imports.
func (g *goPlanner) importers(module, dir string) []string {
	imported := g.importersOf(module)
	seen, level := map[string]bool{dir: true}, []string{dir}
	for range maxGoDistance {
		var next, tested []string
		for _, d := range level {
			for _, by := range imported[d] {
				if seen[by] {
					continue
				}
				seen[by] = true
				next = append(next, by)
				if g.hasTests(by) {
					tested = append(tested, by)
				}
			}
		}
		if len(tested) > 0 {
			slices.Sort(tested)
			return tested[:min(len(tested), maxGoImporters)]
		}
		level = next
	}
	return nil
}

// importersOf says of the folders of a module which others import them.
func (g *goPlanner) importersOf(module string) map[string][]string {
	name := g.moduleName(module)
	if name == "" {
		return nil
	}
	if g.imports == nil {
		g.imports = map[string]map[string][]string{}
	}
	if g.imports[module] == nil {
		g.imports[module] = g.importedBy(module, name)
	}
	return g.imports[module]
}

func (g *goPlanner) hasTests(dir string) bool {
	return slices.ContainsFunc(g.p.tree.In(dir), func(f string) bool { return strings.HasSuffix(f, "_test.go") })
}

var goModuleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

func (g *goPlanner) moduleName(module string) string {
	if m := goModuleLine.FindStringSubmatch(g.p.tree.Text(path.Join(module, "go.mod"))); m != nil {
		return m[1]
	}
	return ""
}

// importedBy says of the folders of a module which others import them.
func (g *goPlanner) importedBy(module, name string) map[string][]string {
	out := map[string][]string{}
	for _, f := range g.p.tree.Files {
		if f.Link != "" || !strings.HasSuffix(f.Path, ".go") || module != "" && !strings.HasPrefix(f.Path, module+"/") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), "", f.Data, parser.ImportsOnly)
		if err != nil {
			continue
		}
		from := workspace.Parent(f.Path)
		for _, i := range parsed.Imports {
			rest, ok := strings.CutPrefix(strings.Trim(i.Path.Value, "`\""), name)
			if !ok || rest != "" && rest[0] != '/' {
				continue
			}
			to := path.Join(module, rest)
			if to == "." {
				to = ""
			}
			if to = strings.TrimPrefix(to, "/"); to != from && !slices.Contains(out[to], from) {
				out[to] = append(out[to], from)
			}
		}
	}
	return out
}
