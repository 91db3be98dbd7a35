package attack

import (
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate/glob"
)

// Filter selects attacks. An empty list selects all.
type Filter struct {
	Only       []string // globs on ids, groups or GROUP/ID
	Techniques []string // ATT&CK ids; T1048 stands for its parts too
	Languages  []string
	Blind      bool // only those that were written blind
}

// All reports whether the filter leaves nothing out.
func (f Filter) All() bool {
	return len(f.Only) == 0 && len(f.Techniques) == 0 && len(f.Languages) == 0 && !f.Blind
}

// Select returns the attacks that match. It is an error when none does, because a
// filter with a slip of the pen must not look like a suite that held.
func (s Suite) Select(f Filter) (Suite, error) {
	for _, g := range f.Only {
		if err := glob.CheckName(g); err != nil {
			return nil, err
		}
	}
	for _, l := range f.Languages {
		if !slices.Contains(languages, l) {
			return nil, fmt.Errorf("there are no attacks in %q (one of %s)", l, strings.Join(languages, ", "))
		}
	}
	var out Suite
	for _, a := range s {
		if f.matches(a) {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("none of the %d attacks is selected", len(s))
	}
	return out, nil
}

func (f Filter) matches(a *Attack) bool {
	any := func(list []string, match func(string) bool) bool {
		return len(list) == 0 || slices.ContainsFunc(list, match)
	}
	return any(f.Only, func(g string) bool {
		for _, name := range []string{a.ID, a.Group, a.Group + "/" + a.ID} {
			if glob.MatchName(g, name) {
				return true
			}
		}
		return false
	}) && any(f.Techniques, func(t string) bool {
		return a.Technique == t || strings.HasPrefix(a.Technique, t+".")
	}) && any(f.Languages, func(l string) bool { return a.Language == l }) && (a.Blind || !f.Blind)
}
