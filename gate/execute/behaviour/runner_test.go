package behaviour

import (
	"slices"
	"testing"

	"github.com/aigate/gate/gate/execute/canary"
	"github.com/aigate/gate/sandbox"
)

func TestScriptsThatTestsWriteAndRunAreANote(t *testing.T) {
	for name, tt := range map[string]struct {
		kind Kind
		data string
		want string
	}{
		"a script of a test":             {Tests, "#!/bin/sh\ncat\n", ruleDropped.ID + not},
		"a program of a test":            {Tests, "\x7fELF", ruleDropped.ID + sus},
		"a script that no test wrote":    {Script, "#!/bin/sh\ncat\n", ruleDropped.ID + sus},
		"a program whose text is unseen": {Tests, "", ruleDropped.ID + sus},
	} {
		t.Run(name, func(t *testing.T) {
			r := runOf(t, tt.kind, "write /tmp/x\nexec /tmp/x · x")
			r.Seen.Captures = []sandbox.Capture{{Path: "/tmp/x", How: "executed after it was written", Data: []byte(tt.data)}}
			if got := rulesOf(Findings(r)); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestAnEnvironmentThatTestsPrintIsANote(t *testing.T) {
	whole := canary.Environment()
	for name, tt := range map[string]struct {
		kind    Kind
		printed []string
		want    string
	}{
		"by tests":                  {Tests, whole, rulePrinted.ID + not},
		"by a program":              {Script, whole, rulePrinted.ID + sus},
		"one value":                 {Tests, whole[:1], rulePrinted.ID + sus},
		"the head of it":            {Tests, whole[:3], rulePrinted.ID + not},
		"with a file that was read": {Tests, append(slices.Clone(whole), "ssh rsa key"), rulePrinted.ID + sus},
		"encoded":                   {Tests, append(slices.Clone(whole[1:]), whole[0]+" (base64)"), rulePrinted.ID + sus},
	} {
		t.Run(name, func(t *testing.T) {
			r := runOf(t, tt.kind, "")
			r.Printed = tt.printed
			if got := rulesOf(Findings(r)); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
