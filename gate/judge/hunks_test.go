package judge_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/judge"
	"github.com/aigate/gate/tools/testenv"
)

// numbered is a file whose every line says which it is.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line_%d = %d\n", i+1, i+1)
	}
	return b.String()
}

// editing is a change of some lines of a file.
func editing(path, src string, lines ...gate.LineRange) *gate.Change {
	return &gate.Change{
		Head: fstest.MapFS{path: {Data: []byte(src), Mode: 0o644}},
		Targets: []*gate.Target{{Path: path, Language: gate.LanguagePython, Role: gate.RoleSource, Kind: gate.ChangeModified,
			Mode: 0o644, Size: int64(len(src)), Lines: gate.OnlyLines(lines...)}},
	}
}

func judged(t *testing.T, o judge.Options, c *gate.Change, facts ...gate.Finding) gate.Outcome {
	t.Helper()
	found := gate.NewFindings(c.Targets, nil)
	found.Add(c.Targets[0].Path, facts...)
	out, err := newJudge(t, o).Run(t.Context(), c, found)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var shownLine = regexp.MustCompile(`(?m)^[a-z]{4}:(\d+)\| `)

// shown are the numbers of the lines in all questions.
func shown(questions []asked) []int {
	var out []int
	for _, q := range questions {
		for _, m := range shownLine.FindAllStringSubmatch(q.text(), -1) {
			n, _ := strconv.Atoi(m[1])
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestLongFilesShowTheChangedLinesWithTheirContext(t *testing.T) {
	whole := func(n int) []gate.LineRange { return []gate.LineRange{{1, n}} }
	tests := map[string]struct {
		lines   int
		changed []gate.LineRange
		want    []gate.LineRange // that are shown
		limit   int64
		skip    string // part of what the report says; "" for nothing
	}{
		"a short file is shown whole":      {200, []gate.LineRange{{100, 101}}, whole(200), 0, ""},
		"one change":                       {3000, []gate.LineRange{{1500, 1501}}, []gate.LineRange{{1, 25}, {1460, 1541}}, 0, "107 of 3000 lines"},
		"two changes and the last line":    {3000, []gate.LineRange{{1500, 1500}, {1590, 1590}, {3000, 3000}}, []gate.LineRange{{1, 25}, {1460, 1540}, {1550, 1630}, {2960, 3000}}, 0, "228 of 3000"},
		"a change at the beginning":        {3000, []gate.LineRange{{1, 1}}, []gate.LineRange{{1, 41}}, 0, "41 of 3000"},
		"everything changed":               {3000, whole(3000), whole(3000), 0, ""},
		"no line changed, as in a rename":  {3000, nil, whole(3000), 0, ""},
		"a file above the limit":           {3000, []gate.LineRange{{1500, 1501}}, []gate.LineRange{{1, 25}, {1460, 1541}}, 10_000, "107 of 3000 lines"},
		"a short one above the limit, too": {200, []gate.LineRange{{150, 150}}, []gate.LineRange{{1, 25}, {110, 190}}, 1000, "106 of 200 lines"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &fake{models: []string{big}, chat: saySafe}
				o := fakeOptions(t, network{"one": server}, "one")
				o.MaxFileBytes = tt.limit
				out := judged(t, o, editing("a.py", numbered(tt.lines), tt.changed...))
				var want []int
				for _, r := range tt.want {
					for n := r[0]; n <= r[1]; n++ {
						want = append(want, n)
					}
				}
				if got := shown(server.asked()); !slices.Equal(got, want) {
					t.Errorf("%d lines are shown, want %d", len(got), len(want))
				}
				for _, q := range server.asked() {
					if strings.Contains(q.text(), "Only what changed is shown") != (tt.skip != "") {
						t.Errorf("the model is told %q", q.text()[:120])
					}
				}
				says := ""
				for _, s := range out.Skipped {
					says += s.Path + " " + s.Reason
				}
				if tt.skip == "" && says != "" || !strings.Contains(says, tt.skip) || len(out.Incomplete) > 0 || out.Judgements["a.py"] == nil {
					t.Errorf("the report says %q with gaps %v, want %q", says, out.Incomplete, tt.skip)
				}
			})
		})
	}
}

func TestAFileOfWhichAllMayHaveChangedIsShownWholeOrIsAGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fake{models: []string{big}, chat: saySafe}
		c := editing("a.py", numbered(3000))
		c.Targets[0].Lines = gate.LineSet{} // no one knows
		judged(t, fakeOptions(t, network{"one": server}, "one"), c)
		if n := len(shown(server.asked())); n != 3000 {
			t.Errorf("%d lines are shown", n)
		}
		o := fakeOptions(t, network{"one": &fake{models: []string{big}, chat: saySafe}}, "one")
		o.MaxFileBytes = 1000
		if out := judged(t, o, c); len(out.Incomplete) != 1 || out.Judgements["a.py"] != nil {
			t.Errorf("gaps %v", out.Incomplete)
		}
		if out := judged(t, o, editing("a.py", numbered(300_000), gate.LineRange{5, 5})); len(out.Incomplete) != 1 || out.Judgements["a.py"] != nil {
			t.Errorf("a file beyond all bounds: gaps %v", out.Incomplete)
		}
	})
}

