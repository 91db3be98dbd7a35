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
	Problem   string          `json:"problem,omitempty"`
	Text      string          `json:"text,omitempty"`
	Spent     Phases          `json:"spent"`
}

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
