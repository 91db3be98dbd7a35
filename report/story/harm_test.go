package story

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

// on returns a deciding finding of the static layer on one line.
func on(line int, rule string, s gate.Severity) gate.Finding {
	category, _, _ := strings.Cut(rule, "/")
	return gate.Finding{Rule: rule, Category: category, Layer: gate.LayerStatic, Severity: s, Line: line, EndLine: line,
		Message: "does " + rule, InChange: true}
}

// through gives a finding a flow over lines; its own line is the last.
func through(f gate.Finding, lines ...int) gate.Finding {
	for _, l := range lines {
		f.Flow = append(f.Flow, gate.Step{Line: l, Text: fmt.Sprintf("line %d", l)})
	}
	return f
}

func with(f gate.Finding, change func(*gate.Finding)) gate.Finding {
	change(&f)
	return f
}

const (
	note       = gate.SeverityNote
	suspicious = gate.SeveritySuspicious
	dangerous  = gate.SeverityDangerous
)

// groups writes harms as the rules of their findings.
func groups(findings []gate.Finding) [][]string {
	var out [][]string
	for _, h := range Harms(findings) {
		var rules []string
		for _, i := range h.All() {
			rules = append(rules, fmt.Sprintf("%s:%d", findings[i].Rule, findings[i].Line))
		}
		out = append(out, rules)
	}
	return out
}

