package workrun

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/agent/work"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/gate/mcp"
)

// offered are the tools that a model gets. Without skills those for skills are left out, and
// nothing is scanned that is not in the workspace. choices are the values that are left of
// some arguments.
func offered(all []mcp.Tool, skills bool, choices map[string][]string) ([]work.Tool, error) {
	names := []string{"write_file", "read_file", "list_directory", "search_files", "run_command", "run_code", "explain_finding"}
	if skills {
		names = append(names, "load_skill", "read_resource")
	}
	var out []work.Tool
	for _, name := range names {
		i := slices.IndexFunc(all, func(t mcp.Tool) bool { return t.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no tool %s", name)
		}
		schema, err := compact(all[i].Schema, choices)
		if err != nil {
			return nil, fmt.Errorf("the tool %s: %w", name, err)
		}
		first, _, _ := strings.Cut(all[i].Description, ". ")
		out = append(out, work.Tool{Name: name, Description: strings.TrimSuffix(first, ".") + ".", Schema: schema})
	}
	return out, nil
}

// compact is the schema of arguments as a small model is told it: names, types and choices.
// The tool itself checks the bounds. The session is that of the workspace, always.
func compact(schema json.RawMessage, choices map[string][]string) (json.RawMessage, error) {
	type property struct {
		Type  any       `json:"type,omitempty"`
		Enum  []string  `json:"enum,omitempty"`
		Items *property `json:"items,omitempty"`
	}
	var in struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}
	if err := json.Unmarshal(schema, &in); err != nil {
		return nil, err
	}
	delete(in.Properties, "session")
	for name, p := range in.Properties {
		if of, ok := p.Type.([]any); ok { // null or something: it may as well be left out
			p.Type = of[len(of)-1]
			in.Properties[name] = p
		}
		if left := choices[name]; len(left) > 0 && len(p.Enum) > 0 {
			p.Enum = left
			in.Properties[name] = p
		}
	}
	if in.Required == nil {
		in.Required = []string{}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(map[string]any{"type": "object", "properties": in.Properties, "required": in.Required, "additionalProperties": false})
	return bytes.TrimSpace(b.Bytes()), err
}

// refusedBy is how an error begins of a program that the layers did not let run.
const refusedBy = "Refused: nothing ran."

// notRun is how an error begins of a program that passed and for which there is no container:
// no model can do anything about that.
const notRun = "it did not run: "

// call implements [work.Options].Call.
func (s *session) call(ctx context.Context, c work.Call) (work.Reply, error) {
	if why := notLeft(c.Arguments, s.o.choices()); why != "" {
		return work.Reply{Text: why, Error: true}, nil
	}
	r, err := s.client.Call(ctx, c.Tool, c.Arguments)
	if err != nil {
		return work.Reply{}, err
	}
	if why, ok := strings.CutPrefix(r.Text, notRun); r.Error && ok {
		why, _, _ = strings.Cut(why, "\n(session ")
		return work.Reply{}, fmt.Errorf("a program could not be run: %s", strings.TrimSpace(why))
	}
	out := work.Reply{Text: r.Text, Error: r.Error, Refused: r.Error && strings.HasPrefix(r.Text, refusedBy)}
	var ran struct {
		mcp.Did
		Phases mcp.Phases
	}
	if len(r.Fields) > 0 && json.Unmarshal(r.Fields, &ran) == nil {
		out.Did = did(ran.Did)
		out.Spent = work.Phases{Static: ran.Phases.Static, Judge: ran.Phases.Judge, Start: ran.Phases.Start, Run: ran.Phases.Run}
	}
	return out, nil
}

// did is what a program did, nil where the call ran none.
func did(d mcp.Did) *work.Did {
	if d.Verdict == "" {
		return nil
	}
	out := &work.Did{Verdict: d.Verdict, Decision: gate.DecisionIncomplete, Findings: []work.Finding{}, Unknown: d.Unknown, Behaviour: d.Behaviour}
	switch d.Decision {
	case gate.DecisionPass.String():
		out.Decision = gate.DecisionPass
	case gate.DecisionBlock.String():
		out.Decision = gate.DecisionBlock
	}
	for _, f := range d.Findings {
		out.Findings = append(out.Findings, work.Finding{Severity: f.Severity, Rule: f.Rule, Message: f.Message, Evidence: f.Evidence})
	}
	return out
}

// ask implements [work.Options].Ask.
func (s *session) ask(ctx context.Context, q work.Question) (work.Answer, error) {
	c := judge.Conversation{Format: q.Form, Seed: q.Seed}
	for _, t := range q.Tools {
		c.Tools = append(c.Tools, judge.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	for _, m := range q.Said {
		out := judge.Message{Role: judge.Role(m.Who), Text: m.Text, Tool: m.Tool}
		for _, call := range m.Calls {
			out.Calls = append(out.Calls, judge.ToolCall{Name: call.Tool, Arguments: call.Arguments})
		}
		c.Messages = append(c.Messages, out)
	}
	said, err := s.model.Talk(ctx, c)
	if err != nil {
		return work.Answer{}, err
	}
	a := work.Answer{Text: said.Text}
	for _, call := range said.Calls {
		a.Calls = append(a.Calls, work.Call{Tool: call.Name, Arguments: call.Arguments})
	}
	return a, nil
}
