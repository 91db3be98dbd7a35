package supervisor

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/aigate/gate/sandbox/internal/wire"
)

// call is one system call that a process waits with.
type call struct {
	pid  int
	nr   uint32
	args [6]uint64
}

// reading is a call while it is decoded: what its arguments point to is read
// from the memory of the process.
type reading struct {
	call
	memory     *memory
	known      *resolved
	inputs     *inputs // nil where they are not recorded
	head       []byte  // the text at headAt, where it was read already
	headAt     uint64
	unreadable bool // something could not be read
	steady     bool // the path means the same until something is moved
	pretend    bool // the call is not made, and returns errno
	errno      unix.Errno
	runs       string // the file that is about to run
	inline     inlineCode
	peer       peer // an internet address, and its place
}

// inlineCode is code among the arguments of a command.
type inlineCode struct {
	file string // as which it is shown; "" is none
	text []byte
}

// peer is a socket address in the memory of the process.
type peer struct {
	addr netip.AddrPort
	at   uint64
	raw  []byte
}

// unread stands for what could not be read.
const unread = "(unreadable)"

// bytes reads the memory of the process. What is missing is left out.
func (r *reading) bytes(addr uint64, n int) []byte {
	if n <= 0 {
		return nil
	}
	buf := make([]byte, n)
	got := r.memory.read(r.pid, addr, buf)
	if got < n {
		r.unreadable = true
	}
	return buf[:got]
}

