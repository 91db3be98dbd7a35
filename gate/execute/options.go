package execute

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/cache"
	"github.com/aigate/gate/gate/execute/behaviour"
	"github.com/aigate/gate/gate/execute/workspace"
	"github.com/aigate/gate/gate/locks"
)

// Options are everything that the layer depends on.
type Options struct {
	// Open connects to the container engine. It is called at the first unit, so
	// that a change in which nothing can be run needs no engine. Its error makes the
	// layer unavailable. A Runner that is an io.Closer is closed by [Stage.Close].
	Open func(ctx context.Context) (Runner, error)
	// Hint is the command that fixes an engine that Open could not reach, or "".
	Hint string

	Policy gate.SandboxPolicy
	// Imports is the allow-list of the restricted mode of Python.
	Imports gate.Imports
	On      gate.On
	// Required says that the layer has to complete: what a run did not get to in its
	// time is a gap then.
	Required bool

	// Images are the references of the images by the language that they run:
	// python, javascript, go and shell. Those of the policy come before them.
	Images map[gate.Language]string
	// ImageHint returns the command that builds or renews an image, or "".
	ImageHint func(ref string) string

	// DependencyCommand is what builds the images with the dependencies of the base.
	DependencyCommand string
	// Install, when set, makes the image with what a lock of the base names where the
	// engine has no current one, and with what [locks.Extend] adds to it. It is called before
	// the first unit of the language runs, and nothing else of the change is part of what it
	// is given.
	Install func(ctx context.Context, l locks.Lock) error
	// Uninstalled, when set, is told of a lock whose packages no image has, where Install is
	// nil. It is safe for use by several goroutines.
	Uninstalled func(l locks.Lock)
	// Locked says that only lock files count, not what manifests without one ask for.
	Locked bool
	// NotAdded says why packages that only the change names are never installed; "" where
	// they are as those of the base.
	NotAdded string
	// NotInstalled says why Install is nil, for the user; "" for no reason.
	NotInstalled string

	// Parallel is how many containers run at a time; 0 follows from the cores of
	// this machine and of a container.
	Parallel int
	// MaxInput and MaxFiles bound what enters a container; 0 is
	// [workspace.DefaultMaxInput] and [workspace.DefaultMaxFiles].
	MaxInput int64
	MaxFiles int
	// Exchange is about programs that are run for the files that they write; nil for
	// all others.
	Exchange *Exchange
	// Log keeps a record of every run; nil keeps none.
	Log *Log
	// Cache keeps what runs did, so that the same run need not be repeated; nil
	// repeats all.
	Cache cache.Keeper
	// Fresh is why every program runs whatever the cache knows, such as "a merge queue
	// runs all programs"; "" is that what is known is reused. What they do is kept.
	Fresh string
}

// New checks the options.
func New(o Options) (*Stage, error) {
	if o.Open == nil {
		return nil, errors.New("execute: no way to open a container engine")
	}
	images := maps.Clone(o.Images)
	if images == nil {
		images = map[gate.Language]string{}
	}
	maps.Copy(images, o.Policy.Images)
	for _, l := range []gate.Language{gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageGo, gate.LanguageShell} {
		if images[l] == "" {
			return nil, fmt.Errorf("execute: no image for %s", l)
		}
	}
	o.Images = images
	if o.ImageHint == nil {
		o.ImageHint = func(string) string { return "" }
	}
	o.DependencyCommand = cmp.Or(o.DependencyCommand, "gate deps build")
	o.MaxInput = cmp.Or(o.MaxInput, workspace.DefaultMaxInput)
	o.MaxFiles = cmp.Or(o.MaxFiles, workspace.DefaultMaxFiles)
	if o.Parallel == 0 {
		o.Parallel = max(1, int(float64(runtime.NumCPU())/max(cmp.Or(o.Policy.CPUs, 1), 0.5)))
	}
	return &Stage{o: o, baselines: baselines{known: map[string]behaviour.Baseline{}}}, nil
}
