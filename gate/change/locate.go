package change

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/aigate/gate/gate/change/git"
)

// location is a path that the user named, with links in its folders resolved.
type location struct {
	asNamed string
	path    string
	dir     bool
}

func locate(p string) (location, error) {
	if p == "" {
		return location{}, errors.New("a path is empty")
	}
	abs, err := filepath.Abs(p)
	if err != nil {
		return location{}, fmt.Errorf("find %q: %w", p, err)
	}
	info, err := os.Stat(abs) // a folder may be named through a link
	if err == nil && info.IsDir() {
		resolved, err := filepath.EvalSymlinks(abs)
		return location{asNamed: p, path: resolved, dir: true}, err
	}
	if _, err := os.Lstat(abs); err != nil { // a link to nowhere is a target too
		return location{}, fmt.Errorf("find %q: %w", p, errors.Unwrap(err))
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		return location{}, fmt.Errorf("find %q: %w", p, err)
	}
	return location{asNamed: p, path: filepath.Join(folder, filepath.Base(abs))}, nil
}

// folder is the folder that the location is or lies in.
func (l location) folder() string {
	if l.dir {
		return l.path
	}
	return filepath.Dir(l.path)
}

// findRoot decides which tree the paths belong to; repo is nil outside of git.
func findRoot(ctx context.Context, paths []location) (root string, repo *git.Repo, err error) {
	trees := map[string]string{} // by folder
	for _, l := range paths {
		if _, known := trees[l.folder()]; known {
			continue
		}
		tree, err := git.WorkTreeOf(l.folder())
		if err != nil && !errors.Is(err, git.ErrNotRepository) {
			return "", nil, err
		}
		trees[l.folder()] = tree
	}
	first := trees[paths[0].folder()]
	for _, l := range paths {
		if other := trees[l.folder()]; other != first {
			return "", nil, fmt.Errorf("%q and %q belong to different git work trees (%s, %s); scan them one by one",
				paths[0].asNamed, l.asNamed, orNone(first), orNone(other))
		}
	}
	if first == "" {
		root, err = commonFolder(paths)
		return root, nil, err
	}
	// The hook of a commit that takes part of the changes is told another index.
	repo, err = git.Open(ctx, paths[0].folder(), git.Options{IndexFile: os.Getenv("GIT_INDEX_FILE")})
	if err != nil {
		return "", nil, err
	}
	return repo.WorkTree(), repo, nil
}

func orNone(tree string) string {
	if tree == "" {
		return "none"
	}
	return tree
}

// commonFolder returns the current folder where it holds all paths, else the
// deepest folder that does.
func commonFolder(paths []location) (string, error) {
	common, err := os.Getwd()
	if err == nil {
		common, err = filepath.EvalSymlinks(common)
	}
	if err != nil {
		return "", fmt.Errorf("find the current folder: %w", err)
	}
	holdsAll := func(dir string) bool {
		for _, l := range paths {
			if rel, err := filepath.Rel(dir, l.path); err != nil || !filepath.IsLocal(rel) {
				return false
			}
		}
		return true
	}
	if holdsAll(common) {
		return common, nil
	}
	for common = paths[0].folder(); !holdsAll(common); common = filepath.Dir(common) {
		if common == filepath.Dir(common) {
			return "", errors.New("the paths have no folder in common; scan them one by one")
		}
	}
	return common, nil
}
