package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/static"
)

// policyFile is where a repository says what it wants of gate.
const policyFile = ".gate.yml"

// settings is the policy of one run and where its rules come from.
type settings struct {
	policy gate.Policy
	// tree holds rules.dirs and the baseline; nil where there are none to look up.
	tree fs.FS
}

// policyOf collects the configuration of a run: the repository's, then the
// user's, then environment and flags. With a base, the repository's is that of
// the base commit, so that a change cannot configure its own gate.
func (a *app) policyOf(ctx context.Context, repo *change.Repo, base, config string, f *layerFlags) (settings, error) {
	var sources []policy.Source
	tree, trust := repo.WorkTree(), policy.Tree
	if base != "" {
		t, err := repo.Tree(ctx, base)
		switch {
		case errors.Is(err, change.ErrNoCommit):
			tree = nil // the first commit of a repository has no base to ask
		case err != nil:
			return settings{}, usage("%w", err)
		default:
			tree, trust = t, policy.Base
		}
	}
	switch {
	case config != "":
		data, err := readLimited(os.DirFS(filepath.Dir(config)), filepath.Base(config))
		if err != nil {
			return settings{}, usage("--config: %w", err)
		}
		sources = append(sources, policy.Source{Name: config, Data: data, Trust: policy.Base})
	case tree != nil:
		data, err := readLimited(tree, policyFile)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return settings{}, usage("%s: %w", policyFile, err)
		}
		if err == nil && trust == policy.Tree {
			// What is scanned may be somebody else's: that it adjusts the rules
			// for itself has to be seen.
			fmt.Fprintf(a.stderr, "gate: the policy is the scanned tree's own %s (--config FILE takes another)\n", policyFile)
		}
		sources = append(sources, policy.Source{Name: policyFile, Data: data, Trust: trust})
	}
	if file := a.userConfig(); file != "" {
		data, err := readLimited(os.DirFS(filepath.Dir(file)), filepath.Base(file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return settings{}, usage("%w", err)
		}
		sources = append(sources, policy.Source{Name: file, Data: data, Trust: policy.User})
	}
	p, ignored, err := policy.Load(sources...)
	if err != nil {
		return settings{}, &exit.Error{Code: exitUsage, Err: err}
	}
	for _, key := range ignored {
		fmt.Fprintf(a.stderr, "gate: %s is ignored: what is scanned has no say about the machine (use a flag, the environment or your own configuration)\n", key)
	}
	if err := f.apply(&p, a.getenv); err != nil {
		return settings{}, err
	}
	protectItself(&p)
	return settings{policy: p, tree: tree}, nil
}

// userConfig returns the file with the user's own settings, or "".
func (a *app) userConfig() string {
	if dir := a.getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "gate", "config.yaml")
	}
	if home := a.getenv("HOME"); home != "" {
		return filepath.Join(home, ".config", "gate", "config.yaml")
	}
	return ""
}

// readLimited reads a file that may be anything: at most what a policy may have.
func readLimited(tree fs.FS, name string) ([]byte, error) {
	return readAtMost(tree, name, policy.MaxBytes)
}

// readAtMost reads a regular file, and of one that is larger a byte more than
// limit, so that whoever parses it says so.
func readAtMost(tree fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(tree, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file (%s)", name, info.Mode().Type())
	}
	f, err := tree.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, limit+1))
}

// userRules opens the folders that rules.dirs names.
func (s settings) userRules() ([]static.RuleSource, error) {
	var out []static.RuleSource
	for _, dir := range s.policy.Rules.Dirs {
		if s.tree == nil {
			return nil, usage("rules.dirs names %q, and there is no base commit to read it from", dir)
		}
		sub, err := fs.Sub(s.tree, strings.TrimSuffix(dir, "/"))
		if err != nil {
			return nil, usage("rules.dirs: %w", err)
		}
		if _, err := fs.ReadDir(sub, "."); err != nil {
			return nil, usage("rules.dirs names %q: %w", dir, err)
		}
		out = append(out, static.RuleSource{Name: dir, FS: sub})
	}
	return out, nil
}
