package reading

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// HeadSize is how much of a file [Stats] keeps.
const HeadSize = 16 << 10 // bytes

// Stats is what the bytes of a whole file look like.
type Stats struct {
	Size    int64
	SHA256  string // in hex
	NULs    int64
	Control int64 // control characters that text does not have, NULs aside
	High    int64 // bytes above 0x7f
	UTF8    bool  // NULs aside, all of it is valid UTF-8
	Head    []byte
	little  wide
	big     wide
	wide32  [2]wide // little and big endian
	run     int64   // the longest run of printable ASCII
}

// wide counts the units of an encoding of two or four bytes.
type wide struct {
	units, ascii, bad int64
	high              rune // the first half of a pair
}

// bufferSize is a multiple of four, so that units are not cut.
const bufferSize = 64 << 10

// Measure reads a file to its end.
func Measure(r io.Reader) (Stats, error) {
	s := Stats{UTF8: true}
	sum := sha256.New()
	buf := make([]byte, bufferSize)
	var tail []byte // the beginning of a character that the last part cut
	var run int64
	for {
		n, err := io.ReadFull(r, buf)
		part := buf[:n]
		sum.Write(part)
		if room := HeadSize - len(s.Head); room > 0 {
			s.Head = append(s.Head, part[:min(room, n)]...)
		}
		s.bytes(part, &run)
		if s.UTF8 {
			tail = s.valid(tail, part)
		}
		if mark, _ := bom(s.Head); mark != "" || s.NULs > 0 {
			s.widen(part, s.Size == 0)
		}
		s.Size += int64(n)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			s.UTF8 = s.UTF8 && len(tail) == 0
			s.SHA256 = hex.EncodeToString(sum.Sum(nil))
			return s, nil
		case err != nil:
			return s, err
		}
	}
}

// bytes counts the kinds of bytes.
func (s *Stats) bytes(part []byte, run *int64) {
	for _, c := range part {
		switch {
		case c == 0:
			s.NULs++
		case c >= utf8.RuneSelf:
			s.High++
		case c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v' && c != '\b' && c != 0x1b, c == 0x7f:
			s.Control++
		default:
			*run++
			s.run = max(s.run, *run)
			continue
		}
		*run = 0
	}
}

// valid checks that the text goes on as UTF-8, and returns what is cut at the end.
func (s *Stats) valid(tail, part []byte) []byte {
	if bytes.IndexByte(part, 0) >= 0 {
		part = bytes.ReplaceAll(part, []byte{0}, nil)
	}
	if len(tail) > 0 {
		part = append(bytes.Clone(tail), part...)
	}
	end := len(part)
	for back := 1; back < utf8.UTFMax && back <= len(part); back++ {
		if c := part[len(part)-back]; utf8.RuneStart(c) {
			if !utf8.FullRune(part[len(part)-back:]) {
				end = len(part) - back
			}
			break
		}
	}
	s.UTF8 = utf8.Valid(part[:end])
	return bytes.Clone(part[end:])
}

// widen counts the units of UTF-16 and UTF-32. Where the file begins with
// something else, and its first NUL comes later, the part before it is missing:
// such a file is never taken for either.
func (s *Stats) widen(part []byte, first bool) {
	if !first && s.little.units == 0 {
		s.little.bad, s.big.bad, s.wide32[0].bad, s.wide32[1].bad = 1, 1, 1, 1
	}
	for i := 0; i+1 < len(part); i += 2 {
		s.little.add16(rune(part[i]) | rune(part[i+1])<<8)
		s.big.add16(rune(part[i+1]) | rune(part[i])<<8)
	}
	for i := 0; i+3 < len(part); i += 4 {
		s.wide32[0].add(rune(part[i]) | rune(part[i+1])<<8 | rune(part[i+2])<<16 | rune(part[i+3]&0x7f)<<24)
		s.wide32[1].add(rune(part[i+3]) | rune(part[i+2])<<8 | rune(part[i+1])<<16 | rune(part[i]&0x7f)<<24)
	}
}

// add16 counts a unit of UTF-16.
func (w *wide) add16(u rune) {
	switch {
	case w.high != 0:
		r := utf16.DecodeRune(w.high, u)
		w.high = 0
		if r == utf8.RuneError {
			w.bad++
		}
		w.add(r)
	case utf16.IsSurrogate(u) && u < 0xdc00:
		w.high = u
	default:
		w.add(u)
	}
}

// add counts a character.
func (w *wide) add(r rune) {
	w.units++
	switch {
	case r >= ' ' && r < 0x7f || r == '\t' || r == '\n' || r == '\r' || r == '\f':
		w.ascii++
	case r == 0xfeff && w.units == 1:
	case !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cf, unicode.Co):
		w.bad++
	}
}

const (
	asciiShare = 50 // of so many characters of a text at least one is ASCII: line ends, blanks, digits
	asciiRun   = 32 // printable bytes in a row that UTF-16 and UTF-32 do not have
)

// plausible reports whether the whole file is text in an encoding of that size.
func (w wide) plausible(s *Stats, size int64) bool {
	return s.Size%size == 0 && w.units > 0 && w.bad == 0 && w.high == 0 && w.ascii*asciiShare >= w.units-1 && s.run < asciiRun
}
