package bounded

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ReadFile reads a regular file of a tree that has at most limit bytes. Whether a
// symbolic link is followed is up to the tree.
func ReadFile(tree fs.FS, name string, limit int64) ([]byte, error) {
	f, err := openIn(tree, name)
	return whole(f, err, name, limit)
}

// ReadPath reads a regular file of at most limit bytes. It follows symbolic links.
func ReadPath(path string, limit int64) ([]byte, error) {
	f, err := openPath(path)
	return whole(f, err, path, limit)
}

// ReadRoot reads a regular file of a folder that has at most limit bytes. A symbolic
// link is not a regular file, also where it leads to one.
func ReadRoot(root *os.Root, name string, limit int64) ([]byte, error) {
	f, err := openRoot(root, name)
	return whole(f, err, name, limit)
}

// HeadFile reads the first limit bytes of a regular file of a tree and reports whether
// there are more.
func HeadFile(tree fs.FS, name string, limit int64) (data []byte, more bool, err error) {
	f, err := openIn(tree, name)
	return head(f, err, name, limit)
}

// HeadPath is [HeadFile] for a path.
func HeadPath(path string, limit int64) (data []byte, more bool, err error) {
	f, err := openPath(path)
	return head(f, err, path, limit)
}

func whole(f fs.File, err error, name string, limit int64) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// The size that a file says it has is enough to refuse it, not to trust it: it can
	// grow, and files of the kernel say that they are empty.
	if info, err := f.Stat(); err == nil && info.Size() > limit {
		return nil, &TooLarge{name, limit}
	}
	return Read(f, name, limit)
}

func head(f fs.File, err error, name string, limit int64) ([]byte, bool, error) {
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	data, more, err := Head(f, limit)
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	return data, more, nil
}

// Opening a FIFO waits for a writer, and opening a device can do anything. So a name is
// looked at before it is opened, where that is possible, and again once it is open,
// because another process may have replaced the file between the two.

func openIn(tree fs.FS, name string) (fs.File, error) {
	if t, ok := tree.(fs.StatFS); ok {
		info, err := t.Stat(name)
		// A tree that doesn't follow links says why when the link is opened.
		if err == nil && info.Mode()&fs.ModeSymlink == 0 {
			err = regular(name, info)
		}
		if err != nil {
			return nil, err
		}
	}
	f, err := tree.Open(name)
	if err != nil {
		return nil, err
	}
	return opened(f, name)
}

func openPath(path string) (fs.File, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	return opened(f, path)
}

func openRoot(root *os.Root, name string) (fs.File, error) {
	info, err := root.Lstat(name)
	if err == nil {
		err = regular(name, info)
	}
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	return opened(f, name)
}

// opened returns an open file if it is a regular one, and closes it otherwise.
func opened(f fs.File, name string) (fs.File, error) {
	info, err := f.Stat()
	if err == nil {
		err = regular(name, info)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func regular(name string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file (%s)", name, info.Mode().Type())
	}
	return nil
}
