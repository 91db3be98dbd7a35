package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// script is a stream of a supervisor, frame by frame.
type script struct {
	t   testing.TB
	buf bytes.Buffer
	w   *wire.Writer
}

func newScript(t testing.TB) *script {
	s := &script{t: t}
	s.w = wire.NewWriter(&s.buf)
	return s
}

func (s *script) frame(k wire.Kind, payload string) *script {
	if err := s.w.Write(k, []byte(payload)); err != nil {
		s.t.Fatal(err)
	}
	return s
}

func (s *script) message(k wire.Kind, v any) *script {
	payload, err := wire.Encode(v)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.frame(k, string(payload))
}

// ordinary is a whole report.
func ordinary(t testing.TB) *script {
	return newScript(t).frame(wire.KindStarted, "").frame(wire.KindStdout, "out").frame(wire.KindStderr, "err").frame(wire.KindStdout, "put").
		message(wire.KindExit, wire.Exit{Cause: wire.CauseExit, Code: 3, Stdout: 100, Stderr: 3}).
		message(wire.KindFile, wire.File{Path: "a", Size: 4}).frame(wire.KindFileData, "da").frame(wire.KindFileData, "ta").
		message(wire.KindFile, wire.File{Path: "no", Refused: "a link"}).
		message(wire.KindFile, wire.File{Path: "empty"}).
		frame(wire.KindDone, "")
}

var testLimits = Limits{Stdout: 10, Output: 8}

func TestAWholeReportIsUnderstood(t *testing.T) {
	started := 0
	rep, err := receive(wire.NewReader(&ordinary(t).buf), testLimits, nowhere(t).take, func() { started++ })
	if err != nil || started != 1 {
		t.Fatalf("error %v, started %d times", err, started)
	}
	var res Result
	rep.into(&res)
	if res.Status != Exited || res.ExitCode != 3 || string(res.Stdout.Data) != "output" || res.Stdout.Bytes != 100 || !res.Stdout.Truncated ||
		string(res.Stderr.Data) != "err" || res.Stderr.Truncated {
		t.Errorf("got %+v", res)
	}
	if len(res.Files) != 2 || res.Files[0].Path != "a" || string(res.Files[0].Data) != "data" || res.Files[1].Path != "empty" ||
		len(res.Refused) != 1 || res.Refused[0] != (Refusal{"no", "a link"}) {
		t.Errorf("files %v, refused %v", res.Files, res.Refused)
	}
}

func TestReportsThatAreCutAnywhereAreCutOff(t *testing.T) {
	whole := ordinary(t).buf.Bytes()
	for n := range whole {
		if _, err := receive(wire.NewReader(bytes.NewReader(whole[:n])), testLimits, nowhere(t).take, func() {}); !errors.Is(err, errCutOff) {
			t.Fatalf("cut after %d of %d bytes: %v", n, len(whole), err)
		}
	}
}

