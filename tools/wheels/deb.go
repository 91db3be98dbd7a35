package wheels

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/therootcompany/xz"
)

// maxFiles and maxFile bound what a package may hold: files, and bytes of one.
const (
	maxFiles = 20_000
	maxFile  = 64 << 20
)

// modules is where Debian keeps what Python can import.
const modules = "usr/lib/python3/dist-packages/"

// unpack returns the files of a package below the folder that Python imports from,
// by their path in it. A .deb is an ar archive with a tar archive in it: deb(5).
func unpack(deb []byte) (map[string][]byte, error) {
	data, name, err := member(deb, "data.tar")
	if err != nil {
		return nil, err
	}
	var plain io.Reader = bytes.NewReader(data)
	switch path.Ext(name) {
	case ".xz":
		if plain, err = xz.NewReader(plain, xz.DefaultDictMax); err != nil {
			return nil, err
		}
	case ".tar":
	default:
		return nil, fmt.Errorf("%s is compressed in a way that is not read; xz was expected", name)
	}
	files := map[string][]byte{}
	total := 0
	for entries := tar.NewReader(plain); ; {
		h, err := entries.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		rel, below := strings.CutPrefix(path.Clean(h.Name), modules)
		if h.Typeflag != tar.TypeReg || !below {
			continue
		}
		if total += int(min(h.Size, maxFile)); h.Size > maxFile || total > maxFile*4 || len(files) == maxFiles {
			return nil, fmt.Errorf("%s: the package is larger than %d bytes or %d files", h.Name, maxFile, maxFiles)
		}
		if files[rel], err = io.ReadAll(entries); err != nil {
			return nil, err
		}
	}
}

// member returns the member of an ar archive whose name begins so. See ar(5).
func member(ar []byte, prefix string) (data []byte, name string, err error) {
	rest, ok := bytes.CutPrefix(ar, []byte("!<arch>\n"))
	if !ok {
		return nil, "", errors.New("this is no package of Debian: an ar archive was expected")
	}
	for len(rest) >= 60 {
		name := strings.TrimRight(strings.TrimSpace(string(rest[:16])), "/")
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		if err != nil || size < 0 || size > len(rest)-60 {
			return nil, "", fmt.Errorf("member %q of the archive has no valid size", name)
		}
		if strings.HasPrefix(name, prefix) {
			return rest[60 : 60+size], name, nil
		}
		rest = rest[min(len(rest), 60+size+size%2):]
	}
	return nil, "", fmt.Errorf("the archive has no member %s", prefix)
}
