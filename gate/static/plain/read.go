package plain

import "bytes"

// word is one word of a command.
type word struct {
	start, end int
	value      string // without quotes
	constant   bool   // nothing in it is put in when it runs
	inner      string // the program that a substitution starts which is all of the word
}

// command is a simple command, or what is in brackets.
type command struct {
	words  []word
	writes []word // files that redirections write
	fed    []fed  // what is given to it
	bar    int    // the offset of the | behind it, -1 for none
	from   int    // where it begins, behind the bar before it
}

// fed is a text that a command is given by a here string or a process substitution.
type fed struct {
	start   int
	program string // that the text comes from
	string  bool   // it is a here string
}

// function is a function whose body has been read.
type function struct{ start, end int }

// reader reads a script from its beginning to its end.
type reader struct {
	src   []byte
	depth int
	out   *rewriter

	name  string   // of the function whose body begins with the next brace
	open  []block  // braces
	here  []string // words that end the here documents which begin on the next line
	ticks bool     // the commands that are read end with a backtick

	scanned int // bytes that were looked at for the end of here documents
	handled int // words that were read as commands
}

// block is an open brace.
type block struct {
	name  string // of the function, "" for none
	start int
}

// list reads commands up to a closing byte, which is not taken, and returns where it stopped. 0
// is the end of the text.
func (r *reader) list(i int, closing byte) int {
	if r.depth >= maxDepth {
		return len(r.src)
	}
	r.depth++
	defer func() { r.depth-- }()
	p := []command{{bar: -1, from: i}}
	for i < len(r.src) && (closing == 0 || r.src[i] != closing) {
		i = r.next(&p, i)
	}
	r.pipeline(p)
	return min(i, len(r.src))
}

// next reads a word or an operator.
func (r *reader) next(p *[]command, i int) int {
	c := &(*p)[len(*p)-1]
	switch b := r.src[i]; {
	case b == '\n':
		return r.lineEnd(p, i)
	case b <= ' ':
		return i + 1
	case b == '\\' && i+1 < len(r.src) && (r.src[i+1] == '\n' || r.src[i+1] == '\r'):
		return i + 2
	case b == '#':
		return r.comment(i)
	case b == ';' || b == ')' || b == '`':
		r.shut(p, i+1)
		return i + 1
	case b == '&':
		if i+1 < len(r.src) && r.src[i+1] == '>' {
			return r.redirection(c, i+1)
		}
		r.shut(p, i+1)
		return i + 1
	case b == '|':
		return r.bar(p, i)
	case b == '(':
		return r.bracket(c, i)
	case b == '<' || b == '>':
		return r.redirection(c, i)
	}
	w := r.word(i)
	if w.end < len(r.src) && (r.src[w.end] == '<' || r.src[w.end] == '>') && isNumber(w.value) {
		return w.end // 2>
	}
	if len(c.words) == 0 && r.reserved(p, w) {
		return w.end
	}
	c.words = append(c.words, w)
	return max(w.end, i+1)
}

// comment returns where the line ends.
func (r *reader) comment(i int) int {
	if n := bytes.IndexByte(r.src[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(r.src)
}

// lineEnd ends a pipeline, unless a bar comes before it, and reads here documents.
func (r *reader) lineEnd(p *[]command, i int) int {
	if last := (*p)[len(*p)-1]; len(*p) == 1 || len(last.words) > 0 {
		r.shut(p, i+1)
	}
	at := i + 1
	for _, end := range r.here {
		at = r.hereDocument(end, at)
	}
	r.here = nil
	return at
}

// hereDocument reads the lines up to one that is nothing but a word, as commands: something may
// be given them to run.
func (r *reader) hereDocument(end string, at int) int {
	start := at
	for at < len(r.src) && r.scanned < 2*len(r.src) {
		next := r.comment(at)
		if string(bytes.TrimSpace(r.src[at:min(next, at+maxWord)])) == end {
			whole := r.src
			r.src = whole[:at]
			outer := r.here
			r.here = nil
			r.list(start, 0)
			r.src, r.here = whole, outer
			return next
		}
		r.scanned += next + 1 - at
		at = next + 1
	}
	return start
}

// pipeline hands a pipeline on, with the commands in its words.
func (r *reader) pipeline(p []command) {
	for i := range p {
		r.handed(p[i].words)
		if words := p[i].words; len(words) > 1 && words[0].value == "function" {
			r.name = words[1].value
		}
	}
	r.out.pipeline(p)
}

// shut ends a pipeline; the next one begins at an offset.
func (r *reader) shut(p *[]command, at int) {
	r.pipeline(*p)
	*p = []command{{bar: -1, from: at}}
}

// bar reads | and ||.
func (r *reader) bar(p *[]command, i int) int {
	if i+1 < len(r.src) && r.src[i+1] == '|' {
		r.shut(p, i+2)
		return i + 2
	}
	end := i + 1
	if end < len(r.src) && r.src[end] == '&' {
		end++
	}
	(*p)[len(*p)-1].bar = i
	*p = append(*p, command{bar: -1, from: end})
	return end
}

// bracket reads ( ), which is a subshell, or makes a function of the word before it.
func (r *reader) bracket(c *command, i int) int {
	if i+1 < len(r.src) && r.src[i+1] == ')' && len(c.words) > 0 {
		r.name = c.words[len(c.words)-1].value
		c.words = nil
		return i + 2
	}
	if i > 0 && r.src[i-1] == '=' { // a list of values
		r.out.arrays++
		defer func() { r.out.arrays-- }()
	}
	return r.list(i+1, ')') + 1
}

// redirection reads an operator and the word behind it.
func (r *reader) redirection(c *command, i int) int {
	start := i
	for i < len(r.src) && i-start < 3 && bytes.IndexByte([]byte("<>&|-"), r.src[i]) >= 0 {
		i++
	}
	operator := string(r.src[start:i])
	for i < len(r.src) && (r.src[i] == ' ' || r.src[i] == '\t') {
		i++
	}
	if i < len(r.src) && r.src[i] == '(' { // a process substitution
		r.out.inner = ""
		end := r.list(i+1, ')') + 1
		if operator[0] == '<' {
			c.fed = append(c.fed, fed{start: i - 1, program: r.out.inner})
		}
		return end
	}
	if i >= len(r.src) || bytes.IndexByte([]byte("\n;|&<>)"), r.src[i]) >= 0 {
		return max(i, start+1)
	}
	w := r.word(i)
	switch operator {
	case "<<", "<<-":
		r.here = append(r.here, w.value)
	case "<<<":
		c.fed = append(c.fed, fed{start: w.start, program: w.inner, string: true})
	case ">", ">>", ">|":
		c.writes = append(c.writes, w)
	}
	return max(w.end, i+1)
}

// reserved reads a word of the language where a command begins.
func (r *reader) reserved(p *[]command, w word) bool {
	switch w.value {
	case "if", "then", "elif", "else", "do", "while", "until", "!", "time", "fi", "done", "esac":
		return true
	case "function":
		return false
	case "{":
		if len(r.open) < maxDepth {
			r.open = append(r.open, block{r.name, w.end})
		}
		r.name = ""
		return true
	case "}":
		if n := len(r.open); n > 0 {
			if b := r.open[n-1]; b.name != "" && len(r.out.facts.functions) < maxNames {
				r.out.facts.functions[b.name] = function{b.start, w.start}
			}
			r.open = r.open[:n-1]
		}
		return true
	}
	return false
}

func isNumber(s string) bool {
	for _, c := range s {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}
