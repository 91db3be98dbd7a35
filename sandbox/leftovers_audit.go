package sandbox

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/container"
)

// Leftover is something of a container that is there after its end.
type Leftover struct {
	Container string // id
	What      string // "the container itself", "process 4711", "a mount", "a file"
}

// of is [Docker.Remains].
func (l *leftovers) of(ctx context.Context, audits []*Audit) ([]Leftover, error) {
	var ids []string
	for _, a := range audits {
		ids = append(ids, a.Container)
	}
	list, err := l.engine.api.ContainerList(ctx, container.ListOptions{All: true})
	if err != nil {
		return nil, fmt.Errorf("list the containers: %w", err)
	}
	var out []Leftover
	for _, c := range list {
		if slices.Contains(ids, c.ID) {
			out = append(out, Leftover{c.ID, "the container itself (" + c.State + ")"})
		}
	}
	if !strings.HasPrefix(l.engine.api.DaemonHost(), "unix://") {
		return out, nil
	}
	processes, err := filepath.Glob("/proc/[0-9]*/cgroup")
	if err != nil {
		return out, err
	}
	for _, p := range processes {
		// A process that has ended meanwhile has no file.
		if text, err := os.ReadFile(p); err == nil {
			for _, id := range ids {
				if strings.Contains(string(text), id) {
					out = append(out, Leftover{id, "process " + filepath.Base(filepath.Dir(p))})
				}
			}
		}
	}
	mounts, err := os.Open("/proc/self/mountinfo")
	if os.IsNotExist(err) {
		return out, nil // another system, which runs no containers itself
	}
	if err != nil {
		return out, fmt.Errorf("list the mounts of this machine: %w", err)
	}
	defer mounts.Close()
	lines := bufio.NewScanner(mounts)
	for lines.Scan() {
		for _, a := range audits {
			if slices.ContainsFunc(a.Marks, func(m string) bool { return strings.Contains(lines.Text(), m) }) {
				out = append(out, Leftover{a.Container, "a mount"})
			}
		}
	}
	for _, a := range audits {
		for _, m := range a.Marks {
			if !filepath.IsAbs(m) {
				m = filepath.Join(l.engine.facts.root, "containers", m)
			}
			if _, err := os.Lstat(m); err == nil {
				out = append(out, Leftover{a.Container, "a file (" + m + ")"})
			}
		}
	}
	return out, lines.Err()
}
