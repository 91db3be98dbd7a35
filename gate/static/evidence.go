package static

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/static/match"
)

// blanks are what is left in a line where constants were put together: the rest
// of the line keeps its columns.
var (
	beforeClosing = regexp.MustCompile(`(\S) {2,}([)\],;.])`)
	blanks        = regexp.MustCompile(`(\S) {2,}`)
)

// evidence is what findings show of the text.
func (t text) evidence(start, end int, secrets []span) string {
	shown := evidence(t.content, start, end, secrets)
	if t.deobfuscated {
		shown = blanks.ReplaceAllString(beforeClosing.ReplaceAllString(shown, "$1$2"), "$1 ")
	}
	return shown
}

// evidenceContext is how much of the line around a match is shown.
const evidenceContext = 80 // bytes on either side

// span is a stretch of a text.
type span struct{ start, end int }

// secretsOf returns the stretches that no evidence may show, sorted.
func secretsOf(matches []match.Match) []span {
	var out []span
	for _, m := range matches {
		if m.SecretEnd > m.SecretStart {
			out = append(out, span{m.SecretStart, m.SecretEnd})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].start < out[j].start })
	return out
}

// evidence is a stretch with a little of its line, secrets masked.
func evidence(content []byte, from, to int, secrets []span) string {
	start, end := from, min(to, from+gate.MaxEvidence)
	for start > 0 && from-start < evidenceContext && content[start-1] != '\n' {
		start--
	}
	for end < len(content) && end-to < evidenceContext && content[end] != '\n' {
		end++
	}
	var out []byte
	at := start
	for _, s := range secrets {
		if s.end <= at || s.start >= end {
			continue
		}
		if s.start > at {
			out = append(out, content[at:s.start]...)
		}
		out = append(out, mask(content[s.start:s.end], max(0, at-s.start))...)
		at = s.end
	}
	if at < end {
		out = append(out, content[at:end]...)
	}
	return string(bytes.ToValidUTF8(bytes.TrimSpace(out), []byte(string(utf8.RuneError))))
}

// shownOfSecret is how much of a secret is shown, so that its owner recognises it.
const shownOfSecret = 4 // bytes, and never more than a quarter

// mask hides a secret. cut is how many bytes of it lie outside of what is shown.
func mask(secret []byte, cut int) []byte {
	n := min(shownOfSecret, len(secret)/4)
	var out []byte
	if cut < n {
		out = append(out, secret[cut:n]...)
	}
	return append(out, "***"...)
}
