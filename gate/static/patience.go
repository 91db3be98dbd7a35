package static

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aigate/gate/gate"
)

// patience is how long readers are waited for.
type patience struct {
	file time.Duration // for one file
	stop time.Duration // for everything, once the context has ended
}

func newPatience(file, stop time.Duration) patience {
	return patience{cmp.Or(file, 5*time.Minute), cmp.Or(stop, 5*time.Second)}
}

// errLate says that a reader did not come to an end.
var errLate = errors.New("it did not come to an end")

func late(err error) bool { return errors.Is(err, errLate) }

// wait calls read and returns its error. It returns errLate where read takes longer than most,
// or does not end with ctx; most is 0 where only ctx ends it. Then read goes on, and nothing
// that it writes may be used.
func (p patience) wait(ctx context.Context, most time.Duration, read func() error) error {
	done := make(chan error, 1)
	go func() { done <- gate.Catch(read) }()
	var tooLong <-chan time.Time
	if most > 0 {
		timer := time.NewTimer(most)
		defer timer.Stop()
		tooLong = timer.C
	}
	select {
	case err := <-done:
		return err
	case <-tooLong:
		return errLate
	case <-ctx.Done():
	}
	timer := time.NewTimer(p.stop)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return errLate
	}
}

// reason says why a file was not read to its end.
func (p patience) reason(ctx context.Context) string {
	if ctx.Err() != nil {
		return notReached(context.Cause(ctx))
	}
	return fmt.Sprintf("reading it took longer than %s", p.file)
}

// nothingReached is the outcome of a run that was given up: what it found so far counts, and
// nothing else is known.
func nothingReached(c *gate.Change, cause error) gate.Outcome {
	var out gate.Outcome
	for _, t := range c.Targets {
		out.Incomplete = append(out.Incomplete, gate.Gap{Layer: gate.LayerStatic, Path: t.Path, Reason: notReached(cause)})
	}
	return out
}
