//go:build ignore

package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/capslock/interesting"
	"golang.org/x/tools/go/packages"
)

const arbitrary = "ARBITRARY_EXECUTION"

// reported are the capabilities that are told apart; others (REFLECT, RUNTIME,
// READ_SYSTEM_STATE, UNSAFE_POINTER) are no findings.
var reported = []string{"FILES", "NETWORK", "EXEC", "SYSTEM_CALLS", "CGO", arbitrary, "MODIFY_SYSTEM_STATE"}

// The table says what calls over the boundary mean to a reader.
//
//go:embed capabilities_boundary.txt
var boundaryTable string

// A boundary says what a call of the standard library means to the one that makes
// it. What the table does not name is looked up in the classification of capslock,
// and what that does not name has what the functions have that it mentions, within
// the standard library.
type boundary struct {
	functions  map[string][]string // by full name: functions, methods and variables
	packages   map[string][]string
	values     map[string][]string // by type: what a value is that is used as an interface
	assembly   map[string][]string // by package: what functions without a body are
	capslock   *interesting.Classifier
	goroot     string
	here       string
	loaded     map[*types.Package]*packages.Package
	bodies     map[*types.Func]body
	classified map[*types.Func][]string
}

type body struct {
	declaration *ast.FuncDecl
	info        *types.Info
}

func newBoundary(table string, roots []*packages.Package, goroot, here string) (*boundary, error) {
	b := &boundary{
		functions: map[string][]string{}, packages: map[string][]string{}, values: map[string][]string{}, assembly: map[string][]string{}, capslock: interesting.DefaultClassifier(),
		here: here, goroot: filepath.Join(goroot, "src") + string(filepath.Separator), loaded: map[*types.Package]*packages.Package{},
		bodies: map[*types.Func]body{}, classified: map[*types.Func][]string{},
	}
	lines := bufio.NewScanner(strings.NewReader(table))
	for lines.Scan() {
		text, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(text)
		if len(words) == 0 {
			continue
		}
		into := map[string]map[string][]string{"func": b.functions, "package": b.packages, "value": b.values, "assembly": b.assembly}[words[0]]
		if len(words) != 3 || into == nil || into[words[1]] != nil {
			return nil, fmt.Errorf("table of the boundary: %q", lines.Text())
		}
		into[words[1]] = strings.Split(words[2], ",")
	}
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.Types == nil {
			return
		}
		b.loaded[p.Types] = p
		if !b.standard(p.Types) {
			return
		}
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					if o, ok := p.TypesInfo.Defs[f.Name].(*types.Func); ok {
						b.bodies[o] = body{f, p.TypesInfo}
					}
				}
			}
		}
	})
	return b, lines.Err()
}

// standard reports whether a package is of the standard library, by where it lies: a
// module may call itself "os".
func (b *boundary) standard(p *types.Package) bool {
	if p == types.Unsafe {
		return true
	}
	loaded := b.loaded[p]
	return loaded != nil && loaded.Module == nil && len(loaded.GoFiles) > 0 && strings.HasPrefix(loaded.GoFiles[0], b.goroot)
}

// known reports whether the tables are about a package: one of the standard library,
// or a dependency that is neither replaced nor of the repository, in which a change
// can edit it (vendor).
func (b *boundary) known(p *types.Package) bool {
	if b.standard(p) {
		return true
	}
	loaded := b.loaded[p]
	if loaded == nil || loaded.Module == nil || loaded.Module.Main || loaded.Module.Replace != nil || loaded.Module.Version == "" || len(loaded.GoFiles) == 0 {
		return false
	}
	file := loaded.GoFiles[0]
	_, inside := relative(b.here, file)
	return !inside && !slices.Contains(strings.Split(filepath.ToSlash(file), "/"), "vendor")
}

// beyond reports whether all of a package is beyond the boundary, and so what it does
// when it is loaded.
func (b *boundary) beyond(p *types.Package) bool {
	_, named := ofPackage(b.packages, p.Path())
	return b.standard(p) || named && b.known(p)
}

// function says what a mention of a function means, and whether it is beyond the
// boundary.
func (b *boundary) function(o *types.Func) ([]string, bool) {
	if o.Pkg() == nil { // error.Error
		return nil, true
	}
	if caps, ok := b.named(o); ok {
		return caps, true
	}
	if !b.standard(o.Pkg()) {
		return nil, false
	}
	return b.closure(o), true
}

// named is what the tables say about a function.
func (b *boundary) named(object types.Object) ([]string, bool) {
	o, ok := object.(*types.Func)
	if !ok || o.Pkg() == nil || !b.known(o.Pkg()) {
		return nil, false
	}
	name, pkg := o.FullName(), o.Pkg().Path()
	if caps, ok := b.functions[name]; ok {
		return without(caps), true
	}
	if receiver, _, ok := strings.Cut(name, ")."); ok {
		if caps, ok := b.functions[receiver+").*"]; ok {
			return without(caps), true
		}
	}
	if caps, ok := ofPackage(b.packages, pkg); ok {
		return without(caps), true
	}
	switch c := b.capslock.FunctionCategory(pkg, name); c {
	case "", "UNANALYZED":
		return nil, false
	case "OPERATING_SYSTEM": // what capslock does not know of the package os
		return []string{"FILES"}, true
	default:
		return without([]string{c}), true
	}
}

