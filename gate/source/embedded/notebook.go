package embedded

import (
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// cell is one cell of a notebook.
type cell struct {
	kind  string
	parts []string
	lines []int
}

// notebook returns the code cells of a notebook, each in its language.
func notebook(content []byte) []Code {
	r := newJSONReader(content)
	var cells []cell
	lang := gate.LanguagePython
	name := func(text string, _ int) {
		if l := interpreter(text); l != gate.LanguageUnknown {
			lang = l
		} else if strings.EqualFold(text, "javascript") || strings.EqualFold(text, "typescript") {
			lang = gate.LanguageJavaScript
		}
	}
	oneCell := func() bool {
		var c cell
		ok := r.object(func(key string) bool {
			switch key {
			case "cell_type":
				return r.texts(func(text string, _ int) {
					if c.kind != "code" { // a cell that says it twice is read as what runs
						c.kind = text
					}
				})
			case "source", "input": // "input" in format 3
				return r.texts(func(text string, line int) {
					c.parts, c.lines = append(c.parts, text), append(c.lines, line)
				})
			}
			return r.skip()
		})
		cells = append(cells, c)
		return ok
	}
	kernel := func(key string) bool {
		if key == "name" || key == "language" {
			return r.texts(name)
		}
		return r.skip()
	}
	r.object(func(key string) bool {
		switch key {
		case "cells":
			return r.array(oneCell)
		case "worksheets": // format 3
			return r.array(func() bool {
				return r.object(func(key string) bool {
					if key == "cells" {
						return r.array(oneCell)
					}
					return r.skip()
				})
			})
		case "metadata":
			return r.object(func(key string) bool {
				if key == "kernelspec" || key == "language_info" {
					return r.object(kernel)
				}
				return r.skip()
			})
		}
		return r.skip()
	})
	var out []Code
	var all builder // one program: a cell uses what those before it define
	count := 0
	for _, c := range cells {
		if c.kind != "code" {
			continue
		}
		regions := c.regions(lang)
		out = append(out, regions...)
		if len(regions) > 0 && regions[0].Language == lang && len(all.text) <= maxCells {
			all.text, all.lines = append(all.text, regions[0].Text...), append(all.lines, regions[0].Lines...)
			count++
		}
	}
	if len(all.text) > maxCells {
		out = append(out, unreadOf(maxCells, "bytes of cells that use each other are")...)
	}
	if count > 1 {
		out = append(out, all.region(lang, "")...)
	}
	return out
}

// maxCells bounds the cells of a notebook that are read as one program.
const maxCells = 4 << 20 // bytes

// regions splits a cell into its code and the lines that go to a shell.
func (c cell) regions(lang gate.Language) []Code {
	var code, shell, packages builder
	first := true
	for i, part := range c.parts {
		for line := range strings.SplitSeq(strings.TrimSuffix(part, "\n"), "\n") {
			trimmed := strings.TrimSpace(line)
			switch {
			case first && strings.HasPrefix(trimmed, "%%"):
				lang = magic(trimmed[2:], lang)
				code.add("", c.lines[i], 0)
			case packagesOnly.MatchString(trimmed):
				packages.add(trimmed[1:], c.lines[i], 0)
				code.add("", c.lines[i], 0)
			case strings.HasPrefix(trimmed, "!"):
				shell.add(strings.TrimLeft(trimmed, "!"), c.lines[i], 0)
				code.add("", c.lines[i], 0)
			case strings.HasPrefix(trimmed, "%pip "), strings.HasPrefix(trimmed, "%conda "), strings.HasPrefix(trimmed, "%sx "), strings.HasPrefix(trimmed, "%system "):
				shell.add(strings.TrimPrefix(strings.TrimPrefix(trimmed[1:], "sx "), "system "), c.lines[i], 0)
				code.add("", c.lines[i], 0)
			default:
				code.add(line, c.lines[i], 0)
			}
			first = first && trimmed == ""
		}
	}
	out := append(code.region(lang, ""), shell.region(gate.LanguageShell, "")...)
	return append(out, packages.region(gate.LanguageShell, gate.RoleInfra)...)
}

// packagesOnly is a line that installs what a notebook needs and does nothing
// else: a notebook has no manifest.
var packagesOnly = regexp.MustCompile(`^[!%](?:pip3?|conda|mamba)\s+install\s[^;|&<>$\x60]*$`)

// magic is the language that a cell magic such as %%bash switches to.
func magic(words string, otherwise gate.Language) gate.Language {
	fields := strings.Fields(words)
	if len(fields) > 1 && fields[0] == "script" {
		fields = fields[1:]
	}
	if len(fields) > 1 && (fields[0] == "writefile" || fields[0] == "file") {
		return languageOfName(fields[len(fields)-1], otherwise)
	}
	if len(fields) == 0 {
		return otherwise
	}
	switch fields[0] {
	case "javascript", "js":
		return gate.LanguageJavaScript
	case "html":
		return gate.LanguageHTML
	case "system", "sx", "!":
		return gate.LanguageShell
	}
	if l := interpreter(fields[0]); l != gate.LanguageUnknown {
		return l
	}
	return otherwise
}
