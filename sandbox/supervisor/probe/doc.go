// Package probe tries, from inside a sandbox container, what checkers of container
// escapes look for: capabilities, namespaces, mounts, sockets, kernel files,
// devices, metadata services and system calls by category. It is gate itself in a
// hidden mode, so that it runs in every image, and the tests' own attacker.
//
// What it promises: each probe is one attempt that is refused where containment
// holds, or, in the category "ordinary", one that has to work; none does harm where
// it succeeds. What a runtime does differently without a danger is named beside the
// probe, with the reason.
//
// What it does not do: judge. It says what the kernel told it.
package probe

import (
	"errors"
	"fmt"
	"strings"
)

// Mode is the argument that makes gate probe the container that it runs in.
const Mode = "__probe"

// Category says what a probe is about.
type Category string

// The categories, in the order in which they are tried. What is Ordinary has to
// work; everything else has to be refused.
const (
	Files      Category = "files"
	Devices    Category = "devices"
	Mounts     Category = "mounts"
	Kernel     Category = "kernel files"
	Network    Category = "network"
	Sockets    Category = "sockets"
	Identity   Category = "identity"
	Namespaces Category = "namespaces"
	Calls      Category = "kernel calls"
	Supervisor Category = "supervisor"
	Ordinary   Category = "ordinary"
)

// Probe is one attempt.
type Probe struct {
	Name     string
	Category Category
	// GVisor says why success means nothing where gVisor is the kernel, "" where it
	// would.
	GVisor string
	Try    func() error
}

// found is what a probe that succeeded came upon.
type found string

// Error makes it fit where refusals are returned.
func (f found) Error() string { return string(f) }

// Line is the outcome of a probe as one line of text.
func (p Probe) Line(err error) string {
	outcome := "ok"
	if f, ok := errors.AsType[found](err); ok {
		outcome = "ok: " + strings.Join(strings.Fields(string(f)), " ")
	} else if err != nil {
		outcome = strings.Join(strings.Fields(err.Error()), " ")
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s\n", p.Name, p.Category, p.GVisor, outcome)
}

// Outcome is a line of text as it came out of a container.
type Outcome struct {
	Name     string
	Category Category
	GVisor   string
	Told     string // "ok", with what was found behind a colon, or why not
}

// Parse reads a line.
func Parse(line string) (Outcome, error) {
	f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
	if len(f) != 4 || f[0] == "" || f[3] == "" {
		return Outcome{}, fmt.Errorf("%q is not the outcome of a probe", line)
	}
	return Outcome{f[0], Category(f[1]), f[2], f[3]}, nil
}

// Held reports whether containment held: what is ordinary works, and nothing else
// does, but for what means nothing on this kernel.
func (o Outcome) Held(gvisor bool) bool {
	worked := o.Told == "ok" || strings.HasPrefix(o.Told, "ok: ")
	if o.Category == Ordinary {
		return worked
	}
	return !worked || gvisor && o.GVisor != ""
}
