package plan

import (
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// generateLine is a command of go generate that the image of the shell has. Generators that are Go
// programs (stringer, go run) have to be built first.
var generateLine = regexp.MustCompile(`^//go:generate\s+((?:sh|bash|env|curl|wget|git|perl|make|openssl|nc|tar|cp|mv|rm|sed|awk|python3?|node|docker|ssh|scp)\b.*)$`)

// generators runs the edited lines of a Go file that go generate would run, in its folder.
func generators(p *planner, file, text string) {
	target := p.targets[file]
	if target == nil {
		return
	}
	var each []string
	for i, line := range strings.Split(text, "\n") {
		m := generateLine.FindStringSubmatch(strings.TrimRight(line, "\r"))
		if m != nil && target.Lines.Touches(i+1, i+1) && len(each) < maxEmbedded {
			each = append(each, m[1])
		}
	}
	if len(each) > 0 {
		p.add(Unit{
			Kind: Hook, Targets: []string{file}, Dir: workspace.Parent(file), Recipe: true,
			Job: job.Job{Image: gate.LanguageShell, Program: job.Lines{Name: "go generate", Each: each}},
		})
	}
}
