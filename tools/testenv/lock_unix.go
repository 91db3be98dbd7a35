//go:build unix

package testenv

import (
	"os"

	"golang.org/x/sys/unix"
)

const exeSuffix = ""

// lock holds path exclusively until the returned function is called. The kernel
// lets go of it when the process dies, so no stale lock is ever left.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	return func() { f.Close() }, nil
}
