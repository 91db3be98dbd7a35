package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// policyNoReaders are the packages in which reading a field of the policy makes no
// difference to a run: gate/policy writes them, the laboratory and the tools are
// not part of the product.
var policyNoReaders = []string{"gate/policy", "gate/lab", "tools"}

// CheckPolicyKeys returns the keys of .gate.yml that set a field which no code
// reads, and the fields of gate.Policy that no key sets. A key that changes
// nothing tells the owner of a repository that something is limited or required
// when it is not.
//
// Reading is selecting the field itself for its value. Writing it, taking its
// address and copying it to the same field of another policy do not count.
func CheckPolicyKeys(packages []Typed) []string {
	vocabulary, ok := find(packages, "gate")
	if !ok {
		return []string{"package gate is not among the packages"}
	}
	table, ok := find(packages, "gate/policy")
	if !ok {
		return []string{"package gate/policy is not among the packages"}
	}
	root := vocabulary.Types.Scope().Lookup("Policy")
	if root == nil {
		return []string{"package gate has no type Policy"}
	}
	keys := policyKeys(table)
	if len(keys) == 0 {
		return []string{"package gate/policy has no table of keys, {name: \"…\", set: func(…){ … p.Field … }}"}
	}
	read := fieldsRead(packages)
	var wrong []string
	set := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		if len(keys[name]) == 0 {
			wrong = append(wrong, fmt.Sprintf("policy key %s sets no field of gate.Policy", name))
		}
		for _, field := range keys[name] {
			set[field] = true
			if !read[field] {
				wrong = append(wrong, fmt.Sprintf("policy key %s does nothing: no code outside of gate/policy reads %s; implement it or remove the key", name, field))
			}
		}
	}
	for _, field := range leaves(root.Type(), "") {
		if !set[field] {
			wrong = append(wrong, fmt.Sprintf("no policy key sets %s: add one to gate/policy/keys.go or remove the field", field))
		}
	}
	return wrong
}

// policyKeys returns the fields that each key of the table sets.
func policyKeys(table Typed) map[string][]string {
	keys := map[string][]string{}
	for _, file := range table.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			name, set := "", (*ast.FuncLit)(nil)
			for _, e := range lit.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				id, ok := kv.Key.(*ast.Ident)
				if !ok {
					continue
				}
				if text, ok := kv.Value.(*ast.BasicLit); ok && id.Name == "name" && text.Kind == token.STRING {
					name, _ = strconv.Unquote(text.Value)
				}
				if f, ok := kv.Value.(*ast.FuncLit); ok && id.Name == "set" {
					set = f
				}
			}
			if name == "" || set == nil {
				return true
			}
			keys[name] = table.fieldsOfPolicy(set)
			return false
		})
	}
	return keys
}

// fieldsOfPolicy returns the leaves below the fields of gate.Policy that a function
// selects.
func (p Typed) fieldsOfPolicy(f *ast.FuncLit) []string {
	var out []string
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		field := p.fieldOf(sel)
		if !strings.HasPrefix(field, "gate.") {
			return true
		}
		out = append(out, leaves(p.Info.Selections[sel].Type(), field)...)
		return false // p.Judge of p.Judge.Model is on the way, not set
	})
	return out
}

// leaves returns the fields that hold the values of a setting of type t: field
// itself, or the fields of the structs of package gate that it is made of.
func leaves(t types.Type, field string) []string {
	for {
		switch u := types.Unalias(t).(type) {
		case *types.Slice:
			t = u.Elem()
			continue
		case *types.Map:
			t = u.Elem()
			continue
		case *types.Pointer:
			t = u.Elem()
			continue
		}
		break
	}
	st, ok := structOf(t)
	if n, isNamed := named(t); !ok || !isNamed || n.Obj().Pkg().Path() != Module+"/gate" {
		return []string{field}
	}
	var out []string
	for f := range st.Fields() {
		out = append(out, leaves(f.Type(), fieldName(t, f.Name()))...)
	}
	return out
}

// fieldsRead returns the fields of package gate whose values code of the product
// looks at.
func fieldsRead(packages []Typed) map[string]bool {
	read := map[string]bool{}
	for _, p := range packages {
		if at, ours := inModule(p.ImportPath); !ours || underAny(at, policyNoReaders) {
			continue
		}
		for _, file := range p.Files {
			unread := p.written(file)
			ast.Inspect(file, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && !unread[sel] {
					if field := p.fieldOf(sel); strings.HasPrefix(field, "gate.") {
						read[field] = true
					}
				}
				return true
			})
		}
	}
	return read
}

// written returns the selections of a file that do not look at the value: they are
// assigned to, their address is taken, or they are copied to the same field.
func (p Typed) written(file *ast.File) map[*ast.SelectorExpr]bool {
	out := map[*ast.SelectorExpr]bool{}
	add := func(e ast.Expr) {
		if sel, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
			out[sel] = true
		}
	}
	selected := func(e ast.Expr) string {
		if sel, ok := ast.Unparen(e).(*ast.SelectorExpr); ok {
			return p.fieldOf(sel)
		}
		return ""
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				add(left)
				if field := selected(left); field != "" && len(n.Lhs) == len(n.Rhs) && field == selected(n.Rhs[i]) {
					add(n.Rhs[i])
				}
			}
		case *ast.IncDecStmt:
			add(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				add(n.X)
			}
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				kv, ok := e.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				id, ok := kv.Key.(*ast.Ident)
				if ok && fieldName(p.Info.TypeOf(n), id.Name) != "" && fieldName(p.Info.TypeOf(n), id.Name) == selected(kv.Value) {
					add(kv.Value)
				}
			}
		}
		return true
	})
	return out
}
