package plan

import (
	"io/fs"
	"path"

	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/execute/workspace"
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
