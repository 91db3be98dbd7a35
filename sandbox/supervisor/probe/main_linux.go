package probe

import (
	"fmt"
	"io"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// mounted is where the sandbox has gate in its containers.
const mounted = "/.gate/gate"

// Main is the hidden mode: it tries all probes and writes a line about each.
// Arguments are further addresses to reach, as pairs of network and address. It
// returns the exit code.
func Main(args []string, stdout, stderr io.Writer) int {
	self, err := os.Executable()
	if err != nil || self != mounted || unix.Getuid() == 0 {
		fmt.Fprintln(stderr, "gate: this mode is for the containers of the sandbox")
		return 2
	}
	if len(args) == 1 && args[0] == "exit" {
		return 0
	}
	for _, p := range slices.Concat(All(Program{Path: mounted, Quit: []string{Mode, "exit"}}), Reach(args)) {
		fmt.Fprint(stdout, p.Line(p.Try()))
	}
	return 0
}

// Program is the one that the probes are part of.
type Program struct {
	Path string
	Quit []string // arguments with which it ends at once
}

// All returns all probes.
func All(self Program) []Probe {
	return slices.Concat(Confinement(self), supervisorProbes())
}

// Confinement returns the probes that are not about process 1.
func Confinement(self Program) []Probe {
	return slices.Concat(
		fileProbes(), deviceProbes(), mountProbes(), kernelFileProbes(), networkProbes(), socketProbes(),
		identityProbes(self), namespaceProbes(), callProbes(), machineProbes(), ordinary(self),
	)
}
