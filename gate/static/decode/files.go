package decode

import (
	"bytes"
	"io"
	"mime/quotedprintable"
	"regexp"
)

// whole85 returns the text itself where nothing in it speaks against base85, as a file of data that a
// program decodes: lines without blanks, with characters that base64 has not.
func (d *decoder) whole85() []run {
	start, end := blanks(d.content, 0), len(bytes.TrimRight(d.content, " \t\r\n"))
	if end-start < minRun || end-start > maxRun {
		return nil
	}
	other := false
	for _, c := range d.content[start:end] {
		if c != '\n' && c != '\r' && (c <= ' ' || c > '~') {
			return nil
		}
		other = other || c != '\n' && c != '\r' && c != '=' && !isBase64(c)
	}
	if !other {
		return nil
	}
	return []run{{start, end, kindWhole85}}
}

// uuBegins matches the line before uuencoded lines, uuWord what is at its beginning.
var (
	uuBegins = regexp.MustCompile(`^begin [0-7]{3,4} \S[^\r\n]*\r?\n`)
	uuWord   = []byte("begin ")
)

// uuencoded returns what lies between lines "begin" and "end".
func (d *decoder) uuencoded() []run {
	if !bytes.Contains(d.content, []byte("begin ")) { // an expression looks at every line, this at none
		return nil
	}
	var out []run
	for at, begun := 0, 0; begun < maxPieces; {
		i := bytes.Index(d.content[at:], uuWord)
		if i < 0 {
			break
		}
		line := at + i
		at = line + len(uuWord)
		if line > 0 && d.content[line-1] != '\n' || at == len(d.content) || d.content[at] < '0' || d.content[at] > '7' {
			continue
		}
		m := uuBegins.FindIndex(d.content[line:])
		if m == nil {
			continue
		}
		begun++
		at = line + m[1]
		end := len(d.content)
		if i := bytes.Index(d.content[at:], []byte("\nend")); i >= 0 {
			end = at + i
		}
		if end-at >= minRun {
			out = append(out, run{at, end, kindUU})
		}
	}
	return out
}

// fromUU decodes lines of a length and groups of four characters, as POSIX describes uuencode. It stops at a line
// that is none.
func fromUU(encoded []byte) []byte {
	var out []byte
	for line := range bytes.Lines(encoded) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 || line[0] < ' ' || line[0] > '`' {
			break
		}
		n := int(line[0]-' ') & 0x3F
		var group []byte
		for at := 1; at < len(line) && len(group) < n; at += 4 {
			var v uint32
			for i := range 4 {
				c := byte(' ') // blanks at the end may be gone
				if at+i < len(line) {
					c = line[at+i]
				}
				v = v<<6 | uint32(c-' ')&0x3F
			}
			group = append(group, byte(v>>16), byte(v>>8), byte(v))
		}
		out = append(out, group[:min(n, len(group))]...)
	}
	return out
}

// quotedByte matches a byte as quoted-printable writes it.
var quotedByte = regexp.MustCompile(`=[0-9A-F]{2}`)

// leastQuoted is how many written bytes tell quoted-printable from a query of an address.
const leastQuoted = 4

// quoted returns neighbouring lines that are quoted-printable (RFC 2045), as mail and MIME tools write them.
func (d *decoder) quoted() []run {
	if bytes.Count(d.content, []byte{'='}) < leastQuoted {
		return nil
	}
	var out []run
	start, end, n, at := -1, 0, 0, 0
	flush := func() {
		if n >= leastQuoted && len(out) < maxPieces {
			out = append(out, run{start, end, kindQuoted})
		}
		start, n = -1, 0
	}
	for line := range bytes.Lines(d.content) {
		found := len(quotedByte.FindAllIndex(line, leastQuoted))
		if found == 0 && !bytes.HasSuffix(bytes.TrimRight(line, "\r\n"), []byte{'='}) {
			flush()
		} else if start < 0 {
			start = at
		}
		n += found
		at += len(line)
		end = at
	}
	flush()
	return out
}

// fromQuoted decodes quoted-printable, nil where that brings out nothing that does something: an
// equals sign and two digits are in many texts.
func fromQuoted(encoded []byte) []byte {
	out, err := io.ReadAll(quotedprintable.NewReader(bytes.NewReader(encoded)))
	if err != nil || !isText(out) {
		return nil
	}
	before, after := bytes.ToLower(encoded), bytes.ToLower(out)
	for _, deed := range deeds {
		if bytes.Contains(after, deed) && !bytes.Contains(before, deed) {
			return out
		}
	}
	return nil
}
