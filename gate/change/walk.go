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

// readDir lists an open folder without .git, sorted.
func readDir(dir fs.ReadDirFile, name string) ([]fs.DirEntry, error) {
	var out []fs.DirEntry
	for {
		batch, err := dir.ReadDir(readDirBatch)
		for _, e := range batch {
			if !git.IsDotGit(e.Name()) {
				out = append(out, e)
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
			return out, nil
		case err != nil:
			return out, &fs.PathError{Op: "readdir", Path: name, Err: reason(err)}
		case len(out) > git.MaxEntries:
			return out, &fs.PathError{Op: "readdir", Path: name, Err: fmt.Errorf("more than %d entries", git.MaxEntries)}
		}
	}
}

// found is a file that a walk came across.
type found struct {
	path string
	info fs.FileInfo
}

// walk returns every file below a path, or the path itself where it is no
// folder, in no particular order. What cannot be listed goes to unread.
func (w *workFS) walk(ctx context.Context, from string, unread func(path string, err error)) ([]found, error) {
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
			unread(at, reason(err))
			continue
		case !info.IsDir():
			out = append(out, found{at, info})
			continue
		}
		entries, err := w.ReadDir(at)
		if err != nil {
			unread(at, fmt.Errorf("cannot be listed: %w", reason(err)))
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
