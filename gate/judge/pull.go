package judge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ollama/ollama/api"
)

const (
	// maxPull bounds the reports about one pull, in bytes: some 150 each, many a
	// second, for hours.
	maxPull = 256 << 20
	// pullIdle is how long a pull may say nothing. A server checks gigabytes of
	// what it has fetched in silence.
	pullIdle = 5 * time.Minute
)

// errPullIdle is the cause of a pull that is given up.
var errPullIdle = fmt.Errorf("it said nothing for %s", pullIdle)

// Pulling says how far a pull is. What is not known is 0.
type Pulling struct {
	Status      string // the server's words
	Done, Total int64  // bytes of the part that is being fetched
}

// Pull lets the first host that answers fetch the preferred model, and returns the
// host. It is the only thing in this package that changes a server, and nothing but a
// user's wish leads to it. report is called one at a time.
func (j *Judge) Pull(ctx context.Context, report func(Pulling)) (string, error) {
	var problems []error
	for i, inv := range j.inventories(ctx, j.hosts) {
		h := j.hosts[i]
		if inv.err != nil {
			problems = append(problems, errors.New(h.silent(inv.err)))
			continue
		}
		defer j.forget()
		if err := h.pull(ctx, j.models[0], report); err != nil {
			return h.name, fmt.Errorf("pull %s to %s: %w", j.models[0], h.name, err)
		}
		if _, ok := h.look(ctx).find(j.models[0]); !ok {
			return h.name, fmt.Errorf("pull %s to %s: the server says that it is done and does not have it", j.models[0], h.name)
		}
		return h.name, nil
	}
	return "", errors.Join(problems...)
}

// pull accepts an end only where the server calls it a success: the client takes a
// connection that breaks for one.
func (h *host) pull(ctx context.Context, model string, report func(Pulling)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(pullIdle, func() { cancel(errPullIdle) })
	defer watchdog.Stop()
	last := ""
	err := h.puller.Pull(ctx, &api.PullRequest{Model: model}, func(p api.ProgressResponse) error {
		watchdog.Reset(pullIdle)
		last = p.Status
		report(Pulling{Status: plain(p.Status), Done: max(p.Completed, 0), Total: max(p.Total, 0)})
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return errors.New(plain(err.Error()))
	case last != "success":
		return fmt.Errorf("it ended before its end, with %q", plain(last))
	}
	return nil
}
