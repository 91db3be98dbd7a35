package static

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/hosts"
	"github.com/aigate/gate/gate/static/match"
	"github.com/aigate/gate/gate/static/rule"
	"github.com/aigate/gate/gate/static/weakening"
)

// Rule is one rule of the static layer with all its documentation.
type Rule = rule.Rule

// RuleReport says what became of the samples of a set of rules.
type RuleReport struct {
	Rules   int
	Samples int
}

// TestRules checks that the rules of a source load and that each has samples
// that it matches, and samples that it leaves alone, as they say. All mistakes
// are in the error, each with file and line.
func TestRules(src rule.Source, shared ...rule.Source) (RuleReport, error) {
	set, err := rule.Load(append([]rule.Source{src}, shared...)...)
	if err != nil {
		return RuleReport{}, err
	}
	samples, err := set.LoadSamples(src)
	if err != nil {
		return RuleReport{}, err
	}
	x := texts{engine: match.New(set.Rules)}
	var errs []error
	has := map[string][2]bool{}
	for _, s := range samples {
		seen := has[s.Rule]
		if s.Match {
			seen[0] = true
		} else {
			seen[1] = true
		}
		has[s.Rule] = seen
		if i := slices.IndexFunc(set.Rules, func(r *Rule) bool { return r.ID == s.Rule && r.Change != nil }); i >= 0 {
			errs = append(errs, testChange(set.Rules[i], s))
			continue
		}
		errs = append(errs, x.test(s))
	}
	report := RuleReport{Samples: len(samples)}
	for _, r := range set.Rules {
		if r.Check != "" || r.Pack != src.Name {
			continue
		}
		report.Rules++
		switch seen := has[r.ID]; {
		case !seen[0]:
			errs = append(errs, fmt.Errorf("%s: the rule %q has no sample that it must match", r.Source, r.ID))
		case !seen[1]:
			errs = append(errs, fmt.Errorf("%s: the rule %q has no sample that it must leave alone", r.Source, r.ID))
		}
	}
	return report, errors.Join(errs...)
}

// test runs one sample and reports how it differs from what it says.
func (x texts) test(s rule.Sample) error {
	known := newRegistries()
	found := x.scan(text{language: s.Language, role: s.Role, path: s.Path, content: []byte(s.Text), newHost: func(written string) bool {
		host, foreign := hosts.Name(written)
		return foreign && !slices.Contains(s.Named, host)
	}, newPackage: func(name string) bool {
		return !slices.Contains(s.Named, name) && !known.wellKnown(name)
	}})
	return verdict(s, found)
}

// testChange runs a sample of a rule that compares base and head.
func testChange(r *Rule, s rule.Sample) error {
	file := weakening.File{Path: "sample", Language: s.Language, Head: []byte(s.Text)}
	if s.Path != "" {
		file.Path = s.Path
	}
	if s.Base != "" {
		file.Base = []byte(s.Base)
	}
	var found []gate.Finding
	for _, x := range weakening.New([]*Rule{r}).Compare([]weakening.File{file}, nil) {
		found = append(found, gate.Finding{Rule: r.ID, Severity: r.Severity, Line: x.Line})
	}
	return verdict(s, found)
}

// verdict says how what was found differs from what a sample says.
func verdict(s rule.Sample, found []gate.Finding) error {
	var at []string
	for _, f := range found {
		if f.Rule != s.Rule {
			continue
		}
		if s.Match && f.Line == s.Line && (s.Severity == gate.SeverityUnknown || s.Severity == f.Severity) {
			return nil
		}
		at = append(at, fmt.Sprintf("%s on line %d", f.Severity, f.Line))
	}
	seen := "nothing"
	if len(at) > 0 {
		seen = strings.Join(at, ", ")
	}
	switch {
	case s.Match && s.Severity != gate.SeverityUnknown:
		return fmt.Errorf("%s: %s should be %s on line %d, found %s", s.Source, s.Rule, s.Severity, s.Line, seen)
	case s.Match:
		return fmt.Errorf("%s: %s should match on line %d, found %s", s.Source, s.Rule, s.Line, seen)
	case len(at) > 0:
		return fmt.Errorf("%s: %s should stay quiet, found %s", s.Source, s.Rule, seen)
	}
	return nil
}
