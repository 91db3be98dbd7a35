package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/lab/attack"
)

// planter makes the commits and has them scanned.
type planter struct {
	gate string // the program
	work string // a folder for the clones
}

// plant commits an attack, and its twin, to a history, and to an empty repository where the
// row has no verdicts of that yet.
func (p planter) plant(ctx context.Context, a *attack.Attack, repo string, r *row) error {
	history, err := p.clone(ctx, repo, r.Project)
	if err != nil {
		return err
	}
	empty, err := p.empty(ctx)
	if err != nil {
		return err
	}
	for _, of := range []struct {
		tree string
		fs   fs.FS
		to   *gate.Verdict
	}{
		{history, a.Payload, &r.Planted}, {empty, a.Payload, &r.Alone}, {history, a.Twin, &r.TwinPlanted}, {empty, a.Twin, &r.TwinAlone},
	} {
		if *of.to != gate.VerdictUnknown {
			continue
		}
		if *of.to, err = p.scan(ctx, of.tree, of.fs); err != nil {
			return err
		}
	}
	return nil
}

// clone is a work tree of a history, made once.
func (p planter) clone(ctx context.Context, repo, project string) (string, error) {
	dir := filepath.Join(p.work, project)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	from, err := filepath.Abs(repo)
	if err != nil {
		return "", err
	}
	_, err = git(ctx, p.work, "clone", "--quiet", "--shared", from, dir)
	return dir, err
}

// empty is a repository with one commit that holds next to nothing.
func (p planter) empty(ctx context.Context) (string, error) {
	dir := filepath.Join(p.work, "empty")
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	_, err := git(ctx, p.work, "init", "--quiet", dir)
	return dir, errors.Join(err, commit(ctx, dir, "--allow-empty"))
}

// scan commits the files of a tree, has the commit scanned, and takes it back.
func (p planter) scan(ctx context.Context, dir string, files fs.FS) (verdict gate.Verdict, err error) {
	if err := write(dir, files); err != nil {
		return 0, err
	}
	if _, err := git(ctx, dir, "add", "--force", "--all"); err != nil {
		return 0, err
	}
	if err := commit(ctx, dir, "--allow-empty"); err != nil {
		return 0, err
	}
	defer func() {
		_, undone := git(ctx, dir, "reset", "--quiet", "--hard", "HEAD~1")
		err = errors.Join(err, undone)
	}()
	cmd := exec.CommandContext(ctx, p.gate, "scan", "--base", "HEAD~1", "--layers", "static", "--quiet", "--format", "json")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		return 0, err
	}
	var result struct{ Verdict gate.Verdict }
	if err := json.Unmarshal(out, &result); err != nil || result.Verdict == gate.VerdictUnknown {
		return 0, fmt.Errorf("gate gave no result: %s", cmp.Or(strings.TrimSpace(stderr.String()), "nothing on standard error"))
	}
	return result.Verdict, nil
}

// write puts the files of a tree into a folder, over those that are there. Nothing is
// written through a link of the history.
func write(dir string, files fs.FS) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if d.IsDir() {
			return root.MkdirAll(name, 0o755)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if err := root.RemoveAll(name); err != nil {
			return err
		}
		return root.WriteFile(name, text, info.Mode().Perm()|0o600)
	})
}

func commit(ctx context.Context, dir string, more ...string) error {
	_, err := git(ctx, dir, append([]string{"-c", "user.name=Eve", "-c", "user.email=eve@example.com", "commit", "--quiet", "--no-verify", "--message", "Update"}, more...)...)
	return err
}

// git runs git without hooks and signatures.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir, "-c", "core.hooksPath=/dev/null", "-c", "core.autocrlf=false", "-c", "commit.gpgSign=false"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(out))
	}
	return string(out), nil
}
