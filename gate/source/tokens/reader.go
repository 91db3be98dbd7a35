package tokens

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
)

// piece is a token with its place. A newline is one, whether it means something or not.
type piece struct {
	Token
	start, line, last int
	// Of a newline: whether the lexer joins the lines, and the bracket around it.
	joined bool
	inside byte
}

// group is an open bracket.
type group struct {
	open   byte // literal for the brace of an object
	call   bool // of Python: follows what is called, or holds what is imported
	lambda bool // of Python: one is in it, whose commas are not the bracket's
	commas int
	// control says, of the braces of a type of Go, whether the next brace behind them is a block.
	control bool
}

// literal is the opening brace of an object, in which lines don't end statements.
const literal = 'L'

// maxOpen bounds how deep brackets are followed; what is deeper is taken as it comes.
const maxOpen = 200

// reader makes a flat list of the tokens of a text.
type reader struct {
	language gate.Language
	src      []byte
	spans    []lex.Span
	joins    []int
	at, line int
	out      []piece
	open     []group
	blank    bool // a blank precedes the next token
	braces   int  // of shell: open "${"
	control  bool // of Go: a word of the statement says that a brace is a block
}

func newReader(l gate.Language, src []byte) *reader {
	split := lex.Scan(l, src)
	return &reader{language: l, src: src, spans: split.Spans, joins: split.Joins, line: 1}
}

func (r *reader) script() bool {
	return r.language == gate.LanguageJavaScript || r.language == gate.LanguageTypeScript
}
func (r *reader) shell() bool  { return r.language == gate.LanguageShell }
func (r *reader) python() bool { return r.language == gate.LanguagePython }
func (r *reader) golang() bool { return r.language == gate.LanguageGo }

func (r *reader) read() {
	for r.at < len(r.src) {
		if len(r.spans) > 0 && r.spans[0].Start == r.at {
			r.span()
			continue
		}
		switch c := r.src[r.at]; {
		case c == '\n':
			r.newline()
		case c == ' ' || c == '\t':
			r.at++
			r.blank = true
		case c == '\\' && r.peek(1) == '\n':
			r.at += 2
			r.line++
			r.blank = r.blank || !r.shell()
		case c == '\\' && r.shell():
			r.add(Mark, min(r.at+2, r.border()))
		case char.IsWord(c) || c >= 0x80 || c == '$' && r.script():
			r.word()
		default:
			r.mark()
		}
	}
}

// border is where the code from here on ends.
func (r *reader) border() int {
	if len(r.spans) > 0 {
		return r.spans[0].Start
	}
	return len(r.src)
}

func (r *reader) peek(n int) byte {
	if i := r.at + n; i < r.border() {
		return r.src[i]
	}
	return 0
}

// add makes a token of the text up to an offset.
func (r *reader) add(k Kind, end int) { r.addAs(k, end, string(r.src[r.at:end])) }

func (r *reader) addAs(k Kind, end int, text string) {
	if r.shell() && r.blank && !r.separates(k, text) {
		r.out = append(r.out, piece{Token: Token{Blank, " "}, start: r.at, line: r.line, last: r.line})
	}
	r.blank = false
	first := r.line
	r.line += bytes.Count(r.src[r.at:end], []byte{'\n'})
	r.out = append(r.out, piece{Token: Token{k, text}, start: r.at, line: first, last: r.line})
	r.at = end
}

// separates reports whether a blank before a token of a shell means nothing: at the
// beginning of a line, and beside an operator between commands.
func (r *reader) separates(k Kind, text string) bool {
	n := len(r.out)
	if n == 0 || r.out[n-1].Kind == Newline {
		return true
	}
	if r.braces > 0 {
		return false
	}
	before := r.out[n-1]
	return k == Mark && commandEnds(text) || before.Kind == Mark && commandEnds(before.Text)
}

func commandEnds(mark string) bool {
	return mark == "|" || mark == "||" || mark == "&&" || mark == ";"
}

// last is the token before this one, on the same line or joined with it.
func (r *reader) last() (piece, bool) {
	for _, p := range slices.Backward(r.out) {
		if p.Kind != Newline {
			return p, true
		} else if !p.joined && p.inside != literal {
			return p, false
		}
	}
	return piece{}, false
}

func (r *reader) newline() {
	for len(r.joins) > 0 && r.joins[0] < r.at {
		r.joins = r.joins[1:]
	}
	p := piece{Token: Token{Newline, "\n"}, start: r.at, line: r.line, last: r.line}
	p.joined = len(r.joins) > 0 && r.joins[0] == r.at
	if n := len(r.open); n > 0 {
		p.inside = r.open[n-1].open
	}
	if !p.joined && p.inside != literal {
		r.control = false
	}
	r.out = append(r.out, p)
	r.at++
	r.line++
	r.blank = false
}

func (r *reader) word() {
	end := r.at
	for end < r.border() && (char.IsWord(r.src[end]) || r.src[end] >= 0x80 || r.src[end] == '$' && r.script()) {
		end++
	}
	r.add(Word, end)
	switch text := r.out[len(r.out)-1].Text; text {
	case "if", "for", "switch", "select", "func", "type", "else":
		r.control = true
	case "lambda":
		if n := len(r.open); n > 0 {
			r.open[n-1].lambda = true
		}
	}
}

