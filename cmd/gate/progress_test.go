package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/aigate/gate/gate"
)

func TestALogShowsHowFastTheModelWrites(t *testing.T) {
	var log bytes.Buffer
	p := newLogProgress(&log)
	now := time.Unix(0, 0)
	p.now = func() time.Time { return now }
	for _, e := range []gate.Event{
		gate.Started{},
		gate.Progress{Layer: gate.LayerJudge, Done: 1, Total: 9, Detail: "45 tokens/s"}, // too early to be shown
		gate.Progress{Layer: gate.LayerJudge, Done: 3, Total: 9, Detail: "44 tokens/s\n::error::x"},
		gate.Progress{Layer: gate.LayerSandbox, Done: 2, Total: 9, Detail: "script a.py\n::error::x"},
	} {
		if err := p.Handle(e); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Minute)
		if e, ok := e.(gate.Progress); ok && e.Done == 1 {
			log.Reset()
		}
	}
	if want := "gate: judge    3/9, 44 tokens/s?::error::x\ngate: sandbox  2/9\n"; log.String() != want {
		t.Errorf("got %q, want %q", &log, want)
	}
}
