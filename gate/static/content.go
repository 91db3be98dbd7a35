package static

import (
	"bytes"
	"context"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/aigate/gate/gate"
)

// sniffed is how much of a file decides what it is.
const sniffed = 8 << 10 // bytes

// content decides from its first bytes how a file is read, and scans it.
func (f *file) content(ctx context.Context, r io.Reader, first []byte) error {
	if kind := executable(first); kind != "" && f.target.Kind != gate.ChangeNone {
		f.report(checkExecutableBinary, 0, kind, "")
		f.target = f.as(gate.LanguageBinary)
		return nil
	}
	if bytes.HasPrefix(first, []byte("version https://git-lfs.github.com/spec/")) && len(first) < 1024 {
		f.report(checkLFSPointer, 0, "", "")
	}
	lang := f.language(first)
	if order, ok := utf16Order(first); ok {
		f.report(checkUTF16, 0, "", "")
		// A decoder that meets broken surrogates writes U+FFFD and goes on.
		r = transform.NewReader(r, unicode.UTF16(order, unicode.UseBOM).NewDecoder())
	} else if bytes.IndexByte(first, 0) >= 0 {
		if !isSource(lang, first) {
			f.report(checkBinary, 0, executable(first), "")
			f.target = f.as(gate.LanguageBinary)
			return nil
		}
		f.report(checkNULBytes, 0, "", "")
		r = &withoutNUL{r: r}
	}
	f.target = f.as(lang)
	if lang == gate.LanguageUnknown && len(first) > 0 {
		f.report(checkUnknownType, 0, "", "")
		if f.policy.On.UnknownType == gate.LeniencyIncomplete {
			f.gap("its type is not known, and the policy's on.unknown-type asks for that")
		}
	}
	return f.chunks(ctx, r)
}

// as is the target with a language, for this layer's use only.
func (f *file) as(lang gate.Language) *gate.Target {
	t := *f.target
	t.Language = lang
	return &t
}

// language is the target's, unless nothing classified it and its first line
// names an interpreter.
func (f *file) language(first []byte) gate.Language {
	switch f.target.Language {
	case gate.LanguageUnknown, gate.LanguageText, gate.LanguageBinary:
	default:
		return f.target.Language
	}
	line, _, _ := bytes.Cut(first, []byte{'\n'})
	if !bytes.HasPrefix(line, []byte("#!")) {
		return f.target.Language
	}
	for word := range strings.FieldsSeq(string(line[2:min(len(line), 200)])) {
		switch name := strings.TrimRight(path.Base(word), "0123456789."); name {
		case "env", "-S":
			continue
		case "sh", "bash", "dash", "zsh", "ksh", "ash":
			return gate.LanguageShell
		case "python", "pypy":
			return gate.LanguagePython
		case "node", "nodejs", "deno", "bun":
			return gate.LanguageJavaScript
		case "perl":
			return gate.LanguagePerl
		case "ruby":
			return gate.LanguageRuby
		case "php":
			return gate.LanguagePHP
		case "pwsh", "powershell":
			return gate.LanguagePowerShell
		case "make":
			return gate.LanguageMakefile
		}
	}
	return f.target.Language
}

// isSource reports whether something would run the file as text in spite of the
// NUL bytes in it.
func isSource(lang gate.Language, first []byte) bool {
	switch lang {
	case gate.LanguageBinary, gate.LanguageUnknown, gate.LanguageWasm, gate.LanguageText:
		return bytes.HasPrefix(first, []byte("#!"))
	}
	return true
}

// utf16Order tells UTF-16 by its byte order mark, or by half of its bytes being
// NUL, all on the same side.
func utf16Order(first []byte) (unicode.Endianness, bool) {
	switch {
	case bytes.HasPrefix(first, []byte{0xFF, 0xFE}):
		return unicode.LittleEndian, true
	case bytes.HasPrefix(first, []byte{0xFE, 0xFF}):
		return unicode.BigEndian, true
	}
	var nul [2]int
	for i, c := range first {
		if c == 0 {
			nul[i%2]++
		}
	}
	switch half := len(first) / 2; {
	case half < 4:
	case nul[0] == 0 && nul[1] > half*3/4:
		return unicode.LittleEndian, true
	case nul[1] == 0 && nul[0] > half*3/4:
		return unicode.BigEndian, true
	}
	return unicode.LittleEndian, false
}

// executable names the format of a compiled program, empty for anything else.
func executable(first []byte) string {
	has := func(magic string) bool { return bytes.HasPrefix(first, []byte(magic)) }
	switch {
	case has("\x7fELF"):
		return "ELF"
	case has("MZ") && bytes.Contains(first[:min(len(first), 1024)], []byte("PE\x00\x00")):
		return "PE"
	case has("\xfe\xed\xfa\xce"), has("\xfe\xed\xfa\xcf"), has("\xce\xfa\xed\xfe"), has("\xcf\xfa\xed\xfe"):
		return "Mach-O"
	case has("\xca\xfe\xba\xbe") && len(first) > 7 && first[6] == 0 && first[7] > 0 && first[7] < 40:
		return "Mach-O (several architectures)"
	case has("\xca\xfe\xba\xbe"):
		return "Java class"
	case has("\x00asm"):
		return "WebAssembly"
	case has("!<arch>\n"):
		return "object archive"
	case len(first) > 16 && first[2] == 0x0d && first[3] == 0x0a && first[1] >= 0x0c && first[1] < 0x10:
		return "Python bytecode"
	}
	return ""
}

// withoutNUL leaves NUL bytes out, as the programs do that run such a file.
type withoutNUL struct{ r io.Reader }

// Read implements [io.Reader].
func (w *withoutNUL) Read(p []byte) (int, error) {
	for {
		n, err := w.r.Read(p)
		kept := 0
		for _, c := range p[:n] {
			if c != 0 {
				p[kept] = c
				kept++
			}
		}
		if kept > 0 || err != nil || len(p) == 0 {
			return kept, err
		}
	}
}

// maxLine is the longest line, in bytes, that a person can be expected to read.
const maxLine = 5000

// shape reports what is odd about a chunk of text as such.
func (f *file) shape(chunk []byte, firstLine int) {
	if f.invalid == 0 && !utf8.Valid(chunk) {
		f.invalid = firstLine + bytes.Count(chunk[:invalidAt(chunk)], []byte{'\n'})
		f.report(checkInvalidEncoding, f.invalid, "", "")
	}
	if f.longLine {
		return
	}
	for n, rest := 0, chunk; len(rest) > 0; n++ {
		line, after, _ := bytes.Cut(rest, []byte{'\n'})
		if len(line) > maxLine {
			f.longLine = true
			f.report(checkLongLine, firstLine+n, "", "")
			return
		}
		rest = after
	}
}

// invalidAt is the offset of the first byte that is not UTF-8.
func invalidAt(text []byte) int {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return len(text)
}
