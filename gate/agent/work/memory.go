package work

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Bounds of the memory.
const (
	MaxTurns = 6 // that are remembered
	// MaxMemory is the largest memory that is read, in bytes.
	MaxMemory   = 1 << 20
	maxAsked    = 4 << 10 // bytes of a task
	maxAnswered = 4 << 10 // bytes of an answer that are remembered
	maxDone     = 32      // calls of a turn that are remembered
)

// Turn is one turn as it is remembered.
type Turn struct {
	Asked    string   `json:"asked"`
	Done     []string `json:"done"` // a line for each call
	Answered string   `json:"answered"`
}

// Memory is the last turns in a workspace, the oldest first, and the session that has its
// files. The zero value is empty.
type Memory struct {
	Session string
	turns   []Turn
}

// Add remembers a turn, and forgets the oldest where there are more than MaxTurns.
func (m *Memory) Add(t Turn) {
	t.Answered = clip(t.Answered, maxAnswered)
	t.Done = t.Done[:min(len(t.Done), maxDone)]
	m.turns = append(m.turns, t)
	m.turns = m.turns[max(0, len(m.turns)-MaxTurns):]
}

// Turns are those that are remembered, the oldest first.
func (m *Memory) Turns() []Turn { return m.turns }

// Forget forgets all turns.
func (m *Memory) Forget() { m.turns = nil }

type stored struct {
	SchemaVersion int    `json:"schema_version"`
	Session       string `json:"session"`
	Turns         []Turn `json:"turns"`
}

// Encode writes a memory for the next task.
func (m *Memory) Encode() ([]byte, error) {
	s := stored{SchemaVersion, m.Session, m.turns}
	if s.Turns == nil {
		s.Turns = []Turn{}
	}
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// ParseMemory reads what [Memory.Encode] wrote.
func ParseMemory(text []byte) (*Memory, error) {
	if len(text) > MaxMemory {
		return nil, fmt.Errorf("a memory has at most %d bytes", MaxMemory)
	}
	var s stored
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return nil, fmt.Errorf("not a memory of gate agent: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not a memory of gate agent: more follows behind it")
	}
	if s.SchemaVersion != SchemaVersion || len(s.Turns) > MaxTurns {
		return nil, fmt.Errorf("not a memory of this gate agent: version %d with %d turns", s.SchemaVersion, len(s.Turns))
	}
	m := &Memory{Session: s.Session}
	for _, t := range s.Turns {
		if !utf8.ValidString(t.Asked + t.Answered + strings.Join(t.Done, "")) {
			return nil, errors.New("not a memory of gate agent: it is not text")
		}
		m.Add(t)
	}
	return m, nil
}

// clip is a text of at most so many bytes: its beginning and its end, with a note between.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	const note = "\n[… left out …]\n"
	part := max(0, most-len(note))
	head := part * 2 / 3
	return strings.ToValidUTF8(s[:head], "") + note + strings.ToValidUTF8(s[len(s)-(part-head):], "")
}
