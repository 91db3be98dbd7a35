package embedded

import (
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// justfile returns what a justfile runs: the lines of its recipes, which begin with
// blanks, each recipe in the language of its first line or of "set shell", and
// what is in backticks, which runs as the file is read.
func justfile(content []byte) []Code {
	text := string(content)
	shell := gate.LanguageShell
	if m := justShell.FindStringSubmatch(text); m != nil {
		if l := interpreter(m[1]); l != gate.LanguageUnknown {
			shell = l
		}
	}
	var out []Code
	var b builder
	lang := shell
	done := func() {
		out = append(out, b.region(lang, gate.RoleInfra)...)
		b, lang = builder{}, shell
	}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		body := strings.TrimLeft(line, " \t")
		switch {
		case body == "":
		case body != line: // of a recipe
			if words, ok := strings.CutPrefix(body, "#!"); ok && len(b.lines) == 0 {
				lang = firstInterpreter(words, shell)
				continue
			}
			if lang == shell {
				body = strings.TrimLeft(body, "@-")
			} else {
				body = line // its indentation may mean something
			}
			b.add(body, i+1, 0)
		default:
			done()
		}
	}
	done()
	for j := range out {
		if out[j].Language == gate.LanguagePython {
			out[j].Text = dedent(out[j].Text)
		}
	}
	return append(out, justBackticks(content, shell)...)
}

var (
	justShell    = regexp.MustCompile(`(?m)^[ \t]*set[ \t]+(?:windows-)?shell[ \t]*:=[ \t]*\[[ \t]*["']([^"']+)["']`)
	justBacktick = regexp.MustCompile("(?s)```(.*?)```|`([^`]*)`|\\bshell\\(\\s*(?:\"((?:[^\"\\\\]|\\\\.)*)\"|'([^']*)')")
)

// justBackticks are the commands that run as the file is read.
func justBackticks(content []byte, shell gate.Language) []Code {
	var b builder
	lines := newLineIndex(content)
	for _, m := range justBacktick.FindAllSubmatchIndex(content, maxCommands) {
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				b.block(string(content[m[g]:m[g+1]]), lines.of(m[g]))
			}
		}
	}
	return b.region(shell, gate.RoleInfra)
}

// firstInterpreter is the language of the first word of a command that names an
// interpreter.
func firstInterpreter(command string, otherwise gate.Language) gate.Language {
	for word := range strings.FieldsSeq(command) {
		if l := interpreter(word); l != gate.LanguageUnknown {
			return l
		}
	}
	return otherwise
}

// dedent removes the blanks that the first line begins with from all lines.
func dedent(text []byte) []byte {
	body := strings.TrimLeft(string(text), " \t")
	indent := string(text)[:len(text)-len(body)]
	if indent == "" {
		return text
	}
	return []byte(strings.ReplaceAll("\n"+string(text), "\n"+indent, "\n")[1:])
}
