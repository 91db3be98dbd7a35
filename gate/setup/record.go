package setup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/bounded"
)

// Record is what was written for one repository, in the order of writing. It is kept in
// gate's own folder, so that only the user decides what Remove takes away.
type Record struct {
	Root  string `json:"root"`
	Edits []Edit `json:"edits"`
	// Uses are files of the home folder that this repository needs too, and that were written
	// for another one.
	Uses []string `json:"uses,omitempty"`
	file string
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
	err = d.Decode(&kept)
	if _, more := d.Token(); err != nil || !errors.Is(more, io.EOF) || kept.Root != root {
		return nil, fmt.Errorf("%s is damaged: it should say what gate init has written in %s; nothing was changed (move it away, then take what init wrote out by hand)", r.file, root)
	}
	return &kept, nil
}

// Empty reports whether nothing was written for the repository, and it needs nothing of what was
// written for others.
func (r *Record) Empty() bool { return len(r.Edits)+len(r.Uses) == 0 }

// save writes the record, or removes it where nothing is left in it.
func (r *Record) save() error {
	if r.Empty() {
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
	if err := r.use(edits); err != nil {
		return err
	}
	for _, e := range edits {
		if e.Left != "" {
			continue
		}
		root := places[e.In]
		if root == nil {
			return fmt.Errorf("%s: there is no such folder", e.Name())
		}
		if now, err := readPlain(root.FS(), e.Path); e.Existed && (err != nil || !bytes.Equal(now, e.Before)) || !e.Existed && !errors.Is(err, fs.ErrNotExist) {
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
