package flow

import (
	"sort"
	"strings"

	"github.com/aigate/gate/gate/source/lex"
)

// script is what a graph of a shell script has instead of tokens.
type script struct {
	text      *lex.Text
	pipelines []Span     // sorted by start; nested ones follow those around them
	uses      []shellUse // sorted by offset
	open      []shellBlock
	function  string // the name of a function whose body has not begun
	depth     int
	closing   byte // what ends the commands that are being read, 0 for the end of the text
}

// shellUse is a place where a variable, a file or a function is used.
type shellUse struct {
	at   int
	name string // of a variable, or filePrefix and a path; "" for a function
	call string // a function
	args []Span
}

// filePrefix makes a file a name: what one command writes, another reads.
const filePrefix = "file "

// shellBlock is an open block.
type shellBlock struct {
	block int32
	fn    int32
}

// shell reads a script command by command.
func (g *Graph) shell(text *lex.Text) {
	g.script = &script{text: text}
	g.commands(0, 0)
	for _, b := range g.script.open {
		g.shutShell(b, len(g.view))
	}
	sort.SliceStable(g.script.uses, func(i, j int) bool { return g.script.uses[i].at < g.script.uses[j].at })
	sort.SliceStable(g.script.pipelines, func(i, j int) bool { return g.script.pipelines[i].Start < g.script.pipelines[j].Start })
}

func (g *Graph) shutShell(b shellBlock, at int) {
	g.blocks[b.block].End = at
	if b.fn >= 0 {
		g.funcs[b.fn].body.End = at
	}
}

// command is one simple command that is being read.
type command struct {
	pipeline int // where the pipeline that it is in began
	words    []Span
	writes   []Span // files that redirections write
}

// commands reads commands from an offset on to the closing byte, which is not
// taken: 0 for the end of the text. It returns where it stopped.
func (g *Graph) commands(i int, closing byte) int {
	s := g.script
	if s.depth++; s.depth > 50 {
		s.depth--
		return len(g.view)
	}
	outer := s.closing
	s.closing = closing
	defer func() { s.depth, s.closing = s.depth-1, outer }()
	c := command{pipeline: i}
	endPipeline := func(at int) {
		g.command(&c, at)
		if at > c.pipeline {
			s.pipelines = append(s.pipelines, Span{c.pipeline, at})
		}
		c = command{pipeline: at + 1}
	}
	for i < len(g.view) {
		switch b := g.view[i]; {
		case b == closing && closing != 0:
			endPipeline(i)
			return i
		case b == '\n' || b == ';':
			endPipeline(i)
			i++
		case b == '&' && i+1 < len(g.view) && g.view[i+1] == '>':
			i++
		case (b == '&' || b == '|') && i+1 < len(g.view) && g.view[i+1] == b:
			endPipeline(i)
			i += 2
			c.pipeline = i
		case b == '&':
			endPipeline(i)
			i++
		case b == '|':
			g.command(&c, i)
			c.words, c.writes = nil, nil
			i++
		case b == '(':
			if i+1 < len(g.view) && g.view[i+1] == ')' && len(c.words) > 0 {
				s.function = g.word(c.words[len(c.words)-1])
				c = command{pipeline: i + 2}
				i += 2
				continue
			}
			i = g.commands(i+1, ')') + 1
		case b == '>' || b == '<':
			i = g.redirection(&c, i)
		case b <= ' ' || b == ')' || b == '`':
			i++
		default:
			end := g.readWord(i)
			c.words = append(c.words, Span{i, end})
			i = end
			if first, skip := g.reserved(&c); skip {
				c.words, c.writes = nil, nil
				if first {
					c.pipeline = i
				}
			}
		}
	}
	endPipeline(len(g.view))
	return len(g.view)
}

// redirection reads an operator and its word.
func (g *Graph) redirection(c *command, i int) int {
	writes := g.view[i] == '>'
	for i < len(g.view) && strings.IndexByte("<>&|-", g.view[i]) >= 0 {
		i++
	}
	for i < len(g.view) && (g.view[i] == ' ' || g.view[i] == '\t') {
		i++
	}
	if i < len(g.view) && g.view[i] == '(' { // a process substitution
		return g.commands(i+1, ')') + 1
	}
	end := g.readWord(i)
	if end > i {
		if writes {
			c.writes = append(c.writes, Span{i, end})
		} else {
			c.words = append(c.words, Span{i, end})
		}
	}
	return max(end, i+1)
}

