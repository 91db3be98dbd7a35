package static

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/hosts"
	"github.com/aigate/gate/gate/source/attributes"
	"github.com/aigate/gate/gate/static/match"
	"github.com/aigate/gate/gate/static/precedent"
	"github.com/aigate/gate/gate/static/rule"
	"github.com/aigate/gate/gate/static/rules"
	"github.com/aigate/gate/gate/static/swapped"
	"github.com/aigate/gate/gate/static/weakening"
)

// RuleSource is a folder with rules: see README.md in the folder rules for the
// format. Name is in errors.
type RuleSource = rule.Source

// BuiltinRules returns the rules that gate ships, for [TestRules] and for
// everything that shows rules.
func BuiltinRules() RuleSource {
	return RuleSource{Name: "rules", FS: rules.FS, Checked: true, Literals: rule.NewLiteralTable(rules.Literals)}
}

// OwnRules are the rules that gate ships, loaded. They can be shared by any
// number of scanners, and cannot be changed.
type OwnRules struct{ set *rule.Set }

// LoadRules loads the rules that gate ships.
func LoadRules() (*OwnRules, error) {
	set, err := rule.Load(BuiltinRules())
	if err != nil {
		return nil, fmt.Errorf("load rules:\n%w", err)
	}
	return &OwnRules{set}, nil
}

// Rules returns the rules, sorted by id. They must not be changed.
func (o *OwnRules) Rules() []*Rule { return slices.Clone(o.set.Rules) }

// Options is everything that a Scanner depends on.
type Options struct {
	Policy gate.Policy
	// Rules are gate's own; nil loads them.
	Rules *OwnRules
	// UserRules are the folders that Policy.Rules.Dirs names, opened by the
	// caller from a place that the change doesn't control, such as the base
	// commit.
	UserRules []RuleSource
	// Classify says what the members of archives are, and what files are by the names
	// that links give them; nil takes them for text of an unknown type, or data.
	Classify Classify
	// Workers is how many files are looked at side by side; 0 is one a processor.
	Workers int
	// FileTime is how long one file may be read, StopTime how long the layer may go on after
	// its context has ended; 0 stands for 5 minutes and 5 seconds.
	FileTime, StopTime time.Duration
}

// Scanner is the static layer. It is safe for concurrent use.
type Scanner struct {
	policy   gate.Policy
	workers  int
	classify Classify
	all      []*Rule          // every rule, sorted by id, as the policy has it
	checks   map[string]*Rule // rules decided in this package, by the name of the check
	texts    texts
	weakened *weakening.Engine
	twice    map[string]bool // the rules that count in a second reading, see readTwice
	// registries are what names of dependencies are compared with.
	registries registries
	patience   patience
}

var _ gate.Stage = (*Scanner)(nil)

// New loads the rules, gate's own and the user's, and adjusts them to the
// policy. Every mistake in them is in the error, with file, line and column.
func New(o Options) (*Scanner, error) {
	if o.Policy.Limits.FileSize <= 0 {
		return nil, errors.New("start the static layer: the policy's limits.file-size is not set")
	}
	if len(o.Policy.Rules.Dirs) != len(o.UserRules) {
		return nil, fmt.Errorf("start the static layer: the policy names %d folders of rules and %d were given",
			len(o.Policy.Rules.Dirs), len(o.UserRules))
	}
	if o.Rules == nil {
		var err error
		if o.Rules, err = LoadRules(); err != nil {
			return nil, err
		}
	}
	set, err := o.Rules.set.With(o.UserRules...)
	if err != nil {
		return nil, fmt.Errorf("load rules:\n%w", err)
	}
	active, err := adjust(set.Rules, o.Policy.Rules)
	if err != nil {
		return nil, err
	}
	s := &Scanner{policy: o.Policy, workers: o.Workers, all: set.Rules, checks: map[string]*Rule{}}
	if s.classify = o.Classify; s.classify == nil {
		s.classify = unclassified
	}
	if s.workers <= 0 {
		s.workers = runtime.GOMAXPROCS(0)
	}
	s.patience = newPatience(o.FileTime, o.StopTime)
	for _, r := range active {
		if r.Check == "" {
			continue
		}
		if !slices.Contains(checkNames(), r.Check) {
			return nil, fmt.Errorf("%s: unknown check %q (allowed: %s)", r.Source, r.Check, strings.Join(checkNames(), ", "))
		}
		s.checks[r.Check] = r
	}
	s.texts, s.registries = texts{engine: match.New(active)}, newRegistries()
	s.weakened, s.twice = weakening.New(active), readAgain(active)
	return s, nil
}

