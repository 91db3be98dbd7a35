package taint

import (
	"slices"
	"sort"
	"strings"

	"github.com/aigate/gate/gate/source/lex"
)

// shellBlock is an open block.
type shellBlock struct {
	block int32 // index in outline.blocks
	fn    int32 // index in outline.funcs, or -1
}

// maxCommands bounds how deep commands in substitutions are followed.
const maxCommands = 50

// shellReader reads a script command by command.
type shellReader struct {
	view     []byte
	text     *lex.Text
	outline  *outline
	defs     *definitions
	script   *script
	open     []shellBlock // innermost last
	function string       // the name of a function whose body has not begun
	depth    int          // of substitutions
	closing  byte         // what ends the commands that are being read, 0 for the end of the text
}

func newShellReader(view []byte, text *lex.Text, o *outline, defs *definitions) *shellReader {
	return &shellReader{view: view, text: text, outline: o, defs: defs, script: &script{view: view, outline: o}}
}

// read reads the whole text.
func (r *shellReader) read() *script {
	r.commands(0, 0)
	for _, b := range r.open {
		r.outline.shut(b.block, b.fn, len(r.view))
	}
	s := r.script
	sort.SliceStable(s.uses, func(i, j int) bool { return s.uses[i].at < s.uses[j].at })
	slices.SortStableFunc(s.pipelines, outside)
	s.around = make([]int32, len(s.pipelines))
	nest(len(s.pipelines), func(i int32) Span { return s.pipelines[i] }, func(i, parent int32) { s.around[i] = parent })
	return s
}

// command is one simple command that is being read.
type command struct {
	pipeline int // where the pipeline that it is in began
	words    []Span
	writes   []Span // files that redirections write
	here     string // the word that ends the here document which begins on the next line
}

// commands reads commands from an offset on to the closing byte, which is not
// taken: 0 for the end of the text. It returns where it stopped.
func (r *shellReader) commands(i int, closing byte) int {
	if r.depth >= maxCommands {
		return len(r.view)
	}
	outer := r.closing
	r.depth, r.closing = r.depth+1, closing
	defer func() { r.depth, r.closing = r.depth-1, outer }()
	c := command{pipeline: i}
	for i < len(r.view) && (closing == 0 || r.view[i] != closing) {
		i = r.next(&c, i)
	}
	i = min(i, len(r.view))
	r.endPipeline(&c, i)
	return i
}

// next reads an operator or a word and returns where it ends.
func (r *shellReader) next(c *command, i int) int {
	switch b := r.view[i]; {
	case b == '\n' && c.here != "":
		end := r.hereDocument(c.here, i+1)
		r.endPipeline(c, end)
		c.pipeline = i + 1
		return i + 1 // what it holds may be commands, too
	case b == '\n' || b == ';':
		r.endPipeline(c, i)
		return i + 1
	case b == '&' || b == '|':
		return r.operator(c, i)
	case b == '(':
		if i+1 < len(r.view) && r.view[i+1] == ')' && len(c.words) > 0 {
			r.function = r.word(c.words[len(c.words)-1])
			*c = command{pipeline: i + 2}
			return i + 2
		}
		end := r.commands(i+1, ')') + 1
		if n := len(c.words); n > 0 && c.words[n-1].End == i && r.view[i-1] == '=' {
			c.words[n-1].End = min(end, len(r.view)) // a list: the value goes on to the bracket
		}
		return end
	case b == '>' || b == '<':
		return r.redirection(c, i)
	case b <= ' ' || b == ')' || b == '`':
		return i + 1
	}
	end := r.readWord(i)
	c.words = append(c.words, Span{i, end})
	if first, skip := r.reserved(c); skip {
		c.words, c.writes = nil, nil
		if first {
			c.pipeline = end
		}
	}
	return end
}

// operator reads what joins two commands: a pipe, or an end of the pipeline.
func (r *shellReader) operator(c *command, i int) int {
	following := byte(0)
	if i+1 < len(r.view) {
		following = r.view[i+1]
	}
	switch b := r.view[i]; {
	case b == '&' && following == '>': // a redirection
	case following == b:
		r.endPipeline(c, i)
		i++
		c.pipeline = i + 1
	case b == '&':
		r.endPipeline(c, i)
	default:
		r.command(c, i)
		c.words, c.writes = nil, nil
	}
	return i + 1
}

// hereDocument returns where the here document that begins at an offset ends, and
// reads which files it names, as the commands of sftp do.
func (r *shellReader) hereDocument(word string, at int) int {
	for start := at; start < len(r.view); {
		end := start
		for end < len(r.view) && r.view[end] != '\n' {
			end++
		}
		if strings.TrimSpace(string(r.view[start:min(end, start+maxWord)])) == word {
			return start
		}
		r.filesIn(Span{start, end})
		start = end + 1
	}
	return len(r.view)
}

// endPipeline records the pipeline that ends at an offset and begins the next one.
func (r *shellReader) endPipeline(c *command, at int) {
	r.command(c, at)
	if at > c.pipeline {
		r.script.pipelines = append(r.script.pipelines, Span{c.pipeline, at})
	}
	*c = command{pipeline: at + 1}
}

// redirection reads an operator and its word.
func (r *shellReader) redirection(c *command, i int) int {
	writes := r.view[i] == '>'
	here := strings.HasPrefix(string(r.view[i:min(i+3, len(r.view))]), "<<") && !strings.HasPrefix(string(r.view[i:min(i+3, len(r.view))]), "<<<")
	for i < len(r.view) && strings.IndexByte("<>&|-", r.view[i]) >= 0 {
		i++
	}
	for i < len(r.view) && (r.view[i] == ' ' || r.view[i] == '\t') {
		i++
	}
	if i < len(r.view) && r.view[i] == '(' { // a process substitution
		n := len(r.script.pipelines)
		end := r.commands(i+1, ')') + 1
		if writes { // what the pipeline around it writes flows into it
			r.script.pipelines = r.script.pipelines[:n]
		}
		return end
	}
	end := r.readWord(i)
	if end > i {
		if here {
			c.here = r.word(Span{i, end})
		}
		if writes {
			c.writes = append(c.writes, Span{i, end})
		} else {
			c.words = append(c.words, Span{i, end})
			r.filesIn(Span{i, end})
		}
	}
	return max(end, i+1)
}

// reserved reads a word of the language where a command may begin. It reports
// whether the last word was one, and whether the next command is the first of
// a pipeline.
func (r *shellReader) reserved(c *command) (first, skip bool) {
	if len(c.words) != 1 {
		return false, false
	}
	start, at := c.words[0].Start, c.words[0].End
	switch w := string(r.view[start:at]); w {
	case "if", "while", "until", "!", "time":
		return false, true
	case "then", "do", "else", "{":
		r.begin(w, at)
		return true, true
	case "fi", "done", "}", "elif":
		if n := len(r.open); n > 0 {
			r.outline.shut(r.open[n-1].block, r.open[n-1].fn, start)
			r.open = r.open[:n-1]
		}
		return true, w == "elif"
	}
	return false, false
}

// begin opens the block that a reserved word begins.
func (r *shellReader) begin(word string, at int) {
	body, fn := Span{at, len(r.view)}, int32(-1)
	if word == "{" && r.function != "" && !r.outline.full() {
		fn = r.outline.addFunction(function{name: r.function, body: body, whole: true})
		r.function = ""
	}
	if len(r.open) < maxDepth {
		r.open = append(r.open, shellBlock{r.outline.addBlock(body, word == "do"), fn})
	}
}
