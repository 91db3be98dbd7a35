package constprop

import (
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// encodingOf is the encoding that a function undoes, "" where an argument says
// it.
func encodingOf(function string) string {
	switch function {
	case "fromhex", "unhexlify", "b16decode":
		return "hex"
	case "b64decode", "urlsafe_b64decode", "standard_b64decode", "decodebytes", "atob", "DecodeString":
		return "base64"
	case "b32decode":
		return "base32"
	case "a85decode":
		return "ascii85"
	case "rot13":
		return "rot13"
	case "unquote", "unquote_plus", "decodeURIComponent", "decodeURI", "unescape", "PathUnescape", "QueryUnescape":
		return "percent"
	}
	return ""
}

// decode undoes an encoding.
func decode(kind, value string) (string, bool) {
	if kind == "reverse" {
		runes := []rune(value)
		slices.Reverse(runes)
		return string(runes), utf8.ValidString(value)
	}
	value = strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, value)
	var out []byte
	var err error
	switch strings.NewReplacer("-", "", "_", "").Replace(kind) {
	case "hex":
		out, err = hex.DecodeString(value)
	case "base64", "base64url":
		value = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(value, "="))
		out, err = base64.RawStdEncoding.DecodeString(value)
	case "base32":
		out, err = base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.TrimRight(value, "="))
	case "ascii85":
		out = make([]byte, 4*len(value))
		var n int
		n, _, err = ascii85.Decode(out, []byte(value), true)
		out = out[:n]
	case "percent":
		var text string
		text, err = url.PathUnescape(value)
		out = []byte(text)
	case "rot13":
		out = []byte(strings.Map(rot13, value))
	default:
		return "", false
	}
	return string(out), err == nil && utf8.Valid(out)
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

// numbers makes a text of a list of character codes.
func numbers(list string) (string, bool) {
	var out strings.Builder
	for part := range strings.SplitSeq(strings.TrimRight(strings.TrimSpace(list), ","), ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(part), 0, 32)
		if err != nil || n <= 0 || n > utf8.MaxRune {
			return "", false
		}
		out.WriteRune(rune(n))
	}
	return out.String(), out.Len() > 0
}
