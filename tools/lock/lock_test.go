//go:build unix

package lock

import (
	"os"
	"path/filepath"
	"testing"
)

func TestASecondHolderWaitsForTheFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := File(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{})
	held := make(chan struct{})
	go func() {
		unlock, err := File(path, func() { close(asked) })
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
}

func TestALockThatNobodyHoldsIsTakenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	for range 2 { // the file of the first round is still there in the second
		unlock, err := File(path, func() { t.Error("waited for a lock that nobody holds") })
		if err != nil {
			t.Fatal(err)
		}
		unlock()
	}
}

func TestMissingFoldersAreMade(t *testing.T) {
	unlock, err := File(filepath.Join(t.TempDir(), "a", "b", "lock"), nil)
	if err != nil {
		t.Fatal(err)
	}
	unlock()
}

func TestAPathThatCannotBeOpenedIsAnError(t *testing.T) {
	dir := t.TempDir()
	if _, err := File(dir, nil); err == nil {
		t.Error("a folder was locked as a file")
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := File(filepath.Join(dir, "file", "lock"), nil); err == nil {
		t.Error("a lock below a file")
	}
}
