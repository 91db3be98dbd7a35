//go:build !unix

package change

import (
	"io/fs"

	"github.com/aigate/gate/gate/change/git"
)

// executableDiffers is always false: these systems have no executable bit, and
// git goes by what the index says.
func executableDiffers(git.Mode, fs.FileMode) bool { return false }
