package archive

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/therootcompany/xz"
)

// errGrows ends the reading of data that grows beyond what is decompressed.
var errGrows = errors.New("it grows beyond what is decompressed")

// compressed reads a tar, or one file, out of what one of the two compressions
// packed.
func (r *reader) compressed(format Kind, data []byte) {
	plain, err := plainOf(format, data)
	if err != nil {
		r.problem("the %s can't be opened: %v", format, err)
		return
	}
	grown := &growing{r: plain, left: maxStream}
	buffered := bufio.NewReaderSize(grown, headBytes)
	first, err := buffered.Peek(headBytes)
	switch {
	case len(first) == 0 && err != nil && !errors.Is(err, io.EOF):
		r.problem("the %s can't be opened: %v", format, err)
	case beginsTar(first):
		r.archive.Format = "tar in a " + format.String()
		r.tar(buffered)
	default:
		name := strings.TrimSuffix(path.Base(r.name), path.Ext(r.name))
		if lower := strings.ToLower(r.name); strings.HasSuffix(lower, ".tgz") || strings.HasSuffix(lower, ".tbz") || strings.HasSuffix(lower, ".svgz") {
			name = path.Base(r.name)
		}
		if name == "" {
			name = "content"
		}
		// Nothing says what it is, so it is read whatever its name is.
		wanted := r.wanted
		r.wanted = func(string, fs.FileMode, []byte, int64) bool { return true }
		r.file(name, 0o644, buffered, -1)
		r.wanted = wanted
	}
	if grown.left <= 0 {
		r.bounded("what is packed in it is larger than the %d MiB that are unpacked", maxStream>>20)
	}
}

// maxWindow is the memory that the reader of a compression may take.
const maxWindow = 64 << 20 // bytes

// plainOf returns what unpacks data.
func plainOf(format Kind, data []byte) (io.Reader, error) {
	packed := bytes.NewReader(data)
	switch format {
	case formatBzip2:
		return bzip2.NewReader(packed), nil
	case formatXz:
		return xz.NewReader(packed, maxWindow)
	case formatZstd:
		z, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxStream), zstd.WithDecoderMaxWindow(maxWindow), zstd.IgnoreChecksum(true))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	case formatLZ4:
		return lz4.NewReader(packed), nil
	case formatZlib:
		return zlib.NewReader(packed)
	}
	return &gzipped{packed: packed}, nil
}

// growing bounds what compressed data grows to.
type growing struct {
	r    io.Reader
	left int64
}

// Read implements [io.Reader].
func (g *growing) Read(p []byte) (int, error) {
	if g.left <= 0 {
		return 0, errGrows
	}
	n, err := g.r.Read(p[:min(int64(len(p)), g.left)])
	g.left -= int64(n)
	return n, err
}

// gzipped reads all streams of a gzip file, and no padding behind them.
type gzipped struct {
	packed *bytes.Reader
	z      *gzip.Reader
	err    error // what ended it
}

// Read implements [io.Reader].
func (g *gzipped) Read(p []byte) (n int, err error) {
	for n == 0 && g.err == nil {
		if g.z == nil {
			if g.z, g.err = gzip.NewReader(g.packed); g.err != nil {
				break
			}
			g.z.Multistream(false)
		}
		if n, g.err = g.z.Read(p); errors.Is(g.err, io.EOF) {
			g.err = g.next()
		}
	}
	if n > 0 {
		return n, nil // the end comes with the next call
	}
	return 0, g.err
}

// next begins the stream behind the one that ended; io.EOF where there is none.
func (g *gzipped) next() error {
	rest := g.packed.Len()
	zeros := 0
	for {
		c, err := g.packed.ReadByte()
		if err != nil {
			return io.EOF
		}
		if c != 0 {
			_ = g.packed.UnreadByte()
			break
		}
		if zeros++; zeros == rest {
			return io.EOF
		}
	}
	if err := g.z.Reset(g.packed); err != nil {
		return errors.Join(errors.New("data that is not gzip follows its end"), err)
	}
	g.z.Multistream(false)
	return nil
}
