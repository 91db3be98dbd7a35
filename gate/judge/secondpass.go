package judge

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
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
	return scanner >= gate.SeveritySuspicious || bytes.ContainsFunc(src, hidden) || speaks(src)
}

// speaks reports whether a text speaks to a reviewer, as written or as decoded.
func speaks(text []byte) bool {
	hinted := slices.ContainsFunc(foreignHints, func(h string) bool { return bytes.Contains(text, []byte(h)) })
	for line := range bytes.Lines(text) {
		switch {
		case addressed.Match(line), hinted && foreign.Match(line):
			return true
		case bytes.ContainsFunc(line, func(r rune) bool { return r >= utf8.RuneSelf }):
			if read := asRead(line); foreign.Match(line) || foreign.Match(read) || addressed.Match(read) {
				return true
			}
		}
	}
	return false
}

// asRead is a text in ASCII as far as it can be read as that: without accents and
// hidden characters, with plain letters for those of other alphabets that are drawn
// like them, and with tags as the letters that they stand for.
func asRead(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf:
			return r
		case r >= '\U000E0020' && r <= '\U000E007E':
			return r - '\U000E0000'
		case hidden(r), unicode.Is(unicode.Mn, r):
			return -1
		}
		if i := strings.IndexRune(lookAlikes, r); i >= 0 {
			return rune(latin[utf8.RuneCountInString(lookAlikes[:i])])
		}
		return asDrawn(r)
	}, norm.NFKD.Bytes(text))
}

// Letters of the Cyrillic and Greek alphabets, and the Latin ones that they are drawn
// like.
const (
	lookAlikes = "авсԁеһіјкӏмոорԛгѕтսѵԝхуАВСЕНІЈКМОРЅТХУαγιορτυνχΑΒΕΖΗΙΚΜΝΟΡΤΥΧɡıℓ"
	latin      = "abcdehijklmnopqrstuvwxyABCEHIJKMOPSTXYayioptuvxABEZHIKMNOPTYXgil"
)

func hidden(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector) || slices.Contains(blankLetters, r)
}

// prose are the languages without a border between code and what is said about
// it.
var prose = map[gate.Language]bool{
	gate.LanguageUnknown: true, gate.LanguageText: true, gate.LanguageMarkdown: true, gate.LanguageHTML: true,
}

// chatToken matches a control token. Outside of comments and strings no language has
// one in its code; but pages that have code in them do, beside it.
var chatToken = regexp.MustCompile(`<\|\w+\|>|<(start|end)_of_turn>`)

func chatTurn(line []byte) bool {
	return chatToken.Match(line) && !bytes.Contains(line, []byte("<?")) && !bytes.Contains(line, []byte("<%"))
}

// unquoted are the languages in which text can be mixed with the code: as a value, as the
// words of an echo, behind the end of a script.
var unquoted = map[gate.Language]bool{
	gate.LanguageShell: true, gate.LanguagePowerShell: true, gate.LanguageRuby: true, gate.LanguagePerl: true, gate.LanguagePHP: true,
	gate.LanguageDockerfile: true, gate.LanguageMakefile: true, gate.LanguageYAML: true, gate.LanguageWorkflow: true, gate.LanguageINI: true,
}

// rereadings are what a file is read as again: without its comments, then also without
// what else speaks to a reviewer, from strings to lines. Each is a text of its own where
// the file has several of them, because what harms may be beside a word to the
// reviewer on purpose, to be left out.
func rereadings(split Splitter, lang gate.Language, src []byte) [][]byte {
	comments, all := withoutComments(split, lang, src)
	var texts [][]byte
	if !bytes.Equal(comments, src) && !bytes.Equal(comments, all) {
		texts = append(texts, comments)
	}
	if !bytes.Equal(all, src) {
		texts = append(texts, all)
	}
	if !unquoted[lang] {
		return texts
	}
	lines := slices.Clone(all)
	blankLines(lines, speaks)
	if !bytes.Equal(lines, all) {
		texts = append(texts, lines)
	}
	return texts
}

// withoutComments blanks comments, and in all also strings that speak to a reviewer,
// lines with control tokens and, in prose, lines that speak to a reviewer. Line numbers
// stay as they are.
func withoutComments(split Splitter, lang gate.Language, src []byte) (comments, all []byte) {
	comments, all = slices.Clone(src), slices.Clone(src)
	for _, span := range split(lang, src) {
		if span.Comment {
			blank(comments[span.Start:span.End])
			blank(all[span.Start:span.End])
		} else if text := all[span.Start:span.End]; speaks(text) {
			blank(text)
		}
	}
	blankLines(all, func(text []byte) bool { return prose[lang] && speaks(text) || chatTurn(text) })
	return comments, all
}

// blankLines blanks the lines that are chosen.
func blankLines(src []byte, chosen func(line []byte) bool) {
	for line := range bytes.Lines(src) { // lines share memory with src
		if chosen(line) {
			blank(line)
		}
	}
}

func blank(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}
