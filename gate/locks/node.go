package locks

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// nodeLocks are the lock files of Node, the first that a folder has counts.
var nodeLocks = []struct{ name, kind string }{
	{"pnpm-lock.yaml", KindPNPM}, {"yarn.lock", KindYarn}, {"bun.lock", KindBun}, {"package-lock.json", KindNPM}, {"npm-shrinkwrap.json", KindNPM},
}

func (r *reader) node() []Project {
	var out []Project
	roots := map[string]bool{}
	for _, l := range nodeLocks {
		for _, p := range r.paths {
			if path.Base(p) != l.name {
				continue
			}
			dir := parent(p)
			switch {
			case roots[dir]:
				r.leave(p, "the folder has another lock file, which was taken")
			case !r.has[path.Join(dir, "package.json")]:
				r.leave(p, "there is no package.json beside it")
			default:
				roots[dir] = true
				out = append(out, Project{Dir: dir, Kind: l.kind, Files: map[string][]byte{l.name: r.text(p)}})
			}
		}
	}
	slices.SortFunc(out, func(a, b Project) int { return strings.Compare(a.Dir, b.Dir) })
	for i := range out {
		r.nodeFiles(&out[i], roots)
	}
	out = append(out, r.nodeManifests(roots)...)
	slices.SortFunc(out, func(a, b Project) int { return strings.Compare(a.Dir, b.Dir) })
	return out
}

// bun reports whether a package of the tree is made for Bun: by its lock file, or because
// its scripts start it.
func (r *reader) bun() bool {
	for _, p := range r.paths {
		switch path.Base(p) {
		case "bun.lock":
			return true
		case "package.json":
			var m struct {
				PackageManager string
				Scripts        map[string]string
			}
			if exact(r.text(p), &m, "packageManager", "scripts") != nil {
				continue
			}
			if strings.HasPrefix(m.PackageManager, "bun@") {
				return true
			}
			for _, s := range m.Scripts {
				if startsBun.MatchString(s) {
					return true
				}
			}
		}
	}
	return false
}

var startsBun = regexp.MustCompile(`(?:^|[;&|]\s*)bunx? `)

// nodeFiles adds the manifests of a project and of the packages of its workspace.
func (r *reader) nodeFiles(p *Project, roots map[string]bool) {
	if p.Kind == KindYarn && bytes.Contains(p.Files["yarn.lock"], []byte("\n__metadata:")) {
		p.Kind = KindBerry
	}
	for _, file := range r.paths {
		rel, ok := below(file, p.Dir)
		dir := parent(file)
		if !ok || path.Base(file) != "package.json" || nearest(dir, roots) != p.Dir {
			continue
		}
		if m, ok := reducedManifest(r.text(file)); ok {
			p.Files[rel] = m
		} else {
			r.leave(file, "it is not JSON with an object")
		}
	}
	if w := r.text(path.Join(p.Dir, "pnpm-workspace.yaml")); w != nil && p.Kind == KindPNPM {
		p.Files["pnpm-workspace.yaml"] = reducedWorkspace(w)
	}
	if rc := registries(r.text(path.Join(p.Dir, ".npmrc"))); len(rc) > 0 {
		p.Files[".npmrc"] = rc
	}
}

// nearest is the closest folder upwards that is a root.
func nearest(dir string, roots map[string]bool) string {
	for !roots[dir] && dir != "" {
		dir = parent(dir)
	}
	return dir
}

// manifestKeys are what an installer needs of a package.json. Scripts are not among
// them: what the repository itself would run has no business in the build.
var manifestKeys = []string{
	"name", "version", "private", "workspaces", "dependencies", "devDependencies", "optionalDependencies", "peerDependencies",
	"peerDependenciesMeta", "dependenciesMeta", "bundleDependencies", "bundledDependencies", "overrides", "resolutions", "bin", "pnpm",
}

func reducedManifest(data []byte) ([]byte, bool) {
	var m map[string]json.RawMessage
	if json.Unmarshal(data, &m) != nil || m == nil {
		return nil, false
	}
	kept := map[string]json.RawMessage{}
	for _, k := range manifestKeys {
		if v, ok := m[k]; ok {
			kept[k] = v
		}
	}
	var settings map[string]json.RawMessage
	if json.Unmarshal(kept["pnpm"], &settings) == nil {
		delete(kept, "pnpm")
		if o, ok := settings["overrides"]; ok {
			kept["pnpm"] = append(append([]byte(`{"overrides":`), o...), '}')
		}
	}
	out, err := json.Marshal(kept)
	return out, err == nil
}

// reducedWorkspace keeps which packages there are and what decides about versions.
func reducedWorkspace(data []byte) []byte {
	var w struct {
		Packages  []string                     `yaml:"packages,omitempty"`
		Catalog   map[string]string            `yaml:"catalog,omitempty"`
		Catalogs  map[string]map[string]string `yaml:"catalogs,omitempty"`
		Overrides map[string]string            `yaml:"overrides,omitempty"`
	}
	if yaml.Unmarshal(data, &w) != nil {
		return data // pnpm says what is wrong with it
	}
	out, err := yaml.Marshal(w)
	if err != nil {
		return nil
	}
	return out
}

// registryLine is a line of an .npmrc about registries: which, and how to be let in.
var registryLine = regexp.MustCompile(`^(?:(?:@[\w.-]+:)?registry|//[\w.:/-]+:(?:_authToken|_auth|username|_password|always-auth)|legacy-peer-deps)\s*=`)

// registries keeps the lines of an .npmrc that name registries. Others may start
// programs.
func registries(data []byte) []byte {
	var out []byte
	for line := range bytes.Lines(data) {
		if registryLine.Match(bytes.TrimSpace(line)) {
			out = append(append(out, bytes.TrimSpace(line)...), '\n')
		}
	}
	return out
}

// Members are the folders of the packages of a project's workspace, seen from the
// project, sorted.
func (p Project) Members() []string {
	var out []string
	for name := range p.Files {
		if path.Base(name) == "package.json" && name != "package.json" {
			out = append(out, path.Dir(name))
		}
	}
	slices.Sort(out)
	return out
}
