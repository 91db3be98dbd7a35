package plan

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// The bounds of what is called in one package.
const (
	maxGoCalls = 100
	maxUses    = 12 // texts, and numbers, of one function that are tried as its arguments
)

// GoCalls are runs in which functions of Go packages are called that nothing else calls: those
// of some lines, by file, with arguments that are made up by their types; no lines of a file are
// all of them. Conditions
// in front of the lines of force are taken as met. u is a unit of the module.
func GoCalls(t *workspace.Tree, u Unit, touched, force map[string][][2]int) []Unit {
	byFolder := map[string][]string{}
	for file := range touched {
		if path.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go") && t.Has(file) {
			byFolder[workspace.Parent(file)] = append(byFolder[workspace.Parent(file)], file)
		}
	}
	var out []Unit
	for dir, files := range byFolder {
		slices.Sort(files)
		if one, ok := goCalls(t, u, dir, files, touched, force); ok {
			out = append(out, one)
		}
	}
	slices.SortFunc(out, func(a, b Unit) int { return cmp.Compare(a.Targets[0], b.Targets[0]) })
	return out
}

func goCalls(t *workspace.Tree, u Unit, dir string, files []string, touched, force map[string][][2]int) (Unit, bool) {
	var calls []goCall
	var extra []workspace.File
	name, everywhere := "", false
	tops := goTops{}
	for _, file := range files {
		tops.add(t.Text(file))
	}
	for _, file := range files {
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, "", t.Text(file), parser.SkipObjectResolution)
		if err != nil {
			return Unit{}, false
		}
		name = parsed.Name.Name
		lines := touched[file]
		if len(lines) == 0 {
			lines = [][2]int{{1, math.MaxInt}}
		}
		if len(force) > 0 {
			text, forced := goForced(set, parsed, t.Text(file), force[file])
			if lines = forced; len(lines) > 0 { // what asks is called, and not what is asked for
				extra = append(extra, workspace.File{Path: file, Data: []byte(text)})
			}
			everywhere = everywhere || slices.ContainsFunc(lines, func(l [2]int) bool { return !goNamed(set, parsed, l[0]) })
		}
		calls = append(calls, callsOf(set, parsed, lines, tops)...)
	}
	if len(force) > 0 && len(calls) > 0 { // what only tells is acted on where it is called
		calls = append(calls, goCallers(t, u, dir, calls, tops)...)
	}
	if everywhere { // what asks has no name: another function of the change may call it
		calls = append(calls, otherCalls(t, u, dir, calls, tops)...)
	}
	if len(calls) == 0 || len(force) > 0 && len(extra) == 0 {
		return Unit{}, false
	}
	// What may end the process comes last.
	slices.SortStableFunc(calls, func(a, b goCall) int { return cmp.Compare(a.ends, b.ends) })
	calls = calls[:min(len(calls), maxGoCalls)]
	if len(extra) > 0 {
		extra = append(extra, workspace.File{Path: path.Join(dir, "gate_given_met.go"), Data: fmt.Appendf(nil, goMet, name)})
	}
	for _, f := range u.Extra {
		if f.Path == "go.mod" {
			extra = append(extra, f)
		}
	}
	extra = append(extra, workspace.File{Path: path.Join(dir, "gate_given_test.go"), Data: goCallsFile(name, moduleWord(t, u, dir), calls)})
	one := Unit{Kind: u.Kind, Targets: files, Dir: u.Dir, Extra: extra}
	one.Job = job.Job{Image: gate.LanguageGo, Program: job.GoTests{Packages: []string{GoPath(u.Dir, dir)}, Verbose: true}, Env: u.Job.Env}.With("-run", job.GoGivenTest)
	return one, true
}

// moduleWord is what the paths of packages of the project have in them, and those of others not.
func moduleWord(t *workspace.Tree, u Unit, dir string) string {
	if m := moduleLine.FindStringSubmatch(t.Text(path.Join(u.Dir, "go.mod"))); m != nil {
		return m[1]
	}
	return SyntheticModule
}

var moduleLine = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

// goCall is a function that is called.
type goCall struct {
	value   string // "Name", "(*Type).Name"
	names   []string
	texts   []string
	numbers []int64
	chance  bool // it draws random numbers
	ends    int  // 1 where it may end the process
}

