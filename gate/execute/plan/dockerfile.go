package plan

import (
	"strings"

	"github.com/aigate/gate/gate/source/embedded"
)

// runLines extracts what the RUN instructions of a Dockerfile execute.
func runLines(text string) []string {
	var out []string
	for _, in := range embedded.Instructions([]byte(text)) {
		if in.Name != "RUN" {
			continue
		}
		out = append(out, runLine(in))
	}
	return out
}

// runLine is an instruction as a shell line: quoted words, a here document behind its
// command, or one that is the command.
func runLine(in embedded.Instruction) string {
	if in.Words != nil {
		quoted := make([]string, len(in.Words))
		for i, word := range in.Words {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		return strings.Join(quoted, " ")
	}
	command := strings.TrimSpace(strings.Join(in.Lines, ""))
	if strings.HasPrefix(command, "<<") && len(in.Here) == 1 && !strings.ContainsAny(command, " \t") {
		command = "sh " + command
	}
	for _, doc := range in.Here {
		command += "\n" + strings.Join(append(doc.Lines, strings.Trim(doc.Tag, `"'`)), "\n")
	}
	return command
}
