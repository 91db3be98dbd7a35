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
	b, err := r.builder(o, r.scope)
	if err != nil {
		return nil, err
	}
	b.change.Head = r.work
	var candidates []candidate
	if r.git == nil {
		candidates, err = r.plain(ctx, b)
	} else {
		candidates, err = r.tracked(ctx, b)
	}
	if err != nil {
		return nil, err
	}
	if err := b.build(ctx, candidates); err != nil {
		return nil, err
	}
	return b.change, nil
}

func (r *Repo) builder(o Options, in scope) (*builder, error) {
	pick, err := newSelection(o.Paths, in)
	if err != nil {
		return nil, err
	}
	b := &builder{change: &gate.Change{}, pick: pick, limit: o.Targets}
	if r.objects != nil {
		b.before = r.objects.Blob
	}
	return b, nil
}

// plain lists a folder that is not under git.
func (r *Repo) plain(ctx context.Context, b *builder) ([]candidate, error) {
	var out []candidate
	for _, p := range b.pick.scope.paths {
		files, err := r.work.walk(ctx, p, b.unread)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			out = append(out, b.present(f.path, f.info, gate.ChangeNone))
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
func (r *Repo) tracked(ctx context.Context, b *builder) ([]candidate, error) {
	index, err := r.git.Index(ctx)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, e := range index {
		inScope := b.pick.scope.holds(e.Path)
		info, err := r.work.Lstat(e.Path)
		switch {
		case err == nil && e.Mode == git.ModeSubmodule:
			if inScope {
				out = append(out, candidate{target: gate.Target{Path: e.Path, Mode: e.Mode.FS(), Kind: gate.ChangeNone}})
			}
		case err == nil:
			c := b.present(e.Path, info, gate.ChangeNone)
			if inScope {
				out = append(out, c)
			}
		case !inScope:
		case errors.Is(err, fs.ErrNotExist):
			b.skip(e.Path, "tracked by git, and not in the work tree")
		default:
			b.gap(e.Path, "%s", reason(err))
		}
	}
	more, err := r.untracked(ctx, b, gate.ChangeNone)
	if err != nil {
		return nil, err
	}
	named, err := r.ignored(ctx, b)
	if err != nil {
		return nil, err
	}
	return distinct(slices.Concat(out, more, named)), nil
}

// untracked lists what git does not know and does not ignore. A repository
// inside of this one is listed file by file.
func (r *Repo) untracked(ctx context.Context, b *builder, kind gate.ChangeKind) ([]candidate, error) {
	paths, err := r.git.Untracked(ctx, b.pick.scope.paths)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, p := range paths {
		files, err := r.work.walk(ctx, strings.TrimSuffix(p, "/"), b.unread)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			out = append(out, b.present(f.path, f.info, kind))
		}
	}
	return out, nil
}

// ignored records what git ignores as skipped, except for what the user named
// itself, which becomes a target and no file of a sandbox.
func (r *Repo) ignored(ctx context.Context, b *builder) ([]candidate, error) {
	paths, err := r.git.Ignored(ctx, b.pick.scope.paths)
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, p := range paths {
		folder := strings.TrimSuffix(p, "/")
		named := b.pick.scope.namedIn(folder)
		for _, n := range named {
			files, err := r.work.walk(ctx, n, b.unread)
			if err != nil {
				return nil, err
			}
			for _, f := range files {
				out = append(out, candidate{target: gate.Target{Path: f.path, Mode: f.info.Mode(), Size: f.info.Size(), Kind: gate.ChangeNone}})
			}
		}
		if len(named) == 0 {
			b.skip(p, "ignored by git")
		}
	}
	return out, nil
}

// namedIn returns the paths that the user named which are the folder, or lie in
// it.
func (s *scope) namedIn(folder string) []string {
	var out []string
	for _, p := range s.paths {
		if p == folder || strings.HasPrefix(p, folder+"/") {
			out = append(out, p)
		}
	}
	return out
}
