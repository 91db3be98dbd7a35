package behaviour

import (
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/sandbox"
)

func TestAnAnswerOfTheNetworkThatRunsIsDangerous(t *testing.T) {
	const rule = "download-execute/observed-answer" + dan
	capture := func(path, how, text string) sandbox.Capture {
		return sandbox.Capture{Path: path, How: how, Data: []byte(text)}
	}
	tests := map[string]struct {
		events   string
		captured []sandbox.Capture
		want     bool
	}{
		"in a line of a shell":          {"exec /bin/sh · sh · -c · gate_answered=1", nil, true},
		"compiled from text":            {"", []sandbox.Capture{capture("/tmp/.gate-code/17-i2.py", "written", "gate_answered=1")}, true},
		"given to an interpreter":       {"", []sandbox.Capture{capture("argument.sh", sandbox.PassedAsArgument+" to sh", "gate_answered=1")}, true},
		"written and started":           {"exec /bin/sh · sh · /tmp/x.sh", []sandbox.Capture{capture("/tmp/x.sh", "written", "#!/bin/sh\ngate_answered=1")}, true},
		"written and left alone":        {"", []sandbox.Capture{capture("/tmp/x.sh", "written", "#!/bin/sh\ngate_answered=1")}, false},
		"an argument of another":        {"exec /usr/bin/git · git · tag · gate_answered=1", nil, false},
		"code that is none of a server": {"exec /bin/sh · sh · -c · answered=1", nil, false},
	}
	for name, tt := range tests {
		run := runOf(t, Script, tt.events)
		run.Seen.Captures = tt.captured
		run.Literal = func([]byte) bool { return false }
		if got := strings.Contains(rulesOf(Findings(run)), rule); got != tt.want {
			t.Errorf("%s: %s", name, rulesOf(Findings(run)))
		}
	}
}

func TestARequestThatRunsIsDangerous(t *testing.T) {
	tests := map[string]struct{ events, want string }{
		"as a whole command":   {"exec /bin/sh · sh · -c · gate-asked", "dynamic-code/observed-request" + dan},
		"as a program":         {"exec /usr/bin/gate-asked · gate-asked", "dynamic-code/observed-request" + dan},
		"in a command":         {"exec /bin/sh · sh · -c · git log gate-asked", "dynamic-code/observed-request" + sus},
		"as an argument":       {"exec /usr/bin/git · git · log · gate-asked", ""},
		"as a file of a shell": {"exec /bin/sh · sh · gate-asked", ""},
	}
	for name, tt := range tests {
		run := runOf(t, Exercise, "exec /usr/bin/python3 · python3\n"+tt.events)
		got := rulesOf(slices.DeleteFunc(Findings(run), func(f gate.Finding) bool { return f.Rule != ruleRequestRun.ID }))
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		run.Kind = Script
		if strings.Contains(rulesOf(Findings(run)), ruleRequestRun.ID) {
			t.Errorf("%s: no request was made up for a script", name)
		}
	}
}
