package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/engine"
)

// scanner puts programs through the static layer, as a pull request would be.
type scanner struct {
	layers *engine.Layers
	policy gate.Policy
}

// open returns a scanner with the default policy and nothing of this machine's
// configuration. The caller closes it.
func open(ctx context.Context) (*scanner, error) {
	e := engine.New(engine.Host{Tool: gate.Tool{Name: "gate"}, Stderr: io.Discard, Getenv: func(string) string { return "" }})
	set, err := e.SettingsWithoutTree(engine.Options{Layers: []string{string(gate.LayerStatic)}})
	if err != nil {
		return nil, err
	}
	layers, err := e.Open(ctx, engine.Setup{Settings: set, Selected: []gate.Layer{gate.LayerStatic}})
	if err != nil {
		return nil, err
	}
	return &scanner{layers, set.Policy}, nil
}

func (s *scanner) close() error { return s.layers.Close() }

// scan returns what gate says of a change.
func (s *scanner) scan(ctx context.Context, p *program) (gate.Result, error) {
	c, err := change.Compare(ctx, commits{"base": p.base, "head": p.head}, "base", "head", change.Options{})
	if err != nil {
		return gate.Result{}, err
	}
	c.Head, c.Base = p.head.fsys(), p.base.fsys()
	c.Files = slices.Sorted(maps.Keys(p.head))
	return s.layers.Run(ctx, engine.Job{Change: c, Policy: s.policy, Suppress: engine.Suppressions{On: true, AgainstBase: true}})
}

// commits are trees by the name of a commit: a repository in memory.
type commits map[string]tree

// Tree lists the files of a commit.
func (c commits) Tree(_ context.Context, commit string) ([]change.RemoteFile, error) {
	t, ok := c[commit]
	if !ok {
		return nil, fmt.Errorf("there is no commit %q", commit)
	}
	var out []change.RemoteFile
	for _, name := range slices.Sorted(maps.Keys(t)) {
		f := t[name]
		mode := uint32(0o100644)
		switch {
		case f.link != "":
			mode = 0o120000
		case f.perm()&0o111 != 0:
			mode = 0o100755
		}
		out = append(out, change.RemoteFile{Path: name, Mode: mode, ID: f.id(), Size: int64(len(f.content()))})
	}
	return out, nil
}

// Blob returns a content.
func (c commits) Blob(_ context.Context, id string, limit int64) ([]byte, error) {
	for _, t := range c {
		for _, f := range t {
			if f.id() != id {
				continue
			}
			if int64(len(f.content())) > limit {
				return nil, fmt.Errorf("the file is larger than %d bytes", limit)
			}
			return f.content(), nil
		}
	}
	return nil, fmt.Errorf("there is no object %s", id)
}

func (f file) content() []byte {
	if f.link != "" {
		return []byte(f.link)
	}
	return f.data
}

func (f file) id() string {
	sum := sha256.Sum256(f.content())
	return hex.EncodeToString(sum[:20])
}

// outcome is what became of one combination.
type outcome struct {
	combination
	applies bool
	evil    gate.Verdict
	twin    gate.Verdict
	rules   []string // that decided about the evil one, or the gaps
	alarms  []string // that decided about the twin
}

// caught reports whether the code was called dangerous, or noticed where it cannot be read.
func (o outcome) caught() bool {
	return o.evil == gate.Dangerous || o.unreadable() != "" && o.noticed()
}

// noticed reports whether the change did not pass as safe.
func (o outcome) noticed() bool { return o.evil != gate.Safe && o.evil != gate.VerdictUnknown }

// measure puts the combinations and their twins through the scanner, in the order in which
// they come.
func measure(ctx context.Context, s *scanner, all []combination, progress func(done int)) ([]outcome, error) {
	out := make([]outcome, len(all))
	errs := make([]error, len(all))
	next := make(chan int)
	var done int
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				out[i], errs[i] = s.try(ctx, all[i])
				mu.Lock()
				done++
				if progress != nil {
					progress(done)
				}
				mu.Unlock()
			}
		})
	}
	for i := range all {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return out, errors.Join(context.Cause(ctx), errors.Join(errs...))
}

func (s *scanner) try(ctx context.Context, c combination) (o outcome, err error) {
	o = outcome{combination: c}
	evil, ok := c.program(false)
	if !ok {
		return o, nil
	}
	o.applies = true
	res, err := s.scan(ctx, evil)
	if err != nil {
		return o, fmt.Errorf("%s: %w", c.name(), err)
	}
	o.evil, o.rules = res.Verdict, reasons(res)
	twin, _ := c.program(true)
	if res, err = s.scan(ctx, twin); err != nil {
		return o, fmt.Errorf("the twin of %s: %w", c.name(), err)
	}
	o.twin, o.alarms = res.Verdict, reasons(res)
	return o, nil
}

// reasons are the rules and gaps behind a verdict that is not SAFE.
func reasons(res gate.Result) []string {
	out := []string{}
	for _, f := range res.Files {
		for _, found := range f.Findings {
			if found.Decides() && found.Severity != gate.SeverityNote {
				out = append(out, found.Rule)
			}
		}
	}
	for _, g := range res.Incomplete {
		out = append(out, "gap: "+g.Reason)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
