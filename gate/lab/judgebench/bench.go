package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
)

// bench measures one model on one server.
type bench struct {
	options settings
	client  *api.Client
	log     io.Writer
}

// sample is one review.
type sample struct {
	took           time.Duration // all of it, as a caller sees it
	prompt, answer int           // tokens
	read, write    time.Duration // what the server spent on either
	load           time.Duration
}

// run returns the table.
func (b *bench) run(ctx context.Context) (string, error) {
	version, err := b.client.Version(ctx)
	if err != nil {
		return "", fmt.Errorf("reach the Ollama server (start it, or give -host): %w", err)
	}
	model := b.options.model
	if b.options.shape != "" {
		if model, err = b.create(ctx); err != nil {
			return "", err
		}
		if !b.options.keep {
			defer b.remove(model)
		}
	}
	r := report{model: model, server: version, options: b.options}
	if err := b.measure(ctx, model, &r); err != nil {
		return "", err
	}
	r.machine = machine(ctx)
	r.loaded = b.loaded(ctx, model)
	return r.markdown(), nil
}

// measure runs all kinds of reviews.
func (b *bench) measure(ctx context.Context, model string, r *report) error {
	fmt.Fprintln(b.log, "loading the model")
	first, err := b.review(ctx, model, b.system(0), b.code(0))
	if err != nil {
		return err
	}
	r.load = first.load
	fmt.Fprintln(b.log, "reviews that share nothing")
	for i := range b.options.reviews {
		s, err := b.review(ctx, model, b.system(i+1), b.code(i+1))
		if err != nil {
			return err
		}
		r.cold = append(r.cold, s)
	}
	fmt.Fprintln(b.log, "reviews that share the instructions")
	for i := range b.options.reviews {
		s, err := b.review(ctx, model, b.system(-1), b.code(1000+i))
		if err != nil {
			return err
		}
		if i > 0 { // the first one fills the cache
			r.warm = append(r.warm, s)
		}
	}
	for _, n := range b.options.parallel {
		fmt.Fprintf(b.log, "%d at a time\n", n)
		took, samples, err := b.together(ctx, model, n)
		if err != nil {
			return err
		}
		r.parallel = append(r.parallel, row{n: n, took: took, samples: samples})
	}
	return nil
}

// together runs reviews, n at a time.
func (b *bench) together(ctx context.Context, model string, n int) (time.Duration, []sample, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	total := max(b.options.reviews, 2*n)
	out, errs := make([]sample, total), make([]error, total)
	next := make(chan int)
	var wg sync.WaitGroup
	begin := time.Now()
	for range n {
		wg.Go(func() {
			for i := range next {
				if out[i], errs[i] = b.review(ctx, model, b.system(-1), b.code(10_000*n+i)); errs[i] != nil {
					cancel()
				}
			}
		})
	}
	for i := range total {
		next <- i
	}
	close(next)
	wg.Wait()
	return time.Since(begin), out, errors.Join(errs...)
}

// maxReview bounds one review; the first one loads the model.
const maxReview = 20 * time.Minute

// review asks once, with the options that gate's judge uses.
func (b *bench) review(ctx context.Context, model, system, text string) (sample, error) {
	ctx, cancel := context.WithTimeout(ctx, maxReview)
	defer cancel()
	begin := time.Now()
	var s sample
	stream := false
	// Noise that always takes the likeliest token repeats one, and Ollama ends such an answer.
	temperature := 0
	if b.options.shape != "" {
		temperature = 1
	}
	err := b.client.Chat(ctx, &api.ChatRequest{
		Model:     model,
		Messages:  []api.Message{{Role: "system", Content: system}, {Role: "user", Content: text}},
		Stream:    &stream,
		KeepAlive: &api.Duration{Duration: 10 * time.Minute},
		Options:   map[string]any{"temperature": temperature, "num_ctx": b.options.context, "num_predict": b.options.answer, "repeat_penalty": 1.0},
	}, func(a api.ChatResponse) error {
		s.prompt, s.answer = a.PromptEvalCount, a.EvalCount
		s.read, s.write, s.load = a.PromptEvalDuration, a.EvalDuration, a.LoadDuration
		return nil
	})
	s.took = time.Since(begin)
	if err != nil {
		return s, fmt.Errorf("ask %s: %w", model, err)
	}
	if s.answer == 0 {
		return s, fmt.Errorf("ask %s: the answer is empty", model)
	}
	return s, nil
}

// perToken is how many bytes of such text are a token of Qwen's vocabulary. The
// vocabulary of a shape of noise has a token for every byte.
const perToken = 3.5

// bytes is how long a text of so many tokens is.
func (b *bench) bytes(tokens int) int {
	if b.options.shape != "" {
		return tokens
	}
	return int(float64(tokens) * perToken)
}

// system stands for the judge's instructions; every n is another one from its
// first words on.
func (b *bench) system(n int) string {
	text := fmt.Sprintf("Review %d. ", n) + strings.Repeat("You review source code line by line and answer in JSON with evidence, reason, lines and verdict. ", 100)
	return text[:min(len(text), b.bytes(b.options.prompt/3))]
}

// code stands for a file; every n is another one from its first line on.
func (b *bench) code(n int) string {
	var text strings.Builder
	want := b.bytes(b.options.prompt * 2 / 3)
	for i := 1; text.Len() < want; i++ {
		fmt.Fprintf(&text, "%d:%04x| value_%d = compute(rows[%d], limit=%d)\n", i, n&0xFFFF, n, i, i*n)
	}
	return text.String()[:want]
}
