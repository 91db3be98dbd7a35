package sandbox

import (
	"strings"
	"testing"
)

func TestEveryProbeOfTheContainmentIsRefused(t *testing.T) {
	eachRuntime(t, func(t *testing.T, runtime string) {
		d := openDocker(t)
		res := mustRun(t, d, attack(runtime, "probes"))
		if res.Status != Exited || res.ExitCode != 0 {
			t.Errorf("got %s %d (%s)", res.Status, res.ExitCode, res.Reason)
		}
		seen := 0
		for line := range strings.Lines(string(res.Stdout.Data)) {
			name, outcome, ok := strings.Cut(strings.TrimSpace(line), "\t")
			if !ok {
				t.Errorf("unreadable line %q", line)
				continue
			}
			seen++
			ordinary := strings.HasPrefix(name, "ordinary: ")
			if ordinary != (outcome == "ok") {
				t.Errorf("%s: %s", name, outcome)
			}
		}
		if seen < 100 {
			t.Errorf("only %d probes spoke", seen)
		}
	})
}