// callsOf are the functions of a file that some lines belong to.
func callsOf(set *token.FileSet, file *ast.File, lines [][2]int, tops goTops) []goCall {
	var out []goCall
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || f.Name.Name == "init" || f.Name.Name == "_" || f.Type.TypeParams != nil {
			continue
		}
		from, to := set.Position(f.Pos()).Line, set.Position(f.End()).Line
		if !slices.ContainsFunc(lines, func(l [2]int) bool { return l[0] <= to && from <= l[1] }) {
			continue
		}
		c := goCall{value: f.Name.Name}
		if f.Recv != nil {
			if c.value = receiver(f.Recv.List[0].Type); c.value == "" {
				continue
			}
			c.value += "." + f.Name.Name
			c.names = append(c.names, "receiver")
		}
		for _, field := range f.Type.Params.List {
			for range max(1, len(field.Names)) {
				c.names = append(c.names, "value")
			}
			for i, n := range field.Names {
				c.names[len(c.names)-len(field.Names)+i] = n.Name
			}
		}
		c.uses(f.Body, tops, map[string]bool{f.Name.Name: true})
		out = append(out, c)
	}
	return out
}

// goNamed reports whether a line belongs to a function that can be called by its name.
func goNamed(set *token.FileSet, file *ast.File, line int) bool {
	return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		return ok && f.Name.Name != "init" && set.Position(f.Pos()).Line <= line && line <= set.Position(f.End()).Line
	})
}

// otherCalls are calls of the functions of the files of a unit in a folder, besides those of have.
func otherCalls(t *workspace.Tree, u Unit, dir string, have []goCall, tops goTops) []goCall {
	var out []goCall
	for set, parsed := range goTargets(t, u, dir) {
		for _, c := range callsOf(set, parsed, [][2]int{{1, math.MaxInt}}, tops) {
			if !slices.ContainsFunc(have, func(h goCall) bool { return h.value == c.value }) {
				out = append(out, c)
			}
		}
	}
	return out
}

// goTargets are the parsed files of a unit in a folder, without tests and what does not parse.
func goTargets(t *workspace.Tree, u Unit, dir string) iter.Seq2[*token.FileSet, *ast.File] {
	return func(yield func(*token.FileSet, *ast.File) bool) {
		for _, file := range u.Targets {
			if workspace.Parent(file) != dir || path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			parsed, err := parser.ParseFile(set, "", t.Text(file), parser.SkipObjectResolution)
			if err == nil && !yield(set, parsed) {
				return
			}
		}
	}
}

// receiver is the type of a method as an expression, "" for one with parameters.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		if of, ok := t.X.(*ast.Ident); ok {
			return "(*" + of.Name + ")"
		}
	}
	return ""
}

// goTops are the values and the functions that files of a package declare, by name.
type goTops map[string]ast.Node

func (g goTops) add(text string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Body != nil {
				g[d.Name.Name] = d.Body
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				v, ok := s.(*ast.ValueSpec)
				for i := 0; ok && i < min(len(v.Names), len(v.Values)); i++ {
					g[v.Names[i].Name] = v.Values[i]
				}
			}
		}
	}
}

// uses notes the constants that a function names: its own, those of its package, and those of
// functions that it calls; and whether it may end the process.
func (c *goCall) uses(body ast.Node, tops goTops, seen map[string]bool) {
	if c.value == "main" {
		c.ends = 1
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if of := tops[n.Name]; of != nil && !seen[n.Name] && len(seen) < maxGoCalls {
				seen[n.Name] = true
				c.uses(of, tops, seen)
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); n.Kind == token.STRING && err == nil && text != "" && len(text) < 80 && len(c.texts) < maxUses {
				if m := jsonTag.FindStringSubmatch(text); m != nil {
					text = m[1]
				}
				c.texts = append(c.texts, text)
			}
			if v, err := strconv.ParseInt(n.Value, 0, 64); n.Kind == token.INT && err == nil && v > 1 && v < 1<<40 && len(c.numbers) < maxUses {
				c.numbers = append(c.numbers, v)
			}
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok && of.Name == "rand" {
				c.chance = true
			} else if ok && (of.Name == "os" && n.Sel.Name == "Exit" || of.Name == "log" && strings.HasPrefix(n.Sel.Name, "Fatal")) {
				c.ends = 1
			}
		}
		return true
	})
}

