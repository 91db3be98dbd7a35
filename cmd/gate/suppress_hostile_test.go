package main

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/suppress"
)

const (
	// evil is the line of the file dangerous that two rules find.
	evil      = "exec(base64.b64decode('cHJpbnQoMSk='))"
	evilRule  = "dynamic-code/python-decoded"
	evilRules = evilRule + ",obfuscation/python-short-decode"
	// allowed is a comment that suppresses both.
	allowed = "# gate:allow " + evilRules + ` reason="prints one"`
	// silenced is dangerous with that comment.
	silencedEvil = "import base64\n" + allowed + "\n" + evil + "\n"
)

// accepted is a baseline for the evil line of some files.
func accepted(t *testing.T, paths ...string) string {
	t.Helper()
	var b suppress.Baseline
	for _, p := range paths {
		for rule := range strings.SplitSeq(evilRules, ",") {
			b.Entries = append(b.Entries, suppress.Entry{Path: p, Layer: gate.LayerStatic, Rule: rule, Severity: gate.SeverityDangerous,
				Hash: fmt.Sprintf("lines:%x", sha256.Sum256([]byte(evil))), Count: 1, Reason: "prints one"})
		}
	}
	data, err := b.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// filler is more lines than any file here has, so that a diff keeps it in place:
// what is above it in one version and below it in the other is among the
// changed lines, though nothing in it has changed.
const filler = "a = 1\nb = 2\nc = 3\nd = 4\ne = 5\nf = 6\ng = 7\nh = 8\n"

func TestAPullRequestCannotSuppressItsOwnFindings(t *testing.T) {
	base := map[string]string{"a.py": harmless}
	file := func(text string) map[string]string { return map[string]string{"b.py": text} }
	quoted := "import base64\nx = '''\n" + allowed + "\n'''\n" + evil + "\n"
	torn := strings.Replace(silencedEvil, `one"`, `one", as everybody knows`, 1)
	expired := strings.Replace(silencedEvil, `one"`, `one" expires=2020-01-31`, 1)
	for name, tt := range map[string]struct {
		base, head map[string]string
		shown      []string
	}{
		"a suppression added in the head":                {base, file(silencedEvil), []string{suppress.RuleAdded}},
		"a suppression added above a line that is moved": {file(filler + dangerous), file(silencedEvil + filler), []string{suppress.RuleAdded}},
		"an entry added to the baseline":                 {base, map[string]string{"b.py": dangerous, suppress.BaselineFile: accepted(t, "b.py")}, []string{"config/protected-file"}},
		"an entry added where the policy protects nothing": {map[string]string{"a.py": harmless, ".gate.yml": "protect: []\n"},
			map[string]string{"b.py": dangerous, suppress.BaselineFile: accepted(t, "b.py")}, []string{"config/protected-file"}},
		"a suppression in a string, also in the base": {file(filler + quoted), file(quoted + filler), nil},
		"the suppressed line has changed":             {file(silencedEvil), file(strings.Replace(silencedEvil, "cHJpbnQoMSk=", "cHJpbnQoMik=", 1)), []string{suppress.RuleAdded}},
		"a copy of what the base suppresses":          {file(silencedEvil), file(silencedEvil + "x = 1\n" + allowed + "\n" + evil + "\n"), []string{suppress.RuleAdded}},
		"a copy of what the baseline accepts": {map[string]string{"b.py": dangerous, suppress.BaselineFile: accepted(t, "b.py")},
			map[string]string{"b.py": dangerous + "x = 1\n" + evil + "\n"}, nil},
		"a marker that its justification tears off": {file(filler + torn), file(torn + filler), []string{suppress.RuleMalformed}},
		"a suppression that has expired":            {file(filler + expired), file(expired + filler), []string{suppress.RuleExpired}},
		"a suppression that is given more time":     {file(filler + expired), file(strings.Replace(expired, "2020", "2999", 1) + filler), []string{suppress.RuleAdded}},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJob(t, tt.base, tt.head)
			j.wantExit(exitBlocked)
			comment := j.comment()
			for _, want := range append(tt.shown, evilRule) {
				if !strings.Contains(j.stdout.String(), want) || !strings.Contains(comment, want) {
					t.Errorf("%q is not shown in both\nlog:\n%s\ncomment:\n%s", want, &j.stdout, comment)
				}
			}
			if k := j.check(); k.Conclusion != "failure" {
				t.Errorf("the check says %q", k.Conclusion)
			}
		})
	}
}

