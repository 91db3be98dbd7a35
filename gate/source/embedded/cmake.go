package embedded

import (
	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/build"
)

// cmakeCommands returns the commands of a CMake file, as it is written and as CMake runs them.
func cmakeCommands(content []byte) []Code {
	out := literals(gate.LanguageCMake, content)
	if !startsInCMake.Match(content) {
		return out
	}
	lines, bounds := build.ReadCMake(content)
	b := ofLines(lines)
	return append(append(out, b.region(gate.LanguageShell, gate.RoleInfra)...), unreadBuild(bounds)...)
}

// startsInCMake matches what a file that starts something has.
var startsInCMake = regexp.MustCompile(`COMMAND|(?i:exec_program|execute_process)|EVAL|CALL|CODE|LAUNCH|DOWNLOAD`)
