package change

import (
	"context"
	"errors"
	"fmt"

	"github.com/aigate/gate/gate/change/git"
)

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
func (r *Repo) span(ctx context.Context, base, head string, fetch bool) (span, error) {
	s, err := r.resolve(ctx, base, head)
	if !fetch {
		return s, err
	}
	for _, n := range deepenings() {
		if !errors.Is(err, git.ErrShallow) && !errors.Is(err, git.ErrNoRevision) {
			break
		}
		if fetchErr := r.git.Fetch(ctx, n, base, head); fetchErr != nil {
			return span{}, errors.Join(err, fetchErr)
		}
		s, err = r.resolve(ctx, base, head)
	}
	return s, err
}

func (r *Repo) resolve(ctx context.Context, base, head string) (s span, err error) {
	if head == "" {
		head = "HEAD"
	}
	if s.base, err = r.git.Commit(ctx, base); err != nil {
		return span{}, err
	}
	if s.to, err = r.git.Commit(ctx, head); err != nil {
		return span{}, err
	}
	s.from, err = r.git.MergeBase(ctx, s.base, s.to)
	return s, err
}

// History returns the commits that are in head and not in base, for package
// attribution; an empty head is what is checked out. It can be read until the
// repository is closed.
func (r *Repo) History(ctx context.Context, base, head string) (*git.History, error) {
	if r.git == nil {
		return nil, fmt.Errorf("%s is %w", r.root, ErrNoRepository)
	}
	s, err := r.resolve(ctx, base, head)
	if err != nil {
		return nil, err
	}
	return r.git.History(ctx, r.objects, s.to, s.base, s.from)
}

// FetchNotes fetches a namespace of git notes from the remote, which a clone
// does not bring, and returns where they are now. See [git.Repo.FetchNotes].
func (r *Repo) FetchNotes(ctx context.Context, ref string) (string, error) {
	if r.git == nil {
		return "", fmt.Errorf("%s is %w", r.root, ErrNoRepository)
	}
	return r.git.FetchNotes(ctx, ref)
}
