package netsim

import (
	"crypto/sha256"
	"encoding/binary"
	"net/netip"
	"strings"
	"sync"
)

// maxNames bounds the names that have an address of their own.
const maxNames = 4096

// metadataAddr is where clouds have their metadata service.
var metadataAddr = netip.AddrFrom4([4]byte{169, 254, 169, 254})

// sharedAddr is the address of the names beyond maxNames.
var sharedAddr = netip.AddrFrom4([4]byte{198, 18, 0, 1})

// names gives each name an address of 198.18.0.0/15, the network for benchmarks,
// which no one has.
type names struct {
	reserved bool // names below .invalid exist, which no one has
	mu       sync.Mutex
	byName   map[string]netip.Addr
	byAddr   map[netip.Addr]string
}

func newNames(reserved bool) *names {
	return &names{reserved: reserved, byName: map[string]netip.Addr{}, byAddr: map[netip.Addr]string{}}
}

// address returns the address of a name in lower case, without a dot at the end.
// It depends on the name alone, but for the few that collide. It is not valid for
// a name that does not exist.
func (ns *names) address(name string) netip.Addr {
	switch {
	case name == "localhost" || strings.HasSuffix(name, ".localhost"):
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	case name == "metadata.google.internal" || name == "metadata" || name == "instance-data" || name == "instance-data.ec2.internal":
		return metadataAddr
	case !exists(name) && !(ns.reserved && strings.HasSuffix(name, ".invalid")):
		return netip.Addr{}
	}
	ns.mu.Lock()
	defer ns.mu.Unlock()
	if a, ok := ns.byName[name]; ok {
		return a
	}
	if len(ns.byName) >= maxNames {
		return sharedAddr
	}
	sum := sha256.Sum256([]byte(name))
	for at := binary.BigEndian.Uint32(sum[:]); ; at++ {
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], 198<<24|18<<16|at&0x1ffff)
		a := netip.AddrFrom4(b)
		if b[3] == 0 || b[3] == 255 || a == sharedAddr {
			continue
		}
		if _, taken := ns.byAddr[a]; !taken {
			ns.byName[name], ns.byAddr[a] = a, name
			return a
		}
	}
}

// name returns the name that has the address, "" for none.
func (ns *names) name(a netip.Addr) string {
	ns.mu.Lock()
	defer ns.mu.Unlock()
	return ns.byAddr[a]
}

// exists reports whether a name is one that the internet could know. Programs ask
// for the others too, and never get an answer.
func exists(name string) bool {
	first, _, _ := strings.Cut(name, ".")
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case name == "" || name == "use-application-dns.net":
		return false
	case first == "wpad" || first == "isatap":
		return false
	case last == "invalid" || last == "local" || last == "localdomain" || last == "onion" || last == "lan" || last == "home":
		return false
	}
	return true
}
