package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/aigate/gate/gate/bounded"
)

// ErrNotRepository says that a folder is in no git work tree.
var ErrNotRepository = errors.New("not in a git work tree")

// Repo is a repository with a work tree.
type Repo struct {
	program  string
	gitDir   string
	workTree string
	format   Format
	env      []string
}

// Options say where a repository is, where that differs from what its folder says.
type Options struct {
	// IndexFile is the index to read instead of the repository's own: git sets
	// GIT_INDEX_FILE for a hook when a commit takes part of the changes only.
	// A relative path counts from the process's folder.
	IndexFile string
}

// Open finds the repository whose work tree holds the folder dir. The error is
// ErrNotRepository where there is none, ErrNoGit where git is missing, and
// another one where a repository is there and cannot be used.
func Open(ctx context.Context, dir string, o Options) (*Repo, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the git work tree of %q: %w", dir, err)
	}
	workTree, gitDir, err := find(dir)
	if err != nil {
		return nil, err
	}
	if err := checkOwner(gitDir, dir); err != nil {
		return nil, err
	}
	r := &Repo{gitDir: gitDir, workTree: workTree}
	if r.program, err = exec.LookPath("git"); err != nil {
		return nil, fmt.Errorf("%s is a git work tree, and %w", workTree, ErrNoGit)
	}
	if o.IndexFile != "" {
		if o.IndexFile, err = filepath.Abs(o.IndexFile); err != nil {
			return nil, fmt.Errorf("find the index %q: %w", o.IndexFile, err)
		}
	}
	r.env = environment(gitDir, workTree, o.IndexFile)
	name, err := r.line(ctx, "rev-parse", "--show-object-format")
	if err != nil {
		return nil, fmt.Errorf("open the git repository of %s: %w", workTree, err)
	}
	if r.format, err = formatNamed(name); err != nil {
		return nil, fmt.Errorf("open the git repository of %s: %w", workTree, err)
	}
	return r, nil
}

// WorkTree returns the absolute path of the root of the work tree.
func (r *Repo) WorkTree() string { return r.workTree }

// Format returns how the repository names objects.
func (r *Repo) Format() Format { return r.format }

// maxGitFile bounds the file .git of a linked work tree or submodule.
const maxGitFile = 8 << 10

// WorkTreeOf returns the root of the work tree that holds the folder dir, or
// [ErrNotRepository]. It starts no program.
func WorkTreeOf(dir string) (string, error) {
	workTree, _, err := find(dir)
	return workTree, err
}

// find looks for .git in dir and above. git would do the same, but it would
// also follow core.worktree of the configuration, and take a folder that merely
// looks like a bare repository for one.
func find(dir string) (workTree, gitDir string, err error) {
	for at := dir; ; at = filepath.Dir(at) {
		p := filepath.Join(at, ".git")
		info, err := os.Stat(p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return "", "", fmt.Errorf("look for the git work tree of %s: %w", dir, err)
		case info.IsDir() && isGitDir(p):
			return at, p, nil
		case info.Mode().IsRegular():
			target, err := linkedGitDir(p)
			if err != nil {
				return "", "", err
			}
			return at, target, nil
		}
		if at == filepath.Dir(at) {
			return "", "", fmt.Errorf("%s is %w", dir, ErrNotRepository)
		}
	}
}

// IsBare reports whether a folder looks like a repository without a work tree. It starts
// no program and reads no configuration: anyone who packed a folder may have made it look so.
func IsBare(dir string) bool {
	for _, folder := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, folder)); err != nil || !info.IsDir() {
			return false
		}
	}
	return isGitDir(dir)
}

func isGitDir(p string) bool {
	_, err := os.Stat(filepath.Join(p, "HEAD"))
	return err == nil
}

// linkedGitDir reads a .git file: "gitdir: PATH".
func linkedGitDir(p string) (string, error) {
	data, _, err := bounded.HeadPath(p, maxGitFile)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", p, err)
	}
	target, ok := strings.CutPrefix(string(data), "gitdir: ")
	target = strings.TrimRight(target, "\r\n")
	if !ok || target == "" || strings.ContainsAny(target, "\n\x00") {
		return "", fmt.Errorf("%s does not say where the repository is", p)
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(p), target)
	}
	if !isGitDir(target) {
		return "", fmt.Errorf("%s names a repository that is not there; `git worktree repair` may fix it", p)
	}
	return target, nil
}
