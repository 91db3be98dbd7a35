package archive

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// tar reads the members of a tar archive as every program would. At a block that is
// no header some stop, some go on to the next header, and some are told to go on
// behind the end: so every header counts.
func (r *reader) tar(content io.Reader) {
	blocks := &blocks{r: content}
	for damaged := false; ; {
		ended := r.oneTar(blocks)
		if ended == nil {
			return
		}
		if errors.Is(ended, tar.ErrHeader) && blocks.n == blocks.at {
			r.plainMember(blocks)
		}
		found, skipped := blocks.toHeader()
		if !damaged && (skipped || !errors.Is(ended, io.EOF)) {
			damaged = true
			r.problem("not all of it is a tar archive (%s), and programs differ in what they make of the rest", reason(ended))
		}
		if !found {
			return
		}
	}
}

// reason says why the reading of a tar archive ended.
func reason(err error) string {
	if errors.Is(err, io.EOF) {
		return "data follows its end"
	}
	return err.Error()
}

// blocks reads a tar archive, and can go back to the block that was read last.
type blocks struct {
	r    io.Reader
	last [tarBlock]byte
	n    int64 // bytes that were read
	back []byte
	at   int64 // n behind the last header that was read, or given back
	err  error
}

// Read implements [io.Reader]. It never reads across the end of a block, so that what
// was read last can be given again.
func (b *blocks) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(b.back) > 0 {
		n := copy(p, b.back)
		b.back = b.back[n:]
		return n, nil
	}
	at := int(b.n % tarBlock)
	n, err := b.r.Read(p[:min(len(p), tarBlock-at)])
	copy(b.last[at:], p[:n])
	b.n += int64(n)
	if err != nil {
		b.err = err
	}
	return n, err
}

// plainMember reads the member of a header that archive/tar refuses, as programs do that ask
// for less: its name, and as many bytes as the header says.
func (r *reader) plainMember(b *blocks) {
	name, _, _ := bytes.Cut(b.last[:100], []byte{0})
	digits := strings.Trim(string(b.last[124:136]), " \x00")
	size, err := strconv.ParseInt(digits, 8, 64)
	if err != nil || size <= 0 {
		return
	}
	b.back = nil
	r.file(string(name), 0, io.LimitReader(b, size), size)
}

// toHeader goes to the next header, where the block that was read last may be one
// already: but not again where a reader has refused it, as archive/tar does with members of
// types that their form of header does not have. skipped says that more than zeros came before
// it, or before the end.
func (b *blocks) toHeader() (found, skipped bool) {
	b.back = nil
	if at := int(b.n % tarBlock); at > 0 {
		if _, err := io.ReadFull(b, make([]byte, tarBlock-at)); err != nil {
			return false, len(bytes.Trim(b.last[:at], "\x00")) > 0
		}
	}
	for b.n > 0 {
		if isTar(b.last[:]) && b.n > b.at {
			b.back, b.at = bytes.Clone(b.last[:]), b.n
			return true, skipped
		}
		skipped = skipped || b.n > b.at && len(bytes.Trim(b.last[:], "\x00")) > 0
		if _, err := io.ReadFull(b, make([]byte, tarBlock)); err != nil {
			return false, skipped || len(bytes.Trim(b.last[:b.n%tarBlock], "\x00")) > 0
		}
	}
	return false, skipped
}

// oneTar reads up to the end of one archive, and returns why it ended there; nil
// where nothing more is read.
func (r *reader) oneTar(content *blocks) error {
	t := tar.NewReader(content)
	for {
		if r.full() {
			return nil
		}
		h, err := t.Next()
		switch {
		case errors.Is(err, errGrows), content.err != nil && err != nil && !errors.Is(content.err, io.EOF):
			if !errors.Is(err, errGrows) {
				r.problem("it can't be read to its end: %v", err)
			}
			return nil // what is bounded is said where that happens
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return err
		}
		content.at = content.n
		switch h.Typeflag {
		case tar.TypeReg, tar.TypeRegA, tar.TypeGNUSparse, tar.TypeCont: //nolint:staticcheck // TypeRegA is what old archives have
			r.file(h.Name, h.FileInfo().Mode().Perm(), t, h.Size)
			if h.FileInfo().Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
				r.problem("%s has the setuid or setgid bit", shown(h.Name))
			}
		case tar.TypeDir, tar.TypeXGlobalHeader:
			r.seen++
		case tar.TypeSymlink, tar.TypeLink:
			r.link(h.Name, h.Linkname)
		default:
			r.seen++
			r.problem("%s is not a regular file (type %q)", shown(h.Name), h.Typeflag)
		}
	}
}
