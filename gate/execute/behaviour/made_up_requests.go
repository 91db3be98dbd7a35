package behaviour

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/sandbox"
)

// Asked is in every value that a made-up request brings. Unlike other made-up values it is
// evidence: a program that runs it runs what strangers say.
const Asked = "gate-asked"

var ruleRequestRun = Rule{
	ID: "dynamic-code/observed-request", Severity: gate.SeverityDangerous,
	Title:   "Request executed",
	Message: "ran what a request said",
	Why:     "Anyone who can send a request to this program runs commands or code on its machine. This is what a web shell is.",
	Instead: "Let requests choose from a fixed list, and start programs with a list of arguments.",
}

// requestsRun are values of made-up requests that became a command or code. A command that only
// has such a value in it is suspicious: it was meant to be data.
func requestsRun(s *trace) []hit {
	if s.Kind != Exercise {
		return nil
	}
	var out []hit
	for _, e := range s.of(sandbox.ActionExec) {
		args := arguments(e)
		at := slices.IndexFunc(args, func(a string) bool { return strings.Contains(a, Asked) })
		switch base := path.Base(e.Object); {
		case base == Asked:
			out = append(out, hits(ruleRequestRun, ruleRequestRun.Severity, e)...)
		case at < 0 || !shellNames.MatchString(base) && !interpreter.MatchString(base) || at == 0 || !strings.HasPrefix(args[at-1], "-"):
		case strings.HasPrefix(strings.TrimSpace(args[at]), Asked):
			out = append(out, hits(ruleRequestRun, ruleRequestRun.Severity, e)...)
		default:
			out = append(out, hits(ruleRequestRun, gate.SeveritySuspicious, e)...)
		}
	}
	for _, c := range s.Seen.Captures {
		text := bytes.TrimSpace(c.Data)
		if bytes.HasPrefix(text, []byte(Asked)) && (below(c.Path, CodeFolder) || !strings.HasPrefix(c.How, "written")) {
			out = append(out, hit{ruleRequestRun, ruleRequestRun.Severity, "ran " + path.Base(c.Path) + ": " + gate.Clip(string(text), 100), sandbox.Event{}})
		}
	}
	return out
}
