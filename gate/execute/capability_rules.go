package execute

import (
	"github.com/aigate/gate/gate"
)

// capabilityRule is the rule about one capability, as capslock calls it.
type capabilityRule struct {
	Rule
	name string
	rare bool // few programs need it, so that it weighs in a new package, too
	// imports are packages that show, where the module's base imports one, that it
	// does this already. What also has harmless uses (syscall, unsafe) is not here.
	imports []string
	// shown are packages of the standard library whose names say that this is done.
	shown []string
}

const capabilityInstead = "Leave the package as it was, and put what needs more into one of its own, where it can be seen and replaced."

var capabilityRules = []capabilityRule{
	{name: "FILES", shown: []string{"os", "path/filepath", "io/ioutil"}, Rule: Rule{
		ID: "capability/added-files", Severity: gate.SeveritySuspicious, Title: "New capability: files",
		Message: "can open files, which it could not before",
		Why:     "A library that computes has no business with files. The calls that lead there may be of a dependency.", Instead: capabilityInstead,
	}},
	{name: "NETWORK", shown: []string{"net/http"}, Rule: Rule{
		ID: "capability/added-network", Severity: gate.SeveritySuspicious, Title: "New capability: network",
		Message: "can use the network, which it could not before",
		Why:     "This is how data leaves and orders come in. The calls that lead there may be of a dependency.", Instead: capabilityInstead,
	}},
	{name: "EXEC", rare: true, imports: []string{"os/exec"}, shown: []string{"os/exec"}, Rule: Rule{
		ID: "capability/added-exec", Severity: gate.SeveritySuspicious, Title: "New capability: programs",
		Message: "can start programs, which it could not before",
		Why:     "A program that is started has all rights of the one that starts it.", Instead: capabilityInstead,
	}},
	{name: "SYSTEM_CALLS", rare: true, imports: []string{"golang.org/x/sys/unix", "golang.org/x/sys/windows"}, Rule: Rule{
		ID: "capability/added-system-calls", Severity: gate.SeveritySuspicious, Title: "New capability: system calls",
		Message: "can make system calls directly, which it could not before",
		Why:     "They go around everything that the library's functions check and that readers look for.", Instead: "Use the functions of the standard library.",
	}},
	{name: "CGO", rare: true, imports: []string{"C"}, Rule: Rule{
		ID: "capability/added-cgo", Severity: gate.SeveritySuspicious, Title: "New capability: C code",
		Message: "runs C code, which it did not before",
		Why:     "C code is not bound by Go's safety, and this analysis does not look into it.", Instead: "Use a package that is written in Go.",
	}},
	{name: "ARBITRARY_EXECUTION", rare: true, imports: []string{"plugin"}, Rule: Rule{
		ID: "capability/added-arbitrary-execution", Severity: gate.SeveritySuspicious, Title: "New capability: arbitrary execution",
		Message: "can run what cannot be seen in it (assembly, linked names, plugins), which it could not before",
		Why:     "What such code does is not known from its source.", Instead: "Do it in plain Go.",
	}},
	{name: "MODIFY_SYSTEM_STATE", Rule: Rule{
		ID: "capability/added-modify-system-state", Severity: gate.SeveritySuspicious, Title: "New capability: system state",
		Message: "can change the environment or the folder of its process, which it could not before",
		Why:     "Other parts of the program and what it starts then behave differently.", Instead: "Hand values on as arguments.",
	}},
}

var ruleCapabilityUnknown = Rule{
	ID: "capability/unknown", Severity: gate.SeverityNote,
	Title:   "Capabilities not compared",
	Message: "was not compared with the base by what it can do",
	Why:     "The package, or one that it imports, does not build where it was looked at, or the image lacks the program that looks. Nothing is claimed about it.",
	Instead: "Make it build; where a module is missing, gate deps build; where the image is old, gate doctor --build go.",
}

// ofCapabilities are all rules about capabilities.
func ofCapabilities() []Rule {
	var out []Rule
	for _, r := range capabilityRules {
		out = append(out, r.Rule)
	}
	return append(out, ruleCapabilityUnknown)
}
