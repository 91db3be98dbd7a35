package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// writerVar makes the test binary one of several processes that share a folder.
const writerVar = "GATE_TEST_CACHE_WRITER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerVar); dir != "" {
		os.Exit(writer(dir))
	}
	goleak.VerifyTestMain(m)
}

func key(n int) string { return fmt.Sprintf("%064x", n*0x9e3779b97f4a7c1) }

// content is what every writer puts under a key.
func content(n int) []byte { return bytes.Repeat(fmt.Appendf(nil, "content %d ", n), 200) }

// get is Get for who takes anything.
func get(p *Space, key string) (got []byte, ok bool) {
	ok = p.Get(key, func(content []byte) error { got = content; return nil })
	return got, ok
}

func open(t *testing.T, o Options) *Store {
	t.Helper()
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "cache")
	}
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// files lists what is in a folder, by path.
func files(t *testing.T, dir string) map[string]fs.FileInfo {
	t.Helper()
	out := map[string]fs.FileInfo{}
	walk(t, dir, func(path string, info fs.FileInfo) {
		if !info.IsDir() {
			out[path] = info
		}
	})
	return out
}

func walk(t *testing.T, dir string, each func(path string, info fs.FileInfo)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			each(filepath.Join(dir, path), info)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAStoreReturnsWhatWasPut(t *testing.T) {
	s := open(t, Options{})
	judge, sandbox := s.Space("judge"), s.Space("sandbox")
	if _, ok := get(judge, key(1)); ok || judge.Has(key(1)) {
		t.Error("an empty store has something")
	}
	judge.Put(key(1), []byte("one"))
	judge.Put(key(2), nil)
	judge.Put(key(1), []byte("one again"))
	if got, ok := get(judge, key(1)); !ok || string(got) != "one again" || !judge.Has(key(1)) {
		t.Errorf("%q, %v", got, ok)
	}
	if got, ok := get(judge, key(2)); !ok || len(got) != 0 {
		t.Errorf("empty content: %q, %v", got, ok)
	}
	if _, ok := get(sandbox, key(1)); ok {
		t.Error("one space sees the entries of another")
	}
	later := open(t, Options{Dir: s.Dir()})
	if got, ok := get(later.Space("judge"), key(1)); !ok || string(got) != "one again" {
		t.Errorf("another process gets %q, %v", got, ok)
	}
}

func TestTheFolderAndItsFilesAreTheUsersAlone(t *testing.T) {
	s := open(t, Options{})
	s.Space("judge").Put(key(1), []byte("x"))
	walk(t, s.Dir(), func(path string, info fs.FileInfo) {
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
	})
	for _, mode := range []fs.FileMode{0o755, 0o770, 0o702} {
		if err := os.Chmod(s.Dir(), mode); err != nil {
			t.Fatal(err)
		}
		for _, readOnly := range []bool{false, true} {
			if _, err := Open(Options{Dir: s.Dir(), ReadOnly: readOnly}); err == nil || !strings.Contains(err.Error(), "chmod 700") {
				t.Errorf("a folder of mode %v is taken: %v", mode, err)
			}
		}
	}
}

func TestEntriesThatTheirReaderRefusesAreRemoved(t *testing.T) {
	s := open(t, Options{})
	p := s.Space("judge")
	p.Put(key(1), []byte("content"))
	refuse := func([]byte) error { return errors.New("not what I wrote") }
	if open(t, Options{Dir: s.Dir(), ReadOnly: true}).Space("judge").Get(key(1), refuse) || !p.Has(key(1)) {
		t.Error("taken, or removed by a store that is read-only")
	}
	if p.Get(key(1), refuse) || p.Has(key(1)) {
		t.Error("taken, or still there")
	}
}

func TestKeysCannotLeaveTheFolder(t *testing.T) {
	s := open(t, Options{})
	long := strings.Repeat("a", 64)
	for _, bad := range []struct{ space, key string }{
		{"judge", ""}, {"judge", "../../../etc/passwd"}, {"judge", strings.ToUpper(long)}, {"judge", long + "a"}, {"judge", long[:63] + "/"},
		{"..", long}, {"", long}, {"a/b", long}, {"Judge", long},
	} {
		p := s.Space(bad.space)
		p.Put(bad.key, []byte("x"))
		if _, ok := get(p, bad.key); ok || p.Has(bad.key) {
			t.Errorf("%q in %q is taken", bad.key, bad.space)
		}
	}
	if n := len(files(t, s.Dir())); n != 0 {
		t.Errorf("%d files", n)
	}
}

// TestHostileContentIsAMissAndRemoved puts all kinds of things where an entry should be.
func TestHostileContentIsAMissAndRemoved(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("of another user"), 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(data string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, put := range map[string]func(*testing.T, string){
		"garbage": write("garbage"), "nothing": write(""), "a script": write("#!/bin/sh\n"),
		"another entry": func(t *testing.T, path string) {
			write(string(entry(t, identify("judge", key(2)), time.Now(), "x")))(t, path)
		},
		"a sparse file": func(t *testing.T, path string) {
			if err := os.Truncate(path, 1<<40); err != nil {
				t.Fatal(err)
			}
		},
		"a link out": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, path); err != nil {
				t.Fatal(err)
			}
		},
		"a folder": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(path, "with", "content"), 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"a pipe": pipe,
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, Options{})
			p := s.Space("judge")
			p.Put(key(1), []byte("content"))
			path := filepath.Join(s.Dir(), "judge", key(1)[:2], key(1))
			put(t, path)
			reader := open(t, Options{Dir: s.Dir(), ReadOnly: true})
			if got, ok := get(reader.Space("judge"), key(1)); ok {
				t.Errorf("got %q", got)
			}
			if _, err := os.Lstat(path); err != nil {
				t.Errorf("a store that is read-only has removed it: %v", err)
			}
			if got, ok := get(p, key(1)); ok {
				t.Errorf("got %q", got)
			}
			if _, err := os.Lstat(path); !os.IsNotExist(err) {
				t.Errorf("it is still there: %v", err)
			}
			if got, err := os.ReadFile(outside); err != nil || string(got) != "of another user" {
				t.Errorf("a file outside: %q, %v", got, err)
			}
			p.Put(key(1), []byte("new"))
			if got, ok := get(p, key(1)); !ok || string(got) != "new" {
				t.Errorf("its place cannot be used again: %q, %v", got, ok)
			}
		})
	}
}

