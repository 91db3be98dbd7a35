package action

import (
	"crypto/rand"
	"fmt"

	"github.com/sethvargo/go-githubactions"

	"github.com/aigate/gate/gate"
)

// quote prints text between stop-commands tokens that its author cannot know.
func (r *run) quote(text []byte) {
	token := rand.Text()
	r.action.IssueCommand(&githubactions.Command{Name: "stop-commands", Message: token})
	_, _ = r.Stdout.Write(append(text, '\n'))
	r.action.IssueCommand(&githubactions.Command{Name: token})
}

// logAnnotations is how many annotations of each level a step shows
// (docs.github.com, "Workflow commands").
const logAnnotations = 10

// annotateLog repeats the worst findings as annotations of the log.
func (r *run) annotateLog(res gate.Result) {
	errorsLeft, warningsLeft := logAnnotations, logAnnotations
	for _, f := range res.Files {
		for _, finding := range f.Findings {
			at := r.action.WithFieldsMap(map[string]string{"file": f.Path, "line": fmt.Sprint(max(finding.Line, 1)), "title": finding.Rule})
			switch {
			case !finding.Decides():
			case finding.Severity == gate.SeveritySuspicious && finding.CorroboratedBy == "" && warningsLeft > 0:
				warningsLeft--
				at.Warningf("%s", finding.Message)
			case finding.Severity != gate.SeverityNote && finding.Severity != gate.SeveritySuspicious && errorsLeft > 0:
				errorsLeft--
				at.Errorf("%s", finding.Message)
			}
		}
	}
}

func (r *run) summary(markdown []byte) {
	if r.Engine.Getenv("GITHUB_STEP_SUMMARY") != "" && len(markdown) > 0 {
		r.action.AddStepSummary(string(markdown))
	}
}

// outputs sets the outputs of the step. The library's own delimiter is a
// constant; one that cannot be guessed keeps a value from setting another output.
func (r *run) outputs(res gate.Result) {
	if r.Engine.Getenv("GITHUB_OUTPUT") == "" {
		return
	}
	count := map[gate.Verdict]int{}
	for _, f := range res.Files {
		count[f.Verdict]++
	}
	for _, o := range []struct{ name, value string }{
		{"verdict", res.Verdict.String()},
		{"decision", res.Decision.String()},
		{"risk-score", fmt.Sprint(res.RiskScore)},
		{"result-file", r.o.Save},
		{"sarif-file", r.o.SARIF},
		{"files", fmt.Sprint(len(res.Files))},
		{"dangerous", fmt.Sprint(count[gate.Dangerous])},
		{"suspicious", fmt.Sprint(count[gate.Suspicious])},
		{"incomplete", fmt.Sprint(len(res.Incomplete))},
	} {
		end := "gate_" + rand.Text()
		r.action.IssueFileCommand(&githubactions.Command{Name: "output", Message: fmt.Sprintf("%s<<%s\n%s\n%s", o.name, end, o.value, end)})
	}
}

// codeScanningRef is the ref under which code scanning files the results.
func (r *run) codeScanningRef() string {
	switch {
	case r.event.Number > 0:
		return fmt.Sprintf("refs/pull/%d/head", r.event.Number)
	case r.event.HeadRef != "":
		return "refs/heads/" + r.event.HeadRef
	default:
		return r.Engine.Getenv("GITHUB_REF")
	}
}
