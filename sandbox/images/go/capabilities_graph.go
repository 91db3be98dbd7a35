//go:build ignore

package main

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
)

// A graph says which functions mention which others. To mention is more than to
// call: a function that is handed on, a method value, a value that is stored as an
// interface (and so all its methods) count, because what they are handed to may call
// them. So it takes no guess about what reflection, a callback of the standard
// library or a registry does with them. It ends at the boundary: what the standard
// library does inside of itself is not looked at here.
type graph struct {
	prog     *ssa.Program
	boundary *boundary
	packages map[*types.Package]*packages.Package
	uses     map[*types.Package]map[types.Object][]token.Pos
	nodes    map[*ssa.Function]*node
}

// A node is what one function mentions.
type node struct {
	function *ssa.Function
	next     []mention
	reached  []reach
}

// A mention is a function of the module or of a dependency.
type mention struct {
	to *ssa.Function
	at token.Pos
}

// A reach is a call over the boundary.
type reach struct {
	capability string
	by         string // "os/exec.Command"
	at         token.Pos
}

// newGraph reads all packages but those of the standard library, of which only the
// types are needed.
func newGraph(roots []*packages.Package, b *boundary) *graph {
	g := &graph{
		boundary: b,
		packages: map[*types.Package]*packages.Package{},
		uses:     map[*types.Package]map[types.Object][]token.Pos{},
		nodes:    map[*ssa.Function]*node{},
	}
	if len(roots) == 0 {
		return g
	}
	g.prog = ssa.NewProgram(roots[0].Fset, ssa.BuilderMode(0))
	var own []*ssa.Package
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.Types == nil {
			return
		}
		g.packages[p.Types] = p
		if b.standard(p.Types) {
			g.prog.CreatePackage(p.Types, nil, nil, true)
			return
		}
		own = append(own, g.prog.CreatePackage(p.Types, p.Syntax, p.TypesInfo, true))
		uses := map[types.Object][]token.Pos{}
		for id, object := range p.TypesInfo.Uses {
			uses[object] = append(uses[object], id.Pos())
		}
		g.uses[p.Types] = uses
	})
	for _, p := range own {
		p.Build()
	}
	return g
}

// functions are all functions of a package, those inside of others as well.
func (g *graph) functions(p *types.Package) []*ssa.Function {
	pkg := g.prog.Package(p)
	if pkg == nil {
		return nil
	}
	var out []*ssa.Function
	seen := map[*ssa.Function]bool{}
	var add func(f *ssa.Function)
	add = func(f *ssa.Function) {
		if f == nil || seen[f] {
			return
		}
		seen[f] = true
		out = append(out, f)
		for _, inner := range f.AnonFuncs {
			add(inner)
		}
	}
	add(pkg.Func("init"))
	for _, object := range g.packages[p].TypesInfo.Defs {
		// All that are declared, and so init functions and methods, too.
		if f, ok := object.(*types.Func); ok && f.Name() != "_" && f.Type().(*types.Signature).Recv() == nil {
			if f.Name() != "init" {
				add(g.prog.FuncValue(f))
			}
		} else if ok {
			add(g.prog.FuncValue(f))
		}
	}
	// An init function has no value of its own; the synthetic one calls all of them.
	for _, m := range g.node(pkg.Func("init")).next {
		if m.to.Pkg == pkg {
			add(m.to)
		}
	}
	slices.SortFunc(out, func(a, b *ssa.Function) int {
		return cmp.Or(cmp.Compare(a.Pos(), b.Pos()), cmp.Compare(a.String(), b.String()))
	})
	return out
}

// declared is the function as it is written: not an instance of a generic one, nor
// the wrapper of a method. It is nil for a method of an interface.
func (g *graph) declared(f *ssa.Function) *ssa.Function {
	if origin := f.Origin(); origin != nil {
		f = origin
	}
	if f.Synthetic == "" || f.Syntax() != nil || f.Name() == "init" {
		return f
	}
	if object, ok := f.Object().(*types.Func); ok {
		if value := g.prog.FuncValue(object.Origin()); value != nil {
			return value
		}
		return nil
	}
	return f
}

