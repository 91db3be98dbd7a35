package exchange

import (
	"archive/tar"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/aigate/gate/gate/bounded"
)

// Bounds of what a program is given and of what it hands out.
const (
	MaxBytes = 64 << 20 // of all files together
	MaxFiles = 1000
	MaxDepth = 16 // folders
)

// File is one regular file.
type File struct {
	Path string // slash-separated, relative to the folder
	Data []byte
}

// Left is a file that did not get to the other side.
type Left struct{ Path, Why string }

// Given are the files that a program is given.
type Given struct {
	Files []File
	Left  []Left
	Bytes int64
}

// Read reads all regular files below a folder. More than the bounds allow is an error: a
// part of the data would be other data.
func Read(dir string) (Given, error) {
	if err := Allowed(dir); err != nil {
		return Given{}, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Given{}, fmt.Errorf("open the folder with input: %w", err)
	}
	defer root.Close()
	var g Given
	err = fs.WalkDir(root.FS(), ".", func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p == ".":
			return nil
		case withheld(e.Name()):
			g.leave(p, "secrets and the repository's own data stay here")
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		case strings.Count(p, "/") >= MaxDepth:
			return fmt.Errorf("%q is more than %d folders deep", p, MaxDepth)
		case e.IsDir():
			return nil
		case !e.Type().IsRegular():
			g.leave(p, fmt.Sprintf("not a regular file (%s)", e.Type()))
			return nil
		case len(g.Files) == MaxFiles:
			return fmt.Errorf("there are more than %d files", MaxFiles)
		}
		data, err := bounded.ReadRoot(root, p, MaxBytes-g.Bytes)
		if bounded.IsTooLarge(err) {
			return fmt.Errorf("the files have more than %d MiB together", MaxBytes>>20)
		}
		if err != nil {
			return err
		}
		g.Bytes += int64(len(data))
		g.Files = append(g.Files, File{Path: p, Data: data})
		return nil
	})
	if err != nil {
		return Given{}, fmt.Errorf("read the input in %s: %w", dir, err)
	}
	return g, nil
}

// leave notes a file that is not given. The list is bounded as the files are.
func (g *Given) leave(p, why string) {
	if len(g.Left) < MaxFiles {
		g.Left = append(g.Left, Left{p, why})
	}
}

// Allowed says why a file or folder that the user names is not given, whatever links lead to
// it: .env files and what is in .git. nil is that it may be given, or that it is not there.
func Allowed(name string) error {
	real, err := filepath.EvalSymlinks(name)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return nil // what opens it says why
	}
	for part := range strings.SplitSeq(filepath.ToSlash(real), "/") {
		if withheld(part) {
			return fmt.Errorf("%q is, or is in, %s: secrets and the repository's own data stay here", name, part)
		}
	}
	return nil
}

// withheld reports whether a file or folder never gets into a container.
func withheld(name string) bool {
	name = strings.ToLower(name)
	return name == ".git" || name == ".env" || name == ".envrc" || strings.HasPrefix(name, ".env.")
}

// Tar writes the files. The same files give the same bytes.
func (g Given) Tar(w *tar.Writer) error {
	for _, f := range g.Files {
		h := &tar.Header{Name: path.Clean(f.Path), Typeflag: tar.TypeReg, Mode: 0o444, Size: int64(len(f.Data)), ModTime: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)}
		if err := w.WriteHeader(h); err != nil {
			return fmt.Errorf("put %s into the container: %w", f.Path, err)
		}
		if _, err := w.Write(f.Data); err != nil {
			return fmt.Errorf("put %s into the container: %w", f.Path, err)
		}
	}
	return nil
}
