// Package atomicfile writes files whole or not at all: a reader never sees half of one,
// and a full disk never leaves an old verdict half overwritten.
//
// It does not create folders, and follows no rule of its own about what may be written
// where: the path is the user's.
package atomicfile

import (
	"os"
	"path/filepath"
)

// Write replaces the file at path with data in one step. The new file can be read by
// everybody and written by its owner.
func Write(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".gate-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if err := os.Chmod(tmp.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
