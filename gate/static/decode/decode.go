package decode

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/static/pickle"
)

// Bounds of what is decoded from one file.
const (
	minRun     = 32        // encoded bytes that are worth a look
	maxRun     = 1 << 20   // encoded bytes of one piece
	maxPieces  = 500       // pieces of one file
	maxDecoded = 1 << 20   // bytes of all pieces together
	maxGrowth  = 256 << 10 // bytes that compressed data may grow to
)

// Budget is what is left of those bounds for one file: what is decoded from it,
// and from what is decoded, shares one. It is for one goroutine.
type Budget struct {
	bytes, pieces int
	reached       bool
}

// NewBudget returns what may be decoded from one file. That grows with its size in
// bytes, beyond a megabyte.
func NewBudget(size int64) *Budget {
	times := int(max(1, min(size, maxSized)>>20))
	return &Budget{bytes: times * maxDecoded, pieces: times * maxPieces}
}

// maxSized is the size up to which a budget grows, the largest file that is read as a whole.
const maxSized = 10 << 20 // bytes

// Reached reports whether something encoded was left, or cut short.
func (b *Budget) Reached() bool { return b.reached }

// Deeper records that something is encoded in what no one decodes any further.
func (b *Budget) Deeper() { b.reached = true }

// Payloads returns what is encoded in a text of that language, as regions that
// are on the line where they begin. A piece that may be in several languages
// is returned once for each.
func Payloads(lang gate.Language, content []byte, budget *Budget) []embedded.Code {
	var out []embedded.Code
	d := decoder{content: content, Budget: budget}
	line, counted := 1, 0
	for _, r := range d.runs() {
		if d.pieces <= 0 || d.bytes <= 0 {
			d.reached = true
			break
		}
		text, how := d.decode(r)
		if text == nil {
			continue
		}
		d.reached = d.reached || r.end-r.start > maxRun
		d.bytes -= len(text)
		d.pieces--
		line += bytes.Count(content[counted:r.start], []byte{'\n'})
		counted = r.start
		lines := make([]int, bytes.Count(text, []byte{'\n'})+1)
		for i := range lines {
			lines[i] = line
		}
		for _, l := range guess(lang, text) {
			out = append(out, embedded.Code{
				Language: l, Text: text, Lines: lines,
				Origin: fmt.Sprintf("%s on line %d", how, line),
			})
		}
	}
	return out
}

// decoder is the work on one text.
type decoder struct {
	*Budget
	content []byte
	keys    []byte
	looked  bool // for keys
}

// run is a stretch of encoded bytes.
type run struct {
	start, end int
	kind       kind
}

// kind is how a run is encoded.
type kind string

const (
	kindBase64  kind = "base64" // or base32
	kindHex     kind = "hex"
	kindEscapes kind = "escapes"
	kindUnicode kind = "unicode escapes"
	kindPercent kind = "percent encoding"
	kindNumbers kind = "character codes"
	kindBase85  kind = "base85"
	kindWhole85 kind = "base85 of a whole file"
	kindUU      kind = "uuencode"
	kindQuoted  kind = "quoted-printable"
	kindCodes   kind = "a row of character codes"
)

// runs finds stretches that look encoded, in order.
func (d *decoder) runs() []run {
	content := d.content
	var out []run
	add := func(i, end, least int, k kind) int {
		if end-i >= least {
			out = append(out, run{i, end, k})
		}
		return end
	}
	for i := 0; i < len(content); {
		switch c := content[i]; {
		case c == '\\' && i+1 < len(content) && content[i+1] == 'x':
			i = add(i, max(escaped(content, i, `\x`, 2), i+2), minRun*2, kindEscapes)
		case c == '\\' && i+1 < len(content) && content[i+1] == 'u':
			i = add(i, max(escaped(content, i, `\u`, 4), i+2), minRun*2, kindUnicode)
		case c == '%':
			i = add(i, max(escaped(content, i, "%", 2), i+1), minRun, kindPercent)
		case c == '[' || c == '{' || c == '(':
			end := numbers(content, i+1)
			i = add(i+1, max(end, i+1), minRun, kindNumbers)
		case isBase64(c):
			end, onlyHex := alphabet(content, i)
			k := kindBase64
			if onlyHex {
				k = kindHex
			}
			i = add(i, end, minRun, k)
		default:
			i++
		}
	}
	out = append(out, d.base85()...)
	out = append(out, d.whole85()...)
	out = append(out, d.uuencoded()...)
	out = append(out, d.quoted()...)
	out = append(out, d.codes(out)...)
	slices.SortStableFunc(out, func(a, b run) int { return a.start - b.start })
	return out
}

// escaped returns where a row of escapes ends, each a prefix and so many
// hexadecimal digits.
func escaped(content []byte, i int, prefix string, digits int) int {
	for {
		end := i + len(prefix) + digits
		if end > len(content) || string(content[i:i+len(prefix)]) != prefix {
			return i
		}
		for _, c := range content[i+len(prefix) : end] {
			if !isHex(c) {
				return i
			}
		}
		i = end
	}
}

