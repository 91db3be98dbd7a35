package hostwatch

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/aigate/gate/gate/lab/attack"
)

// Monitor implements [attack.HostMonitor] on this machine.
type Monitor struct {
	decoys string   // their folder
	paths  []string // of files whose state is watched
	before map[string]string

	listeners []io.Closer
	done      sync.WaitGroup
	mu        sync.Mutex
	reached   []string // what came to a listener

	addresses []string // of the listeners, as network and address
}

var _ attack.HostMonitor = (*Monitor)(nil)

// Start puts decoys into a folder, where they stay for the next time, and begins to
// listen. home is the user's home folder, "" for none. The caller closes the monitor.
func Start(ctx context.Context, decoys, home string) (*Monitor, error) {
	m := &Monitor{decoys: decoys}
	for _, p := range watchedFiles {
		if rest, ok := strings.CutPrefix(p, "~"); ok {
			if home == "" {
				continue
			}
			p = home + rest
		}
		m.paths = append(m.paths, p)
	}
	if err := m.plant(); err != nil {
		return nil, fmt.Errorf("plant decoys: %w", err)
	}
	if err := m.listen(ctx); err != nil {
		m.Close()
		return nil, fmt.Errorf("listen for what should not come: %w", err)
	}
	var err error
	if m.before, err = m.state(); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// Close ends the listeners.
func (m *Monitor) Close() {
	for _, l := range m.listeners {
		l.Close()
	}
	m.done.Wait()
}

// Addresses are those that nothing may reach, as pairs of network and address.
func (m *Monitor) Addresses() []string { return slices.Clone(m.addresses) }

// Look implements [attack.HostMonitor].
func (m *Monitor) Look() ([]attack.Breach, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []attack.Breach
	for _, what := range m.reached {
		out = append(out, attack.Breach{Concern: attack.Network, What: what})
	}
	m.reached = nil
	now, err := m.state()
	if err != nil {
		return out, err
	}
	for _, path := range slices.Concat(m.paths, watchedKernel, []string{m.decoys}) {
		if now[path] != m.before[path] {
			concern := attack.Files
			if slices.Contains(watchedKernel, path) {
				concern = attack.Kernel
			}
			out = append(out, attack.Breach{Concern: concern, What: path + " of this machine has changed"})
		}
	}
	m.before = now
	return out, nil
}
