package archive

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"io"
	"path"
	"strings"
)

// errGrows ends the reading of data that grows beyond what is decompressed.
var errGrows = errors.New("it grows beyond what is decompressed")

// compressed reads a tar, or one file, out of what one of the two compressions
// packed.
func (r *reader) compressed(format Kind, data []byte) {
	packed := bytes.NewReader(data)
	var plain io.Reader = &gzipped{packed: packed}
	if format == formatBzip2 {
		plain = bzip2.NewReader(packed)
	}
	grown := &growing{r: plain, left: maxStream}
	buffered := bufio.NewReaderSize(grown, headBytes)
	first, err := buffered.Peek(tarBlock)
	switch {
	case len(first) == 0 && err != nil && !errors.Is(err, io.EOF):
		r.problem("a %s that can't be opened: %v", format, err)
	case isTar(first):
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
		r.file(name, 0o644, buffered, -1)
	}
	if grown.left <= 0 {
		r.bounded("what is packed in it is larger than the %d MiB that are unpacked", maxStream>>20)
	}
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
		return errors.Join(errors.New("something that is no gzip stands behind its end"), err)
	}
	g.z.Multistream(false)
	return nil
}
