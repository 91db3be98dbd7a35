package workspace

import (
	"io/fs"

	"github.com/aigate/gate/gate"
)

// Base are the files of the base as they enter a container.
func Base(c *gate.Change, l Limits) *Tree {
	base := &gate.Change{Head: c.Base}
	_ = fs.WalkDir(c.Base, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && len(base.Files) < 4*l.Files {
			base.Files = append(base.Files, p)
		}
		return nil // what cannot be read is not there, and more is new
	})
	return Load(base, nil, l)
}
