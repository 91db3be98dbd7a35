package work

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
)

// SchemaVersion is the version of an [Outcome] and of a memory.
const SchemaVersion = 1

// Phases are where time went, in milliseconds.
type Phases struct {
	Generation int64 `json:"generation_ms"` // by the model that writes
	Static     int64 `json:"static_ms"`
	Judge      int64 `json:"judge_ms"`
	Start      int64 `json:"start_ms"` // of containers, and what it takes to get files in and out
	Run        int64 `json:"run_ms"`   // of programs
}

func (p *Phases) add(q Phases) {
	p.Generation += q.Generation
	p.Static += q.Static
	p.Judge += q.Judge
	p.Start += q.Start
	p.Run += q.Run
}

// String is what took time, in seconds.
func (p Phases) String() string {
	var parts []string
	for _, x := range []struct {
		name string
		ms   int64
	}{{"generation", p.Generation}, {"static", p.Static}, {"judge", p.Judge}, {"start", p.Start}, {"execution", p.Run}} {
		if x.ms > 0 {
			parts = append(parts, fmt.Sprintf("%s %.2f s", x.name, float64(x.ms)/1000))
		}
	}
	return strings.Join(parts, ", ")
}

// Step is one answer of the model that was not the last: a call with what came of it, or a
// Problem. Text is that of the tool, its beginning and its end.
type Step struct {
	Number    int             `json:"number"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // of the call, as the model gave them; hostile
	Tool      string          `json:"tool,omitempty"`
	About     string          `json:"about,omitempty"`
	Error     bool            `json:"error"`
	Refused   bool            `json:"refused"`
	Did       *Did            `json:"did,omitempty"` // of a program that has run
	Problem   string          `json:"problem,omitempty"`
	Text      string          `json:"text,omitempty"`
	Spent     Phases          `json:"spent"`
}

// Did is what a program did in its container, by the rules about behaviour. Nothing is kept of
// a run whose decision is no pass.
type Did struct {
	Verdict   string           `json:"verdict"`
	Decision  gate.Decision    `json:"decision"`
	Findings  []Finding        `json:"findings"`
	Unknown   []string         `json:"unknown,omitempty"` // of what it did; hostile, as the rest
	Behaviour []gate.Behaviour `json:"behaviour"`
}

// Finding is one thing that the layers say of a run.
type Finding struct {
	Severity string `json:"severity"`
	Rule     string `json:"rule"`
	Message  string `json:"message"`
	Evidence string `json:"evidence"`
}

// Failed reports whether a program has run and what it did is no pass.
func (s Step) Failed() bool { return s.Did != nil && s.Did.Decision != gate.DecisionPass }

// Line is a step in a few words.
func (s Step) Line() string {
	line := strings.TrimSpace(s.Tool + " " + s.About)
	switch {
	case s.Tool == "":
		return "no call: " + gate.Clip(oneLine(s.Problem), 200)
	case s.Refused:
		return line + " (refused)"
	case s.Error:
		return line + " (error)"
	case s.Failed():
		return line + " (ran: " + s.Did.Verdict + ", nothing kept)"
	case s.Did != nil:
		return line + " (ran: " + s.Did.Verdict + ")"
	}
	return line
}

// Outcome is what became of a task.
type Outcome struct {
	Task     string        `json:"task"`
	Decision gate.Decision `json:"decision"`
	Reason   string        `json:"reason"` // why it is not a pass
	Answer   string        `json:"answer"` // of the model, for the user; hostile
	Steps    []Step        `json:"steps"`
	Spent    Phases        `json:"spent"`
}

// decide decides about a task that has an answer: one run whose deeds do not pass decides for
// all, whatever the model made of it afterwards.
func (o *Outcome) decide() {
	o.Decision = gate.DecisionPass
	for _, s := range o.Steps {
		if !s.Failed() {
			continue
		}
		decision := s.Did.Decision
		if decision != gate.DecisionBlock {
			decision = gate.DecisionIncomplete // also where no one has decided
		}
		if decision > o.Decision {
			o.Decision, o.Reason = decision, fmt.Sprintf("what the program of step %d did does not pass: %s", s.Number, s.Did.Verdict)
		}
	}
}

// Refused are the calls that the layers refused.
func (o Outcome) Refused() []Step {
	var out []Step
	for _, s := range o.Steps {
		if s.Refused {
			out = append(out, s)
		}
	}
	return out
}

func (o *Outcome) add(s Step, tell func(Step)) {
	o.Steps = append(o.Steps, s)
	o.Spent.add(s.Spent)
	tell(s)
}
