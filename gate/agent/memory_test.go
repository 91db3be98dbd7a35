package agent

import (
	"bytes"
	"testing"
)

func FuzzMemory(f *testing.F) {
	f.Add([]byte(`{"schema_version": 1, "turns": [{"asked": "a", "answered": "b"}]}`))
	f.Add([]byte(`{"schema_version": 1, "turns": [{}, {}, {}, {}, {}, {}, {}]}`))
	f.Add([]byte("{\"schema_version\": 1, \"turns\": [{\"asked\": \"\\ud800\", \"answered\": \"\x00\"}]} x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ParseMemory(text)
		if err != nil {
			return
		}
		if m.Turns() > MaxTurns {
			t.Fatalf("%d turns are remembered", m.Turns())
		}
		shown := 0
		for _, line := range m.talk("q", maxRemembered) {
			shown += len(line)
		}
		if shown > maxRemembered {
			t.Errorf("the model is shown %d bytes", shown)
		}
		once, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseMemory(once)
		if err != nil {
			t.Fatalf("what was written is not read: %v\n%s", err, once)
		}
		if twice, err := again.Encode(); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%s\nbecomes %s, %v", once, twice, err)
		}
	})
}
