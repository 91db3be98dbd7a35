package embedded

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/glob"
)

// InstructionNames are the base names, in lower case, of files whose prose coding agents obey.
func InstructionNames() []string {
	return []string{"agents.md", "claude.md", "claude.local.md", "gemini.md", "skill.md", "copilot-instructions.md", "llms.txt",
		".cursorrules", ".windsurfrules", ".clinerules", ".roorules", ".goosehints", ".aider.conf.md", "conventions.md"}
}

// InstructionGlobs are patterns of such names.
func InstructionGlobs() []string {
	return []string{"*.mdc", "*.instructions.md", "*.prompt.md", "*.chatmode.md"}
}

// IsInstructions reports whether coding agents take orders from a file of that name, such as
// AGENTS.md or CLAUDE.md, wherever it lies.
func IsInstructions(name string) bool {
	base := strings.ToLower(path.Base(name))
	return slices.Contains(InstructionNames(), base) ||
		slices.ContainsFunc(InstructionGlobs(), func(g string) bool { return glob.MatchName(g, base) })
}
