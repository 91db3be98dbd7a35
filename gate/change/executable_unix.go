//go:build unix

package change

import (
	"io/fs"

	"github.com/aigate/gate/gate/change/git"
)

// executableDiffers compares the executable bit of the owner, which is all that
// git knows of permissions. It knows none of links, on which a file system has all bits.
func executableDiffers(index git.Mode, file fs.FileMode) bool {
	return file.IsRegular() && (index == git.ModeExecutable) != (file&0o100 != 0)
}
