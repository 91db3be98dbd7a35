package git

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Errors that say why a revision cannot be used.
var (
	// ErrNoRevision says that a name means no commit of this repository.
	ErrNoRevision = errors.New("no such commit")
	// ErrAmbiguous says that a name means more than one commit.
	ErrAmbiguous = errors.New("the name is ambiguous")
	// ErrNoAncestor says that two commits have no common ancestor here.
	ErrNoAncestor = errors.New("no common ancestor")
	// ErrShallow says that the history ends early because the clone is shallow.
	ErrShallow = errors.New("the clone is shallow")
)

// maxRevision bounds the length of a revision.
const maxRevision = 1024

// checkRevision refuses what cannot be a revision, above all what git would
// take for an option.
func checkRevision(rev string) error {
	switch {
	case rev == "":
		return errors.New("the revision is empty")
	case len(rev) > maxRevision:
		return fmt.Errorf("the revision has %d bytes (at most %d)", len(rev), maxRevision)
	case strings.HasPrefix(rev, "-"):
		return fmt.Errorf("the revision %q begins with a dash", printable(clip(rev)))
	case strings.ContainsFunc(rev, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("the revision %q has control characters", printable(clip(rev)))
	}
	return nil
}

// Commit returns the commit that a revision means, with ErrNoRevision where it
// means none, ErrShallow besides where more history might have it, and ErrAmbiguous
// where it means several.
func (r *Repo) Commit(ctx context.Context, rev string) (OID, error) {
	if err := checkRevision(rev); err != nil {
		return "", err
	}
	full, err := refNames{r}.fullName(ctx, rev)
	if err != nil {
		return "", err
	}
	name, err := r.line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", full+"^{commit}")
	var failed *Error
	if errors.As(err, &failed) && failed.Code == 1 {
		return "", r.orShallow(ctx, fmt.Errorf("%q: %w", printable(clip(rev)), ErrNoRevision))
	}
	if err != nil {
		return "", err
	}
	return r.format.parse(name)
}

// Head returns the commit that is checked out. ok is false on a branch without
// commits.
func (r *Repo) Head(ctx context.Context) (oid OID, ok bool, err error) {
	oid, err = r.Commit(ctx, "HEAD")
	if !errors.Is(err, ErrNoRevision) {
		return oid, err == nil, err
	}
	// A HEAD that names a branch without commits resolves as a name; a detached
	// or broken one does not, and is an error.
	if _, symErr := r.line(ctx, "symbolic-ref", "--quiet", "HEAD"); symErr != nil {
		return "", false, err
	}
	return "", false, nil
}

// MergeBase returns the best common ancestor of two commits.
func (r *Repo) MergeBase(ctx context.Context, a, b OID) (OID, error) {
	name, err := r.line(ctx, "merge-base", string(a), string(b))
	var failed *Error
	switch {
	case errors.As(err, &failed) && failed.Code == 1:
		return "", r.orShallow(ctx, fmt.Errorf("%.12s and %.12s: %w", a, b, ErrNoAncestor))
	case err != nil:
		return "", err
	}
	return r.format.parse(name)
}

// Shallow reports whether the history of the clone is cut.
func (r *Repo) Shallow(ctx context.Context) (bool, error) {
	s, err := r.line(ctx, "rev-parse", "--is-shallow-repository")
	return s == "true", err
}

// orShallow adds to err that the clone is shallow, where it is.
func (r *Repo) orShallow(ctx context.Context, err error) error {
	shallow, shallowErr := r.Shallow(ctx)
	if shallowErr != nil {
		return errors.Join(err, shallowErr)
	}
	if !shallow {
		return err
	}
	return &shallowError{err}
}

// shallowError is err in a clone with too little history.
type shallowError struct{ err error }

func (e *shallowError) Error() string {
	return e.err.Error() + ": " + ErrShallow.Error() +
		"; set `fetch-depth: 0` for actions/checkout, or run `git fetch --unshallow`"
}

func (e *shallowError) Unwrap() []error { return []error{e.err, ErrShallow} }
