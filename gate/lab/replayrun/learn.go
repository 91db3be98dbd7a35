package replayrun

import (
	"context"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/lab/replay"
)

// learn proposes safe usages from the dismissals of the last commit and of the history.
// What lies in the work tree and is not committed teaches nothing.
func learn(ctx context.Context, e *engine.Engine, o Options, rows []replay.Row) (*replay.Learned, error) {
	local, err := e.OpenLocal(ctx, engine.LocalOptions{Paths: o.paths(), Base: "HEAD", Options: o.Engine})
	if err != nil {
		return nil, err
	}
	defer local.Close()
	set, err := local.Settings(ctx)
	if err != nil {
		return nil, err
	}
	accepted, err := set.Baseline()
	if err != nil {
		return nil, err
	}
	found, unread := accepted.Dismissed(set.Tree, func(path string, text []byte) gate.Language {
		language, _ := change.Classify(path, 0o644, text[:min(len(text), change.HeadBytes)])
		return language
	})
	var head []replay.Usage
	for _, d := range found {
		u := replay.Usage{Rule: d.Rule, Path: d.Path, Language: d.Language, Severity: gate.SeveritySuspicious, Dismissed: true, Reason: d.Reason}
		if len(d.Text) <= replay.MaxUsageText {
			u.Text = d.Text
		}
		head = append(head, u)
	}
	learned := replay.Learn(rows, head, unread)
	return &learned, nil
}
