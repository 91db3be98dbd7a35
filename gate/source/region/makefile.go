package region

import (
	"strings"

	"github.com/aigate/gate/gate"
)

// makefile returns the recipes, and the commands of $(shell …) and !=, which
// run as soon as the file is read.
func makefile(content []byte) []Region {
	var recipes, reads builder
	for i, line := range strings.Split(string(content), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if strings.HasPrefix(line, "\t") {
			recipes.add(unescape(strings.TrimLeft(line, "\t @+-")), i+1, 0)
			continue
		}
		if target, inline, ok := strings.Cut(line, ";"); ok && strings.Contains(target, ":") && !strings.HasPrefix(line, "#") {
			recipes.add(unescape(inline), i+1, 0)
		}
		if _, command, ok := strings.Cut(line, "!="); ok {
			reads.add(unescape(command), i+1, 0)
		}
		for rest := line; ; {
			_, after, ok := strings.Cut(rest, "(shell ")
			if !ok {
				break
			}
			command := balanced(after)
			reads.add(unescape(command), i+1, 0)
			rest = after[len(command):]
		}
	}
	return append(recipes.region(gate.LanguageShell, gate.RoleInfra), reads.region(gate.LanguageShell, gate.RoleInfra)...)
}

// unescape gives a recipe the dollars that the shell sees.
func unescape(s string) string { return strings.ReplaceAll(s, "$$", "$") }

// balanced cuts a text at the bracket that closes what was open before it.
func balanced(s string) string {
	depth := 1
	for i := range len(s) {
		switch s[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return s[:i]
			}
		}
	}
	return s
}
