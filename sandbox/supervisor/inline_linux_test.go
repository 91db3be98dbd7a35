package supervisor

import (
	"errors"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

func TestCodeAmongArgumentsIsFound(t *testing.T) {
	for _, c := range []struct {
		command string // words, the program first
		want    string // the code, "" for none
		file    string
	}{
		{"/bin/sh -c CODE", "CODE", "argument.sh"},
		{"/usr/bin/bash -euo pipefail -c CODE name", "CODE", "argument.sh"},
		{"/bin/bash -lc CODE", "CODE", "argument.sh"},
		{"/bin/bash --norc -c CODE", "CODE", "argument.sh"},
		{"/bin/bash --rcfile x -c CODE", "CODE", "argument.sh"},
		{"/bin/busybox sh -c CODE", "CODE", "argument.sh"},
		{"/usr/bin/python3.11 -I -B -c CODE job", "CODE", "argument.py"},
		{"/usr/bin/python3 -W error -X dev -c CODE", "CODE", "argument.py"},
		{"/usr/bin/node -e CODE", "CODE", "argument.js"},
		{"/usr/bin/node --input-type module -pe CODE", "CODE", "argument.js"},
		{"/usr/bin/node --eval=CODE", "--eval=CODE", "argument.js"},
		{"/bin/sh script.sh -c x", "", ""},
		{"/usr/bin/python3 -m pytest -c x", "", ""},
		{"/usr/bin/node app.js -e x", "", ""},
		{"/bin/sh -c", "", ""},
		{"/bin/sh", "", ""},
		{"/usr/bin/tar -c x", "", ""},
		{"/bin/busybox", "", ""},
	} {
		argv := strings.Fields(c.command)
		i, file := inlined(argv[0], argv)
		got := ""
		if i > 0 {
			got = argv[i]
		}
		if got != c.want || got != "" && file != c.file {
			t.Errorf("%s: %q as %q, want %q as %q", c.command, got, file, c.want, c.file)
		}
	}
}

func TestInlinedCodeIsBoundedAndShortCodeIsNoGap(t *testing.T) {
	c := newCaptures()
	for i := range 2 * maxInlined {
		c.inline("argument.sh", "/bin/sh", []byte(strings.Repeat("x", i+1)), false)
		c.inline("argument.sh", "/bin/sh", []byte(strings.Repeat("x", i+1)), false)
	}
	kept, more, _, _ := c.all()
	if len(kept) != maxInlined || more != 0 || kept[0].How != "passed as an argument to sh" {
		t.Errorf("%d kept, %d more, the first %q", len(kept), more, kept[0].How)
	}
	c.inline("argument.sh", "/bin/sh", make([]byte, maxArgument+1), false)
	if _, more, _, _ := c.all(); more != 1 {
		t.Errorf("long code beyond the bound is no gap: %d", more)
	}
}

func FuzzArguments(f *testing.F) {
	f.Add("/bin/sh -c CODE")
	f.Add("/bin/busybox busybox sh -c x")
	f.Fuzz(func(t *testing.T, command string) {
		argv := strings.Split(command, " ")
		if i, file := inlined(argv[0], argv); i < 0 || i >= len(argv) || i > 0 && file == "" {
			t.Errorf("argument %d of %d, %q", i, len(argv), file)
		}
	})
}

func TestLongArgumentsAreReadInFull(t *testing.T) {
	s := newStage(t)
	code := strings.Repeat("echo long\n", 2000)
	r := &reading{call: call{pid: os.Getpid()}, memory: &s.memory}
	read := func(text string) []byte {
		p, err := unix.BytePtrFromString(text)
		if err != nil {
			t.Fatal(err)
		}
		defer runtime.KeepAlive(p)
		return r.long(uint64(uintptr(unsafe.Pointer(p))))
	}
	if got := string(read(code)); got != code {
		t.Errorf("%d bytes of %d", len(got), len(code))
	}
	if n := len(read(strings.Repeat("x", 2*wire.MaxCapture))); n <= wire.MaxCapture || n > wire.MaxCapture+pageSize {
		t.Errorf("%d bytes of an argument without an end", n)
	}
}

func TestAnInterpreterThatReadsItsProgramIsKnown(t *testing.T) {
	for command, want := range map[string]string{
		"/bin/sh":                        "stdin.sh",
		"/bin/bash -eu":                  "stdin.sh",
		"/bin/bash -o pipefail":          "stdin.sh",
		"/bin/bash -s -- one two":        "stdin.sh",
		"/bin/sh -s one":                 "stdin.sh",
		"/bin/sh -":                      "stdin.sh",
		"/usr/bin/python3 -":             "stdin.py",
		"/usr/bin/python3.11 - one":      "stdin.py",
		"/usr/bin/node":                  "stdin.js",
		"/usr/bin/python3 script.py":     "",
		"/usr/bin/python3 -m json.tool":  "",
		"/usr/bin/python3 -W error x.py": "",
		"/bin/sh script.sh":              "",
		"/bin/bash -eu script.sh":        "",
		"/usr/bin/sort":                  "",
	} {
		argv := strings.Fields(command)
		got, ok := readsCode(argv[0], argv)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q %t, want %q", command, got, ok, want)
		}
	}
}

func TestAPipeIsCopiedToItsEndAndItsHeadKept(t *testing.T) {
	code := newCaptures()
	p := newPiped(code)
	text := strings.Repeat("echo piped\n", wire.MaxCapture/8)
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.copying.Go(func() { p.copy(inR, outW, "stdin.sh", wire.ReadFromPipe+" by sh") })
	go func() { _, _ = io.WriteString(inW, text); _ = inW.Close() }()
	got, err := io.ReadAll(outR)
	if err != nil || string(got) != text {
		t.Errorf("%d bytes of %d arrived: %v", len(got), len(text), err)
	}
	p.wait()
	kept, more, _, _ := code.all()
	if len(kept) != 1 || len(kept[0].Data) != wire.MaxCapture || !kept[0].Truncated || kept[0].How != "read from a pipe by sh" || more != 0 {
		t.Errorf("kept %d, %d more", len(kept), more)
	}
}

func TestAWriterIsToldThatNoProcessReads(t *testing.T) {
	p := newPiped(newCaptures())
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = outR.Close()
	p.copying.Go(func() { p.copy(inR, outW, "stdin.sh", "") })
	if _, err := inW.Write(make([]byte, 1<<20)); !errors.Is(err, unix.EPIPE) {
		t.Errorf("got %v, want EPIPE", err)
	}
	_ = inW.Close()
	p.wait()
}
