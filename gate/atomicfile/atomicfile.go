// Package atomicfile writes files in one step.
//
// It promises that a reader sees the old content or the new one, never a part of it, and
// that a full disk leaves the old file as it was. It does not promise that the content is
// on the disk when the machine loses power.
package atomicfile

import (
	"os"
	"path/filepath"
)

// Write replaces a file, or makes it. Everybody may read it.
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
