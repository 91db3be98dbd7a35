package lsp

import (
	"cmp"
	"errors"
	"log/slog"
	"time"

	"github.com/aigate/gate/gate/engine"
)

// Options are what is fixed when a server starts. New checks them.
type Options struct {
	Engine *engine.Engine
	// Run is what the command line says about the policy and about containers.
	Run engine.Options
	// Base is the revision whose policy and suppressions count, and against which texts are
	// compared; "" is HEAD.
	Base string
	// Wait is how long a text has to rest before it is looked at; 0 is [DefaultWait].
	Wait time.Duration
	Log  *slog.Logger // of protocol errors; nil is silence

	// times are how long each scan of a text may take; nil is [scanTimes].
	times []time.Duration
}

// DefaultWait is how long a text rests before it is looked at: shorter than a pause of
// a user who types, longer than the time between two keys.
const DefaultWait = 100 * time.Millisecond

// The bounds of what a server does.
const (
	maxDocuments   = 1000 // that are open
	maxRoots       = 64   // folders
	maxDiagnostics = 500  // of one text
	maxFixes       = 10   // that are tried for one request
)

// scanTimes are how long the scans of a text may take. The first one bounds what a hostile text
// costs. It is the machine that was busy far more often, so the text is scanned again.
func scanTimes() []time.Duration {
	return []time.Duration{10 * time.Second, 30 * time.Second, time.Minute}
}

func (o *Options) check() error {
	if o.Engine == nil {
		return errors.New("lsp: no engine")
	}
	o.Base = cmp.Or(o.Base, "HEAD")
	o.Wait = cmp.Or(o.Wait, DefaultWait)
	if o.times == nil {
		o.times = scanTimes()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return nil
}
