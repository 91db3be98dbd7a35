package locks

import (
	"path"
	"slices"
	"strings"
)

var goFiles = []string{"go.mod", "go.sum", "go.work", "go.work.sum"}

// goModules are the folders with a go.mod or a go.work. All of them go into one
// build, because they refer to each other.
func (r *reader) goModules() []Project {
	byDir := map[string]*Project{}
	sums := false
	for _, p := range r.paths {
		base, dir := path.Base(p), parent(p)
		if !slices.Contains(goFiles, base) {
			continue
		}
		if byDir[dir] == nil {
			byDir[dir] = &Project{Dir: dir, Kind: KindGo, Files: map[string][]byte{}}
		}
		data := r.text(p)
		byDir[dir].Files[base] = data
		sums = sums || strings.HasSuffix(base, ".sum") && len(data) > 0
	}
	if !sums {
		return nil // nothing is locked, so nothing is needed
	}
	var out []Project
	for _, p := range byDir {
		if p.Files["go.mod"] != nil || p.Files["go.work"] != nil {
			out = append(out, *p)
		}
	}
	slices.SortFunc(out, func(a, b Project) int { return strings.Compare(a.Dir, b.Dir) })
	return out
}