// word reads 8 bytes; 0 where there are none.
func (r *reading) word(addr uint64) uint64 {
	if b := r.bytes(addr, 8); len(b) == 8 {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// text reads a string that ends with a zero byte, as the kernel does: up to the
// longest path.
func (r *reading) text(addr uint64) string {
	if r.head != nil && addr == r.headAt {
		return string(r.head)
	}
	var out []byte
	for len(out) < unix.PathMax {
		buf := make([]byte, min(pageRest(addr), unix.PathMax-len(out)))
		n := len(buf)
		got := r.memory.read(r.pid, addr, buf)
		if i := bytes.IndexByte(buf[:got], 0); i >= 0 {
			return string(append(out, buf[:i]...))
		}
		out = append(out, buf[:got]...)
		if got < n {
			r.unreadable = true
			return string(out) + unread
		}
		addr += uint64(n)
	}
	return string(out)
}

// long reads a string that may be longer than a path, up to what a capture holds and
// a byte more.
func (r *reading) long(addr uint64) []byte {
	var out []byte
	for len(out) <= wire.MaxCapture {
		buf := make([]byte, int(pageSize-addr%pageSize))
		got := r.memory.read(r.pid, addr, buf)
		if i := bytes.IndexByte(buf[:got], 0); i >= 0 {
			return append(out, buf[:i]...)
		}
		out = append(out, buf[:got]...)
		if got < len(buf) {
			return out // its head was read before, and missed there
		}
		addr += uint64(got)
	}
	return out
}

// pageRest is how much is read at once, in bytes: most paths are short, and not
// across the border of a page, because the next one may not be there.
func pageRest(addr uint64) int { return min(pathChunk, int(pageSize-addr%pageSize)) }

const (
	pathChunk = 256
	pageSize  = 4096 // where pages are larger this is a part of one
)

// cwd is a path argument, relative to the process's folder.
func (r *reading) cwd(arg int) string { return r.follow(r.named(unix.AT_FDCWD, arg)) }

// at is a path argument, relative to a descriptor argument.
func (r *reading) at(dir, arg int) string { return r.follow(r.named(int32(r.args[dir]), arg)) }

// entry is a path argument whose last part is taken as it is, relative to the process's
// folder: who removes or renames a link does so to the link, and not to what it leads to.
func (r *reading) entry(arg int) string { return r.followFolder(r.named(unix.AT_FDCWD, arg)) }

// entryAt is an entry relative to a descriptor argument.
func (r *reading) entryAt(dir, arg int) string {
	return r.followFolder(r.named(int32(r.args[dir]), arg))
}

// named is a path argument as the process means it, with links in it.
func (r *reading) named(dir int32, arg int) string {
	name := r.text(r.args[arg])
	switch {
	case strings.HasPrefix(name, "/"):
		return name
	case dir == unix.AT_FDCWD:
		return clean(r.link("cwd"), name)
	}
	return clean(r.opened(dir), name)
}

// descriptor is the file behind a descriptor argument.
func (r *reading) descriptor(arg int) string { return r.opened(int32(r.args[arg])) }

func (r *reading) opened(fd int32) string {
	return strings.TrimSuffix(r.link("fd/"+strconv.Itoa(int(fd))), " (deleted)")
}

func (r *reading) link(name string) string {
	to, err := os.Readlink(fmt.Sprintf("/proc/%d/%s", r.pid, name))
	if err != nil {
		return unread
	}
	return to
}

// follow says where a path leads: a link with a benign name may lead to a key.
// What the path means may change before the kernel looks, so this is evidence and
// nothing is decided by it.
func (r *reading) follow(name string) string {
	name = clean("/", name)
	for _, self := range []string{"/proc/self", "/proc/thread-self"} {
		if name == self || strings.HasPrefix(name, self+"/") {
			// To us this is another process.
			name = fmt.Sprintf("/proc/%d", r.pid) + strings.TrimPrefix(name, self)
			break
		}
	}
	if strings.HasPrefix(name, "/proc/") {
		if own := fmt.Sprintf("/proc/%d/fd/", r.pid); strings.HasPrefix(name, own) {
			r.runs = name // in case this is a program that is started
			return r.link("fd/" + strings.TrimPrefix(name, own))
		}
		return r.own(name)
	}
	for _, dir := range []string{"/usr/", "/lib/", "/etc/", "/bin/"} { // of the image; it cannot make links there
		if strings.HasPrefix(name, dir) {
			r.steady = true
			return name
		}
	}
	if to, ok := r.known.paths[name]; ok {
		r.steady = true
		return to
	}
	to, there := leadsTo(name)
	if there {
		r.steady = r.known.keep(name, to)
	}
	return to
}

// followFolder says where the folder of a path leads, and keeps the last part.
func (r *reading) followFolder(name string) string {
	dir, last := path.Split(clean("/", name))
	if last == "" || strings.HasPrefix(dir, "/proc/") {
		return r.follow(name)
	}
	return clean(r.follow(dir), last)
}

// resolved remembers where paths lead. That changes only by calls that are
// watched: anyone who moves or removes something makes it forget.
type resolved struct {
	paths map[string]string
	since time.Time // of the last such call
}

const (
	maxResolved = 1024                   // paths
	settled     = 100 * time.Millisecond // a call is announced, and only then made
)

func (k *resolved) keep(name, to string) bool {
	if len(k.paths) >= maxResolved || time.Since(k.since) <= settled {
		return false
	}
	k.paths[name] = to
	return true
}

// see reports whether everything was forgotten.
func (k *resolved) see(action string) bool {
	if action != "link" && action != "rename" && action != "delete" {
		return false
	}
	clear(k.paths)
	k.since = time.Now()
	return true
}

// leadsTo returns where a path leads, and whether something is there.
func leadsTo(name string) (string, bool) {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return name, false
	}
	defer unix.Close(fd)
	to, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil || !strings.HasPrefix(to, "/") {
		return name, false
	}
	return to, true
}

// own shows the files of /proc about the process itself under their usual name,
// so that equal behaviour looks equal.
func (r *reading) own(name string) string {
	prefix := fmt.Sprintf("/proc/%d", r.pid)
	if name == prefix || strings.HasPrefix(name, prefix+"/") {
		return "/proc/self" + strings.TrimPrefix(name, prefix)
	}
	return name
}