// readWord returns where the word at an offset ends, and reads the commands of
// the substitutions in it.
func (g *Graph) readWord(i int) int {
	for i < len(g.view) {
		if span, ok := g.script.text.Span(i); ok && span.Class == lex.String {
			if i == span.Start && (g.view[i] == ')' || g.view[i] == '`') {
				return i // the string around the substitution that is being read goes on
			}
			i = g.readString(span)
			continue
		}
		switch b := g.view[i]; {
		case b == '$' && i+1 < len(g.view) && g.view[i+1] == '(':
			i = min(g.commands(i+2, ')')+1, len(g.view))
		case b == '`' && g.script.closing == '`':
			return i
		case b == '`':
			i = min(g.commands(i+1, '`')+1, len(g.view))
		case b == '\\':
			i += 2
		case b <= ' ' || strings.IndexByte(";|&<>()", b) >= 0:
			return i
		default:
			start := i
			for i < len(g.view) && g.view[i] > ' ' && strings.IndexByte(";|&<>()`\\\"'", g.view[i]) < 0 &&
				!(g.view[i] == '$' && i > start && i+1 < len(g.view) && g.view[i+1] == '(') {
				i++
			}
			g.variables(Span{start, i})
			if i == start {
				i++
			}
		}
	}
	return min(i, len(g.view))
}

// readString reads a string with the substitutions in it, whose commands are
// code between its pieces, and returns where it ends.
func (g *Graph) readString(span lex.Span) int {
	for {
		if g.view[span.Start] != '\'' {
			g.variables(Span{span.Start, span.End})
		}
		i := span.End
		switch {
		case i-span.Start >= 2 && string(g.view[i-2:i]) == "$(":
			i = g.commands(i, ')')
		case g.view[i-1] == '`' && i < len(g.view):
			i = g.commands(i, '`')
		default:
			return i
		}
		next, ok := g.script.text.Span(i)
		if !ok || next.Start != i || next.Class != lex.String || next.End <= span.End {
			return i
		}
		span = next
	}
}

// variables records the variables in a piece of a word.
func (g *Graph) variables(in Span) {
	for i := in.Start; i+1 < in.End; i++ {
		if g.view[i] == '\\' {
			i++
			continue
		}
		if g.view[i] != '$' {
			continue
		}
		n := i + 1
		if g.view[n] == '{' {
			n++
			if n < in.End && (g.view[n] == '#' || g.view[n] == '!') {
				n++
			}
		}
		end := n
		for end < in.End && (letter(g.view[end]) && g.view[end] != '$' || digit(g.view[end])) {
			end++
		}
		if end == n && n < in.End && (g.view[n] == '@' || g.view[n] == '*') {
			end++
		}
		if end > n {
			g.script.uses = append(g.script.uses, shellUse{at: i, name: string(g.view[n:end])})
		}
	}
}

// word is the text of a word without quotes.
func (g *Graph) word(s Span) string {
	return strings.Map(func(r rune) rune {
		if r == '"' || r == '\'' || r == '\\' {
			return -1
		}
		return r
	}, string(g.view[s.Start:min(s.End, s.Start+maxWord)]))
}

// maxWord bounds the words that are looked at.
const maxWord = 4 << 10 // bytes

// reserved reads a word of the language where a command may begin. It reports
// whether the last word was one, and whether the next command is the first of
// a pipeline.
func (g *Graph) reserved(c *command) (first, skip bool) {
	s := g.script
	if len(c.words) != 1 {
		return false, false
	}
	at := c.words[0].End
	switch w := string(g.view[c.words[0].Start:at]); w {
	case "if", "while", "until", "!", "time":
		return false, true
	case "then", "do", "else", "{":
		fn := int32(-1)
		if w == "{" && s.function != "" && len(g.funcs) < maxFuncs {
			fn = int32(len(g.funcs))
			g.funcs = append(g.funcs, function{name: s.function, body: Span{at, len(g.view)}, whole: true})
			s.function = ""
		}
		if len(s.open) < maxDepth {
			s.open = append(s.open, shellBlock{int32(len(g.blocks)), fn})
			g.blocks = append(g.blocks, block{Span: Span{at, len(g.view)}, loop: w == "do"})
		}
		return true, true
	case "fi", "done", "}", "elif":
		if n := len(s.open); n > 0 {
			g.shutShell(s.open[n-1], c.words[0].Start)
			s.open = s.open[:n-1]
		}
		return true, w == "elif"
	}
	return false, false
}
