package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// MaxMethods is the most methods that a type has. A type with more does several
// things, and a reader of one has to know the others.
const MaxMethods = 25

// CheckMethods returns the types of the project with more than [MaxMethods]
// methods. Methods that an embedded type of the project brings count; those of
// other modules do not.
func CheckMethods(packages []Typed) []string {
	var wrong []string
	for _, p := range packages {
		at, ours := inModule(p.ImportPath)
		if !ours {
			continue
		}
		scope := p.Types.Scope()
		for _, name := range scope.Names() {
			declared, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || declared.IsAlias() {
				continue
			}
			n := 0
			for method := range methods(declared.Type()) {
				if pkg := method.Obj().Pkg(); pkg != nil {
					if _, ours := inModule(pkg.Path()); ours {
						n++
					}
				}
			}
			if n > MaxMethods {
				wrong = append(wrong, fmt.Sprintf("type %s.%s has %d methods (%d at most): give what belongs together a type of its own", at, name, n, MaxMethods))
			}
		}
	}
	return wrong
}

// methods returns the methods that a value of the type, or a pointer to one, has.
func methods(t types.Type) func(func(*types.Selection) bool) {
	if !types.IsInterface(t) {
		t = types.NewPointer(t)
	}
	return types.NewMethodSet(t).Methods()
}

// MaxCommandLines is the most lines of Go, tests left out, that the command has:
// what it does beyond flags, wiring and exit codes has a package.
const MaxCommandLines = 1500

// commandFolder is the folder of the command line.
const commandFolder = "cmd/gate"

// hiddenModes are the packages that main.go may import and nothing else of the
// command may: gate is also the first process of a container, under names that no
// help shows.
var hiddenModes = []string{"sandbox/modes"}

// engineClient is the module that starts containers.
const engineClient = "github.com/docker"

// CheckCommand returns what in the Go files of the command, by path, goes against
// its being flags, wiring and exit codes only.
func CheckCommand(files map[string]string) []string {
	var wrong []string
	lines := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Dir(name) != commandFolder || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		lines += strings.Count(files[name], "\n")
		file, err := parser.ParseFile(token.NewFileSet(), name, files[name], parser.ImportsOnly)
		if err != nil {
			wrong = append(wrong, err.Error())
			continue
		}
		for _, spec := range file.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				wrong = append(wrong, err.Error())
				continue
			}
			local, _ := inModule(imp)
			switch {
			case name == commandFolder+"/main.go" && slices.Contains(hiddenModes, local):
			case underAny(local, stages):
				wrong = append(wrong, fmt.Sprintf("%s imports %s: the command imports no stage; gate/engine builds the layers", name, local))
			case under(local, "sandbox") || under(imp, engineClient):
				wrong = append(wrong, fmt.Sprintf("%s imports %s: the command starts no containers", name, imp))
			}
		}
	}
	if lines > MaxCommandLines {
		wrong = append(wrong, fmt.Sprintf("%s has %d lines (%d at most): move what is not flags, wiring and exit codes into a package", commandFolder, lines, MaxCommandLines))
	}
	return wrong
}

// CheckRunCallers returns the uses of gate.Run that are not the one in gate/engine.
// What comes before and after it (the part of a shard, suppressions, closing what
// was opened) decides about safety, so its order is written once.
func CheckRunCallers(packages []Typed) []string {
	var inEngine, elsewhere []string
	for _, p := range packages {
		at, ours := inModule(p.ImportPath)
		if !ours || at == "gate" {
			continue
		}
		for _, file := range p.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				f, ok := p.Info.Uses[id].(*types.Func)
				if !ok || f.FullName() != Module+"/gate.Run" {
					return true
				}
				if at == "gate/engine" {
					inEngine = append(inEngine, p.at(id))
				} else {
					elsewhere = append(elsewhere, p.at(id))
				}
				return true
			})
		}
	}
	var wrong []string
	for _, where := range elsewhere {
		wrong = append(wrong, where+": only gate/engine calls gate.Run; call the engine")
	}
	if len(inEngine) != 1 {
		wrong = append(wrong, fmt.Sprintf("gate/engine calls gate.Run %d times, not once %v", len(inEngine), inEngine))
	}
	return wrong
}

// laboratoryUsers are the packages that may import the laboratory, which measures
// the product and is no part of it.
var laboratoryUsers = []string{"gate/lab", "cmd/gate", "tools"}

// CheckLaboratory returns the packages that import the laboratory and may not.
func CheckLaboratory(packages []Package) []string {
	var wrong []string
	for _, p := range packages {
		at, ours := inModule(p.ImportPath)
		if !ours || underAny(at, laboratoryUsers) {
			continue
		}
		for _, imp := range p.Imports {
			if local, ok := inModule(imp); ok && under(local, "gate/lab") {
				wrong = append(wrong, fmt.Sprintf("package %s imports %s: the laboratory measures the product and is no part of it", at, local))
			}
		}
	}
	return wrong
}

// CheckEngine returns what the engine reaches and must not know: the laboratory
// that measures it and the commands that use it.
func CheckEngine(packages []Package) []string {
	var wrong []string
	for _, p := range packages {
		at, ours := inModule(p.ImportPath)
		if !ours || !under(at, "gate/engine") {
			continue
		}
		for _, dep := range slices.Concat(p.Imports, p.Deps) {
			if local, ok := inModule(dep); ok && (under(local, "gate/lab") || under(local, "cmd")) {
				wrong = append(wrong, fmt.Sprintf("package %s reaches %s: the engine knows neither what measures it nor what calls it", at, local))
			}
		}
	}
	slices.Sort(wrong)
	return slices.Compact(wrong)
}