func TestSuppressionsOfTheBaseCommitStayAndAreListed(t *testing.T) {
	file := func(text string) map[string]string { return map[string]string{"b.py": text} }
	for name, tt := range map[string]struct{ base, head map[string]string }{
		"a comment, though the line below changes": {file(silencedEvil + "x = 1\n"), file(silencedEvil + "x = 2\n")},
		"a comment that moves with its line":       {file(filler + silencedEvil), file(silencedEvil + filler)},
		"the baseline, though the head deletes it": {map[string]string{"a.py": harmless, suppress.BaselineFile: accepted(t, "b.py")}, map[string]string{"b.py": dangerous, suppress.BaselineFile: ""}},
		"the baseline, though the head breaks it":  {map[string]string{"b.py": filler + dangerous, suppress.BaselineFile: accepted(t, "b.py")}, map[string]string{"b.py": dangerous + filler, suppress.BaselineFile: "{"}},
	} {
		t.Run(name, func(t *testing.T) {
			j := newJob(t, tt.base, tt.head)
			res := j.result(exitPass)
			n := 0
			for _, f := range res.Files {
				for _, finding := range f.Findings {
					if finding.Suppressed != nil && finding.Suppressed.Reason == "prints one" {
						n++
					}
				}
			}
			if n != 2 {
				t.Errorf("%d findings are suppressed, want 2: %+v", n, res.Files)
			}
			if comment := j.comment(); !strings.Contains(comment, evilRule) || !strings.Contains(comment, "prints one") {
				t.Errorf("what is suppressed is not in the comment:\n%s", comment)
			}
			if _, touched := tt.head[suppress.BaselineFile]; touched && !strings.Contains(j.comment(), "config/protected-file") {
				t.Errorf("the change of the baseline is not a finding:\n%s", j.comment())
			}
		})
	}
}

func TestABrokenBaselineInTheBaseIsNoPass(t *testing.T) {
	j := newJob(t, map[string]string{"a.py": harmless, suppress.BaselineFile: "{\n\"version\": 9}"}, map[string]string{"a.py": harmless + "x = 1\n"})
	j.wantExit(exitUsage)
	if k := j.check(); k.Conclusion != "failure" || !strings.Contains(j.stderr.String(), suppress.BaselineFile+":2: ") {
		t.Errorf("the check says %q\n%s", k.Conclusion, &j.stderr)
	}
}

func TestTheTrustedHalfOfAForkSuppressesByTheBaseAlone(t *testing.T) {
	sandboxed := gate.Finding{Rule: "process/odd", Category: "process", Layer: gate.LayerSandbox, Severity: gate.SeverityDangerous, InChange: true, Message: "does something"}
	fileHash := fmt.Sprintf("file:%x", sha256.Sum256([]byte(harmless+"x = 1\n")))
	byBaseline, err := suppress.Baseline{Entries: []suppress.Entry{{Path: "a.py", Layer: gate.LayerSandbox, Rule: sandboxed.Rule, Severity: gate.SeverityDangerous, Hash: fileHash, Reason: "it may"}}}.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	says := func(suppressed *gate.Suppression, verdict gate.Verdict) func(*gate.Result) {
		return func(r *gate.Result) {
			f := sandboxed
			f.Suppressed = suppressed
			r.Files[0].Findings = []gate.Finding{f}
			r.Files[0].Verdict, r.Verdict, r.Decision = verdict, verdict, gate.DefaultPolicy().Decision(verdict)
		}
	}
	for name, tt := range map[string]struct {
		base, head map[string]string
		claim      func(*gate.Result)
		want       int
	}{
		"a suppression added in the head": {map[string]string{"b.py": harmless}, map[string]string{"b.py": silencedEvil}, nil, exitBlocked},
		"a baseline added in the head":    {map[string]string{"b.py": harmless}, map[string]string{"b.py": dangerous, suppress.BaselineFile: accepted(t, "b.py")}, nil, exitBlocked},
		"a suppression of the base":       {map[string]string{"b.py": filler + silencedEvil}, map[string]string{"b.py": silencedEvil + filler}, nil, exitPass},
		"the baseline of the base": {map[string]string{"b.py": harmless, suppress.BaselineFile: accepted(t, "b.py")},
			map[string]string{"b.py": dangerous, suppress.BaselineFile: accepted(t, "b.py")}, nil, exitPass},
		"a finding that the artifact calls suppressed": {map[string]string{"a.py": harmless}, map[string]string{"a.py": harmless + "x = 1\n"},
			says(&gate.Suppression{By: "me", Reason: "trust me"}, gate.Safe), exitBlocked},
		"a finding of the sandbox that the base accepts": {map[string]string{"a.py": harmless, suppress.BaselineFile: string(byBaseline)},
			map[string]string{"a.py": harmless + "x = 1\n", suppress.BaselineFile: string(byBaseline)}, says(&gate.Suppression{By: "me", Reason: "trust me"}, gate.Safe), exitPass},
	} {
		t.Run(name, func(t *testing.T) {
			j := newForkJob(t, tt.base, tt.head)
			if tt.claim != nil { // the artifact lists its files in no order
				j.headFiles = map[string]string{"a.py": tt.head["a.py"]}
			}
			j.claim(tt.claim)
			j.publish(tt.want)
		})
	}
}
