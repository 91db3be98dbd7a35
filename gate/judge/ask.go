package judge

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

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
	s, err := j.connect(ctx, j.hosts)
	if err != nil {
		return "", err
	}
	messages := []api.Message{{Role: "system", Content: system}, {Role: "user", Content: question}}
	predict := min(askPredict, s.window/2)
	if size := len(system) + len(question); size > s.window-predict {
		return "", fmt.Errorf("the question has %d bytes, and the model reads %d tokens at a time", size, s.window-predict)
	}
	req := s.request(slices.Clone(messages))
	req.Format = format
	req.Options["num_predict"], req.Options["seed"] = predict, seed
	req.Options["temperature"], req.Options["top_k"] = 0.8, 40
	r, err := chat(ctx, s.client, req, j.deadlines.Request, j.deadlines.Idle)
	if err != nil {
		return "", err
	}
	return r.text, nil
}
