package supervisor

import (
	"bytes"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// repeats knows the opens that have been decoded before, by what the kernel will
// look at: the call, its flags and the text of an absolute path. While nothing is
// moved and no file becomes one that the program wrote, the same call means the
// same; it is counted, and decoding it again would find nothing else.
type repeats struct {
	places map[string]int // in the journal
	buf    [repeatHead + pathChunk]byte
}

const (
	maxRepeats = 1024 // calls
	repeatHead = 8    // bytes before the path: call and flags
)

func newRepeats() repeats { return repeats{places: map[string]int{}} }

// find returns the key of a call, nil for one that is never kept, and its place.
// The key is good until the next call.
func (a *repeats) find(r *reading) (key []byte, place int) {
	var path, flags uint64
	switch r.nr {
	case callOpen:
		path, flags = r.args[0], r.args[1]
	case unix.SYS_OPENAT:
		path, flags = r.args[1], r.args[2]
	default:
		return nil, nothingKnown
	}
	text := a.buf[repeatHead:][:pageRest(path)]
	n := bytes.IndexByte(text[:r.memory.read(r.pid, path, text)], 0)
	if n < 0 {
		return nil, nothingKnown
	}
	r.head, r.headAt = text[:n], path
	if n == 0 || text[0] != '/' {
		return nil, nothingKnown // relative to what may be anything
	}
	binary.LittleEndian.PutUint32(a.buf[:], r.nr)
	binary.LittleEndian.PutUint32(a.buf[4:], uint32(flags))
	key = a.buf[:repeatHead+n]
	if place, ok := a.places[string(key)]; ok {
		return key, place
	}
	return key, nothingKnown
}

func (a *repeats) keep(key string, place int) {
	if place != nothingKnown && len(a.places) < maxRepeats {
		a.places[key] = place
	}
}

func (a *repeats) forget() { clear(a.places) }
