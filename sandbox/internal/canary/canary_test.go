package canary

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	value = "q7Zt0RmXk2Vb9LpYw4Hd6NsJc8Ge1UfA"
	other = "Wn3Kx8Tz5QoB7vMi2RyPa9Du"
)

var tokens = []Token{{ID: "aws", Value: value}, {ID: "npm", Value: other}}

// shape is a way to write a value.
type shape struct {
	encoding string // what the matcher calls it; "" if it is not to be found
	write    func(v string) string
}

var shapes = map[string]shape{
	"as it is":                       {"plain", func(v string) string { return v }},
	"in lower case":                  {"plain", strings.ToLower},
	"as UTF-16":                      {"plain", func(v string) string { return wide(v) }},
	"in DNS labels":                  {"plain", func(v string) string { return v[:7] + "." + v[7:] + ".example.com" }},
	"one character a line":           {"plain", func(v string) string { return strings.Join(strings.Split(v, ""), "\r\n") }},
	"twelve characters of it":        {"plain", func(v string) string { return v[5 : 5+Part] }},
	"eleven characters of it":        {"", func(v string) string { return v[5 : 5+Part-1] }},
	"another value of the kind":      {"", func(v string) string { return "x" + v[:6] + v[8:14] + v[1:9] }},
	"backwards":                      {"reversed", func(v string) string { return back(v) }},
	"rot13":                          {"rot13", func(v string) string { return string(rot13([]byte(v))) }},
	"XORed":                          {"xor", func(v string) string { return xored(v, 0x5a) }},
	"base64":                         {"base64", b64},
	"base64, one byte in":            {"base64", func(v string) string { return b64("=" + v) }},
	"base64, two bytes in":           {"base64", func(v string) string { return b64("a=" + v) }},
	"base64 in the URL alphabet":     {"base64", func(v string) string { return base64.RawURLEncoding.EncodeToString([]byte("\xff\xfe" + v + "\xfb")) }},
	"base64 in short lines":          {"base64", func(v string) string { return wrap(b64(v), 7, "\r\n") }},
	"base64 in DNS labels":           {"base64", func(v string) string { return wrap(b64(v), 20, ".") + ".example.com" }},
	"base64 of twelve characters":    {"base64", func(v string) string { return b64(v[3 : 3+Part]) }},
	"base64 backwards":               {"reversed base64", func(v string) string { return back(b64(v)) }},
	"base64 of it backwards":         {"base64 of reversed", func(v string) string { return b64(back(v)) }},
	"base32":                         {"base32", b32},
	"base32 in lower case":           {"base32", func(v string) string { return strings.ToLower(b32(v)) }},
	"base32, one byte in":            {"base32", func(v string) string { return b32("1" + v) }},
	"base32, two bytes in":           {"base32", func(v string) string { return b32("12" + v) }},
	"base32, three bytes in":         {"base32", func(v string) string { return b32("123" + v) }},
	"base32, four bytes in":          {"base32", func(v string) string { return b32("1234" + v) }},
	"base32 in DNS labels":           {"base32", func(v string) string { return wrap(strings.ToLower(b32(v)), 9, ".") + ".example.com" }},
	"base32 in the hex alphabet":     {"base32hex", func(v string) string { return base32.HexEncoding.EncodeToString([]byte(v)) }},
	"hex":                            {"hex", func(v string) string { return hex.EncodeToString([]byte(v)) }},
	"hex in upper case":              {"hex", func(v string) string { return strings.ToUpper(hex.EncodeToString([]byte(v))) }},
	"hex with colons":                {"hex", func(v string) string { return each(v, "%02x:") }},
	"hex as C escapes":               {"hex", func(v string) string { return each(v, `\x%02x`) }},
	"hex as C literals":              {"hex", func(v string) string { return each(v, "0x%02x, ") }},
	"hex in DNS labels":              {"hex", func(v string) string { return wrap(hex.EncodeToString([]byte(v)), 11, ".") + ".example.com" }},
	"hex backwards":                  {"reversed hex", func(v string) string { return back(hex.EncodeToString([]byte(v))) }},
	"hex of it backwards":            {"hex of reversed", func(v string) string { return hex.EncodeToString([]byte(back(v))) }},
	"every character percent":        {"percent-encoding", func(v string) string { return each(v, "%%%02X") }},
	"some characters percent":        {"percent-encoding", func(v string) string { return every3rd(v, "%%%02X") }},
	"some characters as JSON":        {"escapes", func(v string) string { return every3rd(v, `\u%04x`) }},
	"a list of bytes":                {"decimal", func(v string) string { return fmt.Sprint([]byte(v)) }},
	"gzip":                           {"gzip", zip},
	"gzip after something else":      {"gzip", func(v string) string { return "field=1\x00\x1f" + zip(v) + "rest" }},
	"gzip with a name":               {"gzip", namedZip},
	"zlib":                           {"zlib", func(v string) string { return "a" + zlibbed(v) }},
	"deflate":                        {"deflate", deflated},
	"deflate as a body":              {"deflate", func(v string) string { return "POST / HTTP/1.1\r\nHost: a\r\n\r\n" + deflated(v) }},
	"base64 of gzip":                 {"base64 of gzip", func(v string) string { return b64(zip(v)) }},
	"base64 of gzip, in a field":     {"base64 of gzip", func(v string) string { return "POST /a/bc d=" + wrap(b64(zip(v)), 76, "\n") + "&x=1" }},
	"base64 of deflate, in a field":  {"base64 of deflate", func(v string) string { return "data=" + b64(deflated(v)) }},
	"hex of zlib":                    {"hex of zlib", func(v string) string { return hex.EncodeToString([]byte(zlibbed(v))) }},
	"base32 of gzip":                 {"base32 of gzip", func(v string) string { return "a.b." + wrap(strings.ToLower(b32(zip(v))), 60, ".") }},
	"hex of base64":                  {"hex of base64", func(v string) string { return hex.EncodeToString([]byte(b64(v))) }},
	"base64 of base64":               {"base64 of base64", func(v string) string { return b64(b64(v)) }},
	"base64 of hex":                  {"base64 of hex", func(v string) string { return b64(hex.EncodeToString([]byte(v))) }},
	"base64 of XORed":                {"base64 of xor", func(v string) string { return b64(xored(v, 0xa7)) }},
	"gzip of base64":                 {"gzip of base64", func(v string) string { return zip(b64(v)) }},
	"gzip of hex of base64":          {"gzip of hex of base64", func(v string) string { return zip(hex.EncodeToString([]byte(b64(v)))) }},
	"base64 of gzip of hex":          {"base64 of gzip of hex", func(v string) string { return b64(zip(hex.EncodeToString([]byte(v)))) }},
	"base64 as a query":              {"percent-encoding of base64", func(v string) string { return url.QueryEscape(wrap(b64(v), 9, "\n")) }},
	"percent-encoded gzip":           {"percent-encoding of gzip", func(v string) string { return url.QueryEscape(zip(v)) }},
	"percent-encoded base64 of gzip": {"base64 of gzip", func(v string) string { return "z=" + b64(zip(v)) + "%3D" }},
}

