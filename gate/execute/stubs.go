package execute

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// maxStandIns is how often one unit is run with modules that are replaced, and maxReplaced how
// many those are.
const (
	maxStandIns = 6
	maxReplaced = 24
)

// moduleName is what can be replaced.
var moduleName = regexp.MustCompile(`^@?[\w.-]+(?:/[\w.-]+)?$`)

// missingModules are those modules that a program lacks and that have no stand-in yet. A
// folder of the repository is none: what it lacks there cannot be made up.
func missingModules(t *workspace.Tree, lacks, have []string) []string {
	var out []string
	for _, name := range lacks {
		if moduleName.MatchString(name) && !t.Dirs[name] && !slices.Contains(have, name) && !slices.Contains(out, name) && len(have)+len(out) < maxReplaced {
			out = append(out, name)
		}
	}
	return out
}

var (
	nodeImports    = regexp.MustCompile(`import\s*(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*['"]([^'"\n]{1,200})['"]`)
	nodeIdentifier = regexp.MustCompile(`^[A-Za-z_$][\w$]*$`)
)

// maxImported bounds the names that a stand-in has.
const maxImported = 200

// imported returns the names that the sources of the change import from a module
// of Node: those it has to have before anything runs.
func imported(t *workspace.Tree, module string) []string {
	var names []string
	if module == "react" || module == "preact" {
		names = append(names, "Fragment", "jsx", "jsxDEV", "jsxs") // what JSX is translated to
	}
	for _, f := range t.Files {
		if len(f.Data) > workspace.MaxSource {
			continue
		}
		for _, m := range nodeImports.FindAllSubmatch(f.Data, maxImported) {
			if from := string(m[2]); from != module && !strings.HasPrefix(from, module+"/") {
				continue
			}
			for item := range strings.SplitSeq(string(m[1]), ",") {
				name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(item), "type "), " ")
				if nodeIdentifier.MatchString(name) && name != "default" {
					names = append(names, name)
				}
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), maxImported)]
}
