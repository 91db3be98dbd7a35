package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/docker/docker/client"
	"github.com/spf13/cobra"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/exit"
	"github.com/aigate/gate/gate/locks"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/printable"
	"github.com/aigate/gate/sandbox/images"
)

// depsFlags are the flags of `gate deps build`.
type depsFlags struct {
	base      string
	languages []string
	scripts   bool
	env       []string
	files     []string
	ca        string
	within    time.Duration
	force     bool
	verbose   bool
}

func (a *app) depsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "deps",
		Short: "Images with the dependencies that a commit locks",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.depsBuildCommand(), a.depsListCommand(), a.depsPruneCommand())
	return cmd
}

func (a *app) depsBuildCommand() *cobra.Command {
	var f depsFlags
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build images with what the lock files of a commit name",
		Long: `build reads the lock files of a commit, never those of the work tree, installs what
they name with a network and without the code, and makes an image of it for each
language. scan, pr and run find it by the digest of the lock files that the change
starts from.

Lock files: requirements*.txt where every line is pinned, uv.lock, poetry.lock,
Pipfile.lock; package-lock.json, pnpm-lock.yaml, yarn.lock; go.mod with go.sum.
Nothing of a package is executed: only built packages of Python are taken, and
install scripts of npm packages do not run, unless --allow-scripts says so.

What private registries need comes from this machine and stays in the memory of the
container that installs: no image, history or run has it.`,
		Example: `  gate deps build
  gate deps build --base origin/main
  gate deps build --secret-env NPM_TOKEN --secret-file netrc=$HOME/.netrc`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.depsBuild(cmd.Context(), f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.base, "base", "", "take the lock files that a change since `REV` starts from (default: those of HEAD)")
	fl.StringSliceVar(&f.languages, "language", nil, "only for these `LANGUAGES`: "+strings.Join(images.DependencyLanguages(), ", "))
	fl.BoolVar(&f.scripts, "allow-scripts", false, "let packages run code of their own while they are installed")
	fl.StringSliceVar(&f.env, "secret-env", nil, "environment `VARIABLES` for the installers, such as NPM_TOKEN, PIP_INDEX_URL, GOPROXY, HTTPS_PROXY")
	fl.StringSliceVar(&f.files, "secret-file", nil, "settings for the installers as `KIND=FILE`: netrc, npmrc, pip.conf")
	fl.StringVar(&f.ca, "ca", "", "certificates in PEM form that the installers trust as well, in a `FILE`")
	fl.DurationVar(&f.within, "within", images.DefaultWithin, "time for the dependencies of one language")
	fl.BoolVar(&f.force, "force", false, "build also what is current")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "show what the installers say")
	complete(cmd, "language", images.DependencyLanguages()...)
	return cmd
}

func (a *app) depsBuild(ctx context.Context, f depsFlags) error {
	for _, l := range f.languages {
		if !slices.Contains(images.DependencyLanguages(), l) {
			return usage("--language: %q is not one of %s", l, strings.Join(images.DependencyLanguages(), ", "))
		}
	}
	repo, err := change.Open(ctx, nil)
	if err != nil {
		return usage("%w", err)
	}
	defer repo.Close()
	tree, commit, err := repo.BaseTree(ctx, f.base)
	if err != nil {
		return usage("%w (dependencies are built from a commit)", err)
	}
	// The policy is that commit's: which images the repository has of its own.
	set, err := a.policyOf(ctx, repo, cmp.Or(f.base, "HEAD"), "", &layerFlags{})
	if err != nil {
		return err
	}
	all, err := a.locksOf(tree, commit)
	if err != nil {
		return err
	}
	o, err := f.options(a, commit)
	if err != nil {
		return err
	}
	engine, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return usage("%w", err)
	}
	defer engine.Close()
	failed := 0
	for _, l := range all {
		if len(f.languages) > 0 && !slices.Contains(f.languages, l.Language) || a.ownImage(set.policy, l.Language) {
			continue
		}
		if err := a.buildLock(ctx, engine, l, o); err != nil {
			failed++
			fmt.Fprintf(a.stderr, "gate: %s\n", printable.ASCII(err.Error()))
		}
	}
	if failed > 0 {
		return &exit.Error{Code: exitIncomplete}
	}
	return nil
}

// locksOf reads the lock files and says what was left out.
func (a *app) locksOf(tree fs.FS, commit string) ([]locks.Lock, error) {
	paths, err := locks.Paths(tree)
	if err != nil {
		return nil, usage("%w", err)
	}
	all, left, err := locks.Read(tree, paths)
	if err != nil {
		return nil, usage("%w", err)
	}
	for _, l := range left {
		fmt.Fprintf(a.stderr, "gate: left out: %s: %s\n", printable.ASCII(l.Path), printable.ASCII(l.Reason))
	}
	if len(all) == 0 {
		return nil, usage("commit %.12s has no lock file that is understood (see docs/dependencies-of-a-change.md)", commit)
	}
	return all, nil
}

