package change

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/change/git"
	"github.com/aigate/gate/gate/source/stub"
	"github.com/aigate/gate/gate/source/versions"
)

// since builds the change from a commit to the work tree: what the index has
// changed since, corrected by what the work tree has changed since the index. git
// is not asked about the work tree, since it would run filters to compare.
func (w *worktree) since(ctx context.Context, from git.OID) (*gate.Change, error) {
	w.b.change.Head, w.b.checkedOut = w.files, true
	diff, err := w.commits.git.DiffIndex(ctx, from)
	if err != nil {
		return nil, err
	}
	index, err := w.commits.git.Index(ctx)
	if err != nil {
		return nil, err
	}
	changed := make(map[string]git.Difference, len(diff))
	var candidates []candidate
	for _, d := range diff {
		if d.Status == git.Deleted {
			candidates = append(candidates, differing(d))
			continue
		}
		changed[d.New.Path] = d
	}
	for _, e := range index {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		d, differs := changed[e.Path]
		if c, ok := w.now(e, d, differs); ok {
			candidates = append(candidates, c)
		}
	}
	added, err := w.untracked(ctx, gate.ChangeAdded)
	if err != nil {
		return nil, err
	}
	// A file that is deleted from the index and lies there untracked is there.
	if err := w.b.build(ctx, distinct(slices.Concat(added, candidates))); err != nil {
		return nil, err
	}
	return w.b.change, nil
}

// now is the candidate of a tracked file, given how the index differs from the
// commit that is compared with. ok is false where nothing differs.
func (w *worktree) now(e git.IndexEntry, d git.Difference, differs bool) (c candidate, ok bool) {
	if !differs { // the index has what the commit has
		d = git.Difference{Status: git.Modified, Old: e.Entry, New: e.Entry}
	}
	if e.Mode == git.ModeSubmodule {
		return differing(d), differs
	}
	info, err := w.files.Lstat(e.Path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errLink):
		w.b.gap(e.Path, "%s", reason(err))
		return candidate{}, false
	case err != nil && e.Skipped && differs:
		w.b.gap(e.Path, "it changed, and the sparse checkout leaves it out; run `git sparse-checkout disable`")
		return candidate{}, false
	case err != nil && e.Skipped:
		return candidate{}, false
	case err != nil:
		gone := d.Old
		if d.Status == git.Added || d.Status == git.Copied {
			return candidate{}, false // added to the index and removed again
		}
		return candidate{target: gate.Target{Path: gone.Path, Mode: gone.Mode.FS(), Kind: gate.ChangeDeleted}}, true
	}
	if sandboxable(e.Path, info.Mode()) {
		w.b.change.Files = append(w.b.change.Files, e.Path)
	}
	same, err := w.sameContent(e.Entry, info)
	if err != nil {
		w.b.gap(e.Path, "%s", reason(err))
		return candidate{}, false
	}
	sameMode := !executableDiffers(e.Mode, info.Mode())
	if same && sameMode && !differs {
		return candidate{}, false
	}
	c = differing(d)
	c.target.Mode, c.target.Size = info.Mode(), info.Size()
	switch {
	case same && (sameMode || differs), c.target.Kind == gate.ChangeAdded:
	case same:
		c.target.Kind = gate.ChangeMode
	case d.Old.Mode.FS().Type() != info.Mode().Type():
		c.target.Kind = gate.ChangeType
	case c.target.Kind != gate.ChangeRenamed:
		c.target.Kind = gate.ChangeModified
	}
	return c, true
}

// sameContent reports whether a file of the work tree has the type and the
// content that a checkout of the index entry gives.
func (w *worktree) sameContent(e git.Entry, info fs.FileInfo) (bool, error) {
	mode := info.Mode()
	if mode&fs.ModeSymlink != 0 && e.Mode == git.ModeSymlink {
		target, err := w.files.ReadLink(e.Path)
		if err != nil {
			return false, err
		}
		oid, err := w.commits.git.Format().Blob(strings.NewReader(target), int64(len(target)))
		return oid == e.OID, err
	}
	if !mode.IsRegular() || !e.Mode.File() {
		return false, nil
	}
	f, err := w.files.Open(e.Path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	oid, err := w.commits.git.Format().Blob(f, info.Size())
	if err != nil || oid == e.OID {
		return err == nil, err
	}
	return w.sameWhenConverted(e)
}

// sameWhenConverted undoes the two conversions that checkouts commonly make, so
// that files which no one touched are not shown as changed: line ends
// (core.autocrlf) and Git LFS. Neither needs a filter to be run.
func (w *worktree) sameWhenConverted(e git.Entry) (bool, error) {
	old, err := w.commits.objects.Blob(e.OID)
	if err != nil {
		if errors.Is(err, git.ErrTooLarge) {
			err = nil
		}
		return false, err
	}
	f, err := w.files.Open(e.Path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if stub.Of(e.Path, old) == stub.LFS {
		h := sha256.New()
		if _, err := io.Copy(h, f); err != nil {
			return false, fmt.Errorf("read %s: %w", e.Path, err)
		}
		return bytes.Contains(old, []byte("\noid sha256:"+hex.EncodeToString(h.Sum(nil))+"\n")), nil
	}
	data, more, err := bounded.Head(f, 2*int64(len(old)))
	if err != nil {
		return false, fmt.Errorf("read %s: %w", e.Path, err)
	}
	return !more && bytes.Equal(versions.AsCheckedIn(gate.LanguageShell, data, old), old), nil
}
