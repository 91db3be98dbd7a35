package change

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git"
)

// Folder returns the files below the named paths, with nothing known to have
// changed. In a git work tree these are the tracked files and the untracked ones
// that are not ignored; an ignored file or folder is taken where it is named
// itself, and does not enter a sandbox then.
func (r *Repo) Folder(ctx context.Context, o Options) (*gate.Change, error) {
	b, err := r.builder(o, false)
	if err != nil {
		return nil, err
	}
	b.change.Head = r.work
	w := &worktree{r.work, r.commits, b}
	list := w.tracked
	if r.commits == nil {
		list = w.plain
	}
	candidates, err := list(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.build(ctx, candidates); err != nil {
		return nil, err
	}
	return b.change, nil
}

// worktree lists the files of a folder for a change that is built. It looks at the
// files themselves: git is not asked about the work tree, since it would run
// filters to compare.
type worktree struct {
	files   *workFS
	commits *commits // nil outside of git
	b       *builder
}

// plain lists a folder that is not under git.
func (w *worktree) plain(ctx context.Context) ([]candidate, error) {
	var out []candidate
	for _, p := range w.b.pick.scope.paths {
		files, err := w.files.walk(ctx, p, w.b)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			out = append(out, w.b.present(f.path, f.info, gate.ChangeNone))
		}
	}
	return distinct(out), nil
}

// present is the candidate of a file that is in the folder, which may also
// enter a sandbox.
func (b *builder) present(path string, info fs.FileInfo, kind gate.ChangeKind) candidate {
	if sandboxable(path, info.Mode()) {
		b.change.Files = append(b.change.Files, path)
	}
	return candidate{target: gate.Target{Path: path, Mode: info.Mode(), Size: info.Size(), Kind: kind}}
}

// distinct sorts candidates and drops the second one of a path.
func distinct(cs []candidate) []candidate {
	slices.SortStableFunc(cs, func(a, b candidate) int { return strings.Compare(a.target.Path, b.target.Path) })
	return slices.CompactFunc(cs, func(a, b candidate) bool { return a.target.Path == b.target.Path })
}

// tracked lists a git work tree.
func (w *worktree) tracked(ctx context.Context) ([]candidate, error) {
	index, err := w.commits.git.Index(ctx)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, e := range index {
		inScope := w.b.pick.scope.holds(e.Path)
		info, err := w.files.Lstat(e.Path)
		switch {
		case err == nil && e.Mode == git.ModeSubmodule:
			if inScope {
				out = append(out, candidate{target: gate.Target{Path: e.Path, Mode: e.Mode.FS(), Kind: gate.ChangeNone}})
			}
		case err == nil:
			c := w.b.present(e.Path, info, gate.ChangeNone)
			if inScope {
				out = append(out, c)
			}
		case !inScope:
		case errors.Is(err, fs.ErrNotExist):
			w.b.skip(e.Path, "tracked by git, and not in the work tree")
		default:
			w.b.gap(e.Path, "%s", reason(err))
		}
	}
	more, err := w.untracked(ctx, gate.ChangeNone)
	if err != nil {
		return nil, err
	}
	named, err := w.ignored(ctx)
	if err != nil {
		return nil, err
	}
	return distinct(slices.Concat(out, more, named)), nil
}

// untracked lists what git does not know and does not ignore. A repository
// inside of this one is listed file by file.
func (w *worktree) untracked(ctx context.Context, kind gate.ChangeKind) ([]candidate, error) {
	paths, err := w.commits.git.Untracked(ctx, w.b.pick.scope.paths)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, p := range paths {
		files, err := w.files.walk(ctx, strings.TrimSuffix(p, "/"), w.b)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			out = append(out, w.b.present(f.path, f.info, kind))
		}
	}
	return out, nil
}

// ignored records what git ignores as skipped, except for what the user named
// itself, which becomes a target and no file of a sandbox.
func (w *worktree) ignored(ctx context.Context) ([]candidate, error) {
	paths, err := w.commits.git.Ignored(ctx, w.b.pick.scope.paths)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, p := range paths {
		folder := strings.TrimSuffix(p, "/")
		named := w.b.pick.scope.namedIn(folder)
		for _, n := range named {
			files, err := w.files.walk(ctx, n, w.b)
			if err != nil {
				return nil, err
			}
			for _, f := range files {
				out = append(out, candidate{target: gate.Target{Path: f.path, Mode: f.info.Mode(), Size: f.info.Size(), Kind: gate.ChangeNone}})
			}
		}
		if len(named) == 0 {
			w.b.skip(p, "ignored by git")
		}
	}
	return out, nil
}
