package change

import (
	"context"
	"fmt"
	"io/fs"
)

// BaseTree returns the files of the best common ancestor of a revision and what is
// checked out, and the name of that commit: what a change since base is compared
// with. An empty base is what is checked out, without what is not committed.
func (r *Repo) BaseTree(ctx context.Context, base string) (fs.FS, string, error) {
	if r.git == nil {
		return nil, "", fmt.Errorf("%s is %w", r.root, ErrNoRepository)
	}
	if base == "" {
		base = "HEAD"
		if _, born, err := r.git.Head(ctx); err == nil && !born {
			return nil, "", fmt.Errorf("HEAD of %s: %w", r.root, ErrNoCommit)
		}
	}
	s, err := r.span(ctx, base, "", false)
	if err != nil {
		return nil, "", err
	}
	tree, _, err := r.treeOf(ctx, s.from)
	if err != nil {
		return nil, "", err
	}
	return tree, string(s.from), nil
}
