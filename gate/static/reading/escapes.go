package reading

import (
	"strconv"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// escapes decodes what Python calls raw_unicode_escape (\uXXXX and \UXXXXXXXX),
// with all set unicode_escape, which knows every escape of a string. Other bytes
// are Latin-1.
type escapes struct {
	transform.NopResetter
	all bool
}

// longestEscape is "\U0010ffff".
const longestEscape = 10

// Transform implements [transform.Transformer].
func (e escapes) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		if nDst+utf8.UTFMax > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		c := src[nSrc]
		if c != '\\' {
			nDst += utf8.EncodeRune(dst[nDst:], rune(c))
			nSrc++
			continue
		}
		if !atEOF && len(src)-nSrc < longestEscape {
			return nDst, nSrc, transform.ErrShortSrc
		}
		r, n := e.one(src[nSrc:])
		if r >= 0 {
			nDst += utf8.EncodeRune(dst[nDst:], r)
		}
		nSrc += n
	}
	return nDst, nSrc, nil
}

// one decodes the escape at the beginning of src; r is negative for one that
// stands for nothing.
func (e escapes) one(src []byte) (r rune, n int) {
	if len(src) < 2 {
		return '\\', 1
	}
	hex := func(digits int) (rune, int) {
		if len(src) < 2+digits {
			return '\\', 1
		}
		v, err := strconv.ParseUint(string(src[2:2+digits]), 16, 32)
		if err != nil || v > utf8.MaxRune {
			return '\\', 1
		}
		return rune(v), 2 + digits
	}
	switch src[1] {
	case 'u':
		return hex(4)
	case 'U':
		return hex(8)
	}
	if !e.all {
		return '\\', 1
	}
	switch c := src[1]; {
	case c == 'x':
		return hex(2)
	case c == '\n':
		return -1, 2
	case c >= '0' && c <= '7':
		v, n := rune(0), 1
		for n < 4 && n < len(src) && src[n] >= '0' && src[n] <= '7' {
			v, n = v<<3|rune(src[n]-'0'), n+1
		}
		return v, n
	}
	for i, c := range []byte(`\'"abfnrtv`) {
		if src[1] == c {
			return rune("\\'\"\a\b\f\n\r\t\v"[i]), 2
		}
	}
	return '\\', 1
}
