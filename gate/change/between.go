package change

import (
	"context"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git"
)

// Staged returns what a commit would record now, compared with what is checked
// out: contents come from the index, not from the work tree.
func (r *Repo) Staged(ctx context.Context, o Options) (*gate.Change, error) {
	commits, err := r.inGit()
	if err != nil {
		return nil, err
	}
	b, err := r.builder(o, true)
	if err != nil {
		return nil, err
	}
	head, born, err := commits.git.Head(ctx)
	if err != nil {
		return nil, err
	}
	if !born {
		head = commits.git.Format().EmptyTree()
	}
	diff, err := commits.git.DiffIndex(ctx, head)
	if err != nil {
		return nil, err
	}
	index, err := commits.git.Index(ctx)
	if err != nil {
		return nil, err
	}
	entries := make([]git.Entry, 0, len(index))
	for _, e := range index {
		entries = append(entries, e.Entry)
	}
	tree, refused := git.NewTreeFS(commits.objects, entries)
	b.refused(refused)
	b.headTree(tree, entries)
	if b.change.Base, err = commits.tree(ctx, head); err != nil {
		return nil, err
	}
	return b.compared(ctx, tree, diff)
}

// Between returns what changed from the best common ancestor of two commits to
// the second one. An empty head is the work tree: what changed up to now,
// committed or not, with the untracked files that are not ignored.
func (r *Repo) Between(ctx context.Context, base, head string, o Options) (*gate.Change, error) {
	commits, err := r.inGit()
	if err != nil {
		return nil, err
	}
	b, err := r.builder(o, true)
	if err != nil {
		return nil, err
	}
	span, err := commits.span(ctx, base, head, o.Fetch)
	if err != nil {
		return nil, err
	}
	if b.change.Base, err = commits.tree(ctx, span.from); err != nil {
		return nil, err
	}
	if head == "" {
		return (&worktree{r.work, commits, b}).since(ctx, span.from)
	}
	diff, err := commits.git.Diff(ctx, span.from, span.to)
	if err != nil {
		return nil, err
	}
	entries, err := commits.git.Tree(ctx, span.to)
	if err != nil {
		return nil, err
	}
	tree, refused := git.NewTreeFS(commits.objects, entries)
	b.refused(refused)
	b.headTree(tree, entries)
	return b.compared(ctx, tree, diff)
}

// headTree makes a tree of objects the head of the change.
func (b *builder) headTree(tree *git.TreeFS, entries []git.Entry) {
	b.change.Head = tree
	for _, e := range entries {
		if _, shown := tree.Entry(e.Path); shown && sandboxable(e.Path, e.Mode.FS()) {
			b.change.Files = append(b.change.Files, e.Path)
		}
	}
}

// compared builds a change whose head is a tree of objects.
func (b *builder) compared(ctx context.Context, tree *git.TreeFS, diff []git.Difference) (*gate.Change, error) {
	var candidates []candidate
	for _, d := range diff {
		c := differing(d)
		if c.target.Exists() {
			if _, shown := tree.Entry(c.target.Path); !shown {
				continue // refused, and a gap already
			}
			info, err := tree.Lstat(c.target.Path)
			if err != nil {
				b.gap(c.target.Path, "%s", reason(err))
				continue
			}
			c.target.Size = info.Size()
		}
		candidates = append(candidates, c)
	}
	if err := b.build(ctx, distinct(candidates)); err != nil {
		return nil, err
	}
	return b.change, nil
}

// differing makes a candidate of a difference. A copy is an addition: the code
// is in a place where it was not before.
func differing(d git.Difference) candidate {
	c := candidate{target: gate.Target{Path: d.New.Path, Mode: d.New.Mode.FS()}, before: d.Old}
	switch d.Status {
	case git.Added:
		c.target.Kind = gate.ChangeAdded
	case git.Copied:
		c.target.Kind, c.target.OldPath = gate.ChangeAdded, d.Old.Path
		c.before = git.Entry{}
	case git.Deleted:
		c.target.Kind, c.target.Mode = gate.ChangeDeleted, d.Old.Mode.FS()
	case git.Renamed:
		c.target.Kind, c.target.OldPath = gate.ChangeRenamed, d.Old.Path
	case git.TypeChange:
		c.target.Kind = gate.ChangeType
	case git.Modified:
		c.target.Kind = gate.ChangeModified
		if d.Old.OID == d.New.OID {
			c.target.Kind = gate.ChangeMode
		}
	}
	return c
}