// adjust applies the policy: disabled rules are left out, and a severity that
// the policy gives a rule holds whatever the file's role and whatever else is
// found.
func adjust(all []*Rule, p gate.Rules) ([]*Rule, error) {
	known := func(id string) bool { return slices.ContainsFunc(all, func(r *Rule) bool { return r.ID == id }) }
	var errs []error
	for _, id := range p.Disable {
		if !known(id) {
			errs = append(errs, fmt.Errorf("policy rules.disable: no rule %q; `gate rules list` shows all", id))
		}
	}
	for id := range p.Severity {
		if !known(id) {
			errs = append(errs, fmt.Errorf("policy rules.severity: no rule %q; `gate rules list` shows all", id))
		}
	}
	for _, u := range p.Usage {
		if !known(u.Rule) {
			errs = append(errs, fmt.Errorf("policy rules.usage: no rule %q; `gate rules list` shows all", u.Rule))
		}
	}
	var active []*Rule
	for i, r := range all {
		if severity, ok := p.Severity[r.ID]; ok {
			fixed := *r
			fixed.Severity, fixed.Roles, fixed.Escalations, fixed.LowConfidence, fixed.AsWritten = severity, nil, nil, false, false
			r = &fixed
			all[i] = r
		}
		if !slices.Contains(p.Disable, r.ID) {
			active = append(active, r)
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return active, errors.Join(errs...)
}

// Rules returns every rule, also disabled ones, sorted by id. The rules must
// not be changed.
func (s *Scanner) Rules() []*Rule { return slices.Clone(s.all) }

// Name implements [gate.Stage].
func (s *Scanner) Name() gate.Layer { return gate.LayerStatic }

// Run implements [gate.Stage]: every target gets findings, a digest where its
// content could be read, and a gap where something was not looked at. A reader that does not
// come to an end keeps nothing else from being read, and not the layer from ending.
func (s *Scanner) Run(ctx context.Context, c *gate.Change, found *gate.Findings) (gate.Outcome, error) {
	var out gate.Outcome
	err := s.patience.wait(ctx, 0, func() (err error) {
		out, err = s.run(ctx, c, found)
		return err
	})
	if late(err) {
		return nothingReached(c, context.Cause(ctx)), context.Cause(ctx)
	}
	return out, err
}

func (s *Scanner) run(ctx context.Context, c *gate.Change, found *gate.Findings) (gate.Outcome, error) {
	results := make([]*file, len(c.Targets))
	var done progress
	room := new(atomic.Int64)
	room.Store(maxUnpacked)
	newHost := hosts.NewTo(ctx, c.Base, c.Paths())
	newPackage, twins, shadowing := s.packagesNewTo(ctx, c), newTwins(c), newShadowing(c)
	owners := swapped.NamedIn(ctx, c.Base, c.Paths())
	known := precedent.Of(ctx, c.Base, c.Paths(), precedent.Classify(s.classify))
	reacher, across := newReacher(ctx, c), newAcross(ctx, s, c, newHost, known)
	partly, addresses := newPartly(s, c, newHost, known), newMovedTo(ctx, s, c, newHost)
	callers := newCallers(ctx, s, c, newHost, known)
	elsewhere, base, rules := s.elsewhere(ctx, c, readers{reacher, across, partly, addresses, callers}), newWorkflows(c), newGovernance(c)
	checkout, stored := attributes.NewTree(c.Head), s.stubs(ctx, c)
	err := gate.ForEach(ctx, s.workers, len(c.Targets), func(ctx context.Context, i int) error {
		f := &file{
			scanner: s, change: c, target: c.Targets[i], found: found, newHost: newHost, newPackage: newPackage, namedOwner: owners, twins: twins, shadowing: shadowing, known: known, also: elsewhere.also[c.Targets[i].Path], ran: elsewhere.ran[c.Targets[i].Path], room: room, workflows: base, governance: rules, attributes: checkout, stubs: stored,
		}
		err := s.patience.wait(ctx, s.patience.file, func() error {
			if err := f.look(ctx); err != nil {
				return err
			}
			return settle(ctx, f)
		})
		if late(err) {
			f = &file{scanner: s, change: c, target: f.target, gaps: []string{s.patience.reason(ctx)}} // the other one is still in use
		} else if err != nil {
			return err
		}
		results[i] = f
		done.report(found, len(c.Targets))
		return nil
	})
	if err == nil {
		err = s.reached(ctx, reacher, results, found, room)
	}
	if err == nil {
		err = across.report(ctx, found)
	}
	if err == nil {
		err = partly.report(ctx, found)
	}
	if err == nil {
		err = addresses.report(ctx, found)
	}
	if err == nil {
		err = callers.report(ctx, found)
	}
	var unread []gate.Gap
	if err == nil {
		unread, err = s.given(ctx, c, newHost, known, found)
	}
	if err == nil {
		err = s.weakenings(ctx, c, results, found)
	}
	if err == nil {
		err = s.valuesElsewhere(ctx, c, results, found)
	}
	if err == nil {
		err = s.lostTests(ctx, c, results, found)
	}
	if err == nil {
		s.together(c, found)
	}
	gaps := slices.Concat(reacher.gaps, elsewhere.gaps, across.unfollowed(found), partly.unfollowed(found), addresses.unfollowed(found), callers.unfollowed(found), unread)
	out := gate.Outcome{Digests: map[string]string{}, Masked: map[string]bool{}, Accounts: map[string]gate.Account{}}
	if err == nil {
		out.Skipped, out.Incomplete = s.leftOut(ctx, c)
	}
	for i, t := range c.Targets {
		f := results[i]
		if f == nil {
			out.Incomplete = append(out.Incomplete, gate.Gap{Layer: gate.LayerStatic, Path: t.Path, Reason: notReached(err)})
			continue
		}
		for _, reason := range f.gaps {
			out.Incomplete = append(out.Incomplete, gate.Gap{Layer: gate.LayerStatic, Path: t.Path, Reason: reason})
		}
		for _, g := range gaps {
			if g.Path == t.Path {
				out.Incomplete = append(out.Incomplete, g)
			}
		}
		out.Derived = append(out.Derived, f.derived...)
		if f.account.Size > 0 {
			out.Accounts[t.Path] = f.account
		}
		if f.digest != "" {
			out.Digests[t.Path] = f.digest
		}
		if f.costs.masked != nil && *f.costs.masked {
			out.Masked[t.Path] = true
		}
	}
	return out, err
}

func notReached(err error) string {
	if err == nil {
		return "not looked at"
	}
	return "not looked at: " + err.Error()
}
