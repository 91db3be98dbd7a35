package arch

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"strings"
	"testing"
)

// source is one package of a sample: its path below the module, and its text.
type source struct{ at, text string }

// sample type-checks packages that are made up, each after those that it imports.
func sample(t *testing.T, sources ...source) []Typed {
	t.Helper()
	fset := token.NewFileSet()
	known := imports{}
	var out []Typed
	for _, s := range sources {
		file, err := parser.ParseFile(fset, s.at+"/sample.go", "package "+path.Base(s.at)+"\n"+s.text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		info := &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
			Selections: map[*ast.SelectorExpr]*types.Selection{},
		}
		p := Typed{ImportPath: Module + "/" + s.at, Fset: fset, Files: []*ast.File{file}, Info: info}
		config := types.Config{Importer: known}
		if p.Types, err = config.Check(p.ImportPath, fset, p.Files, info); err != nil {
			t.Fatal(err)
		}
		known[p.ImportPath] = p.Types
		out = append(out, p)
	}
	return out
}

// imports finds the packages of a sample, and those of the standard library.
type imports map[string]*types.Package

func (i imports) Import(at string) (*types.Package, error) {
	if p, ok := i[at]; ok {
		return p, nil
	}
	return importer.Default().Import(at)
}

// expect compares complaints with the one that is wanted, "" for none.
func expect(t *testing.T, wrong []string, want string) {
	t.Helper()
	if got := strings.Join(wrong, "\n"); want == "" && got != "" || !strings.Contains(got, want) {
		t.Errorf("complaints %q, want %q", got, want)
	}
}

func TestCheckPolicyKeys(t *testing.T) {
	const (
		vocabulary = `
			type Policy struct { Rate Rate; Usages []Usage }
			type Rate struct { Runs int }
			type Usage struct { Rule string }`
		header = `
			import "` + Module + `/gate"
			type key struct { name string; set func(p *gate.Policy) }
			func set(any) {}
			func usages(u *[]gate.Usage) {}`
		both = `
			func keys() []key { return []key{
				{name: "rate.runs", set: func(p *gate.Policy) { set(&p.Rate.Runs) }},
				{name: "usages", set: func(p *gate.Policy) { usages(&p.Usages) }},
			} }`
		user = `
			import "` + Module + `/gate"
			func rule(u gate.Usage) string { return u.Rule }`
	)
	tests := map[string]struct{ vocabulary, table, user, want string }{
		"every field is read":                  {vocabulary, header + both, user + "\nfunc f(p gate.Policy) int { return p.Rate.Runs }", ""},
		"a field is read through a pointer":    {vocabulary, header + both, user + "\nfunc f(r *gate.Rate) bool { return 0 < r.Runs }", ""},
		"a field is read by no code":           {vocabulary, header + both, user, "rate.runs does nothing: no code outside of gate/policy reads gate.Rate.Runs"},
		"a field is only blanked":              {vocabulary, header + both, user + "\nfunc f(p gate.Policy) { p.Rate.Runs = 0 }", "rate.runs does nothing"},
		"the struct around it is only blanked": {vocabulary, header + both, user + "\nfunc f(p gate.Policy) { p.Rate = gate.Rate{} }", "rate.runs does nothing"},
		"a field is only copied":               {vocabulary, header + both, user + "\nfunc f(p, q gate.Policy) { p.Rate.Runs = q.Rate.Runs }", "rate.runs does nothing"},
		"a field is only copied in a literal":  {vocabulary, header + both, user + "\nfunc f(p gate.Policy) any { return gate.Rate{Runs: p.Rate.Runs} }", "rate.runs does nothing"},
		"only the address of a field is taken": {vocabulary, header + both, user + "\nfunc f(p gate.Policy) any { return &p.Rate.Runs }", "rate.runs does nothing"},
		"a field is read by gate/policy only":  {vocabulary, header + both + "\nfunc f(p gate.Policy) int { return p.Rate.Runs }", user, "rate.runs does nothing"},
		"a field of an element is not read":    {vocabulary, header + both, "\nimport \"" + Module + "/gate\"\nfunc f(p gate.Policy) int { return p.Rate.Runs + len(p.Usages) }", "usages does nothing: no code outside of gate/policy reads gate.Usage.Rule"},
		"a field of no key": {vocabulary, header + `
			func keys() []key { return []key{ {name: "usages", set: func(p *gate.Policy) { usages(&p.Usages) }} } }`, user, "no policy key sets gate.Rate.Runs"},
		"a key that sets nothing": {vocabulary, header + `
			func keys() []key { return []key{ {name: "none", set: func(p *gate.Policy) {}} } }`, user, "policy key none sets no field"},
		"another kind of table": {vocabulary, header, user, "has no table of keys"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			packages := sample(t, source{"gate", tc.vocabulary}, source{"gate/policy", tc.table}, source{"gate/static", tc.user})
			expect(t, CheckPolicyKeys(packages), tc.want)
		})
	}
	t.Run("the laboratory does not count", func(t *testing.T) {
		packages := sample(t, source{"gate", vocabulary}, source{"gate/policy", header + both},
			source{"gate/static", user}, source{"gate/lab/eval", "\nimport \"" + Module + "/gate\"\nfunc f(p gate.Policy) int { return p.Rate.Runs }"})
		expect(t, CheckPolicyKeys(packages), "rate.runs does nothing")
	})
	t.Run("without the packages that it is about", func(t *testing.T) {
		expect(t, CheckPolicyKeys(nil), "package gate is not among the packages")
	})
}

