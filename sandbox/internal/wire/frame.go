package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
)

// Kind says what a frame carries. The zero value is no kind.
type Kind uint8

// The frames from the host, in the order in which they come. Nothing but KindDown
// follows KindStart: the host keeps the stream open, and its end means that the host
// is gone or wants no more.
const (
	KindJob   Kind = iota + 1 // Job
	KindInput                 // a piece of the input tar; an empty one ends it
	KindStdin                 // a piece of the program's standard input
	KindStart                 // empty: everything is there, start
	KindDown                  // after KindStart: a tunnel's number and data for the program, or none at its end
)

// The frames from the supervisor. KindDone is the last one and proves that
// nothing is missing.
const (
	KindHello    Kind = iota + 65 // Hello; the only one that is not sealed
	KindStarted                   // empty: the program runs
	KindStdout                    // a piece of what the program wrote
	KindStderr                    // the same for standard error
	KindExit                      // Exit
	KindFile                      // File
	KindFileData                  // a piece of the file announced last
	KindFail                      // Fail; ends the stream instead of KindDone
	KindDone                      // empty
	KindEvent                     // Event; before KindExit
	KindCapture                   // Capture; before KindExit
	KindOpen                      // Open; before KindExit
	KindUp                        // a tunnel's number and what the program sends, or nothing at its end
)

// Sizes of frames in bytes.
const (
	MaxMessage = 2 << 20  // the payload of a frame with a message in it
	MaxChunk   = 64 << 10 // the payload of a frame with a piece of data in it
	KeySize    = 32       // the key of a run
	headerSize = 6
	tagSize    = 16
	magic      = 0xA1 // not the start of any text, so that stray output is not taken for a frame
)

// ErrForged is returned for a frame whose tag does not fit.
var ErrForged = errors.New("frame with a wrong tag: something else writes into the stream of the supervisor")

// limit returns the most bytes that a frame of this kind may carry, -1 for a
// kind that does not exist.
func (k Kind) limit() int {
	switch k {
	case KindJob, KindHello, KindExit, KindFile, KindFail, KindEvent, KindCapture, KindOpen:
		return MaxMessage
	case KindInput, KindStdin, KindStdout, KindStderr, KindFileData, KindUp, KindDown:
		return MaxChunk
	case KindStart, KindStarted, KindDone:
		return 0
	}
	return -1
}

// seal computes the tags of one direction of a stream.
type seal struct {
	mac hash.Hash // nil before Seal
	seq uint64
}

// Seal makes every later frame carry a tag made with key.
func (s *seal) Seal(key []byte) { s.mac = hmac.New(sha256.New, key) }

func (s *seal) tag(header, payload []byte) []byte {
	var seq [8]byte
	binary.BigEndian.PutUint64(seq[:], s.seq)
	s.seq++
	s.mac.Reset()
	s.mac.Write(seq[:])
	s.mac.Write(header)
	s.mac.Write(payload)
	return s.mac.Sum(nil)[:tagSize]
}

// Writer writes frames. It is for one goroutine.
type Writer struct {
	seal
	w   io.Writer
	buf []byte
}

// NewWriter returns a Writer on w. Each frame is one call of w.Write.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write sends one frame. A payload above the limit of its kind is an error of
// the caller and is not sent.
func (w *Writer) Write(k Kind, payload []byte) error {
	if len(payload) > k.limit() {
		return fmt.Errorf("send frame of kind %d: %d bytes are more than %d", k, len(payload), k.limit())
	}
	w.buf = append(w.buf[:0], magic, byte(k))
	w.buf = binary.BigEndian.AppendUint32(w.buf, uint32(len(payload)))
	w.buf = append(w.buf, payload...)
	if w.mac != nil {
		w.buf = append(w.buf, w.tag(w.buf[:headerSize], payload)...)
	}
	if _, err := w.w.Write(w.buf); err != nil {
		return fmt.Errorf("send frame of kind %d: %w", k, err)
	}
	return nil
}

// Reader reads frames. It is for one goroutine.
type Reader struct {
	seal
	r   io.Reader
	buf []byte
}

// NewReader returns a Reader on r.
func NewReader(r io.Reader) *Reader { return &Reader{r: r} }

// Next returns the next frame; its payload is valid until the following call.
// The end of the stream between two frames is io.EOF; within one it is
// io.ErrUnexpectedEOF. After an error the stream is of no more use.
func (r *Reader) Next() (Kind, []byte, error) {
	var header [headerSize]byte
	if _, err := io.ReadFull(r.r, header[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return 0, nil, fmt.Errorf("read the header of a frame: %w", err)
		}
		return 0, nil, err
	}
	k, size := Kind(header[1]), int64(binary.BigEndian.Uint32(header[2:]))
	if header[0] != magic {
		return 0, nil, fmt.Errorf("read a frame: it starts with byte %#02x: not a frame", header[0])
	}
	if limit := k.limit(); limit < 0 {
		return 0, nil, fmt.Errorf("read a frame: unknown kind %d", k)
	} else if size > int64(limit) {
		return 0, nil, fmt.Errorf("read frame of kind %d: %d bytes are more than %d", k, size, limit)
	}
	n := int(size)
	if r.mac != nil {
		n += tagSize
	}
	if cap(r.buf) < n {
		r.buf = make([]byte, n)
	}
	r.buf = r.buf[:n]
	if _, err := io.ReadFull(r.r, r.buf); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, fmt.Errorf("read frame of kind %d: %w", k, err)
	}
	payload := r.buf[:size]
	if r.mac != nil && !hmac.Equal(r.tag(header[:], payload), r.buf[size:]) {
		return 0, nil, ErrForged
	}
	return k, payload, nil
}

// WriteChunks sends data of any length in frames of one kind.
func (w *Writer) WriteChunks(k Kind, data []byte) error {
	for len(data) > 0 {
		n := min(len(data), MaxChunk)
		if err := w.Write(k, data[:n]); err != nil {
			return err
		}
		data = data[n:]
	}
	return nil
}
