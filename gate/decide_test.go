package gate

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// finding returns a static one that decides.
func finding(rule string, s Severity, line int) Finding {
	return Finding{Rule: rule, Category: category(rule), Layer: LayerStatic, Severity: s, Line: line, EndLine: line, InChange: true}
}

func category(rule string) string {
	for i := range rule {
		if rule[i] == '/' {
			return rule[:i]
		}
	}
	return rule
}

func TestDecide(t *testing.T) {
	gap := []Gap{{Layer: LayerJudge, Path: "a.py", Reason: "no answer"}}
	outside := finding("a/b", SeverityDangerous, 1)
	outside.InChange = false
	suppressed := finding("a/b", SeverityDangerous, 1)
	suppressed.Suppressed = &Suppression{}
	corroborated := finding("a/b", SeveritySuspicious, 1)
	corroborated.CorroboratedBy = "judge:x/y"
	corroboratedNote := finding("a/b", SeverityNote, 1)
	corroboratedNote.CorroboratedBy = "judge:x/y"
	for _, c := range []struct {
		name     string
		findings []Finding
		gaps     []Gap
		want     Verdict
	}{
		{"nothing found is safe", nil, nil, Safe},
		{"a note is safe", []Finding{finding("a/b", SeverityNote, 1)}, nil, Safe},
		{"a corroborated note is still a note", []Finding{corroboratedNote}, nil, Safe},
		{"a suspicion alone asks for review", []Finding{finding("a/b", SeveritySuspicious, 1)}, nil, Suspicious},
		{"a corroborated suspicion is danger", []Finding{corroborated}, nil, Dangerous},
		{"danger is danger", []Finding{finding("a/b", SeverityDangerous, 1)}, nil, Dangerous},
		{"a severity that no one set is danger", []Finding{finding("a/b", SeverityUnknown, 1)}, nil, Dangerous},
		{"a severity out of range is danger", []Finding{finding("a/b", Severity(99), 1)}, nil, Dangerous},
		{"danger outside of the change decides nothing", []Finding{outside}, nil, Safe},
		{"suppressed danger decides nothing", []Finding{suppressed}, nil, Safe},
		{"a gap is never safe", nil, gap, Incomplete},
		{"a gap outweighs a suspicion", []Finding{finding("a/b", SeveritySuspicious, 1)}, gap, Incomplete},
		{"danger outweighs a gap", []Finding{finding("a/b", SeverityDangerous, 1)}, gap, Dangerous},
		{"the worst finding counts", []Finding{finding("a/b", SeverityNote, 1), finding("a/b", SeverityDangerous, 2), finding("a/b", SeveritySuspicious, 3)}, nil, Dangerous},
		{"a finding that no one filled in decides nothing, because it touches no change", []Finding{{}}, nil, Safe},
	} {
		for _, p := range []Policy{{}, DefaultPolicy()} {
			if got := p.Decide(c.findings, c.gaps); got != c.want {
				t.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		}
	}
}

func TestDecisionFollowsThePolicyAndFailsClosed(t *testing.T) {
	for _, c := range []struct {
		failOn Severity
		v      Verdict
		want   Decision
	}{
		{SeverityDangerous, Safe, DecisionPass},
		{SeverityDangerous, Suspicious, DecisionPass},
		{SeverityDangerous, Incomplete, DecisionIncomplete},
		{SeverityDangerous, Dangerous, DecisionBlock},
		{SeveritySuspicious, Safe, DecisionPass},
		{SeveritySuspicious, Suspicious, DecisionBlock},
		{SeveritySuspicious, Incomplete, DecisionIncomplete},
		{SeveritySuspicious, Dangerous, DecisionBlock},
		{SeverityUnknown, Suspicious, DecisionBlock},
		{SeverityUnknown, Dangerous, DecisionBlock},
		{SeverityDangerous, VerdictUnknown, DecisionIncomplete},
		{SeverityDangerous, Verdict(99), DecisionIncomplete},
	} {
		if got := (Policy{FailOn: c.failOn}).Decision(c.v); got != c.want {
			t.Errorf("fail-on %s, verdict %s: %s, want %s", c.failOn, c.v, got, c.want)
		}
	}
}

func TestCorroborate(t *testing.T) {
	static := func(line, end int, s Severity) Finding {
		f := finding("exec/eval", s, line)
		f.EndLine = end
		return f
	}
	judge := func(rule string, line, end int, s Severity) Finding {
		f := finding(rule, s, line)
		f.EndLine, f.Layer = end, LayerJudge
		return f
	}
	with := func(f Finding, change func(*Finding)) Finding { change(&f); return f }
	const by = "judge:judge/dangerous"
	for _, c := range []struct {
		name   string
		f, o   Finding
		wantBy string
	}{
		{"another layer on the same line", static(5, 5, SeveritySuspicious), judge("judge/dangerous", 5, 5, SeverityDangerous), by},
		{"another layer on lines that overlap", static(5, 9, SeveritySuspicious), judge("judge/dangerous", 9, 12, SeveritySuspicious), by},
		{"another layer on the line after", static(5, 9, SeveritySuspicious), judge("judge/dangerous", 10, 12, SeverityDangerous), ""},
		{"another layer with the same category anywhere", static(5, 5, SeveritySuspicious), judge("exec/other", 90, 90, SeveritySuspicious), "judge:exec/other"},
		{"a finding about the file as a whole overlaps with nothing", static(0, 0, SeveritySuspicious), judge("judge/dangerous", 0, 0, SeverityDangerous), ""},
		{"a note supports nothing", static(5, 5, SeveritySuspicious), judge("judge/dangerous", 5, 5, SeverityNote), ""},
		{"the same layer supports nothing", static(5, 5, SeveritySuspicious), finding("judge/dangerous", SeverityDangerous, 5), ""},
		{"a suppressed finding supports nothing", static(5, 5, SeveritySuspicious), with(judge("judge/dangerous", 5, 5, SeverityDangerous), func(f *Finding) { f.Suppressed = &Suppression{} }), ""},
		{"a finding outside of the change supports nothing", static(5, 5, SeveritySuspicious), with(judge("judge/dangerous", 5, 5, SeverityDangerous), func(f *Finding) { f.InChange = false }), ""},
		{"a suppressed finding is not supported", with(static(5, 5, SeveritySuspicious), func(f *Finding) { f.Suppressed = &Suppression{} }), judge("judge/dangerous", 5, 5, SeverityDangerous), ""},
		{"a note is not raised", static(5, 5, SeverityNote), judge("judge/dangerous", 5, 5, SeverityDangerous), ""},
		{"danger needs no support", static(5, 5, SeverityDangerous), judge("judge/dangerous", 5, 5, SeverityDangerous), ""},
		{"what did not fit may have been anywhere", static(5, 5, SeveritySuspicious), judge(tooMany, 0, 0, SeveritySuspicious), "judge:" + tooMany},
	} {
		in := []Finding{c.f, c.o}
		if got := Corroborate(in)[0].CorroboratedBy; got != c.wantBy {
			t.Errorf("%s: corroborated by %q, want %q", c.name, got, c.wantBy)
		}
		if got := Corroborate([]Finding{c.o, c.f})[1].CorroboratedBy; got != c.wantBy {
			t.Errorf("%s, in the other order: corroborated by %q, want %q", c.name, got, c.wantBy)
		}
		if in[0].CorroboratedBy != "" {
			t.Errorf("%s: the argument was changed", c.name)
		}
	}
}

func TestRiskScoreStaysInTheBandOfItsVerdict(t *testing.T) {
	many := make([]Finding, 0, 50)
	for i := range 50 {
		many = append(many, finding(fmt.Sprintf("a/%d", i), SeverityDangerous, i+1))
	}
	for v, band := range map[Verdict][2]int{Safe: {0, 29}, Suspicious: {30, 69}, Incomplete: {30, 69}, Dangerous: {70, 100}, VerdictUnknown: {30, 69}, Verdict(99): {30, 69}} {
		for _, findings := range [][]Finding{nil, many[:1], many} {
			if got := RiskScore(v, findings); got < band[0] || got > band[1] {
				t.Errorf("%s with %d findings scores %d, outside of %v", v, len(findings), got, band)
			}
		}
	}
	if got := RiskScore(Safe, nil); got != 0 {
		t.Errorf("nothing found scores %d", got)
	}
	if got := RiskScore(Dangerous, many); got != 100 {
		t.Errorf("fifty dangerous rules score %d", got)
	}
}

func TestRiskScoreCountsARuleOnceWithItsHeaviestFinding(t *testing.T) {
	once := []Finding{finding("a/b", SeveritySuspicious, 1)}
	often := []Finding{finding("a/b", SeverityNote, 1), finding("a/b", SeveritySuspicious, 2), finding("a/b", SeveritySuspicious, 3)}
	two := []Finding{finding("a/b", SeveritySuspicious, 1), finding("a/c", SeveritySuspicious, 2)}
	if a, b := RiskScore(Suspicious, once), RiskScore(Suspicious, often); a != 30 || b != 30 {
		t.Errorf("one rule scores %d once and %d three times", a, b)
	}
	if got := RiskScore(Suspicious, two); got != 51 { // 1 - 0.7 × 0.7
		t.Errorf("two rules score %d", got)
	}
}

// More evidence never makes a file look better: neither the verdict nor the
// score falls when a finding, a gap or a corroboration is added.
func TestVerdictAndScoreAreMonotone(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	layers := Layers()
	var p Policy
	for range 5000 {
		var findings []Finding
		var gaps []Gap
		verdict, score := Safe, 0
		for range 6 {
			if random.IntN(5) == 0 {
				gaps = append(gaps, Gap{})
			} else {
				f := finding(fmt.Sprintf("%c/%d", 'a'+random.IntN(3), random.IntN(3)), Severity(random.IntN(4)), random.IntN(4))
				f.Layer = layers[random.IntN(3)]
				f.InChange = random.IntN(4) > 0
				findings = append(findings, f)
			}
			corroborated := Corroborate(findings)
			v := p.Decide(corroborated, gaps)
			s := RiskScore(v, corroborated)
			if v < verdict || s < score {
				t.Fatalf("from %s %d to %s %d by adding to %+v", verdict, score, v, s, findings)
			}
			verdict, score = v, s
		}
	}
}
