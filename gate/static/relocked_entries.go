package static

import (
	"fmt"
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/static/relocked"
)

// Bounds of the manifests in which aliases and repositories are looked for.
const (
	maxDeclaring = 50      // manifests
	maxDeclared  = 1 << 20 // bytes of one
)

// manifestNames are the manifests that lock files are made of.
var manifestNames = []string{"package.json", "pnpm-workspace.yaml", ".yarnrc.yml", "Cargo.toml", "pyproject.toml", "composer.json", "flake.nix", "Pipfile", "go.mod", "Gemfile", "deno.json"}

// relockedEntries reports entries of a lock file of the base that the change leaves their name
// and version, while it gives them another digest, none, or another package.
func relockedEntries(f *file) {
	t := f.target
	if f.change.Base == nil || t.Kind == gate.ChangeNone || t.Kind == gate.ChangeAdded || !t.Exists() || !t.Mode.IsRegular() || t.Parent != "" || t.Role == gate.RoleTest || !relocked.Knows(t.Path) {
		return
	}
	base, err := bounded.ReadFile(f.change.Base, olderPath(t), maxCompared)
	if err != nil {
		return // the layer says so where it compares the file
	}
	head, err := bounded.ReadFile(f.change.Head, t.Path, maxCompared)
	if err != nil {
		return // the layer says so where it reads the file
	}
	for _, c := range relocked.Find(t.Path, base, head, declaredIn(f.change, path.Dir(t.Path))) {
		name := gate.Clip(c.Name+" "+c.Version, maxShownName)
		switch c.Kind {
		case relocked.Package:
			f.report(checkLockPackage, c.Line, fmt.Sprintf("%s was %s and is %s", name, gate.Clip(c.Was, maxShownName), gate.Clip(c.Is, maxShownName)), "")
		case relocked.Gone:
			f.report(checkLockDigest, c.Line, name+" had one", "")
		default:
			f.report(checkLockDigest, c.Line, name, "")
		}
	}
}

// declaredIn returns what tells whether a manifest names something: one that the change touches,
// or one in a folder or the root of the head. They are read when the first is asked for.
func declaredIn(c *gate.Change, dir string) func(string) bool {
	var text *string
	return func(what string) bool {
		if what == "" {
			return false
		}
		if text == nil {
			all := declaring(c, dir)
			text = &all
		}
		return strings.Contains(*text, strings.ToLower(what))
	}
}

// declaring is the text of the manifests, in lower case.
func declaring(c *gate.Change, dir string) string {
	var names []string
	for _, t := range c.Targets {
		if t.Exists() && t.Parent == "" && t.Mode.IsRegular() && (t.Role == gate.RoleManifest || strings.HasSuffix(t.Path, ".nix")) && len(names) < maxDeclaring {
			names = append(names, t.Path)
		}
	}
	for _, n := range manifestNames {
		names = append(names, path.Join(dir, n))
		if dir != "." {
			names = append(names, n)
		}
	}
	var out strings.Builder
	for _, n := range names {
		if data, err := bounded.ReadFile(c.Head, n, maxDeclared); err == nil { // one that can't be read declares nothing
			out.WriteString(strings.ToLower(string(data)) + "\n")
		}
	}
	return out.String()
}