func TestAReadOnlyStoreChangesNothing(t *testing.T) {
	now := time.Now().Add(-time.Hour)
	s := open(t, Options{Now: func() time.Time { return now }})
	s.Space("judge").Put(key(1), []byte("content"))
	before := files(t, s.Dir())
	r := open(t, Options{Dir: s.Dir(), ReadOnly: true, Now: func() time.Time { return now.Add(30 * time.Minute) }})
	p := r.Space("judge")
	if got, ok := get(p, key(1)); !ok || string(got) != "content" {
		t.Errorf("%q, %v", got, ok)
	}
	p.Put(key(2), []byte("x"))
	p.Put(key(1), []byte("x"))
	after := files(t, s.Dir())
	if len(after) != 1 {
		t.Errorf("%d files", len(after))
	}
	for path, info := range after {
		if b := before[path]; b == nil || !b.ModTime().Equal(info.ModTime()) || b.Size() != info.Size() {
			t.Errorf("%s was %v and is %v", path, b, info)
		}
	}

	absent := filepath.Join(t.TempDir(), "absent")
	none := open(t, Options{Dir: absent, ReadOnly: true})
	none.Space("judge").Put(key(1), []byte("x"))
	if _, ok := get(none.Space("judge"), key(1)); ok || none.Space("judge").Has(key(1)) {
		t.Error("a folder that is not there has something")
	}
	if _, err := os.Stat(absent); !os.IsNotExist(err) {
		t.Error("the folder was made")
	}
}

func TestAFailingDiskIsAWarningAndNoMore(t *testing.T) {
	var log bytes.Buffer
	s := open(t, Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err := os.WriteFile(filepath.Join(s.Dir(), "judge"), []byte("a file where a folder should be"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := s.Space("judge")
	for n := range 3 {
		p.Put(key(n), []byte("x"))
		if _, ok := get(p, key(n)); ok {
			t.Error("it was kept")
		}
	}
	if got := strings.Count(log.String(), "level=WARN"); got != 1 {
		t.Errorf("%d warnings:\n%s", got, &log)
	}
}

// writer is one of several processes: it puts and gets the same keys as all, and
// fails when it ever sees another content.
func writer(dir string) int {
	s, err := Open(Options{Dir: dir, MaxBytes: 64 << 10, MaxEntries: 40})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	p := s.Space("judge")
	hits := 0
	for n := range 400 {
		k := n % 50
		if got, ok := get(p, key(k)); ok {
			if hits++; !bytes.Equal(got, content(k)) {
				fmt.Fprintf(os.Stderr, "key %d has %q\n", k, got)
				return 1
			}
		} else {
			p.Put(key(k), content(k))
		}
	}
	if err := s.Close(); err != nil || hits == 0 {
		fmt.Fprintln(os.Stderr, hits, "hits", err)
		return 1
	}
	return 0
}

func TestProcessesShareAFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), writerVar+"="+dir)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	u, err := open(t, Options{Dir: dir}).Usage()
	if err != nil || u.Entries == 0 || u.Entries > 40 {
		t.Errorf("%+v, %v", u, err)
	}
	if len(files(t, dir)) != u.Entries {
		t.Errorf("%d files for %d entries", len(files(t, dir)), u.Entries)
	}
}

