package plan

import (
	"encoding/json"
	"regexp"
	"strings"
)

var (
	runInstruction = regexp.MustCompile(`(?i)^\s*(?:ONBUILD\s+)?RUN\s+(.*)$`)
	runFlag        = regexp.MustCompile(`^--[a-z]+(=\S*)?\s+`)
	heredoc        = regexp.MustCompile(`<<-?\s*['"]?([A-Za-z_]\w*)['"]?`)
)

// runLines extracts what the RUN instructions of a Dockerfile execute.
func runLines(text string) []string {
	var out []string
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		m := runInstruction.FindStringSubmatch(lines[i])
		if m == nil {
			continue
		}
		var b strings.Builder
		rest, more := continued(m[1])
		b.WriteString(rest)
		for more && i+1 < len(lines) {
			i++
			if strings.HasPrefix(strings.TrimSpace(lines[i]), "#") {
				continue // a comment inside of an instruction
			}
			rest, more = continued(lines[i])
			b.WriteString(rest)
		}
		if end := heredoc.FindStringSubmatch(b.String()); end != nil {
			for i++; i < len(lines); i++ {
				b.WriteString("\n" + lines[i])
				if strings.TrimLeft(lines[i], "\t") == end[1] {
					break
				}
			}
		}
		command := b.String()
		for runFlag.MatchString(command) {
			command = runFlag.ReplaceAllString(command, "")
		}
		out = append(out, execForm(command))
	}
	return out
}

// continued returns a line without the backslash that joins it to the next one,
// and whether there is one.
func continued(line string) (string, bool) {
	return strings.CutSuffix(strings.TrimRight(line, " \t"), `\`)
}

// execForm turns ["a", "b"] into a shell line, and a heredoc without a command
// into its body.
func execForm(command string) string {
	var argv []string
	if json.Unmarshal([]byte(command), &argv) == nil && len(argv) > 0 {
		for i, a := range argv {
			argv[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		return strings.Join(argv, " ")
	}
	if strings.HasPrefix(command, "<<") {
		if first, body, ok := strings.Cut(command, "\n"); ok && heredoc.FindString(first) == strings.TrimSpace(first) {
			return "sh " + command[:len(first)] + "\n" + body
		}
	}
	return strings.TrimSpace(command)
}
