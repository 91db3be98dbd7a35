package behaviour

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

var (
	ruleTrace = Rule{
		ID: "process/observed-trace", Severity: gate.SeveritySuspicious,
		Title:   "Other process traced",
		Message: "reached into another process, or made itself unreadable for debuggers",
		Why:     "Reading the memory of others steals secrets, writing to it takes them over.",
		Instead: "There is no benign use in a code change.",
	}
	ruleSignal = Rule{
		ID: "process/observed-signal", Severity: gate.SeveritySuspicious,
		Title:   "Signal to another program",
		Message: "sent a signal to a process that is not its own",
		Why:     "Security tools, databases or the user's work are stopped.",
		Instead: "Stop only processes that the program itself started.",
	}
	ruleNamespace = Rule{
		ID: "container-escape/observed-namespace", Severity: gate.SeveritySuspicious,
		Title:   "Namespace created or joined",
		Message: "tried to create or join a namespace",
		Why:     "Namespaces give rights that the program does not have, and are how containers are left.",
		Instead: "Leave isolation to the system that runs the program.",
	}
	ruleMount = Rule{
		ID: "container-escape/observed-mount", Severity: gate.SeveritySuspicious,
		Title:   "Mounts changed",
		Message: "tried to change what is mounted",
		Why:     "Mounting the host's disk or the kernel's folders is the usual way out of a container.",
		Instead: "There is no benign use in a code change.",
	}
	ruleModule = Rule{
		ID: "privilege/observed-kernel-module", Severity: gate.SeverityDangerous,
		Title:   "Kernel module loaded",
		Message: "tried to load code into the kernel",
		Why:     "Code there may do everything and is seen by no one.",
		Instead: "There is no benign use in a code change.",
	}
	ruleRights = Rule{
		ID: "privilege/observed-rights", Severity: gate.SeveritySuspicious,
		Title:   "User change or more rights",
		Message: "tried to become another user or to gain rights",
		Why:     "With them it may do everything on the machine of the person who runs it.",
		Instead: "Let the system start it with the rights that it needs.",
	}
	ruleKernel = Rule{
		ID: "container-escape/observed-kernel-call", Severity: gate.SeveritySuspicious,
		Title:   "Unusual system call",
		Message: "made a system call that no ordinary program makes",
		Why:     "Rare calls are where the holes of kernels are found.",
		Instead: "There is no benign use in a code change.",
	}
	ruleHide = Rule{
		ID: "obfuscation/observed-hiding", Severity: gate.SeveritySuspicious,
		Title:   "Evasion of observation",
		Message: "tried to escape observation",
		Why:     "Anyone who has nothing to hide does not look for calls that recorders miss.",
		Instead: "There is no benign use in a code change.",
	}
	ruleDevice = Rule{
		ID: "container-escape/observed-device", Severity: gate.SeveritySuspicious,
		Title:   "Device created",
		Message: "tried to make a device",
		Why:     "A device node is the disk or the memory of the host.",
		Instead: "There is no benign use in a code change.",
	}
	ruleEngine = Rule{
		ID: "container-escape/observed-engine-socket", Severity: gate.SeveritySuspicious,
		Title:   "Container engine or system manager socket used",
		Message: "reached for the socket of a container engine or of the system's manager",
		Why:     "Anyone who may speak to it is the administrator of the machine.",
		Instead: "Let the build system talk to the engine.",
	}
	ruleFacts = Rule{
		ID: "reconnaissance/observed-commands", Severity: gate.SeveritySuspicious,
		Title:   "Reconnaissance",
		Message: "collected facts about users, rights or the network",
		Why:     "This is the first thing that an intruder wants to know.",
		Instead: "Ask for the one fact that is needed, with the language's own library.",
	}
	ruleLost = Rule{
		ID: "resource-exhaustion/observed-event-flood", Severity: gate.SeveritySuspicious,
		Title:   "Recording incomplete",
		Message: "did more than could be recorded",
		Why:     "Anyone who does a million things hides one. What was not kept was not seen.",
		Instead: "Do less in a start without arguments.",
	}
)

