package gate

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

func TestAddFillsInWhatTheCallerMustNotDecide(t *testing.T) {
	target := &Target{Path: "a.py", Lines: OnlyLines(LineRange{10, 20})}
	fs := NewFindings([]*Target{target}, nil)
	fs.Add("a.py",
		Finding{Rule: "exec/eval", Category: "wrong", Line: 12, EndLine: 3, InChange: false},
		Finding{Rule: "exec/eval", Line: 5, EndLine: 5, InChange: true},
		Finding{Rule: "exec/eval", Line: 5, Flow: []Step{{Line: 15}}},
		Finding{Rule: "exec/eval", Line: -4},
	)
	fs.Add("unknown.py", Finding{Rule: "noslash", Line: 1})
	got := fs.Of("a.py")
	want := []struct {
		line, end int
		in        bool
	}{{0, 0, true}, {5, 5, false}, {5, 5, true}, {12, 12, true}}
	for i, w := range want {
		if f := got[i]; f.Line != w.line || f.EndLine != w.end || f.InChange != w.in || f.Category != "exec" {
			t.Errorf("finding %d is %+v, want %+v", i, f, w)
		}
	}
	if f := fs.Of("unknown.py")[0]; !f.InChange || f.Category != "noslash" {
		t.Errorf("a finding about a file that no one knows is %+v", f)
	}
}

func TestNewFindingsDecideOnAnyLine(t *testing.T) {
	fs := NewFindings([]*Target{{Path: "a.py", Lines: OnlyLines(LineRange{10, 20})}}, nil)
	old := Finding{Rule: "exec/eval", Line: 5, EndLine: 5}
	fs.Add("a.py", old)
	fs.AddNew("a.py", old)
	if got := fs.Of("a.py"); got[0].InChange || !got[1].InChange {
		t.Errorf("found %+v, want that only the second is in the change", got)
	}
	if fs.Touches("a.py", old) || !fs.Touches("a.py", Finding{Line: 10}) || !fs.Touches("a.py", Finding{Line: 1, Flow: []Step{{Line: 20}}}) {
		t.Error("what touches the change is not told by lines and flows")
	}
}

func TestAddBoundsHostileText(t *testing.T) {
	fs := NewFindings(nil, nil)
	long := strings.Repeat("漢", 10_000)
	flow := make([]Step, 1000)
	for i := range flow {
		flow[i] = Step{Line: i - 1, Text: long}
	}
	fs.Add("a", Finding{Rule: "a/b", Message: long, Evidence: long, Origin: long, Flow: flow})
	f := fs.Of("a")[0]
	for name, s := range map[string]string{"message": f.Message, "evidence": f.Evidence, "origin": f.Origin, "step": f.Flow[0].Text} {
		if len(s) > MaxEvidence || !utf8.ValidString(s) || !strings.HasSuffix(s, "…") {
			t.Errorf("the %s has %d bytes: %q", name, len(s), s)
		}
	}
	if len(f.Flow) != MaxFlow || f.Flow[0].Line != 0 || f.Flow[MaxFlow-1].Line != 998 {
		t.Errorf("the flow has %d steps, from line %d to %d", len(f.Flow), f.Flow[0].Line, f.Flow[len(f.Flow)-1].Line)
	}
	if flow[0].Line != -1 || len(flow[0].Text) != len(long) {
		t.Error("the caller's flow was changed")
	}
	short := []Step{{Line: -1, Text: long}}
	fs.Add("b", Finding{Rule: "a/b", Flow: short})
	if short[0].Line != -1 || fs.Of("b")[0].Flow[0].Line != 0 {
		t.Error("a short flow was changed in place, or not at all")
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		s    string
		n    int
		want string
	}{
		{"short", 10, "short"}, {"exactly", 7, "exactly"}, {"too long", 6, "too…"}, {"漢漢漢", 8, "漢…"}, {"漢", 2, "…"}, {"abc", 0, "…"}, {"", 0, ""},
	} {
		if got := Clip(c.s, c.n); got != c.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", c.s, c.n, got, c.want)
		}
	}
}

