package images

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// The bounds of what is installed for one language.
const (
	maxInstalledBytes = 6 << 30
	maxInstalledFiles = 600_000
	maxReport         = 1 << 20
)

// spooled is the installed files as a tar on disk, until the engine has them. They
// are kept because the whole of them is looked at before any of them is used.
type spooled struct {
	file    *os.File
	unnamed bool
	size    int64
}

// Close removes it.
func (s *spooled) Close() error {
	err := s.file.Close()
	if !s.unnamed {
		err = errors.Join(err, os.Remove(s.file.Name()))
	}
	return err
}

// parts are spooled files that go into one image.
type parts []*spooled

func (p *parts) add(s *spooled) { *p = append(*p, s) }

// files are all of them as one tar.
func (p parts) files() io.Reader {
	var all []io.Reader
	for _, s := range p {
		all = append(all, io.NewSectionReader(s.file, 0, s.size))
	}
	return io.MultiReader(append(all, bytes.NewReader(endOfTar[:]))...)
}

// endOfTar is what a tar ends with; spooled files have none, so that others can follow.
var endOfTar [1024]byte

// context is the context of the build: the Dockerfile and the files.
func (p parts) context(dockerfile []byte) io.Reader {
	var head strings.Builder
	w := tar.NewWriter(&head)
	h := &tar.Header{Name: "Dockerfile", Mode: 0o644, Size: int64(len(dockerfile)), Typeflag: tar.TypeReg, ModTime: time.Unix(0, 0)}
	// Writing to memory cannot fail. The tar is not closed here: the files follow.
	_ = w.WriteHeader(h)
	_, _ = w.Write(dockerfile)
	_ = w.Flush()
	return io.MultiReader(strings.NewReader(head.String()), p.files())
}

// spool takes the installed files, without rights and owners of their own, and the
// report. It refuses what no installer leaves, and what holds a secret.
func spool(files io.Reader, secrets Secrets) (_ *spooled, report []byte, err error) {
	f, err := os.CreateTemp("", "gate-deps-*.tar")
	if err != nil {
		return nil, nil, err
	}
	// Where that is possible it has no name from now on, so that a gate that is killed
	// leaves none of it behind.
	s := &spooled{file: f, unnamed: os.Remove(f.Name()) == nil}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	w := tar.NewWriter(f)
	var count, total int64
	for in := tar.NewReader(files); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, fmt.Errorf("read what was installed: %w", err)
		}
		name := path.Clean(h.Name)
		if name == "deps/report" {
			if report, err = io.ReadAll(io.LimitReader(in, maxReport)); err != nil {
				return nil, nil, fmt.Errorf("read the report: %w", err)
			}
			continue
		}
		count, total = count+1, total+h.Size
		switch {
		case name != "deps" && !strings.HasPrefix(name, "deps/") || !filepath.IsLocal(name):
			return nil, nil, fmt.Errorf("%.200q does not lie where dependencies are installed", h.Name)
		case count > maxInstalledFiles || total > maxInstalledBytes:
			return nil, nil, fmt.Errorf("more than %d files or %d GiB were installed", maxInstalledFiles, maxInstalledBytes>>30)
		}
		out, ok := installedHeader(h, name)
		if !ok {
			continue
		}
		if err := w.WriteHeader(out); err != nil {
			return nil, nil, fmt.Errorf("keep %s: %w", name, err)
		}
		if found, err := secrets.copy(w, io.LimitReader(in, h.Size), name+"\x00"+h.Linkname); err != nil {
			return nil, nil, fmt.Errorf("keep %s: %w", name, err)
		} else if found != "" {
			return nil, nil, fmt.Errorf("%s holds the secret %s, so there is no image", name, found)
		}
	}
	if err := w.Flush(); err != nil {
		return nil, nil, err
	}
	s.size, err = f.Seek(0, io.SeekCurrent)
	return s, report, err
}

// installedHeader is how a file goes into the image; ok is false for what is none.
// A link may lead anywhere: it is followed in a container only.
func installedHeader(h *tar.Header, name string) (*tar.Header, bool) {
	out := &tar.Header{Name: name, Typeflag: h.Typeflag, Mode: 0o644, ModTime: time.Unix(1577836800, 0), Format: tar.FormatPAX}
	switch h.Typeflag {
	case tar.TypeDir:
		out.Mode, out.Name = 0o755, name+"/"
	case tar.TypeReg:
		out.Size = h.Size
		if h.Mode&0o111 != 0 {
			out.Mode = 0o755
		}
	case tar.TypeSymlink:
		out.Linkname, out.Mode = h.Linkname, 0o777
	case tar.TypeLink:
		out.Linkname = path.Clean(h.Linkname)
		if !strings.HasPrefix(out.Linkname, "deps/") {
			return nil, false
		}
	default:
		return nil, false // sockets and pipes of an installer
	}
	return out, true
}
