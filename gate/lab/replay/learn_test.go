package replay

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/policy"
)

const shellRule = "shell-out/python-shell"

// said is a finding of the rule in a file.
func said(path, text string) Usage {
	return Usage{Rule: shellRule, Path: path, Language: gate.LanguagePython, Severity: gate.SeveritySuspicious, Text: text}
}

func dismissed(path, text string) Usage {
	u := said(path, text)
	u.Dismissed, u.Reason = true, "the parts are quoted"
	return u
}

// thrice are three dismissals that differ in their places only.
func thrice() []Usage {
	return []Usage{
		dismissed("a.py", `subprocess.run("git log " + quote(name), shell=True, timeout=3)`),
		dismissed("b.py", `subprocess.run('git show ' + quote(commit), shell=True, timeout=30)`),
		dismissed("c/d.py", `subprocess.run("ls " + quote(path), shell=True,timeout=60)`),
	}
}

// withUsages is a change that was flagged because of some findings.
func withUsages(n int, found ...Usage) Row {
	row := change(n, AuthorPerson, gate.Suspicious, gate.DecisionPass)
	for _, u := range found {
		if !u.Dismissed {
			row.Reasons = append(row.Reasons, finding(u.Rule, u.Severity, u.Path))
		}
	}
	row.Usages = found
	return row
}

func TestRepeatedDismissalsAreProposed(t *testing.T) {
	rows := []Row{
		withUsages(1, thrice()[2]), // seen in the history as well, and counted once
		withUsages(2, said("e.py", `subprocess.run("du " + quote(folder), shell=True, timeout=9)`)),
		withUsages(3, said("e.py", `subprocess.run("du " + quote(folder), shell=True, timeout=9)`), said("e.py", `subprocess.run(folder, shell=True)`)),
	}
	got := Learn(rows, thrice(), 1)
	if got.Dismissals != 4 || got.Unread != 1 || len(got.Proposals) != 1 {
		t.Fatalf("%+v", got)
	}
	p := got.Proposals[0]
	want := `subprocess\.run\(["'][\w ./:-]*["'] \+ quote\([A-Za-z_]\w*\), shell=True, ?timeout=\d+\)`
	if p.Line != want || p.Rule != shellRule || p.Rests != 3 || p.Helps != 1 || p.Mutes.Suspicious != 2 || p.Mutes.Dangerous != 0 {
		t.Errorf("%+v, want\n%s", p, want)
	}
	if p.Reason != "dismissed 3 times: the parts are quoted" {
		t.Errorf("%q", p.Reason)
	}
	read, _, err := policy.Load(policy.Source{Name: "x", Data: []byte("rules:\n  usage:\n" + indented(p.YAML(), "    ")), Trust: policy.Base})
	if err != nil || len(read.Rules.Usage) != 1 || read.Rules.Usage[0].Line != want {
		t.Errorf("what is shown can't be pasted: %v, %+v", err, read.Rules.Usage)
	}
}

