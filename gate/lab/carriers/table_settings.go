package main

import (
	"slices"
)

// settingOf is a file of a tool with a command where "@@" is.
type settingOf struct {
	name, path, runs string
	text             string
	xml              bool   // the command is written as XML needs it
	odd              string // why an honest file of this kind may be noticed
}

// settingCarriers are the settings, scripts and units of the tools that run what they say: one
// row for each way in which the manual of a tool has a command run.
func settingCarriers() []carrier {
	var out []carrier
	for _, s := range slices.Concat(desktopSettings(), serverSettings(), projectSettings()) {
		wrap := quoted(s.text)
		if s.xml {
			wrap = element(s.text)
		}
		out = append(out, carrier{
			name: "set-" + s.name, path: s.path, place: inFolder, family: command, syntax: noSyntax(), runs: s.runs, wrap: wrap, odd: s.odd,
		})
	}
	return out
}
