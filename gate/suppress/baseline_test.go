package suppress

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

// entryFor is an entry that accepts lines.
func entryFor(path, rule string, lines string) Entry {
	return Entry{Path: path, Layer: gate.LayerStatic, Rule: rule, Severity: gate.SeverityDangerous, Hash: lineHash([]byte(lines)), Count: 1, Reason: "reviewed"}
}

func TestABaselineIsWrittenInOneOrderAndReadBack(t *testing.T) {
	whole := Entry{Path: "b\u202e \n\U000e0041.py", Layer: gate.LayerJudge, Rule: "judge/dangerous", Severity: gate.SeveritySuspicious, Hash: hashOfFile + sum(nil), Reason: `says "x", "y" \ <b>`, Expires: "2027-01-31"}
	entries := []Entry{entryFor("b.py", "a/b", "1"), whole, entryFor("a.py", "c/d", "2"), entryFor("a.py", "a/b", "3")}
	first, err := Baseline{entries}.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(entries)
	if second, _ := (Baseline{entries}).Bytes(); !bytes.Equal(first, second) {
		t.Errorf("the order of the entries shows:\n%s\n%s", first, second)
	}
	if bytes.Count(first, []byte("\n")) != len(entries)+5 || strings.ContainsAny(string(first), "\u202e\U000e0041") {
		t.Errorf("not one visible line an entry:\n%s", first)
	}
	b, err := ParseBaseline("x", first)
	if err != nil {
		t.Fatalf("%v in\n%s", err, first)
	}
	slices.SortFunc(entries, Entry.compare)
	for i := range b.Entries {
		if b.Entries[i].Line != i+4 {
			t.Errorf("entry %d says line %d", i, b.Entries[i].Line)
		}
		b.Entries[i].Line = 0
	}
	if diff := cmp.Diff(entries, b.Entries); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	if b, err := ParseBaseline("x", []byte(`{"version": 1, "entries": []}`)); err != nil || len(b.Entries) != 0 {
		t.Errorf("an empty baseline: %+v, %v", b, err)
	}
}