func TestCheckMethods(t *testing.T) {
	many := func(receiver string, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString("\nfunc (" + receiver + ") M" + strings.Repeat("x", i) + "() {}")
		}
		return b.String()
	}
	tests := map[string]struct{ text, want string }{
		"as many as there may be":            {"type A struct{}" + many("A", MaxMethods), ""},
		"one more":                           {"type A struct{}" + many("*A", MaxMethods+1), "type gate/a.A has 26 methods"},
		"those of an embedded type":          {"type A struct{ B; C }\ntype B struct{}\ntype C struct{}\nfunc (A) Own() {}\nfunc (C) Other() {}" + many("*B", MaxMethods-1), "type gate/a.A has 26 methods"},
		"a field is not embedded":            {"type A struct{ b B }\ntype B struct{}\nfunc (A) Own() {}\nfunc (A) More() {}" + many("B", MaxMethods), ""},
		"an interface":                       {"type A interface{ B; Own() }\ntype B interface{" + strings.ReplaceAll(strings.ReplaceAll(many("B", MaxMethods), "func (B) ", ""), " {}", "") + "\n}", "type gate/a.A has 26 methods"},
		"another name for a type is no type": {"type A = B\ntype B struct{}" + many("B", MaxMethods), ""},
		"those of other modules":             {"import \"reflect\"\ntype A struct{ reflect.Type }", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			expect(t, CheckMethods(sample(t, source{"gate/a", tc.text})), tc.want)
		})
	}
}

