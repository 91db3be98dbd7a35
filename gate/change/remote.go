package change

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git"
)

// The most that is read of a repository that is not on this machine.
const (
	maxRemoteFile  = 10 << 20  // bytes of one file; a larger one is a gap
	maxRemoteTotal = 256 << 20 // bytes of one change
)

// Remote reads a repository object by object, as the API of a host offers it.
// What it returns is hostile.
type Remote interface {
	// Tree lists every file of a commit. A list that is not complete is an error.
	Tree(ctx context.Context, commit string) ([]RemoteFile, error)
	// Blob returns a content of at most limit bytes; a larger one is an error.
	Blob(ctx context.Context, id string, limit int64) ([]byte, error)
}

// RemoteFile is one file of a tree.
type RemoteFile struct {
	Path string
	Mode uint32 // as git writes it: 0o100644, 0o120000, ...
	ID   string // of the blob
	Size int64  // bytes
}

// Compare returns what differs between two commits of a remote. base has to be
// the common ancestor. A renamed file is recognised only when its content is the
// same; otherwise all of it counts as added. Files that the change does not touch are
// read on demand, within bounds ([gate.Change.Remote]); nothing of a
// remote enters a sandbox.
func Compare(ctx context.Context, r Remote, base, head string, o Options) (*gate.Change, error) {
	in := scope{}
	in.add(".")
	pick, err := newSelection(o.Paths, in)
	if err != nil {
		return nil, err
	}
	older, err := r.Tree(ctx, base)
	if err != nil {
		return nil, fmt.Errorf("list the files of the base commit: %w", err)
	}
	newer, err := r.Tree(ctx, head)
	if err != nil {
		return nil, fmt.Errorf("list the files of the head commit: %w", err)
	}
	b := &builder{change: &gate.Change{Remote: true}, pick: pick, limit: o.Targets}
	b.before = func(id git.OID) ([]byte, error) { return r.Blob(ctx, string(id), maxRemoteFile) }
	tree := newRemoteFS(ctx, r, newer)
	b.change.Head = tree
	for name, f := range tree.files {
		if sandboxable(name, git.Mode(f.Mode).FS()) {
			b.change.Files = append(b.change.Files, name)
		}
	}
	candidates := remoteCandidates(older, newer)
	if err := b.fetch(ctx, r, tree, candidates); err != nil {
		return nil, err
	}
	return b.change, b.build(ctx, distinct(candidates))
}

// fetch brings the contents of the new files, those with the most risk first.
func (b *builder) fetch(ctx context.Context, r Remote, tree remoteFS, candidates []candidate) error {
	total := int64(0)
	byRisk := slices.SortedStableFunc(slices.Values(candidates), func(x, y candidate) int {
		return cmp.Or(cmp.Compare(rank(y.target), rank(x.target)), cmp.Compare(x.target.Path, y.target.Path))
	})
	// What is beyond the limit becomes no target, and build says so.
	for _, c := range byRisk[:min(len(byRisk), cmp.Or(b.limit, gate.DefaultPolicy().Limits.Files))] {
		t := c.target
		why, _ := b.pick.leftOut(t.Path)
		if !t.Exists() || !t.Mode.IsRegular() && t.Mode.Type() != fs.ModeSymlink || why != "" {
			continue
		}
		if !fs.ValidPath(t.Path) {
			b.gap(t.Path, "the path leads out of the tree")
			continue
		}
		if t.Size > maxRemoteFile || total+t.Size > maxRemoteTotal {
			b.gap(t.Path, "%d bytes are more than is read from a remote (%d a file, %d in all)", t.Size, maxRemoteFile, maxRemoteTotal)
			continue
		}
		data, err := r.Blob(ctx, c.id, maxRemoteFile)
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			b.gap(t.Path, "%s", err)
			continue
		}
		total += int64(len(data))
		tree.put(t.Path, data)
	}
	return nil
}

// remoteCandidates compares two lists of files.
func remoteCandidates(older, newer []RemoteFile) []candidate {
	before := map[string]RemoteFile{}
	for _, f := range older {
		before[f.Path] = f
	}
	var out []candidate
	kept := map[string]bool{}
	for _, f := range newer {
		kept[f.Path] = true
		old, had := before[f.Path]
		if had && old.ID == f.ID && old.Mode == f.Mode {
			continue
		}
		c := candidate{target: gate.Target{Path: f.Path, Mode: git.Mode(f.Mode).FS(), Size: f.Size, Kind: gate.ChangeAdded}, id: f.ID}
		if had {
			c.before = git.Entry{Path: old.Path, Mode: git.Mode(old.Mode), OID: git.OID(old.ID)}
			c.target.Kind = gate.ChangeModified
			switch {
			case git.Mode(old.Mode).FS().Type() != c.target.Mode.Type():
				c.target.Kind = gate.ChangeType
			case old.ID == f.ID:
				c.target.Kind = gate.ChangeMode
			}
		}
		out = append(out, c)
	}
	gone := map[string]RemoteFile{} // by content
	for _, f := range older {
		if !kept[f.Path] {
			gone[f.ID] = f
			out = append(out, candidate{target: gate.Target{Path: f.Path, Mode: git.Mode(f.Mode).FS(), Kind: gate.ChangeDeleted}})
		}
	}
	for i := range out {
		c := &out[i]
		if old, ok := gone[c.id]; ok && c.id != "" && c.target.Kind == gate.ChangeAdded {
			c.target.Kind, c.target.OldPath = gate.ChangeRenamed, old.Path
			c.before = git.Entry{Path: old.Path, Mode: git.Mode(old.Mode), OID: git.OID(old.ID)}
		}
	}
	return out
}
