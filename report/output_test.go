package report

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/exit"
)

func TestOutputOptionsCheck(t *testing.T) {
	for name, tt := range map[string]struct {
		options OutputOptions
		want    string // "" for no error
	}{
		"a format and a colour":     {OutputOptions{Format: "sarif", Color: "never"}, ""},
		"a format that is unknown":  {OutputOptions{Format: "pdf", Color: "auto"}, `there is no format "pdf" (one of ` + strings.Join(Formats(), ", ") + ")"},
		"no format":                 {OutputOptions{Color: "auto"}, `there is no format ""`},
		"a colour that is unknown":  {OutputOptions{Format: "text", Color: "blue"}, `--color is auto, always or never, not "blue"`},
		"an output without options": {OutputOptions{}, "there is no format"},
	} {
		t.Run(name, func(t *testing.T) {
			err := tt.options.Check()
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			e, coded := errors.AsType[*exit.Error](err)
			if !coded || e.Code != exit.Usage || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%v", err)
			}
			if _, same := NewOutput(tt.options, Console{Stdout: &bytes.Buffer{}}, Options{}); same == nil || same.Error() != err.Error() {
				t.Errorf("NewOutput says %v", same)
			}
		})
	}
}

// blocked is a result with a finding.
func blocked() gate.Result {
	return gate.Result{Decision: gate.DecisionBlock, Verdict: gate.Dangerous, Files: []gate.FileResult{{
		Path: "a.py", Verdict: gate.Dangerous, Findings: []gate.Finding{{
			Rule: "exfiltration/test", Category: "exfiltration", Layer: gate.LayerStatic, Severity: gate.SeverityDangerous, Line: 1, EndLine: 1, Message: "sends a key away",
		}},
	}}}
}

