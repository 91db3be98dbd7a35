package reading

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Encoding says how bytes become text. Besides these there are those that a
// comment in a program names, such as "latin-1" and "utf-7".
type Encoding string

// The encodings that the bytes themselves suggest.
const (
	UTF8    Encoding = "utf-8"                        // the bytes as they are
	NoNUL   Encoding = "utf-8, NUL bytes left out"    // as shells and Python read them
	UTF16LE Encoding = "utf-16le"                     //
	UTF16BE Encoding = "utf-16be"                     //
	UTF32LE Encoding = "utf-32le"                     //
	UTF32BE Encoding = "utf-32be"                     //
	Runs    Encoding = "runs of text within a binary" // see textRuns
)

// Reader returns the text of a file.
func (e Encoding) Reader(r io.Reader) (io.Reader, error) {
	switch e {
	case UTF8:
		return &unmarked{r: r}, nil
	case NoNUL:
		return &withoutNUL{r: &unmarked{r: r}}, nil
	case Runs:
		return &textRuns{r: r}, nil
	case UTF16LE:
		return transform.NewReader(r, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()), nil
	case UTF16BE:
		return transform.NewReader(r, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()), nil
	case UTF32LE:
		return transform.NewReader(r, utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM).NewDecoder()), nil
	case UTF32BE:
		return transform.NewReader(r, utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM).NewDecoder()), nil
	}
	named, ok := codecs()[e.normal()]
	if !ok {
		return nil, fmt.Errorf("the encoding %q, which the file names, is not known", string(e))
	}
	return transform.NewReader(r, named.decoder()), nil
}

// normal is the name as Python compares it.
func (e Encoding) normal() string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r == '_' || r == ' ' {
			return '-'
		}
		return r
	}, strings.ToLower(string(e))), "-")
}

// plain reports whether the encoding reads ASCII as UTF-8 does.
func (e Encoding) plain() bool {
	named, ok := codecs()[e.normal()]
	return ok && named.ascii
}

// cookie matches the comment in which a program names its encoding (PEP 263).
var cookie = regexp.MustCompile(`^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)`)

// xmlEncoding matches the declaration of a document of XML that names its encoding.
var xmlEncoding = regexp.MustCompile(`^\s*<\?xml\s[^>\n]{0,200}?\bencoding\s*=\s*["']([\w.-]{1,40})["']`)

