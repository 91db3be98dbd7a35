package gate

import (
	"testing"
)

// accepts suppresses the findings of one rule and keeps what it was asked.
type accepts struct {
	rule  string
	asked []Finding
}

func (a *accepts) Suppress(_ string, f Finding) *Suppression {
	a.asked = append(a.asked, f)
	if f.Rule != a.rule {
		return nil
	}
	return &Suppression{By: "a test", Reason: "it says so"}
}

func TestASuppressedFindingIsReportedAndDecidesNothing(t *testing.T) {
	a := &accepts{rule: "a/known"}
	fs := NewFindings([]*Target{{Path: "a"}}, nil)
	fs.suppressor = a
	fs.Add("a", finding("a/known", SeverityDangerous, 1))
	if fs.Worst("a") != SeverityUnknown {
		t.Error("a suppressed finding counts while the run goes on")
	}
	fs.Add("a", finding("a/new", SeveritySuspicious, 0))
	if len(a.asked) != 2 || a.asked[1].EndLine != 0 || !a.asked[0].InChange || a.asked[0].Category != "a" {
		t.Errorf("asked about %+v", a.asked)
	}
	of := fs.Of("a")
	if len(of) != 2 || of[1].Suppressed == nil || of[0].Suppressed != nil || fs.Worst("a") != SeveritySuspicious {
		t.Errorf("%+v", of)
	}
}

func TestFindingsThatDidNotFitAreNotSuppressed(t *testing.T) {
	fs := NewFindings([]*Target{{Path: "a"}}, nil)
	fs.suppressor = &accepts{rule: "a/known"}
	for i := range MaxFindingsPerFile {
		fs.Add("a", finding("a/known", SeverityDangerous, i+1))
	}
	fs.Add("a", finding("a/new", SeveritySuspicious, 1))
	if got := fs.Worst("a"); got != SeveritySuspicious {
		t.Errorf("the worst is %v", got)
	}
}
