package engine

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/suppress"
)

// BaselineOptions say which findings are accepted, and why.
type BaselineOptions struct {
	Local    LocalOptions // its layers are those whose findings are accepted: static, when none is named
	Reason   string
	Expires  string // last day on which new entries count, YYYY-MM-DD; "" is no end
	Severity string // the lowest that is accepted
	// Update keeps the entries whose findings are still there; without it, a baseline
	// that exists is an error.
	Update   bool
	Progress gate.Handler // nil drops every event
}

// accept checks what is accepted, and why.
func (o BaselineOptions) accept() (suppress.Accept, error) {
	a := suppress.Accept{Reason: o.Reason}
	if err := a.From.UnmarshalText([]byte(o.Severity)); err != nil || a.From == gate.SeverityUnknown {
		return a, exit.Usagef("--severity is note, suspicious or dangerous, not %q", o.Severity)
	}
	if o.Reason != "" || !o.Update {
		if err := suppress.CheckReason(o.Reason); err != nil {
			return a, exit.Usagef("--reason: %w", err)
		}
	}
	if o.Expires != "" {
		var err error
		if a.Expires, err = suppress.ParseDay(o.Expires); err != nil {
			return a, exit.Usagef("--expires: %w", err)
		}
		if a.Expires < suppress.On(time.Now()) {
			return a, exit.Usagef("--expires: %s is over", a.Expires)
		}
	}
	return a, nil
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
func (e *Engine) Baseline(ctx context.Context, o BaselineOptions) (BaselineOutcome, error) {
	var out BaselineOutcome
	accept, err := o.accept()
	if err != nil {
		return out, err
	}
	if len(o.Local.Options.Layers) == 0 {
		o.Local.Options.Layers = []string{string(gate.LayerStatic)}
	}
	local, err := e.OpenLocal(ctx, o.Local)
	if err != nil {
		return out, err
	}
	defer local.Close()
	old, err := Settings{Tree: local.repo.WorkTree()}.Baseline()
	switch {
	case err != nil && o.Update:
		return out, err
	case err == nil && old != nil && !o.Update:
		return out, exit.Usagef("%s exists; --update keeps what it says about findings that are still there (or remove it first)", suppress.BaselineFile)
	case old == nil:
		old = &suppress.Baseline{}
	}
	looked, err := e.Run(ctx, Request{
		Origin: local, Selected: o.Local.Options.Selected(), Suppress: Suppressions{On: true, NoBaseline: true},
		Handler: func(Prepared) (gate.Handler, error) { return o.Progress, nil },
	})
	if err != nil {
		return out, err
	}
	out.Result = looked.Result
	var now []suppress.Entry
	now, out.NotAccepted = suppress.Entries(looked.Change, looked.Result, accept)
	out.Next, out.Difference = old.Update(now, suppress.On(time.Now()), lookedAt(looked.Change, looked.Result))
	if len(out.Difference.Added) > 0 && accept.Reason == "" {
		return out, exit.Usagef("%d findings are new: --reason says why they are accepted (`gate scan` shows them)", len(out.Difference.Added))
	}
	return out, e.writeBaseline(local, out.Next)
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
		ran[l.Name] = l.Status.Completed()
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
