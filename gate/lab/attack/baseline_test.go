package attack

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// rowOf is an attack that was caught, executed and contained, but for what with
// changes.
func rowOf(id string, with func(*Row)) Row {
	r := Row{
		ID: id, Runtime: "runc", Caught: true, CaughtBy: []gate.Layer{gate.LayerStatic}, Executable: true, Executed: true, Contained: true,
		Expected: []gate.Layer{gate.LayerStatic}, Verdict: gate.Dangerous,
		Layers: map[gate.Layer]gate.Verdict{gate.LayerStatic: gate.Dangerous, gate.LayerSandbox: gate.Safe}, Phases: map[gate.Layer]int64{gate.LayerStatic: 1},
	}
	if with != nil {
		with(&r)
	}
	return r
}

func resultOf(rows ...Row) Result {
	res := Result{SchemaVersion: SchemaVersion, Layers: []gate.Layer{gate.LayerStatic, gate.LayerSandbox}, Runtimes: []string{"runc"}, Attacks: rows}
	res.count()
	return res
}

func missed(r *Row)      { r.Caught, r.CaughtBy, r.Verdict = false, nil, gate.Safe }
func uncontained(r *Row) { r.Contained, r.Breaches = false, []Breach{{Network, "a packet"}} }
func notRun(r *Row)      { r.Executed, r.Contained = false, false }
func unseen(r *Row)      { r.Incomplete = []string{"static: too large"} }
func quietTwin(r *Row)   { r.Benign, r.Caught, r.CaughtBy, r.Verdict = true, false, nil, gate.Safe }
func flaggedTwin(r *Row) { r.Benign = true }

func TestBaselineFailsOnlyForWhatIsWorse(t *testing.T) {
	tests := map[string]struct {
		before, now  []Row
		regressions  string
		improvements string
		decision     gate.Decision
	}{
		"nothing has changed":                   {[]Row{rowOf("a-b", nil)}, []Row{rowOf("a-b", nil)}, "", "", gate.DecisionPass},
		"what is known to be missed":            {[]Row{rowOf("a-b", missed)}, []Row{rowOf("a-b", missed)}, "", "", gate.DecisionPass},
		"newly missed":                          {[]Row{rowOf("a-b", nil)}, []Row{rowOf("a-b", missed)}, "newly missed", "", gate.DecisionBlock},
		"newly caught":                          {[]Row{rowOf("a-b", missed)}, []Row{rowOf("a-b", nil)}, "", "newly caught", gate.DecisionPass},
		"newly not contained":                   {[]Row{rowOf("a-b", nil)}, []Row{rowOf("a-b", uncontained)}, "newly not contained", "", gate.DecisionBlock},
		"known not to be contained":             {[]Row{rowOf("a-b", uncontained)}, []Row{rowOf("a-b", uncontained)}, "", "", gate.DecisionPass},
		"newly contained":                       {[]Row{rowOf("a-b", uncontained)}, []Row{rowOf("a-b", nil)}, "", "newly contained", gate.DecisionPass},
		"newly not executed":                    {[]Row{rowOf("a-b", nil)}, []Row{rowOf("a-b", notRun)}, "newly not executed", "", gate.DecisionBlock},
		"newly executed and not contained":      {[]Row{rowOf("a-b", notRun)}, []Row{rowOf("a-b", uncontained)}, "newly executed, and not contained", "newly executed", gate.DecisionBlock},
		"a twin that is newly called dangerous": {[]Row{rowOf("a-b", quietTwin)}, []Row{rowOf("a-b", flaggedTwin)}, "newly called dangerous", "", gate.DecisionBlock},
		"a twin that no longer is":              {[]Row{rowOf("a-b", flaggedTwin)}, []Row{rowOf("a-b", quietTwin)}, "", "no longer called dangerous", gate.DecisionPass},
		"a new attack that is caught":           {nil, []Row{rowOf("a-b", nil)}, "", "", gate.DecisionPass},
		"a new attack that is missed":           {nil, []Row{rowOf("a-b", missed)}, "new, and missed", "", gate.DecisionBlock},
		"an attack that is gone":                {[]Row{rowOf("a-b", nil), rowOf("c-d", nil)}, []Row{rowOf("a-b", nil)}, "is no longer in the suite", "", gate.DecisionBlock},
		"newly not looked at":                   {[]Row{rowOf("a-b", nil)}, []Row{rowOf("a-b", unseen)}, "", "", gate.DecisionIncomplete},
		"known not to be looked at":             {[]Row{rowOf("a-b", unseen)}, []Row{rowOf("a-b", unseen)}, "", "", gate.DecisionPass},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			before := resultOf(tt.before...)
			res := resultOf(tt.now...)
			if err := res.Compare("base.json", before.Accept(nil, true), true); err != nil {
				t.Fatal(err)
			}
			if got := whats(res.Baseline.Regressions); got != tt.regressions {
				t.Errorf("regressions %q, want %q", got, tt.regressions)
			}
			if got := whats(res.Baseline.Improvements); got != tt.improvements {
				t.Errorf("improvements %q, want %q", got, tt.improvements)
			}
			if res.Decision != tt.decision {
				t.Errorf("decision %s, want %s", res.Decision, tt.decision)
			}
		})
	}
}

