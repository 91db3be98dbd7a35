package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// The bounds of a search for the tests that reach a file through others.
const (
	maxHops    = 4   // files between a test and a file
	maxReached = 400 // files that are followed
)

// importers knows which files import which, by what their imports say. Names are enough for
// the choice of tests: one too many costs a little time.
type importers struct {
	tree    *workspace.Tree
	indexes map[string]map[string][]string // by kind of files, then by what an import names
}

// of are the files that import one, in order.
func (i *importers) of(file string) []string {
	kind := importKind(file)
	index, ok := i.indexes[kind]
	if !ok {
		index = map[string][]string{}
		for _, f := range i.tree.Files {
			if f.Link != "" || importKind(f.Path) != kind || kind == "" || len(f.Data) > workspace.MaxSource {
				continue
			}
			for _, name := range i.imports(f.Path) {
				if at := index[name]; len(at) == 0 || at[len(at)-1] != f.Path {
					index[name] = append(at, f.Path)
				}
			}
		}
		i.indexes[kind] = index
	}
	var out []string
	for _, name := range i.names(file) {
		for _, f := range index[name] {
			if f != file && !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	slices.Sort(out)
	return out
}

// importKind is the language of a file that can be imported, "" for another.
func importKind(file string) string {
	switch {
	case path.Ext(file) == ".py":
		return "python"
	case nodeSource.MatchString(file) && !typeDeclarations.MatchString(file):
		return "node"
	}
	return ""
}

var (
	nodeImports   = regexp.MustCompile(`(?:\bfrom|\bimport|\brequire)\b[ \t(]*['"]([^'"\n]{1,300})['"]`)
	pythonImports = regexp.MustCompile(`(?m)^[ \t]*(?:import[ \t]+([^\n#]+)|from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]{0,1000}|[^\n#]+))`)
	pythonWord    = regexp.MustCompile(`[\pL_][\pL\pN_]*`)
	importable    = regexp.MustCompile(`(?:/index)?\.[cm]?[jt]sx?$`)
)

// imports are the names that a file imports: paths of the tree ("lib/a"), or what has to be
// looked for by its last part ("*a").
func (i *importers) imports(file string) []string {
	text := i.tree.Text(file)
	var out []string
	if importKind(file) == "python" {
		for _, m := range pythonImports.FindAllStringSubmatch(text, -1) {
			for _, w := range pythonWord.FindAllString(strings.Join(m[1:], " "), -1) {
				out = append(out, "*"+w)
			}
		}
		return out
	}
	for _, m := range nodeImports.FindAllStringSubmatch(text, -1) {
		name := m[1]
		if name == "." || name == ".." || strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
			at := path.Join(workspace.Parent(file), name)
			out = append(out, importable.ReplaceAllString(at, ""))
			continue
		}
		out = append(out, "*"+path.Base(importable.ReplaceAllString(name, "")))
	}
	return out
}

// names are those under which a file is imported.
func (i *importers) names(file string) []string {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	dir := workspace.Parent(file)
	if importKind(file) == "python" {
		if stem == "__init__" {
			stem = path.Base(dir)
		}
		if !identifier.MatchString(stem) || stem == "__main__" {
			return nil
		}
		return []string{"*" + stem}
	}
	out := []string{strings.TrimSuffix(file, path.Ext(file))}
	if stem == "index" {
		out = append(out, path.Clean(dir))
		stem = path.Base(dir)
	}
	if stem != "." && stem != "/" {
		out = append(out, "*"+stem)
	}
	project, ok := i.tree.Above(dir, "package.json")
	if !ok {
		return out
	}
	m := manifestOf(i.tree, project)
	entry := importable.ReplaceAllString(path.Join(project, m.Main), "") == importable.ReplaceAllString(file, "")
	if source := path.Clean(path.Join(project, "src")); m.Main != "" && entry || out[0] == path.Join(project, "index") || out[0] == path.Join(source, "index") {
		out = append(out, path.Clean(project))
		if m.Name != "" {
			out = append(out, "*"+path.Base(m.Name))
		}
	}
	return out
}

// through are the tests that reach a file through others, from the nearest distance where
// there are any.
func (i *importers) through(file string, test func(string) bool) []string {
	seen := map[string]bool{file: true}
	level := []string{file}
	for range maxHops {
		var next, tests []string
		for _, at := range level {
			for _, f := range i.of(at) {
				if seen[f] || len(seen) >= maxReached {
					continue
				}
				seen[f] = true
				if test(f) {
					tests = append(tests, f)
				} else {
					next = append(next, f)
				}
			}
		}
		if len(tests) > 0 {
			return tests
		}
		level = next
	}
	return nil
}
