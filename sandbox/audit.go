package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/docker/docker/api/types/container"
	"github.com/docker/docker/api/types/mount"
)

// Audit is what the engine says of the container of a run while it was there: not
// what was asked for, but what was made of it. Nothing in it comes from inside.
type Audit struct {
	Container string // id
	// Marks are what files and mounts of the container on the engine's machine are
	// recognised by: its id, and the paths that the engine keeps for it.
	Marks []string
	// Complete says that the engine described the container and how it had been
	// used. A container that ended by itself is described only.
	Complete bool

	Networks   []string // that it was attached to; "none" is left out
	Interfaces []string // whose traffic the engine counts
	Sent       int64    // packets, over all of them

	ReadOnlyRoot bool
	Changed      []string // paths of the root folder that differ from the image, at most maxChanged
	HostPaths    []string // folders of the host that are mounted
	Writable     []string // volumes that it can write to

	Privileged      bool
	Capabilities    []string // that are not dropped, or were added
	NoNewPrivileges bool
	Seccomp         bool // a profile is named that is not "unconfined"
	User            string
	Shared          []string // namespaces that it shares with the host or another container
	Devices         []string

	Memory int64 // bytes, 0 for no limit
	Swap   int64 // bytes beyond Memory, -1 for no limit
	Pids   int64 // 0 for no limit
	CPUs   float64
}

// maxChanged bounds the paths that are listed; one is too many already.
const maxChanged = 8

// describe asks the engine how it confines a container.
func (b *instance) describe(ctx context.Context) (*Audit, error) {
	c, err := b.engine.api.ContainerInspect(ctx, b.id)
	if err != nil {
		return nil, fmt.Errorf("ask the engine about container %.12s: %w", b.id, err)
	}
	if c.HostConfig == nil || c.Config == nil || c.NetworkSettings == nil {
		return nil, fmt.Errorf("ask the engine about container %.12s: it does not say how it is confined", b.id)
	}
	return auditOf(b.id, c), nil
}

// auditOf is pure.
func auditOf(id string, c container.InspectResponse) *Audit {
	h := c.HostConfig
	a := &Audit{
		Container: id, Marks: marksOf(id, c), ReadOnlyRoot: h.ReadonlyRootfs, Privileged: h.Privileged, User: c.Config.User,
		Memory: max(h.Memory, 0), CPUs: float64(h.NanoCPUs) / 1e9,
	}
	if h.CPUQuota > 0 && h.CPUPeriod > 0 && a.CPUs == 0 {
		a.CPUs = float64(h.CPUQuota) / float64(h.CPUPeriod)
	}
	switch {
	case h.MemorySwap < 0 || h.MemorySwap == 0 && h.Memory > 0:
		a.Swap = -1 // the engine's default is as much swap again, or more
	case h.Memory > 0:
		a.Swap = h.MemorySwap - h.Memory
	}
	if h.PidsLimit != nil {
		a.Pids = max(*h.PidsLimit, 0)
	}
	for name := range c.NetworkSettings.Networks {
		if name != "none" {
			a.Networks = append(a.Networks, name)
		}
	}
	if mode := string(h.NetworkMode); mode != "none" && !slices.Contains(a.Networks, mode) {
		a.Networks = append(a.Networks, mode)
	}
	slices.Sort(a.Networks)
	if !slices.ContainsFunc(h.CapDrop, func(c string) bool { return strings.EqualFold(c, "ALL") }) {
		a.Capabilities = append(a.Capabilities, "the engine's default ones")
	}
	a.Capabilities = append(a.Capabilities, h.CapAdd...)
	for _, o := range h.SecurityOpt {
		name, value, _ := strings.Cut(strings.Replace(o, ":", "=", 1), "=")
		switch name {
		case "no-new-privileges":
			a.NoNewPrivileges = value == "" || value == "true"
		case "seccomp":
			a.Seccomp = value != "" && value != "unconfined"
		}
	}
	for name, mode := range map[string]string{"pid": string(h.PidMode), "ipc": string(h.IpcMode), "uts": string(h.UTSMode), "user": string(h.UsernsMode), "cgroup": string(h.CgroupnsMode)} {
		if !slices.Contains([]string{"", "private", "none"}, mode) {
			a.Shared = append(a.Shared, name)
		}
	}
	slices.Sort(a.Shared)
	for _, d := range h.Devices {
		a.Devices = append(a.Devices, d.PathOnHost)
	}
	for _, d := range h.DeviceRequests {
		a.Devices = append(a.Devices, d.Driver)
	}
	for _, m := range c.Mounts {
		switch {
		case m.Type == mount.TypeBind:
			a.HostPaths = append(a.HostPaths, m.Source)
		case m.Type != mount.TypeTmpfs && m.RW:
			a.Writable = append(a.Writable, m.Destination)
		}
	}
	a.HostPaths = append(a.HostPaths, h.Binds...)
	return a
}

// marksOf returns the id and the paths of a container.
func marksOf(id string, c container.InspectResponse) []string {
	marks := []string{id}
	if c.NetworkSettings != nil && c.NetworkSettings.SandboxKey != "" {
		marks = append(marks, c.NetworkSettings.SandboxKey)
	}
	// Only storage drivers that mount have such a folder.
	if c.ContainerJSONBase != nil {
		if dir := c.GraphDriver.Data["MergedDir"]; dir != "" {
			marks = append(marks, path.Dir(dir))
		}
	}
	return marks
}

// used adds what the engine counted while the program ran. The container has to be
// there still.
func (b *instance) used(ctx context.Context, a *Audit) error {
	changes, err := b.engine.api.ContainerDiff(ctx, b.id)
	if err != nil {
		return fmt.Errorf("ask the engine what changed in container %.12s: %w", b.id, err)
	}
	for _, c := range changes {
		if len(a.Changed) < maxChanged && !mountPoint(c) {
			a.Changed = append(a.Changed, c.Path)
		}
	}
	stats, err := b.engine.api.ContainerStatsOneShot(ctx, b.id)
	if err != nil {
		return fmt.Errorf("ask the engine for the traffic of container %.12s: %w", b.id, err)
	}
	defer stats.Body.Close()
	var s container.StatsResponse
	if err := json.NewDecoder(stats.Body).Decode(&s); err != nil {
		return fmt.Errorf("read the traffic of container %.12s: %w", b.id, err)
	}
	for name, n := range s.Networks {
		a.Interfaces = append(a.Interfaces, name)
		a.Sent += int64(n.TxPackets)
	}
	slices.Sort(a.Interfaces)
	a.Complete = true
	return nil
}

// mountPoint reports whether a change is what the engine itself makes for the
// mounts of the profile, before anything runs.
func mountPoint(c container.FilesystemChange) bool {
	return slices.Contains(dataFolders(), c.Path) || slices.Contains([]string{
		"/var", defaultEntry, Workspace, InputFolder, OutputFolder, "/tmp", "/dev", "/dev/shm", "/dev/console", "/etc", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf", "/etc/mtab", "/proc", "/sys",
	}, c.Path)
}

// audit describes the container before its job, and after it as far as it is
// there.
type audit struct {
	facts *Audit
	err   error
}

func (b *instance) auditBefore(ctx context.Context, s Spec) audit {
	if !s.Audit {
		return audit{}
	}
	facts, err := b.describe(ctx)
	return audit{facts, err}
}

// after completes the audit; a container that ended with its program has no more
// to say.
func (a *audit) after(ctx context.Context, b *instance) {
	if a.facts != nil && a.err == nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditedIn)
		defer cancel()
		a.err = b.used(ctx, a.facts)
	}
}
