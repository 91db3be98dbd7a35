package sandbox

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// demux reads standard output out of the engine's stream, in which each piece of
// output has a header of 8 bytes: the number of the stream, three zero bytes and
// the length. Standard error goes to the side, its last bytes only.
type demux struct {
	r      *bufio.Reader
	stderr tail
	stream byte // of the piece that is being read
	left   uint32
}

// The engine's numbers of the streams.
const (
	engineStdout = 1
	engineStderr = 2
)

func newDemux(r io.Reader) *demux {
	return &demux{r: bufio.NewReaderSize(r, 64<<10), stderr: tail{most: 4 << 10}}
}

// Read reads standard output.
func (d *demux) Read(p []byte) (int, error) {
	for d.left == 0 || d.stream != engineStdout {
		if d.left > 0 {
			if _, err := io.CopyN(&d.stderr, d.r, int64(d.left)); err != nil {
				return 0, cut(err)
			}
			d.left = 0
		}
		var header [8]byte
		if _, err := io.ReadFull(d.r, header[:]); err != nil {
			return 0, err
		}
		d.stream, d.left = header[0], binary.BigEndian.Uint32(header[4:])
		if d.stream != engineStdout && d.stream != engineStderr || header[1]|header[2]|header[3] != 0 {
			return 0, fmt.Errorf("read the engine's stream: header % x", header)
		}
	}
	n, err := d.r.Read(p[:min(len(p), int(d.left))])
	d.left -= uint32(n)
	return n, cut(err)
}

// cut turns the end of the stream within a piece into what it is.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// tail keeps the last bytes that are written to it.
type tail struct {
	most int
	data []byte
}

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	p = p[max(0, n-t.most):]
	t.data = append(t.data, p...)
	t.data = t.data[max(0, len(t.data)-t.most):]
	return n, nil
}