func whats(list []Change) string {
	var out []string
	for _, c := range list {
		out = append(out, c.What)
	}
	return strings.Join(out, ",")
}

func TestAcceptingTakesWhatIsBetterAndLeavesWhatIsWorse(t *testing.T) {
	old := resultOf(rowOf("better-one", missed), rowOf("worse-one", nil), rowOf("absent-one", nil)).accepted()
	res := resultOf(rowOf("better-one", nil), rowOf("worse-one", missed), rowOf("fresh-one", nil))
	if err := res.Compare("base.json", old, false); err != nil {
		t.Fatal(err)
	}
	caught := func(b *Baseline) string {
		var out []string
		for _, k := range b.Attacks {
			if k.Caught {
				out = append(out, k.ID)
			}
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	// What was not run stays as it was.
	if got, want := caught(res.Accept(old, false)), "absent-one better-one fresh-one worse-one"; got != want {
		t.Errorf("better: %q, want %q", got, want)
	}
	if got, want := caught(res.Accept(old, true)), "absent-one better-one fresh-one"; got != want {
		t.Errorf("all: %q, want %q", got, want)
	}
}

// accepted is a baseline of everything.
func (res Result) accepted() *Baseline { return res.Accept(nil, true) }

func TestABaselineOfOtherLayersIsNotCompared(t *testing.T) {
	res := resultOf(rowOf("a-b", nil))
	other := res.accepted()
	other.Layers = []gate.Layer{gate.LayerStatic}
	if err := res.Compare("base.json", other, true); err == nil || !strings.Contains(err.Error(), "--layers") {
		t.Errorf("got %v", err)
	}
}

func TestABaselineComesBackAsItWasWritten(t *testing.T) {
	b := resultOf(rowOf("c-d", missed), rowOf("a-b", nil), rowOf("a-b", quietTwin)).accepted()
	text, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseBaseline("b.json", text)
	if err != nil {
		t.Fatal(err)
	}
	if twice, err := again.Encode(); err != nil || string(twice) != string(text) || len(again.Attacks) != 3 {
		t.Errorf("%v\n%s\n%s", err, text, twice)
	}
	if n := strings.Count(string(text), "\n"); n != 5 {
		t.Errorf("%d lines: a diff could not be read", n)
	}
}

func TestABaselineIsReadStrictly(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":             {"", "b.json:1:"},
		"an unknown key":      {`{"schema_version": 1, "layers": [], "attacks": [{"id": "a-b", "ok": true}]}`, "unknown field"},
		"another version":     {`{"schema_version": 2, "layers": [], "attacks": []}`, "schema_version is 2"},
		"a name with markup":  {`{"schema_version": 1, "layers": [], "attacks": [{"id": "<b>"}]}`, "is no attack"},
		"an attack twice":     {`{"schema_version": 1, "layers": [], "attacks": [{"id": "a-b"}, {"id": "a-b"}]}`, "there twice"},
		"a layer that is not": {`{"schema_version": 1, "layers": ["luck"], "attacks": []}`, "not a layer"},
		"more behind it":      {"{\"schema_version\": 1, \"layers\": [], \"attacks\": []}\n{}", "b.json:"},
		"too much of it":      {strings.Repeat(" ", MaxBaseline+1), "more than"},
	} {
		if _, err := ParseBaseline("b.json", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

func FuzzParseBaseline(f *testing.F) {
	text, err := resultOf(rowOf("a-b", nil)).accepted().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"schema_version": 1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := ParseBaseline("b.json", data)
		if err != nil {
			return
		}
		text, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseBaseline("b.json", text); err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, text)
		}
	})
}
