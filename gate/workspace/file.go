package workspace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// magic begins the file of a session. The digest of all that follows it comes next.
const magic = "gate-workspace 1 "

// maxHead bounds the list of files in the file of a session, in bytes.
const maxHead = 2 << 20

// maxStored bounds the file of a session, in bytes.
const maxStored = MaxBytes + maxHead + 4096

// head is what comes before the contents.
type head struct {
	Owner string    `json:"owner"` // digest of who made the session
	Made  time.Time `json:"made"`
	Files []entry   `json:"files"`
}

type entry struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
}

// encode writes a session down.
func encode(owner string, made time.Time, t *Tree) ([]byte, error) {
	h := head{Owner: owner, Made: made}
	for _, p := range t.Paths() {
		h.Files = append(h.Files, entry{p, int64(len(t.files[p]))})
	}
	list, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(len(magic) + 2*sha256.Size + len(list) + int(t.bytes) + 2)
	b.Write(list)
	b.WriteByte('\n')
	for _, p := range t.Paths() {
		b.Write(t.files[p])
	}
	sum := sha256.Sum256(b.Bytes())
	return append([]byte(magic+hex.EncodeToString(sum[:])+"\n"), b.Bytes()...), nil
}

// decode reads a session, which is hostile until its digest and every bound holds.
func decode(data []byte) (h head, t *Tree, err error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	sum, rest, ok2 := bytes.Cut(rest, []byte("\n"))
	if !ok || !ok2 {
		return h, nil, errors.New("it is no workspace of this version of gate")
	}
	if got := sha256.Sum256(rest); hex.EncodeToString(got[:]) != string(sum) {
		return h, nil, errors.New("its digest is wrong: it was changed or cut off")
	}
	list, contents, ok := bytes.Cut(rest, []byte("\n"))
	if !ok || len(list) > maxHead {
		return h, nil, errors.New("its list of files is missing or too long")
	}
	if err := json.Unmarshal(list, &h); err != nil {
		return h, nil, fmt.Errorf("its list of files: %w", err)
	}
	t = NewTree()
	for _, f := range h.Files {
		if f.Size < 0 || f.Size > int64(len(contents)) {
			return h, nil, fmt.Errorf("%q has %d bytes in the list, and %d are left", f.Path, f.Size, len(contents))
		}
		if _, twice := t.files[f.Path]; twice {
			return h, nil, fmt.Errorf("%q is listed twice", f.Path)
		}
		if err := t.Put(f.Path, contents[:f.Size:f.Size]); err != nil {
			return h, nil, err
		}
		contents = contents[f.Size:]
	}
	if len(contents) > 0 {
		return h, nil, fmt.Errorf("%d bytes belong to no file", len(contents))
	}
	return h, t, nil
}
