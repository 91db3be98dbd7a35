package runners

import (
	"regexp"
	"strings"

	"github.com/aigate/gate/gate"
)

// variableMark begins the names of variables, as against those of functions.
const variableMark = "$"

var (
	// firstWord matches a variable that holds what a command begins with: RUN := sh -c.
	firstWord = regexp.MustCompile(`^\s*(?:export\s+|override\s+|readonly\s+|local\s+)*([A-Za-z_]\w*)\s*(?::{1,3}=|\?=|=)\s*["']?\s*(.*?)\s*["']?\s*(?:#.*)?$`)
	// running matches a value that has what follows it run, and printing one that has it printed or dropped.
	running  = regexp.MustCompile(`^@?(?:(?:exec|command|sudo|env|nohup|nice|time|builtin)(?:\s+-\w+)*\s+)*(?:eval|(?:/\S*/)?(?:ba|da|z|k|a)?sh(?:\s+-\w+)*\s+-\w*c|(?:/\S*/)?(?:python[\d.]*|perl|ruby|node)\s+-[ce])$`)
	printing = regexp.MustCompile(`^@?(?:echo|printf|:|true|false|\#|cat|logger|test|say|note)\b|^(?::|\#)`)
	// used matches such a variable where a command begins.
	used = regexp.MustCompile(`(?:^|[;&|({!]|\b(?:then|do|else|if|while|RUN))[ \t]*[@+-]*[ \t]*"?\$(?:\{(\w+)(?::?-[^}]*)?\}|\((\w+)\)|(\w+))"?[ \t]+`)
)

// hasVariables reports whether files of a language give variables that scripts and recipes begin commands with.
func hasVariables(l gate.Language) bool {
	switch l {
	case gate.LanguageShell, gate.LanguageMakefile, gate.LanguageINI, gate.LanguageUnknown:
		return true
	}
	return false
}

// words returns the variables of a text that have what follows them run. They hold a command that
// runs its arguments, or nothing; [Prints] tells whether the latter matters.
func words(text string) (out []Runner, full bool) {
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > maxLines || len(out) >= MaxInText {
			return out, true
		}
		if len(line) > maxLine || !strings.Contains(line, "=") {
			continue
		}
		if m := firstWord.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil && (m[2] == "" || running.MatchString(m[2])) {
			out = append(out, Runner{Name: variableMark + m[1], First: n, Last: n, At: n, Bare: m[2] == ""})
		}
	}
	return out, false
}

// Prints reports whether a text gives a variable a command that prints what follows it, or drops it.
func Prints(content []byte, variable string) bool {
	for line := range strings.Lines(string(content)) {
		if len(line) > maxLine || !strings.Contains(line, "=") {
			continue
		}
		if m := firstWord.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil && variableMark+m[1] == variable && printing.MatchString(m[2]) {
			return true
		}
	}
	return false
}

// followed returns what follows variables of some names at the beginning of commands.
func followed(text string, names map[string]bool) (out []Text, full bool) {
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > maxLines || len(out) >= MaxTexts {
			return out, true
		}
		if len(line) > maxLine || !strings.Contains(line, variableMark) {
			continue
		}
		for _, m := range used.FindAllStringSubmatchIndex(line, 20) {
			name := ""
			for g := 2; g < len(m); g += 2 {
				if m[g] >= 0 {
					name = variableMark + line[m[g]:m[g+1]]
				}
			}
			rest := strings.TrimSpace(line[m[1]:])
			if !names[name] || len(rest) < minText {
				continue
			}
			out = append(out, Text{Name: name, Line: n, Text: unquoted(rest)})
		}
	}
	return out, false
}

// unquoted is a command of one quoted argument without the quotes.
func unquoted(s string) string {
	m := shellArg.FindStringSubmatchIndex(s)
	if m == nil || m[0] != 0 || m[6] >= 0 {
		return s
	}
	rest := strings.TrimSpace(s[m[1]:])
	for g := 2; g <= 4; g += 2 {
		if m[g] >= 0 {
			return strings.TrimSpace(unescape.Replace(s[m[g]:m[g+1]]) + " " + rest)
		}
	}
	return s
}