func TestOutputIsColouredOnATerminalOnly(t *testing.T) {
	for name, tt := range map[string]struct {
		color   string
		console Console
		want    bool
	}{
		"on a terminal":                           {"auto", Console{StdoutColumns: 120}, true},
		"on a terminal where colours are off":     {"auto", Console{StdoutColumns: 120, Plain: true}, false},
		"in a pipe":                               {"auto", Console{}, false},
		"in a pipe, when they are asked for":      {"always", Console{Plain: true}, true},
		"on a terminal, when they are not wanted": {"never", Console{StdoutColumns: 120}, false},
		"a terminal of standard error is another": {"auto", Console{StderrColumns: 120}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			tt.console.Stdout = &out
			o, err := NewOutput(OutputOptions{Format: "text", Color: tt.color, Quiet: true}, tt.console, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := o.Handle(gate.Finished{Result: blocked()}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(out.String(), "\x1b["); got != tt.want {
				t.Errorf("coloured %v, want %v:\n%s", got, tt.want, &out)
			}
		})
	}
}

func TestOutputInAFileIsNotColoured(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.txt")
	var out bytes.Buffer
	o, err := NewOutput(OutputOptions{Format: "text", Color: "auto", File: file, Quiet: true}, Console{Stdout: &out, StdoutColumns: 120}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e, coded := errors.AsType[*exit.Error](o.Replay(blocked())); !coded || e.Code != exit.Blocked || e.Err != nil {
		t.Errorf("replaying ends with %v", e)
	}
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(text, []byte("exfiltration/test")) || bytes.Contains(text, []byte("\x1b[")) || out.Len() > 0 {
		t.Errorf("%v: the file has\n%s\nand standard output\n%s", err, text, &out)
	}
}

func TestOutputWritesItsFilesWhenItIsClosed(t *testing.T) {
	dir := t.TempDir()
	file, save := filepath.Join(dir, "report.md"), filepath.Join(dir, "result.json")
	var told bytes.Buffer
	o, err := NewOutput(OutputOptions{Format: "markdown", Color: "auto", File: file, Save: save}, Console{Stdout: &bytes.Buffer{}, Stderr: &told}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := gate.Result{Decision: gate.DecisionPass, Verdict: gate.Safe}
	for _, e := range []gate.Event{gate.Started{}, gate.Finished{Result: want}} {
		if err := o.Handle(e); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("before the end the folder has %v, %v", entries, err)
	}
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Size() == 0 {
		t.Errorf("%v, %v", info, err)
	}
	if res, err := DecodeFile(save, nil); err != nil || res.Decision != want.Decision {
		t.Errorf("saved %+v, %v", res, err)
	}
}

func TestOutputThatCannotBeWrittenIsNoPass(t *testing.T) {
	for decision, code := range map[gate.Decision]int{
		gate.DecisionPass: exit.Incomplete, gate.DecisionIncomplete: exit.Incomplete, gate.DecisionUnknown: exit.Incomplete, gate.DecisionBlock: exit.Blocked,
	} {
		dir := filepath.Join(t.TempDir(), "gone")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		toFile, err := NewOutput(OutputOptions{Format: "json", Color: "auto", Quiet: true, File: filepath.Join(dir, "report.json")}, Console{}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		toStdout, err := NewOutput(OutputOptions{Format: "text", Color: "auto", Quiet: true, File: "-"}, Console{Stdout: fullDisk{}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for name, o := range map[string]*Output{"a file": toFile, "standard output": toStdout} {
			err = o.Replay(gate.Result{Decision: decision, Verdict: gate.Safe})
			if e, coded := errors.AsType[*exit.Error](err); !coded || e.Code != code || !strings.HasPrefix(err.Error(), "write the report: ") {
				t.Errorf("%s, %q: %v", name, decision, err)
			}
		}
	}
}

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestOutputGoesToRegularFilesOnly(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		os.DevNull: "a device", link: "a symbolic link", dir: "a folder", filepath.Join(dir, "absent", "x"): "no such file",
	} {
		for _, o := range []OutputOptions{{File: name}, {Save: name}} {
			o.Format, o.Color = "json", "auto"
			_, err := NewOutput(o, Console{}, Options{})
			if e, coded := errors.AsType[*exit.Error](err); !coded || e.Code != exit.Usage || !strings.Contains(err.Error(), want) {
				t.Errorf("%+v: %v", o, err)
			}
		}
	}
}

func TestOutputOfARunThatDidNotFinishLeavesTheFileAsItWas(t *testing.T) {
	file := filepath.Join(t.TempDir(), "report.json")
	if err := os.WriteFile(file, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := NewOutput(OutputOptions{Format: "json", Color: "auto", Quiet: true, File: file}, Console{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(o.Handle(gate.Started{}), o.Close()); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "before" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestOutputShowsProgressUnlessItIsQuiet(t *testing.T) {
	for name, tt := range map[string]struct {
		quiet bool
		want  string
	}{
		"a line in the log": {false, "gate: sandbox  1/2\n"},
		"nothing":           {true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var told bytes.Buffer
			o, err := NewOutput(OutputOptions{Format: "json", Color: "auto", Quiet: tt.quiet}, Console{Stdout: &bytes.Buffer{}, Stderr: &told}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			// Without the event that opens a run, it is as if it had begun long ago.
			if err := o.Handle(gate.Progress{Layer: gate.LayerSandbox, Done: 1, Total: 2}); err != nil || told.String() != tt.want {
				t.Errorf("%q, %v", &told, err)
			}
		})
	}
}

func TestDecodeFile(t *testing.T) {
	var text bytes.Buffer
	h, err := New("json", &text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Handle(gate.Finished{Result: gate.Result{Decision: gate.DecisionPass, Verdict: gate.Safe}}); err != nil {
		t.Fatal(err)
	}
	if res, err := DecodeFile("-", &text); err != nil || res.Verdict != gate.Safe {
		t.Errorf("from standard input: %+v, %v", res, err)
	}
	file := filepath.Join(t.TempDir(), "result.json")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{file: file + " is not a result of gate: ", filepath.Join(t.TempDir(), "absent"): "open "} {
		_, err := DecodeFile(name, nil)
		if e, coded := errors.AsType[*exit.Error](err); !coded || e.Code != exit.Usage || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