func TestPartsOfAFileAreToldWhatTheScannerFoundInTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &fake{models: []string{big}, chat: saySafe}
		c := change(map[string]string{"a.py": numbered(2000)})
		fact := func(line int, category string) gate.Finding {
			return gate.Finding{Rule: category + "/x", Layer: gate.LayerStatic, Severity: gate.SeveritySuspicious, Line: line, EndLine: line}
		}
		judged(t, fakeOptions(t, network{"one": server}, "one"), c, fact(3, "obfuscation"), fact(1990, "exfiltration"))
		questions := server.asked()
		if len(questions) < 4 {
			t.Fatalf("%d questions", len(questions))
		}
		for i, q := range questions {
			head, _, _ := strings.Cut(q.text(), "\n")
			here, there := "", "Elsewhere in the file a scanner points at: line 3 (obfuscation), line 1990 (exfiltration)."
			switch {
			case strings.Contains(q.text(), ":3| "):
				here, there = "A scanner points at: line 3 (obfuscation).", "Elsewhere in the file a scanner points at: line 1990 (exfiltration)."
			case strings.Contains(q.text(), ":1990| "):
				here, there = "A scanner points at: line 1990 (exfiltration).", "Elsewhere in the file a scanner points at: line 3 (obfuscation)."
			}
			if !strings.Contains(head, here) || !strings.Contains(head, there) {
				t.Errorf("question %d begins %q, want %q and %q", i, head, here, there)
			}
		}
		many := make([]gate.Finding, 40)
		for i := range many {
			many[i] = fact(i*50+1, "obfuscation")
		}
		server = &fake{models: []string{big}, chat: saySafe}
		judged(t, fakeOptions(t, network{"one": server}, "one"), c, many...)
		for _, q := range server.asked() {
			head, _, _ := strings.Cut(q.text(), "\n")
			if n := strings.Count(head, "(obfuscation)"); n == 0 || n > 12 {
				t.Errorf("%d hints in %q", n, head)
			}
		}
	})
}

func TestRealServerFindsAChangedLineOfALongFile(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(numbered(1500), "\n"), "\n")
	lines[1000] = "GATE_EVIL()"
	src := strings.Join(lines, "\n") + "\n"
	for name, tt := range map[string]struct {
		changed gate.LineRange
		want    gate.Verdict
	}{
		"what changed":     {gate.LineRange{1001, 1001}, gate.Dangerous},
		"what is near it":  {gate.LineRange{1020, 1020}, gate.Dangerous},
		"what is far away": {gate.LineRange{100, 100}, gate.Safe},
	} {
		t.Run(name, func(t *testing.T) {
			out := judged(t, options(t, testenv.Ollama(t)), editing("a.py", src, tt.changed))
			if j := out.Judgements["a.py"]; j == nil || j.Verdict != tt.want || len(out.Incomplete) > 0 || len(out.Skipped) != 1 {
				t.Errorf("judged %+v with gaps %v", j, out.Incomplete)
			}
		})
	}
}
