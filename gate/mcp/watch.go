package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exchange"
	"github.com/aigate/gate/gate/workspace"
)

// Did is what a program did in its container, and what the layers make of it. The zero value
// is a run that no one watched.
type Did struct {
	Verdict  string  `json:"verdict,omitempty" jsonschema:"SAFE, SUSPICIOUS, INCOMPLETE or DANGEROUS: of the program and of what it did"`
	Decision string  `json:"decision,omitempty" jsonschema:"pass, block or incomplete; nothing is kept of a run that is no pass"`
	Findings []Found `json:"findings,omitempty" jsonschema:"what the layers say of it"`
	// Unknown is what of the run is not known.
	Unknown []string `json:"unknown,omitempty"`
	// Behaviour is what it did, in the order of the first time.
	Behaviour []gate.Behaviour `json:"behaviour,omitempty" jsonschema:"data: what the program did"`

	text string // for people and models, "" where nothing is to be said
}

// passes reports whether what a program left may be kept.
func (d Did) passes() bool { return d.Decision == "" || d.Decision == gate.DecisionPass.String() }

// watch asks for what a program does, where the options say so.
func (s *Server) watch(p *program, files *workspace.Tree) {
	if !s.o.Watch {
		return
	}
	w := &engine.Watch{Name: p.name, Text: []byte(p.code)}
	for _, name := range files.Paths() {
		data, _ := files.Get(name)
		w.Own = append(w.Own, exchange.File{Path: name, Data: data})
	}
	p.run.Watch = w
}

// did decides about a run: what the layers found in the program before, what it did, and the
// code that appeared meanwhile.
func (s *Server) did(ctx context.Context, p program, before gate.Result, end engine.Ended) (Did, error) {
	if p.run.Watch == nil {
		return Did{}, nil
	}
	stage := deeds{name: p.name, ended: end}
	layers := s.reading
	if len(end.Did.Code) > 0 {
		layers = s.static // what appeared passes what the program passed
	} else {
		stage.judged = judged(before)
	}
	tree := fstest.MapFS{p.name: &fstest.MapFile{Data: []byte(p.code), Mode: 0o755}}
	res, err := look(ctx, layers.With(stage), s.settings.Policy, tree, nil, gate.Discard{})
	if err != nil {
		return Did{}, fmt.Errorf("decide about what it did: %w", err)
	}
	scanned := s.scanned(res)
	out := Did{Verdict: scanned.Verdict, Decision: scanned.Decision, Findings: scanned.Findings, Unknown: scanned.Incomplete}
	if e := end.Did.Execution; e != nil {
		for _, b := range e.Behaviour {
			b.Detail = line(b.Detail, maxSentence)
			out.Behaviour = append(out.Behaviour, b)
		}
	}
	switch {
	case !out.passes():
		out.text = "gate does not let what it did pass: the workspace is as before, and no result is taken.\n" + scanned.text()
	case res.Verdict != gate.Safe:
		out.text = "gate calls what it did suspicious:\n" + scanned.text()
	}
	if asked := outside(out.Behaviour); asked != "" {
		out.text += fmt.Sprintf("It asked for the network (%s). There is none: gate made the answers up, so do not use them.\n", asked)
	}
	return out, nil
}

// judged are the findings of the judge in a result.
func judged(res gate.Result) []gate.Finding {
	var out []gate.Finding
	for _, f := range res.Files {
		for _, found := range f.Findings {
			if found.Layer == gate.LayerJudge {
				out = append(out, found)
			}
		}
	}
	return out
}

// outside says whom a program asked that is not in its container, "" for no one.
func outside(all []gate.Behaviour) string {
	i := slices.IndexFunc(all, func(b gate.Behaviour) bool {
		return slices.Contains([]string{"resolve", "request", "traffic", "mail"}, b.Kind) && !strings.Contains(b.Detail, "localhost") && !strings.Contains(b.Detail, "127.0.0.1")
	})
	if i < 0 {
		return ""
	}
	return all[i].Kind + " " + gate.Clip(all[i].Detail, 100)
}

// deeds is the third layer for a program that has run: what it did, as findings of its file.
type deeds struct {
	name   string
	ended  engine.Ended
	judged []gate.Finding // what the judge said before
}

var _ gate.Stage = deeds{}

// Name implements [gate.Stage].
func (d deeds) Name() gate.Layer { return gate.LayerSandbox }

// Run implements [gate.Stage]. Of the code that appeared nothing was run by itself.
func (d deeds) Run(_ context.Context, c *gate.Change, found *gate.Findings) (gate.Outcome, error) {
	out := gate.Outcome{Executions: map[string]*gate.Execution{}}
	for _, t := range c.Targets {
		if t.Path != d.name {
			out.Executions[t.Path] = &gate.Execution{Status: gate.ExecutionNotRun, ExitCode: -1, Reason: "it appeared while a program ran"}
			continue
		}
		found.Add(d.name, slices.Concat(d.judged, d.ended.Did.Findings)...)
		out.Derived = d.ended.Did.Code
		unknown := d.ended.Did.Unknown
		if d.ended.Did.Execution == nil {
			unknown = append(slices.Clone(unknown), "what it did was not recorded")
		}
		for _, why := range unknown {
			out.Incomplete = append(out.Incomplete, gate.Gap{Path: d.name, Reason: cmp.Or(why, "what it did is not known")})
		}
		out.Executions[d.name] = d.ended.Did.Execution
	}
	return out, nil
}
