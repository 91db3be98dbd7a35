package gate

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// MaxDepth is how often text that appeared by decoding or at run time goes
// through the layers again.
const MaxDepth = 2

// Stage is one layer. A stage sees the whole change, so that it can work on
// files together, and reports per target.
//
// Run returns an error only when gate itself failed; an [*Unavailable] error,
// returned before any work was done, when what the stage needs is not there. A
// target that crashes, hangs or is killed is data, not an error. When ctx ends,
// a stage stops soon and returns what it has, with a Gap for every target it did
// not reach, and the error of ctx. Run is called again for the derived targets that a
// run leads to.
type Stage interface {
	Name() Layer
	Run(ctx context.Context, c *Change, found *Findings) (Outcome, error)
}

// Outcome is what a stage reports besides its findings.
type Outcome struct {
	Derived    []Derived
	Incomplete []Gap
	Skipped    []Skip
	Judgements map[string]*Judgement // by target path
	Executions map[string]*Execution // by target path
	Digests    map[string]string     // SHA-256 of head contents in hex, by target path
	Masked     map[string]bool       // targets that hold a secret, reported or not
	Accounts   map[string]Account    // as what the bytes of head contents were read, by target path
}

// Derived is text that appeared by decoding or at run time and goes through all
// layers again. Its Target has Parent set; its path is made up by the stage and
// starts with the parent's path and "!".
type Derived struct {
	Target  *Target
	Content []byte
}

// Gap is something that a layer should have looked at and could not. A gap
// with an empty path concerns the layer as a whole.
type Gap struct {
	Layer  Layer  `json:"layer"`
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Skip is something that was deliberately left out.
type Skip struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
	// ByPolicy says that the policy's paths left out a file that the change touches.
	ByPolicy bool `json:"-"`
}

// Unavailable says that a stage cannot start because something it needs is not
// there. The layer is skipped where it is not required and incomplete where it
// is.
type Unavailable struct {
	Reason string // "no Ollama server answers at http://127.0.0.1:11434"
	Hint   string // the command that fixes it, or ""
}

// Error returns the reason, with the hint where there is one.
func (u *Unavailable) Error() string {
	if u.Hint == "" {
		return u.Reason
	}
	return u.Reason + " (" + u.Hint + ")"
}

// PanicError is a panic of a stage, caught so that the run ends as incomplete
// instead of with the runtime's exit code.
type PanicError struct {
	Value any
	Stack []byte
}

// Error names the panic's value; the stack is for logs.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Catch runs fn and turns a panic into a [*PanicError].
func Catch(fn func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return fn()
}

// ForEach calls fn for 0..n-1, at most limit at a time, and returns the first
// error. The first error, or the end of ctx, stops what has not been started;
// it always waits for what has. Panics in fn become errors. Stages use it
// instead of bare goroutines, because a panic in one of those would end the
// process.
func ForEach(ctx context.Context, limit, n int, fn func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	slots := make(chan struct{}, max(limit, 1))
	for i := range n {
		select {
		case <-ctx.Done():
		case slots <- struct{}{}:
		}
		if ctx.Err() != nil {
			break
		}
		wg.Go(func() {
			defer func() { <-slots }()
			if err := Catch(func() error { return fn(ctx, i) }); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
