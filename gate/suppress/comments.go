package suppress

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/source/lex"
)

// maxMarkers bounds the suppressions of one file; what is beyond counts for
// nothing and is reported.
const maxMarkers = 200

// problem is a comment that seems to be meant as a suppression and is none.
type problem struct {
	line int
	what string
	text string
}

// comment is a comment, without its sign, that seems to mean a
// suppression.
type comment struct {
	text       string
	start, end int  // offsets in the text that it was found in
	line       int  // 1-based
	target     int  // the line of the code that it belongs to, 0 for none
	alone      bool // no code is on its line
	lines      int  // how many it takes
}

// kind says how far comments of a language can be told from everything else.
type kind uint8

const (
	// unknown: no comments, or strings that span lines and that the lexer does
	// not follow, so that a line in a string could look like a comment.
	unknown  kind = iota
	known         // the lexer follows strings and comments
	lineOnly      // strings are not followed; only a comment alone on its line counts
)

func kindOf(lang gate.Language) kind {
	switch lang {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageShell,
		gate.LanguageGo, gate.LanguageJava, gate.LanguageTOML:
		return known
	case gate.LanguageINI, gate.LanguageDockerfile, gate.LanguageMakefile, gate.LanguageYAML, gate.LanguageWorkflow:
		return lineOnly
	}
	return unknown
}

// embeds reports whether files of a language hold commands, which are looked at
// as what they are.
func embeds(lang gate.Language) bool {
	switch lang {
	case gate.LanguageDockerfile, gate.LanguageMakefile, gate.LanguageYAML, gate.LanguageWorkflow:
		return true
	}
	return false
}

// markers returns the suppressions in a file, in the order of their lines, and
// what seems to be meant as one.
func (d *document) markers(lang gate.Language, path string) (found []marker, wrong []problem) {
	if start, _ := intent(d.text, 0); start < 0 {
		return nil, nil
	}
	if !d.plain {
		return nil, []problem{{what: "the file is not UTF-8 text"}}
	}
	take := func(c comment, refused string) {
		m, err := parse(c.text)
		m.line, m.target = c.line, c.target
		switch {
		case refused == "" && c.lines > 1:
			refused = "it has to be in a comment of its own, on one line"
		case refused == "" && err != nil:
			refused = err.Error()
		case refused == "" && m.target == 0:
			refused = "no code follows it"
		case refused == "" && len(found) == maxMarkers:
			refused = "the file has too many suppressions; use the baseline"
		}
		switch {
		case refused == "":
			found = append(found, m)
		case len(wrong) < maxMarkers && (err == nil || meant(c.text)):
			wrong = append(wrong, problem{c.line, refused, c.text})
		}
	}

	inside := map[int]bool{} // lines that hold embedded code
	if embeds(lang) {
		seen := map[int]bool{} // a line may be in several pieces of code
		for _, r := range embedded.Extract(lang, path, d.text) {
			for _, l := range r.Lines {
				inside[l] = true
			}
			if kindOf(r.Language) != known || r.Origin != "" {
				continue
			}
			for _, c := range comments(r.Language, r.Text) {
				c.line = r.Lines[c.line-1]
				if c.target > 0 {
					c.target = r.Lines[c.target-1]
				}
				if !seen[c.line] {
					take(c, "")
				}
				seen[c.line] = true
			}
		}
	}
	outer := comments(lang, d.text)
	genuine := d.genuine(lang, outer, inside)
	for i, c := range outer {
		switch {
		case inside[c.line]:
		case kindOf(lang) == unknown:
			take(c, "comments of this kind of file can't be told from strings for sure; use the baseline")
		case kindOf(lang) == lineOnly && !c.alone:
			take(c, "in this kind of file it has to be alone on its line, above what it is for")
		case !genuine[i]:
			take(c, "it is in a text, where it is no comment")
		default:
			take(c, "")
		}
	}
	return found, wrong
}

// meant reports whether a comment that does not parse is more than prose about
// suppressions: it begins like one, or names a rule or a reason behind the verb.
func meant(text string) bool {
	for at := 0; ; {
		start, end := intent([]byte(text), at)
		if start < 0 {
			return false
		}
		next, _ := word(text[end:])
		if start == 0 || strings.Contains(next, "/") || strings.HasPrefix(next, "reason") {
			return true
		}
		at = end
	}
}

// comments returns the comments that seem to mean a suppression,
// with the line of the code that each belongs to: its own, or the next with code.
func comments(lang gate.Language, text []byte) []comment {
	split := lex.Scan(lang, text)
	var out []comment
	lines := counter{text: text, line: 1}
	for i, s := range split.Spans {
		if s.Class != lex.Comment {
			continue
		}
		inner, sign := stripped(lang, text[s.Start:s.End])
		if at, _ := intent(inner, 0); at < 0 || !sign {
			continue
		}
		if len(out) > 2*maxMarkers {
			break // more than are reported
		}
		c := comment{text: string(inner), start: s.Start, end: s.End, line: lines.at(s.Start)}
		c.lines = 1 + bytes.Count(text[s.Start:s.End], []byte{'\n'})
		lead := text[bytes.LastIndexByte(text[:s.Start], '\n')+1 : s.Start]
		c.alone = len(bytes.TrimSpace(lead)) == 0
		if !c.alone {
			c.target = c.line
		} else if at := nextCode(lang, text, split.Spans[i:]); at >= 0 {
			after := lines
			c.target = after.at(at)
			c.alone = c.target != c.line
		}
		out = append(out, c)
	}
	return out
}

// nextCode is the offset of the first byte behind the first span that is neither
// blank nor in a comment, or -1.
func nextCode(lang gate.Language, text []byte, spans []lex.Span) int {
	at := spans[0].End
	for _, s := range spans[1:] {
		if i := firstCode(text[at:s.Start]); i >= 0 {
			return at + i
		}
		if _, sign := stripped(lang, text[s.Start:s.End]); s.Class != lex.Comment || !sign {
			return s.Start // a string, or one that documents
		}
		at = s.End
	}
	if i := firstCode(text[at:]); i >= 0 {
		return at + i
	}
	return -1
}

func firstCode(text []byte) int {
	return bytes.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune(" \t\r\n\f\v", r) })
}

// stripped takes the sign off a comment. A documentation string has none: it is
// a string, whatever it is good for.
func stripped(lang gate.Language, c []byte) (inner []byte, sign bool) {
	pairs := [][2]string{{"//", ""}, {"#", ""}, {"/*", "*/"}}
	switch lang {
	case gate.LanguageINI:
		pairs = append(pairs, [2]string{";", ""})
	case gate.LanguageHTML, gate.LanguageMarkdown:
		pairs = [][2]string{{"<!--", "-->"}}
	case gate.LanguagePowerShell:
		pairs = append([][2]string{{"<#", "#>"}}, pairs...)
	}
	for _, p := range pairs {
		if rest, ok := bytes.CutPrefix(c, []byte(p[0])); ok {
			return bytes.TrimSpace(bytes.TrimSuffix(rest, []byte(p[1]))), true
		}
	}
	return nil, false
}

// counter finds the lines of offsets that only grow.
type counter struct {
	text []byte
	pos  int
	line int
}

func (c *counter) at(offset int) int {
	c.line += bytes.Count(c.text[c.pos:offset], []byte{'\n'})
	c.pos = offset
	return c.line
}
