package locks

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// nodeManifests are the projects of Node without a lock file: the outermost folders with a
// package.json that asks for something. roots are the folders that have a lock file.
func (r *reader) nodeManifests(roots map[string]bool) []Project {
	covered := func(dir string, tops map[string]bool) bool {
		return tops[dir] || tops[nearest(dir, tops)] // nearest ends at the root of the tree
	}
	var dirs []string
	for _, p := range r.paths {
		if dir := parent(p); path.Base(p) == "package.json" && !covered(dir, roots) {
			dirs = append(dirs, dir)
		}
	}
	slices.SortFunc(dirs, func(a, b string) int { return strings.Count(a+"/", "/") - strings.Count(b+"/", "/") })
	tops := map[string]bool{}
	var out []Project
	for _, dir := range dirs {
		if covered(dir, tops) {
			continue // a package of that workspace, or a sample in that project
		}
		tops[dir] = true
		if p, ok := r.nodeManifest(dir, roots); ok {
			out = append(out, p)
		}
	}
	return out
}

// nodeManifest is one of them; ok is false where it asks for nothing.
func (r *reader) nodeManifest(dir string, roots map[string]bool) (p Project, ok bool) {
	at := path.Join(dir, "package.json")
	p = Project{Dir: dir, Kind: KindNPMManifest, Files: map[string][]byte{}}
	top := r.manifest(at)
	if top == nil {
		return p, false
	}
	var manager string
	_ = json.Unmarshal(top["packageManager"], &manager) // what is no text names none
	workspace := r.text(path.Join(dir, "pnpm-workspace.yaml"))
	if workspace != nil || strings.HasPrefix(manager, "pnpm@") {
		p.Kind = KindPNPMManifest
	}
	members := workspace != nil || top["workspaces"] != nil
	if workspace != nil {
		p.Files["pnpm-workspace.yaml"] = reducedWorkspace(workspace)
	}
	asks := false
	for _, file := range r.paths {
		rel, inside := below(file, dir)
		if !inside || path.Base(file) != "package.json" || file != at && (!members || roots[nearest(parent(file), roots)] && nearest(parent(file), roots) != dir) {
			continue
		}
		m := r.manifest(file)
		if m == nil {
			continue
		}
		asks = r.fromRegistries(file, m) || asks
		if data, err := json.Marshal(m); err == nil {
			p.Files[rel], _ = reducedManifest(data)
		}
	}
	if rc := registries(r.text(path.Join(dir, ".npmrc"))); len(rc) > 0 {
		p.Files[".npmrc"] = rc
	}
	return p, asks
}

// manifest reads a package.json, nil for what is none.
func (r *reader) manifest(file string) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(r.text(file), &m) != nil || m == nil {
		r.leave(file, "it is not JSON with an object")
		return nil
	}
	return m
}

// fromRegistry matches the versions of dependencies that come from a registry or from the
// workspace: ranges, tags and other names (npm's manual, package.json). Addresses, files
// and repositories are none.
var fromRegistry = regexp.MustCompile(`^(?:npm:(?:@[\w.-]+/)?[\w.-]+(?:@|$)|workspace:|catalog:)?[\w.*^~<>=|+ \t-]*$`)

// fromRegistries takes out of a manifest what comes from elsewhere, and reports whether it
// asks for anything else.
func (r *reader) fromRegistries(file string, m map[string]json.RawMessage) bool {
	asks := false
	for _, group := range []string{"dependencies", "devDependencies", "optionalDependencies", "peerDependencies"} {
		var all map[string]string
		if json.Unmarshal(m[group], &all) != nil {
			delete(m, group)
			continue
		}
		for name, version := range all {
			if !fromRegistry.MatchString(version) {
				r.leave(file, "%.100q comes from no registry: %.100q", name, version)
				delete(all, name)
			}
		}
		asks = asks || len(all) > 0
		m[group], _ = json.Marshal(all) // texts by text
	}
	return asks
}
