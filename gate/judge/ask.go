package judge

import (
	"context"
	"encoding/json"
)

// askPredict is the longest answer of Ask, in tokens.
const askPredict = 4096

// Ask puts one question that is not about a change to the model that judges, and
// returns its answer, at most maxAnswer bytes, as it came: hostile text. Control tokens and
// invisible characters in the question are shown as escapes. format is
// the JSON Schema that the server holds the answer to. The same seed gives the same
// answer from the same model. Errors are an [*gate.Unavailable], say why there is
// no usable answer, or are the cause of ctx.
func (j *Judge) Ask(ctx context.Context, system, question string, format json.RawMessage, seed int) (string, error) {
	messages := []Message{{Role: RoleSystem, Text: system}, {Role: RoleUser, Text: question}}
	said, err := j.Talk(ctx, Conversation{Messages: messages, Format: format, Seed: seed})
	return said.Text, err
}

// room leaves space for an answer of Ask. A token is at least a byte.
func (s *session) room() int { return s.window - min(askPredict, s.window/2) }
