package sandbox

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// More loops than there are processors: each has the processor for the better part of its
// limit, or has been let run for as long as any may.
func TestALimitOfTimeIsNotUsedUpInLineForAProcessor(t *testing.T) {
	const limit = 2 * time.Second
	d := openDocker(t)
	var all sync.WaitGroup
	for n := range min(3*runtime.NumCPU(), 12) {
		all.Go(func() {
			s := attack("runc", "loop")
			s.Limits.Timeout = limit
			r, err := d.Run(context.Background(), s)
			if err != nil {
				t.Error(err)
				return
			}
			text := fmt.Sprintf("loop %d: %s after %s, held for %s, %s of processor time", n, r.Status, r.Duration, r.Held, r.Resources.CPU)
			t.Log(text)
			if r.Status != Timeout || r.Duration < limit || r.Duration > (wire.Stretch+1)*limit {
				t.Error(text)
			}
			if r.Resources.CPU < limit/2 && r.Duration < wire.Stretch*limit {
				t.Error(text)
			}
		})
	}
	all.Wait()
}
