package agent

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Bounds of what a program may hand out.
const (
	MaxFiles = 64
	MaxBytes = 16 << 20 // of all files together
	maxPath  = 200
	maxDepth = 4
)

// File is one file that a program hands out.
type File struct {
	Path string // slash-separated, relative to the folder that it is written into
	Data []byte
}

// plainName is a part of a path that means the same everywhere: it is not hidden, no
// flag, no device, and nothing in it is special to a shell or a terminal.
var (
	plainName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$`)
	device    = regexp.MustCompile(`(?i)^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\.|$)`)
)

// programs are the first bytes of what a machine runs without an interpreter.
var programs = [][]byte{[]byte("\x7fELF"), []byte("MZ"), []byte("\xcf\xfa\xed\xfe"), []byte("\xce\xfa\xed\xfe"), []byte("\xca\xfe\xba\xbe"), []byte("\xfe\xed\xfa")}

// Problems says why the files of a program are not handed out. None of them is
// where one cannot be.
func Problems(files []File) []string {
	var out []string
	if len(files) > MaxFiles {
		return append(out, fmt.Sprintf("it wrote %d files, at most %d are handed out", len(files), MaxFiles))
	}
	total := 0
	taken := map[string]string{}
	for _, f := range files {
		total += len(f.Data)
		if why := notPlain(f.Path); why != "" {
			out = append(out, fmt.Sprintf("%.200q: %s", f.Path, why))
			continue
		}
		for _, p := range programs {
			if bytes.HasPrefix(f.Data, p) {
				out = append(out, fmt.Sprintf("%s is a program of a machine, which no layer can read", f.Path))
				break
			}
		}
		if other, ok := taken[strings.ToLower(f.Path)]; ok {
			out = append(out, fmt.Sprintf("%s and %s are one name on some systems", other, f.Path))
		}
		taken[strings.ToLower(f.Path)] = f.Path
	}
	if total > MaxBytes {
		out = append(out, fmt.Sprintf("its files have %d bytes together, at most %d are handed out", total, MaxBytes))
	}
	return out
}

// notPlain says what is wrong with a path, "" for nothing.
func notPlain(p string) string {
	parts := strings.Split(p, "/")
	switch {
	case len(p) > maxPath || len(parts) > maxDepth:
		return fmt.Sprintf("a path has at most %d bytes and %d parts", maxPath, maxDepth)
	case !fs.ValidPath(p) || p == "." || !filepath.IsLocal(filepath.FromSlash(p)):
		return "this is no path inside of a folder"
	}
	for _, part := range parts {
		if !plainName.MatchString(part) || strings.HasSuffix(part, ".") || device.MatchString(part) {
			return "a name has letters, digits, dots, hyphens and underscores, and begins with a letter or a digit"
		}
	}
	return ""
}

// Write writes files into a folder, which is made where it is not there: all of
// them, or none. What is there already is an error, or, with force, replaced where
// it is a regular file; links are neither followed nor replaced.
func Write(dir string, files []File, force bool) (err error) {
	if problems := Problems(files); len(problems) > 0 {
		return errors.New(strings.Join(problems, "; "))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	w := &writer{root: root}
	defer func() {
		if err != nil {
			w.undo()
		}
		err = errors.Join(err, root.Close())
	}()
	type pending struct{ from, to string }
	var replace []pending
	for _, f := range files {
		if err := w.folder(path.Dir(f.Path)); err != nil {
			return err
		}
		info, err := root.Lstat(filepath.FromSlash(f.Path))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := w.create(f.Path, f.Data); err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is there already and is no regular file (%s): name another folder", f.Path, info.Mode().Type())
		case !force:
			return fmt.Errorf("%s is there already: name another folder, or --force", f.Path)
		}
		temporary := path.Join(path.Dir(f.Path), ".gate-"+rand.Text())
		if err := w.create(temporary, f.Data); err != nil {
			return err
		}
		replace = append(replace, pending{temporary, f.Path})
	}
	for _, p := range replace {
		if err := root.Rename(filepath.FromSlash(p.from), filepath.FromSlash(p.to)); err != nil {
			return err
		}
	}
	return nil
}

// writer remembers what it made.
type writer struct {
	root *os.Root
	made []string
}

// create makes a file that is not there. No one can execute it.
func (w *writer) create(name string, data []byte) error {
	f, err := w.root.OpenFile(filepath.FromSlash(name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	w.made = append(w.made, name)
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// folder makes a folder and those above it; a link is none.
func (w *writer) folder(dir string) error {
	if dir == "." {
		return nil
	}
	if err := w.folder(path.Dir(dir)); err != nil {
		return err
	}
	err := w.root.Mkdir(filepath.FromSlash(dir), 0o755)
	if err == nil {
		w.made = append(w.made, dir)
		return nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := w.root.Lstat(filepath.FromSlash(dir))
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is there already and is no folder", dir)
	}
	return err
}

// undo removes what was made, the last first.
func (w *writer) undo() {
	for _, name := range slices.Backward(w.made) {
		_ = w.root.Remove(filepath.FromSlash(name)) // a folder with a file of another program in it stays
	}
}