func TestDismissalsThatAreNotProposed(t *testing.T) {
	other := func(i int, change func(*Usage)) []Usage {
		all := thrice()
		change(&all[i])
		return all
	}
	for _, tt := range []struct {
		name     string
		head     []Usage
		rows     []Row
		withheld int
	}{
		{name: "from two", head: thrice()[:2]},
		{name: "from the same three times", head: []Usage{thrice()[0], thrice()[0], thrice()[0]}},
		{name: "from findings without a dismissal", head: []Usage{said("a.py", thrice()[0].Text), said("b.py", thrice()[1].Text), said("c.py", thrice()[2].Text)}},
		{name: "where another function is called", head: other(1, func(u *Usage) { u.Text = strings.Replace(u.Text, "quote", "trim", 1) })},
		{name: "where another parameter is named", head: other(1, func(u *Usage) { u.Text = strings.Replace(u.Text, "timeout", "bufsize", 1) })},
		{name: "where a constant is another", head: other(1, func(u *Usage) { u.Text = strings.Replace(u.Text, "True", "None", 1) })},
		{name: "where there is one more argument", head: other(1, func(u *Usage) { u.Text = strings.Replace(u.Text, "timeout", "check=x, timeout", 1) })},
		{name: "for another rule", head: other(1, func(u *Usage) { u.Rule = "a/b" })},
		{name: "where something else follows", head: other(1, func(u *Usage) { u.Text += "; evil(x)" })},
		{name: "where a comment follows", head: other(1, func(u *Usage) { u.Text += " # noqa" })},
		{name: "beyond ASCII", head: other(1, func(u *Usage) { u.Text = strings.Replace(u.Text, "commit", "cömmit", 1) })},
		{name: "in another language", head: other(1, func(u *Usage) { u.Language = gate.LanguageYAML })},
		{name: "without a text", head: other(1, func(u *Usage) { u.Text = "" })},
		{name: "where findings of the history are missing", head: thrice(), rows: []Row{{MoreUsages: 1}}},
		{name: "that may cover something dangerous", head: thrice(), withheld: 1, rows: []Row{withUsages(1, Usage{Rule: shellRule, Path: "e.py", Severity: gate.SeverityDangerous, Unknown: true})}},
		{name: "that covers something dangerous", head: thrice(), withheld: 1, rows: []Row{withUsages(1, Usage{
			Rule: shellRule, Path: "e.py", Severity: gate.SeverityDangerous, Text: `subprocess.run("rm " + quote(x), shell=True, timeout=1)`})}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Learn(tt.rows, tt.head, 0); len(got.Proposals) > 0 || got.Withheld != tt.withheld {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestAUsageIsWhatDecidesOrWasDismissed(t *testing.T) {
	by := &gate.Suppression{Reason: "fine", Dismissal: &gate.Dismissal{Account: "ada"}}
	text := func(string, gate.Finding) (string, bool) { return "f(x)", true }
	for name, tt := range map[string]struct {
		f      gate.Finding
		masked bool
		want   []Usage
	}{
		"suspicious":          {f: gate.Finding{Severity: gate.SeveritySuspicious, InChange: true}, want: []Usage{{Rule: "a/b", Path: "x", Severity: gate.SeveritySuspicious, Text: "f(x)"}}},
		"confirmed":           {f: gate.Finding{Severity: gate.SeveritySuspicious, InChange: true, CorroboratedBy: "judge:x"}, want: []Usage{{Rule: "a/b", Path: "x", Severity: gate.SeverityDangerous, Text: "f(x)"}}},
		"dismissed":           {f: gate.Finding{Severity: gate.SeverityNote, InChange: true, Suppressed: by}, want: []Usage{{Rule: "a/b", Path: "x", Severity: gate.SeverityNote, Text: "f(x)", Dismissed: true, Reason: "fine"}}},
		"suppressed":          {f: gate.Finding{Severity: gate.SeveritySuspicious, InChange: true, Suppressed: &gate.Suppression{}}},
		"there before":        {f: gate.Finding{Severity: gate.SeveritySuspicious}},
		"in a file of secret": {masked: true, f: gate.Finding{Severity: gate.SeveritySuspicious, InChange: true}, want: []Usage{{Rule: "a/b", Path: "x", Severity: gate.SeveritySuspicious, Unknown: true}}},
	} {
		tt.f.Rule = "a/b"
		res := gate.Result{Files: []gate.FileResult{{Path: "x", Masked: tt.masked, Findings: []gate.Finding{tt.f}}}}
		if got, more := UsagesOf(res, text); !slices.Equal(got, tt.want) || more > 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	many := gate.Result{Files: []gate.FileResult{{Path: "x", Findings: slices.Repeat([]gate.Finding{{Rule: "a/b", Severity: gate.SeveritySuspicious, InChange: true}}, MaxUsages+2)}}}
	if got, more := UsagesOf(many, text); len(got) != MaxUsages || more != 2 {
		t.Errorf("%d and %d more", len(got), more)
	}
}

// FuzzAProposalMatchesWhatItRestsOn takes any dismissed texts: what is proposed is one entry
// of the policy, covers each of them, and nothing behind them.
func FuzzAProposalMatchesWhatItRestsOn(f *testing.F) {
	f.Add(`run("a", x)`, `run('b', y)`, `run("c",z)`, "it's fine")
	f.Add(`a.b(1)`, `a.b(2)`, `a.b(3)`, "x: - #")
	f.Fuzz(func(t *testing.T, a, b, c, reason string) {
		group := []Usage{dismissed("a", a), dismissed("b", b), dismissed("c", c)}
		for i := range group {
			group[i].Reason = reason
		}
		got := Learn([]Row{withUsages(1, said("d", a+"; evil()"), said("d", "evil(); "+a))}, group, 0)
		for _, p := range got.Proposals {
			if p.Mutes.Suspicious > 0 {
				t.Errorf("%q covers more than %q", p.Line, a)
			}
			read, _, err := policy.Load(policy.Source{Name: "x", Data: []byte("rules:\n  usage:\n" + indented(p.YAML(), "    ")), Trust: policy.Base})
			if err != nil || len(read.Rules.Usage) != 1 || read.Rules.Usage[0].Line != p.Line {
				t.Errorf("%q: %v", p.YAML(), err)
			}
		}
	})
}
