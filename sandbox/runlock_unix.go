//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// tryLock takes the lock of a file without waiting.
func tryLock(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return true, nil
}

// checkPrivate makes sure that a folder is this user's alone.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return errors.New("it is not a folder")
	case !ok || int(stat.Uid) != os.Getuid():
		return errors.New("it belongs to another user")
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("others may write to it (mode %o); run: chmod 700 %s", info.Mode().Perm(), dir)
	}
	return nil
}
