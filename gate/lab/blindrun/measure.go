package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/report"
)

// measurer makes repositories of samples and has them scanned.
type measurer struct {
	settings
	work string // a folder for the repositories
}

// measure completes the row of a sample.
func (m measurer) measure(ctx context.Context, set string, r *row) (err error) {
	dir := filepath.Join(m.work, r.ID)
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := m.git(ctx, dir, "init", "--quiet", "--initial-branch", "main", dir); err != nil {
		return err
	}
	for _, tree := range []string{"base", "head"} {
		if err := m.commit(ctx, dir, filepath.Join(set, r.ID, tree), tree); err != nil {
			return err
		}
	}
	result, err := m.scan(ctx, dir)
	if err != nil {
		return err
	}
	r.sumUp(result, strings.Split(m.layers, ","))
	return nil
}

// commit makes a tree the content of the work tree, and commits it.
func (m measurer) commit(ctx context.Context, dir, tree, message string) error {
	old, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range old {
		if f.Name() == ".git" {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, f.Name())); err != nil {
			return err
		}
	}
	if err := copyTree(dir, tree); err != nil {
		return err
	}
	if err := m.git(ctx, dir, "add", "--force", "--all"); err != nil {
		return err
	}
	return m.git(ctx, dir, "commit", "--quiet", "--allow-empty", "--no-verify", "--message", message)
}

// copyTree copies files, folders and links, and leaves no way out of the work tree: nothing
// is written through a link.
func copyTree(to, from string) error {
	if _, err := os.Lstat(filepath.Join(from, ".git")); err == nil {
		return fmt.Errorf("%s holds a .git of its own", from)
	}
	root, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == from {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			return root.MkdirAll(rel, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			return errors.Join(err, root.Symlink(target, rel))
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return root.WriteFile(rel, text, info.Mode().Perm()|0o600)
	})
}

// scan asks gate about the newest commit.
func (m measurer) scan(ctx context.Context, dir string) (gate.Result, error) {
	within, cancel := context.WithTimeout(ctx, m.within)
	defer cancel()
	cmd := exec.CommandContext(within, m.gate, "scan", "--base", "HEAD~1", "--layers", m.layers,
		"--cache-dir", filepath.Join(m.work, "cache"), "--quiet", "--format", "json", ".")
	cmd.Dir, cmd.Env = dir, m.environment(cmd)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var ended *exec.ExitError
	if within.Err() != nil || err != nil && !errors.As(err, &ended) {
		return gate.Result{}, errors.Join(err, within.Err())
	}
	result, err := report.Decode(&stdout)
	if err != nil {
		return result, fmt.Errorf("gate gave no result: %s (%w)", cmp.Or(strings.TrimSpace(stderr.String()), "nothing on standard error"), err)
	}
	return result, nil
}

// sumUp takes from a result what the table needs.
func (r *row) sumUp(result gate.Result, layers []string) {
	r.Verdict, r.Layers = result.Verdict, map[string]gate.Verdict{}
	for _, l := range layers {
		r.Layers[l] = gate.Safe
	}
	rules := map[string]bool{}
	for _, f := range result.Files {
		for _, found := range f.Findings {
			if !found.Decides() || found.Severity == gate.SeverityNote {
				continue
			}
			v := gate.Dangerous
			if found.Severity == gate.SeveritySuspicious {
				v = gate.Suspicious
			}
			layer := string(found.Layer)
			r.Layers[layer] = r.Layers[layer].Worst(v)
			rules[fmt.Sprintf("%s:%s %s", layer, found.Rule, found.Severity)] = true
		}
	}
	r.Rules = slices.Sorted(maps.Keys(rules))
	for _, g := range result.Incomplete {
		r.Gaps = append(r.Gaps, fmt.Sprintf("%s %s: %s", g.Layer, g.Path, gate.Clip(g.Reason, 200)))
	}
}

// git runs git without configuration, hooks and signatures.
func (m measurer) git(ctx context.Context, dir string, args ...string) error {
	if args[0] != "init" {
		args = append([]string{"-C", dir}, args...)
	}
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "core.hooksPath=/dev/null", "-c", "core.autocrlf=false", "-c", "user.name=Dev", "-c", "user.email=dev@example.com"}, args...)...)
	cmd.Env = m.environment(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

// environment is that of a command here, with neither the user's configuration of git nor that of gate.
func (m measurer) environment(cmd *exec.Cmd) []string {
	home := filepath.Join(m.work, "home")
	env := slices.DeleteFunc(cmd.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "GATE_") || strings.HasPrefix(v, "XDG_")
	})
	return append(env, "HOME="+home, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
}
