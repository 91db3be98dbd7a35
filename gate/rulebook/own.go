package rulebook

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/static"
)

// Source is a folder with rules.
type Source = static.RuleSource

// Sources opens the folders of a tree that a policy names under rules.dirs. A nil tree
// is that of a change without a base commit.
func Sources(tree fs.FS, dirs []string) ([]Source, error) {
	var out []Source
	for _, dir := range dirs {
		if tree == nil {
			return nil, exit.Usagef("rules.dirs names %q, and there is no base commit to read it from", dir)
		}
		sub, err := fs.Sub(tree, strings.TrimSuffix(dir, "/"))
		if err != nil {
			return nil, exit.Usagef("rules.dirs: %w", err)
		}
		if _, err := fs.ReadDir(sub, "."); err != nil {
			return nil, exit.Usagef("rules.dirs names %q: %w", dir, err)
		}
		out = append(out, Source{Name: dir, FS: sub})
	}
	return out, nil
}

// SourcesHere opens the named folders or, when none is named, those that the policy of
// the repository around the current folder names.
func SourcesHere(ctx context.Context, dirs []string) ([]Source, error) {
	if len(dirs) == 0 {
		return sourcesOfPolicy(ctx)
	}
	var out []Source
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, exit.Usagef("%s is not a folder", dir)
		}
		out = append(out, Source{Name: dir, FS: os.DirFS(dir)})
	}
	return out, nil
}

func sourcesOfPolicy(ctx context.Context) ([]Source, error) {
	repo, err := change.Open(ctx, nil)
	if err != nil {
		return nil, exit.Usagef("%w", err)
	}
	defer repo.Close()
	data, err := bounded.ReadFile(repo.WorkTree(), policy.File, policy.MaxBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, exit.Usagef("%s: %w", policy.File, err)
	}
	p, _, err := policy.Load(policy.Source{Name: policy.File, Data: data, Trust: policy.Tree})
	if err != nil {
		return nil, exit.Usagef("%w", err)
	}
	// Not the repository's own tree, which is closed when this returns.
	return Sources(os.DirFS(repo.Root()), p.Rules.Dirs)
}

// Report is the result of [Test].
type Report = static.RuleReport

// Test runs the rules of a source against the samples beside them. All mistakes are in
// the error, each with file and line.
func Test(src Source) (Report, error) {
	return static.TestRules(src, Source{FS: static.BuiltinRules().FS})
}
