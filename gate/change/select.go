package change

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/aigate/gate/gate"
)

// selection decides which files become targets.
type selection struct {
	paths gate.Paths
	scope scope
}

// newSelection checks the globs, so that a bad one is an error and not a file
// that nothing matches.
func newSelection(p gate.Paths, s scope) (selection, error) {
	for _, globs := range [][]string{p.Include, p.Exclude} {
		for _, g := range globs {
			if g == "" || !doublestar.ValidatePattern(g) {
				return selection{}, fmt.Errorf("paths: %q is not a valid glob", g)
			}
		}
	}
	return selection{paths: p, scope: s}, nil
}

// leftOut returns why a file is not to be a target, or "".
func (s selection) leftOut(path string) string {
	if !s.scope.holds(path) {
		return "not among the paths of the command line"
	}
	if len(s.paths.Include) > 0 && matching(s.paths.Include, path) == "" {
		return "not among paths.include"
	}
	if g := matching(s.paths.Exclude, path); g != "" {
		return fmt.Sprintf("excluded by paths.exclude (%s)", g)
	}
	return ""
}

// matching returns the first glob that matches, or "".
func matching(globs []string, path string) string {
	for _, g := range globs {
		if Match(g, path) {
			return g
		}
	}
	return ""
}

// Match reports whether a doublestar glob matches a slash-separated path: ** is
// any number of folders, and a glob without a slash is looked for in every
// folder. An invalid glob matches nothing.
func Match(glob, path string) bool {
	glob = strings.TrimPrefix(glob, "/")
	if !strings.Contains(glob, "/") {
		glob = "**/" + glob
	}
	return doublestar.MatchUnvalidated(glob, path)
}
