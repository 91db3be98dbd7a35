package archive

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind is a format of archives.
type Kind string

// String is how a report names the format.
func (k Kind) String() string { return string(k) }

// The formats that are opened. Those that are only named are in closedFormats.
const (
	formatZip   Kind = "zip archive"
	formatTar   Kind = "tar archive"
	formatGzip  Kind = "gzip file"
	formatBzip2 Kind = "bzip2 file"
	formatDeb   Kind = "Debian package"
	formatXz    Kind = "xz file"
	formatZstd  Kind = "Zstandard file"
	formatLZ4   Kind = "lz4 file"
	formatZlib  Kind = "zlib stream"
)

// closedFormats are those that can't be opened, by their first bytes.
func closedFormats() []struct {
	magic string
	kind  Kind
} {
	return []struct {
		magic string
		kind  Kind
	}{
		{"7z\xbc\xaf\x27\x1c", "a 7z archive"},
		{"Rar!\x1a\x07", "a RAR archive"},
		{"LZIP\x01", "an lzip file"},
		{"\x1f\x9d", "a file packed with compress"},
		{"MSCF\x00\x00\x00\x00", "a cabinet"},
		{"\xed\xab\xee\xdb", "an RPM package"},
		{"xar!\x00", "a xar archive"},
		{"hsqs", "a SquashFS image"},
		{"070701", "a cpio archive"},
		{"070702", "a cpio archive"},
		{"070707", "a cpio archive"},
		{"\xc7\x71", "a cpio archive"},
		{"Cr24", "a browser extension"},
	}
}

// Format tells which archive a file is that begins so, "" for none.
func Format(first []byte) Kind {
	has := func(magic string) bool { return bytes.HasPrefix(first, []byte(magic)) }
	switch {
	case has("PK\x03\x04"), has("PK\x05\x06"), has("PK\x07\x08PK\x03\x04"), has("PK00PK\x03\x04"):
		return formatZip
	case has("\x1f\x8b\x08"):
		return formatGzip
	case has("BZh") && len(first) > 9 && first[3] >= '1' && first[3] <= '9' && (string(first[4:10]) == "1AY&SY" || string(first[4:10]) == "\x17\x72\x45\x38\x50\x90"):
		return formatBzip2
	case has("!<arch>\ndebian-binary"):
		return formatDeb
	case has("\xfd7zXZ\x00"):
		return formatXz
	case has("\x28\xb5\x2f\xfd"):
		return formatZstd
	case has("\x04\x22\x4d\x18"):
		return formatLZ4
	case slices.ContainsFunc(bundleMarks(), has):
		return formatBundle
	case has("PACK\x00\x00\x00\x02"), has("PACK\x00\x00\x00\x03"):
		return formatPack
	case beginsTar(first):
		return formatTar
	case isZlib(first):
		return formatZlib
	case isLZMA(first):
		return "an lzma file"
	}
	for _, f := range closedFormats() {
		if has(f.magic) && !(strings.HasPrefix(f.magic, "0707") && !isCpio(first)) {
			return f.kind
		}
	}
	return ""
}

// tarBlock is the size of a header of a tar archive.
const tarBlock = 512

// isTar tells a tar archive by the sum in its first header, which older ones
// without "ustar" have as well.
func isTar(first []byte) bool {
	if len(first) < tarBlock || first[0] == 0 {
		return false
	}
	field := strings.Trim(string(first[148:156]), " \x00")
	want, err := strconv.ParseInt(field, 8, 64)
	if err != nil {
		return false
	}
	var unsigned, signed int64
	for i, c := range first[:tarBlock] {
		if i >= 148 && i < 156 {
			c = ' '
		}
		unsigned += int64(c)
		signed += int64(int8(c)) //nolint:gosec // the sum of old tars is over signed bytes
	}
	return want == unsigned || want == signed
}

// beginsTar reports whether a tar archive begins with a text, also behind blocks that
// are none: some programs go on to the next header that is one.
func beginsTar(first []byte) bool {
	for at := 0; at+tarBlock <= len(first); at += tarBlock {
		block := first[at : at+tarBlock]
		if isTar(block) && (at == 0 || string(block[257:262]) == "ustar") {
			return true
		}
	}
	return false
}

// isZlib tells a zlib stream by what its beginning unpacks to: its two first bytes
// are also those of texts.
func isZlib(first []byte) bool {
	const enough = 8 // bytes
	if len(first) < 2+enough || first[0] != 0x78 || (int(first[0])<<8|int(first[1]))%31 != 0 || !hasOdd(first[2:]) {
		return false
	}
	r, err := zlib.NewReader(bytes.NewReader(first))
	if err != nil {
		return false
	}
	n, _ := io.ReadFull(r, make([]byte, enough))
	return n == enough
}

// isLZMA tells the format in front of xz by its header, which has no mark: properties,
// a size of the window that is a power of two, and a length that is unknown or small.
func isLZMA(first []byte) bool {
	if len(first) < 14 || first[0] != 0x5d || first[13] != 0 {
		return false
	}
	window, length := binary.LittleEndian.Uint32(first[1:]), binary.LittleEndian.Uint64(first[5:])
	return window >= 1<<12 && window&(window-1) == 0 && (length == 1<<64-1 || length < 1<<40)
}

// hasOdd reports whether bytes are in a text that no text has.
func hasOdd(text []byte) bool {
	return bytes.ContainsFunc(text, func(c rune) bool { return c == utf8.RuneError || c < ' ' && c != '\n' && c != '\r' && c != '\t' })
}

// isCpio tells the text form of cpio from a file that begins with digits.
func isCpio(first []byte) bool {
	if len(first) < 76 {
		return false
	}
	for _, c := range first[6:76] {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return true
}

// zipEnd is the record at the end of a zip archive, without its comment.
const zipEnd = 22

// Tail is how many bytes of the end of a file [EndsWithZip] wants to see.
const Tail = zipEnd + 1<<16

// EndsWithZip reports whether a file that ends so ends with a zip archive. Programs
// look for a zip from the end of a file, so anything may come before it.
func EndsWithZip(tail []byte) bool {
	for end := len(tail); ; {
		i := bytes.LastIndex(tail[:end], []byte("PK\x05\x06"))
		if i < 0 {
			return false
		}
		if record := tail[i:]; len(record) >= zipEnd {
			comment := int(record[20]) | int(record[21])<<8
			entries := int(record[10]) | int(record[11])<<8
			size := int64(record[12]) | int64(record[13])<<8 | int64(record[14])<<16 | int64(record[15])<<24
			if zipEnd+comment <= len(record) && entries > 0 && (size >= int64(entries)*46 || size == 0xffffffff) {
				return true
			}
		}
		end = i
	}
}
