package cache

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// An entry is
//
//	magic | identity (32) | made, Unix seconds (8) | bytes of content (4) | compressed content | SHA-256 of all before (32)
//
// with numbers in big endian. The identity is that of its place, so that an entry
// under another name is none.

const magic = "gate cache 1\n"

const (
	headerLen  = len(magic) + sha256.Size + 8 + 4
	trailerLen = sha256.Size

	// MaxContent bounds what an entry holds, in bytes.
	MaxContent = 48 << 20
	// maxStored bounds an entry on the disk, in bytes.
	maxStored = 16 << 20

	// skew is how far clocks of machines that share a folder may differ.
	skew = time.Hour
)

type identity [sha256.Size]byte

func identify(space, key string) identity { return sha256.Sum256([]byte(space + "/" + key)) }

// encode writes an entry. It fails for content that is too large.
func encode(id identity, made time.Time, content []byte) ([]byte, error) {
	if len(content) > MaxContent {
		return nil, fmt.Errorf("%d bytes are more than %d", len(content), MaxContent)
	}
	var b bytes.Buffer
	b.WriteString(magic)
	b.Write(id[:])
	b.Write(binary.BigEndian.AppendUint64(nil, uint64(made.Unix())))
	b.Write(binary.BigEndian.AppendUint32(nil, uint32(len(content))))
	z, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	// Writing to memory does not fail.
	_, _ = z.Write(content)
	_ = z.Close()
	if b.Len()+trailerLen > maxStored {
		return nil, fmt.Errorf("%d bytes, compressed, are more than %d", b.Len(), maxStored)
	}
	sum := sha256.Sum256(b.Bytes())
	b.Write(sum[:])
	return b.Bytes(), nil
}

// decode reads an entry that may be anything. The checksum comes first: nothing of
// what it does not cover is interpreted.
func decode(data []byte, id identity, now time.Time, maxAge time.Duration) ([]byte, error) {
	if len(data) < headerLen+trailerLen || len(data) > maxStored {
		return nil, fmt.Errorf("%d bytes are no entry", len(data))
	}
	body, trailer := data[:len(data)-trailerLen], data[len(data)-trailerLen:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:], trailer) {
		return nil, errors.New("the checksum does not fit")
	}
	rest, ok := bytes.CutPrefix(body, []byte(magic))
	if !ok {
		return nil, errors.New("not an entry of this version")
	}
	if !bytes.Equal(rest[:sha256.Size], id[:]) {
		return nil, errors.New("the entry of another key")
	}
	rest = rest[sha256.Size:]
	made := time.Unix(int64(binary.BigEndian.Uint64(rest)), 0)
	switch age := now.Sub(made); {
	case age > maxAge:
		return nil, errors.New("too old")
	case age < -skew:
		return nil, errors.New("from the future")
	}
	size := binary.BigEndian.Uint32(rest[8:])
	if size > MaxContent {
		return nil, fmt.Errorf("content of %d bytes", size)
	}
	return inflate(rest[12:], int(size))
}

// inflate unpacks exactly size bytes and no more: a few bytes can unpack to as many
// as there is memory.
func inflate(packed []byte, size int) ([]byte, error) {
	from := bytes.NewReader(packed)
	z := flate.NewReader(from)
	var content bytes.Buffer
	n, err := io.Copy(&content, io.LimitReader(z, int64(size)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("unpack: %w", err)
	case n != int64(size):
		return nil, errors.New("the content is not as long as it is said to be")
	case from.Len() > 0:
		return nil, errors.New("something follows the content")
	}
	return content.Bytes(), z.Close()
}
