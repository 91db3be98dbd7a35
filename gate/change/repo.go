package change

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
	git     *git.Repo    // nil outside of git
	objects *git.Objects // nil outside of git
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
	if err := r.findRoot(ctx, abs); err != nil {
		return nil, err
	}
	for _, l := range abs {
		if err := r.name(l); err != nil {
			return nil, err
		}
	}
	root, err := os.OpenRoot(r.root)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", r.root, err)
	}
	r.work = &workFS{root: root}
	if r.git != nil {
		r.objects = r.git.Objects(ctx)
	}
	return r, nil
}

// Close ends the git processes and lets go of the folder.
func (r *Repo) Close() error {
	if r.objects != nil {
		r.objects.Close()
	}
	return r.work.root.Close()
}

// Root returns the absolute path of the root of the tree.
func (r *Repo) Root() string { return r.root }

// InGit reports whether the tree is a git work tree.
func (r *Repo) InGit() bool { return r.git != nil }

// WorkTree returns the files as they lie in the folder, tracked or not, without
// .git. Links are not followed.
func (r *Repo) WorkTree() fs.FS { return r.work }

// Tree returns the files of a commit. The error is [ErrNoRepository] outside of
// git, and [ErrNoCommit] for HEAD before the first commit.
func (r *Repo) Tree(ctx context.Context, rev string) (fs.FS, error) {
	if r.git == nil {
		return nil, fmt.Errorf("%s is %w", r.root, ErrNoRepository)
	}
	if rev == "HEAD" {
		if _, born, err := r.git.Head(ctx); err == nil && !born {
			return nil, fmt.Errorf("HEAD of %s: %w", r.root, ErrNoCommit)
		}
	}
	oid, err := r.git.Commit(ctx, rev)
	if err != nil {
		return nil, err
	}
	tree, _, err := r.treeOf(ctx, oid)
	return tree, err
}

// Fetch brings the history between two revisions where the clone is too shallow
// to compare them; an empty head is what is checked out. Where nothing is
// lacking, it does nothing. See [Options].
func (r *Repo) Fetch(ctx context.Context, base, head string) error {
	if r.git == nil {
		return fmt.Errorf("%s is %w", r.root, ErrNoRepository)
	}
	_, err := r.span(ctx, base, head, true)
	return err
}

func (r *Repo) treeOf(ctx context.Context, oid git.OID) (*git.TreeFS, []git.Refused, error) {
	entries, err := r.git.Tree(ctx, oid)
	if err != nil {
		return nil, nil, err
	}
	tree, refused := git.NewTreeFS(r.objects, entries)
	return tree, refused, nil
}

// location is a path that the user named, with links in its folders resolved.
type location struct {
	asNamed string
	path    string
	dir     bool
}

func locate(p string) (location, error) {
	if p == "" {
		return location{}, errors.New("a path is empty")
	}
	abs, err := filepath.Abs(p)
	if err != nil {
		return location{}, fmt.Errorf("find %q: %w", p, err)
	}
	info, err := os.Stat(abs) // a folder may be named through a link
	if err == nil && info.IsDir() {
		resolved, err := filepath.EvalSymlinks(abs)
		return location{asNamed: p, path: resolved, dir: true}, err
	}
	if _, err := os.Lstat(abs); err != nil { // a link to nowhere is a target too
		return location{}, fmt.Errorf("find %q: %w", p, errors.Unwrap(err))
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		return location{}, fmt.Errorf("find %q: %w", p, err)
	}
	return location{asNamed: p, path: filepath.Join(folder, filepath.Base(abs))}, nil
}

// folder is the folder that the location is or lies in.
func (l location) folder() string {
	if l.dir {
		return l.path
	}
	return filepath.Dir(l.path)
}

// findRoot decides which tree the paths belong to.
func (r *Repo) findRoot(ctx context.Context, paths []location) error {
	trees := map[string]string{} // by folder
	for _, l := range paths {
		if _, known := trees[l.folder()]; known {
			continue
		}
		tree, err := git.WorkTreeOf(l.folder())
		if err != nil && !errors.Is(err, git.ErrNotRepository) {
			return err
		}
		trees[l.folder()] = tree
	}
	first := trees[paths[0].folder()]
	for _, l := range paths {
		if other := trees[l.folder()]; other != first {
			return fmt.Errorf("%q and %q belong to different git work trees (%s, %s); scan them one by one",
				paths[0].asNamed, l.asNamed, orNone(first), orNone(other))
		}
	}
	if first == "" {
		var err error
		r.root, err = commonFolder(paths)
		return err
	}
	// The hook of a commit that takes part of the changes is told another index.
	repo, err := git.Open(ctx, paths[0].folder(), git.Options{IndexFile: os.Getenv("GIT_INDEX_FILE")})
	if err != nil {
		return err
	}
	r.git, r.root = repo, repo.WorkTree()
	return nil
}

func orNone(tree string) string {
	if tree == "" {
		return "none"
	}
	return tree
}

// commonFolder returns the current folder where it holds all paths, else the
// deepest folder that does.
func commonFolder(paths []location) (string, error) {
	common, err := os.Getwd()
	if err == nil {
		common, err = filepath.EvalSymlinks(common)
	}
	if err != nil {
		return "", fmt.Errorf("find the current folder: %w", err)
	}
	holdsAll := func(dir string) bool {
		for _, l := range paths {
			if rel, err := filepath.Rel(dir, l.path); err != nil || !filepath.IsLocal(rel) {
				return false
			}
		}
		return true
	}
	if holdsAll(common) {
		return common, nil
	}
	for common = paths[0].folder(); !holdsAll(common); common = filepath.Dir(common) {
		if common == filepath.Dir(common) {
			return "", errors.New("the paths have no folder in common; scan them one by one")
		}
	}
	return common, nil
}

// name adds a location to the scope.
func (r *Repo) name(l location) error {
	rel, err := filepath.Rel(r.root, l.path)
	if err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%q is not below %s", l.asNamed, r.root)
	}
	rel = filepath.ToSlash(rel)
	if rel != "." {
		if err := git.CheckPath(rel); err != nil {
			return fmt.Errorf("%q: %w", l.asNamed, err)
		}
	}
	r.scope.add(rel)
	return nil
}

// scope is what the user named.
type scope struct {
	explicit bool // the user named paths
	paths    []string
	set      map[string]bool
}

func (s *scope) add(rel string) {
	if s.set == nil {
		s.set = map[string]bool{}
	}
	if !s.set[rel] {
		s.set[rel] = true
		s.paths = append(s.paths, rel)
	}
}

// holds reports whether a path is named, or lies in a folder that is.
func (s *scope) holds(p string) bool {
	if s.set["."] {
		return true
	}
	for {
		if s.set[p] {
			return true
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			return false
		}
		p = p[:i]
	}
}
