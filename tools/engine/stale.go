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
// it waits for ever for the containerd of a PID file; and it tries to use the
// machine's containerd when only its socket is left.

// leftovers returns the files below run (normally /run) that claim a daemon which
// is not there. name returns the command name of a process, "" for none; listens
// reports whether a process answers at a socket.
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

// processName returns the command name of a process, "" when there is none. One
// that has ended and that no one has waited for counts as none: in a container
// without an init such processes stay for ever.
func processName(pid int) string {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return ""
	}
	return nameOf(string(stat))
}

// nameOf reads the text of /proc/PID/stat: a number, the name in parentheses,
// which may hold parentheses and blanks itself, the state, and more.
func nameOf(stat string) string {
	open, shut := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if open < 0 || shut < open || strings.HasPrefix(stat[shut:], ") Z") || strings.HasPrefix(stat[shut:], ") X") {
		return ""
	}
	return stat[open+1 : shut]
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
