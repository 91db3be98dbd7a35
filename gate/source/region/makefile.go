package region

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/build"
)

// makefile returns the recipes, what a definition holds, and the commands of
// $(shell …) and !=, which run as soon as the file is read. Rules in which make puts
// something in the place of something else are there once more, as the shell gets them.
func makefile(content []byte) []Region {
	m := build.ReadMakefile(content)
	lang := gate.LanguageShell
	for _, shell := range m.Shells {
		if l := firstInterpreter(shell.Text, lang); l != gate.LanguageShell {
			lang = l
		}
	}
	recipes := ofLines(m.Recipes)
	out := recipes.region(gate.LanguageShell, gate.RoleInfra)
	if lang != gate.LanguageShell {
		out = append(out, recipes.region(lang, gate.RoleInfra)...)
	}
	for _, lines := range [][]build.Line{m.Read, m.Expanded, shellsOf(m.Shells)} {
		b := ofLines(lines)
		out = append(out, b.region(gate.LanguageShell, gate.RoleInfra)...)
	}
	return out
}

// ofLines are lines that were worked out, each where its text stands.
func ofLines(lines []build.Line) builder {
	var b builder
	for _, l := range lines {
		b.add(l.Text, l.At, 0)
	}
	return b
}

// shellsOf are the programs that commands are given to instead of the usual shell, as
// command lines. One that is no interpreter makes other commands of them.
func shellsOf(shells []build.Line) []build.Line {
	var out []build.Line
	for _, s := range shells {
		switch words := strings.Fields(s.Text); {
		case !isShell(s.Text):
			out = append(out, build.Line{Text: build.Computed + "shell}} " + s.Text, At: s.At})
		case slices.ContainsFunc(words[1:], func(w string) bool { return !strings.HasPrefix(w, "-") }):
			out = append(out, s) // it may be a whole command
		}
	}
	return out
}

// isShell reports whether a command line begins with a program that runs the text it is given.
func isShell(command string) bool {
	words := strings.Fields(strings.ReplaceAll(command, `\`, "/"))
	for i, word := range words {
		base := strings.ToLower(strings.Trim(path.Base(word), `"'`))
		switch {
		case i > 0 && strings.HasPrefix(word, "-"):
			return false
		case interpreter(base) != gate.LanguageUnknown || base == "cmd" || base == "cmd.exe":
			return true
		case strings.HasPrefix(word, "$(") && !strings.HasPrefix(word, build.Computed):
			return true // from elsewhere
		}
	}
	return false
}