// withoutBody says what a function without a body means: what it does is in
// assembly, or in a function that is linked to it.
func (b *boundary) withoutBody(o types.Object) []string {
	if caps, ok := b.named(o); ok {
		return caps
	}
	if o != nil && o.Pkg() != nil && b.known(o.Pkg()) {
		if caps, ok := ofPackage(b.assembly, o.Pkg().Path()); ok {
			return without(caps)
		}
	}
	return []string{arbitrary}
}

// ofPackage is what a table says about a package, or about all below one.
func ofPackage(table map[string][]string, pkg string) ([]string, bool) {
	if caps, ok := table[pkg]; ok {
		return caps, true
	}
	for prefix := pkg; prefix != "."; prefix = pathDir(prefix) {
		if caps, ok := table[prefix+"/..."]; ok {
			return caps, true
		}
	}
	return nil, false
}

func pathDir(p string) string {
	i := strings.LastIndexByte(p, '/')
	if i < 0 {
		return "."
	}
	return p[:i]
}

// without leaves out what no reader asks for.
func without(caps []string) []string {
	return slices.DeleteFunc(slices.Clone(caps), func(c string) bool {
		kind, _, _ := strings.Cut(c, "/")
		return !slices.Contains(reported, kind)
	})
}

// isSafeValue reports whether a value of a type may be used as an interface without
// counting for all its methods.
func (b *boundary) isSafeValue(t types.Type) bool {
	caps, ok := b.values[types.TypeString(t, nil)]
	return ok && len(without(caps)) == 0 && b.isStandard(t)
}

// ofValue is what having a value of a type means, or a pointer to one, whatever is
// done with it.
func (b *boundary) ofValue(t types.Type) []string {
	if !b.isStandard(t) {
		return nil
	}
	return without(b.values[strings.TrimLeft(types.TypeString(t, nil), "*")])
}

// isStandard reports whether a type, or what it points to, is declared in the
// standard library.
func (b *boundary) isStandard(t types.Type) bool {
	for range 2 {
		if p, ok := types.Unalias(t).(*types.Pointer); ok {
			t = p.Elem()
		}
	}
	named, ok := types.Unalias(t).(*types.Named)
	return ok && named.Obj().Pkg() != nil && b.standard(named.Obj().Pkg())
}

// variable is what a mention of a variable means that can be called through.
func (b *boundary) variable(o types.Object) ([]string, bool) {
	if o.Pkg() == nil || !b.standard(o.Pkg()) {
		return nil, false
	}
	caps, ok := b.functions[o.Pkg().Path()+"."+o.Name()]
	return without(caps), ok
}

// closure is what a function of the standard library mentions, in its body and in
// those of the functions there.
func (b *boundary) closure(o *types.Func) []string {
	if caps, ok := b.classified[o]; ok {
		return caps
	}
	all := map[string]bool{}
	seen := map[*types.Func]bool{o: true}
	for queue := []*types.Func{o}; len(queue) > 0; queue = queue[1:] {
		f := queue[0]
		body, ok := b.bodies[f]
		if !ok || body.declaration.Body == nil {
			continue // of an interface, or in assembly, which the standard library may be
		}
		ast.Inspect(body.declaration.Body, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			next, ok := body.info.Uses[id].(*types.Func)
			if !ok || seen[next.Origin()] {
				return true
			}
			next = next.Origin()
			seen[next] = true
			if caps, ok := b.named(next); ok {
				for _, c := range caps {
					all[c] = true
				}
			} else {
				queue = append(queue, next)
			}
			return true
		})
	}
	caps := slices.Sorted(maps.Keys(all))
	b.classified[o] = caps
	return caps
}

// list writes what each function of the standard library means that others can
// mention.
func (b *boundary) list(roots []*packages.Package) []string {
	var out []string
	add := func(o *types.Func) {
		if caps, _ := b.function(o); o.Exported() && len(caps) > 0 {
			out = append(out, o.FullName()+" "+strings.Join(caps, ","))
		}
	}
	for _, p := range roots {
		if slices.Contains(strings.Split(p.PkgPath, "/"), "internal") || strings.HasPrefix(p.PkgPath, "vendor/") || p.Types == nil {
			continue
		}
		for _, name := range p.Types.Scope().Names() {
			switch o := p.Types.Scope().Lookup(name).(type) {
			case *types.Func:
				add(o)
			case *types.TypeName:
				if named, ok := o.Type().(*types.Named); ok && o.Exported() {
					for m := range named.Methods() {
						add(m)
					}
				}
			}
		}
	}
	slices.Sort(out)
	return out
}
