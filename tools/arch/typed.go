package arch

import (
	"go/ast"
	"go/token"
	"go/types"
)

// Typed is one package of the module with what its types mean. Tests are left
// out of it.
type Typed struct {
	ImportPath string
	Fset       *token.FileSet
	Files      []*ast.File
	Types      *types.Package
	Info       *types.Info
}

// at returns where a node is, as file and line.
func (p Typed) at(n ast.Node) string { return p.Fset.Position(n.Pos()).String() }

// fieldOf names the field that a selection ends at by the type that declares it:
// "gate.Limits.Budget" is field Budget of type Limits in package gate. It returns
// "" for methods and for fields of types without a name.
func (p Typed) fieldOf(sel *ast.SelectorExpr) string {
	s, ok := p.Info.Selections[sel]
	if !ok || s.Kind() != types.FieldVal {
		return ""
	}
	t := s.Recv()
	index := s.Index()
	for _, i := range index[:len(index)-1] { // through embedded structs
		st, ok := structOf(t)
		if !ok {
			return ""
		}
		t = st.Field(i).Type()
	}
	return fieldName(t, s.Obj().Name())
}

// fieldName names a field of a type with a name, "" where the type has none.
func fieldName(t types.Type, field string) string {
	n, ok := named(t)
	if !ok {
		return ""
	}
	local, ours := inModule(n.Obj().Pkg().Path())
	if !ours {
		return ""
	}
	return local + "." + n.Obj().Name() + "." + field
}

// named returns the declared type behind pointers.
func named(t types.Type) (*types.Named, bool) {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	return n, ok && n.Obj().Pkg() != nil
}

// structOf returns the struct behind a name and pointers.
func structOf(t types.Type) (*types.Struct, bool) {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	return st, ok
}

// find returns the package at a path below the module.
func find(packages []Typed, local string) (Typed, bool) {
	for _, p := range packages {
		if at, ok := inModule(p.ImportPath); ok && at == local {
			return p, true
		}
	}
	return Typed{}, false
}