// ownImage says that a language has an image of the user's own, which gate does not
// change.
func (a *app) ownImage(p gate.Policy, language string) bool {
	for _, l := range policy.ImageNames()[language] {
		if ref := p.Sandbox.Images[l]; ref != "" {
			fmt.Fprintf(a.stderr, "gate: nothing is built for %s: code runs in %s, as sandbox.images says; put the dependencies there\n", language, printable.ASCII(ref))
			return true
		}
	}
	return false
}

func (a *app) buildLock(ctx context.Context, engine images.Engine, l locks.Lock, o images.DependencyOptions) error {
	d := images.Dependencies{Language: l.Language, Digest: l.Digest}
	for _, p := range l.Projects {
		d.Projects = append(d.Projects, images.Project{Dir: p.Dir, Kind: p.Kind, Files: p.Files})
	}
	fmt.Fprintf(a.stderr, "gate: dependencies for %s of %d project(s): looking, and building where needed (minutes)\n", l.Language, len(l.Projects))
	info, built, err := images.BuildDependencies(ctx, engine, d, o)
	if err != nil {
		return err
	}
	for _, p := range info.Problems {
		fmt.Fprintf(a.stderr, "gate: not in it: %s\n", printable.ASCII(p))
	}
	what := "current"
	if built {
		what = "built"
	}
	fmt.Fprintf(a.stdout, "%s\t%s\t%s\t%d MB\n", info.Ref, l.Language, what, info.Size>>20)
	return nil
}

// secretFiles are where installers look for their settings, in a home folder.
var secretFiles = map[string]string{"netrc": ".netrc", "npmrc": ".npmrc", "pip.conf": ".config/pip/pip.conf"}

// maxSecretFile bounds a file with settings, in bytes.
const maxSecretFile = 1 << 20

func (f depsFlags) options(a *app, commit string) (images.DependencyOptions, error) {
	o := images.DependencyOptions{
		Options: images.Options{Base: a.getenv("GATE_IMAGE_BASE"), Network: a.getenv("GATE_BUILD_NETWORK"), Force: f.force},
		Commit:  commit, Scripts: f.scripts, Within: f.within,
		Secrets: images.Secrets{Env: map[string]string{}, Files: map[string][]byte{}},
	}
	if f.verbose {
		o.Log = a.stderr
	}
	for _, name := range f.env {
		value := a.getenv(name)
		if value == "" {
			return o, usage("--secret-env: %s is not set", name)
		}
		o.Secrets.Env[name] = value
	}
	read := func(flag, path string) ([]byte, error) {
		data, err := bounded.ReadPath(path, maxSecretFile)
		if err != nil {
			return nil, usage("%s: %w", flag, err)
		}
		return data, nil
	}
	for _, file := range f.files {
		kind, path, _ := strings.Cut(file, "=")
		name := secretFiles[kind]
		if name == "" || path == "" {
			return o, usage("--secret-file: %q is not KIND=FILE with netrc, npmrc or pip.conf as the kind", file)
		}
		data, err := read("--secret-file", path)
		if err != nil {
			return o, err
		}
		o.Secrets.Files[name] = data
	}
	if f.ca != "" {
		var err error
		if o.CA, err = read("--ca", f.ca); err != nil {
			return o, err
		}
	}
	return o, nil
}

func (a *app) depsListCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the images with dependencies",
		Example: "  gate deps list",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withEngine(func(e images.Engine) error {
				all, err := images.ListDependencies(cmd.Context(), e)
				if err != nil {
					return incomplete(err)
				}
				listDependencies(a.stdout, all, time.Now())
				return nil
			})
		},
	}
}

func (a *app) depsPruneCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Remove images with dependencies that are more than a month old",
		Long: `prune removes images that "gate deps build" made and that are more than a month old,
because what they hold lacks the fixes since then. It touches no other image.`,
		Example: "  gate deps prune\n  gate deps prune --all",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withEngine(func(e images.Engine) error {
				removed, err := images.PruneDependencies(cmd.Context(), e, all)
				listDependencies(a.stdout, removed, time.Now())
				if err != nil {
					return incomplete(err)
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "remove those that are younger, too")
	return cmd
}

func (a *app) withEngine(do func(images.Engine) error) error {
	engine, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return usage("%w", err)
	}
	defer engine.Close()
	return do(engine)
}

func listDependencies(w io.Writer, all []images.DependencyInfo, now time.Time) {
	if len(all) == 0 {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "IMAGE\tLANGUAGE\tPROJECTS\tCOMMIT\tDAYS\tMB\tNOT IN IT")
	for _, i := range all {
		fmt.Fprintf(t, "%s\t%s\t%d\t%.12s\t%d\t%d\t%d\n", printable.ASCII(i.Ref), i.Language, len(i.Projects), printable.ASCII(i.Commit), int(now.Sub(i.Created).Hours()/24), i.Size>>20, len(i.Problems))
	}
	_ = t.Flush() // to the same place as everything else
}

// depsCommand is what builds the images for a change since a revision.
func depsCommand(base string) string {
	if base == "" {
		return "gate deps build"
	}
	return "gate deps build --base " + base
}
