package main

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/tools/testenv"
)

func TestPayloadsInPlainAreDangerousAndTheirTwinsSafe(t *testing.T) {
	s := opened(t)
	plainest := map[family]string{command: "sh", python: "py", javascript: "js"}
	c := newCatalogue()
	for _, name := range plainest {
		all, err := c.combinations(selection{only: name + "/" + plain})
		if err != nil {
			t.Fatal(err)
		}
		if len(all) < 6 {
			t.Errorf("%s has %d payloads, want at least 6", name, len(all))
		}
		for _, one := range all {
			o, err := s.try(t.Context(), one)
			if err != nil {
				t.Fatal(err)
			}
			if o.evil != gate.Dangerous || o.twin != gate.Safe {
				t.Errorf("%s is %s and its twin %s (%v)", one.name(), o.evil, o.twin, o.alarms)
			}
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	c := newCatalogue()
	seen := map[string]bool{}
	for _, r := range c.carriers {
		if seen["carrier "+r.name] {
			t.Errorf("two carriers are called %q", r.name)
		}
		seen["carrier "+r.name] = true
	}
	for _, d := range c.disguises {
		if seen["disguise "+d.name] {
			t.Errorf("two disguises are called %q", d.name)
		}
		seen["disguise "+d.name] = true
	}
}

func TestDisguisesAllApplySomewhere(t *testing.T) {
	c := newCatalogue()
	for _, d := range c.disguises {
		all, err := c.combinations(selection{only: "*/" + d.name, each: 1})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(all, func(one combination) bool { _, ok := one.program(false); return ok }) {
			t.Errorf("%s applies to no carrier", d.name)
		}
	}
}

func opened(t *testing.T) *scanner {
	t.Helper()
	s, err := open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// perColumn is how many combinations of each disguise the sample has.
const perColumn = 3

// leastQuiet is how many of a hundred benign twins have to be SAFE.
const leastQuiet = 98.0

func TestCombinationsOfTheSampleAreNotMissed(t *testing.T) {
	c := newCatalogue()
	all, err := c.combinations(selection{each: 1})
	if err != nil {
		t.Fatal(err)
	}
	some := sample(all, perColumn)
	if len(some) < 300 {
		t.Errorf("the sample has %d combinations, want 300", len(some))
	}
	outcomes, err := measure(t.Context(), opened(t), testenv.Sample(t, some, 4), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := newMatrix(outcomes, knownHoles())
	for _, l := range [][]failure{unknown(m.Missed), unknown(m.Weak)} {
		for _, f := range l {
			t.Errorf("%s is %s %v; to see it: %s", f.Name, f.Verdict, f.Rules, f.Command)
		}
	}
	if share := percent(m.OrdinaryOK, m.OrdinaryOf); share < leastQuiet {
		for _, f := range m.Alarms {
			t.Logf("the twin of %s is %s %v", f.Name, f.Verdict, f.Rules)
		}
		t.Errorf("%.2f %% of the benign twins are SAFE, want %.0f %%", share, leastQuiet)
	}
}

func TestTheSampleHasEveryCarrierAndEveryDisguise(t *testing.T) {
	c := newCatalogue()
	all, err := c.combinations(selection{each: 1})
	if err != nil {
		t.Fatal(err)
	}
	rows, columns := map[string]bool{}, map[string]bool{}
	for _, one := range sample(all, perColumn) {
		rows[one.carrier.name], columns[one.disguise.name] = true, true
	}
	for _, r := range c.carriers {
		if !rows[r.name] {
			t.Errorf("the carrier %s is not in the sample", r.name)
		}
	}
	for _, d := range c.disguises {
		if !columns[d.name] {
			t.Errorf("the disguise %s is not in the sample", d.name)
		}
	}
}

func TestKnownHolesAreStillOpen(t *testing.T) {
	c, s := newCatalogue(), opened(t)
	for _, h := range knownHoles() {
		if h.reason == "" {
			t.Errorf("%v has no reason", h.each())
		}
		for _, only := range h.each() {
			all, err := c.combinations(selection{only: only})
			if err != nil {
				t.Errorf("%s: %v", only, err)
				continue
			}
			if !slices.ContainsFunc(all, func(one combination) bool {
				o, err := s.try(t.Context(), one)
				if err != nil {
					t.Error(err)
				}
				return o.applies && !o.caught()
			}) {
				t.Errorf("no combination needs the hole %s any more: remove it", only)
			}
		}
	}
}

func TestProgramsAreMadeTheSameWayTwice(t *testing.T) {
	c := newCatalogue()
	all, err := c.combinations(selection{each: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range sample(all, 1) {
		a, _ := one.program(false)
		b, _ := one.program(false)
		if !reflect.DeepEqual(a.head, b.head) || !reflect.DeepEqual(a.base, b.base) {
			t.Errorf("%s differs the second time", one.name())
		}
		twin, _ := one.program(true)
		if reflect.DeepEqual(a.head, twin.head) {
			t.Errorf("%s is the same as its twin", one.name())
		}
	}
}

func TestAProgramBecomesFilesThatGitCanHold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	var out, log strings.Builder
	if code := run(t.Context(), []string{"-only", "link-makefile/plain/send-key", "-write", dir}, &out, &log); code != 0 {
		t.Fatalf("exit code %d: %s", code, &log)
	}
	if to, err := os.Readlink(filepath.Join(dir, "head", "Makefile")); err != nil || to != "notes.txt" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "head", "notes.txt")); err != nil || !strings.Contains(string(text), "id_rsa") {
		t.Errorf("the payload is not in %q, %v", text, err)
	}
	if code := run(t.Context(), []string{"-only", "link-makefile/plain/send-key", "-write", dir}, &out, &log); code != 2 || !strings.Contains(log.String(), "not empty") {
		t.Errorf("a folder that is not empty is taken: exit code %d, %s", code, &log)
	}
}

func TestReports(t *testing.T) {
	for format, want := range map[string]string{
		"text": "combinations of 1 carriers", "markdown": "| sh |", "json": `"carrier": "sh"`, "html": "Content-Security-Policy",
	} {
		var out, log strings.Builder
		if code := run(t.Context(), []string{"-only", "sh/plain/send-key", "-format", format}, &out, &log); code != 0 {
			t.Errorf("%s: exit code %d: %s", format, code, &log)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s does not hold %q:\n%s", format, want, &out)
		}
	}
}

func TestWrongUsageIsAnError(t *testing.T) {
	for _, args := range [][]string{{"-only", "a/b/c/d"}, {"-only", "nothing"}, {"-format", "pdf"}, {"-each", "-1"}, {"sh"}} {
		var out, log strings.Builder
		if code := run(t.Context(), args, &out, &log); code != 2 || log.Len() == 0 {
			t.Errorf("%v: exit code %d, %q", args, code, &log)
		}
	}
}

func TestAMissIsAFailureThatSaysHowToSeeIt(t *testing.T) {
	c := newCatalogue()
	one := combination{&c.carriers[0], &c.disguises[0], &c.payloads[0]}
	missed := outcome{combination: one, applies: true, evil: gate.Safe, twin: gate.Safe}
	m := newMatrix([]outcome{missed}, nil)
	if len(unknown(m.Missed)) != 1 || !strings.Contains(m.Missed[0].Command, "-only "+one.name()) || m.Sum.Safe != 1 {
		t.Errorf("%+v", m)
	}
	missed.evil = gate.Suspicious
	if m = newMatrix([]outcome{missed}, nil); len(m.Weak) != 1 || m.Sum.Noticed != 1 {
		t.Errorf("%+v", m)
	}
	h := hole{carriers: []string{"s?"}, reason: "a reason"}
	if m = newMatrix([]outcome{missed}, []hole{h}); len(unknown(m.Weak)) != 0 || m.Known != 1 || len(m.Stale) != 0 {
		t.Errorf("%+v", m)
	}
	h.disguises = []string{"other"}
	if m = newMatrix([]outcome{missed}, []hole{h}); len(unknown(m.Weak)) != 1 {
		t.Error("a hole for one disguise covers another")
	}
	missed.evil = gate.Dangerous
	if m = newMatrix([]outcome{missed}, []hole{h}); len(m.Stale) != 1 {
		t.Error("a hole that nothing needs is not reported")
	}
	missed.evil, missed.carrier = gate.Suspicious, &carrier{name: "x", unreadable: "encrypted"}
	if m = newMatrix([]outcome{missed}, nil); m.Sum.Caught != 1 {
		t.Error("what cannot be read and is noticed is not caught")
	}
}
