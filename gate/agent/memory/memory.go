package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

const (
	// MaxTurns is how many turns are remembered.
	MaxTurns = 6
	// MaxBytes is the largest memory that is read.
	MaxBytes = 1 << 20

	schemaVersion = 1
)

// Turn is one turn as it is remembered.
type Turn struct {
	Asked    string   `json:"asked"`
	Done     []string `json:"done"` // a line for each call of a tool
	Answered string   `json:"answered"`
}

// Memory is the last turns of a conversation, the oldest first, and the session of the
// workspace that has its files, if there is one. The zero value is empty.
type Memory struct {
	Session string
	turns   []Turn
}

// Add remembers a turn, and forgets the oldest where there are more than MaxTurns.
func (m *Memory) Add(t Turn) {
	if t.Done == nil {
		t.Done = []string{}
	}
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
	s := stored{schemaVersion, m.Session, m.turns}
	if s.Turns == nil {
		s.Turns = []Turn{}
	}
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// Parse reads what [Memory.Encode] wrote.
func Parse(text []byte) (*Memory, error) {
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("a memory has at most %d bytes", MaxBytes)
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
	if s.SchemaVersion != schemaVersion || len(s.Turns) > MaxTurns {
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
