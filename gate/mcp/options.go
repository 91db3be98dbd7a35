package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exchange"
	"github.com/aigate/gate/gate/exit"
)

// Options are what is fixed when a server starts. New checks them.
type Options struct {
	Engine *engine.Engine
	// Run is what the command line says about layers, policy and containers. Without
	// layers, scans have the static one.
	Run    engine.Options
	Roots  []string // folders that scan_change may look at
	Skills []string // folders whose own folders are skills

	RunsPerHour int           // of one session; 0 is [DefaultRuns]
	Unused      time.Duration // after which a session ends; 0 is the default of package workspace
	// Before are the layers that a program, the files beside it and a skill pass before
	// anything runs or is handed out; none is the static one.
	Before []gate.Layer
	// Given is what every program finds in /input, and the tools for files can read there.
	Given exchange.Given
	// Results takes what a program left in /output when it has ended; nil asks for nothing.
	// It is called by one call at a time.
	Results func([]exchange.File)
	// Watch says that programs find planted secrets and a simulated internet, and that what
	// they do is judged: nothing is kept of a run that does not pass.
	Watch bool
	// State is the folder for sessions; "" is gate's own.
	State string
	// Programs runs the programs; nil is in containers of this machine.
	Programs Runner
	Log      *slog.Logger // of protocol errors; nil is silence
	Now      func() time.Time
}

// DefaultRuns is how many programs one session may run in an hour. All sessions together
// may run [sessionsWorth] times as many.
const (
	DefaultRuns   = 240
	sessionsWorth = 4
)

// The bounds of what a server does at a time.
const (
	maxCalls     = 16              // calls of tools; more are refused
	maxMessage   = 16 << 20        // bytes of one message of a client
	waitSession  = 2 * time.Minute // for another call with the same session
	sweepEvery   = 10 * time.Minute
	maxBound     = 256 // connections whose session is remembered
	maxRoots     = 32
	shutdownTime = 10 * time.Second
)

// Runner runs programs in containers of their own.
type Runner interface {
	Run(ctx context.Context, p engine.Program) (engine.Ended, error)
	Close() error
}

func (o *Options) check() error {
	if o.Engine == nil {
		return errors.New("mcp: no engine")
	}
	if len(o.Roots) > maxRoots || len(o.Skills) > maxRoots {
		return exit.Usagef("at most %d folders are taken for --root and for --skills", maxRoots)
	}
	if o.RunsPerHour < 0 {
		return exit.Usagef("--runs-per-hour: %d is negative", o.RunsPerHour)
	}
	if o.Unused < 0 || o.Unused > 0 && o.Unused < time.Minute {
		return exit.Usagef("--session-expiry: %s is shorter than a minute", o.Unused)
	}
	o.RunsPerHour = cmp.Or(o.RunsPerHour, DefaultRuns)
	o.State = cmp.Or(o.State, o.Engine.StateDir("mcp"))
	if len(o.Before) == 0 {
		o.Before = []gate.Layer{gate.LayerStatic}
	}
	if len(o.Run.Layers) == 0 {
		o.Run.Layers = []string{"static"}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return nil
}

// realFolder is the folder that a path leads to, without links.
func realFolder(p string) (string, error) {
	abs, err := filepath.Abs(p)
	if err != nil {
		return "", fmt.Errorf("find the folder %s: %w", p, err)
	}
	return filepath.EvalSymlinks(abs)
}
