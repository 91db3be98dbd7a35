package attack

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

var update = flag.Bool("update", false, "write the golden files again")

// everything has one row of every kind.
func everything(t *testing.T) Result {
	t.Helper()
	both := func(l gate.Verdict, s gate.Verdict) func(*Row) {
		return func(r *Row) {
			r.Layers = map[gate.Layer]gate.Verdict{gate.LayerStatic: l, gate.LayerSandbox: s}
			r.Phases = map[gate.Layer]int64{gate.LayerStatic: 3, gate.LayerSandbox: 12000}
			r.ProgramsMS, r.AroundMS = 9000, 1500
			r.Title, r.Technique, r.Group = "Does | something <b>", "T1048", "group"
		}
	}
	on := func(runtime string, fs ...func(*Row)) func(*Row) {
		return func(r *Row) {
			r.Runtime = runtime
			for _, f := range fs {
				f(r)
			}
		}
	}
	res := Result{
		SchemaVersion: SchemaVersion, Tool: gate.Tool{Name: "gate", Version: "v1"}, Layers: []gate.Layer{gate.LayerStatic, gate.LayerSandbox},
		Runtimes: []string{"runc", "runsc"}, Environment: &Environment{Engine: "docker 1", Kernel: "6.1", Cores: 2},
		Attacks: []Row{
			rowOf("held-one", on("runc", both(gate.Dangerous, gate.Suspicious))),
			rowOf("held-one", on("runsc", both(gate.Dangerous, gate.Suspicious))),
			rowOf("held-one", on("runc", both(gate.Safe, gate.Safe), quietTwin)),
			rowOf("held-one", on("runsc", both(gate.Safe, gate.Safe), quietTwin)),
			rowOf("loose-one", on("runc", both(gate.Safe, gate.Safe), missed, func(r *Row) { r.Unasked = []gate.Layer{gate.LayerJudge} })),
			rowOf("loose-one", on("runsc", both(gate.Safe, gate.Dangerous), uncontained, func(r *Row) { r.CaughtBy = []gate.Layer{gate.LayerSandbox} })),
			rowOf("loose-one", on("runc", both(gate.Dangerous, gate.Safe), flaggedTwin)),
			rowOf("loose-one", on("runsc", both(gate.Suspicious, gate.Safe), flaggedTwin, func(r *Row) { r.Verdict = gate.Suspicious })),
			rowOf("text-one", on("runc", both(gate.Dangerous, gate.Safe), notRun, func(r *Row) { r.Executable, r.Blind = false, true })),
			rowOf("text-one", on("runsc", both(gate.Incomplete, gate.Safe), notRun, unseen)),
		},
		Left: []string{"a mount of container 0123 is left"},
	}
	res.tally([]Probed{
		{Name: "mount", Category: "kernel calls", Image: "shell", Runtime: "runc", Held: true, Outcome: "operation not permitted"},
		{Name: "map as code", Category: "files", Image: "shell", Runtime: "runsc", Held: true, Outcome: "ok", Excuse: "own files"},
		{Name: "reach tcp\x1b[2J 192.0.2.1:1", Category: "network", Image: "shell", Runtime: "runsc", Outcome: "ok\x1b[31m"},
	})
	res.count()
	old := resultOf(rowOf("held-one", missed)).accepted()
	if err := res.Compare("base.json", old, false); err != nil {
		t.Fatal(err)
	}
	return res
}

func TestTheFormatsAreAsTheyWere(t *testing.T) {
	res := everything(t)
	var text, markdown strings.Builder
	if err := res.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if err := res.WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	doc, err := res.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"result.txt": text.String(), "result.md": markdown.String(), "result.json": string(doc)} {
		if strings.ContainsAny(got, "\x1b\x07") {
			t.Errorf("%s has control characters", name)
		}
		file := "testdata/" + name
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

func TestASavedResultComesBackAsItWas(t *testing.T) {
	doc, err := everything(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseResult("r.json", doc)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := again.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(doc), string(twice)); diff != "" {
		t.Error(diff)
	}
}

func TestASavedResultCannotSayMoreThanItsRows(t *testing.T) {
	doc, err := everything(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ old, with, want string }{
		"an unknown key":                 {`"tool":`, `"tools":`, "unknown field"},
		"contained without execution":    {`"executed":true,"contained":true`, `"executed":false,"contained":true`, "it was not executed"},
		"contained in spite of a breach": {`"contained":false,"breaches"`, `"contained":true,"breaches"`, "there are breaches"},
		"a name with markup":             {`"id":"held-one"`, `"id":"<b>"`, "is no attack"},
		"a runtime with markup": {`"runtimes": [
    "runc"`, `"runtimes": [
    "<b>"`, "is not a runtime"},
		"a layer with markup": {`"caught_by":["static"]`, `"caught_by":["<b>"]`, "is not a layer"},
	} {
		text := strings.Replace(string(doc), tt.old, tt.with, 1)
		if _, err := ParseResult("r.json", []byte(text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	// What follows from the rows is worked out again.
	res, err := ParseResult("r.json", []byte(strings.Replace(string(doc), `"decision": "block"`, `"decision": "pass"`, 1)))
	if err != nil || res.Decision != gate.DecisionBlock {
		t.Errorf("%s, %v", res.Decision, err)
	}
}

func FuzzParseResult(f *testing.F) {
	doc, err := resultOf(rowOf("a-b", nil)).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(doc)
	f.Add([]byte(`{"schema_version": 1, "attacks": [{"id": "a-b"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		res, err := ParseResult("r.json", data)
		if err != nil {
			return
		}
		var out strings.Builder
		if err := res.WriteText(&out); err != nil {
			t.Fatal(err)
		}
		if err := res.WriteMarkdown(&out); err != nil {
			t.Fatal(err)
		}
		for _, r := range res.Attacks {
			if r.Contained && !r.Executed {
				t.Fatal("contained, and not executed")
			}
		}
	})
}
