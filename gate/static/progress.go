package static

import (
	"sync"

	"github.com/aigate/gate/gate"
)

// progressEvery is how many files pass between two reports of progress.
const progressEvery = 32

// progress counts files that are done.
type progress struct {
	mu   sync.Mutex
	done int
}

func (p *progress) report(found *gate.Findings, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if p.done%progressEvery == 0 || p.done == total {
		found.Report(gate.Progress{Layer: gate.LayerStatic, Done: p.done, Total: total})
	}
}
