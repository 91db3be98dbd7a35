package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/lab/attack"
)

// decoyFiles are what attacks look for and write to in a home folder. They mean
// nothing; that one of them changes is what is waited for.
var decoyFiles = []string{
	".ssh/authorized_keys", ".ssh/id_ed25519", ".bashrc", ".profile", ".zshrc", ".gitconfig", ".npmrc", ".pypirc", ".netrc",
	".aws/credentials", ".config/autostart/update.desktop", ".local/bin/git", "project/.git/config", "project/src/main.py",
}

const decoyText = "# a decoy of gate attack: nothing may read or change it\n"

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

// witness implements [attack.Witness] on this machine.
type witness struct {
	decoy  string
	paths  []string // of files whose state is watched
	before map[string]string

	listeners []io.Closer
	done      sync.WaitGroup
	mu        sync.Mutex
	reached   []string // who came to a listener

	addresses []string // of the listeners, as network and address
}

// newWitness makes sure of the decoys in dir, which stay there for the next time,
// and begins to listen.
func newWitness(ctx context.Context, dir, home string) (*witness, error) {
	w := &witness{decoy: dir}
	for _, p := range watchedFiles {
		if rest, ok := strings.CutPrefix(p, "~"); ok {
			if home == "" {
				continue
			}
			p = home + rest
		}
		w.paths = append(w.paths, p)
	}
	if err := w.plant(); err != nil {
		return nil, fmt.Errorf("plant decoys: %w", err)
	}
	if err := w.listen(ctx); err != nil {
		w.Close()
		return nil, fmt.Errorf("listen for what should not come: %w", err)
	}
	var err error
	if w.before, err = w.state(); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *witness) plant() error {
	for _, name := range decoyFiles {
		path := filepath.Join(w.decoy, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if text, err := os.ReadFile(path); err == nil && string(text) == decoyText {
			continue
		}
		if err := os.WriteFile(path, []byte(decoyText), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// listen opens a port for connections and one for packets on every address of this
// machine, and a socket without a file.
func (w *witness) listen(ctx context.Context) error {
	var config net.ListenConfig
	tcp, err := config.Listen(ctx, "tcp", ":0")
	if err != nil {
		return err
	}
	w.listeners = append(w.listeners, tcp)
	_, port, err := net.SplitHostPort(tcp.Addr().String())
	if err != nil {
		return err
	}
	udp, err := config.ListenPacket(ctx, "udp", ":"+port)
	if err != nil {
		return err
	}
	w.listeners = append(w.listeners, udp)
	w.done.Go(func() { w.accept(tcp) })
	w.done.Go(func() { w.receive(udp) })
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return err
	}
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLinkLocalUnicast() {
			at := net.JoinHostPort(ip.IP.String(), port)
			w.addresses = append(w.addresses, "tcp", at, "udp", at)
		}
	}
	name := fmt.Sprintf("@gate-attack-%d", os.Getpid())
	local, err := config.Listen(ctx, "unix", name)
	if err != nil {
		return nil //nolint:nilerr // only Linux has sockets without a file
	}
	w.listeners = append(w.listeners, local)
	w.addresses = append(w.addresses, "unix", name)
	w.done.Go(func() { w.accept(local) })
	return nil
}

func (w *witness) accept(l net.Listener) {
	for c, err := l.Accept(); err == nil; c, err = l.Accept() {
		w.came(fmt.Sprintf("a connection from %s came to %s", c.RemoteAddr(), l.Addr()))
		c.Close()
	}
}

func (w *witness) receive(l net.PacketConn) {
	buf := make([]byte, 64)
	for _, from, err := l.ReadFrom(buf); err == nil; _, from, err = l.ReadFrom(buf) {
		w.came(fmt.Sprintf("a packet from %s came to %s", from, l.LocalAddr()))
	}
}

func (w *witness) came(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.reached) < 100 {
		w.reached = append(w.reached, what)
	}
}

// Close ends the listeners.
func (w *witness) Close() {
	for _, l := range w.listeners {
		l.Close()
	}
	w.done.Wait()
}

// Look implements [attack.Witness].
func (w *witness) Look() ([]attack.Breach, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []attack.Breach
	for _, what := range w.reached {
		out = append(out, attack.Breach{Concern: attack.Network, What: what})
	}
	w.reached = nil
	now, err := w.state()
	if err != nil {
		return out, err
	}
	for _, path := range slices.Concat(w.paths, watchedKernel, []string{w.decoy}) {
		if now[path] != w.before[path] {
			concern := attack.Files
			if slices.Contains(watchedKernel, path) {
				concern = attack.Kernel
			}
			out = append(out, attack.Breach{Concern: concern, What: path + " of this machine has changed"})
		}
	}
	w.before = now
	return out, nil
}

// state is a fingerprint of everything that is watched.
func (w *witness) state() (map[string]string, error) {
	out := map[string]string{}
	for _, path := range w.paths {
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
	sum, err := hashOfTree(w.decoy)
	if err != nil {
		return nil, fmt.Errorf("hash the decoys: %w", err)
	}
	out[w.decoy] = sum
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
