package attribution

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git"
)

// AgentTraceNotes is where Agent Trace records may be kept as notes.
const AgentTraceNotes = "refs/notes/agent-trace"

// isTraceFile reports whether a file of the tree holds Agent Trace records.
func isTraceFile(path string) bool {
	return (strings.HasPrefix(path, ".agent-trace/") || strings.Contains(path, "/.agent-trace/")) &&
		(strings.HasSuffix(path, ".json") || strings.HasSuffix(path, ".jsonl"))
}

// Bounds of Agent Trace records.
const (
	maxTraceBytes = 16 << 20 // of all files together
	maxTraces     = 50_000
)

// traceRecord is the part of a record (https://agent-trace.dev, 0.1) that is
// read.
type traceRecord struct {
	VCS struct {
		Type     string `json:"type"`
		Revision string `json:"revision"`
	} `json:"vcs"`
	Tool struct {
		Name string `json:"name"`
	} `json:"tool"`
	Files []struct {
		Path          string `json:"path"`
		Conversations []struct {
			Contributor *contributor `json:"contributor"`
			Ranges      []struct {
				StartLine   int          `json:"start_line"`
				EndLine     int          `json:"end_line"`
				Contributor *contributor `json:"contributor"`
			} `json:"ranges"`
		} `json:"conversations"`
	} `json:"files"`
}

type contributor struct {
	Type    string `json:"type"`
	ModelID string `json:"model_id"`
}

// trace is what one record says: lines of files as they were at a revision,
// which may be empty.
type trace struct {
	revision git.OID
	lines    []lines
}

// parseTraces reads records that follow one another, as a .json or .jsonl file
// has them. What was read before a mistake is returned with the error.
func parseTraces(data []byte) ([]trace, error) {
	var out []trace
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		var r traceRecord
		err := dec.Decode(&r)
		switch {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return out, fmt.Errorf("agent trace record %d: %w", len(out)+1, err)
		case len(out) == maxTraces:
			return out, fmt.Errorf("more than %d agent trace records", maxTraces)
		}
		t, err := r.trace()
		if err != nil {
			return out, fmt.Errorf("agent trace record %d: %w", len(out)+1, err)
		}
		out = append(out, t)
	}
}

// trace turns a record into lines. Only lines that it gives to people are left
// out: a contributor that is mixed, unknown or not named counts as an agent.
func (r traceRecord) trace() (trace, error) {
	t := trace{}
	if r.VCS.Type == "git" {
		t.revision = git.OID(strings.ToLower(r.VCS.Revision))
	}
	n := 0
	for _, f := range r.Files {
		for _, c := range f.Conversations {
			byModel := map[string][]gate.LineRange{}
			for _, l := range c.Ranges {
				if n++; n > maxRanges {
					return t, fmt.Errorf("more than %d ranges", maxRanges)
				}
				if l.StartLine < 1 || l.EndLine < l.StartLine || l.EndLine > maxLine {
					return t, fmt.Errorf("%s: not a range of lines: %d to %d", gate.Clip(f.Path, 100), l.StartLine, l.EndLine)
				}
				who := c.Contributor
				if l.Contributor != nil {
					who = l.Contributor
				}
				if who == nil {
					who = &contributor{}
				}
				if who.Type == "human" {
					continue
				}
				byModel[who.ModelID] = append(byModel[who.ModelID], gate.LineRange{l.StartLine, l.EndLine})
			}
			for _, model := range slices.Sorted(maps.Keys(byModel)) {
				t.lines = append(t.lines, r.written(f.Path, model, byModel[model]))
			}
		}
	}
	return t, nil
}

func (r traceRecord) written(path, model string, ranges []gate.LineRange) lines {
	text := "agent trace"
	if r.Tool.Name != "" {
		text += ": " + gate.Clip(r.Tool.Name, 60)
	}
	if model != "" {
		text += " (" + gate.Clip(model, 60) + ")"
	}
	agent := agentNamed(r.Tool.Name)
	if agent == "" {
		agent = orTool(agentNamed(model), r.Tool.Name)
	}
	return lines{path: strings.TrimPrefix(path, "./"), agent: agent, ranges: merge(ranges), text: text}
}
