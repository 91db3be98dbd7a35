package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// store opens a store; its clock is the one that is returned.
func store(t *testing.T, o Options) (*Store, *time.Time) {
	t.Helper()
	now := time.Now()
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "sessions")
	}
	o.Now = func() time.Time { return now }
	s, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, &now
}

func create(t *testing.T, s *Store) string {
	t.Helper()
	id, err := s.Create("me")
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func lock(t *testing.T, s *Store, id string) *Session {
	t.Helper()
	one, err := s.Lock(t.Context(), id, "me")
	if err != nil {
		t.Fatal(err)
	}
	return one
}

func TestFilesAreKeptBetweenCalls(t *testing.T) {
	s, _ := store(t, Options{})
	id := create(t, s)
	one := lock(t, s, id)
	for p, text := range map[string]string{"a": "1", "b/c": "", "b/d": "two"} {
		if err := one.Tree.Put(p, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(one.Save(), one.Close()); err != nil {
		t.Fatal(err)
	}
	again := lock(t, s, id)
	defer again.Close()
	if again.Tree.Sum() != one.Tree.Sum() || again.Tree.Len() != 3 || again.Tree.Bytes() != 4 {
		t.Errorf("%v", again.Tree.Paths())
	}
}

func TestASessionEndsByItself(t *testing.T) {
	for name, tt := range map[string]struct {
		after time.Duration
		used  bool // in between
		there bool
	}{
		"not while it is used":         {20 * time.Hour, false, true},
		"after a day without use":      {24 * time.Hour, false, false},
		"a week after it began anyway": {7 * 24 * time.Hour, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, now := store(t, Options{})
			id := create(t, s)
			end := now.Add(tt.after)
			for tt.used && now.Add(20*time.Hour).Before(end) {
				*now = now.Add(20 * time.Hour)
				_ = lock(t, s, id).Close()
			}
			*now = end
			one, err := s.Lock(t.Context(), id, "me")
			if (err == nil) != tt.there || err != nil && !errors.Is(err, ErrNoSession) {
				t.Fatal(err)
			}
			if one != nil {
				_ = one.Close()
			}
			if n, _, err := s.Sweep(); err != nil || (n == 1) != tt.there {
				t.Errorf("%d sessions are there, %v", n, err)
			}
		})
	}
}

func TestAWrongSessionAndAWrongOwnerGetTheSameAnswer(t *testing.T) {
	s, _ := store(t, Options{})
	id := create(t, s)
	for name, who := range map[string][2]string{
		"another owner": {id, "you"}, "an identifier that there isn't": {strings.Repeat("A", 26), "me"}, "lower case": {strings.ToLower(id), "me"},
		"nothing": {"", "me"}, "a path": {"../" + id, "me"}, "the name of the folder": {folder(id), "me"},
	} {
		if _, err := s.Lock(t.Context(), who[0], who[1]); !errors.Is(err, ErrNoSession) || err.Error() != ErrNoSession.Error() {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestASessionIsForOneCallAtATime(t *testing.T) {
	s, _ := store(t, Options{})
	id := create(t, s)
	one := lock(t, s, id)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Lock(ctx, id, "me"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	next := make(chan *Session)
	go func() {
		two, err := s.Lock(context.Background(), id, "me")
		if err != nil {
			t.Error(err)
		}
		next <- two
	}()
	if err := errors.Join(one.Tree.Put("a", []byte("x")), one.Save(), one.Close()); err != nil {
		t.Fatal(err)
	}
	two := <-next
	defer two.Close()
	if _, ok := two.Tree.Get("a"); !ok {
		t.Error("the second call does not see what the first one wrote")
	}
}

func TestFilesChangedOnTheDiskAreNotRead(t *testing.T) {
	s, _ := store(t, Options{})
	id := create(t, s)
	file := filepath.Join(s.o.Dir, folder(id), dataFile)
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string][]byte{
		"cut off": good[:len(good)-1], "longer": append(slices.Clip(good), 'x'), "empty": {}, "something else": []byte("PK"),
		"another owner": []byte(strings.Replace(string(good), `"owner":"`, `"owner":"0`, 1)),
	} {
		if err := os.WriteFile(file, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Lock(t.Context(), id, "me"); err == nil || !strings.Contains(err.Error(), "read the session") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := errors.Join(os.Remove(file), os.Symlink("/etc/passwd", file)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Lock(t.Context(), id, "me"); err == nil {
		t.Error("a link was followed")
	}
}

func TestAFolderThatOthersCanReadIsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if s, err := Open(Options{Dir: dir}); err == nil {
		_ = s.Close()
		t.Error("it was taken")
	}
}

func TestSessionsTogetherAreBounded(t *testing.T) {
	s, now := store(t, Options{Sessions: 2, Bytes: 3000})
	first, second := create(t, s), create(t, s)
	if _, err := s.Create("me"); err == nil || !strings.Contains(err.Error(), "at most 2") {
		t.Error(err)
	}
	one := lock(t, s, first)
	if err := errors.Join(one.Tree.Put("a", make([]byte, 1500)), one.Save(), one.Close()); err != nil {
		t.Fatal(err)
	}
	two := lock(t, s, second)
	defer two.Close()
	if err := errors.Join(two.Tree.Put("a", make([]byte, 1500)), two.Save()); err == nil || !strings.Contains(err.Error(), "all sessions together") {
		t.Error(err)
	}
	*now = now.Add(25 * time.Hour)
	if n, _, err := s.Sweep(); n != 1 || err != nil { // the one that is in use stays
		t.Errorf("%d, %v", n, err)
	}
	if _, err := s.Create("me"); err != nil {
		t.Error(err)
	}
}

func TestATreeSaysWhatChanged(t *testing.T) {
	before, after := NewTree(), NewTree()
	for p, text := range map[string]string{"same": "1", "gone": "1", "other": "1"} {
		if err := before.Put(p, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for p, text := range map[string]string{"same": "1", "new": "1", "other": "22"} {
		if err := after.Put(p, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	want := []Difference{{"gone", "deleted", 0}, {"new", "created", 1}, {"other", "modified", 2}}
	got := after.Since(before)
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("%v", got)
	}
}

func FuzzAWorkspaceThatIsReadIsOneThatCanBeWritten(f *testing.F) {
	t := NewTree()
	_ = t.Put("a/b", []byte("x"))
	good, _ := encode(digest("me"), time.Unix(0, 0).UTC(), t)
	for _, seed := range [][]byte{good, good[:40], []byte(magic), nil, []byte("PK\x03\x04")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, tree, err := decode(data)
		if err != nil {
			return
		}
		again, err := encode(h.Owner, h.Made, tree)
		if err != nil {
			t.Fatal(err)
		}
		if _, same, err := decode(again); err != nil || same.Sum() != tree.Sum() {
			t.Errorf("%v", err)
		}
	})
}

func FuzzAPathStaysInTheWorkspace(f *testing.F) {
	for _, s := range []string{"a", "../a", "a/../b", "/a", "a\x00", `a\b`, "a//b", ".git/x", "C:a", "a/.", "\u202ea", "a "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if CheckPath(p) != nil {
			return
		}
		if !filepath.IsLocal(filepath.FromSlash(p)) || filepath.ToSlash(filepath.Clean(filepath.FromSlash(p))) != p || strings.ContainsAny(p, "\x00\\:\x1b\n") {
			t.Errorf("%q", p)
		}
	})
}
