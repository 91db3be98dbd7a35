// Package misread finds text that a reader takes for a comment or a string, and that would
// be dangerous if a program ran it.
//
// No lexer is right about every text: a quote that it does not know turns what follows
// from code into text or the reverse. So what is taken for a comment is read once more as
// code, and so is a string that begins like what follows a string. In languages without a
// lexer of their own each line is read with its quotes opening and closing in either way.
//
// It promises to look only at lines that changed, and only where words say that they start
// programs or send data. It leaves out what is a comment whichever way it is read: lines
// that begin with a comment sign and hold nothing that a text could insert, the lines of
// documentation that begin with a star, and commands shown behind a prompt.
//
// It doesn't run rules and doesn't decide how severe something is.
package misread

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
)

// Piece is a text to read as code.
type Piece struct {
	Language gate.Language
	Text     []byte       // ends with a line feed where it has Lines
	Lines    []int        // the line of the content for each line of Text; nil where they are the same
	At       map[int]bool // the lines of the content on which a finding counts
	// Runs says that it is hardly a comment or a string: the language has no lexer of its own,
	// and the line hands the text to something that starts programs or inserts it; or what
	// looks like a comment closes a bracket that it did not open.
	Runs bool
}

// MaxLines bounds how many lines of one text are looked at.
const MaxLines = 5000

// maxLine bounds how much of a line is looked at, in bytes.
const maxLine = 64 << 10

// acts matches what starts programs, sends data or deletes. It is looked for first, so that
// most texts cost one pass.
var acts = regexp.MustCompile(`(?i)\b(?:curl|wget|iwr|irm|invoke-\w+|certutil|urlopen|urlretrieve|fetch|requests?|https?|net|axios|nc|ncat|socat|crontab|base64|xxd|openssl|rm|authorized_keys|systemctl|launchctl|nsupdate|dig|bash|dev/tcp)\b`)

// does matches a call, a pipe or a substitution that something is run or sent by.
var does = regexp.MustCompile("(?i)\\b(?:exec\\w*|eval|system|spawn\\w*|popen\\w*|check_output|check_call|call|run\\w*|start|command\\w*|urlopen|urlretrieve|get|post|put|request|fetch|send\\w*|rmtree|rm(?:Sync)?|removeall|write\\w*|append\\w*|cmd|sh|shell\\w*|process|qx|dofile|loadstring)\\s*[(\\[{\"' ]|\\|\\s*(?:sudo\\s+)?(?:/\\S*/)?(?:ba|z|da|k|a)?sh\\b|\\|\\s*(?:sudo\\s+)?(?:python|perl|ruby|node|php)|[$#%@]\\(|\\$\\{|#\\{|`|/dev/tcp/|>>?\\s*~?/|\\b(?:curl|wget|nc|ncat|socat|rm|openssl|crontab|systemctl|launchctl|dig|nsupdate)\\s+[-~/$@]")

// inserts matches what a text inserts the result of a command by.
var inserts = regexp.MustCompile("\\$\\(|\\$\\{|#\\{|%\\(|@\\(|`")

// Find returns what has to be read once more. changed says which lines of the content,
// 1-based, did change. full says that there are more such lines, or longer ones, than are
// looked at.
func Find(lang gate.Language, content []byte, changed func(line int) bool) (out []Piece, full bool) {
	if !reads(lang) && !lang.Generic() || lang == gate.LanguageUnknown {
		return nil, false
	}
	lines, full := candidates(content, changed)
	if len(lines) == 0 {
		return nil, full
	}
	if reads(lang) {
		text := lex.Scan(lang, content)
		strings, more := flipped(lang, content, text, lines)
		out, full = append(uncommented(lang, content, text, lines), strings...), full || more
	}
	if !tokenized(lang) {
		pieces, more := eitherWay(lang, lines)
		out, full = append(out, pieces...), full || more
	}
	return out, full
}

// reads reports whether files of a language are programs whose comments are read as code.
func reads(lang gate.Language) bool {
	switch lang {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo, gate.LanguageShell, gate.LanguageRuby, gate.LanguagePerl,
		gate.LanguagePHP, gate.LanguageC, gate.LanguageRust, gate.LanguageJava, gate.LanguagePowerShell, gate.LanguageMakefile, gate.LanguageDockerfile:
		return true
	}
	return false
}

// tokenized reports whether the strings of a language are told apart by a lexer that was
// written for it, or are not looked at.
func tokenized(lang gate.Language) bool {
	switch lang {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo, gate.LanguageShell, gate.LanguageMakefile, gate.LanguageDockerfile,
		gate.LanguagePowerShell, gate.LanguageTemplate, gate.LanguageLiterate, gate.LanguageSQL:
		return true
	}
	return false
}

// line is a line of the content that has to be looked at.
type line struct {
	n          int // 1-based
	start, end int // byte offsets, without the line end
	text       string
}

// candidates are the changed lines that hold such words.
func candidates(content []byte, changed func(int) bool) (out []line, full bool) {
	if !acts.Match(content) {
		return nil, false
	}
	at := 0
	for n := 1; at < len(content); n++ {
		end := len(content)
		if i := bytes.IndexByte(content[at:], '\n'); i >= 0 {
			end = at + i
		}
		if changed(n) {
			shown := content[at:min(end, at+maxLine)]
			if acts.Match(shown) && does.Match(shown) {
				if len(out) == MaxLines {
					return out, true
				}
				out = append(out, line{n, at, end, string(shown)})
			}
		}
		at = end + 1
	}
	return out, false
}

// signs are what begins a comment up to the end of its line in some language.
var signs = []string{"//", "#", "--", ";", "%", "::", "(*", "/*", "\"\"\"", "'''"}

// isComment reports whether a line begins with a sign of a comment, in whatever it is.
func isComment(text string) bool {
	text = strings.TrimLeft(text, " \t")
	for _, s := range signs {
		if strings.HasPrefix(text, s) {
			return true
		}
	}
	return len(text) > 3 && (strings.EqualFold(text[:4], "rem ") || strings.EqualFold(text[:4], "dnl "))
}

// shown matches what a line of documentation begins with.
var shown = regexp.MustCompile(`^[ \t]*(?:\*(?:\s|$)|>>>|\.\.\.|[$>%:]\s|@\w)`)
