package suppress

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aigate/gate/gate"
)

// Options is everything that a Set depends on.
type Options struct {
	Change *gate.Change
	// AgainstBase says that the change is compared with a base commit, and that
	// only suppressions count which that commit has for the same content.
	AgainstBase bool
	// Rules are the ids of the rules of the static layer.
	Rules []string
	// Baseline is nil for none. Against a base it has to be the base commit's.
	Baseline *Baseline
	// Usage is the policy's list of safe usages. Against a base it has to be the
	// base commit's.
	Usage []gate.Usage
	// Accounts says what is known of those who dismissed findings, by their names in
	// lower case; nil where GitHub could not be asked. With it, what an account dismissed
	// that is not in it doesn't count.
	Accounts map[string]Account
	Today    time.Time
}

// Set is the suppressions of one run. It is safe for concurrent use.
type Set struct {
	opts    Options
	today   Day
	rules   map[string]bool
	targets map[string]*gate.Target // of the change, without decoded text
	entries map[string][]*accepted  // by path
	usages  []usage

	// contexts says of a target's lines whether they mean what they did in the base.
	contexts map[string]compared
	// forms says the same of the plain forms of their statements; see [Set.shifted].
	forms map[string]plainForms

	mu    sync.Mutex
	files map[string]*file // with something to say, by path
	last  struct {         // the document that was read last: findings come file by file
		path string
		doc  *document
	}
}

// accepted is a baseline entry in use.
type accepted struct {
	Entry
	used    bool
	refused string // why it did not cover a finding that it could have been for
}

// file is what the comments of one file say.
type file struct {
	markers []*used
	wrong   []problem
	// applied holds what the base commit's comments suppressed there: findings by
	// rule and evidence, with the worst severity.
	applied map[finding]gate.Severity
}

// used is a comment in use.
type used struct {
	marker
	known   map[string]bool // rules for which the base commit has the same comment
	covered map[string]bool // rules of which it suppressed a finding
	refused map[string]bool // rules whose finding is not the base commit's
}

// finding identifies what a layer found by what it rests on.
type finding struct{ rule, hash string }

var _ gate.Suppressor = (*Set)(nil)

// New returns the suppressions of a run. Comments count once the stage of
// [Set.Stage] has read them.
func New(o Options) *Set {
	s := &Set{
		opts: o, today: On(o.Today), rules: map[string]bool{}, targets: map[string]*gate.Target{},
		entries: map[string][]*accepted{}, files: map[string]*file{}, usages: usages(o.Usage),
		contexts: map[string]compared{}, forms: map[string]plainForms{},
	}
	for _, id := range o.Rules {
		s.rules[id] = true
	}
	for _, t := range o.Change.Targets {
		if t.Parent == "" {
			s.targets[t.Path] = t
		}
	}
	if o.Baseline != nil {
		for _, e := range o.Baseline.Entries {
			s.entries[e.Path] = append(s.entries[e.Path], &accepted{Entry: e})
		}
	}
	return s
}

// suppressible reports whether findings of a rule can be suppressed. What is
// about the change itself can't: no one knew it when the suppression was written.
func suppressible(rule string) bool {
	category, _, _ := strings.Cut(rule, "/")
	return category != "policy-change" && category != "suppression" && category != "gate" && rule != "config/protected-file"
}

// Suppress implements [gate.Suppressor].
func (s *Set) Suppress(path string, f gate.Finding) *gate.Suppression {
	t := s.targets[path]
	if t == nil || !t.Exists() || !suppressible(f.Rule) || f.Severity == gate.SeverityUnknown {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if by := s.byComment(path, f); by != nil {
		return by
	}
	if by := s.byBaseline(path, f); by != nil {
		return by
	}
	if by := s.byDismissal(path, f); by != nil {
		return by
	}
	return s.byUsage(path, f)
}

// byComment looks for a comment. Only the static layer's findings have lines that
// an author can foresee.
func (s *Set) byComment(path string, f gate.Finding) *gate.Suppression {
	file := s.files[path]
	if file == nil || f.Layer != gate.LayerStatic || f.Line == 0 {
		return nil
	}
	for _, m := range file.markers {
		if m.target != f.Line || !slices.Contains(m.rules, f.Rule) || m.expires.before(s.today) {
			continue
		}
		if s.opts.AgainstBase {
			if !m.known[f.Rule] {
				continue
			}
			doc := s.document(path)
			if doc == nil {
				continue
			}
			hash, _, ok := doc.evidence(f)
			if had := file.applied[finding{f.Rule, hash}]; !ok || had < f.Severity || s.displaced(path, f) {
				m.refused[f.Rule] = true
				continue
			}
		}
		m.covered[f.Rule] = true
		return &gate.Suppression{By: fmt.Sprintf("%s on line %d%s", gate.SuppressedInSource, m.line, until(m.expires)), Reason: m.reason}
	}
	return nil
}

// byBaseline looks for an entry.
func (s *Set) byBaseline(path string, f gate.Finding) *gate.Suppression {
	for _, e := range s.entries[path] {
		if e.Dismissal() || e.Rule != f.Rule || e.Layer != f.Layer || e.Expires.before(s.today) {
			continue
		}
		doc := s.document(path)
		if doc == nil {
			return nil
		}
		hash, lines, ok := doc.evidence(f)
		if !ok || hash != e.Hash {
			continue
		}
		if f.Severity > e.Severity {
			e.refused = fmt.Sprintf("it accepts a %s finding, and this one is %s", e.Severity, f.Severity)
			continue
		}
		if lines != nil {
			if n := doc.occurrences(lines); n > e.Count {
				e.refused = fmt.Sprintf("it accepts the line %d times, and it is there %d times", e.Count, n)
				continue
			}
			if s.opts.AgainstBase && s.displaced(path, f) {
				e.refused = "the change gives the line another meaning: its surroundings, or what its names refer to"
				continue
			}
		}
		e.used = true
		return &gate.Suppression{By: e.where() + until(e.Expires), Reason: e.Reason}
	}
	return nil
}

func until(d Day) string {
	if d == "" {
		return ""
	}
	return " (until " + string(d) + ")"
}

// document returns the head content of a target, nil where it can't be read.
func (s *Set) document(path string) *document {
	if s.last.path != path || s.last.doc == nil {
		doc, err := load(s.opts.Change.Head, path)
		if err != nil {
			doc = nil
		}
		s.last.path, s.last.doc = path, doc
	}
	return s.last.doc
}

// valid turns comments into what counts and what is wrong.
func (s *Set) valid(found []marker, wrong []problem) ([]*used, []problem) {
	var out []*used
	for _, m := range found {
		if err := s.checkRules(m); err != nil {
			wrong = append(wrong, problem{m.line, err.Error(), m.text})
			continue
		}
		out = append(out, &used{marker: m, known: map[string]bool{}, covered: map[string]bool{}, refused: map[string]bool{}})
	}
	return out, wrong
}

func (s *Set) checkRules(m marker) error {
	var errs []error
	for _, id := range m.rules {
		switch {
		case !suppressible(id):
			errs = append(errs, fmt.Errorf("%s can't be suppressed", id))
		case !s.rules[id]:
			errs = append(errs, fmt.Errorf("the static layer has no rule %s (see `gate rules list`)", id))
		}
	}
	return errors.Join(errs...)
}
