package static

import (
	"bytes"

	"github.com/aigate/gate/gate/static/archive"
)

// edges sees all bytes of a file pass by, and keeps what tells that more is in it
// than its beginning says: its last bytes, and where something packed begins behind
// a text.
type edges struct {
	tail   []byte
	size   int64
	behind int64  // offset of the first packed data behind the beginning, 0 for none
	image  bool   // what comes before it is a picture
	last   []byte // of what was written before, for what lies across two writes
}

// Write implements [io.Writer].
func (e *edges) Write(p []byte) (int, error) {
	if e.behind == 0 {
		seen := append(e.last, p...)
		if i, image := packedBehind(seen); i >= 0 {
			e.behind, e.image = e.size-int64(len(e.last))+int64(i), image
		}
		e.last = append(e.last[:0], seen[max(0, len(seen)-markLength):]...)
	}
	e.size += int64(len(p))
	if len(p) >= archive.Tail {
		e.tail = append(e.tail[:0], p[len(p)-archive.Tail:]...)
		return len(p), nil
	}
	if len(e.tail)+len(p) > 2*archive.Tail {
		e.tail = append(e.tail[:0], e.tail[len(e.tail)-archive.Tail:]...)
	}
	e.tail = append(e.tail, p...)
	return len(p), nil
}

// markLength is how many bytes the marks of packed data take, with the end of a picture
// in front of them, less one.
const markLength = 13

// packedBehind returns where packed data begins on a line of its own, as behind a
// script that unpacks itself, or behind the end of a picture; -1 for nowhere.
func packedBehind(b []byte) (at int, image bool) {
	line := after(b, "\n", packed)
	png := after(b, "IEND\xaeB`\x82", func(rest []byte) bool { return len(rest) > 0 })
	jpeg := after(b, "\xff\xd9", packed)
	switch {
	case png >= 0:
		return png, true
	case jpeg >= 0 && (line < 0 || jpeg < line):
		return jpeg, true
	}
	return line, false
}

// after returns where the first bytes are behind a mark that a condition holds for,
// -1 for nowhere.
func after(b []byte, mark string, holds func([]byte) bool) int {
	for from := 0; ; {
		i := bytes.Index(b[from:], []byte(mark))
		if i < 0 {
			return -1
		}
		if from += i + len(mark); holds(b[from:]) {
			return from
		}
	}
}

// packed reports whether packed data begins so.
func packed(b []byte) bool {
	for _, mark := range [...]string{"\x1f\x8b\x08", "BZh91", "\xfd7zXZ", "\x28\xb5\x2f\xfd", "PK\x03\x04"} {
		if bytes.HasPrefix(b, []byte(mark)) {
			return true
		}
	}
	return false
}
