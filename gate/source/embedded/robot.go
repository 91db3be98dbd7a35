package embedded

import (
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// robotCells is what cells of a line of Robot Framework are divided by.
var robotCells = regexp.MustCompile(`\t+|  +`)

// robotCommands are what a test suite for Robot Framework evaluates as Python and starts as programs:
// its User Guide, and the libraries BuiltIn, OperatingSystem and Process.
func robotCommands(content []byte) []Code {
	var python, shell builder
	var out []Code
	for i, line := range strings.Split(string(content), "\n") {
		cells := robotCells.Split(strings.TrimSpace(line), maxLiterals)
		if cells[0] == "" || cells[0][0] == '#' {
			continue
		}
		for at, cell := range cells {
			for _, m := range robotInline.FindAllStringSubmatch(cell, maxWords) {
				python.add(m[1], i+1, 0)
			}
			words := cells[at+1:]
			if len(words) == 0 {
				break
			}
			keyword := strings.NewReplacer(" ", "", "_", "").Replace(strings.ToLower(cell))
			switch keyword[strings.LastIndexByte(keyword, '.')+1:] {
			case "evaluate", "runkeywordif", "runkeywordunless", "if", "while", "elseif", "shouldbetrue", "skipif", "passexecutionif", "setvariableif":
				python.add(words[0], i+1, 0)
			case "run", "runandreturnrc", "runandreturnrcandoutput", "runprocess", "startprocess", "executecommand", "startcommand":
				if shell.add(strings.Join(words, " "), i+1, 0); len(words) > 2 && takesProgram(words[1]) {
					var b builder
					b.add(words[2], i+1, 0)
					out = append(out, b.region(interpreter(words[0]), "")...)
				}
			}
		}
	}
	out = append(out, python.region(gate.LanguagePython, "")...)
	return append(out, shell.region(gate.LanguageShell, "")...)
}

// robotInline matches an expression that a cell evaluates.
var robotInline = regexp.MustCompile(`\$\{\{(.*?)\}\}`)
