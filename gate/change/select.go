package change

import (
	"fmt"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/glob"
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
			if err := glob.Check(g); err != nil {
				return selection{}, fmt.Errorf("paths: %w", err)
			}
		}
	}
	return selection{paths: p, scope: s}, nil
}

// leftOut returns why a file is not to be a target, or "", and whether it is the policy that says so.
func (s selection) leftOut(path string) (why string, byPolicy bool) {
	if !s.scope.holds(path) {
		return "not among the paths of the command line", false
	}
	if len(s.paths.Include) > 0 && !glob.Any(s.paths.Include, path) {
		return "not among paths.include", true
	}
	if g, ok := glob.First(s.paths.Exclude, path); ok {
		return fmt.Sprintf("excluded by paths.exclude (%s)", g), true
	}
	return "", false
}
