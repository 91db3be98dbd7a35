package report

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aigate/gate/gate"
)

// handled sends events to a progress, each wait after the one before it.
func handled(t *testing.T, columns int, wait time.Duration, events ...gate.Event) string {
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		p := NewProgress(&out, columns)
		for _, e := range events {
			if err := p.Handle(e); err != nil {
				t.Fatal(err)
			}
			<-time.After(wait)
		}
	})
	return out.String()
}

func TestProgressInALogShowsHowFastTheModelWrites(t *testing.T) {
	const name = "script a.py\n::error::x" // of a file, so hostile
	judge := func(done int, detail string) gate.Event {
		return gate.Progress{Layer: gate.LayerJudge, Done: done, Total: 9, Detail: detail}
	}
	sandbox := gate.Progress{Layer: gate.LayerSandbox, Done: 2, Total: 9, Detail: name}
	for name, tt := range map[string]struct {
		wait   time.Duration
		events []gate.Event
		want   string
	}{
		"the speed of the judge, and no name of a file": {
			time.Minute, []gate.Event{gate.Started{}, judge(3, "44 tokens/s\n::error::x"), sandbox},
			"gate: judge    3/9, 44 tokens/s?::error::x\ngate: sandbox  2/9\n",
		},
		"nothing within the first second": {
			progressQuiet / 2, []gate.Event{gate.Started{}, judge(1, "45 tokens/s")},
			"",
		},
		"one line in ten seconds": {
			4 * time.Second, []gate.Event{gate.Started{}, judge(1, ""), judge(2, ""), judge(3, ""), judge(4, "")},
			"gate: judge    1/9\ngate: judge    4/9\n",
		},
		"nothing to clear at the end": {
			time.Minute, []gate.Event{gate.Started{}, sandbox, gate.Finished{}},
			"gate: sandbox  2/9\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := handled(t, 0, tt.wait, tt.events...); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestProgressOnATerminalIsOneLineThatIsClearedAtTheEnd(t *testing.T) {
	got := handled(t, 60, time.Second, gate.Started{},
		gate.Progress{Layer: gate.LayerSandbox, Done: 3, Total: 6, Detail: "\x1b[2Jscript " + strings.Repeat("long/", 40) + "a.py"},
		gate.Finished{})
	const clear = "\r\x1b[K"
	line, ok := strings.CutSuffix(strings.TrimPrefix(got, clear), clear)
	if !ok || !strings.HasPrefix(line, "sandbox  3/6 [============            ] ?[2Jscript long/") || len(line) > 60 || strings.Contains(line, "\n") {
		t.Errorf("got %q", got)
	}
}
