package sandbox

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/sandbox/internal/wire"
)

func TestASpecThatNamesNoLimitsGetsTheDefaults(t *testing.T) {
	s, err := Spec{Image: "i", Argv: []string{"x"}}.normal()
	if err != nil {
		t.Fatal(err)
	}
	if s.Limits != DefaultLimits() || s.Runtime != "runc" || s.Dir != "." {
		t.Errorf("got %+v", s)
	}
	if j := s.job(make([]byte, wire.KeySize)); j.AddressSpace == 0 || j.FileSize == 0 || j.OpenFiles == 0 || j.CPUSeconds == 0 || j.StreamBytes == 0 || j.OutputFiles == 0 {
		t.Errorf("a job without a limit: %+v", j)
	}
	s.Exceptions.NoAddressSpace = true
	if j := s.job(nil); j.AddressSpace != 0 {
		t.Errorf("address space of %d in spite of the delta", j.AddressSpace)
	}
	s.Exceptions = Exceptions{NoProcessLimits: true}
	if j := s.job(nil); j.AddressSpace != 0 || j.FileSize != 0 || j.CPUSeconds != 0 || j.Timeout == 0 || j.Memory == 0 || j.Pids == 0 {
		t.Errorf("limits of the process in spite of the delta, or none of the container: %+v", j)
	}
}

func TestASpecOutOfRangeIsRefused(t *testing.T) {
	for want, change := range map[string]func(*Spec){
		"memory":                 func(s *Spec) { s.Limits.Memory = 1 << 20 },
		"memory ":                func(s *Spec) { s.Limits.Memory = -1 },
		"memory  ":               func(s *Spec) { s.Limits.Memory = 1 << 62 },
		"cpus":                   func(s *Spec) { s.Limits.CPUs = math.NaN() },
		"cpus ":                  func(s *Spec) { s.Limits.CPUs = -0.5 },
		"cpus  ":                 func(s *Spec) { s.Limits.CPUs = math.Inf(1) },
		"pids":                   func(s *Spec) { s.Limits.Pids = -1 },
		"timeout":                func(s *Spec) { s.Limits.Timeout = -time.Second },
		"timeout ":               func(s *Spec) { s.Limits.Timeout = 1000 * time.Hour },
		"workspace":              func(s *Spec) { s.Limits.Workspace = 1 },
		"inodes":                 func(s *Spec) { s.Limits.Inodes = 1 },
		"stdout":                 func(s *Spec) { s.Limits.Stdout = 1 << 40 },
		"output":                 func(s *Spec) { s.Limits.Output = -1 },
		"no image":               func(s *Spec) { s.Image = "" },
		"no program":             func(s *Spec) { s.Argv = nil },
		"no program ":            func(s *Spec) { s.Argv = []string{""} },
		"zero byte":              func(s *Spec) { s.Argv = append(s.Argv, "a\x00") },
		"KEY=value":              func(s *Spec) { s.Env = []string{"PATH"} },
		`folder "../x"`:          func(s *Spec) { s.Dir = "../x" },
		`folder "/etc"`:          func(s *Spec) { s.Dir = "/etc" },
		`output "../x"`:          func(s *Spec) { s.Output = []string{"../x"} },
		`output "/etc/passwd"`:   func(s *Spec) { s.Output = []string{"/etc/passwd"} },
		`output ""`:              func(s *Spec) { s.Output = []string{""} },
		"at most 1048576":        func(s *Spec) { s.Argv = []string{strings.Repeat("x", 2<<20)} },
		"standard input has":     func(s *Spec) { s.Stdin = make([]byte, wire.MaxStdin+1) },
		`output "xxxxxxxxxxxxxx`: func(s *Spec) { s.Output = []string{strings.Repeat("x", 5000)} },
	} {
		s := Spec{Image: "i", Argv: []string{"x"}}
		change(&s)
		if _, err := s.normal(); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestOutcomeOfAProgram(t *testing.T) {
	exit := wire.CauseExit
	tests := []struct {
		name   string
		x      wire.Exit
		want   Status
		code   int
		reason string
	}{
		{"it ended well", wire.Exit{Cause: exit}, Exited, 0, ""},
		{"it ended badly", wire.Exit{Cause: exit, Code: 255}, Exited, 255, ""},
		{"a signal", wire.Exit{Cause: exit, Signal: 11}, Exited, 139, "SIGSEGV"},
		{"a signal without a name", wire.Exit{Cause: exit, Signal: 40}, Exited, 168, "signal 40"},
		{"killed, and no one saw memory run out", wire.Exit{Cause: exit, Signal: 9}, Exited, 137, "SIGKILL"},
		{"killed for memory", wire.Exit{Cause: exit, Signal: 9, OOMKills: 1}, OOM, 137, "memory ran out"},
		{"a child was killed for memory", wire.Exit{Cause: exit, Code: 1, OOMKills: 1}, OOM, 1, "memory ran out"},
		{"a child was killed, and it says all is well", wire.Exit{Cause: exit, OOMKills: 2}, OOM, 0, "memory ran out"},
		{"time", wire.Exit{Cause: wire.CauseTimeout, Duration: 30 * time.Second}, Timeout, -1, "after 30s"},
		{"time, with memory run out before", wire.Exit{Cause: wire.CauseTimeout, OOMKills: 4}, Timeout, -1, "ended 4 of its processes"},
		{"memory, as measured", wire.Exit{Cause: wire.CauseMemory}, OOM, -1, "measured"},
		{"too many processes", wire.Exit{Cause: wire.CausePids}, Killed, -1, "processes"},
		{"processor time", wire.Exit{Cause: exit, Signal: sigXCPU}, Killed, 152, "processor time"},
		{"a file too large", wire.Exit{Cause: exit, Signal: sigXFSZ}, Killed, 153, "larger file"},
		{"no cause", wire.Exit{}, Failed, -1, "unknown end"},
		{"an unknown cause", wire.Exit{Cause: "fine"}, Failed, -1, "unknown end"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, reason, code := outcome(tt.x)
			if status != tt.want || code != tt.code || !strings.Contains(reason, tt.reason) {
				t.Errorf("got %s %d %q", status, code, reason)
			}
			if reason == "" && (status != Exited || code > 128) && tt.reason != "" {
				t.Error("no reason")
			}
		})
	}
}
