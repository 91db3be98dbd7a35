package supervisor

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Where a program waits for others. The tables of sockets are the kernel's, so a port that
// it chose itself is in them; the names of local sockets are the program's.

// door is one of them.
type door struct {
	network string // "tcp", "udp" or "unix", as net.Dial has them
	addr    netip.AddrPort
	path    string // of a local socket
}

// name is what a report calls it.
func (p door) name() string {
	if p.network == "unix" {
		return "a local socket"
	}
	return p.network + " port " + strconv.Itoa(int(p.addr.Port()))
}

// dialled are the addresses at which it can be reached from inside of the container, in
// the order in which they are tried.
func (p door) dialled() []string {
	if p.network == "unix" {
		return []string{p.path}
	}
	ip := p.addr.Addr()
	switch {
	case ip.Is4() && ip.IsUnspecified():
		ip = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	case ip.IsUnspecified():
		port := p.addr.Port()
		return []string{netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port).String(), netip.AddrPortFrom(netip.IPv6Loopback(), port).String()}
	}
	return []string{netip.AddrPortFrom(ip, p.addr.Port()).String()}
}

const (
	maxTable = 1 << 20 // bytes of one table
	// The states of sockets in the tables, of linux/tcp_states.h.
	stateListen = 0x0a
	stateClose  = 0x07 // what a datagram socket without a peer has
	// acceptsFlag marks a local socket that listens, of linux/net.h.
	acceptsFlag = 0x10000
)

// doors lists where the program waits. own are the sockets of the supervisor, bound are
// the ports that the program asked for by number: other datagram sockets are those of a
// client. dir is to what paths of local sockets are relative.
func doors(proc fs.FS, own map[uint64]bool, bound map[uint16]bool, dir string) []door {
	var out []door
	add := func(p door, inode uint64) {
		if !own[inode] && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	for _, table := range []string{"net/tcp", "net/tcp6"} {
		eachLine(proc, table, func(line string) {
			if addr, state, inode, ok := parseInet(line); ok && state == stateListen {
				add(door{network: "tcp", addr: addr}, inode)
			}
		})
	}
	for _, table := range []string{"net/udp", "net/udp6"} {
		eachLine(proc, table, func(line string) {
			if addr, state, inode, ok := parseInet(line); ok && state == stateClose && bound[addr.Port()] {
				add(door{network: "udp", addr: addr}, inode)
			}
		})
	}
	eachLine(proc, "net/unix", func(line string) {
		if name, inode, ok := parseUnix(line); ok {
			if !strings.HasPrefix(name, "@") && !path.IsAbs(name) {
				name = path.Join(dir, name)
			}
			add(door{network: "unix", path: name}, inode)
		}
	})
	return out
}

// eachLine calls f for the lines of a table but the first. One that is not there has none.
func eachLine(proc fs.FS, name string, f func(string)) {
	file, err := proc.Open(name)
	if err != nil {
		return
	}
	defer file.Close()
	lines := bufio.NewScanner(io.LimitReader(file, maxTable))
	for first := true; lines.Scan(); first = false {
		if !first {
			f(lines.Text())
		}
	}
}

// parseInet reads a line of /proc/net/tcp and its like, of proc_pid_net(5).
func parseInet(line string) (addr netip.AddrPort, state, inode uint64, ok bool) {
	f := strings.Fields(line)
	if len(f) < 10 {
		return netip.AddrPort{}, 0, 0, false
	}
	host, port, _ := strings.Cut(f[1], ":")
	raw, err := hex.DecodeString(host)
	number, portErr := strconv.ParseUint(port, 16, 16)
	state, stateErr := strconv.ParseUint(f[3], 16, 8)
	inode, inodeErr := strconv.ParseUint(f[9], 10, 64)
	if err != nil || portErr != nil || stateErr != nil || inodeErr != nil || number == 0 || len(raw) != 4 && len(raw) != 16 {
		return netip.AddrPort{}, 0, 0, false
	}
	for i := 0; i < len(raw); i += 4 { // words of the machine
		binary.BigEndian.PutUint32(raw[i:], binary.NativeEndian.Uint32(raw[i:]))
	}
	ip, _ := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(ip.Unmap(), uint16(number)), state, inode, true
}

// parseUnix reads a line of /proc/net/unix of a socket that listens and has a name.
func parseUnix(line string) (name string, inode uint64, ok bool) {
	f := strings.Fields(line)
	if len(f) < 8 {
		return "", 0, false
	}
	flags, err := strconv.ParseUint(f[3], 16, 32)
	inode, inodeErr := strconv.ParseUint(f[6], 10, 64)
	at := strings.Index(line, " "+f[6]+" ")
	if err != nil || inodeErr != nil || at < 0 || flags&acceptsFlag == 0 {
		return "", 0, false
	}
	return line[at+len(f[6])+2:], inode, true
}

// ownSockets are the inodes of the sockets that this process has open.
func ownSockets() map[uint64]bool {
	out := map[uint64]bool{}
	const dir = "/proc/self/fd"
	entries, err := os.ReadDir(dir)
	if err != nil {
		return out
	}
	for _, e := range entries {
		link, err := os.Readlink(dir + "/" + e.Name())
		if err != nil {
			continue
		}
		text, socket := strings.CutPrefix(link, "socket:[")
		if inode, err := strconv.ParseUint(strings.TrimSuffix(text, "]"), 10, 64); socket && err == nil {
			out[inode] = true
		}
	}
	return out
}
