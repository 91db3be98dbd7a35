package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/ollama/ollama/api"
)

// askPredict is the longest answer of Ask, in tokens.
const askPredict = 4096

// Ask puts one question that is not about a change to the model that judges, and
// returns its answer, at most maxAnswer bytes, as it came: hostile text. format is
// the JSON Schema that the server holds the answer to. The same seed gives the same
// answer from the same model. Errors are an [*gate.Unavailable], say why there is
// no usable answer, or are the cause of ctx.
func (j *Judge) Ask(ctx context.Context, system, question string, format json.RawMessage, seed int) (string, error) {
	return j.Converse(ctx, system, []string{question}, format, seed)
}

// Converse is Ask with what was said before the question: talk begins with a
// question, its answers and questions alternate, and its last element is the
// question to be answered. Control tokens and invisible characters in it, which may
// have come from anywhere, are shown as escapes, and blank lines are left out.
func (j *Judge) Converse(ctx context.Context, system string, talk []string, format json.RawMessage, seed int) (string, error) {
	s, err := j.session(ctx)
	if err != nil {
		return "", err
	}
	messages := []api.Message{{Role: "system", Content: system}}
	size := len(system)
	for i, text := range talk {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		text = disarmed(text)
		size += len(text)
		messages = append(messages, api.Message{Role: role, Content: text})
	}
	if size > s.room() {
		return "", fmt.Errorf("the question has %d bytes, and the model reads %d tokens at a time", size, s.room())
	}
	req := s.request(messages)
	req.Format = format
	req.Options["num_predict"], req.Options["seed"] = s.window-s.room(), seed
	req.Options["temperature"], req.Options["top_k"] = 0.8, 40
	r, err := chat(ctx, s.client, req, j.deadlines.Request, j.deadlines.Idle)
	if f, ok := errors.AsType[*failure](err); ok && f.lost {
		j.drop(s, f.reason)
	}
	if err != nil {
		return "", err
	}
	return r.text, nil
}

// Room is how many bytes what is said to the model in one [Judge.Converse] may
// have, with the system's part. Errors are as those of Ask.
func (j *Judge) Room(ctx context.Context) (int, error) {
	s, err := j.session(ctx)
	if err != nil {
		return 0, err
	}
	return s.room(), nil
}

// room leaves space for an answer of Ask. A token is at least a byte.
func (s *session) room() int { return s.window - min(askPredict, s.window/2) }

// disarmed is a text without what would act on the model's input instead of
// standing in it.
func disarmed(text string) string {
	var b strings.Builder
	for _, l := range render([]byte(text)) {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}
