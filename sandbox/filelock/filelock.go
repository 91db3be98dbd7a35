package filelock

import (
	"fmt"
	"os"
	"path/filepath"
)

// Try locks an open file without waiting, until it is closed. It reports whether it got
// the lock.
func Try(f *os.File) (bool, error) {
	locked, err := lock(f, false)
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return locked, nil
}

// Wait locks the file at path as soon as no other process does, and makes the file and
// the folders above it where they are missing. waiting, which may be nil, is called once
// before Wait waits. unlock may be called once.
func Wait(path string, waiting func()) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the lock file: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the lock file: %w", err)
	}
	locked, err := lock(f, false)
	if err == nil && !locked {
		if waiting != nil {
			waiting()
		}
		_, err = lock(f, true)
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { _ = f.Close() }, nil
}