func TestFindingsOfOneHarmAreOne(t *testing.T) {
	outside := func(f *gate.Finding) { f.InChange = false }
	accepted := func(f *gate.Finding) { f.Suppressed = &gate.Suppression{By: "somebody"} }
	fromText := func(f *gate.Finding) { f.Origin = "base64 on line 3" }
	bySandbox := func(f *gate.Finding) { f.Layer = gate.LayerSandbox }
	byJudge := func(f *gate.Finding) { f.Layer = gate.LayerJudge }
	for _, c := range []struct {
		name     string
		findings []gate.Finding
		want     [][]string
	}{
		{"nothing", nil, nil},
		{"rules that match the same line, the worst leads",
			[]gate.Finding{on(7, "dynamic-code/eval", suspicious), on(7, "dynamic-code/decoded", dangerous), on(7, "obfuscation/long", note)},
			[][]string{{"dynamic-code/decoded:7", "dynamic-code/eval:7", "obfuscation/long:7"}}},
		{"lines that overlap",
			[]gate.Finding{with(on(7, "a/a", dangerous), func(f *gate.Finding) { f.EndLine = 9 }), on(9, "b/b", suspicious)},
			[][]string{{"a/a:7", "b/b:9"}}},
		{"lines far apart",
			[]gate.Finding{on(7, "a/a", dangerous), on(20, "b/b", dangerous)},
			[][]string{{"a/a:7"}, {"b/b:20"}}},
		{"source, steps and sink beside the flow, however bad they are by themselves",
			[]gate.Finding{on(2, "credentials/key", dangerous), on(3, "credentials/reads", suspicious), through(on(5, "exfiltration/flow", dangerous), 2, 3, 5), on(5, "network/post", suspicious)},
			[][]string{{"exfiltration/flow:5", "credentials/key:2", "credentials/reads:3", "network/post:5"}}},
		{"flows with the same sink, the longer one leads",
			[]gate.Finding{through(on(9, "exfiltration/channel", dangerous), 1, 9), through(on(9, "exfiltration/key", dangerous), 4, 6, 9)},
			[][]string{{"exfiltration/key:9", "exfiltration/channel:9"}}},
		{"flows with the same source",
			[]gate.Finding{through(on(8, "exfiltration/a", dangerous), 4, 6, 8), through(on(20, "exfiltration/b", dangerous), 4, 20)},
			[][]string{{"exfiltration/a:8", "exfiltration/b:20"}}},
		{"a line in the middle of two flows does not make them one",
			[]gate.Finding{through(on(8, "exfiltration/a", dangerous), 1, 5, 6, 8), through(on(20, "exfiltration/b", dangerous), 2, 5, 20), on(5, "network/client", suspicious)},
			[][]string{{"exfiltration/a:8", "network/client:5"}, {"exfiltration/b:20"}}},
		{"an address that two flows share does not make them one, as each has a sink of its own",
			[]gate.Finding{
				through(on(8, "exfiltration/keys", dangerous), 3, 6, 8), through(on(8, "exfiltration/channel", dangerous), 1, 8),
				through(on(20, "exfiltration/cookies", dangerous), 15, 18, 20), through(on(20, "exfiltration/channel", dangerous), 1, 20)},
			[][]string{{"exfiltration/keys:8", "exfiltration/channel:8"}, {"exfiltration/cookies:20", "exfiltration/channel:20"}}},
		{"what decides is not grouped behind what doesn't, nor the reverse",
			[]gate.Finding{with(on(7, "a/a", dangerous), outside), on(7, "b/b", suspicious)},
			[][]string{{"b/b:7"}, {"a/a:7"}}},
		{"what is suppressed stands alone, so that who did it and why is seen",
			[]gate.Finding{with(on(7, "a/a", dangerous), accepted), with(on(7, "b/b", dangerous), accepted), on(7, "c/c", suspicious)},
			[][]string{{"c/c:7"}, {"a/a:7"}, {"b/b:7"}}},
		{"so does what is wrong with a suppression",
			[]gate.Finding{on(2, "suppression/malformed", note), on(4, "suppression/malformed", note), on(4, "a/a", suspicious)},
			[][]string{{"a/a:4"}, {"suppression/malformed:2"}, {"suppression/malformed:4"}}},
		{"a corroborated suspicion weighs as danger",
			[]gate.Finding{on(4, "a/a", suspicious), with(on(7, "b/b", suspicious), func(f *gate.Finding) { f.CorroboratedBy = "judge:x" })},
			[][]string{{"b/b:7"}, {"a/a:4"}}},
		{"a severity that no one set weighs as danger",
			[]gate.Finding{on(4, "a/a", suspicious), on(7, "b/b", gate.SeverityUnknown)},
			[][]string{{"b/b:7"}, {"a/a:4"}}},
		{"text that is decoded and run belongs to what runs it",
			[]gate.Finding{with(on(3, "download-execute/pipe", dangerous), fromText), through(on(7, "dynamic-code/js-decoded-flow", dangerous), 6, 7)},
			[][]string{{"dynamic-code/js-decoded-flow:7", "download-execute/pipe:3"}}},
		{"the same where the text is worse than what runs it",
			[]gate.Finding{with(on(3, "download-execute/pipe", dangerous), fromText), on(7, "dynamic-code/js-decoded", suspicious)},
			[][]string{{"download-execute/pipe:3", "dynamic-code/js-decoded:7"}}},
		{"with two programs that run what they decode, no one knows which",
			[]gate.Finding{with(on(3, "download-execute/pipe", dangerous), fromText), through(on(7, "dynamic-code/js-decoded-flow", dangerous), 6, 7), through(on(17, "dynamic-code/js-decoded-flow", dangerous), 16, 17)},
			[][]string{{"dynamic-code/js-decoded-flow:7"}, {"dynamic-code/js-decoded-flow:17"}, {"download-execute/pipe:3"}}},
		{"one rule on neighbouring lines, but not all down the file",
			[]gate.Finding{on(1, "deletion/rm", dangerous), on(2, "deletion/rm", dangerous), on(3, "deletion/rm", dangerous), on(4, "deletion/rm", dangerous), on(5, "deletion/rm", dangerous)},
			[][]string{{"deletion/rm:1", "deletion/rm:2", "deletion/rm:3"}, {"deletion/rm:4", "deletion/rm:5"}}},
		{"what the sandbox saw of the same kind",
			[]gate.Finding{with(on(0, "exfiltration/observed", dangerous), bySandbox), on(9, "exfiltration/post", dangerous), on(3, "deletion/rm", dangerous)},
			[][]string{{"exfiltration/post:9", "exfiltration/observed:0"}, {"deletion/rm:3"}}},
		{"what the sandbox saw and no other layer did",
			[]gate.Finding{with(on(0, "privilege/observed", dangerous), bySandbox), with(on(0, "privilege/observed", dangerous), bySandbox), on(3, "deletion/rm", dangerous)},
			[][]string{{"deletion/rm:3"}, {"privilege/observed:0", "privilege/observed:0"}}},
		{"what the model says of the file is about the worst",
			[]gate.Finding{with(on(0, "judge/dangerous", dangerous), byJudge), on(3, "deletion/rm", dangerous), on(9, "a/a", suspicious)},
			[][]string{{"deletion/rm:3", "judge/dangerous:0"}, {"a/a:9"}}},
		{"a purpose leads a means on the same line",
			[]gate.Finding{on(3, "shell-out/system", dangerous), on(3, "deletion/rm", dangerous)},
			[][]string{{"deletion/rm:3", "shell-out/system:3"}}},
	} {
		if diff := cmp.Diff(c.want, groups(c.findings)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// A hostile file has as many findings as a result holds, in any shape.
func TestFindingsAreInExactlyOneHarm(t *testing.T) {
	var findings []gate.Finding
	for i := range gate.MaxFindingsPerFile {
		f := on(i*7%100, fmt.Sprintf("a/%d", i%5), gate.Severity(i%4))
		f.EndLine = f.Line + i%3*1_000_000_000
		f.InChange = i%3 != 0
		if i%11 == 0 {
			f.Suppressed = &gate.Suppression{}
		}
		for step := range i % gate.MaxFlow {
			f = through(f, i+step)
		}
		findings = append(findings, f)
	}
	var seen []int
	for _, h := range Harms(findings) {
		lead := findings[h.Lead]
		for _, i := range h.Also {
			if f := findings[i]; f.Decides() != lead.Decides() || compare(lead, f) > 0 {
				t.Errorf("%+v is behind %+v", f, lead)
			}
		}
		seen = append(seen, h.All()...)
	}
	slices.Sort(seen)
	if len(seen) != len(findings) || len(slices.Compact(seen)) != len(findings) {
		t.Errorf("%d places for %d findings", len(seen), len(findings))
	}
}
