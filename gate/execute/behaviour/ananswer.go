package behaviour

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/sandbox"
	"github.com/aigate/gate/sandbox/netsim"
)

var ruleAnswerRun = Rule{
	ID: "download-execute/observed-answer", Severity: gate.SeverityDangerous,
	Title:   "Answer of the network executed",
	Message: "ran what a server answered",
	Why:     "The answers of the simulated internet are marked, and the mark was in code that ran. The person who has the server decides what runs, at any moment, and no one can review it.",
	Instead: "Put the code into the project, or download a named version and check its sum before it runs.",
}

// answersRun are answers of the network that became code: in a command line of a shell, in what an
// interpreter was given, compiled or loaded.
func answersRun(s *trace) []hit {
	at := s.inRecipe(ruleAnswerRun.Severity)
	var out []hit
	for _, e := range s.of(sandbox.ActionExec) {
		given := slices.ContainsFunc(arguments(e), func(a string) bool { return strings.Contains(a, netsim.Answered) })
		if base := path.Base(e.Object); given && (shellNames.MatchString(base) || interpreter.MatchString(base)) || strings.HasPrefix(base, netsim.Answered) {
			out = append(out, hits(ruleAnswerRun, at, e)...)
		}
	}
	mark := []byte(netsim.Answered)
	for _, c := range s.Seen.Captures {
		if !bytes.Contains(c.Data, mark) || s.Literal(c.Data) {
			continue
		}
		if below(c.Path, CodeFolder) || !strings.HasPrefix(c.How, "written") || ranFile(s, c.Path) {
			out = append(out, hit{ruleAnswerRun, at, "ran " + path.Base(c.Path) + ": " + gate.Clip(string(c.Data), 100), sandbox.Event{}})
		}
	}
	return out
}

// ranFile reports whether a program or an interpreter was started with a file that was written.
func ranFile(s *trace, file string) bool {
	return slices.ContainsFunc(s.of(sandbox.ActionExec), func(e sandbox.Event) bool {
		return path.Clean(e.Object) == file || interpreter.MatchString(path.Base(e.Object)) && s.script(arguments(e)) == file
	})
}
