package judge

import (
	"bytes"
	"regexp"
	"slices"
	"unicode"

	"github.com/aigate/gate/gate"
)

// Span is a stretch of a file, a comment or a string.
type Span struct {
	Start, End int // byte offsets, half open
	Comment    bool
}

// Splitter finds the comments and strings of a file, sorted and not overlapping.
// It has to take any input. Lexers belong to another layer, so the judge is
// given one.
type Splitter func(lang gate.Language, src []byte) []Span

// addressed matches text that speaks to a reviewer or a model instead of to the
// machine, or that has the form of an answer. It decides only whether the file
// is read a second time without such text, so it may match too much.
var addressed = regexp.MustCompile(`(?i)` +
	`\b(reviewer|auditor|moderator|code review|security (team|scan|tool|review)|static analy)` +
	`|\b(llms?|language models?|chat ?bots?|(ai|coding|code|review\w*) (model|assistant|agent|system|tool)s?|chatgpt|claude|copilot|gemini|gpt-?\d|qwen\w*)\b` +
	`|\b(ignore|disregard|forget|override)\b.{0,40}\b(instruction|prompt|rule|previous|above|prior)` +
	`|\b(is|are|as) (\w+ ){0,2}(safe|benign|harmless|trusted|legitimate|innocent)\b` +
	`|\b(audited|reviewed|approved|verified|vetted|cleared|whitelisted|allowlisted)\b` +
	`|\b(do not|don't|never) (flag|report|block|mention)` +
	`|\bfalse positive` +
	`|\b(verdict|dangerous_lines)\b` +
	`|\b(system|assistant|user) ?(prompt|message|turn|role)\b|["']role["']|^\s*(system|assistant|user):` +
	`|<\||\[/?INST|<(start|end)_of_turn|</?s>`)

// needsSecondReading reports whether a file may have talked the judge round: it
// speaks to a reviewer, hides characters, or the scanner found something that
// the judge did not.
func needsSecondReading(src []byte, scanner gate.Severity) bool {
	return scanner >= gate.SeveritySuspicious || addressed.Match(src) || bytes.ContainsFunc(src, hidden)
}

func hidden(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector) || slices.Contains(blankLetters, r)
}

// prose are the languages without a border between code and what is said about
// it.
var prose = map[gate.Language]bool{
	gate.LanguageUnknown: true, gate.LanguageText: true, gate.LanguageMarkdown: true, gate.LanguageHTML: true,
}

// withoutComments blanks comments, strings that speak to a reviewer and, in
// prose, lines that do. Line numbers stay as they are.
func withoutComments(split Splitter, lang gate.Language, src []byte) []byte {
	out := slices.Clone(src)
	for _, span := range split(lang, src) {
		if text := out[span.Start:span.End]; span.Comment || addressed.Match(text) {
			blank(text)
		}
	}
	if !prose[lang] {
		return out
	}
	for text := range bytes.Lines(out) { // lines share memory with out
		if addressed.Match(text) {
			blank(text)
		}
	}
	return out
}

func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}
