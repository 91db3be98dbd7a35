package agent

import (
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent/data"
)

// Where a program finds its data and leaves its files, below the folder that it is
// started in.
const (
	DataFolder = "data"
	OutFolder  = "out"
)

// system is what every question begins with.
func system(choice []language) string {
	var b strings.Builder
	b.WriteString(`You write one small program that does what a task says, and answer with one JSON object and nothing else:
"language" (`)
	for i, l := range choice {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s: %s", l.name, l.about)
	}
	b.WriteString(`), "file" (its name, such as report` + choice[0].extensions[0] + `), "code" (the whole program, no Markdown around it) and "notes" (a sentence or two for the person who asked).

The program runs once in a container, without network, without arguments, with empty standard input, and nothing can be installed. Data, where there is some, lies in ./data and can be read only. It writes its results as new files into the folder ./out, which is there: at most 64 files, 16 MiB together, names of letters, digits, dots, hyphens and underscores, no links, nothing executable. It leaves everything else alone: it reads no other files, no environment and no credentials, starts no other programs, runs no text as code, and ends with exit code 0 when it is done and with an error message and another one when it cannot be. It does its work at once when it is started.

A scanner and a reviewer read the program before it runs, and what it does is watched. What they object to, and errors, you are told: then answer with the whole program again, fixed.
`)
	return b.String()
}

// maxList bounds how many problems a model is told, and each of them.
const (
	maxList    = 12
	maxProblem = 300
	maxOutput  = 2 << 10 // of each stream of a program that failed
)

// firstQuestion is the task.
func firstQuestion(task string, given []data.Datum) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The task: %s\n", task)
	if len(given) == 0 {
		b.WriteString("There is no data.\n")
	}
	for _, d := range given {
		fmt.Fprintf(&b, "Data: ./%s/%s, %d bytes\n", DataFolder, d.Name, d.Bytes)
	}
	return b.String()
}

// nextQuestion says what became of the last answer. The task is said again: it may
// have been forgotten.
func nextQuestion(first string, problems []string, printed string) string {
	var b strings.Builder
	b.WriteString("That was not it:\n")
	for i, p := range problems {
		if i == maxList {
			fmt.Fprintf(&b, "- and %d more\n", len(problems)-maxList)
			break
		}
		fmt.Fprintf(&b, "- %s\n", gate.Clip(oneLine(p), maxProblem))
	}
	b.WriteString(printed)
	b.WriteString("Answer with the whole program again, fixed. ")
	b.WriteString(first)
	return b.String()
}

// oneLine is a text without line ends, as an item of a list.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
