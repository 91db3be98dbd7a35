package static

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/static/weakening"
)

// Bounds of the look at unchanged files that a changed file imports.
const (
	maxImportedNear = 40        // files
	maxImportedSize = 256 << 10 // bytes of one
)

// neighbours are the files that a change leaves alone and that its files import.
type neighbours struct {
	change *gate.Change
	files  []weakening.File // of the change
}

var (
	scriptNames = regexp.MustCompile(`(?:\bfrom|\brequire\s*\(|\bimport\s*\(?)\s*["'](\.{1,2}/[^"'\n]+)["']`)
	pythonNames = regexp.MustCompile(`(?m)^\s*from\s+(\.*)([\w.]*)\s+import\s+([\w, ]+)`)
)

// of reads the files that one of the change imports. What can't be read is left out: then
// nothing says that a check is still made.
func (n *neighbours) of(name string) []weakening.File {
	i := slices.IndexFunc(n.files, func(f weakening.File) bool { return f.Path == name })
	if i < 0 || n.change.Head == nil || n.change.Remote {
		return nil
	}
	var out []weakening.File
	for _, p := range n.names(n.files[i]) {
		if len(out) >= maxImportedNear {
			break
		}
		if slices.ContainsFunc(n.files, func(f weakening.File) bool { return f.Path == p }) {
			continue
		}
		if text, err := bounded.ReadFile(n.change.Head, p, maxImportedSize); err == nil {
			out = append(out, weakening.File{Path: p, Language: n.files[i].Language, Head: text})
		}
	}
	return out
}

// names are the paths that the imports of a file may mean.
func (n *neighbours) names(f weakening.File) []string {
	dir := path.Dir(f.Path)
	var out []string
	switch f.Language {
	case gate.LanguageGo:
		entries, err := fs.ReadDir(n.change.Head, dir)
		if err != nil {
			return nil
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".go") && !strings.HasSuffix(e.Name(), "_test.go") {
				out = append(out, path.Join(dir, e.Name()))
			}
		}
	case gate.LanguagePython:
		for _, m := range pythonNames.FindAllSubmatch(f.Head, maxImportedNear) {
			from := ""
			if len(m[1]) > 0 {
				from = path.Join(dir, strings.Repeat("../", len(m[1])-1))
			}
			module := path.Join(from, strings.ReplaceAll(string(m[2]), ".", "/"))
			out = append(out, module+".py", path.Join(module, "__init__.py"))
			for name := range strings.SplitSeq(string(m[3]), ",") {
				out = append(out, path.Join(module, strings.TrimSpace(name)+".py"))
			}
		}
	case gate.LanguageJavaScript, gate.LanguageTypeScript:
		for _, m := range scriptNames.FindAllSubmatch(f.Head, maxImportedNear) {
			module := path.Join(dir, string(m[1]))
			bare := strings.TrimSuffix(strings.TrimSuffix(module, ".js"), ".ts")
			for _, end := range []string{".ts", ".js", ".tsx", ".jsx", ".mjs", ".cjs", "/index.ts", "/index.js"} {
				out = append(out, bare+end)
			}
			out = append(out, module)
		}
	}
	return slices.DeleteFunc(out, func(p string) bool { return !fs.ValidPath(p) })
}
