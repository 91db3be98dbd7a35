package judge

import (
	"context"
	"sync"
	"time"
)

// Cost is what reviews have taken.
type Cost struct {
	// Reviews holds, for each file, how long it took to judge it, waiting for its
	// turn included.
	Reviews []time.Duration
	// Questions were put to the model: one or more a file.
	Questions int
	// Answers came back; Invalid of them had not the form that was asked for, or did
	// not come to an end.
	Answers, Invalid int
	// Broken are the questions whose first answer was invalid, Repaired those of them
	// whose second one was good.
	Broken, Repaired int
	// Tokens by the server's count, over all answers.
	PromptTokens, AnswerTokens int
}

// Meter adds up what the reviews under a context cost. The zero value is ready; it
// is safe for concurrent use. Opening a session is not a review.
type Meter struct {
	mu   sync.Mutex
	cost Cost
}

// Cost is what has been added up so far.
func (m *Meter) Cost() Cost {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.cost
	c.Reviews = append([]time.Duration{}, c.Reviews...)
	return c
}

type meterKey struct{}

// WithMeter returns a context whose reviews are added to m, nil to none.
func WithMeter(ctx context.Context, m *Meter) context.Context {
	return context.WithValue(ctx, meterKey{}, m)
}

// meterOf returns the meter of a context, or nil.
func meterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

func (m *Meter) add(f func(*Cost)) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.cost)
}

func (m *Meter) review(took time.Duration) {
	m.add(func(c *Cost) { c.Reviews = append(c.Reviews, took) })
}

// answer adds what came back for a question, first or after the repair note; a reply
// without tokens is none.
func (m *Meter) answer(r reply, bad, first bool) {
	if r.promptTokens+r.tokens == 0 {
		return
	}
	m.add(func(c *Cost) {
		c.Answers++
		c.PromptTokens += r.promptTokens
		c.AnswerTokens += r.tokens
		if bad {
			c.Invalid++
			if first {
				c.Broken++
			}
		}
	})
}
