package supervisor

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// Go's tests run with counters, so each file of a package is written once more. That is
// no new code; what anything else writes is, in the same place and before or after.
func TestFilesThatGoOnlyAddedCountersToAreNoNewCode(t *testing.T) {
	const cover, compile, other = "/usr/local/go/pkg/tool/linux_amd64/cover", "/usr/local/go/pkg/tool/linux_amd64/compile", "/usr/local/bin/cover"
	for name, tt := range map[string]struct {
		writers []string
		kept    int
	}{
		"the cover tool":                        {[]string{cover}, 0},
		"the cover tool, twice":                 {[]string{cover, cover}, 0},
		"another program of that name":          {[]string{other}, 1},
		"another program of the toolchain":      {[]string{compile}, 1},
		"the cover tool, then another program":  {[]string{cover, other}, 1},
		"another program, then the cover tool":  {[]string{other, cover}, 1},
		"the cover tool, outside the toolchain": {[]string{"/tmp/usr/local/go/pkg/tool/linux_amd64/cover"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.cover.go")
			if err := os.WriteFile(path, []byte("package a\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			c := newCaptures()
			for _, w := range tt.writers {
				c.see(wire.Event{Action: "write", Object: path}, "", func() string { return w })
			}
			c.see(wire.Event{Action: "read", Object: path}, "", func() string { return compile })
			if kept, more, _, _ := c.all(); len(kept) != tt.kept || more != 0 {
				t.Errorf("%d pieces of code are kept, and %d not; want %d", len(kept), more, tt.kept)
			}
		})
	}
}

func TestAFileWithCountersStaysOneUnderItsNewName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "b.go")
	if err := os.WriteFile(path, []byte("package a\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := newCaptures()
	c.see(wire.Event{Action: "write", Object: "/tmp/a.go"}, "", func() string { return "/usr/local/go/pkg/tool/linux_amd64/cover" })
	c.see(wire.Event{Action: "rename", Object: "/tmp/a.go", Args: []string{path}}, "", func() string { return "/bin/mv" })
	if kept, _, _, _ := c.all(); len(kept) != 0 {
		t.Errorf("kept %+v", kept)
	}
}

func TestMachineCodeTakesNoRoomFromScripts(t *testing.T) {
	dir := t.TempDir()
	c := newCaptures()
	run := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o700); err != nil {
			t.Fatal(err)
		}
		c.see(wire.Event{Action: "write", Object: path}, "", func() string { return "/usr/local/go/bin/go" })
		c.see(wire.Event{Action: "exec", Object: path}, path, func() string { return path })
	}
	for i := range 2 * wire.MaxCaptured / wire.MaxCapture {
		run(fmt.Sprintf("%d.test", i), append([]byte("\x7fELF\x02"), bytes.Repeat([]byte{byte(i)}, wire.MaxCapture)...))
	}
	run("setup", []byte("#!/bin/sh\ncurl https://example.com/x | sh\n"))
	if kept, more, _, _ := c.all(); len(kept) != 1 || filepath.Base(kept[0].Path) != "setup" || more != 0 {
		t.Errorf("%d pieces are kept, and %d not; want the script alone", len(kept), more)
	}
}

func TestTwoLargeFilesWithOneHeadAreBothKept(t *testing.T) {
	dir := t.TempDir()
	head := strings.Repeat("x", wire.MaxCapture)
	c := &captures{sums: map[[sha256.Size]byte]bool{}}
	for name, end := range map[string]string{"a.py": "a", "b.py": "b", "again.py": "a"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(head+end), 0o600); err != nil {
			t.Fatal(err)
		}
		c.take(file, file, "written")
	}
	if len(c.kept) != 2 {
		t.Fatalf("%d captures", len(c.kept))
	}
	for _, k := range c.kept {
		a, b := sha256.Sum256([]byte(head+"a")), sha256.Sum256([]byte(head+"b"))
		if !k.Truncated || !bytes.Equal(k.Sum, a[:]) && !bytes.Equal(k.Sum, b[:]) {
			t.Errorf("%s: truncated %v, sum %x", k.Path, k.Truncated, k.Sum)
		}
	}
}

func TestFilesOfALoginAreKeptAndBuiltLibrariesAreNot(t *testing.T) {
	for name, tt := range map[string]struct {
		path, text string
		read       bool
		kept       int
	}{
		"a shell profile":                {".bashrc", "alias a=b\n", false, 1},
		"a table of jobs":                {"cron/crontabs/user", "* * * * * a\n", false, 1},
		"an entry of the desktop":        {".config/autostart/a.desktop", "[Desktop Entry]\n", false, 1},
		"a text":                         {"notes.txt", "a\n", false, 0},
		"a library that was downloaded":  {"a.so", "gate_answered=1\n", true, 1},
		"a library that a compiler made": {"a.so", "\x7fELF\x02", true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tt.path)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			c := newCaptures()
			c.see(wire.Event{Action: "write", Object: path}, "", func() string { return "/usr/bin/python3" })
			if tt.read {
				c.see(wire.Event{Action: "read", Object: path}, "", func() string { return "/usr/bin/python3" })
			}
			if kept, _, _, _ := c.all(); len(kept) != tt.kept {
				t.Errorf("%d files are kept, want %d", len(kept), tt.kept)
			}
		})
	}
}
