package lex

import (
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// style is what the shared lexer needs to know about a language.
type style struct {
	line      []string    // what begins a comment up to the end of the line
	lineOnly  bool        // … only as the first thing on a line
	spaced    bool        // … only at the start of a line or behind a blank
	block     [][2]string // comments with an end
	quotes    string      // strings that end with their line
	raw       string      // strings that span lines; a backslash is nothing special
	long      []string    // strings of several quotes, which span lines
	brackets  bool        // ( and [ join lines
	backslash byte        // at the end of a line joins it with the next
}

// styleOf returns the style of a language, false for text that has none.
func styleOf(lang gate.Language) (style, bool) {
	slashes := style{line: []string{"//"}, block: [][2]string{{"/*", "*/"}}, quotes: `"'`}
	hash := style{line: []string{"#"}, spaced: true, backslash: '\\'}
	switch lang {
	case gate.LanguageGo:
		slashes.raw, slashes.brackets = "`", true
		return slashes, true
	case gate.LanguageC:
		slashes.backslash = '\\'
		return slashes, true
	case gate.LanguageJava:
		slashes.long = []string{`"""`}
		return slashes, true
	case gate.LanguageRust:
		slashes.quotes = `"`
		return slashes, true
	case gate.LanguagePHP:
		slashes.line = append(slashes.line, "#")
		return slashes, true
	case gate.LanguageRuby:
		hash.quotes, hash.block = "\"'`", [][2]string{{"\n=begin", "\n=end"}}
		return hash, true
	case gate.LanguagePerl:
		hash.quotes, hash.block = "\"'`", [][2]string{{"\n=pod", "\n=cut"}, {"\n=head", "\n=cut"}}
		return hash, true
	case gate.LanguagePowerShell:
		hash.quotes, hash.block, hash.backslash = `"'`, [][2]string{{"<#", "#>"}}, '`'
		return hash, true
	case gate.LanguageMakefile:
		return hash, true
	case gate.LanguageDockerfile:
		hash.lineOnly = true
		return hash, true
	case gate.LanguageYAML, gate.LanguageWorkflow:
		hash.backslash = 0
		return hash, true
	case gate.LanguageTOML:
		return style{line: []string{"#"}, spaced: true, quotes: `"'`, long: []string{`"""`, `'''`}}, true
	case gate.LanguageINI:
		return style{line: []string{"#", ";"}, lineOnly: true}, true
	case gate.LanguageJSON, gate.LanguageNotebook:
		return style{quotes: `"`}, true
	case gate.LanguageHTML, gate.LanguageMarkdown:
		return style{block: [][2]string{{"<!--", "-->"}}}, true
	}
	return style{}, false
}

// styled splits a text by the style of its language.
func (s *splitter) styled(st style) {
	stops := st.stops()
	for {
		for !s.done() && !stops[s.src[s.pos]] {
			s.pos++
		}
		if s.done() {
			return
		}
		if !s.styledToken(st) {
			s.pos++
		}
		s.pos = min(s.pos, len(s.src))
	}
}

// stops are the bytes that something can begin with; all others are passed over.
func (st style) stops() *[256]bool {
	var stops [256]bool
	mark := func(s string) {
		if s != "" {
			stops[s[0]] = true
		}
	}
	for _, b := range st.block {
		mark(b[0])
	}
	for _, l := range slices.Concat(st.line, st.long) {
		mark(l)
	}
	for _, c := range []byte(st.quotes + st.raw) {
		stops[c] = true
	}
	if st.backslash != 0 {
		stops[st.backslash] = true
	}
	if st.brackets {
		for _, c := range []byte("()[]{}\r\n") {
			stops[c] = true
		}
	}
	return &stops
}

// styledToken goes behind the comment, string or line end at pos, if one is
// there.
func (s *splitter) styledToken(st style) bool {
	start, c := s.pos, s.src[s.pos]
	for _, b := range st.block {
		if s.has(b[0]) {
			s.pos += len(b[0])
			s.skipPast(b[1])
			s.add(start, Comment)
			return true
		}
	}
	for _, l := range st.line {
		if s.has(l) && s.mayComment(st) {
			s.restOfLine()
			s.add(start, Comment)
			return true
		}
	}
	for _, l := range st.long {
		if s.has(l) {
			s.pos += len(l)
			s.skipPast(l)
			s.add(start, String)
			return true
		}
	}
	switch {
	case strings.IndexByte(st.quotes, c) >= 0:
		s.quoted(c, true, false)
		s.add(start, String)
		return true
	case strings.IndexByte(st.raw, c) >= 0:
		s.quoted(c, false, true)
		s.add(start, String)
		return true
	case c == st.backslash && c != 0:
		s.pos++
		s.continued()
		return true
	case st.brackets:
		return s.bracket(c)
	}
	return false
}

// mayComment looks at what stands before a comment sign.
func (s *splitter) mayComment(st style) bool {
	if !st.lineOnly && !st.spaced {
		return true
	}
	i := s.pos
	if st.spaced && !st.lineOnly {
		return i == 0 || isBlank(s.src[i-1]) || s.src[i-1] == '\n' || s.src[i-1] == '\r' || s.src[i-1] == ';'
	}
	for i > 0 && isBlank(s.src[i-1]) {
		i--
	}
	return i == 0 || s.src[i-1] == '\n' || s.src[i-1] == '\r'
}

// bracket follows brackets and joins the lines inside ( and [.
func (s *splitter) bracket(c byte) bool {
	switch c {
	case '(', '[', '{':
		s.open(c)
	case ')':
		s.shut('(')
	case ']':
		s.shut('[')
	case '}':
		s.shut('{')
	case '\n', '\r':
		if s.inside("([") {
			s.join()
		}
	}
	return false
}
