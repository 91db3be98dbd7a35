package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

// MaxLines is the most lines that a source file has. What does not fit says more
// than one thing.
const MaxLines = 500

// CheckSource returns what in one Go file goes against the rules for source
// files. path is relative to the module and uses slashes.
func CheckSource(path string, text []byte) []string {
	var wrong []string
	complain := func(line int, format string, args ...any) {
		wrong = append(wrong, fmt.Sprintf("%s:%d: ", path, line)+fmt.Sprintf(format, args...))
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	line := func(n ast.Node) int { return files.Position(n.Pos()).Line }

	if lines := strings.Count(string(text), "\n"); lines > MaxLines && !ast.IsGenerated(file) {
		complain(1, "%d lines; split it where it says a second thing (%d at most)", lines, MaxLines)
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if unfinished.MatchString(c.Text) {
				complain(line(c), "an unfinished part: %s", c.Text)
			}
		}
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			complain(line(f), "init runs whether or not it is wanted, and in an order that no one sees; list it where it is used")
		}
	}
	if !strings.HasPrefix(path, "gate/glob/") && !strings.HasSuffix(path, "_test.go") {
		matches(file, func(n ast.Node) {
			complain(line(n), "match names with package gate/glob: path.Match is another dialect of globs")
		})
	}
	if strings.HasSuffix(path, "_test.go") {
		skips(file, func(n ast.Node) {
			complain(line(n), "a test is skipped through tools/testenv only, so that `make test` can insist")
		})
	}
	return wrong
}

// unfinished matches the marks of work that was left for later.
var unfinished = regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XXX)\b|not ` + `implemented`)

// skips calls found for every call that skips a test or asks for short mode.
func skips(file *ast.File, found func(ast.Node)) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		on, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		switch sel.Sel.Name {
		case "Skip", "Skipf", "SkipNow":
			switch on.Name {
			case "t", "b", "f", "tb":
				found(call)
			}
		case "Short":
			if on.Name == "testing" {
				found(call)
			}
		}
		return true
	})
}

// homes matches a path in a user's home or checkout folder: it works on one
// machine only and tells the world about it.
var homes = regexp.MustCompile(`(?:^|[\s"'` + "`" + `=(:])(/(?:home|Users)/[\w.-]+/(?:go|src|git|code|dev|projects?|workspace|repos?)/[\w./-]*)`)

// CheckPaths returns the lines of a text file that name a folder of the machine
// it was written on. here are the folders of this machine: the checkout's own,
// the module cache.
func CheckPaths(path, text string, here ...string) []string {
	var wrong []string
	n := 0
	for line := range strings.Lines(text) {
		n++
		if m := homes.FindStringSubmatch(line); m != nil {
			wrong = append(wrong, fmt.Sprintf("%s:%d: names a folder of one machine: %s", path, n, m[1]))
		}
		for _, h := range here {
			if h != "" && strings.Contains(line, h+"/") {
				wrong = append(wrong, fmt.Sprintf("%s:%d: names a folder of this machine: %s", path, n, h))
			}
		}
	}
	return wrong
}

// matches calls found for every use of the standard library's own globs on names.
func matches(file *ast.File, found func(ast.Node)) {
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "Match" {
			if on, ok := sel.X.(*ast.Ident); ok && (on.Name == "path" || on.Name == "filepath") {
				found(n)
			}
		}
		return true
	})
}