// full returns findings of a file that holds as many notes as fit.
func full(t *testing.T, extra ...Finding) []Finding {
	t.Helper()
	fs := NewFindings([]*Target{{Path: "a", Lines: OnlyLines(LineRange{1, 10_000})}}, nil)
	for i := range MaxFindingsPerFile {
		fs.Add("a", finding("a/note", SeverityNote, i+1))
	}
	fs.Add("a", extra...)
	got := fs.Of("a")
	if len(got) != MaxFindingsPerFile {
		t.Fatalf("%d findings", len(got))
	}
	return got
}

func TestFindingsThatDoNotFitStillDecide(t *testing.T) {
	at := func(l Layer, s Severity, line int) Finding {
		f := finding("x/"+s.String(), s, line)
		f.Layer = l
		return f
	}
	var p Policy
	for _, c := range []struct {
		name  string
		extra []Finding
		want  Verdict
	}{
		{"notes", []Finding{at(LayerStatic, SeverityNote, 5)}, Safe},
		{"a suspicion", []Finding{at(LayerStatic, SeveritySuspicious, 5), at(LayerStatic, SeverityNote, 6)}, Suspicious},
		{"danger, whatever follows", []Finding{at(LayerStatic, SeverityDangerous, 5), at(LayerStatic, SeverityNote, 6), at(LayerJudge, SeveritySuspicious, 7)}, Dangerous},
		{"a severity that no one set", []Finding{at(LayerStatic, SeverityUnknown, 5), at(LayerStatic, SeverityNote, 6)}, Dangerous},
		{"suspicion of two layers", []Finding{at(LayerStatic, SeveritySuspicious, 5), at(LayerJudge, SeveritySuspicious, 5)}, Dangerous},
		{"danger outside of the change", []Finding{at(LayerStatic, SeverityDangerous, 20_000), at(LayerStatic, SeverityNote, 6)}, Safe},
		{"danger outside of the change after a suspicion inside", []Finding{at(LayerStatic, SeveritySuspicious, 6), at(LayerStatic, SeverityDangerous, 20_000)}, Suspicious},
	} {
		got := full(t, c.extra...)
		if v := p.Decide(Corroborate(got), nil); v != c.want {
			t.Errorf("%s: %s, want %s", c.name, v, c.want)
		}
		if !slices.ContainsFunc(got, func(f Finding) bool { return f.Rule == tooMany }) {
			t.Errorf("%s: nothing says that findings are missing", c.name)
		}
	}
}

func TestDangerOutsideOfTheChangeDoesNotRubOffOnWhatDoesNotFit(t *testing.T) {
	fs := NewFindings([]*Target{{Path: "a", Lines: OnlyLines(LineRange{1, 1})}}, nil)
	for range MaxFindingsPerFile {
		fs.Add("a", finding("x/y", SeverityDangerous, 50))
	}
	fs.Add("a", finding("x/y", SeveritySuspicious, 1))
	if v := (Policy{}).Decide(fs.Of("a"), nil); v != Suspicious {
		t.Errorf("a suspicion inside and danger outside of the change: %s", v)
	}
}

func TestAnOverflowIsCorroboratedByAnotherLayer(t *testing.T) {
	fs := NewFindings(nil, nil)
	judged := finding("judge/suspicious", SeveritySuspicious, 3)
	judged.Layer = LayerJudge
	fs.Add("a", judged)
	for i := range MaxFindingsPerFile {
		fs.Add("a", finding("a/note", SeverityNote, i+1))
	}
	fs.Add("a", finding("x/y", SeveritySuspicious, 3))
	if v := (Policy{}).Decide(Corroborate(fs.Of("a")), nil); v != Dangerous {
		t.Errorf("a suspicion that did not fit, beside one of the judge: %s", v)
	}
}

func TestWorstIsThatOfTheFindingsThatDecide(t *testing.T) {
	fs := NewFindings([]*Target{{Path: "a", Lines: OnlyLines(LineRange{1, 5})}}, nil)
	if got := fs.Worst("a"); got != SeverityUnknown {
		t.Errorf("nothing found: %s", got)
	}
	suppressed := finding("a/b", SeverityDangerous, 2)
	suppressed.Suppressed = &Suppression{}
	fs.Add("a", finding("a/b", SeverityNote, 1), finding("a/b", SeverityDangerous, 9), suppressed)
	if got := fs.Worst("a"); got != SeverityNote {
		t.Errorf("worst is %s", got)
	}
	fs.Add("a", finding("a/b", SeverityDangerous, 5))
	if got := fs.Worst("a"); got != SeverityDangerous {
		t.Errorf("worst is %s", got)
	}
}

