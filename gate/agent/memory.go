package agent

import "github.com/aigate/gate/gate/agent/memory"

const (
	// MaxTurns is how often a model may try.
	MaxTurns      = 6
	maxRemembered = 24 << 10 // bytes of all turns together that the model is shown
)

// talk is what is said to the model: the latest turns that have room beside the
// question, and the question.
func talk(m *memory.Memory, question string, room int) []string {
	room = min(room-len(question), maxRemembered)
	turns := m.Turns()
	from := len(turns)
	for from > 0 {
		t := turns[from-1]
		if room -= len(t.Asked) + len(t.Answered); room < 0 {
			break
		}
		from--
	}
	var out []string
	for _, t := range turns[from:] {
		out = append(out, t.Asked, t.Answered)
	}
	return append(out, question)
}
