package change

import (
	"context"
	"fmt"
	"io/fs"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

// Added returns a change that adds every file of a tree to an empty repository:
// what a pull request with just these files is.
func Added(ctx context.Context, tree fs.FS) (*gate.Change, error) {
	b := &builder{
		change: &gate.Change{Head: tree, Base: fstest.MapFS{}},
		pick:   selection{scope: scope{set: map[string]bool{".": true}}},
	}
	var candidates []candidate
	err := fs.WalkDir(tree, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		candidates = append(candidates, b.present(path, info, gate.ChangeAdded))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list the files of a tree: %w", err)
	}
	if err := b.build(ctx, distinct(candidates)); err != nil {
		return nil, err
	}
	return b.change, nil
}