func TestAValueIsFoundInEveryShape(t *testing.T) {
	m := NewMatcher(tokens)
	for name, s := range shapes {
		t.Run(name, func(t *testing.T) {
			data := "<" + s.write(value) + ">"
			if strings.HasPrefix(name, "deflate") {
				data = s.write(value)
			}
			hits := m.Find([]byte(data))
			if s.encoding == "" {
				if len(hits) > 0 {
					t.Fatalf("found %v in %q", hits, data)
				}
				return
			}
			if !slices.Contains(hits, Hit{"aws", s.encoding}) {
				t.Errorf("found %v, not %s in %q", hits, s.encoding, data)
			}
			if slices.ContainsFunc(hits, func(h Hit) bool { return h.ID != "aws" }) {
				t.Errorf("found another value: %v", hits)
			}
		})
	}
}

func TestAValueIsFoundHoweverTheDataIsCut(t *testing.T) {
	m := NewMatcher(tokens)
	for name, s := range shapes {
		if s.encoding == "" {
			continue
		}
		data := []byte(s.write(value))
		want := m.Find(data)
		for _, size := range []int{1, 2, 3, 7, 13, 31} {
			st := m.NewStream()
			for piece := range slices.Chunk(data, size) {
				_, _ = st.Write(piece)
			}
			st.Close()
			if got := st.Hits(); !slices.Equal(got, want) {
				t.Errorf("%s in pieces of %d: %v, in one %v", name, size, got, want)
			}
		}
	}
}

