package deps

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/printable"
	"github.com/aigate/gate/sandbox/images"
)

// BuildOptions say which images [Build] makes, and with what.
type BuildOptions struct {
	Base      string   // the revision that a change starts from; "" is HEAD
	Languages []string // of [Languages]; empty is all
	Scripts   bool     // let packages run code of their own while they are installed
	SecretEnv []string // environment variables for the installers
	// SecretFiles are settings for the installers, as KIND=FILE: netrc, npmrc, pip.conf.
	SecretFiles []string
	CA          string // file with certificates that the installers trust as well
	Within      time.Duration
	Force       bool      // build also what is current
	Log         io.Writer // takes what the installers say; nil drops it
}

// DefaultWithin is the usual time for the dependencies of one language.
const DefaultWithin = images.DefaultWithin

// Languages returns the languages whose lock files are understood.
func Languages() []string { return images.DependencyLanguages() }

// Build makes an image for each language that the commit has lock files of, and lists the
// images on w.
func Build(ctx context.Context, e *engine.Engine, o BuildOptions, w io.Writer) error {
	for _, l := range o.Languages {
		if !slices.Contains(Languages(), l) {
			return exit.Usagef("--language: %q is not one of %s", l, strings.Join(Languages(), ", "))
		}
	}
	repo, err := change.Open(ctx, nil)
	if err != nil {
		return exit.Usagef("%w", err)
	}
	defer repo.Close()
	tree, commit, err := repo.BaseTree(ctx, o.Base)
	if err != nil {
		return exit.Usagef("%w (dependencies are built from a commit)", err)
	}
	// The policy is that commit's: which images the repository has of its own.
	set, err := e.Settings(ctx, repo, cmp.Or(o.Base, "HEAD"), engine.Options{})
	if err != nil {
		return err
	}
	all, err := locksOf(e, tree, commit)
	if err != nil {
		return err
	}
	how, err := o.resolve(e.Getenv, commit)
	if err != nil {
		return err
	}
	client, err := images.Connect()
	if err != nil {
		return exit.Usagef("%w", err)
	}
	defer client.Close()
	failed := false
	for _, l := range all {
		if len(o.Languages) > 0 && !slices.Contains(o.Languages, l.Language) || hasOwnImage(e, set.Policy, l.Language) {
			continue
		}
		if err := buildLock(ctx, e, client, l, how, w); err != nil {
			failed = true
			e.Noticef("%s", printable.ASCII(err.Error()))
		}
	}
	if failed {
		return &exit.Error{Code: exit.Incomplete}
	}
	return nil
}

// locksOf reads the lock files and says what was left out.
func locksOf(e *engine.Engine, tree fs.FS, commit string) ([]locks.Lock, error) {
	paths, err := locks.Paths(tree)
	if err != nil {
		return nil, exit.Usagef("%w", err)
	}
	all, left, err := locks.Read(tree, paths)
	if err != nil {
		return nil, exit.Usagef("%w", err)
	}
	for _, l := range left {
		e.Noticef("left out: %s: %s", printable.ASCII(l.Path), printable.ASCII(l.Reason))
	}
	if len(all) == 0 {
		return nil, exit.Usagef("commit %.12s has no lock file that is understood (see docs/dependencies-of-a-change.md)", commit)
	}
	return all, nil
}

// hasOwnImage reports, also to the user, that a language has an image of the user's own,
// which gate does not change.
func hasOwnImage(e *engine.Engine, p gate.Policy, language string) bool {
	for _, l := range policy.ImageNames()[language] {
		if ref := p.Sandbox.Images[l]; ref != "" {
			e.Noticef("nothing is built for %s: code runs in %s, as sandbox.images says; put the dependencies there", language, printable.ASCII(ref))
			return true
		}
	}
	return false
}

func buildLock(ctx context.Context, e *engine.Engine, client images.Engine, l locks.Lock, o images.DependencyOptions, w io.Writer) error {
	d := images.Dependencies{Language: l.Language, Digest: l.Digest}
	for _, p := range l.Projects {
		d.Projects = append(d.Projects, images.Project{Dir: p.Dir, Kind: p.Kind, Files: p.Files})
	}
	e.Noticef("dependencies for %s of %d project(s): looking, and building where needed (minutes)", l.Language, len(l.Projects))
	info, built, err := images.BuildDependencies(ctx, client, d, o)
	if err != nil {
		return err
	}
	for _, p := range info.Problems {
		e.Noticef("not in it: %s", printable.ASCII(p))
	}
	what := "current"
	if built {
		what = "built"
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%d MB\n", info.Ref, l.Language, what, info.Size>>20)
	return nil
}
