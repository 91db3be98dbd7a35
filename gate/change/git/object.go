package git

import (
	"crypto/sha1" //nolint:gosec // git's object names, not a signature
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"strings"
)

// OID is the name of an object, in lower-case hex.
type OID string

// Zero reports whether the name is all zeros, or empty: git's "no object".
func (o OID) Zero() bool { return strings.Trim(string(o), "0") == "" }

// Format is how a repository names objects.
type Format struct {
	Name string
	size int // hex digits
	hash func() hash.Hash
}

func formatNamed(name string) (Format, error) {
	switch name {
	case "sha1":
		return Format{Name: name, size: 2 * sha1.Size, hash: sha1.New}, nil
	case "sha256":
		return Format{Name: name, size: 2 * sha256.Size, hash: sha256.New}, nil
	}
	return Format{}, fmt.Errorf("unknown object format %q; a newer gate may know it", printable(name))
}

// parse reads an object name.
func (f Format) parse(s string) (OID, error) {
	if len(s) != f.size || strings.Trim(s, "0123456789abcdef") != "" {
		return "", fmt.Errorf("not an object name: %q", printable(clip(s)))
	}
	return OID(s), nil
}

// Blob returns the name that the content of a file has, size bytes of r.
func (f Format) Blob(r io.Reader, size int64) (OID, error) {
	h := f.hash()
	fmt.Fprintf(h, "blob %d\x00", size)
	n, err := io.Copy(h, io.LimitReader(r, size+1))
	if err != nil {
		return "", err
	}
	if n != size {
		return "", fmt.Errorf("the file changed while it was read: %d bytes instead of %d", n, size)
	}
	return OID(hex.EncodeToString(h.Sum(nil))), nil
}

// EmptyTree returns the name of the tree without entries. git knows it even
// where no such object is stored.
func (f Format) EmptyTree() OID {
	h := f.hash()
	fmt.Fprint(h, "tree 0\x00")
	return OID(hex.EncodeToString(h.Sum(nil)))
}

// clip shortens hostile text for an error.
func clip(s string) string {
	const most = 120
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}
