package plan

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/gate/ways"
)

// asked is what says how tests run: the base's files. A change has no say in how it is
// tested; only a file that the base does not have says so itself, for the part of the
// project that is new.
type asked struct {
	base fs.FS // nil where there is no base
	tree *workspace.Tree
}

// text is a file of the base, at most [workspace.MaxSource] bytes, "" for none.
func (a asked) text(file string) string {
	if a.base == nil {
		return a.tree.Text(file)
	}
	data, err := bounded.ReadFile(a.base, file, workspace.MaxSource)
	if err != nil {
		return ""
	}
	return string(data)
}

// manifest is the package.json of a folder: the base's where it has one.
func (a asked) manifest(dir string) Manifest {
	file := path.Join(dir, "package.json")
	if a.base != nil {
		if _, err := fs.Stat(a.base, file); err == nil {
			return ReadManifest(a.text(file))
		}
	}
	return manifestOf(a.tree, dir)
}

// ways reads how the projects of the base run their tests.
func (a asked) ways() *ways.Ways {
	const folder = ".github/workflows"
	var files []string
	if a.base == nil {
		files = a.tree.In(folder)
	} else if entries, err := fs.ReadDir(a.base, folder); err == nil {
		for _, e := range entries {
			files = append(files, path.Join(folder, e.Name()))
		}
	}
	files = slices.DeleteFunc(files, func(f string) bool { return path.Ext(f) != ".yml" && path.Ext(f) != ".yaml" })
	return ways.New(a.text, files)
}

// testWays is how the projects of a tree run their tests: what the base says, as far as the
// tree has what it needs.
type testWays struct {
	tree   *workspace.Tree
	ways   *ways.Ways
	python map[string]ways.Tests // by folder of the project
}

func newTestWays(a asked) testWays {
	return testWays{tree: a.tree, ways: a.ways(), python: map[string]ways.Tests{}}
}

// ofPython is how a project of Python runs its tests, which is read once.
func (w testWays) ofPython(project string) ways.Tests {
	way, ok := w.python[project]
	if !ok {
		way = w.ways.Python(project)
		way.Options = w.usable(way.Options, project)
		way.Roots = rootsIn(w.tree, way.Roots)
		w.python[project] = way
	}
	return way
}

// usable are the options of pytest whose files and plugins are there: with one that is not,
// no test would run.
func (w testWays) usable(options []string, project string) []string {
	var out []string
	for i := 0; i < len(options); i++ {
		name := options[i]
		if !slices.Contains([]string{"-c", "--config-file", "--confcutdir", "-p"}, name) || i+1 == len(options) {
			out = append(out, name)
			continue
		}
		i++
		value := options[i]
		at := path.Join(project, value)
		there := w.tree.Has(at)
		switch name {
		case "--confcutdir":
			there = w.tree.Dirs[at]
		case "-p":
			there = strings.HasPrefix(value, "no:") || value == "pytester" || slices.ContainsFunc(testRoots(w.tree, project), func(root string) bool {
				module := path.Join(root, strings.ReplaceAll(value, ".", "/"))
				return w.tree.Has(module+".py") || w.tree.Has(module+"/__init__.py")
			})
		}
		if there {
			out = append(out, name, value)
		}
	}
	return out
}

// touched reports whether a change touches tests of a project of Python.
func (w testWays) touched(targets map[string]*gate.Target, project string) bool {
	for file := range targets {
		if (project == "" || strings.HasPrefix(file, project+"/")) && path.Ext(file) == ".py" && isPythonTest(file, w.tree.Text(file)) {
			return true
		}
	}
	return false
}