// alphabet goes to the end of a stretch of base64, which may be broken into
// lines, and reports whether it is all hexadecimal digits.
func alphabet(content []byte, i int) (end int, onlyHex bool) {
	onlyHex = true
	lineStart := i
	for i < len(content) {
		c := content[i]
		switch {
		case isBase64(c):
			onlyHex = onlyHex && isHex(c)
			i++
		case c == '=':
			for i < len(content) && content[i] == '=' {
				i++
			}
			return i, false
		case (c == '\n' || c == '\r') && i-lineStart >= minRun:
			next := i + 1
			for next < len(content) && (content[next] == '\n' || content[next] == ' ' || content[next] == '\t') {
				next++
			}
			if next >= len(content) || !isBase64(content[next]) {
				return i, onlyHex
			}
			i, lineStart = next, next
		default:
			return i, onlyHex
		}
	}
	return i, onlyHex
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func isBase64(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
}

// decode returns the text that a run stands for, nil where it is no text.
func (d *decoder) decode(r run) (text []byte, how string) {
	encoded := d.content[r.start:min(r.end, r.start+maxRun)]
	var raw []byte
	switch r.kind {
	case kindEscapes:
		raw, _ = hex.DecodeString(strings.ReplaceAll(string(encoded), `\x`, ""))
	case kindPercent:
		raw, _ = hex.DecodeString(strings.ReplaceAll(string(encoded), "%", ""))
	case kindUnicode:
		raw = fromUnicode(encoded)
	case kindNumbers:
		raw = fromNumbers(encoded)
	case kindBase85:
		raw = fromBase85(encoded)
	case kindWhole85:
		raw = fromBase85([]byte(squeeze(encoded)))
	case kindUU:
		raw = fromUU(encoded)
	case kindQuoted:
		raw = fromQuoted(encoded)
	case kindCodes:
		raw = fromCodes(encoded)
	case kindHex:
		digits := squeeze(encoded)
		raw, _ = hex.DecodeString(digits[:len(digits)/2*2])
	default:
		raw = d.fromBase64(encoded)
	}
	return d.plain(raw, string(r.kind))
}

// plain turns decoded bytes into text: they may be compressed, in UTF-16, or
// changed with one of the constants that the text names.
func (d *decoder) plain(raw []byte, how string) ([]byte, string) {
	if unpacked, packing, more := unpack(raw, min(d.bytes, maxGrowth)); unpacked != nil {
		raw, how = unpacked, packing+" in "+how
		d.reached = d.reached || more
	}
	if pickled(raw) {
		if r := pickle.Read(raw); r != nil && r.Worst() == pickle.Dangerous && r.Calls != "" {
			return []byte(r.Calls), "what loading the pickle calls, in " + how
		}
	}
	if wide := fromUTF16(raw); wide != nil {
		raw, how = wide, "UTF-16 in "+how
	}
	if len(raw) < minRun/2 {
		return nil, ""
	}
	if !readable(raw) {
		if text, key := d.unmasked(raw, how); text != nil {
			return text, key
		}
	}
	if !isText(raw) {
		return nil, ""
	}
	return raw, how
}

// squeeze drops line ends and blanks.
func squeeze(b []byte) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == ' ' || r == '\t' {
			return -1
		}
		return r
	}, string(b))
}

// sniffedRun is how much of a run tells whether the rest is worth decoding.
const sniffedRun = 64

// fromBase64 decodes both alphabets, with or without padding, and base32. The
// beginning is tried first: most long runs are images, hashes or words.
func (d *decoder) fromBase64(encoded []byte) []byte {
	text := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(squeeze(encoded)), "=")
	if len(text)%4 == 1 {
		text = text[:len(text)-1]
	}
	head, err := base64.RawStdEncoding.DecodeString(text[:min(len(text), sniffedRun)])
	if err != nil || !isText(head) && !isPacked(head) && !isUTF16(head) && !pickled(head) && !d.masked(head) {
		return fromBase32(encoded)
	}
	out, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	return out
}

// pickled reports whether bytes begin as a pickle of a binary protocol does.
func pickled(b []byte) bool {
	return len(b) > 2 && b[0] == 0x80 && b[1] >= 2 && b[1] <= 5
}

// isText reports whether bytes are text that a person could have written.
func isText(b []byte) bool {
	if len(b) == 0 {
		return false
	}
	odd := 0
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c >= 0x7F {
			odd++
		}
	}
	return odd*10 <= len(b)
}

// guess says what a decoded text may be written in.
func guess(outer gate.Language, text []byte) []gate.Language {
	has := func(words ...string) bool {
		for _, w := range words {
			if bytes.Contains(text, []byte(w)) {
				return true
			}
		}
		return false
	}
	if outer == gate.LanguagePowerShell || has("IEX", "Invoke-", "New-Object", "-nop", "$env:") {
		return []gate.Language{gate.LanguagePowerShell}
	}
	var out []gate.Language
	add := func(l gate.Language) {
		if !slices.Contains(out, l) {
			out = append(out, l)
		}
	}
	switch outer {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo:
		add(outer)
	}
	if has("import ", "exec(", "__import__", "def ", "lambda ") {
		add(gate.LanguagePython)
	}
	if has("require(", "function", "=>", "const ", "eval(", "process.") {
		add(gate.LanguageJavaScript)
	}
	if len(out) == 0 || has("#!/", "curl ", "wget ", "/bin/", "/dev/", "sh ", "rm ", "nc ", "echo ", "chmod ", "sudo ", "|", "$(", "cat ") {
		add(gate.LanguageShell)
	}
	return out
}
