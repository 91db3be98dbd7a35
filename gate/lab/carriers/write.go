package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
)

// write puts the files of the first combination that applies into an empty folder: base/
// is the base commit, and head/ what a pull request makes of it.
func write(dir string, all []combination, twin bool) error {
	for _, c := range all {
		p, ok := c.program(twin)
		if !ok {
			continue
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			return errors.Join(err, fmt.Errorf("%s is not empty: name a new folder", dir))
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		return errors.Join(writeTree(root, "base", p.base), writeTree(root, "head", p.head), root.Close())
	}
	return errors.New("none of the combinations applies")
}

func writeTree(root *os.Root, to string, t tree) error {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		f, at := t[name], path.Join(to, name)
		if err := root.MkdirAll(path.Dir(at), 0o755); err != nil {
			return err
		}
		var err error
		if f.link != "" {
			err = root.Symlink(f.link, at)
		} else {
			err = root.WriteFile(at, f.data, f.perm())
		}
		if err != nil {
			return err
		}
	}
	return nil
}
