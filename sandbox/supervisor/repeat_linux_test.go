package supervisor

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// stage is a watcher that is asked about calls of this very process.
type stage struct {
	*watcher
	t *testing.T
}

func newStage(t *testing.T) stage {
	return stage{newWatcher(20, newJournal(), newCaptures(), nil, nil), t}
}

// makes is a call with these arguments: numbers, and texts in memory.
func (s stage) makes(nr uint32, args ...any) {
	s.t.Helper()
	c := call{pid: os.Getpid(), nr: nr}
	for i, a := range args {
		switch a := a.(type) {
		case int:
			c.args[i] = uint64(a)
		case string:
			text := inPage(s.t, a)
			defer runtime.KeepAlive(text)
			c.args[i] = uint64(uintptr(unsafe.Pointer(&text[0])))
		}
	}
	v, f := s.look(c)
	if v.skip {
		s.t.Fatalf("call %d was not let through", nr)
	}
	s.record(f)
}

// inPage is a text with its zero in memory that does not cross a page: one that
// does is decoded each time, and where the heap puts it is chance.
func inPage(t *testing.T, text string) []byte {
	t.Helper()
	page := os.Getpagesize()
	if len(text) >= page {
		t.Fatalf("%d bytes do not fit into a page", len(text))
	}
	buf := make([]byte, 2*page)
	buf = buf[page-int(uintptr(unsafe.Pointer(&buf[0]))%uintptr(page)):]
	copy(buf, text)
	return buf[:len(text)+1]
}

func (s stage) opens(path string, flags int) {
	s.t.Helper()
	s.makes(unix.SYS_OPENAT, unix.AT_FDCWD, path, flags)
}

// count is how often the journal has an action on a path.
func (s stage) count(action, path string) int64 {
	events, _ := s.log.all(nil)
	i := slices.IndexFunc(events, func(e wire.Event) bool { return e.Action == action && e.Object == path })
	if i < 0 {
		return 0
	}
	return events[i].Count
}

// folder is a temporary one, by a path without links.
func folder(t *testing.T) string {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func file(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestTheSameOpenIsDecodedOnceAndCountedEveryTime(t *testing.T) {
	s, path := newStage(t), filepath.Join(folder(t), "data")
	file(t, path, "x")
	for range 5 {
		s.opens(path, unix.O_RDONLY)
	}
	s.opens(path, unix.O_WRONLY)
	s.opens(path, unix.O_RDONLY|unix.O_CLOEXEC)
	if len(s.again.places) == 0 {
		t.Error("nothing was remembered")
	}
	if r, w := s.count("read", path), s.count("write", path); r != 6 || w != 1 {
		t.Errorf("read %d times and written %d times, want 6 and 1", r, w)
	}
}

func TestRelativeAndProcessPathsAreDecodedEachTime(t *testing.T) {
	t.Chdir(folder(t))
	file(t, "data", "x")
	s := newStage(t)
	for _, path := range []string{"data", "./data", "/proc/self/status", "/proc/self/fd/0", "", "/nowhere/at/all"} {
		s.opens(path, unix.O_RDONLY)
	}
	if len(s.again.places) != 0 {
		t.Errorf("remembered: %v", s.again.places)
	}
}

func TestAnOpenIsDecodedAgainWhenItMayMeanSomethingElse(t *testing.T) {
	dir := folder(t)
	path, key, other := filepath.Join(dir, "harmless"), filepath.Join(dir, "key"), filepath.Join(dir, "other")
	file(t, path, "x")
	file(t, key, "x")
	file(t, other, "x")
	for name, c := range map[string][]any{
		"a link is made":   {unix.SYS_SYMLINKAT, key, unix.AT_FDCWD, filepath.Join(dir, "new")},
		"a file is moved":  {unix.SYS_RENAMEAT, unix.AT_FDCWD, other, unix.AT_FDCWD, path},
		"a file is erased": {unix.SYS_UNLINKAT, unix.AT_FDCWD, path, 0},
		"a file is new":    {unix.SYS_OPENAT, unix.AT_FDCWD, filepath.Join(dir, "new"), unix.O_CREAT | unix.O_WRONLY},
	} {
		s := newStage(t)
		for range 3 {
			s.opens(path, unix.O_RDONLY)
		}
		if len(s.again.places) != 1 {
			t.Fatalf("%s: remembered before: %v", name, s.again.places)
		}
		s.makes(uint32(c[0].(int)), c[1:]...)
		if len(s.again.places) != 0 {
			t.Errorf("%s: still remembered: %v", name, s.again.places)
		}
	}

	s := newStage(t)
	s.opens(path, unix.O_RDONLY)
	s.makes(unix.SYS_UNLINKAT, unix.AT_FDCWD, path, 0)
	s.makes(unix.SYS_SYMLINKAT, key, unix.AT_FDCWD, path)
	if err := errors.Join(os.Remove(path), os.Symlink(key, path)); err != nil {
		t.Fatal(err)
	}
	s.opens(path, unix.O_RDONLY)
	if n := s.count("read", key); n != 1 {
		t.Errorf("through the link, the key was read %d times", n)
	}
}

func TestAFileThatWasReadAndThenWrittenIsCapturedWhenItIsReadAgain(t *testing.T) {
	s, path := newStage(t), filepath.Join(folder(t), "stage2.py")
	file(t, path, "print('first')\n")
	s.opens(path, unix.O_RDONLY)
	s.opens(path, unix.O_RDONLY)
	s.opens(path, unix.O_WRONLY|unix.O_TRUNC)
	for _, text := range []string{"print('second')\n", "print('third')\n"} {
		file(t, path, text)
		s.opens(path, unix.O_RDONLY)
	}
	kept, _, _, _ := s.code.all()
	var got []string
	for _, c := range kept {
		got = append(got, string(c.Data))
	}
	if want := "print('second')\nprint('third')\n"; strings.Join(got, "") != want {
		t.Errorf("captured %q", got)
	}
	if n := s.count("read", path); n != 4 {
		t.Errorf("read %d times, want 4", n)
	}
}

func TestDecodedCallsAreBounded(t *testing.T) {
	s := newStage(t)
	for i := range maxRepeats + 100 {
		s.opens("/usr/nowhere/"+strings.Repeat("x", i%200)+string(rune('a'+i/200)), unix.O_RDONLY)
	}
	if len(s.again.places) > maxRepeats {
		t.Errorf("%d calls", len(s.again.places))
	}
}
