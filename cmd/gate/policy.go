package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/rulebook"
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
		data, err := bounded.ReadPath(config, policy.MaxBytes)
		if err != nil {
			return settings{}, usage("--config: %w", err)
		}
		sources = append(sources, policy.Source{Name: config, Data: data, Trust: policy.Base})
	case tree != nil:
		data, err := bounded.ReadFile(tree, policyFile, policy.MaxBytes)
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
		data, err := bounded.ReadPath(file, policy.MaxBytes)
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

// userRules opens the folders that rules.dirs names.
func (s settings) userRules() ([]rulebook.Source, error) {
	return rulebook.Sources(s.tree, s.policy.Rules.Dirs)
}
