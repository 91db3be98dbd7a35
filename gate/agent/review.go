package agent

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
)

// Trial is what became of one program.
type Trial struct {
	Result  gate.Result
	Files   []File    // that its run left to be handed out
	Refused []Refusal // what of them could not be taken out of the container
}

// Refusal is a file that was not handed out.
type Refusal struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// review is what a trial amounts to. Without problems and without a failure, the
// files of the program may be handed out.
type review struct {
	failure  string   // of gate, which another program would not fix
	problems []string // of the program
	printed  string   // by the program that failed
}

// reviewOf believes nothing that is not said: a layer, a file or a run that is not
// there is a failure.
func reviewOf(t Trial, p Program) review {
	var r review
	res := t.Result
	ran := map[gate.Layer]bool{}
	for _, l := range res.Layers {
		ran[l.Name] = l.Status.Completed() // what did not run is seen below
		if !ran[l.Name] && r.failure == "" {
			r.failure = fmt.Sprintf("the %s layer did not complete: %s", l.Name, l.Reason)
		}
	}
	for _, l := range gate.Layers() {
		if !ran[l] && r.failure == "" {
			r.failure = fmt.Sprintf("the %s layer did not run", l)
		}
	}
	if r.failure != "" {
		return r
	}
	for _, g := range res.Incomplete {
		r.problems = append(r.problems, fmt.Sprintf("not looked at completely (%s): %s", g.Layer, g.Reason))
	}
	var own *gate.FileResult
	for i, f := range res.Files {
		if f.Path == p.Path {
			own = &res.Files[i]
		}
		if res.Decision == gate.DecisionPass {
			continue
		}
		for _, x := range f.Findings {
			if x.Severity >= gate.SeveritySuspicious {
				r.problems = append(r.problems, fmt.Sprintf("%s: %s (%s)", at(f.Path, x.Line), x.Message, x.Rule))
			}
		}
	}
	if own == nil || own.Execution == nil {
		r.failure = "the layers say nothing about the program"
		return r
	}
	r.execution(own.Execution)
	switch {
	case len(r.problems) == 0 && (res.Decision != gate.DecisionPass || res.Override != nil):
		r.problems = append(r.problems, "it was not let pass")
	case len(r.problems) == 0:
		r.problems = Problems(t.Files, t.Refused)
		if len(r.problems) == 0 && len(t.Files) == 0 && !printedSomething(own.Execution) {
			r.problems = append(r.problems, "it wrote no file into ./"+OutFolder+" and printed nothing")
		}
	}
	return r
}

func at(path string, line int) string {
	if line < 1 {
		return path
	}
	return fmt.Sprintf("%s, line %d", path, line)
}

func (r *review) execution(e *gate.Execution) {
	switch {
	case e.Status != gate.ExecutionExited:
		r.problems = append(r.problems, fmt.Sprintf("its run ended as %s: %s", e.Status, e.Reason))
	case e.ExitCode != 0:
		r.problems = append(r.problems, cmp.Or(e.Reason, fmt.Sprintf("it ended with exit code %d", e.ExitCode)))
	case len(e.StandIns) > 0:
		r.problems = append(r.problems, "it needs modules that are not there: "+strings.Join(e.StandIns, ", "))
	default:
		return
	}
	if len(e.Units) > 0 {
		for _, s := range []struct{ name, text string }{{"standard output", e.Units[0].Stdout.Text}, {"standard error", e.Units[0].Stderr.Text}} {
			if text := lastOf(s.text, maxOutput); text != "" {
				r.printed += "Its " + s.name + " ended with:\n" + text + "\n"
			}
		}
	}
}

func printedSomething(e *gate.Execution) bool {
	return len(e.Units) > 0 && strings.TrimSpace(e.Units[0].Stdout.Text) != ""
}

// lastOf is the end of a text, from a whole line on where there is one.
func lastOf(text string, most int) string {
	text = strings.TrimSpace(text)
	if len(text) <= most {
		return text
	}
	text = text[len(text)-most:]
	if _, rest, ok := strings.Cut(text, "\n"); ok {
		return rest
	}
	return strings.ToValidUTF8(text, "")
}
