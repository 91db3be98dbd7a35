package change

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/aigate/gate/gate/change/git"
)

// commits are what git knows of a work tree besides its files: revisions and their
// trees. It brings the history that a shallow clone lacks.
type commits struct {
	git     *git.Repo
	objects *git.Objects
}

// span is what lies between two commits.
type span struct {
	base git.OID // the commit that the user calls base
	from git.OID // its best common ancestor with to
	to   git.OID
}

// deepenings are how many more commits of history are fetched each time that it
// turns out to be too short; 0 is all of it.
func deepenings() []int { return []int{50, 500, 5000, 0} }

// span resolves two revisions; an empty head is what is checked out. Where the
// clone is too shallow for that, and it is allowed, history is fetched until it
// suffices.
func (c *commits) span(ctx context.Context, base, head string, fetch bool) (span, error) {
	s, err := c.resolve(ctx, base, head)
	if !fetch {
		return s, err
	}
	for _, n := range deepenings() {
		if !errors.Is(err, git.ErrShallow) && !errors.Is(err, git.ErrNoRevision) {
			break
		}
		if fetchErr := c.git.Fetch(ctx, n, base, head); fetchErr != nil {
			return span{}, errors.Join(err, fetchErr)
		}
		s, err = c.resolve(ctx, base, head)
	}
	return s, err
}

func (c *commits) resolve(ctx context.Context, base, head string) (s span, err error) {
	if head == "" {
		head = "HEAD"
	}
	if s.base, err = c.git.Commit(ctx, base); err != nil {
		return span{}, err
	}
	if s.to, err = c.git.Commit(ctx, head); err != nil {
		return span{}, err
	}
	s.from, err = c.git.MergeBase(ctx, s.base, s.to)
	return s, err
}

// history lists the commits that are in head and not in base.
func (c *commits) history(ctx context.Context, base, head string) (*git.History, error) {
	s, err := c.resolve(ctx, base, head)
	if err != nil {
		return nil, err
	}
	return c.git.History(ctx, c.objects, s.to, s.base, s.from)
}

// born returns [ErrNoCommit] where nothing has been committed yet.
func (c *commits) born(ctx context.Context, root string) error {
	if _, born, err := c.git.Head(ctx); err == nil && !born {
		return fmt.Errorf("HEAD of %s: %w", root, ErrNoCommit)
	}
	return nil
}

// tree returns the files of a commit. What it refuses to show is no gap of a change
// that starts there: it was there before.
func (c *commits) tree(ctx context.Context, oid git.OID) (fs.FS, error) {
	entries, err := c.git.Tree(ctx, oid)
	if err != nil {
		return nil, err
	}
	tree, _ := git.NewTreeFS(c.objects, entries)
	if oid == c.git.Format().EmptyTree() { // which is of no commit
		return tree, nil
	}
	commit, err := c.objects.Commit(oid)
	if err != nil {
		return nil, err
	}
	tree.OfCommit(commit)
	return tree, nil
}
