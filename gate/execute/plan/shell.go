package plan

import (
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
)

// shell plans one shell script.
func (p *planner) shell(file string) {
	text := p.tree.Text(file)
	if isBats(p.tree, file) {
		batsTest(p, file, file)
		return
	}
	name, marked := Shebang(text)
	if !marked {
		name = map[string]string{".sh": "bash", ".bash": "bash", ".dash": "dash", ".ash": "dash", ".command": "bash"}[path.Ext(file)]
		if ext := strings.TrimPrefix(path.Ext(file), "."); name == "" && shells[ext] {
			name = ext
		}
		if name == "" {
			name = "bash" // .bashrc, PKGBUILD, git hooks
		}
	}
	interpreter := map[string]string{"sh": "sh", "dash": "dash", "ash": "dash", "bash": "bash"}[name]
	if interpreter == "" {
		p.skip(file, cannot("the image has no "+gate.Clip(name, 40)))
		return
	}
	p.add(Unit{
		Kind: Script, Targets: []string{file}, Help: wantsArguments(text),
		Job: job.Job{Image: gate.LanguageShell, Program: job.Script{Interpreter: interpreter, File: Relative("", file)}},
	})
	p.asTheKernel(file)
	for _, test := range batsFor(p, file) {
		batsTest(p, test, file)
	}
}

// shells are those that a file's extension can name and no image has.
var shells = map[string]bool{"zsh": true, "ksh": true, "fish": true}

// makefile runs the default goal, and those that the change edits.
func (p *planner) makefile(file string) {
	base := strings.ToLower(path.Base(file))
	if base == "justfile" || base == ".justfile" {
		p.skip(file, cannot("the image has no just"))
		return
	}
	j := job.Job{Image: gate.LanguageShell, Program: job.Make{File: Relative("", path.Base(file))}}
	if goals := goals(p.tree.Text(file), p.targets[file].Lines); len(goals) > 0 {
		j = j.With("-k").With(goals...)
	}
	p.add(Unit{Kind: Hook, Targets: []string{file}, Dir: workspace.Parent(file), Recipe: true, Job: j})
}

// RunLines is what the RUN lines of a Dockerfile are called.
const RunLines = "RUN"

// dockerfile runs the RUN lines as shell.
func (p *planner) dockerfile(file string) {
	lines := runLines(p.tree.Text(file))
	if len(lines) == 0 {
		p.skip(file, nothing("it has no RUN line"))
		return
	}
	p.add(Unit{
		Kind: Hook, Targets: []string{file}, Dir: workspace.Parent(file), Recipe: true,
		Job: job.Job{Image: gate.LanguageShell, Program: job.Lines{Name: RunLines, Each: lines}},
	})
}
