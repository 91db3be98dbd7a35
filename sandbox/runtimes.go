package sandbox

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Isolation is what is between a program and the kernel of the host.
type Isolation string

// The kinds of isolation. A runtime that no one here knows is none of them: it is
// taken for one with a kernel of its own until it was tried.
const (
	SharedKernel Isolation = "shared kernel"   // the programs are processes of the host
	UserKernel   Isolation = "gVisor"          // a kernel in user space
	MicroVM      Isolation = "virtual machine" // a kernel of its own on virtual hardware
	Unfamiliar   Isolation = "unfamiliar"
)

// runtimeFamilies are the names under which engines know runtimes: those that
// people give them in the engine's settings, and those of containerd's shims.
var runtimeFamilies = []struct {
	isolation Isolation
	name      *regexp.Regexp
	install   string
}{
	{SharedKernel, regexp.MustCompile(`^(?:runc|crun|youki|io\.containerd\.runc\.v[12]|io\.containerd\.runtime\.v1\.linux)$`), "install the package that has it"},
	{UserKernel, regexp.MustCompile(`^(?:runsc(?:-[a-z0-9]+)*|gvisor|io\.containerd\.runsc\.v1)$`), "install gVisor (https://gvisor.dev/docs/user_guide/install/)"},
	{MicroVM, regexp.MustCompile(`^(?:kata(?:-(?:runtime|containers|qemu|clh|fc|dragonball|stratovirt|remote)(?:-[a-z0-9]+)*)?|krun|crun-vm|io\.containerd\.kata(?:-[a-z0-9]+)*\.v2|aws\.firecracker)$`),
		"install Kata Containers (https://katacontainers.io) where the engine's machine has /dev/kvm"},
}

// shimName is the name of a containerd shim, which newer engines find by
// themselves.
var shimName = regexp.MustCompile(`^[a-z]+(?:\.[a-z0-9-]+)+\.v\d+$`)

// IsolationOf says what a runtime with that name is for.
func IsolationOf(name string) Isolation {
	for _, f := range runtimeFamilies {
		if f.name.MatchString(name) {
			return f.isolation
		}
	}
	return Unfamiliar
}

// howToGet is the next step for the person who wants a runtime that is not there.
func howToGet(name string, known []string) string {
	install := "install it"
	for _, f := range runtimeFamilies {
		if f.name.MatchString(name) {
			install = f.install
		}
	}
	entry := `"path": "/where/it/is"`
	if IsolationOf(name) == MicroVM {
		entry = `"runtimeType": "io.containerd.kata.v2"`
	}
	return fmt.Sprintf(`it has %s; %s and name it under "runtimes" in the engine's daemon.json as %q: {%s}`, strings.Join(known, ", "), install, name, entry)
}

// knows reports whether an engine can be asked for a runtime: it lists it, or it is
// an engine that finds containerd's shims by their name.
func (f facts) knows(name string) bool {
	if slices.Contains(f.runtimes, name) {
		return true
	}
	return shimName.MatchString(name) && f.findsShims()
}

// shimsSince is the first Docker that takes names of shims that its settings do not
// list.
const shimsSince = 23

func (f facts) findsShims() bool {
	version, ok := strings.CutPrefix(f.name, "docker ")
	if !ok {
		return false
	}
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	return err == nil && n >= shimsSince
}

// checkRuntime refuses a runtime that the engine does not know; the engine's own
// message does not say what to do.
func (e *engine) checkRuntime(name string) error {
	if e.facts.knows(name) {
		return nil
	}
	return &MissingError{What: "runtime", Name: name, Hint: howToGet(name, e.facts.runtimes)}
}