// node reads a function.
func (g *graph) node(f *ssa.Function) *node {
	if n := g.nodes[f]; n != nil {
		return n
	}
	n := &node{function: f}
	g.nodes[f] = n
	r := reader{graph: g, node: n, near: f.Pos()}
	if f.Blocks == nil && f.Synthetic == "" {
		r.reach(g.boundary.withoutBody(f.Object()), "code that is not in the source", f.Pos())
		return n
	}
	for _, inner := range f.AnonFuncs {
		n.next = append(n.next, mention{inner, inner.Pos()})
	}
	var operands []*ssa.Value
	for _, block := range f.Blocks {
		for _, instruction := range block.Instrs {
			if r.at = instruction.Pos(); r.at != token.NoPos {
				r.near = r.at
			}
			operands = instruction.Operands(operands[:0])
			for _, o := range operands {
				r.value(*o)
			}
			switch i := instruction.(type) {
			case *ssa.MakeInterface:
				if c, ok := i.X.(*ssa.Const); !ok || !c.IsNil() {
					r.methods(i.X.Type(), map[types.Type]bool{})
				}
			case *ssa.Convert:
				switch {
				case isUnsafe(i.X.Type()) && leadsToFunction(i.Type(), 0):
					r.reach([]string{arbitrary}, "a pointer to a function, made from unsafe.Pointer", i.Pos())
				case isUnsafe(i.Type()) && pointsToFunction(i.X.Type()):
					r.reach([]string{arbitrary}, "an unsafe.Pointer to a function", i.Pos())
				}
			}
		}
	}
	return n
}

// A reader adds to a node what its instructions mention.
type reader struct {
	graph *graph
	node  *node
	at    token.Pos // of the instruction, which not all have
	near  token.Pos // of it or one before it
}

func (r *reader) value(v ssa.Value) {
	if v == nil {
		return
	}
	if caps := r.graph.boundary.ofValue(v.Type()); len(caps) > 0 {
		r.reach(caps, "a value of "+types.TypeString(v.Type(), nil), r.near)
	}
	switch v := v.(type) {
	case *ssa.Function:
		r.function(v)
	case *ssa.Global:
		if v.Object() != nil {
			if caps, ok := r.graph.boundary.variable(v.Object()); ok {
				r.reach(caps, v.Object().Pkg().Path()+"."+v.Object().Name(), r.position(v.Object()))
			}
		}
	}
}

func (r *reader) function(f *ssa.Function) {
	for _, t := range f.TypeArgs() {
		r.methods(t, map[types.Type]bool{})
	}
	d := r.graph.declared(f)
	if d == nil {
		return
	}
	object, _ := d.Object().(*types.Func)
	if object == nil {
		if d.Name() == "init" && d.Pkg != nil && !r.graph.boundary.beyond(d.Pkg.Pkg) {
			r.node.next = append(r.node.next, mention{d, r.imported(d.Pkg.Pkg)})
		} else if d.Parent() != nil || strings.HasPrefix(d.Name(), "init#") {
			r.node.next = append(r.node.next, mention{d, d.Pos()})
		}
		return
	}
	r.object(object, d)
}

// object is a function or method that is mentioned.
func (r *reader) object(o *types.Func, f *ssa.Function) {
	at := r.position(o)
	if caps, ok := r.graph.boundary.function(o); ok {
		r.reach(caps, o.FullName(), at)
	} else if f != nil && o.Pkg() != nil {
		r.node.next = append(r.node.next, mention{f, at})
	}
}

// methods are those of a value that is used as an interface.
func (r *reader) methods(t types.Type, seen map[types.Type]bool) {
	t = types.Unalias(t)
	if seen[t] || types.IsInterface(t) {
		return
	}
	seen[t] = true
	if r.graph.boundary.isSafeValue(t) {
		return
	}
	// What is behind type parameters is not written in the methods.
	elem := t
	if p, ok := t.(*types.Pointer); ok {
		elem = types.Unalias(p.Elem())
	}
	if named, ok := elem.(*types.Named); ok {
		for arg := range named.TypeArgs().Types() {
			r.methods(arg, seen)
		}
	}
	set := types.NewMethodSet(t)
	if _, ok := t.(*types.Pointer); !ok {
		// It can be reached through its address, too, when reflection is used.
		set = types.NewMethodSet(types.NewPointer(t))
	}
	for m := range set.Methods() {
		o, ok := m.Obj().(*types.Func)
		if !ok {
			continue
		}
		o = o.Origin()
		if types.IsInterface(o.Type().(*types.Signature).Recv().Type()) {
			continue // of an embedded interface: what is in it was made elsewhere
		}
		if caps, ok := r.graph.boundary.function(o); ok {
			r.reach(caps, "the methods of "+types.TypeString(t, nil), r.near)
			continue
		}
		r.object(o, r.graph.prog.FuncValue(o))
	}
}

func (r *reader) reach(capabilities []string, by string, at token.Pos) {
	for _, c := range capabilities {
		r.node.reached = append(r.node.reached, reach{c, by, at})
	}
}

