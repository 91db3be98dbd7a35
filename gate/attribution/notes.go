package attribution

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aigate/gate/gate"
)

// GitAINotes is where git-ai keeps its authorship logs.
const GitAINotes = "refs/notes/ai"

// lines says which lines of which file an agent wrote.
type lines struct {
	path   string
	agent  string
	ranges []gate.LineRange // merged; nil is all lines
	text   string           // of the evidence
}

// Bounds of a record.
const (
	maxRecordLines = 200_000
	maxRecordFiles = 20_000
)

// gitAI is the metadata below the divider of an authorship log.
type gitAI struct {
	SchemaVersion string                `json:"schema_version"`
	Prompts       map[string]gitAIAgent `json:"prompts"`
	Sessions      map[string]gitAIAgent `json:"sessions"`
}

type gitAIAgent struct {
	AgentID struct {
		Tool  string `json:"tool"`
		Model string `json:"model"`
	} `json:"agent_id"`
}

// parseGitAI reads an authorship log of git-ai, schema authorship/3.x: for each
// file a line with its path, and below it lines with a session and ranges of
// lines; then "---" and JSON that says which agent a session was. Sessions of
// known people (h_…) are left out; a session without an entry is an agent.
func parseGitAI(note []byte) ([]lines, error) {
	head, meta, ok := strings.Cut("\n"+string(note), "\n---\n")
	if !ok {
		head, meta = "", string(note) // metadata alone: nothing is attested
	}
	var about gitAI
	if err := json.Unmarshal([]byte(meta), &about); err != nil {
		return nil, fmt.Errorf("authorship log: %w", err)
	}
	if !strings.HasPrefix(about.SchemaVersion, "authorship/") {
		return nil, fmt.Errorf("not an authorship log: schema %q", gate.Clip(about.SchemaVersion, 60))
	}
	var out []lines
	path, n, files := "", 0, 0
	for line := range strings.SplitSeq(strings.TrimPrefix(head, "\n"), "\n") {
		if n++; n > maxRecordLines || files > maxRecordFiles {
			return nil, errors.New("the authorship log is too long")
		}
		switch entry, indented := strings.CutPrefix(line, "  "); {
		case strings.TrimSpace(line) == "":
		case !indented:
			path = unquote(line)
			files++
		case path == "":
			return nil, errors.New("authorship log: lines without a file")
		default:
			session, ranges, _ := strings.Cut(entry, " ")
			parsed, err := parseRanges(ranges)
			if err != nil {
				return nil, fmt.Errorf("authorship log: %s: %w", gate.Clip(path, 100), err)
			}
			if strings.HasPrefix(session, "h_") {
				continue
			}
			agent, text := about.session(session)
			out = append(out, lines{path: path, agent: agent, ranges: merge(parsed), text: text})
		}
	}
	return out, nil
}

// session returns the agent of a session, and a text for the evidence.
func (g gitAI) session(key string) (agent, text string) {
	id, _, _ := strings.Cut(key, "::")
	a, ok := g.Sessions[id]
	if !ok {
		a = g.Prompts[id]
	}
	tool := a.AgentID.Tool
	if tool == "" {
		return "", "git-ai session " + gate.Clip(key, 60)
	}
	text = "git-ai: " + gate.Clip(tool, 60)
	if a.AgentID.Model != "" {
		text += " (" + gate.Clip(a.AgentID.Model, 60) + ")"
	}
	return orTool(agentNamed(tool), tool), text
}

// orTool names an agent that the table does not know by its tool.
func orTool(agent, tool string) string {
	if agent != "" {
		return agent
	}
	return gate.Clip(strings.ToLower(strings.TrimSpace(tool)), 40)
}

// unquote takes the quotes from a path that has blanks.
func unquote(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}
