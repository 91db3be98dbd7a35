package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/bounded"
)

// Record is what was written for one repository, in the order of writing. It is kept in
// gate's own folder, so that only the user decides what Remove takes away.
type Record struct {
	Root  string `json:"root"`
	Edits []Edit `json:"edits"`
	file  string
}

const maxRecord = 32 << 20 // bytes

// OpenRecord returns the record of the repository at root, an empty one where nothing was
// written. state is the folder that records are in.
func OpenRecord(state, root string) (*Record, error) {
	sum := sha256.Sum256([]byte(root))
	r := &Record{Root: root, file: filepath.Join(state, hex.EncodeToString(sum[:8])+".json")}
	data, err := bounded.ReadPath(r.file, maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what gate init has written before: %w", err)
	}
	kept := *r
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&kept); err != nil || kept.Root != root {
		return nil, fmt.Errorf("%s does not say what gate init has written in %s", r.file, root)
	}
	return &kept, nil
}

// save writes the record, or removes it where nothing is left in it.
func (r *Record) save() error {
	if len(r.Edits) == 0 {
		if err := os.Remove(r.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(r.file), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(r.file, data)
}

// Places are the folders that files are written to, by the names that edits have.
type Places map[string]*os.Root

// Apply writes the edits that have not been left out, and keeps a record of each before it is
// written. It stops at the first file that cannot be written; what was written is recorded.
func (r *Record) Apply(places Places, edits []Edit) error {
	for _, e := range edits {
		if e.Left != "" {
			continue
		}
		root := places[e.In]
		if root == nil {
			return fmt.Errorf("%s: there is no such folder", e.Name())
		}
		if now, err := readText(root.FS(), e.Path); e.Existed && (err != nil || !bytes.Equal(now, e.Before)) || !e.Existed && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s has changed while it was shown; nothing was written to it", e.Name())
		}
		e.Folders = missing(root, e.Path)
		r.Edits = append(r.Edits, e)
		if err := r.save(); err != nil {
			return fmt.Errorf("keep a record of %s: %w", e.Name(), err)
		}
		if err := write(root, e.Path, e.After, e.Mode); err != nil {
			return fmt.Errorf("write %s: %w", e.Name(), err)
		}
	}
	return nil
}

// write replaces a file in one step; it keeps the mode of one that is there.
func write(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	if info, err := root.Lstat(name); err == nil {
		if !info.Mode().IsRegular() {
			return errors.New("it is no regular file")
		}
		mode = info.Mode().Perm()
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	temporary := name + ".gate-init"
	if err := root.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a run that was ended
		return err
	}
	f, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temporary))
	}
	return nil
}

// Removed is what became of one edit.
type Removed struct {
	Edit
	Gone bool   // nothing of it is left
	Kept string // why something is
}

// Remove takes back what was written, the last first: a file that gate made and that is unchanged
// goes, with the folders that are empty then; what was added to a file is taken out of it, and
// what others wrote since stays. What can't be taken back is kept in the record and said.
func (r *Record) Remove(places Places) ([]Removed, error) {
	var out []Removed
	var keep []Edit
	for _, e := range slices.Backward(r.Edits) {
		done := Removed{Edit: e}
		why, err := takeBack(places[e.In], e)
		if err != nil {
			why = said(err)
		}
		if done.Kept = why; why == "" {
			done.Gone = true
		} else {
			keep = append(keep, e)
		}
		out = append(out, done)
	}
	slices.Reverse(keep)
	r.Edits = keep
	return out, r.save()
}

// takeBack returns why something of an edit is left, "" where nothing is.
func takeBack(root *os.Root, e Edit) (string, error) {
	if root == nil {
		return "there is no such folder", nil
	}
	now, err := readText(root.FS(), e.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil // it was removed by hand, or never written
	case err != nil:
		return "", err
	case bytes.Equal(now, e.After) && !e.Existed:
		return "", removeFile(root, e)
	case bytes.Equal(now, e.After):
		return "", write(root, e.Path, e.Before, e.Mode)
	case e.Existed && bytes.Equal(now, e.Before):
		return "", nil
	case e.Added != nil:
		rest, err := subtractJSON(now, e.Added)
		if err != nil {
			return "", err
		}
		if left, err := objectIn(rest); err == nil && len(left) == 0 && !e.Existed {
			return "", removeFile(root, e)
		}
		return "", write(root, e.Path, rest, e.Mode)
	case e.Block != "":
		rest, ok := cut(now, e.Block)
		if !ok {
			return "its lines were changed since; take them out by hand", nil
		}
		return "", write(root, e.Path, rest, e.Mode)
	}
	return "it was changed since; remove it by hand", nil
}

// removeFile removes a file that was made, and the folders that were made for it and are empty.
func removeFile(root *os.Root, e Edit) error {
	if err := root.Remove(e.Path); err != nil {
		return err
	}
	for _, dir := range e.Folders {
		if err := root.Remove(dir); err != nil {
			return nil //nolint:nilerr // something is in it
		}
	}
	return nil
}

// missing are the folders above a path that are not there, the deepest first.
func missing(root *os.Root, name string) []string {
	var out []string
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, err := root.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		out = append(out, dir)
	}
	return out
}
