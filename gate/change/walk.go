package change

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/change/git"
)

// readDirBatch is how many entries of a folder are read at a time.
const readDirBatch = 1024

// readDir lists an open folder, sorted. own are the entries that are called .git
// for some file system; shown has none of them.
func readDir(dir fs.ReadDirFile, name string) (shown, own []fs.DirEntry, err error) {
	for {
		batch, err := dir.ReadDir(readDirBatch)
		for _, e := range batch {
			if git.IsDotGit(e.Name()) {
				own = append(own, e)
			} else {
				shown = append(shown, e)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			byName := func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) }
			slices.SortFunc(shown, byName)
			slices.SortFunc(own, byName)
			return shown, own, nil
		case err != nil:
			return shown, own, &fs.PathError{Op: "readdir", Path: name, Err: reason(err)}
		case len(shown)+len(own) > git.MaxEntries:
			return shown, own, &fs.PathError{Op: "readdir", Path: name, Err: fmt.Errorf("more than %d entries", git.MaxEntries)}
		}
	}
}

// found is a file that a walk came across.
type found struct {
	path string
	info fs.FileInfo
}

// walk returns every file below a path, or the path itself where it is no
// folder, in no particular order. What cannot be listed becomes a gap of b, and
// what belongs to git is skipped there.
func (w *workFS) walk(ctx context.Context, from string, b *builder) ([]found, error) {
	var out []found
	todo := []string{from}
	for len(todo) > 0 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		info, err := w.Lstat(at)
		switch {
		case err != nil:
			b.unread(at, reason(err))
			continue
		case !info.IsDir():
			out = append(out, found{at, info})
			continue
		}
		entries, own, err := w.list(at)
		if err != nil {
			b.unread(at, fmt.Errorf("cannot be listed: %w", reason(err)))
		}
		for _, e := range own {
			b.skip(path.Join(at, e.Name()), "git keeps its own data under this name, and no commit can hold it")
		}
		for _, e := range entries {
			todo = append(todo, path.Join(at, e.Name()))
		}
		if len(out)+len(todo) > git.MaxEntries {
			return nil, fmt.Errorf("more than %d files below %q; name fewer folders", git.MaxEntries, from)
		}
	}
	return out, nil
}
