package engine

import (
	"archive/tar"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/aigate/gate/gate/execute"
	"github.com/aigate/gate/gate/rate"
	"github.com/aigate/gate/sandbox"
)

// runsFor is who the runs of this process are for: in GitHub Actions, where all jobs of a
// runner have one account, who started the workflow; else the account, whose folder it is.
func (e *Engine) runsFor() string {
	return cmp.Or(e.host.Getenv("GITHUB_TRIGGERING_ACTOR"), e.host.Getenv("GITHUB_ACTOR"))
}

// limited counts every run before it starts. A run that is refused did not come
// about, so what it was for is INCOMPLETE.
type limited struct {
	*sandbox.Docker
	limit rate.Limit
}

// Run implements [execute.Runner].
func (l limited) Run(ctx context.Context, spec sandbox.Spec) (sandbox.Result, error) {
	digest, err := l.digest(spec)
	if err == nil {
		err = l.limit.Take(digest)
	}
	if err != nil {
		err = fmt.Errorf("%w: %w", execute.ErrRefused, err)
		return sandbox.Result{Status: sandbox.Failed, ExitCode: -1, Reason: err.Error()}, err
	}
	return l.Docker.Run(ctx, spec)
}

// digest is that of the code of a run: the program, its arguments and the files beside it,
// which do not change from run to run as the planted secrets do.
func (l limited) digest(spec sandbox.Spec) (string, error) {
	if l.limit.None() {
		return "", nil
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q\n", spec.Image, spec.Dir, spec.Argv)
	if spec.Input != nil {
		files := tar.NewWriter(sum)
		if err := errors.Join(spec.Input(files), files.Close()); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}
