package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/policy"
	"github.com/aigate/gate/gate/printable"
)

// Usage is a finding as a safe usage of the policy would see it.
type Usage struct {
	Rule     string        `json:"rule"`
	Path     string        `json:"path"`
	Language gate.Language `json:"language"`
	Severity gate.Severity `json:"severity"`       // as it counts, with what another layer confirms
	Text     string        `json:"text,omitempty"` // its lines, "" where no safe usage can cover it
	// Unknown says that a safe usage could cover it, and that its lines are not kept: they
	// are too long, or the file has a secret. It counts as covered by all.
	Unknown   bool   `json:"unknown,omitempty"`
	Dismissed bool   `json:"dismissed,omitempty"`
	Reason    string `json:"reason,omitempty"` // of the dismissal
}

// The bounds of what is learned.
const (
	MaxUsages     = 200 // of one change
	MaxUsageText  = 300 // bytes
	minDismissals = 3   // that a proposal rests on
	maxProposals  = 12
	maxGroups     = 2000
)

// UsagesOf lists what a result says of rules in the change: what decides, and what was
// dismissed. textOf is what a safe usage would have to match, and whether one could cover it. more is how many there are
// besides.
func UsagesOf(res gate.Result, textOf func(path string, f gate.Finding) (string, bool)) (out []Usage, more int) {
	for _, file := range res.Files {
		for _, f := range file.Findings {
			dismissed := f.Suppressed != nil && f.Suppressed.Dismissal != nil
			if !f.InChange || f.Suppressed != nil && !dismissed || f.Severity < gate.SeveritySuspicious && !dismissed {
				continue
			}
			if len(out) == MaxUsages {
				more++
				continue
			}
			u := Usage{Rule: f.Rule, Path: file.Path, Language: file.Language, Severity: f.Severity, Dismissed: dismissed}
			if f.CorroboratedBy != "" {
				u.Severity = gate.SeverityDangerous
			}
			if dismissed {
				u.Reason = f.Suppressed.Reason
			}
			if text, can := textOf(file.Path, f); can && file.Parent == "" {
				if u.Unknown = text == "" || file.Masked || len(text) > MaxUsageText; !u.Unknown {
					u.Text = text
				}
			}
			out = append(out, u)
		}
	}
	return out, more
}

// Learned is what the dismissals of a team come to.
type Learned struct {
	// Dismissals is how many different ones were looked at, and Unread how many are about
	// something that no safe usage covers, such as a flow, or that is not there any more.
	Dismissals int `json:"dismissals"`
	Unread     int `json:"unread"`
	// Withheld is how many proposals would have covered something dangerous.
	Withheld int `json:"withheld"`
	// More is how many findings of the history were not kept, so that what is let through
	// is counted without them. Then nothing is proposed.
	More      int        `json:"more"`
	Proposals []Proposal `json:"proposals"`
}

// Proposal is an entry for rules.usage in the policy.
type Proposal struct {
	Rule   string `json:"rule"`
	Line   string `json:"line"`
	Reason string `json:"reason"`
	Rests  int    `json:"dismissals"` // how many different ones
	Helps  int    `json:"helps"`      // changes that were stopped and would have passed
	Mutes  Muted  `json:"mutes"`
}

// YAML is the entry as it is in the list rules.usage of .gate.yml.
func (p Proposal) YAML() string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
	return fmt.Sprintf("- rule: %s\n  line: %s\n  reason: %s\n", p.Rule, quote(p.Line), quote(p.Reason))
}

// Learn proposes safe usages from the dismissals at the head and those that the replayed
// changes had. The rows say what each proposal would also have let through.
func Learn(rows []Row, head []Usage, unread int) Learned {
	out := Learned{Dismissals: unread, Unread: unread, Proposals: []Proposal{}}
	groups := map[string][]example{}
	seen := map[string]bool{}
	add := func(u Usage) {
		key := u.Rule + "\x00" + u.Path + "\x00" + u.Text
		if !u.Dismissed || seen[key] {
			return
		}
		seen[key] = true
		out.Dismissals++
		ex, ok := newExample(u)
		if !ok {
			out.Unread++
			return
		}
		if len(groups) < maxGroups || groups[ex.shape] != nil {
			groups[ex.shape] = append(groups[ex.shape], ex)
		}
	}
	for _, u := range head {
		add(u)
	}
	for _, row := range rows {
		out.More += row.MoreUsages
		for _, u := range row.Usages {
			add(u)
		}
	}
	if out.More > 0 {
		return out
	}
	for _, group := range groups {
		if len(group) < minDismissals {
			continue
		}
		p, ok := propose(group)
		if !ok {
			continue
		}
		if p.measure(rows); p.Mutes.Dangerous > 0 {
			out.Withheld++
			continue
		}
		out.Proposals = append(out.Proposals, p)
	}
	slices.SortFunc(out.Proposals, func(a, b Proposal) int {
		return cmp.Or(cmp.Compare(b.Rests, a.Rests), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Line, b.Line))
	})
	out.Proposals = out.Proposals[:min(len(out.Proposals), maxProposals)]
	return out
}

// propose makes an entry of a group, and has the policy's own parser check it.
func propose(group []example) (Proposal, bool) {
	line := expression(group)
	reasons := map[string]int{}
	for _, ex := range group {
		reasons[printable.ASCII(ex.Reason)]++
	}
	best := ""
	for reason, n := range reasons {
		if best == "" || n > reasons[best] || n == reasons[best] && reason < best {
			best = reason
		}
	}
	p := Proposal{Rule: group[0].Rule, Line: line, Rests: len(group), Reason: gate.Clip(fmt.Sprintf("dismissed %d times: %s", len(group), best), 200)}
	read, _, err := policy.Load(policy.Source{Name: "proposal", Data: []byte("rules:\n  usage:\n" + indented(p.YAML(), "    ")), Trust: policy.Base})
	if err != nil || len(read.Rules.Usage) != 1 || read.Rules.Usage[0].Line != line {
		return Proposal{}, false
	}
	re, err := regexp.Compile("^(?:" + line + ")$")
	if err != nil || slices.ContainsFunc(group, func(ex example) bool { return !re.MatchString(ex.Text) }) {
		return Proposal{}, false
	}
	return p, true
}

func indented(text, by string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(by + line)
	}
	return b.String()
}

// measure counts what a proposal helps and what it lets through.
func (p *Proposal) measure(rows []Row) {
	re, err := regexp.Compile("^(?:" + p.Line + ")$")
	if err != nil {
		return
	}
	covers := func(u Usage) bool { return u.Rule == p.Rule && (u.Unknown || u.Text != "" && re.MatchString(u.Text)) }
	for _, row := range rows {
		dangerous := false
		for _, u := range row.Usages {
			if covers(u) && !u.Dismissed {
				dangerous = p.Mutes.count(u.Severity) || dangerous
			}
		}
		p.Mutes.in(row.Commit, dangerous)
		left := func(x Reason) bool {
			return x.Gap != "" || x.Rule != p.Rule || slices.ContainsFunc(row.Usages, func(u Usage) bool {
				return u.Rule == x.Rule && u.Path == x.Path && !u.Dismissed && (u.Unknown || !covers(u))
			})
		}
		if row.Failed == "" && len(row.Reasons) > 0 && !slices.ContainsFunc(row.Reasons, left) {
			p.Helps++
		}
	}
}