// position is where a function mentions an object.
func (r *reader) position(o types.Object) token.Pos {
	f := r.node.function
	var best token.Pos
	if f.Pkg != nil {
		for _, at := range r.graph.uses[f.Pkg.Pkg][o] {
			inside := f.Syntax() == nil || f.Syntax().Pos() <= at && at < f.Syntax().End()
			if inside && (best == token.NoPos || at < best) {
				best = at
			}
		}
	}
	if r.at != token.NoPos && (best == token.NoPos || f.Syntax() == nil) {
		return r.at
	}
	switch {
	case best != token.NoPos:
		return best
	case f.Pos() != token.NoPos:
		return f.Pos()
	case o.Pkg() != nil && f.Pkg != nil && o.Pkg() == f.Pkg.Pkg:
		return o.Pos() // an init function, which nothing names
	}
	return token.NoPos
}

// imported is where the package of a function imports another.
func (r *reader) imported(other *types.Package) token.Pos {
	f := r.node.function
	if f.Pkg == nil || r.graph.packages[f.Pkg.Pkg] == nil {
		return token.NoPos
	}
	for _, file := range r.graph.packages[f.Pkg.Pkg].Syntax {
		for _, i := range file.Imports {
			if path, err := strconv.Unquote(i.Path.Value); err == nil && path == other.Path() {
				return i.Pos()
			}
		}
	}
	return token.NoPos
}

func isUnsafe(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.UnsafePointer
}

// leadsToFunction reports whether what a pointer of this type points to can be called
// or has a field that can be, at whatever level.
func leadsToFunction(t types.Type, depth int) bool {
	if depth > 4 {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Interface:
		return depth == 1 // not in a field, as lists without locks have it
	case *types.Pointer:
		return leadsToFunction(u.Elem(), depth+1)
	case *types.Array:
		return leadsToFunction(u.Elem(), depth+1)
	case *types.Struct:
		for field := range u.Fields() {
			if leadsToFunction(field.Type(), depth+2) {
				return true
			}
		}
	}
	return false
}

func pointsToFunction(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	if !ok {
		return false
	}
	_, ok = p.Elem().Underlying().(*types.Signature)
	return ok
}

// A step is how a function comes closer to a call over the boundary: by what it
// mentions, or by the call itself.
type step struct {
	next  *ssa.Function // nil for the call
	at    token.Pos
	reach reach
}

// paths are the shortest ones from all functions that these lead to, by capability.
func (g *graph) paths(from []*ssa.Function) map[string]map[*ssa.Function]step {
	type edge struct {
		from *ssa.Function
		at   token.Pos
	}
	callers := map[*ssa.Function][]edge{}
	ends := map[string][]*ssa.Function{}
	out := map[string]map[*ssa.Function]step{}
	seen := map[*ssa.Function]bool{}
	queue := slices.Clone(from)
	for _, f := range from {
		seen[f] = true
	}
	for ; len(queue) > 0; queue = queue[1:] {
		f := queue[0]
		n := g.node(f)
		for _, r := range n.reached {
			if out[r.capability] == nil {
				out[r.capability] = map[*ssa.Function]step{}
			}
			if _, ok := out[r.capability][f]; !ok {
				out[r.capability][f] = step{at: r.at, reach: r}
				ends[r.capability] = append(ends[r.capability], f)
			}
		}
		for _, m := range n.next {
			callers[m.to] = append(callers[m.to], edge{f, m.at})
			if !seen[m.to] {
				seen[m.to] = true
				queue = append(queue, m.to)
			}
		}
	}
	for capability, steps := range out {
		for queue := ends[capability]; len(queue) > 0; queue = queue[1:] {
			for _, e := range callers[queue[0]] {
				if _, ok := steps[e.from]; !ok {
					steps[e.from] = step{next: queue[0], at: e.at}
					queue = append(queue, e.from)
				}
			}
		}
	}
	return out
}

// placeOf is a position by the folder that the program was started in: what a comment
// says about it (//line) does not count.
func placeOf(set *token.FileSet, here string, at token.Pos) (file string, line int) {
	if !at.IsValid() {
		return "", 0
	}
	p := set.PositionFor(at, false)
	if rel, ok := relative(here, p.Filename); ok {
		return rel, p.Line
	}
	return "", 0
}

// relative is a file by a folder, and whether it lies in it.
func relative(dir, file string) (string, bool) {
	rel, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// extent is the first and last position of the outermost function around one.
func extent(f *ssa.Function) (from, to token.Pos) {
	for f.Parent() != nil {
		f = f.Parent()
	}
	if s := f.Syntax(); s != nil {
		if d, ok := s.(*ast.FuncDecl); ok && d.Doc != nil {
			return d.Doc.Pos(), d.End()
		}
		return s.Pos(), s.End()
	}
	return f.Pos(), f.Pos()
}
