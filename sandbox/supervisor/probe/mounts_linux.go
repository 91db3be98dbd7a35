package probe

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// mountProbes read what is mounted: a container of the sandbox has folders in
// memory, the kernel's own and its image, and nothing of the host.
func mountProbes() []Probe {
	is := func(name string, bad func(mountInfo) bool) Probe {
		return Probe{Name: name, Category: Mounts, Try: func() error {
			mounts, err := readMounts()
			if err != nil {
				return err
			}
			var out []string
			for _, m := range mounts {
				if bad(m) {
					out = append(out, m.kind+" at "+m.point+" ("+strings.Join(m.options, ",")+")")
				}
			}
			return some(out, nil)
		}}
	}
	setuid := is("a folder in memory that allows setuid programs", func(m mountInfo) bool {
		return slices.Contains([]string{"/workspace", "/input", "/output", "/tmp", "/dev/shm", "/srv", "/mnt", "/var/backups"}, m.point) && !m.has("nosuid")
	})
	setuid.GVisor = "gVisor does not list nosuid; no program can gain rights in the container, as other probes show"
	groups := is("control groups that are writable", func(m mountInfo) bool { return strings.HasPrefix(m.kind, "cgroup") && !m.has("ro") })
	groups.GVisor = "gVisor has control groups of its own, which count inside of its kernel and belong to root; writing them is refused, as the next probe shows"
	return []Probe{
		setuid,
		groups,
		is("control groups that this user may write", func(m mountInfo) bool { return strings.HasPrefix(m.kind, "cgroup") && mayWriteBelow(m.point) }),
		is("the root folder is writable", func(m mountInfo) bool { return m.point == "/" && !m.has("ro") }),
		is("the supervisor's folder is writable", func(m mountInfo) bool { return m.point == "/.gate" && !m.has("ro") }),
		is("a writable folder that is not in memory", func(m mountInfo) bool {
			// "dev" is gVisor's devtmpfs; control groups have probes of their own.
			return !m.has("ro") && !slices.Contains([]string{"tmpfs", "proc", "devpts", "devtmpfs", "dev", "mqueue"}, m.kind) && !strings.HasPrefix(m.kind, "cgroup") &&
				// In gVisor everything of the image comes through its own file server.
				!(m.kind == "9p" && strings.HasPrefix(m.point, "/etc/"))
		}),
		is("a device as a folder", func(m mountInfo) bool {
			return slices.Contains([]string{"ext4", "xfs", "btrfs", "zfs"}, m.kind) && !slices.Contains([]string{"/.gate", "/etc/hosts", "/etc/hostname", "/etc/resolv.conf"}, m.point)
		}),
		is("a file system of the kernel that is not asked for", func(m mountInfo) bool {
			return slices.Contains([]string{"debugfs", "tracefs", "securityfs", "configfs", "bpf", "fusectl", "binfmt_misc", "efivarfs", "pstore", "hugetlbfs", "nfs", "nfs4", "cifs", "fuse", "virtiofs"}, m.kind)
		}),
		is("the engine's folder", func(m mountInfo) bool {
			return strings.Contains(m.point, "/var/lib/docker") || strings.HasSuffix(m.point, ".sock")
		}),
		is("/proc/sys that is writable", func(m mountInfo) bool { return m.point == "/proc/sys" && !m.has("ro") }),
		is("/sys that is writable", func(m mountInfo) bool { return m.point == "/sys" && !m.has("ro") }),
	}
}

// mayWriteBelow reports whether access(2) lets this user write anything at or
// below a folder. What cannot be looked at counts as writable.
func mayWriteBelow(dir string) bool {
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrPermission):
			return nil // what may not even be read
		case err != nil:
			return err
		case unix.Access(path, unix.W_OK) == nil:
			return errors.New("writable")
		}
		return nil
	})
	return err != nil
}

// mountInfo is a line of proc(5)'s mountinfo.
type mountInfo struct {
	point   string
	kind    string
	options []string
}

func (m mountInfo) has(option string) bool { return slices.Contains(m.options, option) }

func readMounts() ([]mountInfo, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	var out []mountInfo
	for line := range strings.Lines(string(text)) {
		own, super, ok := strings.Cut(line, " - ")
		a, b := strings.Fields(own), strings.Fields(super)
		if !ok || len(a) < 6 || len(b) < 3 {
			return nil, errors.New("a line that is no mount")
		}
		out = append(out, mountInfo{point: a[4], kind: b[0], options: append(strings.Split(a[5], ","), strings.Split(b[2], ",")...)})
	}
	return out, nil
}
