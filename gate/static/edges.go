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
	last   []byte // of what was written before, for what lies across two writes
}

// Write implements [io.Writer].
func (e *edges) Write(p []byte) (int, error) {
	if e.behind == 0 {
		seen := append(e.last, p...)
		if i := packedBehind(seen); i >= 0 {
			e.behind = e.size - int64(len(e.last)) + int64(i)
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

// markLength is how many bytes the marks of packed data take, less one.
const markLength = 5

// packedBehind returns where packed data begins on a line of its own, as behind a
// script that unpacks itself, -1 for nowhere.
func packedBehind(b []byte) int {
	for from := 0; ; {
		i := bytes.IndexByte(b[from:], '\n')
		if i < 0 {
			return -1
		}
		from += i + 1
		rest := b[from:]
		for _, mark := range [...]string{"\x1f\x8b\x08", "BZh91", "\xfd7zXZ", "\x28\xb5\x2f\xfd", "PK\x03\x04"} {
			if bytes.HasPrefix(rest, []byte(mark)) {
				return from
			}
		}
	}
}
