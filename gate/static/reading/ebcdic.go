package reading

import (
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// The forms of EBCDIC that compilers and readers of XML take: they have the same
// letters, and the bar elsewhere.
const (
	cp037 Encoding = "cp037"
	cp500 Encoding = "cp500"
)

// Of what looks like EBCDIC, so many bytes in a hundred are ones that text has there,
// and so many are letters and blanks.
const (
	ebcdicText    = 95
	ebcdicLetters = 40
	ebcdicBlanks  = 3
	ebcdicLeast   = 24 // bytes of a file in which that means something
)

// ebcdic reports whether the file seems to be text in EBCDIC: no byte order mark says
// so, and where it is one, it is no UTF-8.
func (s *Stats) ebcdic() bool {
	if s.UTF8 || len(s.Head) < ebcdicLeast {
		return false
	}
	if mark, _ := bom(s.Head); mark != "" {
		return false
	}
	letters, blanks, signs := 0, 0, 0
	for _, c := range s.Head {
		switch low := c & 0x0f; {
		case c == 0x40 || c == 0x15 || c == 0x25 || c == 0x05 || c == 0x0d:
			blanks++
		case c >= 0xf0 && low <= 9:
			signs++
		case c >= 0x80 && c != 0xe1 && low >= 1 && low <= 9 && c < 0xf0 && !(c >= 0xb0 && c < 0xc0):
			letters++
		case c >= 0x4a && c <= 0x50, c >= 0x5a && c <= 0x61, c >= 0x6a && c <= 0x6f, c >= 0x79 && c <= 0x7f, c == 0xc0, c == 0xd0, c == 0xe0, c == 0xad, c == 0xbd, c == 0xa1, c == 0xb0, c == 0xba, c == 0xbb:
			signs++
		}
	}
	n := len(s.Head)
	return 100*(letters+blanks+signs) >= ebcdicText*n && 100*letters >= ebcdicLetters*n && 100*blanks >= ebcdicBlanks*n
}

// newLine reads EBCDIC's own line end as one.
func newLine(r rune) rune {
	if r == '\u0085' {
		return '\n'
	}
	return r
}

// decoder037 and decoder500 read EBCDIC.
func decoder037() transform.Transformer {
	return transform.Chain(charmap.CodePage037.NewDecoder(), runes.Map(newLine))
}

func decoder500() transform.Transformer {
	return transform.Chain(decoder037(), runes.Map(func(r rune) rune {
		switch r { // as code page 037 has them
		case '¢':
			return '['
		case '|':
			return '!'
		case '!':
			return ']'
		case '¬':
			return '^'
		case '^':
			return '¢'
		case '[':
			return '¬'
		case ']':
			return '|'
		}
		return r
	}))
}

// roman reads the Japanese form of ASCII, which has a yen sign for the backslash and a
// line above for the tilde: what looks like an escape is none.
func roman(decode func() transform.Transformer) func() transform.Transformer {
	return func() transform.Transformer {
		return transform.Chain(decode(), runes.Map(func(r rune) rune {
			switch r {
			case '\\':
				return '¥'
			case '~':
				return '‾'
			}
			return r
		}))
	}
}
