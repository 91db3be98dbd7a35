package replay

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/aigate/gate/gate"
)

// Suggestion is a line of the policy that would have let more changes pass.
type Suggestion struct {
	Line string `json:"line"` // of .gate.yml
	// Helps is how many changes that were stopped would have passed.
	Helps int `json:"helps"`
	// Mutes is what the line would also have let through: findings that no longer decide.
	Mutes Muted `json:"mutes"`
}

// Muted counts what no longer decides.
type Muted struct {
	Dangerous  int      `json:"dangerous"`
	Suspicious int      `json:"suspicious"`
	Commits    []string `json:"commits"` // with a dangerous one among them, at most [MaxCommits]
}

// count counts a finding, and reports whether it is a dangerous one.
func (m *Muted) count(s gate.Severity) (dangerous bool) {
	if s >= gate.SeverityDangerous {
		m.Dangerous++
		return true
	}
	m.Suspicious++
	return false
}

// in names a commit that has a dangerous finding among those counted.
func (m *Muted) in(commit string, dangerous bool) {
	if dangerous && len(m.Commits) < MaxCommits {
		m.Commits = append(m.Commits, commit)
	}
}

// The bounds of suggestions.
const (
	MaxSuggestions = 12
	MaxCommits     = 5 // of a suggestion
	minHelps       = 2 // changes that a line has to help
)

// lines are the suggestions that could be made: what they mute, by their text.
func candidates(rows []Row) map[string]func(Reason) bool {
	out := map[string]func(Reason) bool{}
	for _, row := range rows {
		for _, x := range row.Reasons {
			if x.Gap != "" {
				continue
			}
			out[fmt.Sprintf("rules: {severity: {%s: note}}", x.Rule)] = func(o Reason) bool { return o.Rule == x.Rule }
			if at := folder(x.Path); at != x.Path {
				out[fmt.Sprintf("paths: {exclude: [%q]}", at+"**")] = func(o Reason) bool { return folder(o.Path) == at }
			}
		}
	}
	return out
}

// suggest returns what would have helped most. A line that lets something dangerous
// through comes behind those that do not, however much it helps.
func suggest(rows []Row) []Suggestion {
	var out []Suggestion
	for line, mutes := range candidates(rows) {
		if s := measure(line, mutes, rows); s.Helps >= minHelps {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Suggestion) int {
		return cmp.Or(cmp.Compare(min(a.Mutes.Dangerous, 1), min(b.Mutes.Dangerous, 1)), cmp.Compare(b.Helps, a.Helps),
			cmp.Compare(a.Mutes.Suspicious, b.Mutes.Suspicious), cmp.Compare(a.Line, b.Line))
	})
	return out[:min(len(out), MaxSuggestions)]
}

// measure counts what a line helps and what it lets through.
func measure(line string, mutes func(Reason) bool, rows []Row) Suggestion {
	s := Suggestion{Line: line}
	for _, row := range rows {
		left, dangerous := 0, false
		for _, x := range row.Reasons {
			switch {
			case x.Gap != "" || !mutes(x):
				left++
			default:
				dangerous = s.Mutes.count(x.Severity) || dangerous
			}
		}
		s.Mutes.in(row.Commit, dangerous)
		if left == 0 && len(row.Reasons) > 0 && row.Failed == "" {
			s.Helps++
		}
	}
	return s
}
