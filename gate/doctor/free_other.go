//go:build !linux && !darwin && !windows

package doctor

import "errors"

// freeSpace is not asked for on these systems.
func freeSpace(string) (int64, error) { return 0, errors.ErrUnsupported }
