package versions

import (
	"bytes"
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/dfa"
	"github.com/aigate/gate/gate/source/lex"
)

// shellBlock is one open block of a shell script.
type shellBlock struct {
	word   string // what opened it: if, while, case, {, (
	block  int    // 0 while the condition is being read
	from   int    // where the condition begins
	header string // of an if: the conditions so far
	branch int    // of a case: the block of the branch that we are in, 0 for none
}

// shellReader reads the blocks of a shell script by its keywords.
type shellReader struct {
	o       *outline
	stack   []shellBlock
	line    int
	command bool // the next word is the name of a command
	from    int  // where the command begins
}

// shellTail is what behind the end of a block has to do with what was in it.
var shellTail = regexp.MustCompile(`^[ \t]*(?:\||&|<|>|\d>).*`)

// shellFunction is how the definition of a function begins.
var shellFunction = dfa.MustCompile(`(?:^|[\s;&|])(?:function[ \t]+([^\s;&|()]+)[ \t]*(?:\([ \t]*\))?|([^\s;&|()=$]+)[ \t]*\([ \t]*\))\s*$`)

// plainFunction is the same where the name begins a line, with nothing else before it.
var plainFunction = dfa.MustCompile(`^[\w-]+\(\)[ \t]*$`)

// defined returns the name of the function that is defined at the end of a text.
func defined(before []byte) string {
	// Most are written like this, and the expression is slow with all that is before it.
	if line := bytes.LastIndexByte(before, '\n'); line >= 0 && plainFunction.Match(before[line+1:]) {
		name, _, _ := bytes.Cut(before[line+1:], []byte{'('})
		return string(name)
	}
	if m := shellFunction.FindSubmatch(before); m != nil {
		return string(m[1]) + string(m[2])
	}
	return ""
}

func readShell(o *outline) {
	r := &shellReader{o: o, command: true}
	spans, next := o.split.Spans, 0
	for at := 0; at < len(o.src); {
		if at >= o.starts[r.line] && (at == o.starts[r.line]) {
			o.in[r.line] = r.current()
		}
		for next < len(spans) && spans[next].End <= at {
			next++
		}
		if next < len(spans) && spans[next].Start <= at {
			at = r.span(spans[next], at)
			continue
		}
		at = r.token(at)
	}
	for _, b := range r.stack {
		if b.block > 0 {
			o.blocks[b.block].last = len(o.starts) - 1
		}
	}
}

// current is the innermost block.
func (r *shellReader) current() int {
	for _, b := range slices.Backward(r.stack) {
		if b.branch > 0 {
			return b.branch
		} else if b.block > 0 {
			return b.block
		}
	}
	return 0
}

// span passes over a string or comment. A substitution in a string opens and closes
// a block.
func (r *shellReader) span(s lex.Span, at int) int {
	if s.Class == lex.String {
		text := r.o.src[s.Start:s.End]
		if text[0] == ')' {
			r.close("(", s.Start)
		}
		if bytes.HasSuffix(text, []byte("$(")) {
			r.push("(", s.Start, plain(r.o.view[min(r.from, s.Start):s.Start])+" $(")
		}
		r.command = bytes.HasSuffix(text, []byte("$("))
	}
	for at < s.End {
		if r.o.src[at] == '\n' {
			r.newLine()
			if at+1 < s.End {
				r.o.in[r.line] = r.current()
			}
		}
		at++
	}
	return s.End
}

func (r *shellReader) newLine() { r.line = min(r.line+1, len(r.o.starts)-1) }

// token reads what begins at an offset in code, and returns where it ends.
func (r *shellReader) token(at int) int {
	c := r.o.src[at]
	switch {
	case c == '\n':
		if r.o.statement[r.line] == r.line || r.o.ends[r.o.statement[r.line]] == r.line {
			r.command, r.from = true, at+1
		}
		r.newLine()
	case c == ' ' || c == '\t' || c == '\r':
	case c == ';':
		if at+1 < len(r.o.src) && r.o.src[at+1] == ';' {
			r.branchEnds()
			at++
		}
		r.command, r.from = true, at+1
	case c == '&' || c == '|' || c == '!' && r.command:
		r.command = true
	case c == '(':
		return r.paren(at)
	case c == ')':
		r.closing(at)
		r.command, r.from = true, at+1
	default:
		return r.word(at)
	}
	return at + 1
}

// paren reads an opening parenthesis: of a function, of a subshell, of arithmetic.
func (r *shellReader) paren(at int) int {
	end := at + 1
	for end < len(r.o.src) && (r.o.src[end] == ' ' || r.o.src[end] == '\t') {
		end++
	}
	if end < len(r.o.src) && r.o.src[end] == ')' { // the name of a function comes before
		r.command = true
		return end + 1
	}
	r.push("(", at, plain(r.o.view[min(r.from, at):at])+" (")
	r.command, r.from = true, at+1
	return at + 1
}