func TestASupervisorThatBreaksTheOrderIsNotBelieved(t *testing.T) {
	exit := wire.Exit{Cause: wire.CauseExit, Stdout: 100, Stderr: 100}
	start := func(t *testing.T) *script { return newScript(t).frame(wire.KindStarted, "") }
	done := func(t *testing.T) *script { return start(t).message(wire.KindExit, exit) }
	tests := map[string]struct {
		want   string
		stream func(t *testing.T) *script
	}{
		"an end without a start":   {"before the start", func(t *testing.T) *script { return newScript(t).frame(wire.KindDone, "") }},
		"a report without a start": {"before the start", func(t *testing.T) *script { return newScript(t).message(wire.KindExit, exit) }},
		"an end without a report":  {"while the program runs", func(t *testing.T) *script { return start(t).frame(wire.KindDone, "") }},
		"a second start":           {"while the program runs", func(t *testing.T) *script { return start(t).frame(wire.KindStarted, "") }},
		"a file before the report": {"while the program runs", func(t *testing.T) *script { return start(t).message(wire.KindFile, wire.File{Path: "a"}) }},
		"a job":                    {"while the program runs", func(t *testing.T) *script { return start(t).frame(wire.KindJob, "{}") }},
		"too much output":          {"more than 10 bytes", func(t *testing.T) *script { return start(t).frame(wire.KindStdout, strings.Repeat("x", 11)) }},
		"too much output in pieces": {"more than 10 bytes", func(t *testing.T) *script {
			return start(t).frame(wire.KindStderr, "123456").frame(wire.KindStderr, "123456")
		}},
		"more output than it counted": {"counted less", func(t *testing.T) *script {
			return start(t).frame(wire.KindStdout, "12").message(wire.KindExit, wire.Exit{Cause: wire.CauseExit, Stdout: 1})
		}},
		"a report with an unknown key": {"unknown field", func(t *testing.T) *script { return start(t).frame(wire.KindExit, `{"Cause":"exit","Further":1}`) }},
		"a report that is no report":   {"cannot unmarshal", func(t *testing.T) *script { return start(t).frame(wire.KindExit, `[]`) }},
		"output after the report":      {"after the end", func(t *testing.T) *script { return done(t).frame(wire.KindStdout, "x") }},
		"a second report":              {"after the end", func(t *testing.T) *script { return done(t).message(wire.KindExit, exit) }},
		"data without a file":          {"with 0 bytes of a file missing", func(t *testing.T) *script { return done(t).frame(wire.KindFileData, "x") }},
		"a file that is not finished": {"with 2 bytes of a file missing", func(t *testing.T) *script {
			return done(t).message(wire.KindFile, wire.File{Path: "a", Size: 2}).frame(wire.KindDone, "")
		}},
		"a file larger than announced": {"larger than announced", func(t *testing.T) *script {
			return done(t).message(wire.KindFile, wire.File{Path: "a", Size: 2}).frame(wire.KindFileData, "123")
		}},
		"data of a file that is refused": {"with 0 bytes", func(t *testing.T) *script {
			return done(t).message(wire.KindFile, wire.File{Path: "a", Refused: "no"}).frame(wire.KindFileData, "1")
		}},
		"a file of negative size":        {"more bytes of files", func(t *testing.T) *script { return done(t).message(wire.KindFile, wire.File{Path: "a", Size: -1}) }},
		"more bytes of files than asked": {"more bytes of files", func(t *testing.T) *script { return done(t).message(wire.KindFile, wire.File{Path: "a", Size: 9}) }},
		"more and more files": {"too many files", func(t *testing.T) *script {
			s := done(t)
			for range 3 * MaxFiles {
				s.message(wire.KindFile, wire.File{Path: "a", Refused: "x"})
			}
			return s
		}},
		"its own complaint": {"no python3", func(t *testing.T) *script {
			return newScript(t).message(wire.KindFail, wire.Fail{Reason: "no python3"})
		}},
		"its own complaint later": {"streams did not end", func(t *testing.T) *script {
			return start(t).message(wire.KindFail, wire.Fail{Reason: "streams did not end"})
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := receive(wire.NewReader(&tt.stream(t).buf), testLimits, nowhere(t).take, func() {})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func FuzzReceive(f *testing.F) {
	f.Add(ordinary(f).buf.Bytes())
	f.Add(newScript(f).message(wire.KindFail, wire.Fail{Reason: "x"}).buf.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		rep, err := receive(wire.NewReader(bytes.NewReader(data)), testLimits, nowhere(t).take, func() {})
		if err != nil {
			return
		}
		total := 0
		for _, file := range rep.files {
			total += len(file.Data)
		}
		if int64(len(rep.stdout)) > testLimits.Stdout || int64(len(rep.stderr)) > testLimits.Stdout || int64(total) > testLimits.Output {
			t.Fatalf("%d, %d and %d bytes", len(rep.stdout), len(rep.stderr), total)
		}
	})
}

// piece is a piece of output as the engine sends it.
func piece(stream byte, text string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{stream, 0, 0, 0}, uint32(len(text))), text...)
}

func TestTheEnginesStreamsAreTakenApart(t *testing.T) {
	var in []byte
	for _, p := range [][]byte{piece(1, "one "), piece(2, "error"), piece(1, ""), piece(2, ""), piece(1, "two"), piece(2, strings.Repeat("e", 5000))} {
		in = append(in, p...)
	}
	d := newDemux(bytes.NewReader(in))
	out, err := io.ReadAll(d)
	if err != nil || string(out) != "one two" {
		t.Errorf("got %q, %v", out, err)
	}
	if got := string(d.stderr.data); len(got) != 4<<10 || strings.Trim(got, "e") != "" {
		t.Errorf("kept %d bytes of standard error", len(got))
	}
	for name, broken := range map[string][]byte{
		"a third stream": piece(3, "x"), "standard input": piece(0, "x"), "padding that is used": {1, 0, 9, 0, 0, 0, 0, 1, 'x'},
		"a header that is cut": {1, 0, 0}, "a piece that is cut": piece(2, "1234")[:10],
	} {
		if _, err := io.ReadAll(newDemux(bytes.NewReader(broken))); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
