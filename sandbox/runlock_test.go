package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestALockSaysWhetherARunLives(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	const idA, idB = "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"
	a, err := lockRun(dir, idA)
	if err != nil {
		t.Fatal(err)
	}
	b, err := lockRun(dir, idB)
	if err != nil {
		t.Fatal(err)
	}
	if a.owner != b.owner || a.owner == "" {
		t.Errorf("owners %q and %q of one folder", a.owner, b.owner)
	}
	if b.dead(idA) || a.dead(idB) || a.dead(idA) {
		t.Error("a living run counts as dead")
	}
	if b.ended(idA) || a.ended(idB) || a.ended(idA) {
		t.Error("a living run counts as ended")
	}
	if _, err := lockRun(dir, idA); err == nil || !strings.Contains(err.Error(), "lives already") {
		t.Errorf("the same id twice: %v", err)
	}
	if err := a.release(); err != nil {
		t.Fatal(err)
	}
	if !b.dead(idA) {
		t.Error("a run that has ended counts as living")
	}
	for _, odd := range []string{"", "..", "../owner", "owner", strings.Repeat("a", 65), "AAAAAAAAAAAAAAAA"} {
		if b.dead(odd) {
			t.Errorf("%q counts as a dead run", odd)
		}
		if b.ended(odd) {
			t.Errorf("%q counts as a run that has ended", odd)
		}
	}
	if err := b.release(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(dir + "/*"); len(left) != 1 || filepath.Base(left[0]) != "owner" {
		t.Errorf("left behind: %v", left)
	}
}

func TestAskingLeavesTheLockOfADeadRunWhereItIs(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	const killed, never = "cccccccccccccccc", "dddddddddddddddd"
	victim, err := lockRun(dir, killed)
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.file.Close(); err != nil { // as the kernel does for a process that is killed
		t.Fatal(err)
	}
	l, err := lockRun(dir, "eeeeeeeeeeeeeeee")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if !l.ended(killed) || !l.ended(never) {
			t.Error("a run that no one holds counts as living")
		}
	}
	if _, err := os.Stat(filepath.Join(dir, killed+".lock")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, never+".lock")); err == nil {
		t.Error("asking made a lock file")
	}
	if err := l.release(); err != nil {
		t.Fatal(err)
	}
}

func TestAFolderIsNamedOnce(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	owners := make([]string, 8)
	var wg sync.WaitGroup
	for i := range owners {
		wg.Go(func() {
			l, err := lockRun(dir, randomHex(8))
			if err != nil {
				t.Error(err)
				return
			}
			owners[i] = l.owner
			if err := l.release(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, o := range owners {
		if o != owners[0] || !runID.MatchString(o) {
			t.Fatalf("names %q", owners)
		}
	}
}

func TestAFolderThatIsNotTheUsersAloneIsRefused(t *testing.T) {
	const id = "aaaaaaaaaaaaaaaa"
	for want, setUp := range map[string]func(dir string) error{
		"others may write": func(dir string) error { return os.Chmod(dir, 0o777) },
		"not a folder":     func(dir string) error { return os.Symlink(dir, dir+"-link") },
		"is damaged":       func(dir string) error { return os.WriteFile(dir+"/owner", []byte("../"), 0o600) },
		"is damaged ":      func(dir string) error { return os.WriteFile(dir+"/owner", nil, 0o600) },
		"not a directory":  func(dir string) error { return os.WriteFile(dir+"-link", nil, 0o600) },
	} {
		dir := filepath.Join(t.TempDir(), "state")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := setUp(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(dir + "-link"); err == nil {
			dir += "-link"
		}
		if _, err := lockRun(dir, id); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func TestTheDefaultFolderIsTheUsers(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", "/run/user/7")
	if got := defaultStateDir(); got != "/run/user/7/gate" {
		t.Errorf("got %s", got)
	}
	t.Setenv("XDG_RUNTIME_DIR", "relative")
	if got := defaultStateDir(); !strings.HasPrefix(filepath.Base(got), "gate-") || !filepath.IsAbs(got) {
		t.Errorf("got %s", got)
	}
}
