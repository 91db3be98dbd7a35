package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf16"
)

// byteDisguises are about encodings, marks and first bytes.
func byteDisguises() []disguise {
	out := []disguise{
		{name: "bom", about: "a UTF-8 byte order mark in front", apply: textually(func(p *program, s syntax) bool {
			if !s.bom {
				return false
			}
			line, _ := s.commentLine("Tools of the build.")
			p.put("\ufeff" + line + p.text)
			return s.keep == 0
		})},
		{name: "utf16-mark-le", about: "a UTF-16 mark in front of ASCII", apply: mark("\xff\xfe"), odd: "two bytes that are no text"},
		{name: "utf16-mark-be", about: "a big-endian UTF-16 mark in front of ASCII", apply: mark("\xfe\xff"), odd: "two bytes that are no text"},
		{name: "utf16-le", about: "the whole file in UTF-16 with a mark", apply: wide(binary.LittleEndian)},
		{name: "utf16-be", about: "the whole file in big-endian UTF-16 with a mark", apply: wide(binary.BigEndian)},
		{name: "utf32-le", about: "the whole file in UTF-32 with a mark", apply: textually(func(p *program, s syntax) bool {
			data := []byte{0xff, 0xfe, 0, 0}
			for _, r := range p.text {
				data = binary.LittleEndian.AppendUint32(data, uint32(r))
			}
			p.putBytes(data)
			return s.utf32
		})},
		{name: "nul-comment", about: "8 KiB of characters and NULs in a leading comment", apply: textually(func(p *program, s syntax) bool {
			return s.nul && p.comments(strings.Repeat("a\x00", 4096))
		}), odd: "NULs in a text"},
		{name: "nul-one", about: "one NUL in a leading comment", apply: textually(func(p *program, s syntax) bool {
			return s.nul && p.comments("a\x00b")
		}), odd: "a NUL in a text"},
		{name: "no-utf8-comment", about: "a leading comment in Latin-1", apply: textually(func(p *program, s syntax) bool {
			return s.bytes && p.comments("Caf\xe9 cr\xe8me")
		})},
		{name: "control-comment", about: "a leading comment of control characters", apply: textually(func(p *program, s syntax) bool {
			return s.bytes && p.comments(strings.Repeat("\x01\x02\xff\x03", 2048))
		}), odd: "control characters in a text"},
		{name: "magic-pyc", about: "a first comment that looks like compiled Python", apply: textually(func(p *program, s syntax) bool {
			if s.keep > 0 || !s.crlfOK || s.printable || s.close != "" || s.comment == "" {
				return false
			}
			p.put((s.comment + "\x0c")[:2] + "\r\n" + p.text)
			return true
		}), odd: "the first bytes of compiled Python"},
	}
	for _, m := range []struct{ name, first, about string }{
		{"pe", "MZ", "a Windows program"}, {"gif", "GIF89a", "a picture"}, {"bmp", "BM", "a bitmap"},
	} {
		out = append(out, disguise{name: "magic-" + m.name, about: "an assignment whose name is the first bytes of " + m.about, apply: textually(func(p *program, s syntax) bool {
			if s.assign == "" || s.keep > 0 {
				return false
			}
			first := strings.Replace(s.assign, "NAME", m.first, 1) + "\n"
			if m.name == "pe" {
				if s.nul {
					first += s.comment + "PE\x00\x00\n"
				} else {
					first += s.comment + "PE\n"
				}
			}
			p.put(first + p.text)
			return true
		}), odd: "the first bytes of " + m.about})
	}
	for _, m := range []struct{ name, first, about string }{
		{"elf", "\x7fELF", "a Linux program"}, {"macho", "\xcf\xfa\xed\xfe", "a macOS program"}, {"class", "\xca\xfe\xba\xbe", "compiled Java"},
		{"zip", "PK\x03\x04", "an archive"}, {"gzip", "\x1f\x8b\x08", "a compressed file"},
		{"png", "\x89PNG\r\n\x1a\n", "a picture"}, {"pdf", "%PDF-1.7", "a document"}, {"wasm", "\x00asm", "WebAssembly"},
		{"lfs", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345", "what Git LFS leaves in place of a file"},
	} {
		out = append(out, disguise{name: "junk-" + m.name, about: "a first line that fails, with the first bytes of " + m.about, apply: textually(func(p *program, s syntax) bool {
			if s.junk == no || s.keep > 0 {
				return false
			}
			p.put(m.first + s.junk + "\n" + p.text)
			return true
		}), odd: "the first bytes of " + m.about})
	}
	return append(out, cookieDisguises()...)
}

// comments puts a comment on the second line, where programs that look at the first one
// for NULs do not see it.
func (p *program) comments(text string) bool {
	first, ok := p.carrier.syntax.commentLine("")
	line, _ := p.carrier.syntax.commentLine(text)
	if ok {
		p.top(first + line)
	}
	return ok
}

func mark(bytes string) func(*program) bool {
	return textually(func(p *program, s syntax) bool {
		if s.mark == no || s.keep > 0 {
			return false
		}
		p.put(bytes + s.mark + "\n" + p.text)
		return true
	})
}

func wide(order binary.AppendByteOrder) func(*program) bool {
	return textually(func(p *program, s syntax) bool {
		data := order.AppendUint16(nil, 0xfeff)
		for _, u := range utf16.Encode([]rune(p.text)) {
			data = order.AppendUint16(data, u)
		}
		p.putBytes(data)
		return s.utf16
	})
}

// cookieDisguises are about comments that name the encoding of a file.
func cookieDisguises() []disguise {
	return []disguise{
		{name: "cookie-latin1", about: "a comment that says Latin-1, and a byte of it", apply: cookie("latin-1", func(text string) string {
			return "# caf\xe9\n" + text
		})},
		{name: "cookie-utf7", about: "all code in UTF-7, which a comment names", apply: cookie("utf-7", utf7), odd: "an encoding that honest sources do not use"},
		{name: "cookie-escapes", about: "all code as escapes, in an encoding that a comment names", apply: cookie("unicode_escape", func(text string) string {
			var b strings.Builder
			for _, c := range []byte(strings.TrimSuffix(text, "\n")) {
				if c == '\n' {
					b.WriteByte(c)
					continue
				}
				fmt.Fprintf(&b, `\x%02x`, c)
			}
			return b.String() + "\n"
		}), odd: "an encoding that honest sources do not use"},
		{name: "cookie-escaped-newline", about: "code behind the escape of a line end within a comment", apply: cookie("raw_unicode_escape", func(text string) string {
			return "# notes \\u000a" + text
		}), odd: "an encoding that honest sources do not use"},
	}
}

func cookie(encoding string, encode func(string) string) func(*program) bool {
	return textually(func(p *program, s syntax) bool {
		if !s.cookie || s.keep > 1 {
			return false
		}
		head, rest := p.split()
		p.put(head + "# coding: " + encoding + "\n" + encode(rest))
		return true
	})
}

// utf7 encodes every character but line ends (RFC 2152).
func utf7(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		body := strings.TrimSuffix(line, "\n")
		var units []byte
		for _, u := range utf16.Encode([]rune(body)) {
			units = binary.BigEndian.AppendUint16(units, u)
		}
		if body != "" {
			b.WriteString("+" + base64.RawStdEncoding.EncodeToString(units) + "-")
		}
		b.WriteString("\n")
	}
	return b.String()
}
