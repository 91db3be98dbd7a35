package suppress

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// The rules of this package.
const (
	RuleAdded     = "policy-change/suppression"
	RuleMalformed = "suppression/malformed"
	RuleExpired   = "suppression/expired"
	RuleUnused    = "suppression/without-effect"
	RuleStale     = "suppression/stale-baseline"
)

// Rules documents the rules of this package, sorted by id.
func Rules() []gate.Rule {
	return []gate.Rule{
		{
			ID: RuleAdded, Severity: gate.SeveritySuspicious, Layer: gate.LayerStatic,
			Title:   "New suppression",
			Message: "the change adds a suppression",
			Why:     "A change that could silence the findings about itself would configure its own gate. The suppression counts for nothing in this change, and from the next one on when it is merged.",
			Instead: "Look at the finding that it is for and at the reason that it gives, then decide about both.",
		},
		{
			ID: RuleExpired, Severity: gate.SeverityNote, Layer: gate.LayerStatic,
			Title:   "Expired suppression",
			Message: "a suppression has expired",
			Why:     "Anyone who accepted the finding wanted it looked at again after that day. It suppresses nothing any more.",
			Instead: "Look at the finding again, then remove the suppression or give it a new date.",
		},
		{
			ID: RuleMalformed, Severity: gate.SeverityNote, Layer: gate.LayerStatic,
			Title:   "Ineffective suppression comment",
			Message: "a comment looks like a suppression and is none",
			Why:     "A suppression that silently does nothing leaves its author with a wrong idea of what was checked.",
			Instead: "Write " + Form + " in a comment of its own, with the id of a rule of the static layer.",
		},
		{
			ID: RuleStale, Severity: gate.SeverityNote, Layer: gate.LayerStatic,
			Title:   "Unused baseline entry",
			Message: "a baseline entry matches nothing any more",
			Why:     "What it accepted has changed or is gone. An entry for code that no one has is a hole for code yet to be written.",
			Instead: "Run `gate baseline --update`, which drops it.",
		},
		{
			ID: RuleUnused, Severity: gate.SeverityNote, Layer: gate.LayerStatic,
			Title:   "Suppression without effect",
			Message: "a suppression has no effect",
			Why:     "Nothing that it names was found on the line that it belongs to, or not in the form that was accepted.",
			Instead: "Remove it, or put it on the line of the finding or just above it. A dismissal says why it does not count.",
		},
	}
}

func ruleOf(id string) gate.Rule {
	all := Rules()
	return all[slices.IndexFunc(all, func(r gate.Rule) bool { return r.ID == id })]
}

// say makes a finding about a suppression.
func say(id string, line, end int, detail, evidence string) gate.Finding {
	r := ruleOf(id)
	return gate.Finding{
		Rule: id, Layer: gate.LayerStatic, Severity: r.Severity, Line: line, EndLine: end,
		Message: r.Message + ": " + detail, Evidence: evidence,
	}
}

// about returns the findings about the suppressions in or for a file.
func (s *Set) about(path string) []gate.Finding {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []gate.Finding
	if f := s.files[path]; f != nil {
		for _, p := range f.wrong {
			out = append(out, say(RuleMalformed, p.line, p.line, p.what, p.text))
		}
		for _, m := range f.markers {
			out = append(out, s.aboutMarker(m)...)
		}
	}
	out = append(out, s.aboutEntries(path)...)
	switch {
	case path == BaselineFile && s.opts.AgainstBase:
		out = append(out, s.addedDismissals()...)
	case path == BaselineFile:
		out = append(out, s.goneFiles()...)
	}
	return out
}

func (s *Set) aboutMarker(m *used) []gate.Finding {
	var added, idle, other []string
	for _, rule := range m.rules {
		switch {
		case s.opts.AgainstBase && !m.known[rule]:
			added = append(added, rule)
		case m.refused[rule]:
			other = append(other, rule)
		case !m.covered[rule]:
			idle = append(idle, rule)
		}
	}
	var out []gate.Finding
	if len(added) > 0 {
		out = append(out, say(RuleAdded, min(m.line, m.target), max(m.line, m.target),
			"the base commit does not have it for this line ("+strings.Join(added, ", ")+")", m.text))
	}
	switch {
	case m.expires.before(s.today):
		return append(out, say(RuleExpired, m.line, m.line, fmt.Sprintf("its last day was %s", m.expires), m.text))
	case len(other) > 0:
		out = append(out, say(RuleUnused, m.line, m.line, "what "+strings.Join(other, ", ")+
			fmt.Sprintf(" finds on line %d is not what it found in the base commit", m.target), m.text))
	}
	if len(idle) > 0 {
		out = append(out, say(RuleUnused, m.line, m.line, fmt.Sprintf("nothing on line %d is found by %s", m.target, strings.Join(idle, ", ")), m.text))
	}
	return out
}

// maxStale is how many entries are reported for one file.
const maxStale = 20

// aboutEntries looks at the baseline entries for a target. Whether the findings
// of the other layers are still there is known when those have run; their entries
// are compared by content.
func (s *Set) aboutEntries(path string) []gate.Finding {
	var out []gate.Finding
	more := 0
	for _, e := range s.entries[path] {
		var detail string
		rule := RuleStale
		switch {
		case e.Expires.before(s.today):
			detail, rule = fmt.Sprintf("%s for %s, its last day was %s", e.where(), e.Rule, e.Expires), RuleExpired
		case e.refused != "" && e.Dismissal():
			detail, rule = fmt.Sprintf("the dismissal of %s, %s, for %s: %s", e.By, e.where(), e.Rule, e.refused), RuleUnused
		case e.used:
			continue
		case e.refused != "":
			detail = fmt.Sprintf("%s for %s: %s", e.where(), e.Rule, e.refused)
		case e.Layer != gate.LayerStatic && s.isCurrent(e):
			continue
		default:
			detail = fmt.Sprintf("%s for %s", e.where(), e.Rule)
		}
		if len(out) == maxStale {
			more++
			continue
		}
		out = append(out, say(rule, 0, 0, detail, ""))
	}
	if more > 0 {
		out = append(out, say(RuleStale, 0, 0, fmt.Sprintf("and %d more entries for this file", more), ""))
	}
	return out
}

// isCurrent reports whether an entry for a whole file is for its content of now.
func (s *Set) isCurrent(e *accepted) bool {
	if t := s.targets[e.Path]; !t.Exists() {
		return false
	}
	doc := s.document(e.Path)
	return doc != nil && hashOfFile+sum(doc.text) == e.Hash
}

// goneFiles reports the entries for files that do not exist any more, on the
// baseline itself.
func (s *Set) goneFiles() []gate.Finding {
	var gone []string
	for _, path := range slices.Sorted(maps.Keys(s.entries)) {
		if s.targets[path] != nil {
			continue
		}
		if _, err := fs.Stat(s.opts.Change.Head, path); errors.Is(err, fs.ErrNotExist) {
			gone = append(gone, path)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	first := s.entries[gone[0]][0]
	return []gate.Finding{say(RuleStale, first.Line, first.Line, fmt.Sprintf("%d files of it are gone, the first is %s", len(gone), gone[0]), "")}
}
