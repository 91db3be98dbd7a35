package supervisor

import (
	"encoding/binary"
	"errors"
)

// A program reads the clock without a call, from a page of code that the kernel maps
// into it: the vDSO. Where that page is, the auxiliary vector on its stack says when it
// starts; without it every library makes the call.

// The types of linux/auxvec.h.
const (
	auxEnd    = 0
	auxIgnore = 1
	auxVDSO   = 33
)

// maxStart bounds the words on the stack before the auxiliary vector.
const maxStart = 1 << 18

var errNoVector = errors.New("no auxiliary vector where it should be")

// withoutVDSO hides the vDSO from a program that is about to begin.
func withoutVDSO(m *memory, pid int) error {
	at, err := stackOf(pid)
	if err != nil {
		return err
	}
	s := stackReader{m: m, pid: pid, at: at}
	entry, err := vdsoEntry(s.word)
	if err != nil || entry < 0 {
		return err
	}
	return m.write(pid, at+8*uint64(entry), binary.LittleEndian.AppendUint64(nil, auxIgnore))
}

// vdsoEntry returns the index of the word with which the entry of the vDSO begins, -1
// where there is none. The stack holds the number of arguments, the arguments, a zero,
// the environment, a zero, and the vector.
func vdsoEntry(word func(i int) (uint64, bool)) (int, error) {
	argc, ok := word(0)
	if !ok || argc > maxStart {
		return -1, errNoVector
	}
	i := int(argc) + 2
	for {
		w, ok := word(i)
		if !ok || i > maxStart {
			return -1, errNoVector
		}
		i++
		if w == 0 {
			break
		}
	}
	for range 64 {
		switch kind, ok := word(i); {
		case !ok:
			return -1, errNoVector
		case kind == auxEnd:
			return -1, nil
		case kind == auxVDSO:
			return i, nil
		}
		i += 2
	}
	return -1, errNoVector
}

// stackReader reads words of a process, a page at a time.
type stackReader struct {
	m   *memory
	pid int
	at  uint64

	page []byte
	from int
}

func (s *stackReader) word(i int) (uint64, bool) {
	const words = 64
	if s.page == nil || i < s.from || i >= s.from+len(s.page)/8 {
		buf := make([]byte, 8*words)
		n := s.m.read(s.pid, s.at+8*uint64(i), buf)
		if n < 8 { // across the end of the stack, perhaps
			if n = s.m.read(s.pid, s.at+8*uint64(i), buf[:8]); n < 8 {
				return 0, false
			}
		}
		s.page, s.from = buf[:n&^7], i
	}
	return binary.LittleEndian.Uint64(s.page[8*(i-s.from):]), true
}
