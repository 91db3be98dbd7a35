package doctor

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/printable"
)

// Options say what is looked at, and what is done before.
type Options struct {
	Engine   engine.Options // what the command line says about a run
	Build    []string       // sandbox images to build or renew, of [Images]
	Outdated bool           // only list the sandbox images that are missing or not current, for scripts
	Sweep    bool           // remove what killed runs have left
	Pull     bool           // let the Ollama server fetch the model that judges
	Progress gate.Handler   // of the pull
}

// Run does what the options ask for, examines the machine and lists the diagnoses on w.
// The error has the exit code of an incomplete run where something is missing that the
// policy requires.
func Run(ctx context.Context, e *engine.Engine, o Options, w io.Writer) error {
	if err := build(ctx, e, o.Build); err != nil {
		return err
	}
	if o.Outdated {
		return outdated(ctx, e, w)
	}
	if o.Sweep {
		if err := sweep(ctx, e); err != nil {
			return err
		}
	}
	p, err := policyOf(ctx, e, o.Engine)
	if err != nil {
		return err
	}
	if o.Pull {
		if err := pull(ctx, e, p, o.Progress); err != nil {
			return err
		}
	}
	all := Examine(ctx, e, p)
	write(w, all)
	if slices.ContainsFunc(all, func(d Diagnosis) bool { return d.State == Missing }) {
		return &exit.Error{Code: exit.Incomplete}
	}
	return nil
}

// policyOf is the policy of a scan of the current folder.
func policyOf(ctx context.Context, e *engine.Engine, o engine.Options) (gate.Policy, error) {
	local, err := e.OpenLocal(ctx, engine.LocalOptions{Options: o})
	if err != nil {
		return gate.Policy{}, err
	}
	defer local.Close()
	set, err := local.Settings(ctx)
	return set.Policy, err
}

// State is the outcome of one check.
type State string

// The outcomes, from good to bad. What is optional can be absent, but not
// missing.
const (
	OK      State = "ok"
	Note    State = "note"
	Absent  State = "absent"  // optional, and not there
	Missing State = "MISSING" // required by the policy, and not there
)

// Diagnosis is one line of the doctor's answer.
type Diagnosis struct {
	What   string
	State  State
	Detail string
	Fix    string // the command, or the advice, that fixes it; may be empty
}

// Examine checks everything that the layers need under a policy. It changes nothing.
func Examine(ctx context.Context, e *engine.Engine, p gate.Policy) []Diagnosis {
	all := []Diagnosis{{What: "gate", State: OK, Detail: e.Tool().Version}, describePolicy(p), checkGit(ctx)}
	for _, own := range ownPlaces(e) {
		all = append(all, own.check(freeSpace))
	}
	return slices.Concat(all, checkRunner(e.Getenv), checkEngine(ctx, p), checkGraphics(ctx, os.DirFS("/"), nvidia), checkJudge(ctx, p))
}

// write lists the checks, and below each failed one the command that fixes it.
func write(w io.Writer, all []Diagnosis) {
	for _, d := range all {
		fmt.Fprintf(w, "%-8s %-18s %s\n", d.State, d.What, printable.ASCII(d.Detail))
		if d.Fix != "" {
			fmt.Fprintf(w, "%-8s %-18s -> %s\n", "", "", printable.ASCII(d.Fix))
		}
	}
}

// absence returns the state of something of a layer that is not there: bad where the
// policy requires the layer.
func absence(p gate.Policy, l gate.Layer) State {
	if slices.Contains(p.Require, l) {
		return Missing
	}
	return Absent
}

// describePolicy says which profile is on and what the policy makes of it.
func describePolicy(p gate.Policy) Diagnosis {
	required := make([]string, len(p.Require))
	for i, l := range p.Require {
		required[i] = string(l)
	}
	detail := fmt.Sprintf("profile %s; blocks what is %s or worse; must complete: %s", p.Profile, p.FailOn, strings.Join(required, ", "))
	if p.On.MustRun() {
		detail += "; what did not run is INCOMPLETE"
	}
	return Diagnosis{What: "policy", State: OK, Detail: detail}
}

func checkGit(ctx context.Context) Diagnosis {
	out, err := exec.CommandContext(ctx, "git", "--version").Output()
	if err != nil {
		return Diagnosis{What: "git", State: Absent, Detail: "not found: changes and staged content cannot be scanned", Fix: "install git 2.32 or newer"}
	}
	return Diagnosis{What: "git", State: OK, Detail: strings.TrimSpace(string(out))}
}
