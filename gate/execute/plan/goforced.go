package plan

import (
	"go/ast"
	"go/token"
	"math"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/execute/workspace"
)

// maxGoCallers bounds the functions that are called for what they call.
const maxGoCallers = 8

// goCallers are calls of those functions of the files of a unit in a folder that call functions
// of have by their names, and that have does not call.
func goCallers(t *workspace.Tree, u Unit, dir string, have []goCall, tops goTops) []goCall {
	names := map[string]bool{}
	for _, h := range have {
		names[h.value[strings.LastIndexByte(h.value, '.')+1:]] = true
	}
	var out []goCall
	for set, parsed := range goTargets(t, u, dir) {
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil || !goMentions(f.Body, names) {
				continue
			}
			line := set.Position(f.Pos()).Line
			for _, c := range callsOf(set, parsed, [][2]int{{line, line}}, tops) {
				if !slices.ContainsFunc(slices.Concat(have, out), func(h goCall) bool { return h.value == c.value }) && len(out) < maxGoCallers {
					out = append(out, c)
				}
			}
		}
	}
	return out
}

// goMentions reports whether a body has one of some names.
func goMentions(body ast.Node, names map[string]bool) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && names[id.Name]
		return !found
	})
	return found
}

// goFollowed notes the lines of conditions on an error that came without another value: to go on in
// spite of it is to go on with what was there before.
func goFollowed(set *token.FileSet, list []ast.Stmt, alone map[int]bool) {
	for i := 1; i < len(list); i++ {
		made, ok := list[i-1].(*ast.AssignStmt)
		if !ok || len(made.Lhs) != 1 {
			continue
		}
		if id, ok := made.Lhs[0].(*ast.Ident); !ok || id.Name != "err" {
			continue
		}
		switch s := list[i].(type) {
		case *ast.IfStmt:
			alone[set.Position(s.Cond.Pos()).Line] = true
		case *ast.SwitchStmt:
			for line := set.Position(s.Pos()).Line; line <= set.Position(s.End()).Line && line < math.MaxInt; line++ {
				alone[line] = true
			}
		}
	}
}

// goLeft takes those cases of a switch as not met that leave what is around it: what follows did not
// run.
func goLeft(s *ast.SwitchStmt, wrap func(ast.Expr, string, *ast.BlockStmt)) {
	for _, c := range s.Body.List {
		clause, ok := c.(*ast.CaseClause)
		if !ok || len(clause.List) != 1 || len(clause.Body) == 0 {
			continue
		}
		if _, leaves := clause.Body[len(clause.Body)-1].(*ast.ReturnStmt); leaves {
			wrap(clause.List[0], "gateGivenUnmet", nil)
		}
	}
}
