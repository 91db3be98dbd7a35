package embedded

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
)

// generatePrefix begins a comment that "go generate" runs as a command.
const generatePrefix = "//go:generate "

// generators returns the commands in comments of Go code that "go generate" runs.
// It starts a program, not a shell: quoted words are taken as a shell takes them,
// and a name that "-command" defines stands for its command.
func generators(content []byte) []Code {
	if !bytes.Contains(content, []byte(generatePrefix)) {
		return nil
	}
	var b builder
	names := map[string]string{}
	line := 0
	for text := range bytes.Lines(content) {
		line++
		command, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), generatePrefix)
		if !ok {
			continue
		}
		if rest, defines := strings.CutPrefix(command, "-command "); defines {
			name, command, _ := strings.Cut(strings.TrimSpace(rest), " ")
			names[name] = command
			continue
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(command), " ")
		if known, ok := names[word]; ok {
			command = known + " " + rest
		}
		b.add(command, line, 0)
	}
	return b.region(gate.LanguageShell, "")
}
