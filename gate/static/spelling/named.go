package spelling

import (
	"bytes"
	"html"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// maxName is how long the name of a character may be.
const maxName = 40 // bytes

// entity resolves &#99;, &#x63; and &lt;.
func (e escapes) entity(i int) (plain, bool) {
	end := i + 1
	for end < len(e.src) && (e.src[end] == '#' || e.src[end] < utf8.RuneSelf && (unicode.IsLetter(rune(e.src[end])) || unicode.IsDigit(rune(e.src[end])))) {
		end++
	}
	name := string(e.src[i:end])
	if end < len(e.src) && e.src[end] == ';' {
		end++
		name += ";"
	} else if !strings.HasPrefix(name, "&#") {
		return plain{end: end}, false
	}
	text := html.UnescapeString(name)
	if text == name || len(text) != 1 {
		return plain{end: end}, false
	}
	text, ok := written(uint64(text[0]))
	switch name {
	case "&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&nbsp;", "&#34;", "&#39;", "&#x27;", "&#10;", "&#13;":
		return plain{text, end, false}, ok // there is no other way, or everybody writes it so
	}
	return plain{text, end, true}, ok
}

// named resolves \N{LATIN SMALL LETTER C}, \N{U+63} and \c[LATIN SMALL LETTER C].
func (e escapes) named(at, open int) (plain, bool) {
	none := plain{end: open}
	if open >= len(e.src) || e.src[open] != '{' && e.src[open] != '[' {
		return none, false
	}
	n := bytes.IndexAny(e.src[open:min(len(e.src), open+maxName)], "}]")
	if n < 0 {
		return none, false
	}
	name := strings.ToUpper(string(e.src[open+1 : open+n]))
	end := open + n + 1
	if digits, ok := strings.CutPrefix(name, "U+"); ok {
		p, ok := number([]byte(digits), 0, 0, 16, 2, 6)
		return plain{p.text, end, true}, ok
	}
	c := character(name)
	text, ok := written(uint64(c))
	return plain{text, end, true}, ok
}

// character is the ASCII character of a name in Unicode, 0 for none.
func character(name string) rune {
	for prefix, lower := range map[string]bool{"LATIN SMALL LETTER ": true, "LATIN CAPITAL LETTER ": false} {
		if letter, ok := strings.CutPrefix(name, prefix); ok && len(letter) == 1 {
			if lower {
				letter = strings.ToLower(letter)
			}
			return rune(letter[0])
		}
	}
	if digit, ok := strings.CutPrefix(name, "DIGIT "); ok {
		for i, n := range strings.Fields("ZERO ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE") {
			if n == digit {
				return rune('0' + i)
			}
		}
	}
	return signs()[name]
}

// signs are the other ASCII characters by their names.
var signs = sync.OnceValue(func() map[string]rune {
	return map[string]rune{
		"SPACE": ' ', "EXCLAMATION MARK": '!', "QUOTATION MARK": '"', "NUMBER SIGN": '#', "DOLLAR SIGN": '$', "PERCENT SIGN": '%',
		"AMPERSAND": '&', "APOSTROPHE": '\'', "LEFT PARENTHESIS": '(', "RIGHT PARENTHESIS": ')', "ASTERISK": '*', "PLUS SIGN": '+',
		"COMMA": ',', "HYPHEN-MINUS": '-', "FULL STOP": '.', "SOLIDUS": '/', "COLON": ':', "SEMICOLON": ';', "LESS-THAN SIGN": '<',
		"EQUALS SIGN": '=', "GREATER-THAN SIGN": '>', "QUESTION MARK": '?', "COMMERCIAL AT": '@', "LEFT SQUARE BRACKET": '[',
		"RIGHT SQUARE BRACKET": ']', "CIRCUMFLEX ACCENT": '^', "LOW LINE": '_', "GRAVE ACCENT": '`', "LEFT CURLY BRACKET": '{',
		"VERTICAL LINE": '|', "RIGHT CURLY BRACKET": '}', "TILDE": '~',
	}
})
