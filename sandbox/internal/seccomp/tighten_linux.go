package seccomp

import (
	"slices"

	moby "github.com/moby/profiles/seccomp"
	"github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"
)

// Removed are calls that Moby allows and we do not, with the reason. Calls that
// need a capability are gone anyway: the container has none.
var Removed = []struct {
	Names []string
	Why   string
}{
	{[]string{"rt_sigqueueinfo", "rt_tgsigqueueinfo"}, "signals that claim another origin than they have"},
	{[]string{"io_setup", "io_submit", "io_cancel", "io_destroy", "io_getevents", "io_pgetevents", "io_pgetevents_time64"},
		"asynchronous I/O, which an observer of system calls does not see"},
	{[]string{"io_uring_setup", "io_uring_enter", "io_uring_register"}, "likewise; Moby's default allowed them until 2023"},
	{[]string{"memfd_secret"}, "memory that no one can inspect"},
	{[]string{"fanotify_mark", "name_to_handle_at", "listmount", "statmount"}, "look around outside the container's own view"},
	{[]string{"socketcall", "ipc"}, "hide their real call behind a number; only 32-bit programs need them"},
	{[]string{"modify_ldt", "remap_file_pages", "vmsplice", "swapcontext"}, "rarely used code of the kernel with a history of holes"},
	{[]string{"adjtimex", "clock_adjtime", "clock_adjtime64"}, "the clock of the host"},
	{[]string{"process_mrelease"}, "ends what other processes hold"},
	{[]string{"socket", "socketpair"}, "allowed for a list of families, below"},
}

// Recorded are calls that the filter of package supervisor refuses to every
// program and that this profile leaves to it: what the engine's profile refuses
// never reaches a recorder, and who tries one of these gives himself away. Nothing
// hangs on that filter alone. The first are harmless between processes of one user
// and allowed by Moby; the rest the kernel refuses to everybody without
// capabilities. So io_uring and user namespaces are not among them.
var Recorded = [][]string{
	{"ptrace", "process_vm_readv", "process_vm_writev"},
	{
		"setns", "mount", "umount2", "pivot_root", "chroot", "fsopen", "open_tree", "move_mount", "init_module", "finit_module",
		"delete_module", "kexec_load", "reboot", "swapon", "swapoff", "acct", "settimeofday", "clock_settime", "sethostname",
		"setdomainname", "open_by_handle_at",
	},
}

// Families are the address families of sockets that are left, instead of Moby's
// list of those that are not: no AF_VSOCK, AF_ALG, AF_PACKET, nor one of the
// many whose drivers the kernel would load on first use.
var Families = []uint64{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6}

// Profile returns the tightened profile.
func Profile() *moby.Seccomp {
	p := moby.DefaultProfile()
	// Without sub-architectures a 32-bit or x32 call ends the process.
	p.ArchMap = []moby.Architecture{{Arch: specs.ArchX86_64}, {Arch: specs.ArchAARCH64}}
	var kept []*moby.Syscall
	for _, s := range p.Syscalls {
		if withoutCapabilities(s) && oneOfOurs(s) {
			kept = append(kept, without(s, removed()))
		}
	}
	kept = slices.DeleteFunc(kept, func(s *moby.Syscall) bool { return len(s.Names) == 0 })
	p.Syscalls = append(kept, sockets()...)
	for _, names := range Recorded {
		p.Syscalls = append(p.Syscalls, &moby.Syscall{LinuxSyscall: specs.LinuxSyscall{Names: names, Action: specs.ActAllow}})
	}
	// Of unshare, what needs capabilities.
	p.Syscalls = append(p.Syscalls, &moby.Syscall{LinuxSyscall: specs.LinuxSyscall{
		Names: []string{"unshare"}, Action: specs.ActAllow,
		Args: []specs.LinuxSeccompArg{{Index: 0, Value: unix.CLONE_NEWUSER, ValueTwo: 0, Op: specs.OpMaskedEqual}},
	}})
	return p
}

func removed() []string {
	var names []string
	for _, r := range Removed {
		names = append(names, r.Names...)
	}
	return names
}

// withoutCapabilities drops the rules for containers that have some, and the
// conditions of those for containers that have none.
func withoutCapabilities(s *moby.Syscall) bool {
	if s.Includes != nil && len(s.Includes.Caps) > 0 {
		return false
	}
	if s.Excludes != nil {
		s.Excludes.Caps = nil
		if len(s.Excludes.Arches) == 0 && s.Excludes.MinKernel == nil {
			s.Excludes = nil
		}
	}
	return true
}

// oneOfOurs drops the rules for other architectures.
func oneOfOurs(s *moby.Syscall) bool {
	if s.Includes == nil || len(s.Includes.Arches) == 0 {
		return true
	}
	return slices.ContainsFunc(s.Includes.Arches, func(a string) bool { return a == "amd64" || a == "arm64" })
}

func without(s *moby.Syscall, names []string) *moby.Syscall {
	c := *s
	c.Names = slices.DeleteFunc(slices.Clone(s.Names), func(n string) bool { return slices.Contains(names, n) })
	return &c
}

// sockets allows the families, and of netlink the routing part, which runtimes
// ask for the network interfaces.
func sockets() []*moby.Syscall {
	allow := func(call string, args ...specs.LinuxSeccompArg) *moby.Syscall {
		return &moby.Syscall{LinuxSyscall: specs.LinuxSyscall{Names: []string{call}, Action: specs.ActAllow, Args: args}}
	}
	equal := func(index uint, value uint64) specs.LinuxSeccompArg {
		return specs.LinuxSeccompArg{Index: index, Value: value, Op: specs.OpEqualTo}
	}
	var out []*moby.Syscall
	for _, f := range Families {
		out = append(out, allow("socket", equal(0, f)))
	}
	return append(out,
		allow("socket", equal(0, unix.AF_NETLINK), equal(2, unix.NETLINK_ROUTE)),
		allow("socketpair", equal(0, unix.AF_UNIX)))
}
