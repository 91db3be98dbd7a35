package agent

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
	MaxTurns      = 6        // that are remembered, and that a task takes
	maxRemembered = 24 << 10 // bytes of all turns together that the model is shown
	// MaxSession is the largest session that is read, in bytes.
	MaxSession = 1 << 20
)

// Exchange is one turn as the model remembers it.
type Exchange struct {
	Asked    string `json:"asked"`
	Answered string `json:"answered"`
}

// Memory is the last turns of a conversation, the oldest first. The zero value is
// empty.
type Memory struct{ turns []Exchange }

// Add remembers a turn, and forgets the oldest where there are more than MaxTurns.
func (m *Memory) Add(e Exchange) {
	m.turns = append(m.turns, e)
	m.turns = m.turns[max(0, len(m.turns)-MaxTurns):]
}

// Turns is how many are remembered.
func (m *Memory) Turns() int { return len(m.turns) }

// talk is what is said to the model: the latest turns that have room beside the
// question, and the question.
func (m *Memory) talk(question string, room int) []string {
	room = min(room-len(question), maxRemembered)
	from := len(m.turns)
	for from > 0 {
		e := m.turns[from-1]
		if room -= len(e.Asked) + len(e.Answered); room < 0 {
			break
		}
		from--
	}
	var out []string
	for _, e := range m.turns[from:] {
		out = append(out, e.Asked, e.Answered)
	}
	return append(out, question)
}

// session is a memory as it is kept.
type session struct {
	SchemaVersion int        `json:"schema_version"`
	Turns         []Exchange `json:"turns"`
}

// Encode writes a memory for the next task.
func (m *Memory) Encode() ([]byte, error) {
	s := session{SchemaVersion: SchemaVersion, Turns: m.turns}
	if s.Turns == nil {
		s.Turns = []Exchange{}
	}
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// ParseMemory reads what [Memory.Encode] wrote.
func ParseMemory(text []byte) (*Memory, error) {
	if len(text) > MaxSession {
		return nil, fmt.Errorf("a session has at most %d bytes", MaxSession)
	}
	var s session
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return nil, fmt.Errorf("not a session of gate agent: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not a session of gate agent: more follows behind it")
	}
	if s.SchemaVersion != SchemaVersion || len(s.Turns) > MaxTurns {
		return nil, fmt.Errorf("not a session of this gate agent: version %d with %d turns", s.SchemaVersion, len(s.Turns))
	}
	m := &Memory{}
	for _, e := range s.Turns {
		if !utf8.ValidString(e.Asked) || !utf8.ValidString(e.Answered) {
			return nil, errors.New("not a session of gate agent: it is not text")
		}
		m.Add(e)
	}
	return m, nil
}
