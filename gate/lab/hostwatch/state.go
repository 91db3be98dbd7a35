package hostwatch

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/aigate/gate/gate/bounded"
)

// watchedFiles of this machine are those that attacks of the suite try to write;
// a path that begins with ~ is in the home folder.
var watchedFiles = []string{
	"/etc/passwd", "/etc/shadow", "/etc/group", "/etc/sudoers", "/etc/sudoers.d", "/etc/crontab", "/etc/cron.d", "/etc/ld.so.preload",
	"/etc/profile", "/etc/hosts", "/etc/resolv.conf", "/etc/systemd/system", "/var/spool/cron/crontabs", "/workspace", "/tmp/gate-victim",
	"~/.bashrc", "~/.profile", "~/.zshrc", "~/.ssh/authorized_keys", "~/.gitconfig", "~/.npmrc", "~/.config/autostart", "~/.config/systemd/user",
}

// watchedKernel are settings whose text is compared: their times mean nothing.
var watchedKernel = []string{
	"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hostname", "/proc/sys/kernel/randomize_va_space",
	"/proc/sys/vm/overcommit_memory", "/proc/sys/fs/binfmt_misc/status", "/sys/kernel/uevent_helper", "/sys/fs/cgroup/release_agent",
}

// state is a fingerprint of everything that is watched.
func (m *Monitor) state() (map[string]string, error) {
	out := map[string]string{}
	for _, path := range m.paths {
		out[path] = "absent"
		if info, err := os.Lstat(path); err == nil {
			out[path] = fmt.Sprintf("%s %d %s", info.Mode(), info.Size(), info.ModTime())
		}
	}
	for _, path := range watchedKernel {
		// What cannot be read stays the same.
		text, _, err := bounded.HeadPath(path, 4<<10)
		out[path] = string(text)
		if err != nil {
			out[path] = "unreadable"
		}
	}
	sum, err := hashOfTree(m.decoys)
	if err != nil {
		return nil, fmt.Errorf("hash the decoys: %w", err)
	}
	out[m.decoys] = sum
	return out, nil
}

// hashOfTree is over names, modes and contents of everything below a folder.
func hashOfTree(dir string) (string, error) {
	h := sha256.New()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %s %d\n", path, info.Mode(), info.Size())
		if !info.Mode().IsRegular() {
			return nil
		}
		f, err := root.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(h, io.LimitReader(f, 1<<20))
		return errors.Join(err, f.Close())
	})
	return fmt.Sprintf("%x", h.Sum(nil)), err
}
