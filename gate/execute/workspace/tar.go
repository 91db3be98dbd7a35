package workspace

import (
	"archive/tar"
	"fmt"
	"time"
)

// Time is the modification time of every file in a container: the same
// input has the same bytes. Make and zip dislike times before 1980.
var Time = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// Write writes the tree as a tar, with extra files over it. The same tree gives
// the same bytes.
func (t *Tree) Write(w *tar.Writer, extra []File) error {
	replaced := map[string]bool{}
	for _, f := range extra {
		replaced[f.Path] = true
	}
	for _, f := range t.Files {
		if replaced[f.Path] {
			continue
		}
		if err := f.write(w); err != nil {
			return err
		}
	}
	for _, f := range extra {
		if err := f.write(w); err != nil {
			return err
		}
	}
	return nil
}

func (f File) write(w *tar.Writer) error {
	h := &tar.Header{Name: f.Path, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(f.Data)), ModTime: Time}
	switch {
	case f.Link != "":
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, f.Link, 0o777
	case f.Exec:
		h.Mode = 0o755
	}
	if err := w.WriteHeader(h); err != nil {
		return fmt.Errorf("put %s into the container: %w", f.Path, err)
	}
	if _, err := w.Write(f.Data); err != nil {
		return fmt.Errorf("put %s into the container: %w", f.Path, err)
	}
	return nil
}
