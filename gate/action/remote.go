package action

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/suppress"
	"github.com/aigate/gate/report/github"
)

// remote is an [engine.Origin] whose files are read through GitHub's API: nothing of the
// pull request is checked out.
type remote struct {
	api        apiTree
	base, head string
	older      remoteTree // the base commit, since Settings
}

var _ engine.Origin = (*remote)(nil)

// Settings implements [engine.Origin]: the policy, and the rules and the baseline beside
// it, from the base commit. The other files of that commit are read when they are needed.
func (r *remote) Settings(ctx context.Context) (engine.Settings, error) {
	files, err := r.api.Tree(ctx, r.base)
	if err != nil {
		return engine.Settings{}, err
	}
	r.older = remoteTree{ids: map[string]string{}, open: func(id string) ([]byte, error) { return r.api.Blob(ctx, id, suppress.MaxFile) }}
	for _, f := range files {
		if f.Mode == 0o100644 || f.Mode == 0o100755 {
			r.older.ids[f.Path] = f.ID
		}
	}
	tree := fstest.MapFS{}
	for _, f := range files {
		limit := map[string]int64{engine.PolicyFile: policy.MaxBytes, suppress.BaselineFile: suppress.MaxBytes}[f.Path]
		if limit == 0 {
			continue
		}
		if err := r.fetch(ctx, tree, f.Path, limit); err != nil {
			return engine.Settings{}, err
		}
	}
	set, err := engine.SettingsOfCommit(tree)
	if err != nil {
		return engine.Settings{}, err
	}
	for _, f := range files {
		for _, dir := range set.Policy.Rules.Dirs {
			if strings.HasPrefix(f.Path, dir+"/") && f.Mode == 0o100644 {
				if err := r.fetch(ctx, tree, f.Path, policy.MaxBytes); err != nil {
					return engine.Settings{}, err
				}
			}
		}
	}
	return set, nil
}

// fetch reads a file of the base commit into a tree.
func (r *remote) fetch(ctx context.Context, tree fstest.MapFS, path string, limit int64) error {
	id, ok := r.older.ids[path]
	if !ok {
		return fmt.Errorf("%s of the base commit is not a regular file", path)
	}
	data, err := r.api.Blob(ctx, id, limit)
	if err != nil {
		return fmt.Errorf("read %s of the base commit: %w", path, err)
	}
	tree[path] = &fstest.MapFile{Data: data, Mode: 0o644}
	return nil
}

// Change implements [engine.Origin].
func (r *remote) Change(ctx context.Context, p gate.Policy) (*gate.Change, error) {
	c, err := change.Compare(ctx, r.api, r.base, r.head, change.Options{Paths: p.Paths, Targets: p.Limits.Files})
	if err != nil {
		return nil, err
	}
	c.Base = r.older
	return c, nil
}

// apiTree lets package change read through package github.
type apiTree struct{ client *github.Client }

func (t apiTree) Tree(ctx context.Context, commit string) ([]change.RemoteFile, error) {
	files, err := t.client.Tree(ctx, commit)
	out := make([]change.RemoteFile, len(files))
	for i, f := range files {
		out[i] = change.RemoteFile(f)
	}
	return out, err
}

func (t apiTree) Blob(ctx context.Context, id string, limit int64) ([]byte, error) {
	return t.client.Blob(ctx, id, limit)
}

// remoteTree is a commit of a repository that is not on this machine. Files are
// read one by one, when they are opened.
type remoteTree struct {
	open func(id string) ([]byte, error)
	ids  map[string]string // of regular files, by path
}

// Open implements [fs.FS].
func (t remoteTree) Open(name string) (fs.File, error) {
	id, ok := t.ids[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	data, err := t.open(id)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return fstest.MapFS{name: {Data: data, Mode: 0o644}}.Open(name)
}
