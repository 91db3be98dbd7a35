package change

import (
	"context"
	"io/fs"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git"
)

// Edited returns the change of one file in a tree of nothing else, from one text to
// another. before is nil for a file that is new.
func Edited(ctx context.Context, name string, mode fs.FileMode, before, after []byte) (*gate.Change, error) {
	head := fstest.MapFS{name: {Data: after, Mode: mode}}
	if before == nil {
		return Added(ctx, head)
	}
	b := &builder{
		change:     &gate.Change{Head: head, Base: fstest.MapFS{name: {Data: before, Mode: mode}}},
		pick:       selection{scope: scope{set: map[string]bool{".": true}}},
		before:     func(git.OID) ([]byte, error) { return before, nil },
		checkedOut: true,
	}
	old := git.ModeFile
	if mode&0o111 != 0 {
		old = git.ModeExecutable
	}
	c := candidate{
		target: gate.Target{Path: name, Mode: mode, Size: int64(len(after)), Kind: gate.ChangeModified},
		before: git.Entry{Path: name, Mode: old, OID: "before"}, // any name will do: there is one text to ask for
	}
	if sandboxable(name, mode) {
		b.change.Files = []string{name}
	}
	if err := b.build(ctx, []candidate{c}); err != nil {
		return nil, err
	}
	return b.change, nil
}
