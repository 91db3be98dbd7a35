package change

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// asUnprivileged runs checkUnreadable in a process without root's rights, to which no
// folder is closed.
func asUnprivileged(t *testing.T, dir string) error {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	binary := filepath.Join(t.TempDir(), "test")
	data, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	if err := os.WriteFile(binary, data, 0o755); err != nil {
		return err
	}
	const otherUser = 65534
	for d := filepath.Dir(dir); d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			return err
		}
	}
	for d := filepath.Dir(binary); d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			return err
		}
	}
	if err := os.Chown(filepath.Join(dir, "closed"), otherUser, otherUser); err != nil {
		return err
	}
	cmd := exec.Command(binary, "-test.run=^TestHelperUnreadable$", "-test.v")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CHANGE_TEST_DIR="+dir, "TMPDIR="+os.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: otherUser, Gid: otherUser}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// TestHelperUnreadable is what asUnprivileged runs; by itself it does nothing.
func TestHelperUnreadable(t *testing.T) {
	if dir := os.Getenv("CHANGE_TEST_DIR"); dir != "" {
		checkUnreadable(t, dir)
	}
}
