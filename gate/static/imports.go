package static

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/glob"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
)

// imported is one package that a file uses.
type imported struct {
	name string
	line int
}

// imports holds what a chunk imports against the allow-list of the policy. What
// belongs to the tree itself is always allowed: it is scanned, too.
func (f *file) imports(chunk []byte, firstLine int) {
	if len(f.scanner.policy.Imports.Allow) == 0 {
		return
	}
	for _, i := range importsOf(f.view.Language, chunk) {
		if !allowedImport(f.scanner.policy.Imports.Allow, i.name) && !isLocal(f, i.name) {
			f.report(checkImport, firstLine+i.line-1, i.name, i.name)
		}
	}
}

// allowedImport reports whether an entry names a package, something that it is
// part of, or is a glob that matches it.
func allowedImport(allow []string, name string) bool {
	return slices.ContainsFunc(allow, func(entry string) bool {
		if rest, ok := strings.CutPrefix(name, entry); ok && (rest == "" || rest[0] == '.' || rest[0] == '/') {
			return true
		}
		return glob.MatchName(entry, name)
	})
}

var (
	pythonImport = regexp.MustCompile(`(?m)(?:^|;)[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w., \t]+))`)
	pythonByName = regexp.MustCompile(`\b(?:__import__|import_module)\(\s*["']([\w.]+)["']`)
	scriptImport = regexp.MustCompile(`(?m)\b(?:from\s*|import\s*|(?:require|import)\s*\(\s*)["'` + "`" + `]([^"'` + "`" + `\n]+)["'` + "`" + `]`)
)

// importsOf returns what a text in Python, JavaScript, TypeScript or Go imports
// by a constant name, except relative imports.
func importsOf(lang gate.Language, content []byte) []imported {
	switch lang {
	case gate.LanguageGo:
		return goImports(content)
	case gate.LanguagePython:
		return pythonImports(content)
	case gate.LanguageJavaScript, gate.LanguageTypeScript:
		return scriptImports(lang, content)
	}
	return nil
}

// goImports reads as far as a file parses.
func goImports(content []byte) []imported {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, "", content, parser.ImportsOnly)
	if parsed == nil || err != nil && len(parsed.Imports) == 0 {
		return nil
	}
	var out []imported
	for _, spec := range parsed.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil && !strings.HasPrefix(name, ".") {
			out = append(out, imported{name, fset.Position(spec.Pos()).Line})
		}
	}
	return out
}

func pythonImports(content []byte) []imported {
	text := lex.Scan(gate.LanguagePython, content)
	var out []imported
	add := func(name string, at int) {
		if name = strings.TrimSpace(name); name != "" && name[0] != '.' {
			out = append(out, imported{name, 1 + bytes.Count(content[:at], []byte{'\n'})})
		}
	}
	for _, m := range pythonImport.FindAllSubmatchIndex(content, -1) {
		switch {
		case text.At(m[1]-1) != lex.Code:
		case m[2] >= 0:
			add(string(content[m[2]:m[3]]), m[2])
		default:
			for part := range strings.SplitSeq(string(content[m[4]:m[5]]), ",") {
				name, _, _ := strings.Cut(strings.TrimSpace(part), " ")
				add(name, m[4])
			}
		}
	}
	for _, m := range pythonByName.FindAllSubmatchIndex(content, -1) {
		if text.At(m[0]) == lex.Code {
			add(string(content[m[2]:m[3]]), m[2])
		}
	}
	return out
}

func scriptImports(lang gate.Language, content []byte) []imported {
	text := lex.Scan(lang, content)
	var out []imported
	for _, m := range scriptImport.FindAllSubmatchIndex(content, -1) {
		name := strings.TrimPrefix(string(content[m[2]:m[3]]), "node:")
		if text.At(m[0]) != lex.Code || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "/") {
			continue
		}
		out = append(out, imported{name, 1 + bytes.Count(content[:m[2]], []byte{'\n'})})
	}
	return out
}

// isLocal reports whether a name is that of a module of the tree.
func isLocal(f *file, name string) bool {
	if f.change.Head == nil {
		return false
	}
	dir := path.Dir(f.view.Path)
	switch f.view.Language {
	case gate.LanguageGo:
		for ; ; dir = path.Dir(dir) {
			if module := moduleOf(f, path.Join(dir, "go.mod")); module != "" {
				return name == module || strings.HasPrefix(name, module+"/")
			}
			if dir == "." || dir == "/" {
				return false
			}
		}
	case gate.LanguagePython:
		top, _, _ := strings.Cut(name, ".")
		for _, root := range []string{dir, ".", "src"} {
			for _, candidate := range []string{top + ".py", top + "/__init__.py", top} {
				if _, err := fs.Stat(f.change.Head, path.Join(root, candidate)); err == nil {
					return true
				}
			}
		}
	}
	return false
}

// maxGoMod bounds how much of a go.mod is searched for the name of its module.
const maxGoMod = 64 << 10

func moduleOf(f *file, name string) string {
	data, _, err := bounded.HeadFile(f.change.Head, name, maxGoMod)
	if err != nil {
		return ""
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		if module, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.Trim(strings.TrimSpace(module), `"`)
		}
	}
	return ""
}
