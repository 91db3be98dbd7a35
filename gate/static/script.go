package static

import (
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/embedded"
)

// asScript returns what is dangerous in a text of data once something runs it as a
// script. Anything can: a name says nothing about what a file is handed to, and the
// line that hands it over may be in another repository, or put the name together.
// What is only suspicious in a script means nothing in data.
func asScript(f *file, content []byte, firstLine int) []gate.Finding {
	var out []gate.Finding
	for _, r := range embedded.Scripts(f.view.Language, f.view.Role, f.view.Path, content) {
		t := text{
			language: r.Language, role: f.view.Role, path: f.view.Path, content: r.Text, lines: make([]int, len(r.Lines)),
			origin: "read as " + string(r.Language) + ", as which it could be run", depth: 1, guessed: r.Guessed, costs: f.costs, newHost: f.newHost, newPackage: f.newPackage, known: f.known,
		}
		for i, l := range r.Lines {
			t.lines[i] = firstLine + l - 1
		}
		out = append(out, f.scanner.texts.scan(t)...)
	}
	return slices.DeleteFunc(out, func(x gate.Finding) bool { return x.Severity < gate.SeverityDangerous })
}
