package plan

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// kernelArgv is what the kernel starts for a file with a first line "#!": the
// interpreter, all that follows as one argument, and the file. nil for a file without.
func kernelArgv(text, file string) []string {
	line, _, _ := strings.Cut(text, "\n")
	rest, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return nil
	}
	interpreter, argument, _ := strings.Cut(strings.Trim(rest, " \t\r"), " ")
	if interpreter == "" {
		return nil
	}
	argv := []string{interpreter}
	if argument = strings.Trim(argument, " \t"); argument != "" {
		argv = append(argv, argument)
	}
	return append(argv, "./"+file)
}

// carriesCode is a first line whose arguments are a program, or name one: what the file
// holds is then not what runs, or not all of it.
var carriesCode = regexp.MustCompile(`^#!.*\s(?:-[A-Za-z]*c|--?(?:eval|print|require|import|loader|command)\b|-[epr])(?:[\s='"]|$)`)

// plainFlags are those of shells that set an option and carry nothing.
var plainFlags = regexp.MustCompile(`^#!\s*(?:\S*/env\s+(?:-S\s*)?)?\S*\b(?:ba|da|k|z)?sh(?:\s+-[euxvfnlip]+(?:\s+pipefail)?)*\s*$`)

// asTheKernel adds a run of a file as the kernel starts it, where that is another program
// than its interpreter with the file.
func (p *planner) asTheKernel(file string) {
	text := p.tree.Text(file)
	line, _, _ := strings.Cut(text, "\n")
	if !carriesCode.MatchString(line) || plainFlags.MatchString(strings.TrimRight(line, "\r")) {
		return
	}
	p.add(Unit{Kind: Script, Targets: []string{file}, Job: commandJob(interpreterImage(text), kernelArgv(text, file))})
}

// interpreterImage is the language in whose image the interpreter of a first line is.
func interpreterImage(text string) gate.Language {
	switch name, _ := Shebang(text); name {
	case "python", "pypy":
		return gate.LanguagePython
	case "node", "nodejs":
		return gate.LanguageJavaScript
	}
	return gate.LanguageShell
}

func commandJob(image gate.Language, argv []string) job.Job {
	if image == gate.LanguageJavaScript {
		return job.Job{Image: image, Program: job.Node{Command: argv, Plain: true}}
	}
	return job.Job{Image: image, Program: job.Command{Argv: argv, OwnInterpreter: true}}
}

// inShell are the interpreters of the image with the shell that no language is for.
var inShell = []string{"awk", "mawk", "sed", "make", "env", "sh", "bash", "dash"}

// marked plans a file of no language that has a first line "#!".
func (p *planner) marked(t *gate.Target) bool {
	text := p.tree.Text(t.Path)
	name, ok := Shebang(text)
	argv := kernelArgv(text, t.Path)
	if !ok || argv == nil || t.Language != gate.LanguageUnknown && t.Language.GenericName() == "" && !p.tree.Executable(t.Path) {
		return false
	}
	if image := interpreterImage(text); image == gate.LanguageShell && !slices.Contains(inShell, path.Base(name)) {
		p.skip(t.Path, cannot("the image has no "+gate.Clip(name, 40)))
		return true
	}
	p.add(Unit{Kind: Script, Targets: []string{t.Path}, Job: commandJob(interpreterImage(text), argv)})
	return true
}