func TestCanariesAreNamedOnceAndInOrder(t *testing.T) {
	m := NewMatcher(tokens)
	got := m.Find([]byte(other + " " + b64(value) + " " + value + " " + value + " \\x20 %20 " + value))
	want := []Hit{{"aws", "base64"}, {"aws", "plain"}, {"npm", "plain"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCanariesAreNotFoundInOrdinaryText(t *testing.T) {
	m := NewMatcher(tokens)
	var text bytes.Buffer
	for i := range 2000 {
		fmt.Fprintf(&text, "line %d of %x: %s\n", i, i*7919, b64(strings.Repeat("an ordinary sentence ", i%5)))
	}
	st := m.NewStream()
	_, _ = st.Write(text.Bytes())
	st.Close()
	if hits := st.Hits(); len(hits) > 0 || st.Incomplete() {
		t.Errorf("found %v, incomplete %v", hits, st.Incomplete())
	}
}

func TestHitsAreKnownBeforeTheEnd(t *testing.T) {
	st := NewMatcher(tokens).NewStream()
	defer st.Close()
	_, _ = st.Write([]byte(value[:Part-1]))
	if hits := st.Hits(); len(hits) > 0 {
		t.Fatalf("found %v too early", hits)
	}
	_, _ = st.Write([]byte(value[Part-1 : Part]))
	if hits := st.Hits(); !slices.Equal(hits, []Hit{{"aws", "plain"}}) {
		t.Fatalf("found %v", hits)
	}
}

func TestForgottenCanariesAreFoundAgain(t *testing.T) {
	st := NewMatcher(tokens).NewStream()
	defer st.Close()
	want := []Hit{{"aws", "plain"}}
	_, _ = io.WriteString(st, value+" "+other[:8])
	if hits := st.Hits(); !slices.Equal(hits, want) {
		t.Fatalf("found %v", hits)
	}
	st.Forget()
	if hits := st.Hits(); len(hits) > 0 {
		t.Fatalf("not forgotten: %v", hits)
	}
	_, _ = io.WriteString(st, other[8:]+" "+value)
	if hits := st.Hits(); !slices.Equal(hits, append(want, Hit{"npm", "plain"})) {
		t.Fatalf("found %v", hits)
	}
}

func TestAValueDeepInLargeCompressedDataIsFound(t *testing.T) {
	var text bytes.Buffer
	for i := range 8000 {
		fmt.Fprintf(&text, "%d %x\n", i, i*i)
	}
	st := NewMatcher(tokens).NewStream()
	_, _ = st.Write([]byte(zip(text.String() + value)))
	st.Close()
	if hits := st.Hits(); !slices.Equal(hits, []Hit{{"aws", "gzip"}}) || st.Incomplete() {
		t.Errorf("found %v, incomplete %v", hits, st.Incomplete())
	}
}

func TestCheckNamesTheValueThatCannotBeFound(t *testing.T) {
	tests := map[string]struct {
		token Token
		want  string
	}{
		"good":             {Token{"a", value}, ""},
		"no ID":            {Token{"", value}, "no ID"},
		"short":            {Token{"a", value[:19]}, "19 characters"},
		"long":             {Token{"a", value + value + "x"}, "65 characters"},
		"other characters": {Token{"a", "ghp_" + value}, `'_'`},
	}
	for name, tt := range tests {
		err := Check([]Token{tt.token})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	// It is looked for all the same.
	if hits := NewMatcher([]Token{{"a", "ghp_" + value}}).Find([]byte(value)); len(hits) != 1 {
		t.Errorf("found %v", hits)
	}
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
func b32(s string) string { return base32.StdEncoding.EncodeToString([]byte(s)) }
func back(s string) string {
	return string(reversed([]byte(s)))
}

func wide(s string) string {
	return strings.Join(strings.Split(s, ""), "\x00")
}

func wrap(s string, n int, with string) string {
	var lines []string
	for line := range slices.Chunk([]byte(s), n) {
		lines = append(lines, string(line))
	}
	return strings.Join(lines, with)
}

func xored(s string, key byte) string {
	b := []byte(s)
	for i := range b {
		b[i] ^= key
	}
	return string(b)
}

func each(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

func every3rd(s, format string) string {
	var b strings.Builder
	for i, c := range []byte(s) {
		if i%3 == 0 {
			fmt.Fprintf(&b, format, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// compressed writes s with some text around it, through a compressor.
func compressed(s string, open func(io.Writer) io.WriteCloser) string {
	var b bytes.Buffer
	w := open(&b)
	_, _ = io.WriteString(w, "user: person\nsecret: "+s+"\nend")
	w.Close()
	return b.String()
}

func zip(s string) string {
	return compressed(s, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
}

func namedZip(s string) string {
	return compressed(s, func(w io.Writer) io.WriteCloser {
		z := gzip.NewWriter(w)
		z.Name, z.Comment, z.Extra = strings.Repeat("n", 700), "c", []byte("extra")
		return z
	})
}

func zlibbed(s string) string {
	return compressed(s, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
}

func deflated(s string) string {
	return compressed(s, func(w io.Writer) io.WriteCloser {
		z, _ := flate.NewWriter(w, flate.BestCompression)
		return z
	})
}
