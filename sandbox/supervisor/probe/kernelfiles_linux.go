package probe

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// kernelFileProbes write to files by which the kernel is told what to do, and read
// those by which it tells of other containers and of itself.
func kernelFileProbes() []Probe {
	var out []Probe
	for _, p := range []string{
		"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/ns_last_pid", "/proc/sys/kernel/panic",
		"/proc/sys/kernel/randomize_va_space", "/proc/sys/kernel/yama/ptrace_scope", "/proc/sys/vm/overcommit_memory", "/proc/sys/vm/panic_on_oom",
		"/proc/sys/fs/binfmt_misc/register", "/proc/sys/fs/suid_dumpable", "/proc/sys/net/ipv4/ip_forward", "/proc/sys/user/max_user_namespaces",
		"/proc/sysrq-trigger", "/proc/irq/default_smp_affinity", "/proc/self/uid_map", "/proc/self/setgroups", "/proc/self/timens_offsets",
		"/sys/kernel/uevent_helper", "/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/debug/x", "/sys/kernel/security/x", "/sys/power/state", "/sys/module/x",
		"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/pids.max", "/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/release_agent",
		"/sys/fs/cgroup/notify_on_release", "/sys/fs/cgroup/cgroup.subtree_control", "/sys/block/sda/queue/scheduler", "/sys/bus/pci/rescan",
	} {
		out = append(out, Probe{Name: "write " + p, Category: Kernel, Try: write(p)})
	}
	for _, p := range []string{
		"/proc/kcore", "/proc/kmsg", "/proc/keys", "/proc/key-users", "/proc/timer_list", "/proc/sched_debug", "/proc/latency_stats", "/proc/acpi/info", "/proc/scsi/scsi",
		"/sys/firmware/acpi/tables/DSDT", "/sys/firmware/dmi/tables/DMI", "/sys/kernel/vmcoreinfo",
		"/sys/kernel/debug/sched/debug", "/sys/kernel/tracing/trace", "/sys/kernel/security/lsm", "/sys/devices/virtual/powercap/intel-rapl/intel-rapl:0/energy_uj",
	} {
		out = append(out, Probe{Name: "read " + p, Category: Kernel, Try: read(p)})
	}
	for _, p := range []string{"/sys/firmware", "/sys/kernel/debug", "/sys/kernel/tracing", "/proc/acpi", "/proc/scsi"} {
		out = append(out, Probe{Name: "list " + p, Category: Kernel, Try: list(p)})
	}
	return append(out,
		Probe{Name: "make a control group", Category: Kernel, Try: func() error { return os.Mkdir("/sys/fs/cgroup/x", 0o755) }},
		Probe{Name: "addresses of the kernel", Category: Kernel, Try: kernelAddresses},
		Probe{Name: "any file of /proc/sys to write to", Category: Kernel, Try: func() error { return writable("/proc/sys") }},
		Probe{Name: "any file of /sys to write to", Category: Kernel, Try: func() error { return writable("/sys") }},
	)
}

// kernelAddresses reports whether the kernel says where its functions are.
func kernelAddresses() error {
	text, err := os.ReadFile("/proc/kallsyms")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		address, _, _ := strings.Cut(line, " ")
		if strings.Trim(address, "0") != "" {
			return nil
		}
	}
	return errors.New("all zero")
}

// errFound ends a walk.
var errFound = errors.New("found")

// writable looks for a file that can be opened for writing; nothing is written.
func writable(dir string) error {
	var which string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || e.Type() != 0 {
			return nil //nolint:nilerr // what cannot be listed cannot be written to either
		}
		// The engine covers some files with /dev/null, which everybody may write to.
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && open(path)() == nil {
			which = path
			return errFound
		}
		return nil
	})
	if err == nil {
		return errors.New("none")
	}
	if which != "" {
		return found(which)
	}
	return err
}
