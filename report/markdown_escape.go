package report

import (
	"net/url"
	"strings"
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
	// One space on each side is stripped by the reader, and keeps a backtick at
	// the border from joining the fence.
	return fence + " " + s + " " + fence
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

// linked returns text, which is Markdown already, as a link. An address that is
// not plainly one of a web page gives the text without a link.
func linked(text, address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return text
	}
	// Encodes what could end an address in angle brackets or a cell of a table, in
	// case a parser of addresses leaves it alone.
	encode := strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C", "`", "%60", `\`, "%5C",
		"[", "%5B", "]", "%5D", " ", "%20", "\n", "%0A", "\r", "%0D", "&", "&amp;")
	return "[" + text + "](<" + encode.Replace(visible(u.String())) + ">)"
}