// closing reads a closing parenthesis: of a subshell, or of the pattern of a case.
func (r *shellReader) closing(at int) {
	if n := len(r.stack); n > 0 && r.stack[n-1].word == "case" && r.stack[n-1].block > 0 {
		b := &r.stack[n-1]
		if b.branch == 0 {
			b.branch = r.o.open(b.block, r.line, r.line, plain(r.o.view[min(b.from, at):at])+")")
		}
		return
	}
	r.close("(", at)
}

func (r *shellReader) branchEnds() {
	if n := len(r.stack); n > 0 && r.stack[n-1].word == "case" {
		b := &r.stack[n-1]
		if b.branch > 0 {
			r.o.blocks[b.branch].last = r.line
		}
		b.branch, b.from = 0, r.from
	}
}

// wordEnd is where the word at an offset ends.
func (r *shellReader) wordEnd(at int) int {
	for at < len(r.o.src) && !bytes.ContainsRune([]byte(" \t\r\n;&|()'\"`"), rune(r.o.src[at])) {
		if r.o.src[at] == '\\' {
			at++
		}
		at++
	}
	return min(at, len(r.o.src))
}

// word reads a word; only in the place of a command it is a keyword.
func (r *shellReader) word(at int) int {
	end := max(r.wordEnd(at), at+1)
	word := string(r.o.src[at:end])
	if !r.command && !(word == "do" || word == "in" || word == "{") {
		return end
	}
	was := r.command
	r.command = false
	switch word {
	case "if", "while", "until", "for", "select", "case":
		if was && len(r.stack) < maxDepth {
			r.stack = append(r.stack, shellBlock{word: word, from: at})
		}
		r.command = word == "if" || word == "while" || word == "until"
	case "then", "do":
		r.body(at)
		r.command, r.from = true, end
	case "elif", "else":
		r.otherwise(at)
		r.command, r.from = true, end
	case "in":
		if n := len(r.stack); n > 0 && r.stack[n-1].word == "case" && r.stack[n-1].block == 0 {
			r.stack[n-1].block = r.o.open(r.current(), r.line, r.line, plain(r.o.view[r.stack[n-1].from:at]))
			r.stack[n-1].from = end
		}
	case "{":
		header := ""
		if name := defined(r.o.view[max(0, at-200):at]); name != "" {
			header = "function " + name
		} else if !was {
			return end
		}
		r.push("{", at, header)
		if n := len(r.o.blocks) - 1; header != "" {
			r.o.blocks[n].head = beginOf(r.o, r.from, at)
		}
		r.command, r.from = true, end
	case "fi":
		r.close("if", end-1)
	case "done":
		r.close("while", end-1)
	case "esac":
		r.close("case", end-1)
	case "}":
		r.close("{", end-1)
	case "time", "command", "exec", "eval", "nohup", "sudo":
		r.command = true
	default:
		// An assignment before a command does not take its place.
		r.command = strings.Contains(word, "=") && !strings.HasPrefix(word, "=")
	}
	return end
}

func (r *shellReader) push(word string, at int, header string) {
	if len(r.stack) < maxDepth {
		r.stack = append(r.stack, shellBlock{word: word, from: at, block: r.o.open(r.current(), r.line, r.line, short(header))})
	}
}

// body begins the block behind a condition.
func (r *shellReader) body(at int) {
	n := len(r.stack)
	if n == 0 || r.stack[n-1].block > 0 {
		return
	}
	b := &r.stack[n-1]
	header := short(plain(r.o.view[min(b.from, at):at]) + b.header)
	b.block, b.header = r.o.open(r.current(), r.o.lineOf(b.from), r.line, header), "|"+header
}

// otherwise ends the block of a condition and begins the next.
func (r *shellReader) otherwise(at int) {
	n := len(r.stack)
	if n == 0 || r.stack[n-1].word != "if" || r.stack[n-1].block == 0 {
		return
	}
	b := &r.stack[n-1]
	r.o.blocks[b.block].last = r.line
	b.block, b.from = 0, at
	if r.o.src[at+2] == 's' { // else
		header := "else" + b.header
		b.block = r.o.open(r.current(), r.line, r.line, short(header))
	}
}

// close ends the innermost block of a kind, and those in it that nothing ended.
func (r *shellReader) close(word string, at int) {
	loop := word == "while"
	for i, b := range slices.Backward(r.stack) {
		w := b.word
		if w != word && !(loop && (w == "until" || w == "for" || w == "select")) {
			if word == "(" {
				return // one that doesn't fit is a part of a word
			}
			continue
		}
		if b.block > 0 {
			r.o.blocks[b.block].last = r.line
			if t := shellTail.Find(r.o.view[at+1 : max(at+1, r.o.end(r.line))]); t != nil {
				r.o.blocks[b.block].header += " … " + plain(t)
			}
		}
		r.stack = r.stack[:i]
		return
	}
}
