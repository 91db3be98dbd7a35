package active

import (
	"path"
	"strings"

	"github.com/aigate/gate/gate"
)

// Bounds of what is looked at.
const (
	maxText  = 4 << 20 // bytes; longer texts are generated
	maxNames = 2000    // hidden blocks, stages and switches of one text
	maxBlock = 5000    // lines of what one condition switches off
)

// Lines are the lines of one text that are switched off.
type Lines struct {
	off []bool
}

// Off reports whether a line, from 1 on, is switched off.
func (l Lines) Off(line int) bool {
	return line >= 1 && line <= len(l.off) && l.off[line-1]
}

// Read returns the lines of a text that are switched off.
func Read(language gate.Language, name string, text []byte) Lines {
	if len(text) > maxText {
		return Lines{}
	}
	lines := strings.Split(string(text), "\n")
	switch base := path.Base(name); {
	case language == gate.LanguageYAML || language == gate.LanguageWorkflow:
		return Lines{yamlOff(lines)}
	case language == gate.LanguageDockerfile || strings.HasPrefix(base, "Dockerfile") || strings.HasPrefix(base, "Containerfile"):
		return Lines{stagesOff(lines)}
	}
	return Lines{codeOff(language, lines)}
}

// indented is the number of blanks that a line begins with, -1 for an empty line.
func indented(line string) int {
	text := strings.TrimLeft(line, " \t")
	if strings.TrimSpace(text) == "" {
		return -1
	}
	return len(line) - len(text)
}

// blockEnd is the index behind the block that begins with a line: all that is indented
// deeper, and items of a list at its own depth where it is a key.
func blockEnd(lines []string, at, depth int, items bool) int {
	for i := at + 1; i < min(len(lines), at+maxBlock); i++ {
		switch in := indented(lines[i]); {
		case in < 0 || in > depth:
		case items && in == depth && strings.HasPrefix(strings.TrimLeft(lines[i], " \t"), "- "):
		default:
			return i
		}
	}
	return min(len(lines), at+maxBlock)
}
