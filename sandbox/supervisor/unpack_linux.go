package supervisor

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// bounds say how much input is taken.
type bounds struct {
	bytes   int64 // of file contents
	entries int
}

// unpack writes the tar into root: regular files, folders and symbolic links
// that stay inside. Everything else is an error, and so is an entry that is
// there already, so that nothing is ever written through a link that an earlier
// entry made.
func unpack(root *os.Root, r io.Reader, most bounds) error {
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("unpack the input: %w", err)
		}
		most.entries--
		most.bytes -= h.Size
		switch {
		case most.entries < 0:
			return errors.New("unpack the input: too many entries; give fewer files to the run")
		case h.Size < 0 || most.bytes < 0:
			return errors.New("unpack the input: it is larger than the workspace; give fewer files or a larger workspace")
		}
		if err := entry(root, t, h); err != nil {
			if errors.Is(err, syscall.ENOSPC) {
				err = errors.New("the workspace is full; give fewer files or a larger workspace")
			}
			return fmt.Errorf("unpack the input: %.200q: %w", h.Name, err)
		}
	}
}

func entry(root *os.Root, content io.Reader, h *tar.Header) error {
	name := path.Clean(h.Name)
	switch {
	case !filepath.IsLocal(name):
		return errors.New("the path leaves the workspace")
	case name == "." && h.Typeflag == tar.TypeDir:
		return nil
	case name == ".":
		return errors.New("the workspace itself cannot be replaced")
	}
	// Mode bits beyond these have no business here: no setuid, no unreadable folder.
	executable := fs.FileMode(h.Mode) & 0o111
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeDir:
		err := root.Mkdir(name, 0o755)
		if errors.Is(err, fs.ErrExist) {
			if info, serr := root.Lstat(name); serr == nil && info.IsDir() {
				return nil
			}
		}
		return err
	case tar.TypeSymlink:
		target := path.Join(path.Dir(name), h.Linkname)
		if path.IsAbs(h.Linkname) || h.Linkname == "" || !filepath.IsLocal(target) {
			return fmt.Errorf("the link leads out of the workspace, to %.200q", h.Linkname)
		}
		return root.Symlink(h.Linkname, name)
	case tar.TypeReg:
		f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644|executable)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, content)
		return errors.Join(err, f.Close())
	}
	return fmt.Errorf("entries of type %q are not taken, only files, folders and links", h.Typeflag)
}