// declaredXML returns the encoding that a document of XML names, "" where it names none or
// one in which its tags say the same as in ASCII.
func declaredXML(head []byte) Encoding {
	m := xmlEncoding.FindSubmatch(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	if m == nil {
		return ""
	}
	name := Encoding(m[1])
	if _, known := codecs()[name.normal()]; !known || name.plain() {
		return "" // what gate doesn't know as text, it reads unchanged
	}
	return name
}

// Declared returns the encoding that one of the first two lines names, "" where
// none does or it is UTF-8.
func Declared(head []byte) Encoding {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	for range 2 {
		end := bytes.IndexAny(head, "\r\n")
		line := head
		if end >= 0 {
			line = head[:end]
		}
		if m := cookie.FindSubmatch(bytes.ReplaceAll(line, []byte{0}, nil)); m != nil {
			name := Encoding(m[1])
			switch normal := name.normal(); {
			case normal == "utf-8", normal == "utf8", strings.HasPrefix(normal, "utf-8-"), normal == "u8", normal == "ascii", normal == "us-ascii":
				return ""
			}
			return name
		}
		if trimmed := bytes.TrimSpace(line); end < 0 || len(trimmed) > 0 && trimmed[0] != '#' {
			return ""
		}
		if head[end] == '\r' && end+1 < len(head) && head[end+1] == '\n' {
			end++
		}
		head = head[end+1:]
	}
	return ""
}

// iso2022Roman is ISO-2022-JP in its Japanese form of ASCII, which an escape sequence
// switches to.
const iso2022Roman = "iso2022-jp-roman"

// readAs are the encodings in which a program may read a file that names one.
func (e Encoding) readAs() []Encoding {
	if normal := e.normal(); strings.HasPrefix(normal, "iso2022-jp") || strings.HasPrefix(normal, "iso-2022-jp") || normal == "csiso2022jp" || normal == "iso2022jp" {
		return []Encoding{e, iso2022Roman}
	}
	return []Encoding{e}
}

// codec is an encoding that a file can name.
type codec struct {
	decoder func() transform.Transformer
	ascii   bool // ASCII bytes are what they are in UTF-8
}

// codecs is built once and never changed.
var codecs = sync.OnceValue(func() map[string]codec {
	out := map[string]codec{}
	add := func(e encoding.Encoding, ascii bool, names ...string) {
		for _, n := range names {
			out[n] = codec{func() transform.Transformer { return e.NewDecoder() }, ascii}
		}
	}
	add(charmap.ISO8859_1, true, "latin-1", "latin1", "latin", "iso-8859-1", "iso8859-1", "8859", "cp819", "l1", "iso-latin-1")
	for i, e := range []encoding.Encoding{2: charmap.ISO8859_2, 3: charmap.ISO8859_3, 4: charmap.ISO8859_4, 5: charmap.ISO8859_5,
		6: charmap.ISO8859_6, 7: charmap.ISO8859_7, 8: charmap.ISO8859_8, 9: charmap.ISO8859_9, 10: charmap.ISO8859_10,
		13: charmap.ISO8859_13, 14: charmap.ISO8859_14, 15: charmap.ISO8859_15, 16: charmap.ISO8859_16} {
		if e != nil {
			add(e, true, fmt.Sprintf("iso-8859-%d", i), fmt.Sprintf("iso8859-%d", i))
		}
	}
	add(charmap.ISO8859_2, true, "latin2", "latin-2")
	add(charmap.ISO8859_9, true, "latin5", "latin-5")
	add(charmap.ISO8859_15, true, "latin9", "latin-9")
	for i, e := range []encoding.Encoding{charmap.Windows1250, charmap.Windows1251, charmap.Windows1252, charmap.Windows1253,
		charmap.Windows1254, charmap.Windows1255, charmap.Windows1256, charmap.Windows1257, charmap.Windows1258} {
		add(e, true, fmt.Sprintf("cp%d", 1250+i), fmt.Sprintf("windows-%d", 1250+i))
	}
	for n, e := range map[string]encoding.Encoding{"437": charmap.CodePage437, "850": charmap.CodePage850, "852": charmap.CodePage852,
		"855": charmap.CodePage855, "858": charmap.CodePage858, "860": charmap.CodePage860, "862": charmap.CodePage862,
		"863": charmap.CodePage863, "865": charmap.CodePage865, "866": charmap.CodePage866, "874": charmap.Windows874} {
		add(e, true, "cp"+n, "ibm"+n)
	}
	for _, n := range []string{"cp037", "ibm037", "ibm039", "037"} {
		out[n] = codec{decoder037, false}
	}
	for _, n := range []string{"cp500", "ibm500", "500", "ebcdic-cp-be", "ebcdic-cp-ch"} {
		out[n] = codec{decoder500, false}
	}
	add(charmap.CodePage1047, false, "cp1047", "ibm1047")
	add(charmap.CodePage1140, false, "cp1140", "ibm1140")
	add(charmap.KOI8R, true, "koi8-r")
	add(charmap.KOI8U, true, "koi8-u")
	add(charmap.Macintosh, true, "mac-roman", "macroman", "macintosh")
	add(charmap.MacintoshCyrillic, true, "mac-cyrillic", "maccyrillic")
	add(japanese.ShiftJIS, true, "shift-jis", "shiftjis", "sjis", "s-jis", "csshiftjis", "cp932", "932", "ms932", "mskanji", "ms-kanji", "windows-31j")
	for _, n := range []string{"shift-jis-2004", "shiftjis2004", "shift-jisx0213", "shiftjisx0213", "sjis-2004", "s-jis-2004", "sjisx0213", "s-jisx0213"} {
		out[n] = codec{roman(func() transform.Transformer { return japanese.ShiftJIS.NewDecoder() }), false}
	}
	add(japanese.EUCJP, true, "euc-jp", "eucjp", "ujis", "u-jis", "euc-jis-2004", "euc-jisx0213")
	add(japanese.ISO2022JP, false, "iso2022-jp", "iso-2022-jp", "csiso2022jp", "iso2022-jp-1", "iso2022-jp-2", "iso2022-jp-3", "iso2022-jp-2004", "iso2022-jp-ext", "iso2022jp")
	out[iso2022Roman] = codec{roman(func() transform.Transformer { return japanese.ISO2022JP.NewDecoder() }), false}
	add(korean.EUCKR, true, "euc-kr", "euckr", "korean", "ksc5601", "ks-c-5601", "cp949", "949", "ms949", "uhc", "ks-c-5601-1987")
	add(simplifiedchinese.GBK, true, "gbk", "936", "cp936", "ms936", "gb2312", "chinese", "euc-cn", "euccn", "gb2312-80", "gb2312-1980")
	add(simplifiedchinese.GB18030, true, "gb18030", "gb18030-2000")
	add(simplifiedchinese.HZGB2312, false, "hz", "hzgb", "hz-gb", "hz-gb-2312")
	add(traditionalchinese.Big5, true, "big5", "big5-tw", "csbig5", "cp950", "950", "ms950", "big5hkscs", "big5-hkscs", "hkscs")
	add(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), false, "utf-16", "utf16", "u16")
	add(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), false, "utf-16-le", "utf-16le", "unicodelittleunmarked")
	add(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), false, "utf-16-be", "utf-16be", "unicodebigunmarked")
	add(utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), false, "utf-32", "utf32", "u32")
	add(utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), false, "utf-32-le", "utf-32le")
	add(utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), false, "utf-32-be", "utf-32be")
	for _, n := range []string{"utf-7", "utf7", "u7", "unicode-1-1-utf-7"} {
		out[n] = codec{func() transform.Transformer { return &utf7{} }, false}
	}
	for _, n := range []string{"unicode-escape", "unicodeescape"} {
		out[n] = codec{func() transform.Transformer { return escapes{all: true} }, false}
	}
	for _, n := range []string{"raw-unicode-escape", "rawunicodeescape"} {
		out[n] = codec{func() transform.Transformer { return escapes{} }, false}
	}
	return out
})
