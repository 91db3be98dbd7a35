package coverage

import (
	"encoding/binary"
	"errors"
)

// reader takes numbers and texts out of hostile bytes. After the first thing that
// is not there it returns zeros, and err says so.
type reader struct {
	data []byte
	at   int
	err  error
}

var errShort = errors.New("it ends too early")

func (r *reader) bytes(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.data)-r.at) {
		r.err = errShort
		return nil
	}
	b := r.data[r.at : r.at+int(n)]
	r.at += int(n)
	return b
}

func (r *reader) seek(to uint64) {
	if to > uint64(len(r.data)) {
		r.err = errShort
		return
	}
	r.at = int(to)
}

func (r *reader) u32() uint32 {
	if b := r.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// uleb is a number in as many groups of seven bits as it needs.
func (r *reader) uleb() uint64 {
	if r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.data[r.at:])
	if n <= 0 {
		r.err = errShort
		return 0
	}
	r.at += n
	return v
}

// texts is a table of texts.
func (r *reader) texts() []string {
	n := r.uleb()
	if n > uint64(len(r.data)-r.at) { // each takes a byte at least
		r.err = errShort
		return nil
	}
	var out []string
	for range n {
		b := r.bytes(r.uleb())
		if r.err != nil {
			return nil
		}
		out = append(out, string(b))
	}
	return out
}
