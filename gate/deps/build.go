package deps

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/aigate/gate/gate/atomicfile"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/gate/printable"
	"github.com/aigate/gate/sandbox/filelock"
	"github.com/aigate/gate/sandbox/images"
)

// DefaultWithin is the usual time for the dependencies of one language.
const DefaultWithin = images.DefaultWithin

// Languages returns the languages whose dependencies are understood.
func Languages() []string { return images.DependencyLanguages() }

// Build makes sure that there is an image with what a lock names. built says whether it
// had to be built.
func (i *Installation) Build(ctx context.Context, l locks.Lock) (info images.DependencyInfo, built bool, err error) {
	client, err := images.Connect()
	if err != nil {
		return info, false, err
	}
	defer client.Close()
	d, o, err := i.of(l)
	if err != nil {
		return info, false, err
	}
	return images.BuildDependencies(ctx, client, d, o)
}

// Automatic is how a run prepares what it lacks.
type Automatic struct {
	// Getenv looks up the settings of this machine.
	Getenv func(string) string
	// Say tells the user what is done, which takes minutes.
	Say func(format string, args ...any)
	// State is a folder of this machine's user: it holds locks between processes, and what
	// failed.
	State string
	// Commit is the base that the locks are of; "" is a tree without one, whose word about
	// registries and variables does not count.
	Commit string
	// Why says in a few words why this run installs at all: "CI", or who said so.
	Why string
}

// retryAfter is how long a run does not try again what failed: each would wait for the
// same registry that does not answer.
const retryAfter = time.Hour

// maxReason bounds what is kept of a failure, in bytes.
const maxReason = 2 << 10

// FailedError is a build that failed, maybe in an earlier run.
type FailedError struct {
	Reason string
	When   time.Time // zero for this run
}

// Error says why, and when that was.
func (e *FailedError) Error() string {
	if e.When.IsZero() {
		return e.Reason
	}
	return fmt.Sprintf("%s (%s ago; a run tries again after %s, `gate deps build` at once)", e.Reason, time.Since(e.When).Round(time.Minute), retryAfter)
}

// Install makes sure that there is an image with what a lock names, on top of the sandbox
// image that is there. It takes at most half of the time that the context leaves. One that
// is there and due to be renewed is still there where that fails.
func (a *Automatic) Install(ctx context.Context, l locks.Lock) error {
	how, err := Options{}.Resolve(a.Getenv, a.Commit)
	if err != nil {
		return err
	}
	how.Trusted = a.Commit != ""
	how.options.KeepSandbox, how.options.Within = true, DefaultWithin
	if end, bounded := ctx.Deadline(); bounded {
		how.options.Within = min(DefaultWithin, time.Until(end)/2)
	}
	unlock, err := a.lock(ctx, l)
	if err != nil {
		return err
	}
	defer unlock()
	if current, err := a.current(ctx, l); err != nil || current {
		return err
	}
	if e, ok := a.failedBefore(l); ok {
		return e
	}
	whose := "once for these lock files and manifests"
	if l.Changed {
		whose = "with the packages that only the change names, once for its lock files and manifests"
	}
	a.Say("dependencies for %s of %d project(s): installing them in a container, %s (deps: auto, %s; minutes)", l.Language, len(l.Projects), whose, a.Why)
	if l.Interpreter.Major != "" {
		a.Say("Node %s is installed with them: %s asks for Node %s", l.Interpreter.Major, l.Interpreter.By, l.Interpreter.Asked)
	}
	if l.Bun {
		a.Say("Bun is installed with them: a lock file or script of the base is made for it")
	}
	began := time.Now()
	info, _, err := how.Build(ctx, l)
	if err != nil {
		if ctx.Err() == nil {
			a.remember(l, err)
		}
		return &FailedError{Reason: printable.ASCII(err.Error())}
	}
	for _, p := range info.Problems {
		a.Say("not in it: %s", printable.ASCII(p))
	}
	a.Say("dependencies for %s: installed in %s (%s, %d MB)", l.Language, time.Since(began).Round(time.Second), info.Ref, info.Size>>20)
	return nil
}

// current reports whether the engine has an image with what a lock names that is not due
// to be built again.
func (a *Automatic) current(ctx context.Context, l locks.Lock) (bool, error) {
	client, err := images.Connect()
	if err != nil {
		return false, err
	}
	defer client.Close()
	return images.HasDependencies(ctx, client, images.Dependencies{Language: l.Language, Digest: l.Digest})
}

// lock keeps other gates of this user from building the same image at the same time.
func (a *Automatic) lock(ctx context.Context, l locks.Lock) (unlock func(), err error) {
	type got struct {
		unlock func()
		err    error
	}
	locked := make(chan got, 1)
	go func() {
		unlock, err := filelock.Wait(a.file("lock", l), func() { a.Say("dependencies for %s: another gate installs them; waiting for it", l.Language) })
		locked <- got{unlock, err}
	}()
	select {
	case g := <-locked:
		return g.unlock, g.err
	case <-ctx.Done():
		go func() {
			if g := <-locked; g.err == nil {
				g.unlock()
			}
		}()
		return nil, context.Cause(ctx)
	}
}

// file is where something about a lock is kept. Its name says nothing about the lock, and
// nothing of a repository is part of it.
func (a *Automatic) file(what string, l locks.Lock) string {
	sum := sha256.Sum256([]byte(l.Language + " " + l.Digest))
	return filepath.Join(a.State, what+"-"+hex.EncodeToString(sum[:8]))
}

func (a *Automatic) failedBefore(l locks.Lock) (*FailedError, bool) {
	info, err := os.Stat(a.file("failed", l))
	if known := err == nil && time.Since(info.ModTime()) < retryAfter; !known {
		return nil, false
	}
	reason, _ := bounded.ReadPath(a.file("failed", l), maxReason) // "" for what cannot be read
	return &FailedError{Reason: cmp.Or(printable.ASCII(string(reason)), "it failed"), When: info.ModTime()}, true
}

func (a *Automatic) remember(l locks.Lock, failure error) {
	text := printable.ASCII(failure.Error())
	if err := atomicfile.Write(a.file("failed", l), []byte(text[:min(len(text), maxReason)])); err != nil {
		a.Say("the failure could not be written down: %v", err)
	}
}
