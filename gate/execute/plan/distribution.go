package plan

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Python programs ask for the version of their own package and for its entry points
// (importlib.metadata), which an installation writes down. Nothing of a change is installed,
// so what its pyproject.toml says is written down here, where its modules are looked for, as
// https://packaging.python.org/en/latest/specifications/recording-installed-packages/ wants it.

var (
	distributionName    = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$`)
	distributionVersion = regexp.MustCompile(`^[0-9][0-9A-Za-z.!+_-]{0,63}$`)
	ownVersion          = regexp.MustCompile(`(?m)^__version__\s*(?::\s*str\s*)?=\s*['"]([^'"\n]+)['"]`)
	entryName           = regexp.MustCompile(`^[^\s=\[\]#;][^=\n\r]{0,99}$`)
	entryObject         = regexp.MustCompile(`^[\pL_][\pL\pN_.]*(?::[\pL_][\pL\pN_.]*)?$`)
	runs                = regexp.MustCompile(`[-_.]+`)
)

// maxEntries bounds the entry points of a project.
const maxEntries = 500

type pyproject struct {
	Project struct {
		Name, Version string
		Scripts       map[string]string
		GUIScripts    map[string]string            `toml:"gui-scripts"`
		EntryPoints   map[string]map[string]string `toml:"entry-points"`
	}
	Tool struct {
		Poetry struct{ Name, Version string }
	}
}

// distribution is what an installation would have written down about the project of a file;
// nil where its pyproject.toml names none.
func distribution(t *workspace.Tree, file string) []workspace.File {
	project, ok := t.Above(workspace.Parent(file), "pyproject.toml")
	if !ok {
		return nil
	}
	var m pyproject
	text := t.Text(path.Join(project, "pyproject.toml"))
	if len(text) >= workspace.MaxSource || toml.Unmarshal([]byte(text), &m) != nil {
		return nil
	}
	name, version := m.Project.Name, m.Project.Version
	if name == "" {
		name, version = m.Tool.Poetry.Name, m.Tool.Poetry.Version
	}
	if !distributionName.MatchString(name) {
		return nil
	}
	root := path.Join(project, "src")
	if !t.Dirs[root] {
		root = project
	}
	module := strings.ToLower(runs.ReplaceAllString(name, "_"))
	if version == "" {
		if found := ownVersion.FindStringSubmatch(t.Text(path.Join(root, module, "__init__.py"))); found != nil {
			version = found[1]
		}
	}
	if !distributionVersion.MatchString(version) {
		version = "0.0.0" // it is made when the project is built
	}
	dir := path.Join(root, module+"-"+version+".dist-info")
	if t.Dirs[dir] {
		return nil
	}
	out := []workspace.File{{Path: path.Join(dir, "METADATA"), Data: fmt.Appendf(nil, "Metadata-Version: 2.1\nName: %s\nVersion: %s\n", name, version)}}
	if points := entryPoints(m); points != "" {
		out = append(out, workspace.File{Path: path.Join(dir, "entry_points.txt"), Data: []byte(points)})
	}
	return out
}

// entryPoints are those of a project as entry_points.txt has them.
func entryPoints(m pyproject) string {
	groups := map[string]map[string]string{"console_scripts": m.Project.Scripts, "gui_scripts": m.Project.GUIScripts}
	for group, points := range m.Project.EntryPoints {
		if entryObject.MatchString(group) && groups[group] == nil {
			groups[group] = points
		}
	}
	var out strings.Builder
	n := 0
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		if len(groups[group]) == 0 {
			continue
		}
		fmt.Fprintf(&out, "[%s]\n", group)
		for _, name := range slices.Sorted(maps.Keys(groups[group])) {
			if object := groups[group][name]; entryName.MatchString(name) && entryObject.MatchString(object) && n < maxEntries {
				n++
				fmt.Fprintf(&out, "%s = %s\n", name, object)
			}
		}
	}
	return out.String()
}

// withDistribution adds to a unit of Python what is written down about its project.
func withDistribution(t *workspace.Tree, u Unit) Unit {
	if u.Job.Image == gate.LanguagePython && len(u.Targets) > 0 {
		u.Extra = slices.Concat(u.Extra, distribution(t, u.Targets[0]))
	}
	return u
}
