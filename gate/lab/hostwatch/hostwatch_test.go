package hostwatch

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aigate/gate/gate/lab/attack"
)

func TestMonitorSeesEveryEffectOnThisMachineOnce(t *testing.T) {
	home := t.TempDir()
	m, err := Start(t.Context(), filepath.Join(t.TempDir(), "decoy"), home)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	look := func(t *testing.T) []attack.Breach {
		t.Helper()
		seen, err := m.Look()
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	if seen := look(t); len(seen) > 0 {
		t.Fatalf("before anything happened: %v", seen)
	}
	send := func(network string) func(*testing.T) {
		return func(t *testing.T) {
			for i := 0; i+1 < len(m.Addresses()); i += 2 {
				if m.Addresses()[i] != network {
					continue
				}
				c, err := net.Dial(network, m.Addresses()[i+1])
				if err != nil {
					t.Fatal(err)
				}
				// The listener may have hung up already: coming is the effect.
				if _, err := c.Write([]byte("x")); err != nil && network == "udp" {
					t.Fatal(err)
				}
				c.Close()
				return
			}
			t.Fatalf("it does not listen for %s: %q", network, m.Addresses())
		}
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name    string
		effect  func(*testing.T)
		concern attack.Concern
		what    string
	}{
		{"a connection", send("tcp"), attack.Network, "a connection from "},
		{"a packet", send("udp"), attack.Network, "a packet from "},
		{"a socket without a file", send("unix"), attack.Network, "@gate-attack-"},
		{"a decoy that was written to", func(*testing.T) { must(os.WriteFile(filepath.Join(m.decoys, ".bashrc"), []byte("x"), 0o600)) }, attack.Files, "decoy of this machine has changed"},
		{"a decoy that was removed", func(*testing.T) { must(os.Remove(filepath.Join(m.decoys, ".netrc"))) }, attack.Files, "decoy of this machine has changed"},
		{"a file beside the decoys", func(*testing.T) { must(os.WriteFile(filepath.Join(m.decoys, "new"), nil, 0o600)) }, attack.Files, "decoy of this machine has changed"},
		{"a shell profile of the user", func(*testing.T) { must(os.WriteFile(filepath.Join(home, ".bashrc"), nil, 0o600)) }, attack.Files, ".bashrc of this machine has changed"},
		{"a setting of the kernel", func(*testing.T) { m.before["/proc/sys/kernel/core_pattern"] = "|/tmp/x" }, attack.Kernel, "core_pattern of this machine has changed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.effect(t)
			var seen []attack.Breach
			// What others do on this machine meanwhile, the monitor sees too.
			meant := func(b attack.Breach) bool { return b.Concern == tt.concern && strings.Contains(b.What, tt.what) }
			if !within(t, time.Minute, func() bool { seen = append(seen, look(t)...); return slices.ContainsFunc(seen, meant) }) {
				t.Fatalf("it was not seen among %v", seen)
			}
			if again := look(t); len(again) > 0 && tt.concern != attack.Network {
				t.Errorf("it was seen again: %v", again)
			}
		})
	}
	// What was damaged is planted again by the next one.
	again, err := Start(t.Context(), m.decoys, home)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
	if text, err := os.ReadFile(filepath.Join(m.decoys, ".bashrc")); err != nil || string(text) != decoyText {
		t.Errorf("%q, %v", text, err)
	}
}

// within waits for a condition, looking every few milliseconds.
func within(t *testing.T, most time.Duration, ok func() bool) bool {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	end := time.After(most)
	for !ok() {
		select {
		case <-tick.C:
		case <-end:
			return false
		}
	}
	return true
}
