package decode

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/scan/region"
)

// Bounds of what is decoded from one text.
const (
	minRun     = 32        // encoded bytes that are worth a look
	maxRun     = 1 << 20   // encoded bytes of one piece
	maxPieces  = 100       // pieces of one text
	maxDecoded = 1 << 20   // bytes of all pieces together
	maxGrowth  = 256 << 10 // bytes that compressed data may grow to
)

// Payloads returns what is encoded in a text of that language, as regions that
// stand on the line where they begin. A piece that may be in several languages
// is returned once for each.
func Payloads(lang gate.Language, content []byte) []region.Region {
	var out []region.Region
	budget := maxDecoded
	line, counted := 1, 0
	for _, r := range runs(content) {
		if len(out) >= maxPieces || budget <= 0 {
			break
		}
		text, how := r.decode(content, budget)
		if text == nil {
			continue
		}
		budget -= len(text)
		line += bytes.Count(content[counted:r.start], []byte{'\n'})
		counted = r.start
		lines := make([]int, bytes.Count(text, []byte{'\n'})+1)
		for i := range lines {
			lines[i] = line
		}
		for _, l := range guess(lang, text) {
			out = append(out, region.Region{
				Language: l, Text: text, Lines: lines,
				Origin: fmt.Sprintf("%s on line %d", how, line),
			})
		}
	}
	return out
}

// run is a stretch of encoded bytes.
type run struct {
	start, end int
	kind       string // "base64", "hex" or "escapes"
}

// runs finds stretches that look encoded, in order.
func runs(content []byte) []run {
	var out []run
	for i := 0; i < len(content); {
		switch c := content[i]; {
		case c == '\\' && i+3 < len(content) && content[i+1] == 'x':
			end := i
			for end+3 < len(content) && content[end] == '\\' && content[end+1] == 'x' && isHex(content[end+2]) && isHex(content[end+3]) {
				end += 4
			}
			if end-i >= minRun*2 {
				out = append(out, run{i, end, "escapes"})
			}
			i = max(end, i+2)
		case isBase64(c):
			end, onlyHex := alphabet(content, i)
			if end-i >= minRun {
				kind := "base64"
				if onlyHex {
					kind = "hex"
				}
				out = append(out, run{i, end, kind})
			}
			i = end
		default:
			i++
		}
	}
	return out
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
func (r run) decode(content []byte, budget int) (text []byte, how string) {
	encoded := content[r.start:min(r.end, r.start+maxRun)]
	switch r.kind {
	case "escapes":
		text, _ = hex.DecodeString(strings.ReplaceAll(string(encoded), `\x`, ""))
	case "hex":
		digits := squeeze(encoded)
		text, _ = hex.DecodeString(digits[:len(digits)/2*2])
	default:
		text = fromBase64(encoded)
	}
	if unpacked, packing := unpack(text, min(budget, maxGrowth)); unpacked != nil {
		text, how = unpacked, packing+" in "
	}
	if len(text) < minRun/2 || !isText(text) {
		return nil, ""
	}
	return text, how + r.kind
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

// fromBase64 decodes both alphabets, with or without padding. The beginning is
// tried first: most long runs are images, hashes or words.
func fromBase64(encoded []byte) []byte {
	text := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(squeeze(encoded)), "=")
	if len(text)%4 == 1 {
		text = text[:len(text)-1]
	}
	head, err := base64.RawStdEncoding.DecodeString(text[:min(len(text), sniffedRun)])
	if err != nil || !isText(head) && !isPacked(head) {
		return nil
	}
	out, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return nil
	}
	return out
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
