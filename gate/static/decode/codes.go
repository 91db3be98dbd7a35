package decode

import (
	"bytes"
	"slices"
	"strconv"
)

// Bounds of a row of character codes.
const (
	maxGlue  = 16 // bytes between two codes
	maxTried = 4  // constants that may have been added to all codes of a row
)

// codes finds rows of numbers that have the same glue between them, whatever the
// language writes there: 99,117 or Chr(99)&Chr(117) or (char)99,(char)117 or
// v99.117. Rows that were found already are left out.
func (d *decoder) codes(found []run) []run {
	var out []run
	found = lists(found)
	for i := 0; i < len(d.content) && len(out) < 10*maxPieces; {
		if !d.startsCode(i) {
			i++
			continue
		}
		end, last, count := d.row(i)
		if count >= minRun/2 && !overlaps(found, i, end) {
			out = append(out, run{i, end, kindCodes})
		}
		if count >= minRun/2 || last == i {
			i = end
			continue
		}
		i = last // a row may begin with what ended this one
	}
	return out
}

// startsCode reports whether a number begins that may be the first of a row. A v before
// it is how Perl writes a text in numbers.
func (d *decoder) startsCode(i int) bool {
	if c := d.content[i]; c < '0' || c > '9' {
		return false
	}
	if i == 0 || !isWord(d.content[i-1]) {
		return true
	}
	return d.content[i-1] == 'v' && (i == 1 || !isWord(d.content[i-2]))
}

// row goes along numbers with the same glue. It returns where they end, where the last
// of them begins, and how many there are.
func (d *decoder) row(start int) (end, last, count int) {
	end, last = start, start
	var glue []byte
	for i := start; i-start < maxRun; {
		n, ok := d.code(i)
		if !ok {
			return max(end, start+1), last, count
		}
		end, last, count = n, i, count+1
		next := n
		for next < len(d.content) && next-n <= maxGlue && (d.content[next] < '0' || d.content[next] > '9') {
			next++
		}
		if next >= len(d.content) || next-n > maxGlue || next == n {
			return end, last, count
		}
		switch between := bare(d.content[n:next]); {
		case glue == nil:
			glue = between
		case !bytes.Equal(glue, between):
			// The number behind another glue may begin a row of its own.
			return end, last, count
		}
		i = next
	}
	return end, last, count
}

// code is the end of a number that may be a character.
func (d *decoder) code(i int) (end int, ok bool) {
	end = i
	if bytes.HasPrefix(d.content[i:], []byte("0x")) {
		for end = i + 2; end < len(d.content) && end < i+4 && isHex(d.content[end]); {
			end++
		}
		return end, end > i+2
	}
	for end < len(d.content) && end-i < 4 && d.content[end] >= '0' && d.content[end] <= '9' {
		end++
	}
	return end, end-i <= 3
}

// bare is glue without its blanks; glue of nothing else is one blank.
func bare(glue []byte) []byte {
	out := bytes.Map(func(r rune) rune {
		if r == ' ' || r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, glue)
	if len(out) == 0 {
		return []byte(" ")
	}
	return out
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// lists are the lists of numbers among runs.
func lists(runs []run) []run {
	return slices.DeleteFunc(slices.Clone(runs), func(r run) bool { return r.kind != kindNumbers })
}

// overlaps reports whether a stretch holds a part of one of the runs, which are in order.
func overlaps(runs []run, start, end int) bool {
	i, _ := slices.BinarySearchFunc(runs, start, func(r run, at int) int { return r.end - at - 1 })
	return i < len(runs) && runs[i].start < end
}

// fromCodes turns a row of character codes into bytes, nil where that is no text that
// does something: tables of small numbers are everywhere. A constant that was added to
// all codes is taken off again.
func fromCodes(encoded []byte) []byte {
	var out []byte
	for i := 0; i < len(encoded); {
		if encoded[i] < '0' || encoded[i] > '9' {
			i++
			continue
		}
		end := i
		for end < len(encoded) && (isHex(encoded[end]) || encoded[end] == 'x') {
			end++
		}
		n, err := strconv.ParseUint(string(encoded[i:end]), number(encoded[i:end]), 8)
		if err != nil {
			return nil
		}
		out = append(out, byte(n))
		i = end
	}
	if does(out) {
		return out
	}
	return unshifted(out)
}

// unshifted takes off what was added to every byte, where an address shows how much
// that is: the colon and the slashes of :// keep their distance. It returns nil for others.
func unshifted(text []byte) []byte {
	for i, tried := 0, 0; i+2 < len(text) && tried < maxTried; i++ {
		if text[i+1] != text[i+2] || text[i]-text[i+1] != ':'-'/' {
			continue
		}
		tried++
		if out := shift(text, int('/')-int(text[i+1])); does(out) {
			return out
		}
	}
	return nil
}

// number is the base in which a code is written.
func number(digits []byte) int {
	if bytes.HasPrefix(digits, []byte("0x")) {
		return 0
	}
	return 10
}

// shift adds a constant to every byte.
func shift(text []byte, by int) []byte {
	out := make([]byte, len(text))
	for i, c := range text {
		out[i] = byte(int(c) + by)
	}
	return out
}

// deeds are what a text names that fetches, starts or loads something.
var deeds = [][]byte{
	[]byte("://"), []byte("curl "), []byte("wget "), []byte("/bin/"), []byte("| sh"), []byte("|sh"), []byte("sh -"), []byte("eval"), []byte("exec"), []byte("import "),
	[]byte("system"), []byte("powershell"), []byte("require("), []byte("base64"), []byte("rm -"), []byte("nc "), []byte("/dev/tcp"), []byte(".ssh"), []byte("/etc/"), []byte("bash"),
	[]byte("iex"), []byte("invoke-"), []byte("cmd /c"), []byte("chmod "),
}

// does reports whether bytes are a text that names what it does.
func does(text []byte) bool {
	if !isText(text) {
		return false
	}
	lower := bytes.ToLower(text)
	for _, deed := range deeds {
		if bytes.Contains(lower, deed) {
			return true
		}
	}
	return false
}
