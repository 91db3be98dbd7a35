//go:build unix

package git

import (
	"fmt"
	"os"
	"syscall"
)

// checkOwner refuses a repository that another user has put above the folder
// that the user names, such as /tmp/.git: it would decide what is tracked and
// what is ignored (git's safe.directory has the same reason). Accepted are
// repositories of the current user, of root, and of the person who owns the folder;
// the last is what a container sees that runs as root on a user's checkout.
func checkOwner(gitDir, dir string) error {
	owner, err := ownerOf(gitDir)
	if err != nil {
		return err
	}
	if owner == 0 || owner == os.Geteuid() {
		return nil
	}
	if user, err := ownerOf(dir); err != nil || user == owner {
		return err
	}
	return fmt.Errorf("the git repository %s belongs to another user (uid %d); copy the folder elsewhere to scan it", gitDir, owner)
}

func ownerOf(p string) (int, error) {
	info, err := os.Stat(p)
	if err != nil {
		return 0, fmt.Errorf("look up the owner of %s: %w", p, err)
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, fmt.Errorf("look up the owner of %s: the system does not say", p)
	}
	return int(stat.Uid), nil
}
