package embedded

import (
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var (
	// pythonPiece matches code in a template whose language is Python: lines behind a percent sign
	// (Mako, Bottle) or a number sign (Cheetah), blocks and expressions between marks (Mako,
	// Tornado, xacro), and attributes (TAL).
	pythonPiece = regexp.MustCompile(`(?m)^[ \t]*%[ \t]*([^%>\s{][^\n]*)$|<%[!=]?((?s:.*?))%>|\{%-?[ \t]*(?:raw\b|module\b|set\b)?((?s:.*?))-?%\}|\$\{([^}\n]*)\}|\{\{((?s:.*?))\}\}|^[ \t]*#(?:silent[ \t]+)?((?:import|from|for|if|while|end|shutil|os|subprocess)\b[^\n]*)$|"[ \t]*python:([^"]*)"`)
	// pythonCalls matches what code in Python calls and a template of another kind does not.
	pythonCalls  = regexp.MustCompile(`\b(?:os|shutil|subprocess|socket|builtins|pathlib|urllib\.request|requests)\.\w|\b__import__[ \t]*\(`)
	pythonOpens  = regexp.MustCompile(`^(?:for|while|if|with|try|def|class)\b`)
	pythonMiddle = regexp.MustCompile(`^(?:elif|else|except|finally)\b`)
	pythonEnds   = regexp.MustCompile(`^(?:end\w*|/)`)
)

// maxTemplateDepth bounds how deep the blocks of a template are in each other.
const maxTemplateDepth = 50

// pythonTemplate returns the code of a template in Python as one program.
func pythonTemplate(content []byte) []Code {
	if !pythonCalls.Match(content) {
		return nil
	}
	var b builder
	lines, depth := newLineIndex(content), 0
	found := pythonPiece.FindAllSubmatchIndex(content, maxCommands)
	for _, m := range found {
		for g := 2; g < len(m); g += 2 {
			if m[g] < 0 {
				continue
			}
			text := string(content[m[g]:m[g+1]])
			code := strings.TrimSpace(text)
			line := lines.of(m[g] + len(text) - len(strings.TrimLeft(text, " \t\r\n")))
			switch {
			case code == "":
				continue
			case pythonEnds.MatchString(code):
				depth = max(0, depth-1)
				continue
			case strings.Contains(code, "\n"):
				b.add(string(withoutIndent([]byte(strings.Trim(text, "\r\n")+"\n"))), lines.of(m[g]), 1)
				continue
			case pythonMiddle.MatchString(code):
				depth = max(0, depth-1)
			}
			opens := pythonOpens.MatchString(code) || pythonMiddle.MatchString(code)
			if opens && !strings.HasSuffix(code, ":") {
				code += ":"
			}
			b.add(strings.Repeat("    ", depth)+code, line, 0)
			if opens {
				depth = min(depth+1, maxTemplateDepth)
			}
		}
	}
	if !pythonCalls.Match(b.text) {
		return nil
	}
	return append(b.region(gate.LanguagePython, ""), atBound(len(found), maxCommands, "pieces of code of a template are")...)
}
