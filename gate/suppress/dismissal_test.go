package suppress

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

// dismissalOf is what `gate dismiss` writes for the only finding of a rule in a.py.
func dismissalOf(t *testing.T, src, rule string) Entry {
	t.Helper()
	res := world{head: src, plain: true}.run(t)
	doc := newDocument([]byte(src))
	for _, f := range res.Files[0].Findings {
		if f.Rule != rule {
			continue
		}
		f.Severity = gate.SeveritySuspicious
		e, ok := doc.dismissed("a.py", gate.LanguagePython, f)
		if !ok {
			t.Fatalf("%q can't be dismissed", src)
		}
		e.By, e.Reason, e.Expires = "ada", "a fixture", "2027-01-01"
		return e
	}
	t.Fatalf("%q has no finding of %s", src, rule)
	return Entry{}
}

// trusted are the accounts of most tests.
var trusted = map[string]Account{"ada": {Verified: true}}

func TestADismissalHoldsWhereItsLineMovesOrIsFormattedAnew(t *testing.T) {
	const src = "x = 1\nevil(x, 'a')\ny = 2\nz = 3\n"
	for _, tt := range []struct {
		name, base, head string
		want             []string
	}{
		{"as it was", src, src + "w = 4\n", []string{"-2 exec/evil"}},
		{"with lines above it", src, "w = 4\nv = 5\n" + src, []string{"-4 exec/evil"}},
		{"moved down", src, "x = 1\ny = 2\nz = 3\nevil(x, 'a')\n", []string{"-4 exec/evil"}},
		{"split by black", src, "x = 1\nevil(\n    x,\n    \"a\",\n)\ny = 2\nz = 3\n", []string{"-2 exec/evil"}},
		{"moved and split", src, "x = 1\ny = 2\nz = 3\nevil(\n    x, \"a\",\n)\n", []string{"-4 exec/evil"}},
		{"with a comment", src, "x = 1\nevil(x, 'a')  # noqa\ny = 2\nz = 3\n", []string{"-2 exec/evil"}},
		{"in a file that is new", "", src, []string{"-2 exec/evil"}},
		{"under the same condition, indented by four", "if a:\n  x = 1\n  evil(x, 'a')\n", "if a:\n    x = 1\n    evil(x, \"a\")\n", []string{"-3 exec/evil"}},
		{"another argument", src, "x = 1\nevil(x, 'b')\ny = 2\nz = 3\n", []string{"2 exec/evil"}},
		{"one more argument", src, "x = 1\nevil(x, 'a', y)\ny = 2\nz = 3\n", []string{"2 exec/evil"}},
		{"more on the line", src, "x = 1\nevil(x, 'a'); y()\ny = 2\nz = 3\n", []string{"2 exec/evil"}},
		{"a copy", src, src + "evil(x, \"a\")\n", []string{"2 exec/evil", "5 exec/evil"}},
		{"another value of a name", src, strings.Replace(src, "x = 1", "x = input()", 1), []string{"2 exec/evil"}},
		{"another value of a name, formatted anew", src, strings.Replace(strings.Replace(src, "x = 1", "x = input()", 1), "evil(x, 'a')", "evil(\n    x,\n    'a',\n)", 1), []string{"2 exec/evil"}},
		{"under another condition", "if 0:\n  x = 1\n  evil(x, 'a')\n", "if 1:\n  x = 1\n  evil(\n    x, 'a')\n", []string{"3 exec/evil"}},
		{"out of a condition", "if 0:\n  evil(x, 'a')\ny = 2\nz = 3\nw = 4\n", "y = 2\nz = 3\nw = 4\nevil(x, 'a')\n", []string{"4 exec/evil"}},
		{"more severe", src, src + "payload\n", []string{"2 exec/evil"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := world{base: tt.base, head: tt.head, baseline: []Entry{dismissalOf(t, src, "exec/evil")}, accounts: trusted}.run(t)
			got := slices.DeleteFunc(seen(res), func(s string) bool { return strings.Contains(s, "suppression/") })
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%v", diff, res.Files[0].Findings)
			}
		})
	}
}

