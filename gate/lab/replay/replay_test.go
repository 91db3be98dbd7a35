package replay

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
)

var update = flag.Bool("update", false, "write the golden files")

// change is a row for tests: the n-th day of the year, with reasons.
func change(n int, author Author, v gate.Verdict, d gate.Decision, reasons ...Reason) Row {
	day := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC).AddDate(0, 0, n)
	return Row{
		Key: day.Format(dayForm), Commit: strings.Repeat(string('a'+rune(n%26)), 40), Date: day, Subject: "change <b>&" + "\x1b[31m", Author: author,
		Files: 1, Verdict: v, Decision: d, Millis: int64(100 * (n + 1)), Reasons: reasons,
	}
}

func finding(rule string, s gate.Severity, path string) Reason {
	return Reason{Rule: rule, Severity: s, Path: path}
}

// history is a small one with every outcome.
func history() []Row {
	ci := finding("config/protected-file", gate.SeveritySuspicious, ".github/workflows/ci.yml")
	return []Row{
		change(70, AuthorBot, gate.Suspicious, gate.DecisionPass, ci),
		change(0, AuthorPerson, gate.Safe, gate.DecisionPass),
		change(1, AuthorAgent, gate.Dangerous, gate.DecisionBlock, finding("exec/evil", gate.SeverityDangerous, "src/a/b.py"), ci),
		change(2, AuthorPerson, gate.Incomplete, gate.DecisionIncomplete, Reason{Rule: "static", Path: "data/x.json", Gap: "larger than the size limit: 123 bytes"}),
		change(3, AuthorBot, gate.Suspicious, gate.DecisionPass, ci),
		{Key: "f", Commit: strings.Repeat("f", 40), Date: time.Date(2026, 1, 20, 0, 0, 0, 0, time.UTC), Author: AuthorPerson, Failed: "no such object"},
	}
}

func TestASummaryCountsEveryChangeOnce(t *testing.T) {
	r := Summarise(gate.Tool{Name: "gate"}, []string{"static"}, history())
	if want := (Counts{Changes: 6, Blocked: 1, Incomplete: 2, Flagged: 2}); r.Summary != want || r.Summary.Passed() != 1 {
		t.Errorf("got %+v", r.Summary)
	}
	for _, groups := range [][]Group{r.Months, r.Authors} {
		var sum Counts
		for _, g := range groups {
			sum.Changes += g.Changes
			sum.Blocked += g.Blocked
			sum.Incomplete += g.Incomplete
			sum.Flagged += g.Flagged
		}
		if sum != r.Summary {
			t.Errorf("%+v is not all of it", groups)
		}
	}
	if months := len(r.Months); months != 3 {
		t.Errorf("%d months, want January to March with an empty one", months)
	}
	if !slices.IsSortedFunc(r.Changes, func(a, b Row) int { return a.Date.Compare(b.Date) }) {
		t.Error("the changes are not in the order of their dates")
	}
	if r.Time != (Durations{Median: 300, Most95: 7100, Longest: 7100}) {
		t.Errorf("durations %+v", r.Time)
	}
}