func TestFindingsHaveOneOrderWhateverTheConcurrency(t *testing.T) {
	var all []Finding
	for _, l := range Layers() {
		for _, s := range []Severity{SeverityNote, SeverityDangerous} {
			for line := range 3 {
				for _, text := range []string{"x", "y"} {
					f := finding("r/"+text, s, line)
					f.Layer, f.Evidence, f.Message = l, text, "because of "+text
					g := f
					g.Message = "because of z"
					all = append(all, f, g)
				}
			}
		}
	}
	var want []string
	for round := range 20 {
		var emitted int
		fs := NewFindings(nil, func(Event) { emitted++ })
		var wg sync.WaitGroup
		for i := range all {
			wg.Go(func() { fs.Add("a", all[(i*7+round)%len(all)]) })
		}
		wg.Wait()
		var got []string
		for _, f := range fs.Of("a") {
			got = append(got, fmt.Sprint(f))
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) || emitted != len(all) {
			t.Fatalf("round %d: another order, or %d events for %d findings", round, emitted, len(all))
		}
	}
}

func TestOfReturnsACopy(t *testing.T) {
	fs := NewFindings(nil, nil)
	fs.Add("a", finding("a/b", SeverityDangerous, 1))
	fs.Of("a")[0].Severity = SeverityNote
	if got := fs.Worst("a"); got != SeverityDangerous {
		t.Error("a caller changed a finding")
	}
}

func TestFindingsOfTheBaseListTheWorstAndCountTheRest(t *testing.T) {
	fs := NewFindings([]*Target{{Path: "a", Lines: OnlyLines(LineRange{9_000, 9_000})}}, nil)
	a := &accepts{rule: "a/note"}
	fs.suppressor = a
	fs.AddNew("a", finding("x/new", SeveritySuspicious, 7))
	var old []Finding
	for i := range MaxFindingsPerFile {
		old = append(old, finding("a/note", SeverityNote, i+1))
	}
	old = append(old, finding("x/worst", SeverityDangerous, 8_000), finding("x/touches", SeverityNote, 9_000))
	unlisted := fs.AddOld("a", old...)
	got := fs.Of("a")
	rules := map[string]int{}
	for _, f := range got {
		rules[f.Rule]++
		if want := f.Rule == "x/new" || f.Rule == "x/touches"; f.InChange != want {
			t.Errorf("%+v decides: %t", f, f.InChange)
		}
	}
	if rules["x/worst"] != 1 || rules["x/touches"] != 1 || rules["a/note"] != MaxOldFindings-1 || rules[oldFindings] != 1 {
		t.Errorf("listed %v", rules)
	}
	const left = MaxFindingsPerFile + 1 - MaxOldFindings
	if len(unlisted) != left || unlisted[0].Suppressed == nil || len(a.asked) < MaxFindingsPerFile {
		t.Errorf("%d are unlisted, want %d; %d were asked about", len(unlisted), left, len(a.asked))
	}
	if i := slices.IndexFunc(got, func(f Finding) bool { return f.Rule == oldFindings }); i < 0 || !strings.Contains(got[i].Message, fmt.Sprint(left, " more")) {
		t.Errorf("nothing counts the others")
	}
	if v := (Policy{}).Decide(got, nil); v != Suspicious {
		t.Errorf("the verdict is %s", v)
	}
}

func TestOldFindingsLeaveNoRoomThatNewOnesNeed(t *testing.T) {
	fs := NewFindings([]*Target{{Path: "a", Lines: OnlyLines(LineRange{1, 1})}}, nil)
	for range MaxFindingsPerFile {
		fs.Add("a", finding("x/y", SeverityNote, 1))
	}
	if got := fs.AddOld("a", finding("x/z", SeverityDangerous, 50)); len(got) != 1 {
		t.Errorf("%d are unlisted", len(got))
	}
	if v := (Policy{}).Decide(fs.Of("a"), nil); v != Safe {
		t.Errorf("an old finding that did not fit: %s", v)
	}
}
