package execute

import (
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
)

// weigher knows what the capabilities of a module are weighed by: what the change
// edits, what its base requires, and what its base does elsewhere.
type weigher struct {
	module   string
	base     *workspace.Tree
	edited   map[string]gate.LineSet // by path
	required map[string]string       // versions, by module
	imports  *map[string]string      // of the base, once read: the first file of each
}

func newWeigher(m goTargets, base *workspace.Tree, c *gate.Change) weigher {
	w := weigher{
		module: m.module, base: base, edited: map[string]gate.LineSet{},
		required: required(base.Text(path.Join(m.module, "go.mod"))), imports: new(map[string]string),
	}
	for _, t := range slices.Concat(c.Targets, c.OtherShards) {
		if t.Parent == "" && t.Exists() {
			w.edited[t.Path] = t.Lines
		}
	}
	return w
}

// required are the versions that a go.mod names. It is read for what a report says,
// not for what is decided.
func required(mod string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(mod) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		if len(words) > 0 && words[0] == "require" {
			words = words[1:]
		}
		if len(words) == 2 && strings.HasPrefix(words[1], "v") {
			out[words[0]] = words[1]
		}
	}
	return out
}

// gain is one package before and after.
type gain struct {
	weigher
	dir           string
	targets       []string
	before, after capablePackage
	isNew         bool
}

// gained is a finding and the file that it is about.
type gained struct {
	gate.Finding
	target string
}

// findings are about the capabilities that a package has and did not have, each with
// the path that says most about the change.
func (g gain) findings() []gained {
	had := map[string]bool{}
	for _, c := range g.before.Capabilities {
		had[c.Name] = true
	}
	paths := map[string][]capability{}
	for _, c := range g.after.Capabilities {
		if !had[c.Name] {
			paths[c.Name] = append(paths[c.Name], c)
		}
	}
	var out []gained
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		kind, _, _ := strings.Cut(name, "/")
		i := slices.IndexFunc(capabilityRules, func(r capabilityRule) bool { return r.name == kind })
		if i < 0 {
			continue
		}
		// What a detour reaches says more than what an edited function does in plain sight.
		ways := slices.DeleteFunc(slices.Clone(paths[name]), func(c capability) bool { return g.plain(capabilityRules[i], c) })
		if len(ways) == 0 {
			ways = paths[name]
		}
		c := slices.MinFunc(ways, func(a, b capability) int {
			return cmp.Or(cmp.Compare(g.distance(a), g.distance(b)), cmp.Compare(len(a.Through), len(b.Through)))
		})
		out = append(out, g.finding(capabilityRules[i], c))
	}
	return out
}

// distance is how far a path is from what the change edits. A package that has a
// capability only since the change has it because of the change, whatever was edited:
// so this chooses a path, and leaves none out.
func (g gain) distance(c capability) int {
	at := slices.IndexFunc(c.Through, func(f functionAt) bool {
		lines, ok := g.edited[path.Join(g.module, f.File)]
		return ok && lines.Touches(f.From, f.To)
	})
	switch {
	case at == 0:
		return 0
	case at > 0:
		return 1
	case g.dependency(c) != "":
		return 2
	}
	return 3
}

// dependency says what the change did to the module whose code makes the last call.
func (g gain) dependency(c capability) string {
	module, version, ok := strings.Cut(c.Dependency, "@")
	switch was := g.required[module]; {
	case !ok || was == version:
		return ""
	case was == "":
		return "adds"
	default:
		return "updates from " + was
	}
}

func (g gain) finding(rule capabilityRule, c capability) gained {
	f := gained{target: g.targets[0], Finding: gate.Finding{
		Rule: rule.ID, Layer: gate.LayerSandbox, Severity: rule.Severity, Message: "its package " + rule.Message,
		Evidence: c.Path, Origin: "the code that its package reaches, compared with the base",
	}}
	if g.isNew {
		f.Message, f.Origin = "its package, which is new, "+rule.Message, "the code that its package reaches; the base does not have the package"
	}
	if c.File != "" {
		p := path.Join(g.module, c.File)
		if slices.Contains(g.targets, p) {
			f.target = p
		}
		if c.Line > 0 {
			f.Evidence = fmt.Sprintf("%s (%s:%d)", c.Path, path.Base(p), c.Line)
		}
	}
	if c.Dependency != "" {
		f.Evidence += ", in the dependency " + c.Dependency
		if did := g.dependency(c); did != "" {
			f.Evidence += ", which the change " + did
		}
	}
	if why := g.usual(rule); why != "" {
		f.Severity = gate.SeverityNote
		f.Message += ", as " + why
	} else if g.plain(rule, c) {
		f.Severity = gate.SeverityNote
		f.Message += ": an edited function calls " + strings.Join(rule.shown, " or ") + " itself"
	}
	return f
}

