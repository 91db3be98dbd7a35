package filelock

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWait(t *testing.T) {
	t.Run("a second holder waits for the first", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "lock")
		first, err := Wait(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		asked := make(chan struct{})
		held := make(chan struct{})
		go func() {
			unlock, err := Wait(path, func() { close(asked) })
			if err != nil {
				t.Error(err)
				return
			}
			close(held)
			unlock()
		}()
		<-asked // it found the lock taken
		select {
		case <-held:
			t.Fatal("two hold the lock at the same time")
		default:
		}
		first()
		<-held
	})
	t.Run("a free lock is taken at once", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "lock")
		for range 2 { // the file of the first round is still there in the second
			unlock, err := Wait(path, func() { t.Error("waited for a free lock") })
			if err != nil {
				t.Fatal(err)
			}
			unlock()
		}
	})
	t.Run("missing folders are made", func(t *testing.T) {
		unlock, err := Wait(filepath.Join(t.TempDir(), "a", "b", "lock"), nil)
		if err != nil {
			t.Fatal(err)
		}
		unlock()
	})
	t.Run("a path that cannot be opened is an error", func(t *testing.T) {
		dir := t.TempDir()
		if _, err := Wait(dir, nil); err == nil {
			t.Error("a folder was locked as a file")
		}
		if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Wait(filepath.Join(dir, "file", "lock"), nil); err == nil {
			t.Error("a lock below a file")
		}
	})
}

func TestTry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	open := func() *os.File {
		t.Helper()
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	first, second := open(), open()
	if locked, err := Try(first); !locked || err != nil {
		t.Fatalf("a free lock: got %v, %v", locked, err)
	}
	if locked, err := Try(second); locked || err != nil {
		t.Errorf("a lock that is held: got %v, %v", locked, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if locked, err := Try(second); !locked || err != nil {
		t.Errorf("a lock whose holder has closed the file: got %v, %v", locked, err)
	}
	if locked, err := Try(first); locked || err == nil {
		t.Errorf("a closed file: got %v, %v", locked, err)
	}
}
