package probe

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A program that never runs would make every folder look as if it forbade it.
func TestTheSmallestProgramRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tiny")
	if err := os.WriteFile(path, tiny(), 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), path).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v %q", err, out)
	}
}

func TestAnOutcomeIsReadAsItWasWritten(t *testing.T) {
	for name, tt := range map[string]struct {
		probe  Probe
		err    error
		gvisor bool
		held   bool
	}{
		"refused":                            {Probe{Name: "a", Category: Files}, os.ErrPermission, false, true},
		"it worked":                          {Probe{Name: "a", Category: Files}, nil, false, false},
		"something was found":                {Probe{Name: "a", Category: Mounts}, found("ext4\tat /host\n"), false, false},
		"it means nothing on gVisor":         {Probe{Name: "a", Category: Files, GVisor: "own files"}, nil, true, true},
		"it means something elsewhere":       {Probe{Name: "a", Category: Files, GVisor: "own files"}, nil, false, false},
		"what is ordinary works":             {Probe{Name: "a", Category: Ordinary}, nil, false, true},
		"what is ordinary is refused":        {Probe{Name: "a", Category: Ordinary}, os.ErrPermission, true, false},
		"an outcome that only looks like ok": {Probe{Name: "a", Category: Files}, found(""), false, false},
	} {
		o, err := Parse(tt.probe.Line(tt.err))
		if err != nil || o.Held(tt.gvisor) != tt.held || o.Name != "a" || o.Category != tt.probe.Category {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
	for _, line := range []string{"", "a\tb\tc\n", "a\tb\tc\td\te\n", "\tb\tc\td\n"} {
		if _, err := Parse(line); err == nil {
			t.Errorf("%q is an outcome", line)
		}
	}
}

func TestProbesAllHaveANameOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range All(Program{Path: "/none"}) {
		if p.Name == "" || p.Category == "" || p.Try == nil || seen[p.Name] {
			t.Errorf("%q in %q", p.Name, p.Category)
		}
		seen[p.Name] = true
	}
	if len(seen) < 250 {
		t.Errorf("%d probes", len(seen))
	}
}
