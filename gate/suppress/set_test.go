package suppress

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

// finder is a static layer that finds words: "evil" is suspicious, dangerous
// where "payload" is in the file as well; a "sink" is dangerous, and its flow
// begins on the first line with "source"; a "drain" is the same, and suspicious.
type finder struct{ fail bool }

func (finder) Name() gate.Layer { return gate.LayerStatic }

func (w finder) Run(_ context.Context, c *gate.Change, found *gate.Findings) (gate.Outcome, error) {
	out := gate.Outcome{Digests: map[string]string{}}
	if w.fail && c.Targets[0].Kind == gate.ChangeNone {
		return out, errors.New("the base can't be scanned")
	}
	for _, t := range c.Targets {
		if !t.Exists() {
			continue
		}
		data, err := c.Read(t, 1<<20)
		if err != nil {
			return out, err
		}
		out.Digests[t.Path] = "x"
		lines := strings.Split(string(data), "\n")
		for i, l := range lines {
			code, _, _ := strings.Cut(l, "#")
			f := gate.Finding{Layer: gate.LayerStatic, Line: i + 1, Evidence: l, Severity: gate.SeveritySuspicious}
			switch {
			case strings.Contains(code, "evil"):
				f.Rule = "exec/evil"
				if strings.Contains(string(data), "payload") {
					f.Severity = gate.SeverityDangerous
				}
			case strings.Contains(code, "sink"):
				f.Rule, f.Severity = "exec/sink", gate.SeverityDangerous
				from := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "source") })
				f.Flow = []gate.Step{{Line: from + 1}, {Line: i + 1}}
			case strings.Contains(code, "drain"):
				f.Rule = "exec/drain"
				from := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "source") })
				f.Flow = []gate.Step{{Line: from + 1}, {Line: i + 1}}
			default:
				continue
			}
			found.Add(t.Path, f)
		}
	}
	return out, nil
}

// after is a later layer that says one thing about every file.
type after struct{}

func (after) Name() gate.Layer { return gate.LayerJudge }

func (after) Run(_ context.Context, c *gate.Change, found *gate.Findings) (gate.Outcome, error) {
	out := gate.Outcome{Digests: map[string]string{}}
	for _, t := range c.Targets {
		out.Digests[t.Path] = "x"
		found.Add(t.Path, gate.Finding{Layer: gate.LayerJudge, Rule: "judge/odd", Severity: gate.SeveritySuspicious, Line: 1})
	}
	return out, nil
}

// world is one run.
type world struct {
	base     string // content of a.py, "" for a new file
	head     string
	plain    bool // a folder, not a change
	baseline []Entry
	judged   bool
	fail     bool
	accounts map[string]Account
}

const today = "2026-06-15"

