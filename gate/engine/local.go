package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/attribution"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/change/git"
	"github.com/aigate/gate/gate/exit"
)

// LocalOptions say which files of this machine are looked at.
type LocalOptions struct {
	Paths []string // files and folders; none is the current folder
	// Base is the revision since which changes count; Staged takes the content of the
	// index instead. Without either, all files of Paths are looked at.
	Base   string
	Staged bool
	// Head, where it is set, takes the place of the work tree: what changed from Base to it.
	Head string
	// AIOnly gives the judge and the sandbox only what an AI wrote or may have written.
	AIOnly  bool
	Options Options
	// Adjust, when set, changes the policy at the end of all precedence.
	Adjust func(*gate.Policy)
}

// Local is an [Origin] on this machine: a folder, what is staged, or what changed since a
// revision.
type Local struct {
	engine *Engine
	repo   *change.Repo
	o      LocalOptions
}

var _ Origin = (*Local)(nil)

// OpenLocal finds the repository of the paths. The caller closes it.
func (e *Engine) OpenLocal(ctx context.Context, o LocalOptions) (*Local, error) {
	repo, err := change.Open(ctx, o.Paths)
	if err != nil {
		return nil, exit.Usagef("%w", err)
	}
	return &Local{engine: e, repo: repo, o: o}, nil
}

// Close lets go of the repository.
func (l *Local) Close() error { return l.repo.Close() }

// Root is the folder of the repository, or of the paths where there is none.
func (l *Local) Root() string { return l.repo.Root() }

// Nothing says that there is no file to do something with ("scan", "run"), and why the
// first one is left out, so that a user sees which setting leaves nothing.
func (l *Local) Nothing(do string, c *gate.Change) error {
	where := "the current folder"
	if len(l.o.Paths) > 0 {
		where = strings.Join(l.o.Paths, ", ")
	}
	if len(c.Skipped) == 0 {
		return fmt.Errorf("nothing to %s: no file below %s is looked at", do, where)
	}
	s := c.Skipped[0]
	return fmt.Errorf("nothing to %s: no file below %s is looked at (%d left out, among them %q: %s)", do, where, len(c.Skipped), s.Path, s.Reason)
}

// PolicyRevision is the revision whose policy counts, or "" for the tree's own.
func (l *Local) PolicyRevision() string {
	if l.o.Staged {
		return "HEAD"
	}
	return l.o.Base
}

// Settings implements [Origin].
func (l *Local) Settings(ctx context.Context) (Settings, error) {
	set, err := l.engine.Settings(ctx, l.repo, l.PolicyRevision(), l.o.Options)
	if err == nil && l.o.Adjust != nil {
		l.o.Adjust(&set.Policy)
	}
	return set, err
}

// Change implements [Origin].
func (l *Local) Change(ctx context.Context, p gate.Policy) (*gate.Change, error) {
	c, err := l.list(ctx, p)
	switch {
	case err == nil:
		return c, l.attribute(ctx, c, p)
	case ctx.Err() != nil:
		return nil, exit.Failed(context.Cause(ctx))
	default:
		return nil, exit.Usagef("%w", err)
	}
}

func (l *Local) list(ctx context.Context, p gate.Policy) (*gate.Change, error) {
	opts := change.Options{Paths: p.Paths, Targets: p.Limits.Files}
	switch {
	case l.o.Staged:
		return l.repo.Staged(ctx, opts)
	case l.o.Base != "":
		return l.repo.Between(ctx, l.o.Base, l.o.Head, opts)
	default:
		return l.repo.Folder(ctx, opts)
	}
}

// attribute says who wrote what changed since the base. Without AIOnly that is for the
// report; every layer sees everything.
func (l *Local) attribute(ctx context.Context, c *gate.Change, p gate.Policy) error {
	if l.o.Base == "" {
		return nil
	}
	history, doubt, err := History(ctx, l.repo, l.o.Base, l.o.Head)
	if err != nil {
		return exit.Failed(err)
	}
	if p.Changes = "ai"; !l.o.AIOnly {
		p.Changes, p.Paths.Overrides = "all", nil
	}
	return exit.Failed(attribution.Attribute(ctx, attribution.Input{Change: c, History: history, Doubt: doubt, Policy: p}))
}

// History reads the commits of a change. More of them than are read is a doubt, which
// counts as AI, and no failure.
func History(ctx context.Context, repo *change.Repo, base, head string) (h *git.History, doubt string, err error) {
	h, err = repo.History(ctx, base, head)
	if errors.Is(err, change.ErrTooLong) {
		return nil, err.Error(), nil
	}
	return h, "", err
}
