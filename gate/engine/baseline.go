package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/suppress"
)

// BaselineRequest says which findings are accepted, and why.
type BaselineRequest struct {
	Local    LocalOptions
	Selected []gate.Layer
	Accept   suppress.Accept
	// Update keeps the entries whose findings are still there; without it, a baseline
	// that exists is an error.
	Update  bool
	Handler gate.Handler
}

// BaselineOutcome is what happened to a baseline.
type BaselineOutcome struct {
	Next        suppress.Baseline
	Difference  suppress.Difference
	NotAccepted []string // findings that no entry can cover, with the reason
	Result      gate.Result
}

// Baseline looks at files and writes every finding to the baseline at the root of the
// tree. Comments count while it looks: what they suppress needs no entry.
func (e *Engine) Baseline(ctx context.Context, r BaselineRequest) (BaselineOutcome, error) {
	var out BaselineOutcome
	local, err := e.OpenLocal(ctx, r.Local)
	if err != nil {
		return out, err
	}
	defer local.Close()
	old, err := Settings{Tree: local.repo.WorkTree()}.Baseline()
	switch {
	case err != nil && r.Update:
		return out, err
	case err == nil && old != nil && !r.Update:
		return out, exit.Usagef("%s exists; --update keeps what it says about findings that are still there (or remove it first)", suppress.BaselineFile)
	case old == nil:
		old = &suppress.Baseline{}
	}
	looked, err := e.Run(ctx, Request{
		Origin: local, Selected: r.Selected, Suppress: Suppressions{NoBaseline: true},
		Handler: func(Prepared) (gate.Handler, error) { return r.Handler, nil },
	})
	if err != nil {
		return out, err
	}
	out.Result = looked.Result
	var now []suppress.Entry
	now, out.NotAccepted = suppress.Entries(looked.Change, looked.Result, r.Accept)
	out.Next, out.Difference = old.Update(now, suppress.On(time.Now()), lookedAt(looked.Change, looked.Result))
	if len(out.Difference.Added) > 0 && r.Accept.Reason == "" {
		return out, exit.Usagef("%d findings are new: --reason says why they are accepted (`gate scan` shows them)", len(out.Difference.Added))
	}
	data, err := out.Next.Bytes()
	if err != nil {
		return out, exit.Failed(err)
	}
	if len(data) > suppress.MaxBytes {
		return out, exit.Failed(fmt.Errorf("the baseline would have %d bytes, and at most %d are read; accept fewer findings (--severity, PATH)", len(data), suppress.MaxBytes))
	}
	if err := atomicfile.Write(filepath.Join(local.Root(), suppress.BaselineFile), data); err != nil {
		return out, exit.Failed(fmt.Errorf("write the baseline: %w", err))
	}
	return out, nil
}

// lookedAt says for which files and layers the findings of a result are all that
// there are. A file that exists and was no target was not looked at.
func lookedAt(c *gate.Change, res gate.Result) func(string, gate.Layer) bool {
	files := map[string]bool{}
	for _, f := range res.Files {
		files[f.Path] = true
	}
	ran := map[gate.Layer]bool{}
	for _, l := range res.Layers {
		ran[l.Name] = l.Status == gate.LayerRan
	}
	return func(path string, l gate.Layer) bool {
		for _, g := range res.Incomplete {
			if g.Layer == l && (g.Path == path || g.Path == "") {
				return false
			}
		}
		if !files[path] {
			_, err := fs.Stat(c.Head, path)
			return errors.Is(err, fs.ErrNotExist)
		}
		return ran[l]
	}
}
