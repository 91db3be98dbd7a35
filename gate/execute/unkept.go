package execute

import (
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/execute/job"
	"github.com/aigate/gate/gate/execute/plan"
	"github.com/aigate/gate/gate/execute/workspace"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/sandbox"
)

// What an interpreter compiles from text is kept by hooks inside of it. An interpreter that
// runs without them is named: what it compiled is not known.

var ruleUnkept = Rule{
	ID: "execution/unseen-code", Severity: gate.SeverityNote,
	Title:   "Interpreter started without code capture",
	Message: "started an interpreter without code capture",
	Why:     "Code that is put together while a program runs is looked at like code that is in a file. This interpreter runs without what keeps such code: only what it did is known.",
	Instead: "Start it as it is in the image, and put the code into files.",
}

// unkept says which interpreters of a unit ran without what keeps their code, and whether
// giving it to one of them failed.
type unkept struct {
	reasons []string
	failed  bool
}

// maxUnkept bounds how many are named.
const maxUnkept = 4

func (k unkept) String() string {
	if len(k.reasons) > maxUnkept {
		return strings.Join(k.reasons[:maxUnkept], "; ") + " and others"
	}
	return strings.Join(k.reasons, "; ")
}

// gap is the reason of a gap, "" where there is none: where the layer is required what could not
// be given to an interpreter is one, and where everything has to run any that did without.
func (k unkept) gap(on strictness) string {
	if len(k.reasons) == 0 || !on.MustRun() && !(k.failed && on.required) {
		return ""
	}
	return "what an interpreter compiled from text is not known: " + k.String()
}

func unkeptOf(tree *workspace.Tree, u plan.Unit, r result, policy gate.SandboxPolicy) unkept {
	var out unkept
	add := func(reason string) {
		if !slices.Contains(out.reasons, reason) {
			out.reasons = append(out.reasons, reason)
		}
	}
	for _, run := range r.runs {
		for _, x := range run.res.Behaviour.Unhooked {
			out.failed = out.failed || x.Failed
			add(x.Program + ": " + x.Why)
		}
	}
	for _, run := range r.runs {
		for _, reason := range evaluating(tree, u, run, memoryFor(policy, u.Job)) {
			add(reason)
		}
	}
	return out
}

// findings are those about it: one at most.
func (k unkept) findings() []gate.Finding {
	if len(k.reasons) == 0 {
		return nil
	}
	return []gate.Finding{{Rule: ruleUnkept.ID, Layer: gate.LayerSandbox, Severity: ruleUnkept.Severity, Message: "the program " + ruleUnkept.Message, Evidence: k.String()}}
}

// evaluated is a command of a shell that runs what it puts together.
var evaluated = regexp.MustCompile("(?m)^(?:[^#'\"\n]*[\\s;&|({`])?eval\\s[^#\n]*[$`]")

// evaluating names the shells of a run that run what they put together, where nothing tells
// what that was: a shell tells only as the program that is started, and where lines are counted.
func evaluating(tree *workspace.Tree, u plan.Unit, r run, memory int64) []string {
	traced := false
	if counted, err := u.Job.Counted(u.Targets, tree.Text(u.Targets[0])); err == nil {
		switch counted.Program.(type) {
		case job.Bats:
			return nil // every Bash below it tells
		case job.Script:
			traced = true
		}
	}
	var out []string
	for _, c := range r.res.Behaviour.Captures {
		if path.Ext(c.Path) == ".sh" && strings.HasPrefix(c.How, sandbox.PassedAsArgument) && evaluated.Match(c.Data) && !u.Job.Ours(strings.TrimSpace(string(c.Data)), memory) {
			out = append(out, "a shell runs what an argument puts together for eval")
		}
	}
	for _, e := range r.res.Behaviour.Events {
		if e.Action != sandbox.ActionExec || traced && slices.Equal(e.Args, r.shown) {
			continue
		}
		if script := scriptOf(tree, u, e); script != "" && evaluated.MatchString(tree.Text(script)) {
			out = append(out, "a shell runs what "+script+" puts together for eval")
		}
	}
	return out
}

// scriptOf is the file of the change that a command makes a shell run, "" for none.
func scriptOf(tree *workspace.Tree, u plan.Unit, e sandbox.Event) string {
	inTree := func(p string) string {
		own, ok := strings.CutPrefix(path.Clean(p), sandbox.Workspace+"/")
		switch {
		case ok && tree.Has(own):
			return own
		case !path.IsAbs(p) && tree.Has(path.Join(u.Dir, p)):
			return path.Join(u.Dir, p)
		}
		return ""
	}
	if !isShell(path.Base(e.Object)) {
		script := inTree(e.Object)
		if name, _ := plan.Shebang(tree.Text(script)); script == "" || !isShell(name) {
			return ""
		}
		return script
	}
	for i := 1; i < len(e.Args); i++ {
		switch a := e.Args[i]; {
		case a == "-o" || a == "-O" || a == "+o" || a == "+O":
			i++
		case !strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "+"):
			return inTree(a)
		case !strings.HasPrefix(a, "--") && strings.Contains(a, "c"):
			return ""
		}
	}
	return ""
}

func isShell(name string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "ash", "zsh", "ksh"}, name)
}
