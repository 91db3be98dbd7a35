package decode

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
)

// isPacked reports whether bytes begin like compressed data that unpack knows.
func isPacked(b []byte) bool {
	return packing(b) != ""
}

func packing(b []byte) string {
	switch {
	case len(b) < 4:
		return ""
	case b[0] == 0x1F && b[1] == 0x8B:
		return "gzip"
	case b[0] == 'B' && b[1] == 'Z' && b[2] == 'h':
		return "bzip2"
	case b[0] == 0x78 && (b[1] == 0x01 || b[1] == 0x5E || b[1] == 0x9C || b[1] == 0xDA):
		return "zlib"
	}
	return ""
}

// unpack decompresses up to limit bytes, and reports whether there are more; nil
// where the data is not compressed or damaged from the start.
func unpack(b []byte, limit int) (out []byte, how string, more bool) {
	how = packing(b)
	var r io.Reader
	var err error
	switch how {
	case "gzip":
		r, err = gzip.NewReader(bytes.NewReader(b))
	case "bzip2":
		r = bzip2.NewReader(bytes.NewReader(b))
	case "zlib":
		if r, err = zlib.NewReader(bytes.NewReader(b)); err != nil {
			r, err = flate.NewReader(bytes.NewReader(b[2:])), nil
		}
	default:
		return nil, "", false
	}
	if err != nil {
		return nil, "", false
	}
	out, _ = io.ReadAll(io.LimitReader(r, int64(limit)+1)) // what was read before an error is worth a look
	if len(out) == 0 {
		return nil, "", false
	}
	return out[:min(len(out), limit)], how, len(out) > limit
}
