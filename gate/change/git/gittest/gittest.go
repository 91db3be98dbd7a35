// Package gittest makes git repositories for tests, with the real git and
// without any configuration of the machine.
package gittest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Repo is a repository in a temporary folder.
type Repo struct {
	t   testing.TB
	Dir string
	Env []string // added to the environment of git
}

// New returns a repository on a branch "main" without commits. The folder is
// free of links.
func New(t testing.TB, initFlags ...string) *Repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &Repo{t: t, Dir: dir}
	r.Git(append([]string{"init", "-q", "-b", "main"}, initFlags...)...)
	return r
}

// At returns a repository that is in dir already.
func At(t testing.TB, dir string) *Repo { return &Repo{t: t, Dir: dir} }

// Git runs git and returns what it prints, without the last line feed.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	return r.GitInput("", args...)
}

// GitInput is Git with something to read.
func (r *Repo) GitInput(stdin string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{
		"-c", "user.name=Ada Example", "-c", "user.email=ada@example.com", "-c", "commit.gpgSign=false",
		"-c", "core.autocrlf=false", "-c", "protocol.file.allow=always",
	}, args...)...)
	cmd.Dir = r.Dir
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C",
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z",
	}, r.Env...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSuffix(string(out), "\n")
}

// Write makes a file with its folders.
func (r *Repo) Write(path, content string) {
	r.t.Helper()
	p := r.Path(path)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// Remove removes a file or folder.
func (r *Repo) Remove(path string) {
	r.t.Helper()
	if err := os.RemoveAll(r.Path(path)); err != nil {
		r.t.Fatal(err)
	}
}

// Link makes a symbolic link.
func (r *Repo) Link(target, path string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.Path(path)), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.Symlink(target, r.Path(path)); err != nil {
		r.t.Fatal(err)
	}
}

// Path returns where a file is.
func (r *Repo) Path(path string) string { return filepath.Join(r.Dir, filepath.FromSlash(path)) }

// Commit records everything that is in the folder and returns the commit.
func (r *Repo) Commit(message string) string {
	r.t.Helper()
	r.Git("add", "-A")
	return r.CommitStaged(message)
}

// CommitStaged records what is staged and returns the commit.
func (r *Repo) CommitStaged(message string) string {
	r.t.Helper()
	r.Git("commit", "-q", "--allow-empty", "--no-verify", "-m", message)
	return r.Git("rev-parse", "HEAD")
}

// Blob stores a content and returns its name.
func (r *Repo) Blob(content string) string {
	r.t.Helper()
	return r.GitInput(content, "hash-object", "-w", "--stdin", "--no-filters")
}