// marks are the operators of several bytes, longest first. One that a language doesn't
// have makes more texts differ, never fewer.
var marks = []string{
	">>>=", "...", "===", "!==", "**=", "//=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "&^=",
	"=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "@=",
	"**", "//", "<<", ">>", "->", "<-", ":=", "&^", "<>", "|&", ";;", "&>", ">&", "<&", ">|",
}

// mark takes an operator or a bracket.
func (r *reader) mark() {
	end := r.at + 1
	for _, m := range marks {
		if r.at+len(m) <= r.border() && string(r.src[r.at:r.at+len(m)]) == m {
			end = r.at + len(m)
			break
		}
	}
	if r.shell() {
		r.shellMark(end)
		return
	}
	c := r.src[r.at]
	before, _ := r.last()
	switch {
	case strings.IndexByte("([{", c) >= 0:
		r.add(Mark, end)
		r.opens(c, before)
		return
	case strings.IndexByte(")]}", c) >= 0:
		r.closes(c)
	case c == ',' && len(r.open) > 0:
		r.open[len(r.open)-1].commas++
	}
	r.add(Mark, end)
}

// shellMark follows "${", within which every blank counts.
func (r *reader) shellMark(end int) {
	n := len(r.out)
	switch c := r.src[r.at]; {
	case c == '{' && n > 0 && r.out[n-1].Text == "$" && !r.blank:
		r.braces++
	case c == '}' && r.braces > 0:
		r.add(Mark, end)
		r.braces--
		return
	}
	r.add(Mark, end)
}

// span takes a string or a comment.
func (r *reader) span() {
	s := r.spans[0]
	text := r.src[s.Start:s.End]
	if s.Class == lex.Comment {
		r.comment(s, string(text))
		return
	}
	r.spans = r.spans[1:]
	end := s.End
	if r.python() && bytes.HasSuffix(text, []byte("{")) {
		end = r.formatted()
	}
	r.addAs(String, end, r.unquoted(string(r.src[s.Start:end])))
}

// formatted goes to the end of a formatted string of Python, in the fields of which
// blanks can mean something.
func (r *reader) formatted() int {
	depth, end := 1, r.border()
	for depth > 0 && len(r.spans) > 0 {
		s := r.spans[0]
		text := r.src[s.Start:s.End]
		if bytes.IndexByte(r.src[end:s.Start], '\n') >= 0 && !bytes.HasPrefix(text, []byte("}")) || s.Class == lex.Comment {
			return end // it was never closed
		}
		r.spans = r.spans[1:]
		end = s.End
		if bytes.HasPrefix(text, []byte("}")) {
			depth--
		}
		if bytes.HasSuffix(text, []byte("{")) && len(text) > 0 {
			depth++
		}
	}
	return end
}

// unquoted writes strings with double quotes where single ones mean the same: one line
// without quotes and backslashes in it, and in a shell without anything that is expanded.
func (r *reader) unquoted(s string) string {
	n := len(s)
	if n < 2 || s[0] != '\'' || s[n-1] != '\'' || strings.ContainsAny(s[1:n-1], "'\"\\\n`") {
		return s
	}
	switch {
	case r.python(), r.script():
	case r.shell():
		expands := func(c rune) bool { return c >= 0x80 || !char.IsWord(byte(c)) && !strings.ContainsRune(" ./:,=@%+-", c) }
		if strings.ContainsFunc(s[1:n-1], expands) || r.at > 0 && r.src[r.at-1] == '$' {
			return s
		}
	default:
		return s
	}
	return `"` + s[1:n-1] + `"`
}

// comment passes over a comment. One that a mistaken lexer could take for one is kept.
func (r *reader) comment(s lex.Span, text string) {
	r.spans = r.spans[1:]
	if r.certain(s.Start, text) {
		n := strings.Count(text, "\n")
		r.line += n
		r.at = s.End
		r.blank = true
		if n > 0 && !r.python() { // a comment with a line end in it is one
			if len(r.out) > 0 {
				p := piece{Token: Token{Newline, "\n"}, start: s.Start, line: r.line, last: r.line}
				if m := len(r.open); m > 0 {
					p.inside = r.open[m-1].open
					p.joined = p.inside == '(' || p.inside == '['
				}
				r.out = append(r.out, p)
			}
		}
		return
	}
	r.add(Remark, s.End)
}

// certain reports whether a comment can be nothing else. The lexers of JavaScript and of
// shell guess where a regular expression or a here document begins; with a wrong guess,
// code looks like a comment.
func (r *reader) certain(start int, text string) bool {
	if r.python() || r.golang() {
		return true
	}
	if strings.ContainsAny(text, "`()[]{}$=;|&<>") {
		return false
	}
	line := r.src[bytes.LastIndexByte(r.src[:start], '\n')+1 : start]
	return r.shell() || bytes.IndexByte(line, '/') < 0
}