func TestADismissalIsForAllOfTheFlow(t *testing.T) {
	const src = "a = source(1)\nb = 2\ndrain(a)\n"
	for _, tt := range []struct {
		name, head string
		want       []string
	}{
		{"as it was", src, []string{"-3 exec/drain"}},
		{"both ends formatted anew", "a = source(\n    1,\n)\nb = 2\ndrain( a )\n", []string{"-5 exec/drain"}},
		{"another source", "a = source(2)\nb = 2\ndrain(a)\n", []string{"3 exec/drain"}},
		{"another sink", "a = source(1)\nb = 2\ndrain(a, b)\n", []string{"3 exec/drain"}},
		{"another flow into the same sink", "c = source(3)\na = source(1)\na = c\ndrain(a)\n", []string{"4 exec/drain"}},
		{"another value on the way", "a = source(1)\na = b\ndrain(a)\n", []string{"3 exec/drain"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := world{base: src, head: tt.head, baseline: []Entry{dismissalOf(t, src, "exec/drain")}, accounts: trusted}.run(t)
			got := slices.DeleteFunc(seen(res), func(s string) bool { return strings.Contains(s, "suppression/") })
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestADismissalDoesNotCountAndSaysWhy(t *testing.T) {
	const src = "evil(x)\n"
	for _, tt := range []struct {
		name     string
		change   func(*Entry)
		accounts map[string]Account
		head     string
		rule     string // of the finding that says so
		why      string
	}{
		{name: "after its last day", change: func(e *Entry) { e.Expires = "2026-06-14" }, rule: RuleExpired, why: "its last day was 2026-06-14"},
		{name: "with a day far ahead", change: func(e *Entry) { e.Expires = "2027-06-18" }, rule: RuleUnused, why: "more than 366 days ahead"},
		{name: "of an account without the right", accounts: map[string]Account{"ada": {Refused: `ada has the permission "read"`}}, rule: RuleUnused, why: `ada has the permission "read"`},
		{name: "of an account that was not asked about", accounts: map[string]Account{}, rule: RuleUnused, why: "the permission of ada was not checked"},
		{name: "for what is dangerous", head: src + "payload\n", rule: RuleUnused, why: "what is dangerous can't be dismissed"},
		{name: "for a lesser finding", change: func(e *Entry) { e.Severity = gate.SeverityNote }, rule: RuleUnused, why: "dismisses a note finding"},
		{name: "for a copy", head: src + src, rule: RuleUnused, why: "1 times, and it is there 2 times"},
		{name: "for another rule", change: func(e *Entry) { e.Rule = "exec/sink" }, rule: RuleStale},
		{name: "of lines that can be read as statements", change: func(e *Entry) { e.Hash = lineHash([]byte("evil(x)")) }, rule: RuleStale},
	} {
		for _, plain := range []bool{true, false} {
			t.Run(tt.name, func(t *testing.T) {
				e := dismissalOf(t, src, "exec/evil")
				if tt.change != nil {
					tt.change(&e)
				}
				accounts := tt.accounts
				if accounts == nil {
					accounts = trusted
				}
				head := tt.head
				if head == "" {
					head = src
				}
				res := world{base: "x\n", head: head, plain: plain, baseline: []Entry{e}, accounts: accounts}.run(t)
				says := func(f gate.Finding) bool { return f.Rule == tt.rule && strings.Contains(f.Message, tt.why) }
				if got := seen(res); slices.Contains(got, "-1 exec/evil") || !slices.ContainsFunc(res.Files[0].Findings, says) {
					t.Errorf("%v: %+v", got, res.Files[0].Findings)
				}
			})
		}
	}
}

func TestADismissalSaysWhoAndWhyAndUntilWhen(t *testing.T) {
	e := dismissalOf(t, "evil(x)\n", "exec/evil")
	e.Line = 4
	for _, tt := range []struct {
		accounts map[string]Account
		by       string
		verified bool
	}{
		{trusted, "a dismissal of ada, .gate-baseline.json line 4 (until 2027-01-01)", true},
		{nil, "a dismissal of ada, .gate-baseline.json line 4 (until 2027-01-01), whose permission was not checked", false},
	} {
		res := world{head: "evil(x)\n", plain: true, baseline: []Entry{e}, accounts: tt.accounts}.run(t)
		want := &gate.Suppression{By: tt.by, Reason: "a fixture", Dismissal: &gate.Dismissal{Account: "ada", Expires: "2027-01-01", Verified: tt.verified}}
		if diff := cmp.Diff(want, res.Files[0].Findings[0].Suppressed); diff != "" {
			t.Error(diff)
		}
	}
	upper := e
	upper.By = "ADA"
	if got := seen(world{head: "evil(x)\n", plain: true, baseline: []Entry{upper}, accounts: trusted}.run(t)); !slices.Equal(got, []string{"-1 exec/evil"}) {
		t.Errorf("names of accounts have no case: %v", got)
	}
}

func TestFindingsThatAnotherLayerConfirmsAreNotDismissed(t *testing.T) {
	w := world{head: "evil(x)\n", plain: true, baseline: []Entry{dismissalOf(t, "evil(x)\n", "exec/evil")}, accounts: trusted, judged: true}
	res := w.run(t)
	if got := seen(res); !slices.Contains(got, "1 exec/evil") || res.Verdict != gate.Dangerous {
		t.Errorf("%v: %v", res.Verdict, got)
	}
}

func TestOtherLayersAreNotDismissed(t *testing.T) {
	doc := newDocument([]byte("evil(x)\n"))
	for _, f := range []gate.Finding{
		{Layer: gate.LayerJudge, Rule: "judge/odd", Severity: gate.SeveritySuspicious, Line: 1, EndLine: 1},
		{Layer: gate.LayerSandbox, Rule: "a/b", Severity: gate.SeveritySuspicious},
		{Layer: gate.LayerStatic, Rule: "a/b", Severity: gate.SeveritySuspicious},
	} {
		if e, ok := doc.dismissed("a.py", gate.LanguagePython, f); ok {
			t.Errorf("%+v: %+v", f, e)
		}
	}
}

func TestADismissalThatTheChangeAddsIsAFinding(t *testing.T) {
	e := dismissalOf(t, "evil(x)\n", "exec/evil")
	later := e
	later.Expires = "2027-02-01"
	for _, tt := range []struct {
		name       string
		base, head []Entry
		want       bool
	}{
		{"added", nil, []Entry{e}, true},
		{"with a later day", []Entry{e}, []Entry{later}, true},
		{"the same", []Entry{e}, []Entry{e}, false},
		{"taken away", []Entry{e}, nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			data, err := Baseline{tt.head}.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			targets := []*gate.Target{{Path: "a.py", Language: gate.LanguagePython, Mode: 0o644}, {Path: BaselineFile, Language: gate.LanguageJSON, Mode: 0o644}}
			c := &gate.Change{Base: fstest.MapFS{}, Targets: targets, Head: fstest.MapFS{"a.py": {Data: []byte("evil(x)\n"), Mode: 0o644}, BaselineFile: {Data: data, Mode: 0o644}}}
			set := New(Options{Change: c, AgainstBase: true, Rules: []string{"exec/evil"}, Baseline: &Baseline{tt.base}, Accounts: trusted})
			got := set.about(BaselineFile)
			if (len(got) == 1 && got[0].Rule == RuleAdded && got[0].Line == 4) != tt.want || !tt.want && len(got) > 0 {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestADismissalIsWrittenInAVersionOfItsOwn(t *testing.T) {
	plain, err := Baseline{[]Entry{entryFor("a.py", "a/b", "x")}}.Bytes()
	if err != nil || !bytes.Contains(plain, []byte(`"version": 1,`)) {
		t.Errorf("%v:\n%s", err, plain)
	}
	e := dismissalOf(t, "evil(x)\n", "exec/evil")
	data, err := Baseline{[]Entry{e, entryFor("a.py", "a/b", "x")}}.Bytes()
	if err != nil || !bytes.Contains(data, []byte(`"version": 2,`)) || !bytes.Contains(data, []byte(`"by": "ada", "expires": "2027-01-01"`)) {
		t.Fatalf("%v:\n%s", err, data)
	}
	good := string(data)
	for name, tt := range map[string]struct{ old, with, want string }{
		"in the old version":       {`"version": 2`, `"version": 1`, `"by" needs "version": 2`},
		"by an empty name":         {`"by": "ada"`, `"by": ""`, "names no account"},
		"without by":               {`"by": "ada", `, ``, "has to say who dismissed it"},
		"by a bot":                 {`"by": "ada"`, `"by": "dependabot[bot]"`, "is not the name of an account"},
		"by a path":                {`"by": "ada"`, `"by": "../ada"`, "is not the name of an account"},
		"without an end":           {`, "expires": "2027-01-01"`, ``, "expires is missing"},
		"of what is dangerous":     {`"severity": "suspicious"`, `"severity": "dangerous"`, "what is dangerous can't be dismissed"},
		"of the judge":             {`"layer": "static", "severity": "suspicious"`, `"layer": "judge", "severity": "suspicious"`, "of the layer judge can't be dismissed"},
		"of a whole file":          {`"flow:`, `"file:`, "not for a whole file"},
		"without a count":          {`"count": 1, "reason": "a fixture"`, `"reason": "a fixture"`, "count has to be"},
		"without a reason":         {`"reason": "a fixture"`, `"reason": ""`, "has to say something"},
		"with a hash of the wrong": {`"flow:`, `"flow:0`, "the hash has to be"},
	} {
		text := strings.Replace(good, tt.old, tt.with, 1)
		if b, err := ParseBaseline("f", []byte(text)); b != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q in\n%s", name, err, tt.want, text)
		}
	}
}

func TestAnUpdateKeepsDismissals(t *testing.T) {
	e := dismissalOf(t, "evil(x)\n", "exec/evil")
	head := "y\nevil(\n  x)\n"
	res := world{head: head, plain: true, baseline: []Entry{e}}.run(t)
	c := &gate.Change{Head: fstest.MapFS{"a.py": {Data: []byte(head), Mode: 0o644}}}
	res.Files[0].Language = gate.LanguagePython
	now, left := Entries(c, res, Accept{Reason: "reviewed", From: gate.SeveritySuspicious})
	all := func(string, gate.Layer) bool { return true }
	next, d := Baseline{[]Entry{e}}.Update(now, today, all)
	if diff := cmp.Diff([]Entry{e}, next.Entries); diff != "" || len(d.Added)+len(d.Removed)+len(left) > 0 {
		t.Errorf("%s\n%+v\n%v", diff, d, left)
	}
	if next, d := (Baseline{[]Entry{e}}).Update(nil, today, all); len(next.Entries) > 0 || len(d.Removed) != 1 {
		t.Errorf("what is gone is kept: %+v", next)
	}
}

func TestFilesWithoutStatementsAreDismissedByLines(t *testing.T) {
	doc := newDocument([]byte("a:\n  b: c\n"))
	f := gate.Finding{Layer: gate.LayerStatic, Rule: "a/b", Severity: gate.SeveritySuspicious, Line: 2, EndLine: 2}
	if e, ok := doc.dismissed("a.yml", gate.LanguageYAML, f); !ok || e.Hash != lineHash([]byte("  b: c")) || e.Count != 1 {
		t.Errorf("%v %+v", ok, e)
	}
}

func TestDismissersAreLookedUpOnce(t *testing.T) {
	var b Baseline
	for _, e := range []Entry{{Path: "a.py", By: "Bob"}, {Path: "a.py", By: "ada"}, {Path: "a.py", By: "bob"}, {Path: "b.py", By: "eve"}, {Path: "gone.py", By: "max"},
		{Path: "a.py", By: "old", Expires: "2026-01-01"}, {Path: "a.py"}} {
		if e.Expires == "" {
			e.Expires = "2027-01-01"
		}
		b.Entries = append(b.Entries, e)
	}
	c := &gate.Change{Targets: []*gate.Target{{Path: "a.py", Mode: 0o644}, {Path: "gone.py", Kind: gate.ChangeDeleted}}}
	if got := b.Dismissers(c, day(t, today)); !slices.Equal(got, []string{"ada", "bob"}) {
		t.Errorf("%v", got)
	}
}

// FuzzADismissalCoversOnlyItsTokens changes a dismissed statement: what still has its
// hash has its tokens.
func FuzzADismissalCoversOnlyItsTokens(f *testing.F) {
	f.Add("evil(x, 'a')", "evil(\n x,\n \"a\",\n)")
	f.Add("evil(x)", "evil(y)")
	f.Add(" ", " ")
	f.Fuzz(func(t *testing.T, a, b string) {
		f := gate.Finding{Layer: gate.LayerStatic, Rule: "a/b", Severity: gate.SeveritySuspicious, Line: 1, EndLine: 1}
		x, y := newDocument([]byte(a)), newDocument([]byte(b))
		was, ok := x.dismissed("a.py", gate.LanguagePython, f)
		is, too := y.dismissed("a.py", gate.LanguagePython, f)
		if !ok || !too || was.Hash != is.Hash {
			return
		}
		if !strings.HasPrefix(was.Hash, hashOfFlow) { // no statement is on the line
			if one, other := strings.SplitN(string(x.text), "\n", 2), strings.SplitN(string(y.text), "\n", 2); one[0] != other[0] {
				t.Errorf("%q and %q", a, b)
			}
			return
		}
		if !slices.Equal(x.statements.Statements[0].Tokens, y.statements.Statements[0].Tokens) {
			t.Errorf("%q and %q", a, b)
		}
	})
}

func day(t *testing.T, s string) time.Time {
	t.Helper()
	d, err := time.Parse(time.DateOnly, s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
