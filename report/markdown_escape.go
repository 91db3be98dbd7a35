package report

import (
	"net/url"
	"strings"

	"github.com/aigate/gate/gate"
)

// code returns hostile text as a code span. Inside of one, neither CommonMark
// nor GitHub knows links, mentions, HTML or emphasis; what is left to defend are
// its borders. The fence is longer than any run of backticks in the text, and
// the text is a single line of visible characters. It is never empty, because
// an empty span is none.
func code(s string) string {
	s = visible(s)
	if strings.TrimSpace(s) == "" {
		return "(empty)"
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if strings.ContainsAny(s[:1]+s[len(s)-1:], "` ") {
		// One space on each side is stripped by the reader, and keeps a backtick
		// at the border from joining the fence.
		s = " " + s + " "
	}
	return fence + s + fence
}

// clippedCode is code for text of any length.
func clippedCode(s string) string { return code(gate.Clip(s, gate.MaxEvidence)) }

// words returns a sentence as it is where it is made of plain words and can
// mean nothing else to any reader of Markdown, and otherwise as code. Only the
// messages of rules are written like that.
func words(s string) string {
	if s == "" || !isLetter(rune(s[0])) { // "1." and "-" begin lists
		return clippedCode(s)
	}
	for word := range strings.SplitSeq(s, " ") {
		if !isWord(word) {
			return clippedCode(s)
		}
	}
	return gate.Clip(s, gate.MaxEvidence)
}

// isWord reports whether word is letters, joined by single hyphens, apostrophes
// or slashes, or a short number, with punctuation around it.
func isWord(word string) bool {
	word = strings.TrimSuffix(strings.TrimRight(strings.TrimPrefix(word, "("), ",;:."), ")")
	if strings.EqualFold(word, "www") { // the beginning of an address, with a full stop
		return false
	}
	letters, digits, joint := 0, 0, true
	for _, r := range word {
		switch {
		case isLetter(r):
			letters++
			joint = false
		case r >= '0' && r <= '9':
			digits++
			joint = false
		case strings.ContainsRune("-'/", r) && !joint:
			joint = true
		default:
			return false
		}
	}
	return !joint && (digits == 0 || letters == 0 && digits <= 6)
}

// tableCode is code for a cell of a table. Rows are split at pipes before code
// spans are looked for, and parsers disagree about what a backslash in front of
// one means, so a pipe is shown as an escape.
func tableCode(s string) string { return strings.ReplaceAll(code(s), "|", `\x7c`) }

// codeBlock returns lines as a fenced block. The fence is longer than any run of
// backticks in the text.
func codeBlock(lines []string) string {
	fence := 3
	for _, l := range lines {
		fence = max(fence, longestRun(l, '`')+1)
	}
	bar := strings.Repeat("`", fence)
	return bar + "text\n" + strings.Join(lines, "\n") + "\n" + bar + "\n"
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// webAddress returns address in its plain form if it is that of a web page.
func webAddress(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return "", false
	}
	return visible(u.String()), true
}

// linked returns text, which is Markdown already, as a link. An address that is
// not plainly one of a web page gives the text without a link.
func linked(text, address string) string {
	plain, ok := webAddress(address)
	if !ok {
		return text
	}
	// Encodes what could end an address in angle brackets or a cell of a table, in
	// case a parser of addresses leaves it alone.
	encode := strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C", "`", "%60", `\`, "%5C",
		"[", "%5B", "]", "%5D", " ", "%20", "&", "&amp;")
	return "[" + text + "](<" + encode.Replace(plain) + ">)"
}
