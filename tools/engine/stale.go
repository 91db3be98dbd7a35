package main

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A daemon that was killed, or a machine that was switched off with /run on a
// disk, leaves files that make the next start fail: Docker refuses to start while
// the process named in its PID file is alive, whatever that process is by now;
// it waits in vain for the containerd of a PID file; and it tries to use the
// machine's containerd when only its socket is left.

// leftovers returns the files below run (normally /run) that claim a daemon which
// is not there. name returns the command name of a process, "" for none; listens
// reports whether somebody answers at a socket.
func leftovers(run string, name func(pid int) string, listens func(socket string) bool) []string {
	var stale []string
	for file, daemon := range map[string]string{
		"docker.pid":                       "dockerd",
		"docker/containerd/containerd.pid": "containerd",
	} {
		path := filepath.Join(run, file)
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || name(pid) != daemon {
			stale = append(stale, path)
		}
	}
	socket := filepath.Join(run, "containerd/containerd.sock")
	if _, err := os.Lstat(socket); err == nil && !listens(socket) {
		stale = append(stale, socket)
	}
	return stale
}

// processName returns the command name of a process, "" when there is none.
func processName(pid int) string {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// listens reports whether a connection to a Unix socket is accepted.
func listens(socket string) bool {
	c, err := net.DialTimeout("unix", socket, 5*time.Second)
	if err != nil {
		return false
	}
	c.Close()
	return true
}
