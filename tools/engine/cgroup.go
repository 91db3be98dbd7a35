package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
)

const cgroupRoot = "/sys/fs/cgroup"

// neededControllers are those without which a container does not start (devices,
// freezer, cpuset, cpuacct, blkio in version 1) or does not hold (memory, pids,
// cpu).
var neededControllers = []string{"memory", "pids", "cpu", "cpuacct", "cpuset", "devices", "freezer", "blkio"}

// mount is one mount(8) to do.
type mount struct{ kind, options, target string }

// cgroupMounts returns the mounts that are missing before Docker can start. It
// reads the texts of /proc/mounts, /proc/cgroups and /proc/filesystems.
func cgroupMounts(mounts, cgroups, filesystems string) ([]mount, error) {
	have, root := map[string]bool{}, false
	for line := range strings.Lines(mounts) {
		f := strings.Fields(line) // device, target, kind, options, …
		if len(f) < 4 {
			continue
		}
		options := strings.Split(f[3], ",")
		switch {
		case f[1] == cgroupRoot && slices.Contains(options, "ro"):
			return nil, fmt.Errorf("%s is mounted read-only, as in a container without privileges; "+
				"use an engine outside of it (DOCKER_HOST), or start this container with --privileged", cgroupRoot)
		case f[1] == cgroupRoot && f[2] == "cgroup2":
			return nil, nil // version 2: one mount has everything
		case f[1] == cgroupRoot:
			root = true
		case f[2] == "cgroup":
			for _, o := range options {
				have[o] = true
			}
		}
	}
	kernel := parseControllers(cgroups)
	inUse := slices.ContainsFunc(kernel, func(c controller) bool { return c.hierarchy != 0 })
	if !root && !inUse && strings.Contains(filesystems, "\tcgroup2\n") {
		return []mount{{"cgroup2", "", cgroupRoot}}, nil
	}

	var missing []mount
	if !root {
		missing = append(missing, mount{"tmpfs", "mode=755", cgroupRoot})
	}
	for _, need := range neededControllers {
		i := slices.IndexFunc(kernel, func(c controller) bool { return c.name == need && c.enabled })
		switch {
		case have[need]:
		case i < 0:
			return nil, fmt.Errorf("the kernel has no %s cgroup controller; boot with cgroup_enable=%s, or use another machine", need, need)
		default:
			// The kernel may hold several controllers in one hierarchy, from an
			// earlier mount; they can only be mounted together again.
			together := sharing(kernel, kernel[i])
			for _, name := range together {
				have[name] = true
			}
			missing = append(missing, mount{"cgroup", strings.Join(together, ","), path.Join(cgroupRoot, strings.Join(together, ","))})
		}
	}
	return missing, nil
}

// sharing returns the controllers in the hierarchy of c, c among them.
func sharing(kernel []controller, c controller) []string {
	if c.hierarchy == 0 {
		return []string{c.name}
	}
	var names []string
	for _, other := range kernel {
		if other.hierarchy == c.hierarchy {
			names = append(names, other.name)
		}
	}
	return names
}

// controller is one line of /proc/cgroups. Hierarchy 0 means that no one has
// mounted it as version 1.
type controller struct {
	name      string
	hierarchy int
	enabled   bool
}

func parseControllers(cgroups string) []controller {
	var all []controller
	for line := range strings.Lines(cgroups) {
		f := strings.Fields(line) // name, hierarchy, number of cgroups, enabled
		if len(f) != 4 || strings.HasPrefix(f[0], "#") {
			continue
		}
		hierarchy, err := strconv.Atoi(f[1])
		if err != nil {
			continue
		}
		all = append(all, controller{f[0], hierarchy, f[3] == "1"})
	}
	return all
}

// mountCgroups does what cgroupMounts returns for this machine.
func mountCgroups(ctx context.Context, say sayFunc, _ machine) error {
	var texts [3]string
	for i, name := range []string{"/proc/mounts", "/proc/cgroups", "/proc/filesystems"} {
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		texts[i] = string(b)
	}
	missing, err := cgroupMounts(texts[0], texts[1], texts[2])
	if err != nil {
		return err
	}
	for _, m := range missing {
		say("mounting %s %s at %s", m.kind, m.options, m.target)
		if err := os.MkdirAll(m.target, 0o755); err != nil {
			return err
		}
		args := []string{"-t", m.kind, m.kind, m.target}
		if m.options != "" {
			args = append([]string{"-o", m.options}, args...)
		}
		if out, err := exec.CommandContext(ctx, "mount", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("mount %s at %s: %w: %s", m.kind, m.target, err, strings.TrimSpace(string(out)))
		}
	}
	return nil
}
