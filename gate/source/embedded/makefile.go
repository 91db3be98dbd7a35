package embedded

import (
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/build"
)

// makefile returns the recipes, what a definition holds, and the commands of
// $(shell …) and !=, which run as soon as the file is read. Rules in which make puts
// something in the place of something else are there once more, as the shell gets them.
func makefile(content []byte) []Code {
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
	var shells []shellChoice
	for _, s := range m.Shells {
		shells = append(shells, shellChoice{strings.Fields(s.Text), s.At})
	}
	for _, lines := range [][]build.Line{m.Read, m.Expanded, shellsOf(shells)} {
		b := ofLines(lines)
		out = append(out, b.region(gate.LanguageShell, gate.RoleInfra)...)
	}
	return append(out, unreadBuild(m.Unread)...)
}

// unreadBuild notes the bounds that kept something from being worked out.
func unreadBuild(bounds []string) []Code {
	var out []Code
	for _, bound := range bounds {
		out = append(out, Code{unread: "what a build tool makes of it was not worked out to the end: at most " + bound})
	}
	return out
}

// ofLines are evaluated lines, each at the place of its text.
func ofLines(lines []build.Line) builder {
	var b builder
	for _, l := range lines {
		b.add(l.Text, l.At, 0)
	}
	return b
}