// jsonTag is the name of a field in JSON.
var jsonTag = regexp.MustCompile(`^json:"([^",]+)`)

const goMet = `//go:build go1.22

package %s

import "sync/atomic"

func gateGivenMet[T ~bool](T) bool { return true }

func gateGivenUnmet[T ~bool](T) bool { return false }

var gateGivenTurn atomic.Int64

func gateGivenChosen[T any](_ T, of ...T) T { return of[int(gateGivenTurn.Add(1)-1)%%len(of)] }
`

// goForced is the text of a file in which the conditions are taken as met that keep some lines
// from running, and the lines of these conditions.
func goForced(set *token.FileSet, file *ast.File, text string, lines [][2]int) (forced string, guards [][2]int) {
	missed := func(n ast.Node) bool {
		line := set.Position(n.Pos()).Line
		return slices.ContainsFunc(lines, func(l [2]int) bool { return l[0] <= line && line <= l[1] })
	}
	var at []goInsert
	loops := loopsOf(set, file)
	alone := map[int]bool{}
	wrap := func(e ast.Expr, name string, body *ast.BlockStmt) {
		if b, ok := e.(*ast.BinaryExpr); ok {
			if x, ok := b.X.(*ast.Ident); ok && x.Name == "err" && (name == "gateGivenMet" || !alone[set.Position(e.Pos()).Line]) {
				return // an error that is none is handled by what ends the program
			}
		}
		line := set.Position(e.Pos()).Line
		if slices.ContainsFunc(loops, func(l goLoop) bool {
			return l.has(line) && l.mentions(e) && (body == nil || goLeaves(body) || l.mentions(body))
		}) {
			return // which items are meant is no condition on the world
		}
		guards = append(guards, [2]int{line, line})
		at = append(at, goInsert{set.Position(e.Pos()).Offset, name + "("}, goInsert{set.Position(e.End()).Offset, ")"})
	}
	// choose makes the value of a switch that of a case that did not run, of the next one each time.
	choose := func(s *ast.SwitchStmt) {
		line := set.Position(s.Tag.Pos()).Line
		if slices.ContainsFunc(loops, func(l goLoop) bool { return l.has(line) && l.mentions(s.Tag) }) {
			return
		}
		chosen := ""
		for _, c := range s.Body.List {
			if clause, ok := c.(*ast.CaseClause); ok && len(clause.List) > 0 && len(clause.Body) > 0 && missed(clause.Body[0]) && goConstant(clause.List[0]) {
				chosen += ", " + text[set.Position(clause.List[0].Pos()).Offset:set.Position(clause.List[0].End()).Offset]
			}
		}
		if chosen == "" {
			return
		}
		guards = append(guards, [2]int{line, line})
		at = append(at, goInsert{set.Position(s.Tag.Pos()).Offset, "gateGivenChosen("}, goInsert{set.Position(s.Tag.End()).Offset, chosen + ")"})
	}
	block := func(list []ast.Stmt) {
		goFollowed(set, list, alone)
		for i, s := range list {
			switch s := s.(type) {
			case *ast.IfStmt:
				forcedIf(s, list[i+1:], missed, wrap)
			case *ast.SwitchStmt:
				if s.Tag != nil {
					choose(s)
				}
				if s.Tag == nil && i+1 < len(list) && missed(list[i+1]) {
					goLeft(s, wrap)
				}
				for _, c := range s.Body.List {
					if clause, ok := c.(*ast.CaseClause); ok && s.Tag == nil && len(clause.List) == 1 && len(clause.Body) > 0 && missed(clause.Body[0]) {
						wrap(clause.List[0], "gateGivenMet", nil)
						break
					}
				}
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			block(n.List)
		case *ast.CaseClause:
			block(n.Body)
		}
		return true
	})
	slices.SortStableFunc(at, func(a, b goInsert) int { return cmp.Compare(b.offset, a.offset) })
	for _, i := range at {
		text = text[:i.offset] + i.text + text[i.offset:]
	}
	return text, guards
}

