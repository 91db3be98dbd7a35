package report

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aigate/gate/gate"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// render returns what a format makes of a result.
func render(t testing.TB, format string, r gate.Result, o Options) string {
	t.Helper()
	var out bytes.Buffer
	h, err := New(format, &out, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := gate.Replay(r, h); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// goldenOptions is what the golden files of a format are made with.
func goldenOptions() Options {
	return Options{
		Rules: documentedRules(), FailOn: gate.SeverityDangerous,
		Permalink: func(path string, line int) string {
			return "https://example.com/blob/0123/" + path + strings.Repeat("#L7", min(line, 1))
		},
		Source: func(path string, from, to int) []string {
			var out []string
			for n := from; n <= to; n++ {
				out = append(out, path+"\tline")
			}
			return out
		},
	}
}

func TestGolden(t *testing.T) {
	for _, c := range cases() {
		for _, format := range Formats() {
			t.Run(c.name+"/"+format, func(t *testing.T) {
				golden(t, c.name+"."+format, render(t, format, c.result, goldenOptions()))
			})
		}
		t.Run(c.name+"/text in colour, verbose and narrow", func(t *testing.T) {
			o := goldenOptions()
			o.Color, o.Verbose, o.Width = true, true, MinWidth
			golden(t, c.name+".colour.text", render(t, "text", c.result, o))
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./report -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

// A saved result gives the very report that the run gave, in every format.
func TestReplayOfASavedResultGivesTheSameReport(t *testing.T) {
	for _, c := range cases() {
		saved := render(t, "json", c.result, Options{})
		decoded, err := Decode(strings.NewReader(saved))
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(canonical(c.result), decoded); diff != "" {
			t.Errorf("%s: the result changed on its way through JSON:\n%s", c.name, diff)
		}
		for _, format := range Formats() {
			first, again := render(t, format, c.result, goldenOptions()), render(t, format, decoded, goldenOptions())
			if diff := cmp.Diff(first, again); diff != "" {
				t.Errorf("%s as %s:\n%s", c.name, format, diff)
			}
		}
	}
}

func TestUnknownStatesNeverLookLikeAPass(t *testing.T) {
	r := gate.Result{Files: []gate.FileResult{{Path: "a.py", Findings: []gate.Finding{{Rule: "x/y", Layer: gate.LayerStatic, InChange: true}}}}}
	got := canonical(r)
	if got.Decision != gate.DecisionIncomplete || got.Verdict != gate.Incomplete || got.Files[0].Verdict != gate.Incomplete ||
		got.Files[0].Findings[0].Severity != gate.SeverityDangerous || got.Files[0].Attribution.Basis != "unknown" {
		t.Errorf("unknown states became %+v", got)
	}
	for _, format := range []string{"text", "markdown", "html"} {
		if out := render(t, format, r, Options{}); !strings.Contains(out, "INCOMPLETE") || strings.Contains(out, "PASSED") {
			t.Errorf("%s of an unknown result:\n%s", format, out)
		}
	}
}

func TestNewRefusesWhatCannotWork(t *testing.T) {
	for name, c := range map[string]struct {
		format string
		o      Options
		want   string
	}{
		"an unknown format":    {"yaml", Options{}, "text, json, markdown, html, sarif, junit, lines"},
		"a negative width":     {"text", Options{Width: -1}, "width"},
		"too little room":      {"markdown", Options{MaxBytes: 100}, "at least 4096"},
		"a negative limit":     {"markdown", Options{MaxBytes: -1}, "at least 4096"},
		"the name in capitals": {"JSON", Options{}, "unknown report format"},
	} {
		if _, err := New(c.format, &bytes.Buffer{}, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that mentions %q", name, err, c.want)
		}
	}
	if _, err := New("text", nil, Options{}); err == nil {
		t.Error("a handler without a writer was made")
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestAReportThatCannotBeWrittenIsAnError(t *testing.T) {
	for _, format := range Formats() {
		h, err := New(format, failingWriter{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := gate.Replay(passCase(), h); err == nil || !strings.Contains(err.Error(), format+" report: disk full") {
			t.Errorf("%s: error %v", format, err)
		}
	}
}

func TestReportsAreWrittenWhenTheRunIsFinished(t *testing.T) {
	for _, format := range Formats() {
		var out bytes.Buffer
		h, err := New(format, &out, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []gate.Event{gate.Started{}, gate.Progress{}, gate.Found{}, gate.FileDone{}} {
			if err := h.Handle(e); err != nil || out.Len() > 0 {
				t.Errorf("%s wrote %q on %T, error %v", format, out.String(), e, err)
			}
		}
		if err := h.Handle(gate.Finished{Result: passCase()}); err != nil || out.Len() == 0 {
			t.Errorf("%s wrote %d bytes, error %v", format, out.Len(), err)
		}
		if err := h.Handle(gate.Finished{Result: passCase()}); err == nil {
			t.Errorf("%s finished a run twice", format)
		}
	}
}

type handlerFunc func(gate.Event) error

func (f handlerFunc) Handle(e gate.Event) error { return f(e) }

func TestFanReachesEveryHandlerAndJoinsTheirErrors(t *testing.T) {
	seen := 0
	count := handlerFunc(func(gate.Event) error { seen++; return nil })
	boom, full := errors.New("boom"), errors.New("full")
	h := Fan(
		handlerFunc(func(gate.Event) error { return full }),
		handlerFunc(func(gate.Event) error { panic(boom) }),
		count,
	)
	err := h.Handle(gate.Started{})
	var p *gate.PanicError
	if !errors.Is(err, full) || !errors.As(err, &p) || p.Value != boom {
		t.Errorf("error %v", err)
	}
	if seen != 1 {
		t.Errorf("the last handler saw %d events", seen)
	}
	if err := Fan(count).Handle(gate.Started{}); err != nil {
		t.Errorf("no handler failed, and the error is %v", err)
	}
}