func TestCheckCommand(t *testing.T) {
	imports := func(paths ...string) string {
		text := "package main\n"
		for _, p := range paths {
			text += "import _ \"" + p + "\"\n"
		}
		return text
	}
	tests := map[string]struct {
		files map[string]string
		want  string
	}{
		"the engine":                          {map[string]string{"cmd/gate/scan.go": imports(Module + "/gate/engine")}, ""},
		"a stage":                             {map[string]string{"cmd/gate/scan.go": imports(Module + "/gate/change")}, "scan.go imports gate/change: the command imports no stage"},
		"a part of a stage":                   {map[string]string{"cmd/gate/rules.go": imports(Module + "/gate/static/rules")}, "imports gate/static/rules"},
		"a name that only starts like one":    {map[string]string{"cmd/gate/scan.go": imports(Module + "/gate/executed")}, ""},
		"the sandbox":                         {map[string]string{"cmd/gate/scan.go": imports(Module + "/sandbox")}, "the command starts no containers"},
		"the client of the engine":            {map[string]string{"cmd/gate/doctor.go": imports("github.com/docker/docker/client")}, "the command starts no containers"},
		"a hidden mode in main.go":            {map[string]string{"cmd/gate/main.go": imports(Module + "/sandbox/modes")}, ""},
		"a hidden mode elsewhere":             {map[string]string{"cmd/gate/run.go": imports(Module + "/sandbox/modes")}, "the command starts no containers"},
		"the rest of the sandbox in main.go":  {map[string]string{"cmd/gate/main.go": imports(Module + "/sandbox/images")}, "the command starts no containers"},
		"a test may import what it tests":     {map[string]string{"cmd/gate/scan_test.go": imports(Module + "/gate/static")}, ""},
		"as many lines as there may be":       {map[string]string{"cmd/gate/a.go": "package main\n" + strings.Repeat("\n", MaxCommandLines-1)}, ""},
		"too many lines in two files":         {map[string]string{"cmd/gate/a.go": "package main\n" + strings.Repeat("\n", MaxCommandLines-1), "cmd/gate/b.go": "package main\n"}, "has 1501 lines"},
		"tests do not count":                  {map[string]string{"cmd/gate/a_test.go": "package main\n" + strings.Repeat("\n", 2*MaxCommandLines)}, ""},
		"data of tests does not count either": {map[string]string{"cmd/gate/testdata/a.go": "package main\n" + strings.Repeat("\n", 2*MaxCommandLines)}, ""},
		"what does not parse":                 {map[string]string{"cmd/gate/a.go": "package\n"}, "a.go:1"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { expect(t, CheckCommand(tc.files), tc.want) })
	}
}

func TestCheckRunCallers(t *testing.T) {
	const imported = `import "` + Module + `/gate"` + "\n"
	vocabulary := source{"gate", "func Run() {}\nfunc again() { Run() }"}
	engine := source{"gate/engine", imported + "func f() { gate.Run() }"}
	tests := map[string]struct {
		sources []source
		want    string
	}{
		"the engine, once":        {[]source{engine}, ""},
		"a command as well":       {[]source{engine, {"cmd/gate", imported + "func f() { gate.Run() }"}}, "only gate/engine calls gate.Run"},
		"a function value":        {[]source{engine, {"gate/lab", imported + "var run = gate.Run"}}, "only gate/engine calls gate.Run"},
		"the engine, twice":       {[]source{{"gate/engine", imported + "func f() { gate.Run(); gate.Run() }"}}, "2 times, not once"},
		"no caller at all":        {nil, "0 times, not once"},
		"a function of that name": {[]source{engine, {"gate/judge", "func Run() {}\nfunc f() { Run() }"}}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			expect(t, CheckRunCallers(sample(t, append([]source{vocabulary}, tc.sources...)...)), tc.want)
		})
	}
}

func TestCheckLaboratory(t *testing.T) {
	tests := map[string]struct{ from, want string }{
		"the command":              {"cmd/gate", ""},
		"a tool":                   {"tools/compare", ""},
		"itself":                   {"gate/lab/attack", ""},
		"the engine":               {"gate/engine", "package gate/engine imports gate/lab/eval"},
		"a stage":                  {"gate/static", "package gate/static imports gate/lab/eval"},
		"one that is called alike": {"gate/labels", "package gate/labels imports gate/lab/eval"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			expect(t, CheckLaboratory([]Package{{ImportPath: Module + "/" + tc.from, Imports: []string{Module + "/gate/lab/eval"}}}), tc.want)
		})
	}
}

