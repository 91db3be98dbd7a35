package change

import (
	"context"
	"errors"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git"
)

// StagedTree returns the name of the tree that a commit would have now. Nothing is
// written to the repository.
func (r *Repo) StagedTree(ctx context.Context) (git.OID, error) {
	commits, err := r.inGit()
	if err != nil {
		return "", err
	}
	index, err := commits.git.Index(ctx)
	if err != nil {
		return "", err
	}
	entries := make([]git.Entry, 0, len(index))
	for _, e := range index {
		if e.Stage != 0 {
			return "", errors.New("the index has conflicts")
		}
		entries = append(entries, e.Entry)
	}
	return commits.git.Format().Tree(entries)
}

// Whole returns the change that adds every file of a commit: the first push of a
// repository.
func (r *Repo) Whole(ctx context.Context, rev string) (*gate.Change, error) {
	tree, err := r.Tree(ctx, rev)
	if err != nil {
		return nil, err
	}
	return Added(ctx, tree)
}
