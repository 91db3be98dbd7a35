package hookrun

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/aigate/gate/gate/atomicfile"
)

// record remembers the trees that the hook pre-commit has let pass: an empty file for each,
// in a folder for each month. It is no proof: who runs as the user can write it too.
type record struct{ dir string }

// months is how many months are kept.
const months = 6

// add remembers a tree.
func (r record) add(tree string, now time.Time) error {
	if !isObject(tree) {
		return fmt.Errorf("%.80q is no tree", tree)
	}
	dir := filepath.Join(r.dir, now.UTC().Format("2006-01"))
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		r.prune()
	}
	return atomicfile.Write(filepath.Join(dir, tree), nil)
}

// has reports whether a tree is remembered.
func (r record) has(tree string) bool {
	for _, m := range r.kept() {
		if _, err := os.Stat(filepath.Join(r.dir, m, tree)); err == nil {
			return true
		}
	}
	return false
}

// kept returns the folders, the newest first.
func (r record) kept() []string {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if _, err := time.Parse("2006-01", e.Name()); err == nil && e.IsDir() {
			out = append(out, e.Name())
		}
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out
}

// prune forgets the oldest months. What can't be removed stays.
func (r record) prune() {
	if all := r.kept(); len(all) > months {
		for _, m := range all[months:] {
			_ = os.RemoveAll(filepath.Join(r.dir, m))
		}
	}
}
