package git

import (
	"fmt"
	"io/fs"
	"strconv"
)

// Mode is the mode of a tree entry.
type Mode uint32

// The modes that git writes. ModeNone stands for an entry that is not there.
const (
	ModeNone       Mode = 0
	ModeFile       Mode = 0o100644
	ModeExecutable Mode = 0o100755
	ModeSymlink    Mode = 0o120000
	ModeSubmodule  Mode = 0o160000
)

// parseMode reads the six octal digits of a mode. Permissions other than those
// that git writes, which hostile and very old trees have, are reduced to the
// owner's executable bit, as a checkout does.
func parseMode(s string) (Mode, error) {
	n, err := strconv.ParseUint(s, 8, 32)
	if err != nil || len(s) != 6 {
		return 0, fmt.Errorf("not a mode: %q", printable(clip(s)))
	}
	const typeBits, ownerExecutes = 0o170000, 0o100
	switch kind := Mode(n & typeBits); {
	case n == 0:
		return ModeNone, nil
	case kind == ModeSymlink, kind == ModeSubmodule:
		return kind, nil
	case kind == ModeFile&typeBits && n&ownerExecutes != 0:
		return ModeExecutable, nil
	case kind == ModeFile&typeBits:
		return ModeFile, nil
	}
	return 0, fmt.Errorf("unknown mode %06o", n)
}

// FS returns the mode as package fs writes it. A submodule is a directory: what
// is in it belongs to another repository.
func (m Mode) FS() fs.FileMode {
	switch m {
	case ModeExecutable:
		return 0o755
	case ModeSymlink:
		return fs.ModeSymlink | 0o777
	case ModeSubmodule:
		return fs.ModeDir | 0o755
	default:
		return 0o644
	}
}

// File reports whether the entry is a regular file.
func (m Mode) File() bool { return m == ModeFile || m == ModeExecutable }
