package judge

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/ollama/ollama/api"

	"github.com/aigate/gate/gate/cache"
)

// Generation options. They are the same in every request: a server reloads the
// model when those of its runner change.
const (
	// numPredict bounds an answer, in tokens. Real ones have some 120; the
	// longest that the schema allows without a rambling reason has about 500.
	numPredict = 512
	seed       = 1
	// keepAlive is how long the model stays loaded after a request.
	keepAlive = 15 * time.Minute
)

// Attempts at one request that a busy or restarting server deserves, and the
// pause before the first repetition; it doubles each time.
const (
	maxAttempts = 4
	firstPause  = 250 * time.Millisecond
	// hangs is how many requests in a row may run into a deadline before the
	// server counts as lost.
	hangs = 3
)

// session is a model on a server that has proved to answer.
type session struct {
	client    server
	host      string // for people, without a password
	model     string
	digest    string
	version   string // of the server
	deadlines Deadlines
	fixed     []api.Message // in front of every question
	comments  Splitter
	cache     cache.Keeper // nil keeps nothing
	off       ablation
	seed      int

	numCtx int // sent with every request
	// window is how many tokens the server really takes, at most numCtx.
	window int
	// baseline is how many tokens the fixed part and the warm-up question have
	// together, by the server's own count; 0 until it has counted. warmUp is that
	// question's bytes.
	baseline, warmUp int
	offload          int // percent of the model that the CPU computes

	// By what the server says of the model; of no importance for judging.
	callsTools, thinks bool

	pace *limiter
	slow atomic.Int32 // requests in a row that ran into a deadline
}

// request returns a request with these messages.
func (s *session) request(messages []api.Message) *api.ChatRequest {
	cut := s.off[LengthChecks]
	return &api.ChatRequest{
		Model: s.model, Messages: messages, Format: schema,
		KeepAlive: &api.Duration{Duration: keepAlive},
		// Servers that know these refuse what is too long instead of cutting it.
		Truncate: &cut, Shift: &cut,
		Options: map[string]any{
			"temperature": 0, "seed": s.seed, "top_k": 1, "repeat_penalty": 1.0,
			"num_predict": numPredict, "num_ctx": s.numCtx,
		},
	}
}

// budget is how many bytes of marked lines fit into one question with so many
// facts, whatever the tokenizer makes of them: a token of a byte-level vocabulary is at least one
// byte, and the rest has been counted by the server itself.
func (s *session) budget(facts int) int {
	return s.window - numPredict - s.baseline - headRoom(facts) - len(repairNote)
}

// repairNote is appended to a question whose answer could not be used. It quotes
// nothing of that answer.
const repairNote = "\nYour last answer was not the JSON object that was asked for. Give that object and nothing else, with line numbers and quotes from the marked lines."

// ask puts one question and returns the decoded answer; one that was put before is
// answered from memory, and the reply is empty then. An answer of the wrong form gets
// one repair try. Errors are of type *failure, errUnknown, or the cause of ctx.
func (s *session) ask(ctx context.Context, q question) (answer, reply, error) {
	first, last := q.span()
	key := s.questionKey(q)
	if a, ok := s.recall(key, first, last); ok {
		return a, reply{}, nil
	}
	if s.client == nil {
		return answer{}, reply{}, errUnknown
	}
	text := q.text(s.off.word(s.seed, q.lines))
	var invalid error
	meter := meterOf(ctx)
	meter.add(func(c *Cost) { c.Questions++ })
	for _, note := range []string{"", repairNote} {
		r, err := s.exchange(ctx, text+note)
		if err != nil {
			meter.answer(r, true, note == "")
			return answer{}, r, err
		}
		if err := s.plausible(r, len(text)+len(note), len(q.lines)); err != nil {
			meter.answer(r, false, note == "")
			return answer{}, r, err
		}
		a, err := decode(r.text, first, last)
		meter.answer(r, err != nil, note == "")
		if err == nil {
			if note != "" {
				meter.add(func(c *Cost) { c.Repaired++ })
			}
			switch same, err := s.same(ctx); {
			case err != nil:
				return answer{}, r, err
			case same:
				s.keep(key, []byte(r.text))
			}
			return a, r, nil
		}
		invalid = err
	}
	return answer{}, reply{}, &failure{reason: fmt.Sprintf("the model's answer is not valid, nor is a second one: %v", invalid)}
}

// exchange sends one question, and again when that helps.
func (s *session) exchange(ctx context.Context, text string) (reply, error) {
	messages := append(slices.Clip(s.fixed), api.Message{Role: "user", Content: text})
	pause := firstPause
	for attempt := 1; ; attempt++ {
		r, err := s.send(ctx, messages)
		if err == nil {
			s.slow.Store(0)
			return r, nil
		}
		var f *failure
		if !errors.As(err, &f) {
			return r, err
		}
		if f.slow && s.slow.Add(1) >= hangs {
			return r, &failure{reason: fmt.Sprintf("%s; %d requests in a row ran into a deadline", f.reason, hangs), lost: true}
		}
		if !f.retry {
			return r, f
		}
		if attempt == maxAttempts {
			return r, &failure{reason: fmt.Sprintf("%s (%d attempts)", f.reason, attempt), lost: true}
		}
		if err := sleep(ctx, jitter(pause)); err != nil {
			return r, err
		}
		pause *= 2
	}
}

// send puts a question when it is its turn.
func (s *session) send(ctx context.Context, messages []api.Message) (reply, error) {
	if err := s.pace.enter(ctx); err != nil {
		return reply{}, err
	}
	begin := time.Now()
	r, err := chat(ctx, s.client, s.request(messages), s.deadlines.Request, s.deadlines.Idle)
	var f *failure
	if errors.As(err, &f) && (f.retry || f.slow) {
		s.pace.fail()
	} else {
		s.pace.leave(time.Since(begin), r.worked)
	}
	return r, err
}

// Bounds of what tokenizers and templates make of a text.
const (
	// minLineTokens is the least that a marked line takes in any tokenizer: the
	// code word and the end of the line.
	minLineTokens = 2
	// maxTokenBytes is more than the average token of a prose prompt has.
	maxTokenBytes = 16
	// templateRoom is more than a chat template adds to a conversation, in tokens.
	templateRoom = 1024
)

// plausible compares the server's count of prompt tokens with what was sent. A
// prompt that was cut has too few; one that is counted higher than its bytes
// allow means that the count cannot be trusted.
func (s *session) plausible(r reply, bytes, lines int) error {
	low, high := s.baseline-s.warmUp+lines*minLineTokens, s.baseline+bytes
	if s.baseline == 0 {
		fixed := 0
		for _, m := range s.fixed {
			fixed += len(m.Content)
		}
		low, high = fixed/maxTokenBytes, fixed+bytes+templateRoom
	}
	switch {
	case s.off[LengthChecks]:
		return nil
	case r.promptTokens == 0:
		return &failure{reason: "the server does not say how much of the prompt it read (prompt_eval_count): update Ollama", lost: true}
	case r.promptTokens < low, r.promptTokens > high:
		return &failure{reason: fmt.Sprintf("the server read %d tokens of a prompt that has %d to %d: it was cut", r.promptTokens, low, high)}
	case r.promptTokens+numPredict > s.window:
		return &failure{reason: fmt.Sprintf("the prompt of %d tokens leaves no room for an answer", r.promptTokens)}
	}
	return nil
}

// jitter spreads repetitions of several clients: 50 % to 150 % of d.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d) }

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