// isEdited reports whether a function is one that the change edits.
func (g gain) isEdited(f functionAt) bool {
	lines, ok := g.edited[path.Join(g.module, f.File)]
	return ok && lines.Touches(f.From, f.To)
}

// plain reports whether an edited function makes the call itself, by an import that says so, and
// is one of the package, or all functions on the way to it are edited, too.
// Readers and the rules about the source see that; what is left to this comparison is what
// they don't see: a dependency, a package that is not edited, a detour.
func (g gain) plain(rule capabilityRule, c capability) bool {
	if len(rule.shown) == 0 || c.Dependency != "" || len(c.Through) == 0 {
		return false
	}
	last := c.Through[len(c.Through)-1]
	own := g.isEdited(last) && path.Dir(last.File) == cmp.Or(g.dir, ".")
	if !own && slices.ContainsFunc(c.Through, func(f functionAt) bool { return !g.isEdited(f) }) {
		return false
	}
	steps := strings.Split(c.Path, " > ")
	if len(steps) <= len(c.Through) {
		return false
	}
	called := strings.TrimLeft(steps[len(c.Through)], "(*")
	for _, name := range rule.shown {
		if rest, ok := strings.CutPrefix(called, name+"."); ok && !strings.Contains(rest, "/") {
			return true
		}
	}
	return false
}

// usual says why a capability is nothing to ask about in this package, "" where it
// is. The change does not choose the kind of a package that the base has.
func (g gain) usual(rule capabilityRule) string {
	p := g.before
	if g.isNew {
		p = g.after
	}
	for _, k := range packageKinds {
		if slices.Contains(k.usual, rule.name) && k.is(p) {
			return k.name + " usually can"
		}
	}
	if g.isNew && !rule.rare {
		return "many packages can"
	}
	for _, name := range rule.imports {
		if file := g.importedIn(name); file != "" {
			return "the base can in " + file
		}
	}
	return ""
}

// importedIn is the first file of the module's base that imports a package and is no
// test, "" for none.
func (w weigher) importedIn(name string) string {
	if *w.imports == nil {
		*w.imports = map[string]string{}
		for _, f := range w.base.Files {
			dir := workspace.Parent(f.Path)
			module, _ := w.base.Above(dir, "go.mod")
			if !strings.HasSuffix(f.Path, ".go") || strings.HasSuffix(f.Path, "_test.go") || module != w.module || ignoredByGo(f.Path) {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), "", w.base.Text(f.Path), parser.ImportsOnly)
			if err != nil {
				continue
			}
			for _, i := range parsed.Imports {
				if p, err := strconv.Unquote(i.Path.Value); err == nil && (*w.imports)[p] == "" {
					(*w.imports)[p] = f.Path
				}
			}
		}
	}
	return (*w.imports)[name]
}

// packageKind is a kind of package and what is usual there.
type packageKind struct {
	name  string
	is    func(capablePackage) bool
	usual []string
}

// packageKinds are in the order of what a reader would call a package first. Programs,
// system calls, C and hidden code are usual for none.
var packageKinds = []packageKind{
	{"a command", func(p capablePackage) bool { return p.Name == "main" }, []string{"FILES", "NETWORK", "MODIFY_SYSTEM_STATE"}},
	{"a helper of tests", importing("testing"), []string{"FILES", "NETWORK", "MODIFY_SYSTEM_STATE"}},
	{"a client or server", importing("net", "net/http", "crypto/tls"), []string{"FILES", "NETWORK"}},
	{"a package that uses the operating system", importing("os", "io/fs", "io/ioutil", "path/filepath"), []string{"FILES"}},
}

func importing(paths ...string) func(capablePackage) bool {
	return func(p capablePackage) bool {
		return slices.ContainsFunc(paths, func(i string) bool { return slices.Contains(p.Imports, i) })
	}
}
