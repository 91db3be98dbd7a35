//go:build unix

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

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
