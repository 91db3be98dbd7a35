package workspace

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing/fstest"
	"time"
)

// Tree are the files of a workspace by path. It is not safe for concurrent use.
type Tree struct {
	files map[string][]byte
	bytes int64
}

// NewTree returns an empty workspace.
func NewTree() *Tree { return &Tree{files: map[string][]byte{}} }

// Len is the number of files, Bytes what they have together.
func (t *Tree) Len() int     { return len(t.files) }
func (t *Tree) Bytes() int64 { return t.bytes }

// Paths returns the paths of all files in order.
func (t *Tree) Paths() []string { return slices.Sorted(maps.Keys(t.files)) }

// Get returns the content of a file, which the caller must not change.
func (t *Tree) Get(p string) ([]byte, bool) {
	data, ok := t.files[p]
	return data, ok
}

// Put writes a file, which the caller must not change afterwards. The error says which
// bound it would break; then nothing has changed.
func (t *Tree) Put(p string, data []byte) error {
	if err := CheckPath(p); err != nil {
		return err
	}
	old, there := t.files[p]
	switch {
	case len(data) > MaxFile:
		return fmt.Errorf("%q has %d bytes, at most %d are allowed for one file", p, len(data), MaxFile)
	case t.bytes-int64(len(old))+int64(len(data)) > MaxBytes:
		return fmt.Errorf("with %q the workspace would have more than %d MiB; delete files that are no longer needed", p, MaxBytes>>20)
	case !there && len(t.files) >= MaxFiles:
		return fmt.Errorf("with %q the workspace would have more than %d files; delete files that are no longer needed", p, MaxFiles)
	}
	if !there {
		if err := t.fits(p); err != nil {
			return err
		}
	}
	t.bytes += int64(len(data)) - int64(len(old))
	t.files[p] = data
	return nil
}

// fits says why a new path cannot be beside those that are there: no file is also a folder.
func (t *Tree) fits(p string) error {
	for i := range len(p) {
		if p[i] != '/' {
			continue
		}
		if _, ok := t.files[p[:i]]; ok {
			return fmt.Errorf("%q cannot be written: %q is a file, not a folder", p, p[:i])
		}
	}
	for other := range t.files {
		if strings.HasPrefix(other, p+"/") {
			return fmt.Errorf("%q cannot be written: it is a folder with %q in it", p, other)
		}
	}
	return nil
}

// Delete removes a file and reports whether it was there.
func (t *Tree) Delete(p string) bool {
	data, ok := t.files[p]
	t.bytes -= int64(len(data))
	delete(t.files, p)
	return ok
}

// Clone returns a copy that can be changed by itself.
func (t *Tree) Clone() *Tree { return &Tree{files: maps.Clone(t.files), bytes: t.bytes} }

// Sum is a digest of all paths and contents.
func (t *Tree) Sum() [sha256.Size]byte {
	sum := sha256.New()
	for _, p := range t.Paths() {
		var head [16]byte
		binary.BigEndian.PutUint64(head[:8], uint64(len(p)))
		binary.BigEndian.PutUint64(head[8:], uint64(len(t.files[p])))
		sum.Write(head[:])
		sum.Write([]byte(p))
		sum.Write(t.files[p])
	}
	return [sha256.Size]byte(sum.Sum(nil))
}

// FS returns the files as a tree that can be read.
func (t *Tree) FS() fs.FS {
	tree := fstest.MapFS{}
	for p, data := range t.files {
		tree[p] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
	return tree
}

// written is when every file of an archive was changed last, so that the same files give
// the same bytes.
var written = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)

// Tar writes the files in order.
func (t *Tree) Tar(w *tar.Writer) error {
	for _, p := range t.Paths() {
		h := &tar.Header{Name: p, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(t.files[p])), ModTime: written}
		if err := w.WriteHeader(h); err != nil {
			return fmt.Errorf("put %s into the container: %w", p, err)
		}
		if _, err := w.Write(t.files[p]); err != nil {
			return fmt.Errorf("put %s into the container: %w", p, err)
		}
	}
	return nil
}

// Difference is one file that is not the same in two workspaces.
type Difference struct {
	Path  string
	How   string // created, modified or deleted
	Bytes int64  // of the file now
}

// Since returns how a workspace differs from an earlier one, in order of path.
func (t *Tree) Since(before *Tree) []Difference {
	var out []Difference
	for p, data := range t.files {
		old, there := before.files[p]
		switch {
		case !there:
			out = append(out, Difference{p, "created", int64(len(data))})
		case !bytes.Equal(old, data):
			out = append(out, Difference{p, "modified", int64(len(data))})
		}
	}
	for p := range before.files {
		if _, there := t.files[p]; !there {
			out = append(out, Difference{Path: p, How: "deleted"})
		}
	}
	slices.SortFunc(out, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return out
}