func TestACauseIsWhatDecides(t *testing.T) {
	r := Summarise(gate.Tool{}, nil, history())
	var got []string
	for _, g := range r.Rules {
		got = append(got, g.Name)
	}
	// The blocked change is not one of the protected file: what is dangerous decides.
	if want := []string{"exec/evil", "config/protected-file", "gate: no such object", "static: larger than the size limit"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if r.Rules[1].Flagged != 2 || r.Rules[1].Blocked != 0 {
		t.Errorf("%+v", r.Rules[1])
	}
}

func TestALineOfThePolicyIsShownWithWhatItLetsThrough(t *testing.T) {
	r := Summarise(gate.Tool{}, nil, history())
	if len(r.Advice) == 0 || r.Advice[0].Line != `paths: {exclude: [".github/workflows/**"]}` || r.Advice[0].Helps != 2 || r.Advice[0].Mutes.Suspicious != 3 {
		t.Fatalf("%+v", r.Advice)
	}
	for _, s := range r.Advice {
		if strings.Contains(s.Line, "exec/evil") {
			t.Errorf("%q helps no two changes", s.Line)
		}
	}
	// What mutes something dangerous comes last and names where.
	rows := append(history(), change(5, AuthorPerson, gate.Dangerous, gate.DecisionBlock, finding("exec/evil", gate.SeverityDangerous, "src/a/c.py")),
		change(6, AuthorPerson, gate.Dangerous, gate.DecisionBlock, finding("exec/evil", gate.SeverityDangerous, "src/a/d.py")))
	r = Summarise(gate.Tool{}, nil, rows)
	last := r.Advice[len(r.Advice)-1]
	if last.Mutes.Dangerous != 3 || len(last.Mutes.Commits) != 3 || r.Advice[0].Mutes.Dangerous != 0 {
		t.Errorf("%+v", r.Advice)
	}
}

func TestReasonsAreWhatDecidesInAResult(t *testing.T) {
	of := func(f gate.Finding) []Reason {
		f.Rule = "a/b"
		return ReasonsOf(gate.Result{Files: []gate.FileResult{{Path: "x", Findings: []gate.Finding{f, f}}}})
	}
	for name, tc := range map[string]struct {
		f    gate.Finding
		want []Reason
	}{
		"in the change":    {gate.Finding{Severity: gate.SeveritySuspicious, InChange: true}, []Reason{finding("a/b", gate.SeveritySuspicious, "x")}},
		"corroborated":     {gate.Finding{Severity: gate.SeveritySuspicious, InChange: true, CorroboratedBy: "judge:x"}, []Reason{finding("a/b", gate.SeverityDangerous, "x")}},
		"there before":     {gate.Finding{Severity: gate.SeverityDangerous}, nil},
		"a note":           {gate.Finding{Severity: gate.SeverityNote, InChange: true}, nil},
		"with a reason":    {gate.Finding{Severity: gate.SeverityDangerous, InChange: true, Suppressed: &gate.Suppression{}}, nil},
		"of no known rank": {gate.Finding{InChange: true}, nil},
	} {
		if got := of(tc.f); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestChangesWithoutAVerdictAreIncomplete(t *testing.T) {
	for name, row := range map[string]Row{
		"a failure":    {Failed: "x", Verdict: gate.Safe, Decision: gate.DecisionPass},
		"the zero row": {},
	} {
		if row.outcome() != incomplete {
			t.Errorf("%s counts as %s", name, row.outcome())
		}
	}
}

func TestTheKindOfAuthor(t *testing.T) {
	for _, tc := range []struct {
		name, email string
		marked      bool
		want        Author
	}{
		{"dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com", false, AuthorBot},
		{"renovate", "29139614+renovate[bot]@users.noreply.github.com", false, AuthorBot},
		{"dependabot[bot]", "x@example.com", true, AuthorAgent},
		{"Robot Abbott", "abbot@example.com", false, AuthorPerson},
	} {
		if got := AuthorOf(tc.name, tc.email, tc.marked); got != tc.want {
			t.Errorf("%q <%s>: %s", tc.name, tc.email, got)
		}
	}
}

func TestReportsAreTheGoldenOnesAndHoldNoMarkupOfTheHistory(t *testing.T) {
	r := Summarise(gate.Tool{Name: "gate", Version: "v1"}, []string{"static"}, history())
	learned := Learn(nil, thrice(), 1)
	r.Learned = &learned
	for name, write := range map[string]func(*bytes.Buffer) error{
		"report.txt":  func(b *bytes.Buffer) error { return WriteText(b, r) },
		"report.html": func(b *bytes.Buffer) error { return WriteHTML(b, r) },
		"report.json": func(b *bytes.Buffer) error { return WriteJSON(b, r) },
		"empty.txt":   func(b *bytes.Buffer) error { return WriteText(b, Summarise(gate.Tool{}, nil, nil)) },
		"empty.html":  func(b *bytes.Buffer) error { return WriteHTML(b, Summarise(gate.Tool{}, nil, nil)) },
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := write(&got); err != nil {
				t.Fatal(err)
			}
			if strings.ContainsRune(got.String(), 0x1b) || strings.HasSuffix(name, ".html") && strings.Contains(got.String(), "change <b>") {
				t.Error("text of the history is shown as it is")
			}
			golden := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("not the golden file; go test ./gate/lab/replay -update writes it:\n%s", &got)
			}
		})
	}
}

func TestAJournalGoesOnWhereItWasCutOff(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state", "rows.jsonl")
	open := func() *Journal {
		t.Helper()
		j, err := OpenJournal(name)
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	rows := history()
	j := open()
	for _, row := range rows {
		if err := j.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, append([]byte("no row\n{}\n"), data[:len(data)-10]...), 0o600); err != nil {
		t.Fatal(err)
	}
	j = open()
	if err := j.Add(change(9, AuthorBot, gate.Safe, gate.DecisionPass)); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	j = open()
	defer j.Close()
	known := 0
	for _, row := range append(rows, change(9, AuthorBot, gate.Safe, gate.DecisionPass)) {
		got, ok := j.Known(row.Key)
		if ok && (!slices.Equal(got.Reasons, row.Reasons) || got.Verdict != row.Verdict || !got.Date.Equal(row.Date)) {
			t.Errorf("%+v became %+v", row, got)
		}
		if ok {
			known++
		}
	}
	// One was cut off, which is the one that failed and would be tried again anyway.
	if known != len(rows) {
		t.Errorf("%d of %d rows are known", known, len(rows)+1)
	}
}

// FuzzJournal: whatever is in the file, opening it neither panics nor takes something for
// a row that has no key.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"key":"a","verdict":"SAFE","decision":"pass"}` + "\n"))
	f.Add([]byte("{\x00\n\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		name := filepath.Join(t.TempDir(), "rows")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := OpenJournal(name)
		if err != nil {
			return
		}
		defer j.Close()
		if _, ok := j.Known(""); ok {
			t.Error("a row without a key")
		}
	})
}

func TestAPlotIsDrawnOnlyOfWhatWasStopped(t *testing.T) {
	quiet, busy := history()[1:2], history()
	for _, tt := range []struct {
		rows  []Row
		plots int
	}{{quiet, 0}, {busy, 1}} {
		var page bytes.Buffer
		if err := WriteHTML(&page, Summarise(gate.Tool{}, nil, tt.rows)); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(page.String(), "<svg"); n != tt.plots {
			t.Errorf("%d changes have %d plots, want %d", len(tt.rows), n, tt.plots)
		}
	}
}
