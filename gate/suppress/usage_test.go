package suppress

import (
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
)

func TestASafeUsageCoversWhatItMatchesFromEndToEnd(t *testing.T) {
	suspicion := gate.Finding{Rule: "exec/evil", Layer: gate.LayerStatic, Severity: gate.SeveritySuspicious, Line: 1}
	with := func(change func(*gate.Finding)) gate.Finding {
		f := suspicion
		change(&f)
		return f
	}
	for name, c := range map[string]struct {
		text    string
		finding gate.Finding
		covered bool
	}{
		"the line":                              {"run(\"git\", name)\n", suspicion, true},
		"the line with other blanks":            {"\trun(\"git\",   name)  \n", suspicion, true},
		"something behind it":                   {"run(\"git\", name); evil()\n", suspicion, false},
		"something before it":                   {"evil(); run(\"git\", name)\n", suspicion, false},
		"a call that goes on below":             {"run(\"git\", name\n, shell=True)\n", suspicion, false},
		"a line that goes on below":             {"run(\"git\", name) \\\n or evil()\n", suspicion, false},
		"another rule":                          {"run(\"git\", name)\n", with(func(f *gate.Finding) { f.Rule = "exec/sink" }), false},
		"a danger":                              {"run(\"git\", name)\n", with(func(f *gate.Finding) { f.Severity = gate.SeverityDangerous }), false},
		"a finding that rests on other lines":   {"run(\"git\", name)\n", with(func(f *gate.Finding) { f.Flow = []gate.Step{{Line: 1}} }), false},
		"another layer":                         {"run(\"git\", name)\n", with(func(f *gate.Finding) { f.Layer = gate.LayerJudge }), false},
		"a finding of the whole file":           {"run(\"git\", name)\n", with(func(f *gate.Finding) { f.Line = 0 }), false},
		"lines of which only one is as it says": {"run(\"git\", name)\nevil()\n", with(func(f *gate.Finding) { f.EndLine = 2 }), false},
	} {
		t.Run(name, func(t *testing.T) {
			set := New(Options{
				Change: &gate.Change{Head: fstest.MapFS{"a.py": {Data: []byte(c.text), Mode: 0o644}},
					Targets: []*gate.Target{{Path: "a.py", Language: gate.LanguagePython, Kind: gate.ChangeModified, Mode: 0o644}}},
				Usage: []gate.Usage{{Rule: "exec/evil", Line: `run\("git", \w+( or)?( \\)?`, Reason: "broken off"}, {Rule: "exec/evil", Line: `run\("git", \w+\)( \\)?`, Reason: "our own repository"}},
			})
			got := set.Suppress("a.py", c.finding)
			if (got != nil) != c.covered {
				t.Fatalf("got %+v", got)
			}
			if got != nil && (got.By != SuppressedByUsage || got.Reason != "our own repository") {
				t.Errorf("got %+v", got)
			}
		})
	}
}