func TestAMistakeInABaselineNamesFileLineAndWhatIsExpected(t *testing.T) {
	good := `{"path": "a.py", "rule": "a/b", "layer": "static", "severity": "dangerous", "hash": "lines:` + strings.Repeat("0", 64) + `", "count": 1, "reason": "reviewed"}`
	file := func(entries string) string { return "{\n\"version\": 1,\n\"entries\": [\n" + entries + "\n]}" }
	change := func(old, next string) string { return file(strings.Replace(good, old, next, 1)) }
	for name, tt := range map[string]struct{ data, want string }{
		"nothing":                                   {"", "f:1: the file ends too early"},
		"the beginning of something":                {file(good)[:60], "f:4: the file ends too early"},
		"no JSON":                                   {"{\n\nversion: 1}", "f:3: not valid JSON"},
		"a list":                                    {"[]", "f:1: the file as an object is expected"},
		"no version":                                {`{"entries": []}`, `"version": 1 is missing`},
		"a version to come":                         {"{\n\"version\": 3, \"entries\": []}", "f:2: this gate reads the versions 1 and 2, not 3"},
		"a version that is a text":                  {`{"version": "1"}`, "a whole number is expected"},
		"a member that no one knows":                {change(`"layer"`, `"lyer"`), `f:4: unknown member "lyer" in an entry`},
		"a member in another case":                  {change(`"reason"`, `"Reason"`), `unknown member "Reason"`},
		"a member twice":                            {change(`"layer"`, `"rule": "a/b", "layer"`), `"rule" is in an entry twice`},
		"entries twice":                             {`{"version": 1, "entries": [], "entries": []}`, `"entries" is in the file twice`},
		"something behind the end":                  {file(good) + "{}", "something follows"},
		"an entry that is no object":                {file(`1`), "an entry as an object is expected"},
		"a path out of the tree":                    {change("a.py", "../a.py"), `f:4: "../a.py" is not a path below`},
		"an absolute path":                          {change("a.py", "/a.py"), "is not a path below"},
		"no path":                                   {change(`"path": "a.py",`, ""), "the path is missing"},
		"a rule that is none":                       {change("a/b", "everything"), "is not the id of a rule"},
		"a rule that nothing may suppress":          {change("a/b", "policy-change/suppression"), "can't be accepted in advance"},
		"the rule of protected files":               {change("a/b", "config/protected-file"), "can't be accepted in advance"},
		"the rule of findings beyond a limit":       {change("a/b", "gate/too-many-findings"), "can't be accepted in advance"},
		"a layer that does not exist":               {change(`"static"`, `"magic"`), "is not a layer"},
		"a severity that does not exist":            {change(`"dangerous"`, `"fine"`), "unknown severity"},
		"the severity of nothing":                   {change(`"dangerous"`, `"unknown"`), "unknown severity"},
		"no severity":                               {change(`"severity": "dangerous",`, ""), "unknown severity"},
		"a short hash":                              {change("lines:0", "lines:"), "the hash has to be"},
		"a hash of something else":                  {change("lines:", "sha256:"), "the hash has to be"},
		"a bare hash":                               {change("lines:", ""), "the hash has to be"},
		"lines of another layer":                    {change(`"static"`, `"judge"`), "for a whole file"},
		"no count":                                  {change(`"count": 1,`, ""), "count has to be"},
		"a huge count":                              {change(`"count": 1`, `"count": 99999999`), "count has to be"},
		"a negative count":                          {change(`"count": 1`, `"count": -1`), "a whole number is expected"},
		"a count that is none":                      {change(`"count": 1`, `"count": 1.5`), "a whole number is expected"},
		"a count for a file":                        {change("lines:", "file:"), "only an entry for lines has a count"},
		"no reason":                                 {change("reviewed", ""), "the reason has to say something"},
		"a reason that cannot be seen":              {change("reviewed", `re\u202eviewed`), "cannot be seen"},
		"a reason that is no text":                  {change(`"reviewed"`, `["x"]`), "a text is expected"},
		"a day that does not exist":                 {change(`"reviewed"`, `"reviewed", "expires": "2026-02-30"`), "not a date"},
		"the same entry twice":                      {file(good + ",\n" + good), "f:5: the same entry is on line 4"},
		"a byte that is not UTF-8":                  {change("reviewed", "re\xffviewed"), "not UTF-8"},
		"a file that is too large":                  {strings.Repeat(" ", MaxBytes+1), "at most 8388608 are read"},
		"more entries than are read":                {file(strings.Repeat("{},", maxEntries+1)), "the path is missing"},
		"nesting where an entry should have a text": {change(`"a.py"`, strings.Repeat("[", 10_000)), "a text is expected"},
	} {
		t.Run(name, func(t *testing.T) {
			b, err := ParseBaseline("f", []byte(tt.data))
			if err == nil || b != nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestAnUpdateKeepsReasonsAndDropsWhatIsGone(t *testing.T) {
	kept, fixed, expired, worse, copied, elsewhere := entryFor("a.py", "a/b", "kept"), entryFor("a.py", "a/b", "fixed"), entryFor("a.py", "a/b", "expired"),
		entryFor("a.py", "a/b", "worse"), entryFor("a.py", "a/b", "copied"), entryFor("other.py", "a/b", "not scanned")
	judged := Entry{Path: "a.py", Layer: gate.LayerJudge, Rule: "judge/x", Severity: gate.SeverityDangerous, Hash: hashOfFile + sum(nil), Reason: "by hand"}
	kept.Reason, kept.Expires, kept.Count = "an old reason", "2030-01-01", 3
	expired.Expires, worse.Severity = "2026-01-31", gate.SeveritySuspicious
	old := Baseline{[]Entry{kept, fixed, expired, worse, copied, elsewhere, judged}}

	seen := func(lines string) Entry { e := entryFor("a.py", "a/b", lines); e.Reason = "a new reason"; return e }
	again, twice := seen("kept"), seen("copied")
	again.Count, twice.Count = 2, 2
	now := []Entry{again, seen("expired"), seen("worse"), twice, seen("new")}
	next, d := old.Update(now, "2026-02-01", func(path string, l gate.Layer) bool { return path == "a.py" && l == gate.LayerStatic })

	kept.Count = 2
	want := []Entry{kept, seen("expired"), seen("worse"), twice, seen("new"), elsewhere, judged}
	slices.SortFunc(want, Entry.compare)
	if diff := cmp.Diff(want, next.Entries); diff != "" {
		t.Errorf("next (-want +got):\n%s", diff)
	}
	if len(d.Added) != 4 || len(d.Removed) != 4 {
		t.Errorf("added %+v\nremoved %+v", d.Added, d.Removed)
	}
	if same, d := next.Update(now, "2026-02-01", func(string, gate.Layer) bool { return false }); len(d.Added)+len(d.Removed) > 0 || cmp.Diff(next, same) != "" {
		t.Errorf("a second update changes something: %+v", d)
	}
}

func FuzzParseBaseline(f *testing.F) {
	data, err := Baseline{[]Entry{entryFor("a.py", "a/b", "x"), {Path: "b", Layer: gate.LayerJudge, Rule: "c/d", Severity: gate.SeverityNote, Hash: hashOfFile + sum(nil), Reason: "fine", Expires: "2027-01-31"}}}.Bytes()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{string(data), "", "{}", `{"version": 1, "entries": []}`, "{\"version\": 1,\n\"entries\": [{\"path\": \"\\ud800\"}]}", "[[[", `{"version": 1e0}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := ParseBaseline("f", data)
		if (b == nil) == (err == nil) {
			t.Fatalf("%v and %v", b, err)
		}
		if err != nil {
			return
		}
		out, err := b.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseBaseline("f", out)
		if err != nil {
			t.Fatalf("what was written is not read: %v\n%s", err, out)
		}
		for _, b := range []*Baseline{b, again} {
			for i := range b.Entries {
				b.Entries[i].Line = 0
			}
		}
		if diff := cmp.Diff(b, again); diff != "" {
			t.Fatalf("it changed on its way:\n%s", diff)
		}
	})
}
