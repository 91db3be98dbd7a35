package wasm

import (
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/tetratelabs/wazero/experimental/sys"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	stat "github.com/tetratelabs/wazero/sys"
)

// files is a folder for a module, out of which no link leads. The module has one
// thread and makes no links, so what was looked at stays what it was.
type files struct {
	sys.FS
	root string
}

func confine(dir string) sys.FS { return &files{FS: sysfs.DirFS(dir), root: dir} }

// check refuses a path that leads out of the folder.
func (f *files) check(path string) sys.Errno {
	root, err := filepath.EvalSymlinks(f.root)
	if err != nil {
		return sys.EIO
	}
	full := filepath.Join(f.root, filepath.FromSlash(path))
	for _, p := range []string{full, filepath.Dir(full)} { // what is not there yet is where its folder is
		real, err := filepath.EvalSymlinks(p)
		if err == nil && real != root && !strings.HasPrefix(real, root+string(filepath.Separator)) && full != f.root {
			return sys.EACCES
		}
	}
	if !fs.ValidPath(filepath.ToSlash(filepath.Clean(path))) && filepath.Clean(path) != "." {
		return sys.EACCES
	}
	return 0
}

func (f *files) OpenFile(path string, flag sys.Oflag, perm fs.FileMode) (sys.File, sys.Errno) {
	if e := f.check(path); e != 0 {
		return nil, e
	}
	return f.FS.OpenFile(path, flag, perm)
}

func (f *files) Lstat(path string) (stat.Stat_t, sys.Errno) {
	if e := f.check(path); e != 0 {
		return stat.Stat_t{}, e
	}
	return f.FS.Lstat(path)
}

func (f *files) Stat(path string) (stat.Stat_t, sys.Errno) {
	if e := f.check(path); e != 0 {
		return stat.Stat_t{}, e
	}
	return f.FS.Stat(path)
}

func (f *files) Mkdir(path string, perm fs.FileMode) sys.Errno {
	if e := f.check(path); e != 0 {
		return e
	}
	return f.FS.Mkdir(path, perm)
}

func (f *files) Chmod(path string, perm fs.FileMode) sys.Errno {
	if e := f.check(path); e != 0 {
		return e
	}
	return f.FS.Chmod(path, perm)
}

func (f *files) Rename(from, to string) sys.Errno {
	for _, p := range []string{from, to} {
		if e := f.check(p); e != 0 {
			return e
		}
	}
	return f.FS.Rename(from, to)
}

func (f *files) Rmdir(path string) sys.Errno {
	if e := f.check(path); e != 0 {
		return e
	}
	return f.FS.Rmdir(path)
}

func (f *files) Unlink(path string) sys.Errno {
	if e := f.check(path); e != 0 {
		return e
	}
	return f.FS.Unlink(path)
}

func (f *files) Utimens(path string, atim, mtim int64) sys.Errno {
	if e := f.check(path); e != 0 {
		return e
	}
	return f.FS.Utimens(path, atim, mtim)
}

func (f *files) Readlink(path string) (string, sys.Errno) {
	if e := f.check(path); e != 0 {
		return "", e
	}
	return f.FS.Readlink(path)
}

// Link and Symlink are refused: with them what was checked would change.
func (f *files) Link(_, _ string) sys.Errno { return sys.EPERM }

// Symlink is refused as Link is.
func (f *files) Symlink(_, _ string) sys.Errno { return sys.EPERM }
