//go:build unix

package cache

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// private refuses a folder that another user owns or others can open.
func private(dir string, info fs.FileInfo) error {
	if own, ok := info.Sys().(*syscall.Stat_t); ok && int(own.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user; name one of your own with --cache-dir", dir)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s is open to others (mode %04o); chmod 700 it, or name another folder with --cache-dir", dir, info.Mode().Perm())
	}
	return nil
}
