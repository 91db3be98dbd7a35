package coverage

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// Go reads a GOCOVERDIR, by the names of its files. path returns the path in the
// tree of a file that Go names by its import path, "" for none.
func Go(files map[string][]byte, src Sources, path func(name string) string) (Profile, error) {
	blocks, err := goProgram(files)
	if err != nil {
		return nil, err
	}
	byFile := map[string][]goBlock{}
	for _, b := range blocks {
		byFile[b.file] = append(byFile[b.file], b)
	}
	p := Profile{}
	for name, blocks := range byFile {
		text, ok := src[path(name)]
		if !ok || LinesOf(text) > MaxLines {
			continue
		}
		if lines := goLines(text, blocks); lines != nil {
			p.Merge(Profile{path(name): lines})
		}
	}
	return p, nil
}

// goLines says of every line at which a statement begins whether its block ran. A
// statement that lies in no block is no claim.
func goLines(text string, blocks []goBlock) Lines {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	blocks = joined(blocks)
	lines := Lines{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(ast.Stmt); ok && counted(s) {
			at := set.PositionFor(s.Pos(), false)
			if b := blockAt(blocks, at.Line, at.Column); b != nil {
				lines[at.Line] = lines[at.Line] || b.ran
			}
		}
		return true
	})
	return lines
}

// joined sorts blocks by where they begin. Each program that has a package counts its blocks: one
// that ran in any of them has run.
func joined(blocks []goBlock) []goBlock {
	slices.SortFunc(blocks, func(a, b goBlock) int {
		return cmp.Or(compare(a.fromLine, a.fromColumn, b.fromLine, b.fromColumn), compare(a.toLine, a.toColumn, b.toLine, b.toColumn))
	})
	out := blocks[:0]
	for _, b := range blocks {
		if last := len(out) - 1; last >= 0 && compare(out[last].fromLine, out[last].fromColumn, b.fromLine, b.fromColumn) == 0 && compare(out[last].toLine, out[last].toColumn, b.toLine, b.toColumn) == 0 {
			out[last].ran = out[last].ran || b.ran
			continue
		}
		out = append(out, b)
	}
	return out
}

// counted reports whether a statement does something by itself.
func counted(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause, *ast.EmptyStmt, *ast.LabeledStmt:
		return false
	case *ast.DeclStmt:
		d, ok := s.Decl.(*ast.GenDecl)
		return ok && d.Tok == token.VAR
	}
	return true
}

// blockAt returns the block that begins last of those that hold a place.
func blockAt(blocks []goBlock, line, column int) *goBlock {
	i, _ := slices.BinarySearchFunc(blocks, 0, func(b goBlock, _ int) int {
		if compare(b.fromLine, b.fromColumn, line, column) <= 0 {
			return -1
		}
		return 1
	})
	const back = 50 // blocks that were left before this place
	for j := i - 1; j >= 0 && j > i-back; j-- {
		if b := &blocks[j]; compare(line, column, b.toLine, b.toColumn) < 0 {
			return b
		}
	}
	return nil
}

func compare(line, column, otherLine, otherColumn int) int {
	if line != otherLine {
		return line - otherLine
	}
	return column - otherColumn
}
