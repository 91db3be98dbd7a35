package decode

import (
	"bytes"
	"encoding/ascii85"
	"encoding/base32"
	"strconv"
	"strings"
	"unicode/utf16"
)

// numbers returns where a list of small numbers ends, decimal or hexadecimal,
// separated by commas and blanks.
func numbers(content []byte, i int) int {
	start, count := i, 0
	i = blanks(content, i)
	end := start
	for i < len(content) && i-start < maxRun {
		n := i
		for n < len(content) && n-i < 6 && (isHex(content[n]) || content[n] == 'x' || content[n] == 'X') {
			n++
		}
		if n == i || n-i > 4 || content[i] > '9' {
			return listed(start, end, count)
		}
		end = n
		count++
		if n = blanks(content, n); n >= len(content) || content[n] != ',' {
			return listed(start, end, count)
		}
		i = blanks(content, n+1)
	}
	return listed(start, end, count)
}

// blanks returns where blanks and line ends stop.
func blanks(content []byte, i int) int {
	for i < len(content) && (content[i] == ' ' || content[i] == '\n' || content[i] == '\r' || content[i] == '\t') {
		i++
	}
	return i
}

// listed is the end of a list that is long enough to be a text.
func listed(start, end, count int) int {
	if count < minRun/2 {
		return start
	}
	return end
}

// fromNumbers turns a list of character codes into bytes, nil where one is none.
func fromNumbers(encoded []byte) []byte {
	out := make([]byte, 0, len(encoded)/3)
	for part := range bytes.SplitSeq(encoded, []byte{','}) {
		n, err := strconv.ParseUint(string(bytes.TrimSpace(part)), 0, 8)
		if err != nil {
			return nil
		}
		out = append(out, byte(n))
	}
	return out
}

// fromUnicode decodes a row of escapes such as \u0041.
func fromUnicode(encoded []byte) []byte {
	var units []uint16
	for part := range bytes.SplitSeq(encoded[2:], []byte(`\u`)) {
		n, err := strconv.ParseUint(string(part), 16, 16)
		if err != nil {
			return nil
		}
		units = append(units, uint16(n))
	}
	return []byte(string(utf16.Decode(units)))
}

// fromBase32 decodes the upper-case alphabet of RFC 4648.
func fromBase32(encoded []byte) []byte {
	text := strings.TrimRight(squeeze(encoded), "=")
	head, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(text[:min(len(text), sniffedRun)/8*8])
	if err != nil || !isText(head) && !isPacked(head) {
		return nil
	}
	out, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(text)
	if err != nil {
		return nil
	}
	return out
}

// isUTF16 reports whether bytes look like ASCII in UTF-16, little end first, as
// PowerShell takes encoded commands.
func isUTF16(b []byte) bool {
	if len(b) < 8 {
		return false
	}
	zeros := 0
	for i := 1; i < len(b); i += 2 {
		if b[i] == 0 {
			zeros++
		}
	}
	return zeros*10 >= len(b)/2*9
}

func fromUTF16(b []byte) []byte {
	if !isUTF16(b) {
		return nil
	}
	out := make([]byte, 0, len(b)/2)
	for i := 0; i+1 < len(b); i += 2 {
		if b[i+1] == 0 {
			out = append(out, b[i])
		}
	}
	return out
}

// base85 returns the literals of a text that decodes base85 itself: its alphabet
// is too wide to be told from other text.
func (d *decoder) base85() []run {
	var out []run
	if !bytes.Contains(d.content, []byte("85decode")) {
		return nil
	}
	for i := 0; i < len(d.content) && len(out) < 10*maxPieces; i++ {
		quote := d.content[i]
		if quote != '"' && quote != '\'' {
			continue
		}
		end := i + 1
		for end < len(d.content) && d.content[end] != quote && d.content[end] != '\n' && end-i < maxRun {
			end++
		}
		if end-i-1 >= minRun {
			out = append(out, run{i + 1, end, kindBase85})
		}
		i = end
	}
	return out
}

// rfc1924 is the alphabet of Python's b85encode.
const rfc1924 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

// fromBase85 tries both alphabets.
func fromBase85(encoded []byte) []byte {
	if out := withAlphabet(encoded); isText(out) || isPacked(out) {
		return out
	}
	out := make([]byte, 4*len(encoded))
	n, _, err := ascii85.Decode(out, bytes.TrimSuffix(bytes.TrimPrefix(encoded, []byte("<~")), []byte("~>")), true)
	if err != nil {
		return nil
	}
	return out[:n]
}

// withAlphabet decodes the alphabet of RFC 1924, whose last group may be short.
func withAlphabet(encoded []byte) []byte {
	var out []byte
	for len(encoded) > 0 {
		n := min(5, len(encoded))
		var v uint64
		for i := range 5 {
			digit := 84 // what pads the last group
			if i < n {
				if digit = strings.IndexByte(rfc1924, encoded[i]); digit < 0 {
					return nil
				}
			}
			v = v*85 + uint64(digit)
		}
		if v > 0xFFFFFFFF {
			return nil
		}
		group := []byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}
		out = append(out, group[:max(n-1, 0)]...)
		encoded = encoded[n:]
	}
	return out
}
