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
	"strings"
	"syscall"
)

// unpacker writes a tar into a folder: regular files, folders and symbolic links
// that stay inside. Everything else is an error. An entry that is there already
// is one too, and so is an entry below anything but a real folder, so that
// nothing is ever written through a link that an earlier entry made. It does not
// leave that to os.Root alone: gVisor of 2022 opens links where it must not.
type unpacker struct {
	root    *os.Root
	bytes   int64           // of file contents that may still come
	entries int             // likewise
	folders map[string]bool // that are known to be there and real
	files   []string        // that were written
	fixed   bool            // none of them can be written to
	held    *remembered     // what they hold; nil is not remembered
}

// maxPath is PATH_MAX of Linux: no program could name a longer path.
const maxPath = 4096

func (u *unpacker) unpack(r io.Reader) error {
	u.folders = map[string]bool{".": true}
	t := tar.NewReader(r)
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("unpack the input: %w", err)
		}
		u.entries--
		u.bytes -= h.Size
		switch {
		case u.entries < 0:
			return errors.New("unpack the input: too many entries; give fewer files to the run")
		case h.Size < 0 || u.bytes < 0:
			return errors.New("unpack the input: it is larger than the workspace; give fewer files or a larger workspace")
		}
		if err := u.entry(t, h); err != nil {
			if errors.Is(err, syscall.ENOSPC) {
				err = errors.New("the workspace is full; give fewer files or a larger workspace")
			}
			return fmt.Errorf("unpack the input: %.200q: %w", h.Name, err)
		}
	}
}

func (u *unpacker) entry(content io.Reader, h *tar.Header) error {
	name := path.Clean(h.Name)
	switch {
	case len(name) > maxPath:
		return fmt.Errorf("the path has %d bytes, at most %d are taken", len(name), maxPath)
	case !filepath.IsLocal(name):
		return errors.New("the path leaves the workspace")
	case h.Typeflag == tar.TypeDir:
		return u.folder(name)
	case name == ".":
		return errors.New("the workspace itself cannot be replaced")
	}
	if err := u.folder(path.Dir(name)); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeSymlink:
		target := path.Join(path.Dir(name), h.Linkname)
		if strings.HasPrefix(h.Linkname, dependencyRoot) && path.Clean(h.Linkname) == h.Linkname {
			// Into the read-only image, where nothing can be written through it.
			if path.Base(h.Linkname) == "node_modules" {
				return u.modules(h.Linkname, name)
			}
			return u.root.Symlink(h.Linkname, name)
		}
		if path.IsAbs(h.Linkname) || h.Linkname == "" || !filepath.IsLocal(target) {
			return fmt.Errorf("the link leads out of the workspace, to %.200q", h.Linkname)
		}
		return u.root.Symlink(h.Linkname, name)
	case tar.TypeReg:
		// Mode bits but these have no business here: no setuid, nothing unreadable.
		mode := 0o644 | fs.FileMode(h.Mode)&0o111
		if h.Mode == ReadOnly || u.fixed {
			mode = ReadOnly
		}
		f, err := u.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		if err != nil {
			return err
		}
		u.files = append(u.files, name)
		return errors.Join(u.held.copy(f, content, name), f.Close())
	}
	return fmt.Errorf("entries of type %q are not taken, only files, folders and links", h.Typeflag)
}

// fix lets programs read the folders and change nothing in them. They belong to the user
// that a program has, so it can undo that for its own copy.
func (u *unpacker) fix() error {
	for name := range u.folders {
		err := u.root.Chmod(name, 0o555)
		if name == "." && errors.Is(err, fs.ErrPermission) {
			continue // an engine that gives it to another user: nothing in it can be replaced
		}
		if err != nil {
			return fmt.Errorf("make the given files read-only: %w", err)
		}
	}
	return nil
}

// dependencyRoot is where an image has the dependencies of the code under test. A
// link there is how a project finds its own among those of others.
const dependencyRoot = "/opt/aigate/deps/"

// maxModules bounds the links of one folder of modules. The largest projects have about
// two thousand.
const maxModules = 10_000

// modules makes a folder of links to each of the modules in a folder of the image. Vite,
// Babel and others keep files of their own in node_modules, so that it has to be one that
// can be written to.
func (u *unpacker) modules(from, name string) error {
	entries, err := os.ReadDir(from)
	if err != nil || len(entries) > min(maxModules, u.entries) {
		return u.root.Symlink(from, name)
	}
	u.entries -= len(entries)
	if err := u.folder(name); err != nil {
		return err
	}
	for _, e := range entries {
		if err := u.root.Symlink(path.Join(from, e.Name()), path.Join(name, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// folder makes a folder and those above it.
func (u *unpacker) folder(name string) error {
	if u.folders[name] {
		return nil
	}
	if err := u.folder(path.Dir(name)); err != nil {
		return err
	}
	err := u.root.Mkdir(name, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%.200q is in the way and is not a folder", name)
	}
	if err == nil {
		u.folders[name] = true
	}
	return err
}
