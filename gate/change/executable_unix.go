//go:build unix

package change

import (
	"io/fs"

	"github.com/aigate/gate/gate/change/git"
)

// executableDiffers compares the executable bit of the owner, which is all that
// git knows of permissions.
func executableDiffers(index git.Mode, file fs.FileMode) bool {
	return (index == git.ModeExecutable) != (file&0o100 != 0)
}
