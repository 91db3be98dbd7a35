package attack

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/engine"
)

var someNight = time.Date(2026, 3, 1, 2, 30, 0, 0, time.UTC)

// nights is a history in which detection breaks for a while.
func nights(n int) []Night {
	var out []Night
	for i := range n {
		night := Night{Date: someNight.AddDate(0, 0, i), Version: "v1", Decision: gate.DecisionPass, Missed: []string{}, Uncontained: []string{}, Runs: []NightRun{
			{Runtime: "runc", Attacks: 190, Expected: 180, Caught: 174 + min(i/10, 6), Executable: 150, Executed: 150, Contained: 150, Twins: 190, Layers: map[gate.Layer]int{gate.LayerStatic: 160}},
			{Runtime: "runsc", Attacks: 190, Expected: 180, Caught: 175, Executable: 150, Executed: 150, Contained: 150, Twins: 190, Layers: map[gate.Layer]int{gate.LayerStatic: 160}},
		}}
		if i >= 12 && i < 16 {
			night.Decision, night.Missed, night.Uncontained = gate.DecisionBlock, []string{"dns-one", "dns-two", "dns-three"}, []string{"mount-one"}
			night.Runs[0].Caught, night.Runs[0].Contained, night.Runs[1].FalsePositives = 160, 148, 1
		}
		out = append(out, night)
	}
	return out
}

func TestARunIsOneLineOfTheHistory(t *testing.T) {
	res := world{static: gate.SeverityDangerous, status: gate.ExecutionExited, boxes: []engine.Container{held("one")}, host: quiet{}}.run(t)
	want := Night{Date: someNight, Version: res.Tool.Version, Decision: gate.DecisionPass, Missed: []string{}, Uncontained: []string{}, Runs: []NightRun{{
		Runtime: "runc", Attacks: 1, Expected: 1, Caught: 1, Executable: 1, Executed: 1, Contained: 1, Twins: 1,
		Layers: map[gate.Layer]int{gate.LayerStatic: 1, gate.LayerSandbox: 0},
	}}}
	if diff := cmp.Diff(want, res.Night(someNight.Add(time.Millisecond))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	missed := world{status: gate.ExecutionExited, host: quiet{}}.run(t)
	if n := missed.Night(someNight); len(n.Missed) != 1 || len(n.Uncontained) != 1 || n.Decision != gate.DecisionBlock {
		t.Errorf("missed %v, not contained %v, %s", n.Missed, n.Uncontained, n.Decision)
	}
}

func TestAHistoryIsReadAsItWasWritten(t *testing.T) {
	data, err := EncodeHistory(nights(30))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), "\n"); n != 30 {
		t.Errorf("%d lines", n)
	}
	got, err := ParseHistory("h.jsonl", data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(nights(30), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	long, err := EncodeHistory(nights(maxNights + 5))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := ParseHistory("h.jsonl", long)
	if err != nil || len(kept) != maxNights || !kept[0].Date.Equal(someNight.AddDate(0, 0, 5)) {
		t.Errorf("%d nights are kept, %v", len(kept), err)
	}
}

func TestAMalformedHistoryIsRefusedWithItsLine(t *testing.T) {
	data, err := EncodeHistory(nights(2))
	if err != nil {
		t.Fatal(err)
	}
	good := string(data)
	first, second, _ := strings.Cut(good, "\n")
	for name, tt := range map[string]struct{ text, want string }{
		"cut":             {good[:len(good)-1], "h.jsonl:2: the line does not end"},
		"no JSON":         {first + "\nx\n", "h.jsonl:2: "},
		"two on a line":   {first + first + "\n", "h.jsonl:1: more follows"},
		"an empty line":   {first + "\n\n" + second, "h.jsonl:2: "},
		"unknown":         {strings.Replace(good, `"version"`, `"nonsense"`, 1), `unknown field "nonsense"`},
		"no attack":       {strings.Replace(good, `"missed":[]`, `"missed":["<b>"]`, 1), `"<b>" is no attack`},
		"no runtime":      {strings.Replace(good, `"runtime":"runc"`, `"runtime":"<b>"`, 1), `"<b>" is not a runtime`},
		"too many caught": {strings.Replace(good, `"caught":174`, `"caught":181`, 1), "caught: 181 is not between 0 and 180"},
		"below nothing":   {strings.Replace(good, `"contained":150`, `"contained":-1`, 1), "contained: -1"},
		"no layer":        {strings.Replace(good, `"static":160`, `"other":160`, 1), `layers: "other"`},
		"backwards":       {second + first + "\n", "is before that of the line above"},
		"no date":         {strings.Replace(good, "2026-03-01", "0001-03-01", 1), "is no year of gate"},
		"no decision":     {strings.Replace(good, `"decision":"pass"`, `"decision":"maybe"`, 1), "h.jsonl:1: "},
		"none":            {strings.Replace(good, `"decision":"pass",`, "", 1), "decision: there is none"},
		"too large":       {strings.Repeat("\n", MaxHistory+1), "more than"},
		"too many lines":  {strings.Repeat(first+"\n", maxNights+1), "more than 2000 lines"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ParseHistory("h.jsonl", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func FuzzAHistoryThatIsReadCanBeWrittenAndDrawn(f *testing.F) {
	data, err := EncodeHistory(nights(2))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		read, err := ParseHistory("h", data)
		if err != nil {
			return
		}
		again, err := EncodeHistory(read)
		if err == nil {
			_, err = ParseHistory("h", again)
		}
		if err == nil {
			err = wellFormed(Trend(read))
		}
		if err != nil {
			t.Error(err)
		}
	})
}

func TestTheTrendIsAPictureByItself(t *testing.T) {
	for name, of := range map[string][]Night{"trend": nights(24), "trend-empty": nil, "trend-one": nights(1)} {
		got := Trend(of)
		if err := wellFormed(got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		golden(t, filepath.Join("testdata", name+".svg"), got)
	}
	text := string(Trend(nights(24)))
	for _, want := range []string{
		`role="img" aria-labelledby="gate-trend-title gate-trend-text"`, "<title id=", "24 nights, 2026-03-01 to 2026-03-24; 4 of them did not pass.",
		"2026-03-13: block", "2026-03-13: caught 88.9 %", "2026-03-14: missed 3", "2026-03-14: not contained 1", "2026-03-14: twins called dangerous 1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	for _, outside := range []string{"href", "url(", "<script", "@import", "http://", "https://"} {
		if strings.Contains(strings.Replace(text, `xmlns="http://www.w3.org/2000/svg"`, "", 1), outside) {
			t.Errorf("the picture needs something from outside: %s", outside)
		}
	}
	if n := strings.Count(string(Trend(nights(200))), "caught-dot"); n > trendNights+10 {
		t.Errorf("%d nights are drawn", n)
	}
}

func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func wellFormed(svg []byte) error {
	dec := xml.NewDecoder(strings.NewReader(string(svg)))
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("not well-formed: %w", err)
		}
	}
}
