package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/exit"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// root is a folder that scan_change may look at.
type root struct {
	named string // as the command line has it
	path  string // without links
	git   bool
	// settings are those of the commit that was checked out when the server started: who
	// works in the folder has no say about how it is looked at.
	settings engine.Settings
	local    *engine.Local // that the settings are read from
}

// openRoot finds out what a folder is, and pins the policy for it.
func openRoot(ctx context.Context, o Options, dir string) (root, error) {
	p, err := realFolder(dir)
	if err != nil {
		return root{}, exit.Usagef("--root: %w", err)
	}
	if info, err := os.Stat(p); err != nil || !info.IsDir() {
		return root{}, exit.Usagef("--root: %s is no folder", dir)
	}
	r := root{named: dir, path: p, git: true}
	if r.local, err = o.Engine.OpenLocal(ctx, engine.LocalOptions{Paths: []string{p}, Base: "HEAD", Options: o.Run}); err != nil {
		return root{}, err
	}
	r.settings, err = r.local.Settings(ctx)
	if errors.Is(err, change.ErrNoRepository) {
		r.git = false
		r.settings, err = o.Engine.SettingsWithoutTree(o.Run)
	}
	if err != nil {
		return root{}, errors.Join(fmt.Errorf("--root %s: %w", dir, err), r.local.Close())
	}
	r.settings.Policy.Deps = cmp.Or(r.settings.Policy.Deps, gate.DepsNever) // there is no user to be asked
	return r, nil
}

// rootOf finds the root that a client names; without a name it is the only one.
func (s *Server) rootOf(name string) (root, error) {
	var names []string
	for _, r := range s.roots {
		if name == r.named || name == r.path || name == "" && len(s.roots) == 1 {
			return r, nil
		}
		names = append(names, fmt.Sprintf("%q", r.named))
	}
	switch {
	case len(names) == 0:
		return root{}, errors.New("no folder was named when the server started, so there is nothing to scan: start it as gate mcp --root DIR, or give the text to scan_code")
	case name == "":
		return root{}, fmt.Errorf("which root? expected is one of %s", strings.Join(names, ", "))
	}
	return root{}, fmt.Errorf("%+.200q is not one of the roots that were named when the server started; expected is one of %s", name, strings.Join(names, ", "))
}

// inside resolves paths that a client names in a root.
func (r root) inside(paths []string) ([]string, error) {
	if len(paths) == 0 {
		return []string{r.path}, nil
	}
	var out []string
	for _, p := range paths {
		if strings.ContainsRune(p, 0) || !filepath.IsLocal(filepath.FromSlash(p)) {
			return nil, fmt.Errorf("%+.200q is not a path inside the root; expected is one such as src/main.py", p)
		}
		real, err := filepath.EvalSymlinks(filepath.Join(r.path, filepath.FromSlash(p)))
		if err != nil {
			return nil, fmt.Errorf("%+.200q is not in the root %s", p, r.named)
		}
		if rel, err := filepath.Rel(r.path, real); err != nil || !filepath.IsLocal(rel) {
			return nil, fmt.Errorf("%+.200q leads out of the root %s by a link", p, r.named)
		}
		out = append(out, real)
	}
	return out, nil
}

// revision is what a client may name as a base. It is never taken for a flag.
var revision = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/@^~-]{0,199}$`)

// pinned is a folder under settings that are known already.
type pinned struct {
	*engine.Local
	settings engine.Settings
}

var _ engine.Origin = pinned{}

// Settings implements [engine.Origin].
func (p pinned) Settings(context.Context) (engine.Settings, error) { return p.settings, nil }

// request is the scan of a root since a revision.
func (s *Server) request(ctx context.Context, r root, base string, paths []string) (_ engine.Request, done func() error, err error) {
	if base != "" && !revision.MatchString(base) {
		return engine.Request{}, nil, fmt.Errorf("%+.200q is no revision; expected is one such as HEAD, main or origin/main", base)
	}
	switch {
	case !r.git && base != "":
		return engine.Request{}, nil, fmt.Errorf("%s is in no git work tree, so there is nothing to compare it with; leave base out, and all of its files are looked at", r.named)
	case r.git && base == "":
		base = "HEAD"
	}
	at, err := r.inside(paths)
	if err != nil {
		return engine.Request{}, nil, err
	}
	local, err := s.o.Engine.OpenLocal(ctx, engine.LocalOptions{Paths: at, Base: base, Options: s.o.Run})
	if err != nil {
		return engine.Request{}, nil, err
	}
	return engine.Request{
		Origin: pinned{local, r.settings}, Selected: s.o.Run.Selected(), Base: base,
		Suppress: engine.Suppressions{On: r.git, AgainstBase: true},
	}, local.Close, nil
}

// telling is a handler that tells the client of progress.
type telling struct {
	progress func(done, total int, what string)
	step     int
}

// Handle implements [gate.Handler].
func (t *telling) Handle(e gate.Event) error {
	if p, ok := e.(gate.Progress); ok {
		t.step++
		t.progress(t.step, 0, line(fmt.Sprintf("%s: %d of %d %s", p.Layer, p.Done, p.Total, p.Detail), 200))
	}
	return nil
}