func TestTheLeastUsedGoFirst(t *testing.T) {
	now := time.Now()
	clock := func() time.Time { return now }
	s := open(t, Options{MaxEntries: 3, Now: clock})
	p := s.Space("judge")
	for n := range 4 {
		p.Put(key(n), content(n))
		at := now.Add(time.Duration(n-10) * time.Hour)
		if err := os.Chtimes(filepath.Join(s.Dir(), "judge", key(n)[:2], key(n)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := get(p, key(0)); !ok { // the oldest is the one used last
		t.Fatal("lost")
	}
	if done, err := s.Prune(); err != nil || done.Entries != 1 || done.Bytes == 0 {
		t.Errorf("%+v, %v", done, err)
	}
	var left []int
	for n := range 4 {
		if p.Has(key(n)) {
			left = append(left, n)
		}
	}
	if !slices.Equal(left, []int{0, 2, 3}) {
		t.Errorf("%v are left, want all but 1", left)
	}
}

func TestAStoreKeepsWithinItsBoundsByItself(t *testing.T) {
	const most = 256 << 10
	dir := filepath.Join(t.TempDir(), "cache")
	s, err := Open(Options{Dir: dir, MaxBytes: most})
	if err != nil {
		t.Fatal(err)
	}
	noise := func(n int) []byte {
		var b bytes.Buffer
		for i := range 500 {
			fmt.Fprint(&b, key(n*1000+i))
		}
		return b.Bytes()
	}
	var worst int64
	for n := range 60 {
		s.Space("judge").Put(key(n), noise(n))
		u, err := s.Usage()
		if err != nil {
			t.Fatal(err)
		}
		worst = max(worst, u.Bytes)
	}
	if worst > most+most/8 || worst < most/2 {
		t.Errorf("%d bytes at a time", worst)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if u, err := open(t, Options{Dir: dir}).Usage(); err != nil || u.Bytes > most || u.Entries == 0 {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestPruningTouchesOnlyItsOwn(t *testing.T) {
	now := time.Now()
	clock := func() time.Time { return now }
	s := open(t, Options{Now: clock})
	p := s.Space("sandbox")
	p.Put(key(1), []byte("x"))
	p.Put(key(2), []byte("x"))
	shard := filepath.Join(s.Dir(), "sandbox", key(1)[:2])
	old := now.Add(-31 * 24 * time.Hour)
	others := []string{
		filepath.Join(s.Dir(), "README"), filepath.Join(s.Dir(), "sandbox", "notes"), filepath.Join(shard, "not-an-entry"),
		filepath.Join(shard, "tmp-not-ours"), filepath.Join(shard, "ff"+key(1)[2:]),
	}
	young, abandonedFile := filepath.Join(shard, "tmp-"+strings.Repeat("A", 26)), filepath.Join(shard, "tmp-"+strings.Repeat("B", 26))
	for _, path := range append(slices.Clone(others), young, abandonedFile) {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		if path != young {
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Chtimes(filepath.Join(shard, key(1)), old, old); err != nil {
		t.Fatal(err)
	}
	if done, err := s.Prune(); err != nil || done.Entries != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	for _, path := range append(others, young) {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, path := range []string{abandonedFile, filepath.Join(shard, key(1))} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there", path)
		}
	}
	if u, err := s.Usage(); err != nil || u.Entries != 1 || u.Spaces["sandbox"].Entries != 1 || u.Bytes != u.Spaces["sandbox"].Bytes || u.Oldest.IsZero() {
		t.Errorf("%+v, %v", u, err)
	}
	if done, err := s.Clear(); err != nil || done.Entries != 1 || p.Has(key(2)) {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestAnEntryThatIsUsedEveryDayStillGrowsOld(t *testing.T) {
	now := time.Now()
	s := open(t, Options{Now: func() time.Time { return now }, MaxAge: 73 * time.Hour})
	p := s.Space("judge")
	p.Put(key(1), []byte("x"))
	for day := range 5 {
		if _, ok := get(p, key(1)); ok != (day <= 3) {
			t.Errorf("day %d: there %v", day, ok)
		}
		now = now.Add(24 * time.Hour)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]Options{
		"no folder": {}, "a negative bound": {Dir: t.TempDir(), MaxBytes: -1}, "a file": {Dir: file}, "below a file": {Dir: filepath.Join(file, "x")},
	} {
		if s, err := Open(o); err == nil {
			t.Errorf("%s: opened %s", name, s.Dir())
		}
	}
}
