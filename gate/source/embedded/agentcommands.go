package embedded

import (
	"bytes"
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// agentCommand matches a command that a coding agent runs while it reads the text of a
// command or a skill, and puts the output in its place.
var agentCommand = regexp.MustCompile("(?:^|[\\s(:>*-])!`([^`\\n]+)`|!\\{([^}\\n]+)\\}")

// RunByAgent reports whether a text is a command, a skill or an agent of a coding agent.
func RunByAgent(name string) bool {
	if strings.EqualFold(path.Base(name), "SKILL.md") {
		return true
	}
	for dir := range strings.SplitSeq(strings.ToLower(path.Dir(name)), "/") {
		switch dir {
		case "commands", "skills", "agents", "prompts", "workflows":
			return strings.Contains("/"+strings.ToLower(name), "/.")
		}
	}
	return false
}

// agentCommands returns the commands in such a text, each with its line.
func agentCommands(name string, content []byte) []Code {
	if !RunByAgent(name) {
		return nil
	}
	var out []Code
	n := 0
	for line := range bytes.Lines(content) {
		n++
		for _, m := range agentCommand.FindAllSubmatch(line, -1) {
			var b builder
			b.flush(string(m[1])+string(m[2]), n, 0)
			out = append(out, b.region(gate.LanguageShell, executed)...)
		}
	}
	return out
}
