package change

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"sync"

	"github.com/aigate/gate/gate/change/git"
)

// workFS shows the files below a folder. It does not leave the folder ([os.Root]),
// does not follow links even inside of it, does not show .git, and opens regular
// files and folders only, without waiting. It implements [fs.ReadLinkFS].
//
// Links inside are not followed because a link can make a harmless name lead to
// what must not enter a sandbox: .git/config holds credentials on CI machines.
type workFS struct {
	root *os.Root
	real sync.Map // folders that were seen not to be links
}

var (
	errLink      = errors.New("a symbolic link, which is not followed")
	errIrregular = errors.New("not a regular file")
)

// check refuses names that lead into .git or through a link.
func (w *workFS) check(op, name string) error {
	if name == "." {
		return nil
	}
	if err := git.CheckPath(name); err != nil {
		return &fs.PathError{Op: op, Path: name, Err: fmt.Errorf("%w: %w", fs.ErrInvalid, err)}
	}
	if err := w.realFolder(path.Dir(name)); err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	return nil
}

func (w *workFS) realFolder(dir string) error {
	if dir == "." {
		return nil
	}
	if _, seen := w.real.Load(dir); seen {
		return nil
	}
	if err := w.realFolder(path.Dir(dir)); err != nil {
		return err
	}
	info, err := w.root.Lstat(dir)
	switch {
	case err != nil:
		return reason(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return errLink
	case !info.IsDir():
		return fs.ErrNotExist
	}
	w.real.Store(dir, struct{}{})
	return nil
}

// reason takes the path out of an error, for one that is put in again.
func reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// Lstat describes a file, a link or a folder.
func (w *workFS) Lstat(name string) (fs.FileInfo, error) {
	if err := w.check("stat", name); err != nil {
		return nil, err
	}
	return w.root.Lstat(name)
}

// Stat is Lstat: links are not followed.
func (w *workFS) Stat(name string) (fs.FileInfo, error) { return w.Lstat(name) }

// Open opens a regular file or a folder.
func (w *workFS) Open(name string) (fs.File, error) {
	info, err := w.Lstat(name)
	if err == nil {
		err = openable(info)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: reason(err)}
	}
	// What was a file a moment ago may be a FIFO now: do not wait for a writer.
	f, err := w.root.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: reason(err)}
	}
	if info, err = f.Stat(); err == nil {
		err = openable(info)
	}
	if err != nil {
		return nil, errors.Join(&fs.PathError{Op: "open", Path: name, Err: reason(err)}, f.Close())
	}
	return f, nil
}

func openable(info fs.FileInfo) error {
	switch {
	case info.Mode().IsRegular(), info.IsDir():
		return nil
	case info.Mode()&fs.ModeSymlink != 0:
		return errLink
	default:
		return fmt.Errorf("%w (%s)", errIrregular, info.Mode().Type())
	}
}

// ReadLink returns where a symbolic link points.
func (w *workFS) ReadLink(name string) (string, error) {
	if err := w.check("readlink", name); err != nil {
		return "", err
	}
	return w.root.Readlink(name)
}

// ReadDir lists a folder without .git, sorted.
func (w *workFS) ReadDir(name string) ([]fs.DirEntry, error) {
	shown, _, err := w.list(name)
	return shown, err
}

// list is ReadDir that also returns what belongs to git.
func (w *workFS) list(name string) (shown, own []fs.DirEntry, err error) {
	d, err := w.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer d.Close()
	dir, ok := d.(fs.ReadDirFile)
	if !ok {
		return nil, nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("not a folder")}
	}
	return readDir(dir, name)
}