func TestCheckEngine(t *testing.T) {
	tests := map[string]struct {
		pkg  Package
		want string
	}{
		"a stage":                            {Package{ImportPath: Module + "/gate/engine", Imports: []string{Module + "/gate/static"}}, ""},
		"the laboratory":                     {Package{ImportPath: Module + "/gate/engine", Imports: []string{Module + "/gate/lab/eval"}}, "gate/engine reaches gate/lab/eval"},
		"the laboratory behind another":      {Package{ImportPath: Module + "/gate/engine", Deps: []string{Module + "/gate/lab/eval"}}, "gate/engine reaches gate/lab/eval"},
		"a command":                          {Package{ImportPath: Module + "/gate/engine/layers", Imports: []string{Module + "/cmd/gate"}}, "gate/engine/layers reaches cmd/gate"},
		"the command imports the laboratory": {Package{ImportPath: Module + "/cmd/gate", Imports: []string{Module + "/gate/lab/eval"}}, ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) { expect(t, CheckEngine([]Package{tc.pkg}), tc.want) })
	}
}

func TestCheckSubpackages(t *testing.T) {
	below := map[string]string{"gate/static/taint": "Package taint …", "gate/static/rules": "Package rules …"}
	tests := map[string]struct{ doc, want string }{
		"by the path":                   {"Package static … gate/static/taint and gate/static/rules.", ""},
		"after the word package":        {"Package static scans. The packages taint and rules do it.", ""},
		"in the sentence of another":    {"Package static scans. Package taint is the graph, and rules the data.", ""},
		"in the next sentence":          {"Package static scans. Package taint is the graph. It has rules.", "does not name gate/static/rules"},
		"in the sentence about itself":  {"Package static has rules and a taint.", "does not name gate/static/taint"},
		"in a list":                     {"Package static …\n\n\ttaint   the graph\n\trules  the data\n", ""},
		"by the folder and the name":    {"Package static … (static/taint, static/rules)", ""},
		"a list with one that is gone":  {"Package static …\n\n\ttaint   the graph\n\trules  the data\n\tlex   constants\n", "the comment of package gate/static lists lex, which is not there"},
		"a list of something else":      {"Package static has packages taint and rules.\n\nSee gate/static/taint and gate/static/rules.\n\n\teasy  nothing to do\n\thard  the rest\n", ""},
		"one is missing":                {"Package static scans. See package taint.", "the comment of package gate/static does not name gate/static/rules"},
		"a word that is spelled alike":  {"Package static … its rules taint.", "does not name gate/static/taint"},
		"a name that only starts alike": {"Package static …\n\n\ttaint\n\trulesets\n", "does not name gate/static/rules"},
		"another package of that name":  {"Package static scans. See gate/judge/taint. See package rules.", "does not name gate/static/taint"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			docs := maps.Clone(below)
			docs["gate"], docs["gate/static"] = "Package gate … gate/static", tc.doc
			expect(t, CheckSubpackages(docs), tc.want)
		})
	}
	t.Run("a folder without a comment of its own", func(t *testing.T) {
		expect(t, CheckSubpackages(map[string]string{"gate": "", "gate/lab/eval": ""}), "folder gate/lab holds packages and has no doc.go")
	})
	t.Run("internal packages are named by the one above", func(t *testing.T) {
		expect(t, CheckSubpackages(map[string]string{"sandbox": "Package sandbox …", "sandbox/internal/wire": ""}), "package sandbox does not name sandbox/internal/wire")
		expect(t, CheckSubpackages(map[string]string{"sandbox": "Package sandbox …\n\n\tinternal/wire  the protocol\n", "sandbox/internal/wire": ""}), "")
	})
	t.Run("packages for tests, commands and tools", func(t *testing.T) {
		expect(t, CheckSubpackages(map[string]string{"gate": "Package gate …", "gate/gittest": "", "cmd/gate": "", "tools/arch": ""}), "")
	})
}
