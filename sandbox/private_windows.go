package sandbox

import (
	"errors"
	"os"
)

// checkPrivate makes sure that a folder is one: the temporary folder of Windows
// is the user's own.
func checkPrivate(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errors.New("it is not a folder")
	}
	return nil
}
