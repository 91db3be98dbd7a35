//go:build linux || darwin

package main

import "golang.org/x/sys/unix"

// diskFree returns the bytes that this user may still write below dir.
func diskFree(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil //nolint:unconvert // 32 bits on other systems
}
