package netsim

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"time"
)

// dnsServer answers DNS, whatever way a question comes.
type dnsServer struct {
	n   *Net
	tap *tap // over all names: secrets leave cut into questions
}

func newDNS(n *Net) *dnsServer { return &dnsServer{n: n, tap: n.newTap()} }

func (qs *dnsServer) close() { qs.tap.close() }

// answer records a message that was sent to a server and returns the reply, nil
// for none.
func (qs *dnsServer) answer(server, address string, msg []byte) []byte {
	e := Event{Kind: "dns", Peer: server, Address: address, Bytes: int64(len(msg))}
	q, err := parseQuestion(msg)
	if err != nil {
		e.Detail, e.Head = err.Error(), msg
		e.Canaries = qs.n.find(msg)
		qs.n.log.add(e)
		return nil
	}
	code, records := qs.resolve(q)
	e.Detail = typeName(q.kind) + " " + q.name
	if code == noName {
		e.Detail += ": no such name"
	}
	e.Canaries = qs.search(q, msg)
	qs.n.log.add(e)
	return q.reply(code, records)
}

// search returns the canaries in a question by itself and those that it completes.
func (qs *dnsServer) search(q question, msg []byte) []string {
	found := qs.n.find(msg)
	qs.tap.mu.Lock()
	defer qs.tap.mu.Unlock()
	before := qs.tap.found()
	// The end of the name is where it goes, the same every time.
	labels := strings.Split(q.name, ".")
	qs.tap.search([]byte(strings.Join(labels[:max(len(labels)-2, 0)], ".")))
	for _, c := range qs.tap.found() {
		if !slices.Contains(before, c) && !slices.Contains(found, c) {
			found = append(found, c)
		}
	}
	return found
}

// find searches a message by itself.
func (n *Net) find(msg []byte) []string {
	t := n.newTap()
	t.search(msg)
	t.close()
	return t.found()
}

// resolve answers a question.
func (qs *dnsServer) resolve(q question) (code uint16, records []record) {
	switch {
	case q.opcode != 0:
		return notKnown, nil
	case q.class != 1 && q.class != 255:
		return refused, nil
	}
	if q.kind == typePTR {
		return qs.reverse(q.name)
	}
	addr := qs.n.names.address(q.name)
	if !addr.IsValid() {
		return noName, nil
	}
	_, domain, _ := strings.Cut(q.name, "._tcp.")
	switch q.kind {
	case typeA, typeANY:
		records = append(records, record{typeA, addr.AsSlice()})
	case typeTXT:
		const text = "v=spf1 -all"
		records = append(records, record{typeTXT, append([]byte{byte(len(text))}, text...)})
	case typeMX:
		records = append(records, record{typeMX, append([]byte{0, 10}, wireName("mail."+q.name)...)})
	case typeNS:
		records = append(records, record{typeNS, wireName("ns1." + q.name)})
	case typeSOA:
		data := append(wireName("ns1."+q.name), wireName("hostmaster."+q.name)...)
		for _, v := range []uint32{1, 3600, 600, 86400, 60} {
			data = binary.BigEndian.AppendUint32(data, v)
		}
		records = append(records, record{typeSOA, data})
	case typeSRV:
		if domain == "" {
			domain = q.name
		}
		data := []byte{0, 0, 0, 0, 443 >> 8, 443 & 255}
		records = append(records, record{typeSRV, append(data, wireName(domain)...)})
	}
	return noError, records // AAAA and all others: the name has none
}

func (qs *dnsServer) reverse(name string) (uint16, []record) {
	a, ok := reverseAddr(name)
	if !ok {
		return noName, nil
	}
	host := qs.n.names.name(a)
	if a.IsLoopback() {
		host = "localhost"
	}
	if host == "" {
		return noName, nil
	}
	return noError, []record{{typePTR, wireName(host)}}
}

// stream answers DNS over TCP: messages with their length before them.
func (s *session) dns(c net.Conn) {
	peer, address := s.peer(), s.address()
	for {
		var size [2]byte
		if err := s.deadline(c); err != nil {
			return
		}
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		msg := make([]byte, binary.BigEndian.Uint16(size[:]))
		if n, err := io.ReadFull(c, msg); err != nil {
			s.n.dns.answer(peer, address, msg[:min(n, headerSize-1)]) // recorded as malformed
			return
		}
		reply := s.n.dns.answer(peer, address, msg)
		if reply == nil {
			return
		}
		if _, err := c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...)); err != nil {
			return
		}
	}
}

// maxDatagram is what is read of a datagram. Larger ones are counted as lost.
const maxDatagram = 9 << 10

// receive plays the datagram service dst.
func (n *Net) receive(c *net.UDPConn, dst netip.AddrPort) {
	var t *tap // made when it is needed: most addresses never get a datagram
	defer func() {
		if t != nil {
			t.close()
		}
	}()
	buf := make([]byte, maxDatagram)
	type arrived struct {
		size int
		from netip.AddrPort
	}
	read := func() (a arrived, err error) {
		a.size, a.from, err = c.ReadFromUDPAddrPort(buf)
		return a, err
	}
	for {
		a, err := read()
		if errors.Is(err, os.ErrDeadlineExceeded) { // the Net ends; take what waits
			a, err = lastly(c.SetDeadline, read)
		}
		if err != nil {
			c.Close()
			return
		}
		if a.size == len(buf) {
			n.log.lost.Add(1)
		}
		if t == nil {
			t = n.newTap()
		}
		var reply []byte
		n.guard(func() { reply = n.datagram(t, dst, buf[:a.size]) })
		if reply != nil && a.from.Addr().IsLoopback() {
			_, _ = c.WriteToUDPAddrPort(reply, a.from) // datagrams get lost
		}
	}
}

// datagram records one and returns the reply, nil for none.
func (n *Net) datagram(t *tap, dst netip.AddrPort, p []byte) []byte {
	s := &session{n: n, dst: dst}
	if dst.Port() == 53 {
		return n.dns.answer(s.peer(), s.address(), p)
	}
	t.search(p) // one goroutine
	e := Event{Kind: "udp", Peer: s.peer(), Address: s.address(), Detail: "datagram", Head: p, Bytes: int64(len(p)), Canaries: t.found()}
	var reply []byte
	switch {
	case dst.Port() == 123 && len(p) >= 48:
		e.Detail = "NTP"
		reply = ntp(p, n.cfg.Clock())
	case dst.Port() == 443 && len(p) > 0 && p[0]&0xc0 == 0xc0:
		e.Detail = "QUIC, not answered"
	}
	n.log.add(e)
	return reply
}

// ntp answers a request for the time as a server of stratum 2 does.
func ntp(request []byte, now time.Time) []byte {
	b := make([]byte, 48)
	b[0] = request[0]&0x38 | 4 // the version that was asked for, server
	b[1], b[2], b[3] = 2, 6, 0xec
	copy(b[12:], []byte{198, 18, 0, 1})
	const from1900 = 2208988800
	stamp := uint64(now.Unix()+from1900)<<32 | uint64(now.Nanosecond())<<32/1e9
	copy(b[24:32], request[40:48]) // when the client asked
	for _, at := range []int{16, 32, 40} {
		binary.BigEndian.PutUint64(b[at:], stamp)
	}
	return b
}
