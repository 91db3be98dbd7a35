package engine

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/deps"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/printable"
)

// DependencyOptions say which images [Engine.BuildDependencies] makes, and with what.
type DependencyOptions struct {
	deps.Options
	Base      string   // the revision that a change starts from; "" is HEAD
	Languages []string // of [deps.Languages]; empty is all
}

// BuildDependencies makes an image for each language that a commit names dependencies of,
// and lists the images on w. One language that fails does not keep the others from being
// built, and makes the run incomplete.
func (e *Engine) BuildDependencies(ctx context.Context, o DependencyOptions, w io.Writer) error {
	for _, l := range o.Languages {
		if !slices.Contains(deps.Languages(), l) {
			return exit.Usagef("--language: %q is not one of %s", l, strings.Join(deps.Languages(), ", "))
		}
	}
	repo, err := change.Open(ctx, nil)
	if err != nil {
		return exit.Usagef("%w", err)
	}
	defer repo.Close()
	tree, commit, err := repo.BaseTree(ctx, o.Base)
	if err != nil {
		return exit.Usagef("%w (dependencies are built from a commit)", err)
	}
	// The policy is that commit's: which images the repository has of its own.
	set, err := e.Settings(ctx, repo, cmp.Or(o.Base, "HEAD"), Options{})
	if err != nil {
		return err
	}
	all, err := locksOf(e, tree, commit)
	if err != nil {
		return err
	}
	how, err := o.Resolve(e.Getenv, commit)
	if err != nil {
		return err
	}
	how.Trusted = true
	failed := false
	for _, l := range all {
		if locked, ok := l.Locked(); set.Policy.Deps == gate.DepsLocked && !ok {
			continue
		} else if set.Policy.Deps == gate.DepsLocked {
			l = locked
		}
		if len(o.Languages) > 0 && !slices.Contains(o.Languages, l.Language) || hasOwnImage(e, set.Policy, l.Language) {
			continue
		}
		e.Noticef("dependencies for %s of %d project(s): looking, and building where needed (minutes)", l.Language, len(l.Projects))
		info, built, err := how.Build(ctx, l)
		if err != nil {
			failed = true
			e.Noticef("%s", printable.ASCII(err.Error()))
			continue
		}
		for _, p := range info.Problems {
			e.Noticef("not in it: %s", printable.ASCII(p))
		}
		what := "current"
		if built {
			what = "built"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d MB\n", info.Ref, l.Language, what, info.Size>>20)
	}
	if failed {
		return &exit.Error{Code: exit.Incomplete}
	}
	return nil
}

// locksOf reads the lock files of a commit and says what was left out.
func locksOf(e *Engine, tree fs.FS, commit string) ([]locks.Lock, error) {
	all, left, err := locks.ReadTree(tree)
	if err != nil {
		return nil, exit.Usagef("%w", err)
	}
	for _, l := range left {
		e.Noticef("left out: %s: %s", printable.ASCII(l.Path), printable.ASCII(l.Reason))
	}
	if len(all) == 0 {
		return nil, exit.Usagef("commit %.12s names no dependencies in a way that is understood (see docs/dependencies-of-a-change.md)", commit)
	}
	return all, nil
}

// hasOwnImage reports, also to the user, that a language has an image of the user's own,
// which gate does not change.
func hasOwnImage(e *Engine, p gate.Policy, language string) bool {
	for _, l := range policy.ImageNames()[language] {
		if ref := p.Sandbox.Images[l]; ref != "" {
			e.Noticef("nothing is built for %s: code runs in %s, as sandbox.images says; put the dependencies there", language, printable.ASCII(ref))
			return true
		}
	}
	return false
}
