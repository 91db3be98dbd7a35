package reading

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// utf7 decodes RFC 2152, one byte at a time, so that no part of a file is too long
// for it.
type utf7 struct {
	shifted bool // between "+" and "-"
	first   bool // "+" was the byte before
	bits    uint32
	n       uint // how many bits
	high    rune // the first half of a pair
}

// Reset implements [transform.Transformer].
func (u *utf7) Reset() { *u = utf7{} }

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// Transform implements [transform.Transformer].
func (u *utf7) Transform(dst, src []byte, _ bool) (nDst, nSrc int, err error) {
	for ; nSrc < len(src); nSrc++ {
		if nDst+2*utf8.UTFMax > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		c := src[nSrc]
		digit := -1
		if u.shifted {
			digit = strings.IndexByte(base64Digits, c)
		}
		switch {
		case digit >= 0:
			u.first = false
			if r, ok := u.add(uint32(digit)); ok {
				nDst += utf8.EncodeRune(dst[nDst:], r)
			}
			continue
		case u.shifted:
			u.shifted = false
			if u.first {
				nDst += copy(dst[nDst:], "+")
			}
			if c == '-' {
				continue
			}
		}
		if c == '+' {
			*u = utf7{shifted: true, first: true}
			continue
		}
		nDst += utf8.EncodeRune(dst[nDst:], rune(c))
	}
	return nDst, nSrc, nil
}

// add takes six bits, and returns a character when it is complete.
func (u *utf7) add(digit uint32) (rune, bool) {
	u.bits, u.n = u.bits<<6|digit, u.n+6
	if u.n < 16 {
		return 0, false
	}
	u.n -= 16
	unit := rune(u.bits >> u.n & 0xffff)
	u.bits &= 1<<u.n - 1
	switch {
	case u.high != 0:
		r := utf16.DecodeRune(u.high, unit)
		u.high = 0
		return r, true
	case utf16.IsSurrogate(unit) && unit < 0xdc00:
		u.high = unit
		return 0, false
	}
	return unit, true
}
