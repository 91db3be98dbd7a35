package archive

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
)

// tar reads the members of a tar archive, and of those behind it: some programs
// stop at the end of the first, others are told to go on.
func (r *reader) tar(content io.Reader) {
	for !r.oneTar(content) {
		next, err := skipZeros(content)
		if err != nil {
			return
		}
		content = next
		block := make([]byte, tarBlock)
		n, _ := io.ReadFull(content, block)
		if !isTar(block[:n]) {
			r.problem("something that is no tar stands behind its end")
			return
		}
		content = io.MultiReader(bytes.NewReader(block), content)
	}
}

// skipZeros reads up to the first byte that is not zero; an error is the end.
func skipZeros(content io.Reader) (io.Reader, error) {
	block := make([]byte, tarBlock)
	for {
		n, err := io.ReadFull(content, block)
		for i, c := range block[:n] {
			if c != 0 {
				return io.MultiReader(bytes.NewReader(bytes.Clone(block[i:n])), content), nil
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// oneTar reads up to the end of one archive, and reports whether nothing more can
// be read.
func (r *reader) oneTar(content io.Reader) (over bool) {
	t := tar.NewReader(content)
	for {
		if r.full() {
			return true
		}
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return false
		case errors.Is(err, errGrows):
			return true // is said where it is bounded
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			r.problem("it can't be read to its end: %v", err)
			return true
		}
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
