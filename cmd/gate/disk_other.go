//go:build !linux && !darwin && !windows

package main

import "errors"

// diskFree is not asked for on these systems.
func diskFree(string) (int64, error) { return 0, errors.ErrUnsupported }
