package netsim

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// The types of records that matter here.
const (
	typeA     = 1
	typeNS    = 2
	typeCNAME = 5
	typeSOA   = 6
	typePTR   = 12
	typeMX    = 15
	typeTXT   = 16
	typeAAAA  = 28
	typeSRV   = 33
	typeOPT   = 41
	typeHTTPS = 65
	typeANY   = 255
)

var typeNames = map[uint16]string{
	typeA: "A", typeNS: "NS", typeCNAME: "CNAME", typeSOA: "SOA", typePTR: "PTR", typeMX: "MX", typeTXT: "TXT",
	typeAAAA: "AAAA", typeSRV: "SRV", typeHTTPS: "HTTPS", typeANY: "ANY",
}

func typeName(t uint16) string {
	if s, ok := typeNames[t]; ok {
		return s
	}
	return "TYPE" + strconv.Itoa(int(t))
}

// The codes of an answer.
const (
	noError  = 0
	noName   = 3 // NXDOMAIN
	notKnown = 4 // NOTIMP
	refused  = 5
)

// question is what a client asks. Its name is in lower case, without the dot at
// the end, with what is not printable escaped as \DDD.
type question struct {
	id     uint16
	flags  uint16
	name   string
	kind   uint16
	class  uint16
	raw    []byte // the question as it was sent, to be repeated
	edns   bool
	opcode uint16
}

var errQuestion = errors.New("malformed question")

const headerSize = 12

// parseQuestion reads a query with exactly one question, as all are.
func parseQuestion(msg []byte) (question, error) {
	if len(msg) < headerSize {
		return question{}, errQuestion
	}
	word := func(at int) uint16 { return binary.BigEndian.Uint16(msg[at:]) }
	q := question{id: word(0), flags: word(2)}
	q.opcode = q.flags >> 11 & 15
	if q.flags&0x8000 != 0 || word(4) != 1 || word(6) != 0 {
		return question{}, errQuestion
	}
	at := headerSize
	var name strings.Builder
	for {
		if at >= len(msg) {
			return question{}, errQuestion
		}
		n := int(msg[at])
		at++
		if n == 0 {
			break
		}
		// A question has nothing before it that it could point to.
		if n > 63 || at+n > len(msg) || at+n-headerSize > 254 {
			return question{}, errQuestion
		}
		if name.Len() > 0 {
			name.WriteByte('.')
		}
		for _, c := range msg[at : at+n] {
			switch {
			case 'A' <= c && c <= 'Z':
				name.WriteByte(c | 0x20)
			case c <= ' ' || c == '.' || c == '\\' || c > '~':
				fmt.Fprintf(&name, `\%03d`, c)
			default:
				name.WriteByte(c)
			}
		}
		at += n
	}
	if at+4 > len(msg) {
		return question{}, errQuestion
	}
	q.name, q.kind, q.class = name.String(), word(at), word(at+2)
	at += 4
	q.raw = msg[headerSize:at]
	// EDNS is a record of the root with the type OPT, first in practice.
	q.edns = word(10) > 0 && at+3 <= len(msg) && msg[at] == 0 && word(at+1) == typeOPT
	return q, nil
}

// record is an answer about the name in the question.
type record struct {
	kind uint16
	data []byte
}

// reply builds the message that answers q.
func (q question) reply(code uint16, records []record) []byte {
	flags := uint16(0x8080) | q.flags&0x7900 | code // a response, recursion available; opcode and RD as asked
	b := binary.BigEndian.AppendUint16(nil, q.id)
	b = binary.BigEndian.AppendUint16(b, flags)
	more := uint16(0)
	if q.edns {
		more = 1
	}
	for _, n := range []uint16{1, uint16(len(records)), 0, more} {
		b = binary.BigEndian.AppendUint16(b, n)
	}
	b = append(b, q.raw...)
	for _, r := range records {
		b = append(b, 0xc0, headerSize) // the name in the question
		b = binary.BigEndian.AppendUint16(b, r.kind)
		b = binary.BigEndian.AppendUint16(b, 1)
		b = binary.BigEndian.AppendUint32(b, 60) // seconds to live
		b = binary.BigEndian.AppendUint16(b, uint16(len(r.data)))
		b = append(b, r.data...)
	}
	if q.edns {
		b = append(b, 0, 0, typeOPT, 4, 208, 0, 0, 0, 0, 0, 0) // 1232 bytes, version 0, no options
	}
	return b
}

// wireName encodes a name; labels that no host has are left out.
func wireName(name string) []byte {
	var b []byte
	for label := range strings.SplitSeq(name, ".") {
		if label != "" && len(label) < 64 && len(b)+len(label) < 250 {
			b = append(b, byte(len(label)))
			b = append(b, label...)
		}
	}
	return append(b, 0)
}

// reverseAddr reads a name such as 1.2.0.192.in-addr.arpa.
func reverseAddr(name string) (netip.Addr, bool) {
	rest, ok := strings.CutSuffix(name, ".in-addr.arpa")
	if !ok {
		return netip.Addr{}, false
	}
	a, err := netip.ParseAddr(rest)
	if err != nil || !a.Is4() {
		return netip.Addr{}, false
	}
	b := a.As4()
	return netip.AddrFrom4([4]byte{b[3], b[2], b[1], b[0]}), true
}
