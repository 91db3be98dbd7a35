// Package atomicfile writes files whole or not at all: a reader never sees half of one,
// and a full disk never leaves an old verdict half overwritten.
//
// It replaces regular files only: what else has the name, a device, a named pipe, a
// symbolic link, is an error and stays as it is. A relative path doesn't leave the working
// folder by a link: the change under test may have made one. It does not create folders,
// and the path is the user's.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Check says why path cannot be written to: its folder is not there, or something that
// is no regular file has the name.
func Check(path string) error {
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return err
	}
	if err := stays(path); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is %s; only regular files are written", path, kind(info.Mode()))
	}
	return nil
}

// stays says why a relative path leaves the working folder, where it doesn't say so itself.
func stays(path string) error {
	if !filepath.IsLocal(path) {
		return nil
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	if here, err = filepath.EvalSymlinks(here); err != nil {
		return err
	}
	folder, err := filepath.EvalSymlinks(filepath.Join(here, filepath.Dir(path)))
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(here, folder); err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s is in a folder that a symbolic link puts at %s; name that folder itself", path, folder)
	}
	return nil
}

// kind names what is no regular file.
func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "no file (" + m.Type().String() + ")"
}

// Write replaces the file at path with data in one step. The new file can be read by
// everybody and written by its owner.
func Write(path string, data []byte) error {
	if err := Check(path); err != nil {
		return err
	}
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