// goLeaves reports whether a block ends what is around it.
func goLeaves(b *ast.BlockStmt) bool {
	switch b.List[len(b.List)-1].(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	}
	return false
}

// goConstant reports whether an expression can be evaluated earlier: a literal or a name.
func goConstant(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit, *ast.Ident:
		return true
	case *ast.SelectorExpr:
		_, ok := e.X.(*ast.Ident)
		return ok
	}
	return false
}

// goLoop is a loop over items: its lines, and the names of an item and of what is made of it.
type goLoop struct {
	from, to int
	names    map[string]bool
}

func (l goLoop) has(line int) bool { return l.from <= line && line <= l.to }

func (l goLoop) mentions(e ast.Node) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && l.names[id.Name]
		return !found
	})
	return found
}

func loopsOf(set *token.FileSet, file *ast.File) []goLoop {
	var out []goLoop
	ast.Inspect(file, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if !ok {
			return true
		}
		l := goLoop{set.Position(loop.Pos()).Line, set.Position(loop.End()).Line, map[string]bool{}}
		for _, e := range []ast.Expr{loop.Key, loop.Value} {
			if id, ok := e.(*ast.Ident); ok && id.Name != "_" {
				l.names[id.Name] = true
			}
		}
		ast.Inspect(loop.Body, func(n ast.Node) bool {
			if made, ok := n.(*ast.AssignStmt); ok && slices.ContainsFunc(made.Rhs, func(e ast.Expr) bool { return l.mentions(e) }) {
				for _, e := range made.Lhs {
					if id, ok := e.(*ast.Ident); ok && id.Name != "_" && id.Name != "err" {
						l.names[id.Name] = true
					}
				}
			}
			return true
		})
		out = append(out, l)
		return true
	})
	return out
}

type goInsert struct {
	offset int
	text   string
}

// forcedIf takes the condition of a statement, and of those behind its else, as met or not met.
func forcedIf(s *ast.IfStmt, rest []ast.Stmt, missed func(ast.Node) bool, wrap func(ast.Expr, string, *ast.BlockStmt)) {
	if len(s.Body.List) == 0 {
		return
	}
	if missed(s.Body.List[0]) {
		wrap(s.Cond, "gateGivenMet", s.Body)
		return
	}
	switch other := s.Else.(type) {
	case *ast.BlockStmt:
		if len(other.List) > 0 && missed(other.List[0]) {
			wrap(s.Cond, "gateGivenUnmet", nil)
		}
	case *ast.IfStmt:
		if len(other.Body.List) > 0 && missed(other.Body.List[0]) {
			wrap(s.Cond, "gateGivenUnmet", nil)
		}
		forcedIf(other, nil, missed, wrap)
	case nil:
		if _, leaves := s.Body.List[len(s.Body.List)-1].(*ast.ReturnStmt); leaves && len(rest) > 0 && missed(rest[0]) {
			wrap(s.Cond, "gateGivenUnmet", nil)
		}
	}
}

// goCallsFile is a file of tests that calls functions.
func goCallsFile(name, module string, calls []goCall) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "//go:build go1.22\n\npackage %s\n\nimport (\n", name)
	for _, p := range []string{"bytes", "cmp", "context", "errors", "flag", "fmt", "io", "log", "log/slog", "net/http", "net/http/httptest", "net/url", "os", "reflect", "strings", "testing", "time", "unsafe"} {
		fmt.Fprintf(&b, "\t%q\n", p)
	}
	b.WriteString("\tgateGivenJSON \"encoding/json\"\n\tgateGivenSystem \"syscall\"\n")
	fmt.Fprintf(&b, ")\n\nconst gateGivenModule = %q\n\nfunc TestGateGiven(*testing.T) {\n\tgateGivenAll([]gateGivenCall{\n", module)
	for _, c := range calls {
		fmt.Fprintf(&b, "\t\t{%s, %#v, %#v, %#v, %t},\n", c.value, append(c.names, ""), c.texts, c.numbers, c.chance)
	}
	b.WriteString("\t})\n}\n" + job.GoGiven())
	return []byte(b.String())
}
