package change

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git"
)

// Compared returns the change from one tree to another, file by file: a file with another
// name is a deleted one and an added one.
func Compared(ctx context.Context, base, head fs.FS) (*gate.Change, error) {
	b := &builder{
		change: &gate.Change{Head: head, Base: base},
		pick:   selection{scope: scope{set: map[string]bool{".": true}}},
		before: func(id git.OID) ([]byte, error) { return fs.ReadFile(base, string(id)) },
	}
	var candidates []candidate
	list := func(tree fs.FS, each func(path string, info fs.FileInfo) error) error {
		return fs.WalkDir(tree, ".", func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			return each(path, info)
		})
	}
	err := list(head, func(path string, info fs.FileInfo) error {
		c := b.present(path, info, gate.ChangeAdded)
		older, err := fs.ReadFile(base, path)
		if err == nil {
			newer, err := fs.ReadFile(head, path)
			if err != nil || bytes.Equal(older, newer) {
				return err
			}
			c.target.Kind = gate.ChangeModified
			// Any name will do for the older text: here it is the path.
			c.before = git.Entry{Path: path, Mode: git.ModeFile, OID: git.OID(path)}
		}
		candidates = append(candidates, c)
		return nil
	})
	if err == nil {
		err = list(base, func(path string, info fs.FileInfo) error {
			if _, err := fs.Lstat(head, path); err != nil {
				candidates = append(candidates, candidate{target: gate.Target{Path: path, Mode: info.Mode(), Kind: gate.ChangeDeleted}})
			}
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("compare two trees: %w", err)
	}
	if err := b.build(ctx, distinct(candidates)); err != nil {
		return nil, err
	}
	return b.change, nil
}
