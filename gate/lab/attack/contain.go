package attack

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/engine"
)

// Breach is something that containment did not hold.
type Breach struct {
	Concern Concern `json:"concern"`
	What    string  `json:"what"`
}

// breachesOf compares a container with what has to hold for every one of them. It
// is pure: the whole expectation of the confinement, seen from outside, is here.
func breachesOf(c engine.Container) []Breach {
	if !c.Known {
		return []Breach{{Processes, "the engine did not say how its container was confined"}}
	}
	var out []Breach
	breach := func(is bool, concern Concern, format string, args ...any) {
		if is {
			out = append(out, Breach{concern, fmt.Sprintf(format, args...)})
		}
	}
	breach(len(c.Networks) > 0, Network, "its container was attached to a network (%s)", strings.Join(c.Networks, ", "))
	breach(len(c.Interfaces) > 0, Network, "its container had an interface beside its own loopback (%s), over which %d packets left", strings.Join(c.Interfaces, ", "), c.Sent)
	breach(!c.ReadOnlyRoot, Files, "the root folder of its container could be written to")
	breach(len(c.Changed) > 0, Files, "its container differs from its image (%s)", strings.Join(c.Changed, ", "))
	breach(len(c.HostPaths) > 0, Files, "folders of the host were in its container (%s)", strings.Join(c.HostPaths, ", "))
	breach(len(c.Writable) > 0, Files, "its container could write to %s", strings.Join(c.Writable, ", "))
	breach(c.Privileged, Kernel, "its container was privileged")
	breach(len(c.Capabilities) > 0, Kernel, "its container had capabilities (%s)", strings.Join(c.Capabilities, ", "))
	breach(!c.NoNewPrivileges, Kernel, "programs in its container could gain rights")
	breach(!c.Seccomp, Kernel, "no filter of system calls was in place")
	breach(slices.Contains([]string{"", "0", "root"}, userOf(c.User)), Kernel, "it ran as root (%q)", c.User)
	breach(len(c.Shared) > 0, Processes, "its container shared namespaces of the host (%s)", strings.Join(c.Shared, ", "))
	breach(len(c.Devices) > 0, Kernel, "devices of the host were in its container (%s)", strings.Join(c.Devices, ", "))
	breach(c.Memory <= 0, Resources, "its container had no limit of memory")
	breach(c.Memory > 0 && c.Swap != 0, Resources, "its container could swap")
	breach(c.Pids <= 0, Resources, "its container had no limit of processes")
	breach(c.CPUs <= 0, Resources, "its container had no limit of processor time")
	breach(!c.Watched, Processes, "no supervisor watched it")
	return out
}

func userOf(user string) string {
	u, _, _ := strings.Cut(user, ":")
	return u
}

// HostMonitor looks at this machine from outside of all containers: at decoys, at
// listeners that nothing may reach.
type HostMonitor interface {
	// Look returns what has changed since it was asked last. An error means that
	// it could not look.
	Look() ([]Breach, error)
}
