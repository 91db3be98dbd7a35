package change

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/aigate/gate/gate/change/git"
)

// scope is what the user named.
type scope struct {
	explicit bool // the user named paths
	paths    []string
	set      map[string]bool
}

func (s *scope) add(rel string) {
	if s.set == nil {
		s.set = map[string]bool{}
	}
	if !s.set[rel] {
		s.set[rel] = true
		s.paths = append(s.paths, rel)
	}
}

// name adds a location below root.
func (s *scope) name(root string, l location) error {
	rel, err := filepath.Rel(root, l.path)
	if err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%q is not below %s", l.asNamed, root)
	}
	rel = filepath.ToSlash(rel)
	if rel != "." {
		if err := git.CheckPath(rel); err != nil {
			return fmt.Errorf("%q: %w", l.asNamed, err)
		}
	}
	s.add(rel)
	return nil
}

// holds reports whether a path is named, or lies in a folder that is.
func (s *scope) holds(p string) bool {
	if s.set["."] {
		return true
	}
	for {
		if s.set[p] {
			return true
		}
		i := strings.LastIndexByte(p, '/')
		if i < 0 {
			return false
		}
		p = p[:i]
	}
}

// namedIn returns the paths that the user named which are the folder, or lie in
// it.
func (s *scope) namedIn(folder string) []string {
	var out []string
	for _, p := range s.paths {
		if p == folder || strings.HasPrefix(p, folder+"/") {
			out = append(out, p)
		}
	}
	return out
}
