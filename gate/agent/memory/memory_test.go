package memory

import (
	"bytes"
	"strings"
	"testing"
)

func TestAMemoryIsReadStrictly(t *testing.T) {
	m := &Memory{Session: "S"}
	m.Add(Turn{Asked: "a", Done: []string{"run_command ls"}, Answered: "b"})
	text, err := m.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Parse(text); err != nil || again.Session != "S" || len(again.Turns()) != 1 || again.Turns()[0].Answered != "b" {
		t.Errorf("%v, %+v", err, again)
	}
	for name, bad := range map[string]string{
		"another version": `{"schema_version":2,"session":"","turns":[]}`, "a field more": `{"schema_version":1,"x":1}`, "more behind": string(text) + "{}",
		"seven turns": `{"schema_version":1,"session":"","turns":[` + strings.TrimSuffix(strings.Repeat(`{"asked":"","done":[],"answered":""},`, 7), ",") + `]}`,
		"too large":   strings.Repeat(" ", MaxBytes+1),
	} {
		if _, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func FuzzMemory(f *testing.F) {
	f.Add([]byte(`{"schema_version": 1, "turns": [{"asked": "a", "answered": "b"}]}`))
	f.Add([]byte(`{"schema_version": 1, "turns": [{}, {}, {}, {}, {}, {}, {}]}`))
	f.Add([]byte("{\"schema_version\": 1, \"turns\": [{\"asked\": \"\\ud800\", \"answered\": \"\x00\"}]} x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse(text)
		if err != nil {
			return
		}
		if len(m.Turns()) > MaxTurns {
			t.Fatalf("%d turns are remembered", len(m.Turns()))
		}
		once, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(once)
		if err != nil {
			t.Fatalf("what was written is not read: %v\n%s", err, once)
		}
		if twice, err := again.Encode(); err != nil || !bytes.Equal(once, twice) {
			t.Errorf("%s\nbecomes %s, %v", once, twice, err)
		}
	})
}
