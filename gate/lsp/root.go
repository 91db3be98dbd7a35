package lsp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/engine"
	"github.com/aigate/gate/gate/rulebook"
	"github.com/aigate/gate/gate/suppress"
)

// root is a folder that the user has opened, with what counts in it. All of that is of the
// commit that was checked out when it was opened.
type root struct {
	uri  string
	path string // without links
	tree string // the work tree that it is part of, without links
	git  bool

	settings engine.Settings
	base     fs.FS // files of the commit; nil where there is none
	baseline *suppress.Baseline
	layers   *engine.Layers // the static one
	rules    rulebook.Entries
	local    *engine.Local
	memory   *gate.Memory // of texts of the commit
	failed   error        // why nothing in it can be looked at
}

// openRoot finds out what counts in a folder. ctx is that of the server. A folder in which
// nothing can be looked at is one whose texts say so.
func (s *Server) openRoot(ctx context.Context, uri string) *root {
	r := &root{uri: uri, memory: new(gate.Memory)}
	path, err := pathOf(uri)
	if err == nil {
		r.path, err = filepath.EvalSymlinks(path)
	}
	if err != nil {
		r.failed = fmt.Errorf("the folder can't be opened: %w", err)
		return r
	}
	r.tree = r.path
	r.failed = r.open(ctx, s.o)
	return r
}

func (r *root) open(ctx context.Context, o Options) (err error) {
	e := o.Engine
	if r.local, err = e.OpenLocal(ctx, engine.LocalOptions{Paths: []string{r.path}, Base: o.Base, Options: o.Run}); err != nil {
		return err
	}
	r.git = true
	r.settings, err = r.local.Settings(ctx)
	switch {
	case errors.Is(err, change.ErrNoRepository):
		r.git = false
		r.settings, err = e.SettingsWithoutTree(o.Run)
	case err == nil:
		r.tree, r.base = r.local.Root(), r.settings.Tree
	}
	if err != nil {
		return err
	}
	if r.git {
		if r.baseline, err = r.settings.Baseline(); err != nil {
			return err
		}
	}
	r.settings.Policy.Require = []gate.Layer{gate.LayerStatic}
	own, err := r.settings.UserRules()
	if err != nil {
		return err
	}
	if r.rules, err = rulebook.New(e.Rules).Entries(own...); err != nil {
		return err
	}
	r.layers, err = e.Open(ctx, engine.Setup{Settings: r.settings, Selected: []gate.Layer{gate.LayerStatic}})
	return err
}

func (r *root) close() error {
	var errs []error
	if r.layers != nil {
		errs = append(errs, r.layers.Close())
	}
	if r.local != nil {
		errs = append(errs, r.local.Close())
	}
	return errors.Join(errs...)
}

// rule returns what is known of a rule; the zero value is nothing.
func (r *root) rule(id string) rulebook.Entry {
	e, err := r.rules.Find(id)
	if err != nil {
		return rulebook.Entry{}
	}
	return e
}

// pathOf is the file or folder that an address names.
func pathOf(uri string) (string, error) {
	u, err := url.Parse(uri)
	switch {
	case err != nil || u.Scheme != "file":
		return "", errors.New("it is no file of this machine")
	case u.Host != "" && !strings.EqualFold(u.Host, "localhost"):
		return "", errors.New("it is a file of another machine")
	case u.RawQuery != "" || u.Fragment != "" || strings.ContainsRune(u.Path, 0):
		return "", errors.New("its address is not that of a file")
	}
	p := u.Path
	if runtime.GOOS == "windows" {
		p = strings.TrimPrefix(p, "/")
	}
	p = filepath.FromSlash(p)
	if !filepath.IsAbs(p) {
		return "", errors.New("its address has no full path")
	}
	return filepath.Clean(p), nil
}

// addressOf is the address of a file.
func addressOf(p string) string {
	p = filepath.ToSlash(p)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// resolved follows the links of a path, as far as it exists.
func resolved(p string) string {
	rest := ""
	for dir := p; ; {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return p
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = up
	}
}

// within returns a path relative to a folder, "" for one that is not in it.
func within(folder, p string) string {
	rel, err := filepath.Rel(folder, p)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// place finds the folder that a document is in, the innermost one, and its name there as
// rules see it. The error says why it is not looked at.
func (s *Server) place(uri string) (_ *root, full, rel string, err error) {
	p, err := pathOf(uri)
	if err != nil {
		return nil, "", "", err
	}
	full = resolved(p)
	s.mu.Lock()
	defer s.mu.Unlock()
	var found *root
	for _, r := range s.roots {
		if r.path != "" && within(r.path, full) != "" && (found == nil || len(r.path) > len(found.path)) {
			found = r
		}
	}
	if found == nil {
		return nil, "", "", errors.New("it is outside of every folder that is open in the editor, or a link leads out of it")
	}
	if rel = within(found.tree, full); rel == "" || !fs.ValidPath(rel) {
		return nil, "", "", errors.New("it has no name in the work tree")
	}
	return found, full, rel, nil
}
