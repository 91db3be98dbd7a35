package change

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git"
)

// ErrNoRepository says that something needs git and the paths are in no git
// work tree.
var ErrNoRepository = git.ErrNotRepository

// ErrNoCommit says that nothing has been committed yet. A revision that is not
// there for another reason, such as a shallow clone, is another error: a caller
// may take the first for an empty tree, and must not take the second for one.
var ErrNoCommit = errors.New("the branch has no commits yet")

// ErrTooLong says that there are more commits than [Repo.History] reads. Who wrote
// the change is unknown then, which is no failure.
var ErrTooLong = git.ErrTooLong

// Repo is the tree that the paths of a command line belong to: a git work tree,
// or a plain folder.
type Repo struct {
	root    string
	work    *workFS
	commits *commits // nil outside of git
	scope   scope
}

// Options say what of a change becomes a target.
type Options struct {
	Paths gate.Paths // include and exclude
	// Targets is the most targets; the ones with less risk beyond it are listed
	// as incomplete. 0 is the default policy's.
	Targets int
	// Fetch allows to fetch the history that a shallow clone lacks, from the
	// remote and with the credentials that the repository's configuration has.
	Fetch bool
}

// Open finds the tree that holds the paths; without paths, the one that holds
// the current folder. In a git work tree the root is the work tree's; elsewhere
// it is the current folder, where that holds all paths, or the deepest folder
// that does. The repository must be closed; trees of changes that it gave out
// cannot be read after that, nor after ctx has ended.
func Open(ctx context.Context, paths []string) (*Repo, error) {
	r := &Repo{scope: scope{explicit: len(paths) > 0}}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var abs []location
	for _, p := range paths {
		l, err := locate(p)
		if err != nil {
			return nil, err
		}
		abs = append(abs, l)
	}
	var repo *git.Repo
	var err error
	if r.root, repo, err = findRoot(ctx, abs); err != nil {
		return nil, err
	}
	for _, l := range abs {
		if err := r.scope.name(r.root, l); err != nil {
			return nil, err
		}
	}
	root, err := os.OpenRoot(r.root)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", r.root, err)
	}
	r.work = &workFS{root: root}
	if repo != nil {
		r.commits = &commits{git: repo, objects: repo.Objects(ctx)}
	}
	return r, nil
}

// Close ends the git processes and lets go of the folder.
func (r *Repo) Close() error {
	if r.commits != nil {
		r.commits.objects.Close()
	}
	return r.work.root.Close()
}

// Root returns the absolute path of the root of the tree.
func (r *Repo) Root() string { return r.root }

// WorkTree returns the files as they lie in the folder, tracked or not, without
// .git. Links are not followed.
func (r *Repo) WorkTree() fs.FS { return r.work }

// inGit returns the commits of a git work tree, else [ErrNoRepository].
func (r *Repo) inGit() (*commits, error) {
	if r.commits == nil {
		return nil, fmt.Errorf("%s is %w", r.root, ErrNoRepository)
	}
	return r.commits, nil
}

// Tree returns the files of a commit. The error is [ErrNoRepository] outside of
// git, and [ErrNoCommit] for HEAD before the first commit.
func (r *Repo) Tree(ctx context.Context, rev string) (fs.FS, error) {
	commits, err := r.inGit()
	if err != nil {
		return nil, err
	}
	if rev == "HEAD" {
		if err := commits.born(ctx, r.root); err != nil {
			return nil, err
		}
	}
	oid, err := commits.git.Commit(ctx, rev)
	if err != nil {
		return nil, err
	}
	return commits.tree(ctx, oid)
}

// BaseTree returns the files of the best common ancestor of a revision and what is
// checked out, and the name of that commit: what a change since base is compared
// with. An empty base is what is checked out, without what is not committed.
func (r *Repo) BaseTree(ctx context.Context, base string) (fs.FS, string, error) {
	commits, err := r.inGit()
	if err != nil {
		return nil, "", err
	}
	if base == "" {
		base = "HEAD"
		if err := commits.born(ctx, r.root); err != nil {
			return nil, "", err
		}
	}
	s, err := commits.span(ctx, base, "", false)
	if err != nil {
		return nil, "", err
	}
	tree, err := commits.tree(ctx, s.from)
	if err != nil {
		return nil, "", err
	}
	return tree, string(s.from), nil
}

// Fetch brings the history between two revisions where the clone is too shallow
// to compare them; an empty head is what is checked out. Where nothing is
// lacking, it does nothing. See [Options].
func (r *Repo) Fetch(ctx context.Context, base, head string) error {
	commits, err := r.inGit()
	if err != nil {
		return err
	}
	_, err = commits.span(ctx, base, head, true)
	return err
}

// History returns the commits that are in head and not in base, for package
// attribution; an empty head is what is checked out. It can be read until the
// repository is closed.
func (r *Repo) History(ctx context.Context, base, head string) (*git.History, error) {
	commits, err := r.inGit()
	if err != nil {
		return nil, err
	}
	return commits.history(ctx, base, head)
}

// Mainline returns the first-parent history of what is checked out, newest first, see
// [git.Mainline].
func (r *Repo) Mainline(ctx context.Context, o git.MainlineOptions) ([]git.Commit, error) {
	commits, err := r.inGit()
	if err != nil {
		return nil, err
	}
	if err := commits.born(ctx, r.root); err != nil {
		return nil, err
	}
	if o.Head, err = commits.git.Commit(ctx, "HEAD"); err != nil {
		return nil, err
	}
	return git.Mainline(ctx, commits.git, commits.objects, o)
}

// FetchNotes fetches a namespace of git notes from the remote, which a clone
// does not bring, and returns where they are now. See [git.Repo.FetchNotes].
func (r *Repo) FetchNotes(ctx context.Context, ref string) (string, error) {
	commits, err := r.inGit()
	if err != nil {
		return "", err
	}
	return commits.git.FetchNotes(ctx, ref)
}

// builder starts a change of what is in scope; between says that the change is one
// between two commits, or a commit and the work tree.
func (r *Repo) builder(o Options, between bool) (*builder, error) {
	in := r.scope
	if between && !in.explicit {
		// A change is all of it, also from a folder inside of the work tree.
		in = scope{}
		in.add(".")
	}
	pick, err := newSelection(o.Paths, in)
	if err != nil {
		return nil, err
	}
	b := &builder{change: &gate.Change{}, pick: pick, limit: o.Targets}
	if r.commits != nil {
		b.before = r.commits.objects.Blob
	}
	return b, nil
}
