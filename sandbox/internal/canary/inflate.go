package canary

import (
	"compress/flate"
	"io"
	"iter"
	"slices"
)

// Bounds of decompression. What exceeds them makes the stream incomplete.
const (
	maxOpen      = 6       // members that are read at once from one place, and as many guesses
	maxInflaters = 96      // in all streams of a matcher; each takes about 50 KiB
	baseGrowth   = 1 << 20 // bytes that may come out of any stream,
	growth       = 16      // and so many more for each byte that went in
	baseAttempts = 1024    // starts of members in any stream,
	attemptEvery = 16      // and one more for so many bytes
)

// The compressions.
const (
	gzipMember = iota
	zlibMember
	rawMember
)

// memberNames are their names in evidence.
var memberNames = [...]string{gzipMember: "gzip", zlibMember: "zlib", rawMember: "deflate"}

// members finds compressed data in the bytes of a node and reads it.
type members struct {
	n      *node
	open   []*inflater
	before byte // the byte before the last one
	seen   int64
	fresh  bool // a payload starts with the next byte
}

// feed takes the next byte; last is the one before.
func (ms *members) feed(last, b byte) {
	if ms.fresh {
		ms.fresh = false
		ms.start(rawMember)
	}
	kept := ms.open[:0]
	for _, f := range ms.open {
		if f.feed(b) {
			kept = append(kept, f)
		}
	}
	clear(ms.open[len(kept):])
	ms.open = kept
	ms.seen++
	switch {
	case ms.seen > 2 && ms.before == 0x1f && last == 0x8b && b == 8:
		if f := ms.start(gzipMember); f != nil {
			f.in = append(f.in, 0x1f, 0x8b, 8)
		}
	case ms.seen > 1 && last&0x8f == 0x08 && (uint16(last)<<8|uint16(b))%31 == 0 && b&0x20 == 0:
		ms.start(zlibMember)
	}
	ms.before = last
}

// start begins to read a member with the next byte. Raw data is a guess, so what
// keeps it from being tried hides nothing that was promised.
func (ms *members) start(kind int) *inflater {
	s := ms.n.s
	if ms.n.escaped != nil && ms.n.undone == 0 {
		return nil // the parent sees the same
	}
	attempts := &s.attempts
	if kind == rawMember {
		attempts = &s.guesses
	}
	*attempts++
	room := *attempts <= baseAttempts+s.fed/attemptEvery && ms.makeRoom(kind == rawMember)
	if room && s.m.inflaters.Add(1) > maxInflaters {
		s.m.inflaters.Add(-1)
		room = false
	}
	if !room {
		if kind != rawMember {
			s.incomplete = true
		}
		return nil
	}
	f := &inflater{n: ms.n, kind: kind, chunk: 16}
	f.in = f.buf[:0]
	ms.open = append(ms.open, f)
	return f
}

// makeRoom reports whether one more member can be read. Where there is none, what
// waits is read now, which ends most of what only looked like a member, and of
// guesses the oldest one goes.
func (ms *members) makeRoom(guess bool) bool {
	count := func() (n int) {
		for _, f := range ms.open {
			if (f.kind == rawMember) == guess {
				n++
			}
		}
		return n
	}
	if count() < maxOpen {
		return true
	}
	ms.flush(false)
	if count() < maxOpen {
		return true
	}
	if !guess {
		return false
	}
	oldest := slices.IndexFunc(ms.open, func(f *inflater) bool { return f.kind == rawMember })
	ms.open[oldest].close()
	ms.open = slices.Delete(ms.open, oldest, oldest+1)
	return true
}

func (ms *members) flush(end bool) {
	kept := ms.open[:0]
	for _, f := range ms.open {
		if f.flush() && !end {
			kept = append(kept, f)
			continue
		}
		f.close()
	}
	clear(ms.open[len(kept):])
	ms.open = kept
}

// inflater reads one member. Decompressors of the standard library pull, and data
// is pushed here: so it runs as a coroutine that waits inside its reader.
type inflater struct {
	n      *node
	to     *node
	kind   int
	buf    [512]byte
	in     []byte // in buf: waits to be read
	chunk  int    // how much of it is worth a switch
	resume func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	done   bool
}

// feed takes the next byte and reports whether the member goes on.
func (f *inflater) feed(b byte) bool {
	if f.resume == nil && len(f.in) == 0 && b&6 == 6 {
		f.close() // no such kind of block
		return false
	}
	f.in = append(f.in, b)
	if len(f.in) < f.chunk {
		return true
	}
	f.chunk = len(f.buf)
	return f.flush()
}

// flush reads what waits.
func (f *inflater) flush() bool {
	if f.done {
		return false
	}
	if f.resume == nil {
		f.resume, f.stop = iter.Pull(f.run)
	}
	if _, more := f.resume(); !more {
		f.close()
		return false
	}
	return true
}

func (f *inflater) close() {
	if !f.done {
		f.done = true
		if f.stop != nil {
			f.stop()
		}
		f.n.s.m.inflaters.Add(-1)
		if f.to != nil {
			f.to.flush(true)
		}
	}
}

// ReadByte and Read make the inflater the source of its own decompressor.
func (f *inflater) ReadByte() (byte, error) {
	for len(f.in) == 0 {
		f.in = f.buf[:0]
		if f.yield == nil || !f.yield(struct{}{}) {
			f.yield = nil // yielding again would be an error
			return 0, io.ErrUnexpectedEOF
		}
	}
	b := f.in[0]
	f.in = f.in[1:]
	return b, nil
}

func (f *inflater) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	b, err := f.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = b
	n := copy(p[1:], f.in)
	f.in = f.in[n:]
	return n + 1, nil
}

var _ interface {
	io.Reader
	io.ByteReader // otherwise the decompressor would read ahead
} = (*inflater)(nil)

// run is the coroutine. It ends with the member, with an error in it, or with the
// stream.
func (f *inflater) run(yield func(struct{}) bool) {
	f.yield = yield
	s := f.n.s
	d, ok := s.m.flates.Get().(*decompressor)
	if !ok {
		d = &decompressor{flate: flate.NewReader(f)}
	}
	defer s.m.flates.Put(d)
	r, err := d.reset(f)
	if err != nil {
		return
	}
	for {
		k, err := r.Read(d.out[:])
		for _, b := range d.out[:k] {
			if s.inflated >= baseGrowth+growth*s.fed {
				s.incomplete = true
				return
			}
			s.inflated++
			f.child().feed(b)
		}
		if err != nil {
			return
		}
	}
}

// child returns the node for what comes out, made when something does.
func (f *inflater) child() *node {
	if f.to == nil {
		decode := f.n.text != nil // no decoder of text on the way here
		f.to = newNode(f.n.s, f.n.via+memberNames[f.kind]+" of ", decode, false)
	}
	return f.to
}

// decompressor is what is worth keeping between members.
type decompressor struct {
	flate io.ReadCloser
	out   [1024]byte
}

// reset prepares to read a member of f.
func (d *decompressor) reset(f *inflater) (io.Reader, error) {
	if f.kind == gzipMember {
		if err := skipGzipHeader(f); err != nil {
			return nil, err
		}
	}
	return d.flate, d.flate.(flate.Resetter).Reset(f, nil)
}