// callRules are rules about calls, by the action and the text of the call.
var callRules = []struct {
	rule    Rule
	action  sandbox.Action
	pattern *regexp.Regexp
	at      gate.Severity // 0 is the rule's
}{
	{ruleTrace, sandbox.ActionTrace, regexp.MustCompile(`(?i)attach|seize|poke|setregs|process_vm_writev|pidfd_getfd`), gate.SeverityDangerous},
	{ruleTrace, sandbox.ActionTrace, nil, 0},
	{ruleSignal, sandbox.ActionSignal, regexp.MustCompile(`\s0$`), gate.SeverityNote}, // asks whether it is there
	{ruleSignal, sandbox.ActionSignal, regexp.MustCompile(`^-1\b`), gate.SeverityDangerous},
	// Any other is a child of its own, as far as anybody can tell.
	{ruleSignal, sandbox.ActionSignal, regexp.MustCompile(`^1\b|supervisor|queueinfo`), 0},
	{ruleNamespace, sandbox.ActionNamespace, nil, 0},
	{ruleMount, sandbox.ActionMount, regexp.MustCompile(`(?i)/proc\b|/sys\b|/dev/|cgroup|pivot_root|open_tree|docker`), gate.SeverityDangerous},
	{ruleMount, sandbox.ActionMount, nil, 0},
	{ruleModule, sandbox.ActionModule, nil, 0},
	{ruleRights, sandbox.ActionPrivilege, nil, 0},
	{ruleKernel, sandbox.ActionKernel, regexp.MustCompile(`(?i)kexec|reboot|open_by_handle_at|iopl|ioperm|swapo|settimeofday|clock_settime`), gate.SeverityDangerous},
	{ruleKernel, sandbox.ActionKernel, nil, 0},
	{ruleHide, sandbox.ActionHide, nil, 0},
}

// calls are system calls that say something by themselves.
func calls(s *trace) []hit {
	var out []hit
	for _, e := range s.events {
		for _, r := range callRules {
			if r.action != e.Action || r.pattern != nil && !r.pattern.MatchString(strings.Join(append([]string{e.Object}, e.Args...), " ")) {
				continue
			}
			at := r.at
			if at == 0 {
				at = r.rule.Severity
			}
			if s.Language == gate.LanguageJavaScript && strings.Contains(e.Object, "io_uring") {
				at = gate.SeverityNote // Node asks at its start whether there is such a thing
			}
			out = append(out, hits(r.rule, at, e)...)
			break
		}
		switch {
		case e.Action == sandbox.ActionDevice:
			at := gate.SeverityNote // a pipe has the same call
			if e.Refused || slices.ContainsFunc(e.Args, device.MatchString) || below(path.Clean(e.Object), "/dev") {
				at = ruleDevice.Severity
			}
			out = append(out, hits(ruleDevice, at, e)...)
		case engineSocket.MatchString(strings.TrimPrefix(e.Object, "unix:")) && (e.Action == sandbox.ActionConnect || e.Action == sandbox.ActionRead || e.Action == sandbox.ActionWrite):
			out = append(out, hits(ruleEngine, ruleEngine.Severity, e)...)
		}
	}
	return out
}

var (
	device       = regexp.MustCompile(`(?i)block|char|^[bc]$`)
	engineSocket = regexp.MustCompile(`(?i)(?:^|/)(?:docker|containerd|crio|podman|cri-dockerd|dockershim)(?:/(?:podman|containerd|crio))?\.sock$|^/(?:var/)?run/(?:systemd/private|dbus/system_bus_socket|libvirt/.*)$`)
	factCommands = regexp.MustCompile(`^(?:whoami|id|groups|who|w|last|lastlog|users|uname|hostname|hostnamectl|ifconfig|ip|route|arp|netstat|ss|ps|lsof|lscpu|lspci|lsblk|dmidecode|df|mount|env|printenv|getent|sudo -l|crontab -l|systemd-detect-virt|nmap|ping|traceroute|dig|nslookup)(?:\s|$)`)
)

// manyFacts is how many different commands that ask about the machine are more
// than one needs.
const manyFacts = 5

// reconnaissance is looking around.
func reconnaissance(s *trace) []hit {
	asked := map[string]bool{}
	var names []string
	var first sandbox.Event
	for _, e := range s.of(sandbox.ActionExec) {
		for _, l := range lines(e) {
			name, _, _ := strings.Cut(l, " ")
			if !factCommands.MatchString(l) || asked[name] {
				continue
			}
			if len(names) == 0 {
				first = e
			}
			asked[name] = true
			names = append(names, name)
		}
	}
	if len(names) < manyFacts {
		return nil
	}
	return []hit{{ruleFacts, s.inRecipe(ruleFacts.Severity), "commands " + strings.Join(names, ", "), first}}
}

// lost are events that no one has seen.
func lost(s *trace) []hit {
	if s.Seen.Lost == 0 {
		return nil
	}
	return []hit{{ruleLost, ruleLost.Severity, plural(int(min(s.Seen.Lost, 1<<30)), "event was", "events were") + " not kept", sandbox.Event{}}}
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