func (w world) run(t *testing.T) gate.Result {
	t.Helper()
	target := &gate.Target{Path: "a.py", Language: gate.LanguagePython, Kind: gate.ChangeModified, Mode: 0o644}
	c := &gate.Change{Head: fstest.MapFS{"a.py": {Data: []byte(w.head), Mode: 0o644}}, Targets: []*gate.Target{target}}
	base := fstest.MapFS{}
	if w.base != "" {
		base["a.py"] = &fstest.MapFile{Data: []byte(w.base), Mode: 0o644}
	}
	if !w.plain {
		c.Base = base
	}
	now, err := time.Parse(time.DateOnly, today)
	if err != nil {
		t.Fatal(err)
	}
	set := New(Options{Change: c, AgainstBase: !w.plain, Rules: []string{"exec/evil", "exec/sink"}, Baseline: &Baseline{w.baseline}, Accounts: w.accounts, Today: now})
	stages := []gate.Stage{set.Stage(finder{w.fail})}
	if w.judged {
		stages = append(stages, after{})
	}
	res, err := gate.Run(t.Context(), gate.Request{Change: c, Policy: gate.DefaultPolicy(), Stages: stages, Suppress: set, Handler: gate.Discard{}})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// seen is the findings of the only file: "line rule", with "-" before what is
// suppressed.
func seen(res gate.Result) []string {
	var out []string
	for _, f := range res.Files[0].Findings {
		sign := ""
		if f.Suppressed != nil {
			sign = "-"
		}
		out = append(out, fmt.Sprintf("%s%d %s", sign, f.Line, f.Rule))
	}
	return out
}

func allow(rules, more string) string { return "# gate:allow " + rules + ` reason="fine"` + more }

func TestCommentsCountInAFolder(t *testing.T) {
	evil := allow("exec/evil", "")
	for _, tt := range []struct {
		name, head string
		want       []string
		verdict    gate.Verdict
	}{
		{"none", "evil\n", []string{"1 exec/evil"}, gate.Suspicious},
		{"above", evil + "\nevil\n", []string{"-2 exec/evil"}, gate.Safe},
		{"behind", "evil " + evil + "\n", []string{"-1 exec/evil"}, gate.Safe},
		{"for another line", evil + "\nx\nevil\n", []string{"1 " + RuleUnused, "3 exec/evil"}, gate.Suspicious},
		{"for another rule", allow("exec/sink", "") + "\nevil\n", []string{"1 " + RuleUnused, "2 exec/evil"}, gate.Suspicious},
		{"for two rules, of which one is there", allow("exec/sink,exec/evil", "") + "\nevil\n", []string{"1 " + RuleUnused, "-2 exec/evil"}, gate.Safe},
		{"for a rule that does not exist", allow("exec/evil,exec/none", "") + "\nevil\n", []string{"1 " + RuleMalformed, "2 exec/evil"}, gate.Suspicious},
		{"for a rule of another layer", allow("judge/odd", "") + "\nx\n", []string{"1 " + RuleMalformed}, gate.Safe},
		{"for the rule of suppressions", allow(RuleAdded, "") + "\nx\n", []string{"1 " + RuleMalformed}, gate.Safe},
		{"without a reason", "# gate:allow exec/evil\nevil\n", []string{"1 " + RuleMalformed, "2 exec/evil"}, gate.Suspicious},
		{"torn off by its justification", evil + " since it is\nevil\n", []string{"1 " + RuleMalformed, "2 exec/evil"}, gate.Suspicious},
		{"in a string", "x = '''\n" + evil + "\n'''\nevil\n", []string{"4 exec/evil"}, gate.Suspicious},
		{"on its last day", allow("exec/evil", " expires="+today) + "\nevil\n", []string{"-2 exec/evil"}, gate.Safe},
		{"expired", allow("exec/evil", " expires=2026-06-14") + "\nevil\n", []string{"1 " + RuleExpired, "2 exec/evil"}, gate.Suspicious},
		{"of danger", allow("exec/sink", "") + "\nsink\nsource\n", []string{"-2 exec/sink"}, gate.Safe},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := world{head: tt.head, plain: true}.run(t)
			if diff := cmp.Diff(tt.want, seen(res)); diff != "" || res.Verdict != tt.verdict {
				t.Errorf("%v (-want +got):\n%s", res.Verdict, diff)
			}
		})
	}
}

