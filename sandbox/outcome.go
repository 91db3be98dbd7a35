package sandbox

import (
	"fmt"
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// outcome classifies the end of a program. A program in which the
// kernel killed anything for want of memory ran out of memory, whatever its first
// process made of that.
func outcome(x wire.Exit) (Status, string, int) {
	code := x.Code
	if x.Signal > 0 {
		code = 128 + x.Signal
	}
	switch {
	case x.Cause == wire.CauseTimeout:
		reason := fmt.Sprintf("still running after %s", x.Duration.Round(time.Millisecond))
		if x.Held >= heldAtLeast {
			reason += fmt.Sprintf(", of which it waited %s for a processor that others had", x.Held.Round(time.Second))
		}
		if x.OOMKills > 0 {
			reason += fmt.Sprintf("; memory had run out, and the kernel ended %d of its processes", x.OOMKills)
		}
		if x.Idle && x.OOMKills == 0 {
			return waited(x), waitedReason(x), -1
		}
		return Timeout, reason, -1
	case x.Cause == wire.CauseMemory:
		return OOM, "memory ran out, as the supervisor measured it", -1
	case x.Cause == wire.CausePids:
		return Killed, "it started more processes than it may", -1
	case x.Cause != wire.CauseExit:
		return Failed, fmt.Sprintf("the supervisor reported an unknown end %q", x.Cause), -1
	case x.OOMKills > 0:
		return OOM, fmt.Sprintf("memory ran out, and the kernel ended %d of its processes", x.OOMKills), code
	case x.Signal == sigXCPU:
		return Killed, "it used more processor time than it may", code
	case x.Signal == sigXFSZ:
		return Killed, "it wrote a larger file than it may", code
	case x.Signal > 0:
		return Exited, "ended by " + signalName(x.Signal), code
	}
	return Exited, "", code
}

// heldAtLeast is for how long others kept a program from a processor when that is said.
const heldAtLeast = time.Second

// waited tells a program that waits for others to connect from one that waits for
// something else.
func waited(x wire.Exit) Status {
	if x.Listening {
		return Serving
	}
	return Waiting
}

func waitedReason(x wire.Exit) string {
	after := x.Duration.Round(time.Millisecond).String()
	if x.Listening {
		return "still waiting for others to connect after " + after
	}
	return "still waiting after " + after
}

// Signals of Linux, which is what runs in a container whatever gate runs on.
const (
	sigXCPU = 24
	sigXFSZ = 25
)

// signalNames are the signals that end programs, from signal(7).
var signalNames = map[int]string{
	1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
	9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM",
	sigXCPU: "SIGXCPU", sigXFSZ: "SIGXFSZ", 31: "SIGSYS",
}

func signalName(n int) string {
	if name, ok := signalNames[n]; ok {
		return name
	}
	return fmt.Sprintf("signal %d", n)
}
