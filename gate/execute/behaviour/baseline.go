package behaviour

import (
	"net/netip"
	"path"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// Baseline is what the empty program of a language does, and every other one as
// well.
type Baseline map[key]bool

type key struct {
	action       sandbox.Action
	object, args string
}

func keyOf(e sandbox.Event) key { return key{e.Action, e.Object, strings.Join(e.Args, "\x00")} }

// NewBaseline makes a baseline of what was seen of an empty program.
func NewBaseline(seen sandbox.Behaviour) Baseline {
	b := Baseline{}
	for _, e := range seen.Events {
		if len(e.Canaries) == 0 {
			b[keyOf(e)] = true
		}
	}
	return b
}

// Without returns what remains of a behaviour without the baseline. What carries a
// canary always remains.
func (b Baseline) Without(seen sandbox.Behaviour) sandbox.Behaviour {
	var rest []sandbox.Event
	for _, e := range seen.Events {
		if len(e.Canaries) > 0 || !b[keyOf(e)] {
			rest = append(rest, e)
		}
	}
	seen.Events = rest
	return seen
}

// quiet are the folders and files whose reading means nothing: programs, libraries
// and facts about the machine that every runtime looks up.
var quiet = []string{
	"/usr", "/lib", "/lib64", "/bin", "/sbin", "/opt", "/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime", "/etc/timezone",
	"/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/hosts", "/etc/host.conf", "/etc/resolv.conf", "/etc/gai.conf",
	"/etc/services", "/etc/protocols", "/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/locale.alias", "/etc/default", "/etc/inputrc",
	"/etc/mime.types", "/etc/os-release", "/etc/debian_version", "/etc/lsb-release", "/etc/terminfo", "/etc/fonts", "/etc/python3",
	"/etc/bash.bashrc", "/etc/profile", "/etc/manpath.config", "/etc/alternatives", "/etc/gitconfig", "/etc/machine-id",
	"/sys/devices/system", "/sys/kernel/mm/transparent_hugepage", "/sys/fs/cgroup", "/proc/self", "/proc/thread-self", "/proc/cpuinfo",
	"/proc/meminfo", "/proc/stat", "/proc/loadavg", "/proc/uptime", "/proc/version", "/proc/filesystems", "/proc/mounts", "/proc/cgroups",
	"/proc/version_signature", "/proc/sys", "/proc/vmstat", "/proc/diskstats", "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
	"/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/shm", "/input",
	"/.gate", "/tmp/.ca-certificates.crt", // the authority of the simulated internet
}

// CoverageFolder is where interpreters say which lines ran, in the workspace and
// for some of them in /dev/shm before.
const CoverageFolder = ".gate-coverage"

// CodeFolder is where the bootstrap of an interpreter keeps code that was compiled
// from text.
const CodeFolder = "/tmp/.gate-code"

var codeFile = regexp.MustCompile(`^/tmp/\.gate-code(?:/\d+-\d+\.(?:py|js|sh))?$`)

// coverageFile is what we have interpreters write there. Any other file in the
// folder is the program's own, and so is a file of this name that is executed.
var coverageFile = regexp.MustCompile(`^(?:/workspace|/dev/shm)/\.gate-coverage(?:/(?:(?:python|stopped)-\d+\.json|types-\d+\.json|texts-\d+-\d+\.json|coverage-\d+-\d+-\d+\.json|shell-lines|bats-trace|tests-(?:begin|nearest|running-\d+)|flags\.mk|(?:tmp\.)?cov(?:meta|counters)\.[\w.]+))?$|^/dev/shm/\.gate-held$`)

// ignorable reports whether an event says nothing about anybody: reading what is
// quiet, writing to what is no file, calling oneself.
func ignorable(e sandbox.Event) bool {
	p := path.Clean(e.Object)
	// Netlink is how the C library asks for the machine's own addresses, and no
	// address ends a connection.
	if strings.HasSuffix(p, "address of family 16") || p == "none" {
		return true
	}
	switch e.Action {
	case sandbox.ActionRead, sandbox.ActionList, sandbox.ActionWrite, sandbox.ActionRename, sandbox.ActionMode:
		if coverageFile.MatchString(target(e)) && coverageFile.MatchString(p) || codeFile.MatchString(target(e)) && codeFile.MatchString(p) {
			return true
		}
	}
	switch e.Action {
	case sandbox.ActionRead, sandbox.ActionList:
		return p == "/" || below(p, quiet...) && !strings.HasSuffix(p, "/environ")
	case sandbox.ActionWrite:
		return below(p, "/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd") ||
			p == "/proc/self/oom_score_adj" || p == "/proc/self/comm" || p == "/proc/self/coredump_filter" ||
			strings.Contains(p, "/__pycache__/") || strings.HasPrefix(p, "/proc/self/task/") && strings.HasSuffix(p, "/comm")
	case sandbox.ActionConnect:
		return below(strings.TrimPrefix(p, "unix:"), "/var/run/nscd", "/run/nscd", "/dev/log", "/run/systemd/userdb", "/var/run/systemd/userdb", "/run/systemd/journal") ||
			local(e.Object)
	case sandbox.ActionSend, sandbox.ActionTraffic:
		return local(e.Object)
	case sandbox.ActionBind:
		ip, _, ok := address(e.Object)
		return ok && ip.IsLoopback() || strings.HasPrefix(p, "unix:") || strings.HasSuffix(p, ":0")
	}
	return false
}

// address splits "192.0.2.1:80", "[2001:db8::1]:80" or an address alone.
func address(object string) (ip netip.Addr, port int, ok bool) {
	for _, proto := range []string{"tcp:", "udp:", "tcp ", "udp "} {
		object = strings.TrimPrefix(object, proto)
	}
	if ap, err := netip.ParseAddrPort(object); err == nil {
		return ap.Addr().Unmap(), int(ap.Port()), true
	}
	ip, err := netip.ParseAddr(strings.Trim(object, "[]"))
	return ip.Unmap(), 0, err == nil
}

// local reports whether an address is the program's own machine.
func local(object string) bool {
	ip, _, ok := address(object)
	return ok && (ip.IsLoopback() || ip.IsUnspecified())
}
