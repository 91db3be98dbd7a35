package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/glob"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/rulebook"
	"github.com/aigate/gate/gate/suppress"
)

// PolicyFile is where a repository says what it wants of gate.
const PolicyFile = policy.File

// Settings are the policy of one run and where its rules come from.
type Settings struct {
	Policy gate.Policy
	// Tree holds rules.dirs and the baseline; nil where there are none to look up.
	Tree fs.FS
}

// Settings collects the configuration of a run: the repository's, then the user's, then
// the environment and the options. With a base, the repository's is that of the base
// commit, so that a change cannot configure its own gate.
func (e *Engine) Settings(ctx context.Context, repo *change.Repo, base string, o Options) (Settings, error) {
	tree, trust := repo.WorkTree(), policy.Tree
	if base != "" {
		t, err := repo.Tree(ctx, base)
		switch {
		case errors.Is(err, change.ErrNoCommit):
			tree = nil // the first commit of a repository has no base to ask
		case err != nil:
			return Settings{}, exit.Usagef("%w", err)
		default:
			tree, trust = t, policy.Base
		}
	}
	source, err := e.repositoryPolicy(tree, trust, o.Config)
	if err != nil {
		return Settings{}, err
	}
	return e.settings(source, tree, o)
}

// SettingsWithoutTree are those of a run that belongs to no repository: the file of the
// options, the user's configuration, the environment and the options. rules.dirs are
// beside the file.
func (e *Engine) SettingsWithoutTree(o Options) (Settings, error) {
	source, err := e.repositoryPolicy(nil, policy.Base, o.Config)
	if err != nil {
		return Settings{}, err
	}
	var tree fs.FS
	if o.Config != "" {
		tree = os.DirFS(filepath.Dir(o.Config))
	}
	return e.settings(source, tree, o)
}

// SettingsOfCommit are those of a base commit that the caller has read, and of
// nothing else: neither this machine nor a command line has a say. tree holds the policy
// and what it names.
func SettingsOfCommit(tree fs.FS) (Settings, error) {
	var sources []policy.Source
	data, err := bounded.ReadFile(tree, PolicyFile, policy.MaxBytes)
	switch {
	case err == nil:
		sources = append(sources, policy.Source{Name: PolicyFile, Data: data, Trust: policy.Base})
	case !errors.Is(err, fs.ErrNotExist):
		return Settings{}, err
	}
	p, _, err := policy.Load(sources...)
	if err != nil {
		return Settings{}, err
	}
	protectItself(&p)
	return Settings{Policy: p, Tree: tree}, nil
}

// repositoryPolicy reads the policy file of a tree, or the one that was named instead.
func (e *Engine) repositoryPolicy(tree fs.FS, trust policy.Trust, config string) ([]policy.Source, error) {
	if config != "" {
		data, err := bounded.ReadPath(config, policy.MaxBytes)
		if err != nil {
			return nil, exit.Usagef("--config: %w", err)
		}
		return []policy.Source{{Name: config, Data: data, Trust: policy.Base}}, nil
	}
	if tree == nil {
		return nil, nil
	}
	data, err := bounded.ReadFile(tree, PolicyFile, policy.MaxBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, exit.Usagef("%s: %w", PolicyFile, err)
	}
	if err == nil && trust == policy.Tree {
		// What is scanned may be third-party code: that it adjusts the rules
		// for itself has to be seen.
		e.Noticef("the policy is the scanned tree's own %s (--config FILE takes another)", PolicyFile)
	}
	return []policy.Source{{Name: PolicyFile, Data: data, Trust: trust}}, nil
}

// settings adds the user's configuration, the environment and the options.
func (e *Engine) settings(sources []policy.Source, tree fs.FS, o Options) (Settings, error) {
	if file := e.userConfig(); file != "" {
		data, err := bounded.ReadPath(file, policy.MaxBytes)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Settings{}, exit.Usagef("%w", err)
		}
		sources = append(sources, policy.Source{Name: file, Data: data, Trust: policy.User})
	}
	p, ignored, err := policy.Load(sources...)
	if err != nil {
		return Settings{}, exit.Usagef("%w", err)
	}
	for _, key := range ignored {
		e.Noticef("%s is ignored: what is scanned has no say about the machine (use a flag, the environment or your own configuration)", key)
	}
	if err := o.apply(&p, e.host.Getenv); err != nil {
		return Settings{}, err
	}
	protectItself(&p)
	return Settings{Policy: p, Tree: tree}, nil
}

// RequireMore adds the required layers of other settings: a caller that may only add
// requirements can drop none.
func (s Settings) RequireMore(other Settings) Settings {
	s.Policy.Require = union(s.Policy.Require, other.Policy.Require)
	return s
}

// UserRules opens the folders that rules.dirs names.
func (s Settings) UserRules() ([]rulebook.Source, error) {
	return rulebook.Sources(s.Tree, s.Policy.Rules.Dirs)
}

// Baseline reads the baseline from where the policy comes from, nil for none.
func (s Settings) Baseline() (*suppress.Baseline, error) {
	if s.Tree == nil {
		return nil, nil
	}
	data, err := bounded.ReadFile(s.Tree, suppress.BaselineFile, suppress.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, exit.Usagef("%s: %w", suppress.BaselineFile, err)
	}
	b, err := suppress.ParseBaseline(suppress.BaselineFile, data)
	if err != nil {
		return nil, exit.Usagef("%w\nFix it, or write it anew with `gate baseline`", err)
	}
	return b, nil
}

// protectItself adds what gate itself is told by to the protected files, whatever
// the policy's list says: changing one of them is a finding.
func protectItself(p *gate.Policy) {
	own := []string{PolicyFile, suppress.BaselineFile}
	for _, dir := range p.Rules.Dirs {
		own = append(own, glob.Quote(strings.TrimSuffix(dir, "/"))+"/**")
	}
	p.Protect = slices.Clone(p.Protect)
	for _, g := range own {
		if !slices.Contains(p.Protect, g) {
			p.Protect = append(p.Protect, g)
		}
	}
}