func TestAgainstABaseOnlyWhatTheBaseHasCounts(t *testing.T) {
	evil, sink := allow("exec/evil", ""), allow("exec/sink", "")
	both := "evil " + evil + "\n"
	for _, tt := range []struct {
		name, base, head string
		want             []string
	}{
		{"the same in both", evil + "\nevil\n", evil + "\nevil\nx\n", []string{"-2 exec/evil"}},
		{"with other lines around it", evil + "\nevil\n", "x\ny\n" + evil + "\n# more\nevil\nz\n", []string{"-5 exec/evil"}},
		{"with other line ends", evil + "\r\nevil\r\n", evil + "\nevil\n", []string{"-2 exec/evil"}},
		{"added", "x\n", evil + "\nevil\n", []string{"1 " + RuleAdded, "2 exec/evil"}},
		{"added to a line that was there", "evil\n", evil + "\nevil\n", []string{"1 " + RuleAdded, "2 exec/evil"}},
		{"in a new file", "", both, []string{"1 exec/evil", "1 " + RuleAdded}},
		{"added ahead of its time", "x\n", evil + "\nx\n", []string{"1 " + RuleAdded}},
		{"taken away", evil + "\nevil\n", "evil\n", []string{"1 exec/evil"}},
		{"the line has changed", evil + "\nevil(1)\n", evil + "\nevil(2)\n", []string{"1 " + RuleAdded, "2 exec/evil"}},
		{"the indentation has changed", evil + "\nevil\n", evil + "\n  evil\n", []string{"1 " + RuleAdded, "2 exec/evil"}},
		{"another rule is named", evil + "\nevil\n", allow("exec/evil,exec/sink", "") + "\nevil\n", []string{"1 " + RuleAdded, "-2 exec/evil"}},
		{"another reason", evil + "\nevil\n", strings.Replace(evil, "fine", "better", 1) + "\nevil\n", []string{"1 " + RuleAdded, "2 exec/evil"}},
		{"a later day", allow("exec/evil", " expires=2026-07-01") + "\nevil\n", allow("exec/evil", " expires=2027-07-01") + "\nevil\n", []string{"1 " + RuleAdded, "2 exec/evil"}},
		{"expired in both", allow("exec/evil", " expires=2026-01-01") + "\nevil\n", allow("exec/evil", " expires=2026-01-01") + "\nevil\n", []string{"1 " + RuleExpired, "2 exec/evil"}},
		{"a copy of line and comment", both, both + both, []string{"1 exec/evil", "1 " + RuleAdded, "2 exec/evil", "2 " + RuleAdded}},
		{"a copy of the line alone", evil + "\nevil\n", evil + "\nevil\nx\nevil\n", []string{"-2 exec/evil", "4 exec/evil"}},
		{"moved to another line", evil + "\nevil(1)\nevil(2)\n", "evil(1)\n" + evil + "\nevil(2)\n", []string{"1 exec/evil", "2 " + RuleAdded, "3 exec/evil"}},
		{"moved together with its line", "x\n" + both, both + "x\n", []string{"-1 exec/evil"}},
		{"moved to another condition", "if 0:\n  evil " + evil + "\ny\nz\n", "if 0:\n  x\ny\nz\nif 1:\n  evil " + evil + "\n", []string{"6 exec/evil", "6 " + RuleUnused}},
		{"under another condition", "if 0:\n  evil " + evil + "\n", "if 1:\n  evil " + evil + "\n", []string{"2 exec/evil", "2 " + RuleUnused}},
		{"another value of a variable", "u = 1\n" + evil + "\nevil(u)\n", "u = 2j\n" + evil + "\nevil(u)\n", []string{"2 " + RuleUnused, "3 exec/evil"}},
		{"another function of the name", evil + "\nevil\n", evil + "\nevil\ndef evil(): x\n", []string{"1 " + RuleUnused, "2 exec/evil", "3 exec/evil"}},
		{"the finding has become worse", evil + "\nevil\n", evil + "\nevil\npayload\n", []string{"1 " + RuleUnused, "2 exec/evil"}},
		{"the finding is less bad", evil + "\nevil\npayload\n", evil + "\nevil\n", []string{"-2 exec/evil"}},
		{"there was no such finding", sink + "\nx = 'nothing'\n", sink + "\nx = 'nothing'\n", []string{"1 " + RuleUnused}},
		{"the flow is the same", "source\n" + sink + "\nsink\n", "source\n" + sink + "\nsink\nx\n", []string{"-3 exec/sink"}},
		{"the flow begins elsewhere", "source(1)\n" + sink + "\nsink\n", "source(2)\n" + sink + "\nsink\n", []string{"2 " + RuleUnused, "3 exec/sink"}},
		{"the base had it in a string", "'''\n" + evil + "\nevil\n'''\n", evil + "\nevil\n", []string{"1 " + RuleAdded, "2 exec/evil"}},
		{"the base had it malformed", "# gate:allow exec/evil\nevil\n", evil + "\nevil\n", []string{"1 " + RuleAdded, "2 exec/evil"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, seen(world{base: tt.base, head: tt.head}.run(t))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSuppressionsDoNotCountWhereTheBaseCannotBeScanned(t *testing.T) {
	src := allow("exec/evil", "") + "\nevil\n"
	res := world{base: src, head: src + "x\n", fail: true}.run(t)
	if got := seen(res); !slices.Contains(got, "2 exec/evil") {
		t.Errorf("%v", got)
	}
}

func TestABaselineEntryCoversExactlyWhatItAccepted(t *testing.T) {
	evil := entryFor("a.py", "exec/evil", "evil")
	for _, tt := range []struct {
		name, head string
		change     func(*Entry)
		want       []string
	}{
		{"as accepted", "x\nevil\n", nil, []string{"-2 exec/evil"}},
		{"with CRLF", "x\r\nevil\r\n", nil, []string{"-2 exec/evil"}},
		{"another line", "evil()\n", nil, []string{"0 " + RuleStale, "1 exec/evil"}},
		{"a copy of the line", "evil\nx\nevil\n", nil, []string{"0 " + RuleStale, "1 exec/evil", "3 exec/evil"}},
		{"twice, and accepted twice", "evil\nevil\n", func(e *Entry) { e.Count = 2 }, []string{"-1 exec/evil", "-2 exec/evil"}},
		{"another rule", "evil\n", func(e *Entry) { e.Rule = "exec/sink" }, []string{"0 " + RuleStale, "1 exec/evil"}},
		{"another file", "evil\n", func(e *Entry) { e.Path = "b.py" }, []string{"1 exec/evil"}},
		{"expired", "evil\n", func(e *Entry) { e.Expires = "2026-06-14" }, []string{"0 " + RuleExpired, "1 exec/evil"}},
		{"on its last day", "evil\n", func(e *Entry) { e.Expires = today }, []string{"-1 exec/evil"}},
		{"a finding that has become worse", "evil\npayload\n", func(e *Entry) { e.Severity = gate.SeveritySuspicious }, []string{"0 " + RuleStale, "1 exec/evil"}},
		{"a hash of the file for a finding of a line", "evil\n", func(e *Entry) { e.Hash, e.Count = hashOfFile+sum([]byte("evil\n")), 0 }, []string{"0 " + RuleStale, "1 exec/evil"}},
		{"another layer", "evil\n", func(e *Entry) { e.Layer = gate.LayerSandbox }, []string{"0 " + RuleStale, "1 exec/evil"}},
	} {
		for _, plain := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, in a folder %v", tt.name, plain), func(t *testing.T) {
				e := evil
				if tt.change != nil {
					tt.change(&e)
				}
				if diff := cmp.Diff(tt.want, seen(world{base: "x\n", head: tt.head, plain: plain, baseline: []Entry{e}}.run(t))); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestOtherLayersAreAcceptedForAWholeFile(t *testing.T) {
	src := "x = 1\n"
	e := Entry{Path: "a.py", Layer: gate.LayerJudge, Rule: "judge/odd", Severity: gate.SeveritySuspicious, Hash: hashOfFile + sum([]byte(src)), Reason: "reviewed"}
	res := world{base: "y\n", head: src, baseline: []Entry{e}, judged: true}.run(t)
	if got := seen(res); !slices.Equal(got, []string{"-1 judge/odd"}) || res.Verdict != gate.Safe {
		t.Errorf("%v: %v", res.Verdict, got)
	}
	res = world{base: "y\n", head: src + "\n", baseline: []Entry{e}, judged: true}.run(t)
	if got := seen(res); !slices.Equal(got, []string{"0 " + RuleStale, "1 judge/odd"}) || res.Verdict != gate.Suspicious {
		t.Errorf("%v: %v", res.Verdict, got)
	}
	comment := allow("judge/odd", "") + "\nx\n"
	if got := seen(world{base: comment, head: comment, judged: true}.run(t)); !slices.Contains(got, "1 judge/odd") {
		t.Errorf("a comment suppresses the judge: %v", got)
	}
}

func TestASuppressedFindingCorroboratesNothing(t *testing.T) {
	src := "evil " + allow("exec/evil", "") + "\n"
	for head, want := range map[string]gate.Verdict{src: gate.Suspicious, "evil\n": gate.Dangerous} {
		if res := (world{head: head, plain: true, judged: true}).run(t); res.Verdict != want {
			t.Errorf("%s: %v, want %v: %v", head, res.Verdict, want, seen(res))
		}
	}
}

// TestFindingsAreCoveredByTheirEntries is the round trip: what Entries makes of a
// result covers all of it, and nothing of another file.
func TestFindingsAreCoveredByTheirEntries(t *testing.T) {
	head := "source\nevil\nsink\nevil\nx\n"
	res := world{head: head, plain: true, judged: true}.run(t)
	c := &gate.Change{Head: fstest.MapFS{"a.py": {Data: []byte(head), Mode: 0o644}}}
	entries, left := Entries(c, res, Accept{Reason: "reviewed", From: gate.SeverityNote})
	if len(left) > 0 || len(entries) != 3 {
		t.Fatalf("%d entries, left out: %v", len(entries), left)
	}
	data, err := Baseline{entries}.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	b, err := ParseBaseline("x", data)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range seen(world{head: head, plain: true, judged: true, baseline: b.Entries}.run(t)) {
		if !strings.HasPrefix(line, "-") {
			t.Errorf("not covered: %s", line)
		}
	}
	if dangerous, _ := Entries(c, res, Accept{Reason: "reviewed", From: gate.SeverityDangerous}); len(dangerous) != 1 {
		t.Errorf("%d dangerous entries", len(dangerous))
	}
}

// produces is a layer at whose end text appears that claims suppressions.
type produces struct{ finder }

func (p produces) Run(ctx context.Context, c *gate.Change, found *gate.Findings) (gate.Outcome, error) {
	out, err := p.finder.Run(ctx, c, found)
	if c.Targets[0].Parent == "" {
		out.Derived = []gate.Derived{{Target: &gate.Target{Path: "a.py!written", Parent: "a.py", Language: gate.LanguagePython}, Content: []byte(allow("exec/evil", "") + "\nevil\n")}}
	}
	return out, err
}

func TestTextThatAppearsDuringTheRunSuppressesNothing(t *testing.T) {
	c := &gate.Change{Head: fstest.MapFS{"a.py": {Data: []byte("x\n"), Mode: 0o644}}, Targets: []*gate.Target{{Path: "a.py", Language: gate.LanguagePython, Mode: 0o644}}}
	set := New(Options{Change: c, Rules: []string{"exec/evil"}, Baseline: &Baseline{[]Entry{entryFor("a.py!written", "exec/evil", "evil")}}})
	res, err := gate.Run(t.Context(), gate.Request{Change: c, Policy: gate.DefaultPolicy(), Stages: []gate.Stage{set.Stage(produces{})}, Suppress: set, Handler: gate.Discard{}})
	if err != nil || len(res.Files) != 2 || res.Verdict != gate.Suspicious {
		t.Errorf("%v, %v: %+v", err, res.Verdict, res.Files)
	}
}
