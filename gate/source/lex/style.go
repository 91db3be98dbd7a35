package lex

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// style is what the shared lexer needs to know about a language.
type style struct {
	line      []string                     // what begins a comment up to the end of the line
	lineEnd   string                       // ends such a comment, besides the line
	never     string                       // what begins no such comment, although it begins like one
	lineOnly  bool                         // … only as the first thing on a line
	spaced    bool                         // … only at the start of a line or behind a blank
	block     [][2]string                  // comments with an end
	quotes    string                       // strings that end with their line
	raw       string                       // strings that span lines; a backslash is nothing special
	long      []string                     // strings of several quotes, which span lines
	spans     [][2]string                  // strings that begin and end differently, and span lines
	brackets  bool                         // ( and [ join lines
	backslash byte                         // at the end of a line joins it with the next
	spanning  bool                         // strings may span lines, which is followed to tell what is no comment
	opaque    func(src []byte, at int) int // the end of a string of many lines that begins there, at for none, -1 for one without an end
	marked    bool                         // code is between tags, and what is outside of them has neither strings nor comments
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
		slashes.backslash, slashes.opaque = '\\', rawOfC
		return slashes, true
	case gate.LanguageJava:
		slashes.long = []string{`"""`}
		return slashes, true
	case gate.LanguageRust:
		slashes.quotes, slashes.opaque = `"`, rawOfRust
		return slashes, true
	case gate.LanguagePHP:
		slashes.line, slashes.lineEnd, slashes.never = append(slashes.line, "#"), "?>", "#["
		slashes.spanning, slashes.opaque, slashes.marked = true, heredocOfPHP, true
		return slashes, true
	case gate.LanguageRuby:
		hash.quotes, hash.block = "\"'`", [][2]string{{"\n=begin", "\n=end"}}
		hash.spanning, hash.opaque = true, textOfRuby
		return hash, true
	case gate.LanguagePerl:
		hash.quotes, hash.block = "\"'`", [][2]string{{"\n=pod", "\n=cut"}, {"\n=head", "\n=cut"}}
		hash.spanning, hash.opaque = true, textOfPerl
		return hash, true
	case gate.LanguagePowerShell:
		hash.quotes, hash.block, hash.backslash = `"'`, [][2]string{{"<#", "#>"}}, '`'
		hash.spanning = true
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
	return genericStyle(lang)
}

// styled is the lexer of the languages that a style is enough for.
type styled struct {
	scanner
	style style
	open  byte // the quote of a string that did not end with its line
	free  int  // no comment begins before this offset
	tries int  // strings of many lines that were looked for without a result
}

// maxTries bounds the search for strings of many lines. Behind it, no comment hides anything.
const maxTries = 300

// mayHide reports whether a comment may begin at pos: in a string of many lines, there is none. Such
// strings are told as far as that takes; what lies in them counts as code, so that a mistake hides nothing.
func (l *styled) mayHide() bool { return l.open == 0 && l.pos >= l.free }

func (l *styled) split() {
	stops := l.style.stops()
	if l.style.marked {
		l.outside(0)
	}
	for {
		i := l.pos
		for i < len(l.src) && !stops[l.src[i]] {
			i++
		}
		if l.pos = i; l.done() {
			return
		}
		if !l.token() {
			l.pos++
		}
		l.pos = min(l.pos, len(l.src))
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
	for _, b := range slices.Concat(st.block, st.spans) {
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
	if st.opaque != nil {
		for _, c := range []byte("<'rR%qmstyb") {
			stops[c] = true
		}
	}
	if st.marked {
		stops['?'] = true
	}
	if st.brackets {
		for _, c := range []byte("()[]{}\r\n") {
			stops[c] = true
		}
	}
	return &stops
}

// token goes behind the comment, string or line end at pos, if there is one.
func (l *styled) token() bool {
	start, c, st := l.pos, l.src[l.pos], &l.style
	if st.opaque != nil && start >= l.free {
		end := st.opaque(l.src, start)
		if l.free = max(l.free, end); end < 0 {
			l.tries++
		}
		if l.tries > maxTries {
			l.free = len(l.src)
		}
		if st.line[0] == "//" && !st.marked && l.free > start { // nothing begins in a raw string
			l.pos = l.free
			return true
		}
	}
	if st.marked && l.has("?>") {
		l.outside(l.pos + len("?>"))
		return true
	}
	for _, b := range st.block {
		if l.has(b[0]) && l.mayHide() {
			l.pos += len(b[0])
			l.skipPast(b[1])
			l.add(start, Comment)
			return true
		}
	}
	for _, sign := range st.line {
		if l.has(sign) && l.mayComment() && l.mayHide() && (st.never == "" || !l.has(st.never)) {
			l.restOfLine()
			if i := bytes.Index(l.src[start:l.pos], []byte(st.lineEnd)); i >= 0 && st.lineEnd != "" {
				l.pos = start + i
			}
			l.add(start, Comment)
			return true
		}
	}
	for _, s := range st.spans {
		if l.has(s[0]) {
			l.pos += len(s[0])
			l.skipPast(s[1])
			l.add(start, String)
			return true
		}
	}
	for _, quotes := range st.long {
		if l.has(quotes) {
			l.pos += len(quotes)
			l.skipPast(quotes)
			l.add(start, String)
			return true
		}
	}
	switch {
	case strings.IndexByte(st.quotes, c) >= 0:
		if l.open == c && start >= l.free {
			l.mayEnd(c)
			return true
		}
		escape := byte('\\')
		if st.backslash == '`' {
			escape = '`'
		}
		l.quotedWith(c, escape, false)
		l.add(start, String)
		if st.spanning && start >= l.free && l.open == 0 && (l.pos-start < 2 || l.src[l.pos-1] != c) {
			l.open = c
		}
		return true
	case strings.IndexByte(st.raw, c) >= 0:
		l.quoted(c, false, true)
		l.add(start, String)
		return true
	case c == st.backslash && c != 0:
		l.pos++
		l.continued()
		return true
	case st.brackets:
		return l.bracket(c)
	}
	return false
}

// mayEnd goes to the end of a line on which a string of many lines may end: an odd number of its quotes ends
// it. What is on the line counts as code.
func (l *styled) mayEnd(quote byte) {
	for n := 0; !l.atEnd(); l.pos++ {
		switch l.src[l.pos] {
		case '\\':
			l.pos++
		case quote:
			if n++; n%2 == 1 {
				l.open = 0
			} else {
				l.open = quote
			}
		}
	}
	l.pos = min(l.pos, len(l.src))
}

// mayComment looks at what comes before a comment sign.
func (l *styled) mayComment() bool {
	st := &l.style
	if !st.lineOnly && !st.spaced {
		return true
	}
	i := l.pos
	if st.spaced && !st.lineOnly {
		return i == 0 || isBlank(l.src[i-1]) || l.src[i-1] == '\n' || l.src[i-1] == '\r' || l.src[i-1] == ';'
	}
	for i > 0 && isBlank(l.src[i-1]) {
		i--
	}
	return i == 0 || l.src[i-1] == '\n' || l.src[i-1] == '\r'
}

// bracket follows brackets and joins the lines inside ( and [.
func (l *styled) bracket(c byte) bool {
	switch c {
	case '(', '[', '{':
		l.brackets.open(c)
	case ')':
		l.brackets.shut('(')
	case ']':
		l.brackets.shut('[')
	case '}':
		l.brackets.shut('{')
	case '\n', '\r':
		if l.brackets.inside("([") {
			l.join()
		}
	}
	return false
}
