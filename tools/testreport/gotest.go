package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"sync"
)

// event is one line of `go test -json`; see `go doc test2json`.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build-output and build-fail
	Test       string // "" for the package itself
	Elapsed    float64
	Output     string

	run string // the go test that it comes from, as people are told
	err error  // how go test ended, on the event that says so
}

// exited is the action of the event behind all others of a go test.
const exited = "exit"

// goTest runs one `go test -json` and hands on what it says.
func goTest(ctx context.Context, run string, args []string, take func(event)) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start go test: %w", err)
	}
	err = decode(out, func(e event) {
		e.run = run
		take(e)
	})
	if err != nil {
		_, _ = io.Copy(io.Discard, out) // or it would wait for a reader
	}
	ended := cmd.Wait()
	take(event{Action: exited, run: run, err: ended})
	return err
}

// decode reads events to the end.
func decode(in io.Reader, take func(event)) error {
	for d := json.NewDecoder(in); ; {
		var e event
		if err := d.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("read the events of go test -json: %w", err)
		}
		take(e)
	}
}

// name gives a run a name that no other has: its flag that changes what is tested.
func (r *report) name(args []string) string {
	name := ""
	if slices.Contains(args, "-race") {
		name = "-race"
	}
	for n := 2; r.flags[name] != nil; n++ {
		name = fmt.Sprintf("run %d", n)
	}
	r.flags[name] = slices.DeleteFunc(slices.Clone(args), isPackage)
	return name
}

// take runs all groups side by side and takes their events.
func (r *report) take(ctx context.Context, groups [][]string) error {
	var running sync.WaitGroup
	var one sync.Mutex
	errs := make([]error, len(groups))
	for i, args := range groups {
		name := r.name(args)
		running.Go(func() {
			errs[i] = goTest(ctx, name, args, func(e event) {
				one.Lock()
				defer one.Unlock()
				r.add(e)
			})
		})
	}
	running.Wait()
	return errors.Join(errs...)
}
