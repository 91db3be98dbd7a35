//go:build unix

package cache

import (
	"os"
	"syscall"
	"testing"
)

func pipe(t *testing.T, path string) {
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
}
