package guard

import (
	"maps"
	"path"
	"strings"
)

// Bounds of a command.
const (
	maxText     = 256 << 10 // bytes; no system starts a program with more in one argument
	maxDepth    = 8         // shells in shells
	maxCommands = 20_000    // simple commands, all levels together
	maxExpanded = 4 << 20   // bytes that variables and substitutions put in
	maxInner    = 100       // substitutions that are looked at by themselves
)

// redirect is one redirection of a simple command to a file.
type redirect struct {
	to    string
	write bool
}

// simple is one simple command of a shell, its quotes removed and its constants put in.
type simple struct {
	assigns   []string // NAME=value in front of it
	words     []string
	redirects []redirect
	stdin     string // what a here document, a here string or an echo hands to it
	dir       string // where it runs, as far as `cd` says
	// source is what was written for it, of the outermost text only; a comment has no words.
	source   string
	document string // bodies of its here documents, where source is set
	piped    bool   // into the next one
}

// reader reads one text of a shell.
type reader struct {
	src     string
	pos     int
	depth   int
	place   Place
	dir     string
	vars    map[string]string
	out     *[]simple
	refused *string // why the text can't be read to its end
	inner   *[]string
	// expanded is how many bytes variables and substitutions have put in.
	expanded *int
	docs     []*pendingDoc
}

// pendingDoc is a here document whose body begins on the next line.
type pendingDoc struct {
	end   string
	tabs  bool
	index int // of the command in out, set when that is complete
}

// read returns the simple commands of a text in the order in which they begin. why is
// set where it can't be read.
func read(text string, p Place) (commands []simple, why string) {
	commands, _, why = substitutions(text, p)
	return commands, why
}

// substitutions is read, with the texts of the substitutions besides.
func substitutions(text string, p Place) (commands []simple, inner []string, why string) {
	r := reader{src: text, place: p, dir: p.Cwd, vars: map[string]string{"HOME": p.Home, "PWD": p.Cwd}, out: &commands, refused: &why, inner: &inner, expanded: new(int)}
	if len(text) > maxText {
		return nil, nil, "it is too long to be read"
	}
	r.list(0)
	return commands, inner, why
}

// nested reads another text as a shell would that this one starts.
func (r *reader) nested(text string) {
	if r.depth+1 > maxDepth {
		r.fail("its shells are nested too deeply")
		return
	}
	vars := maps.Clone(r.vars)
	inner := reader{src: text, depth: r.depth + 1, place: r.place, dir: r.dir, vars: vars, out: r.out, refused: r.refused, inner: r.inner, expanded: r.expanded}
	inner.list(0)
}

func (r *reader) fail(why string) {
	if *r.refused == "" {
		*r.refused = why
	}
	r.pos = len(r.src)
}

// list reads commands up to an unquoted end, or to the end of the text for 0.
func (r *reader) list(end byte) {
	piped := ""
	for r.pos < len(r.src) && *r.refused == "" {
		c := r.src[r.pos]
		switch {
		case c == end && end != 0:
			r.pos++
			return
		case c == '\n':
			r.pos++
			r.bodies()
			piped = ""
		case c == ' ' || c == '\t' || c == '\r' || c == ';' || c == '&' || c == ')':
			if c == ';' || c == '&' {
				piped = ""
			}
			r.pos++
		case c == '|':
			if strings.HasPrefix(r.src[r.pos:], "||") {
				piped = ""
				r.pos++
			}
			r.pos++
		case c == '#':
			start := r.pos
			for r.pos < len(r.src) && r.src[r.pos] != '\n' {
				r.pos++
			}
			if r.depth == 0 && (start == 0 || r.src[start-1] == '\n') {
				*r.out = append(*r.out, simple{source: r.src[start:r.pos]})
			}
		case c == '(':
			r.pos++
			r.group(')')
		default:
			piped = r.simple(piped)
		}
	}
	r.bodies()
}

// group reads what is in parentheses: what it changes ends with it.
func (r *reader) group(end byte) {
	if r.depth++; r.depth > 4*maxDepth {
		r.fail("its shells are nested too deeply")
		return
	}
	dir := r.dir
	r.list(end)
	r.dir = dir
	r.depth--
}

// simple reads one command. piped is what the one before it in the pipeline prints, as
// far as that is constant; what this one prints is returned.
func (r *reader) simple(piped string) (prints string) {
	if len(*r.out) >= maxCommands {
		r.fail("it has too many commands")
		return ""
	}
	at := len(*r.out)
	*r.out = append(*r.out, simple{}) // before the substitutions in it
	s := simple{stdin: piped, dir: r.dir}
	start := r.pos
	for r.pos < len(r.src) && *r.refused == "" {
		c := r.src[r.pos]
		if c == ' ' || c == '\t' || c == '\r' || strings.HasPrefix(r.src[r.pos:], "\\\n") {
			if c == '\\' {
				r.pos++
			}
			r.pos++
			continue
		}
		if strings.IndexByte("\n;)", c) >= 0 || c == '|' || c == '&' && !strings.HasPrefix(r.src[r.pos:], "&>") {
			break
		}
		if c == '(' && len(s.words) > 0 && strings.HasPrefix(r.src[r.pos:], "()") { // a function
			r.pos += 2
			s.words = nil
			continue
		}
		if c == '(' || c == '#' && r.pos > start {
			break
		}
		if r.redirection(&s, at) {
			continue
		}
		before := r.pos
		word, quoted := r.word()
		if r.pos == before { // what no shell reads; go on behind it
			r.pos++
			continue
		}
		if name, value, ok := strings.Cut(word, "="); ok && len(s.words) == 0 && isName(name) {
			s.assigns = append(s.assigns, word)
			r.vars[name] = value
			continue
		}
		if len(s.words) == 0 && !quoted && isReserved(word) {
			continue
		}
		s.words = append(s.words, braces(word, quoted)...)
	}
	if r.depth == 0 {
		s.source = r.src[start:r.pos]
		s.piped = r.pos < len(r.src) && r.src[r.pos] == '|' && !strings.HasPrefix(r.src[r.pos:], "||")
	}
	(*r.out)[at] = s
	r.effects(s)
	return printed(s)
}

// effects are what a command changes for those behind it.
func (r *reader) effects(s simple) {
	if len(s.words) == 0 {
		return
	}
	switch s.words[0] {
	case "cd", "pushd", "chdir":
		to := r.place.Home
		for _, w := range s.words[1:] {
			if !strings.HasPrefix(w, "-") {
				to = w
			}
		}
		r.dir = join(r.dir, r.place.expand(to))
	case "export", "declare", "typeset", "local", "readonly", "set":
		for _, w := range s.words[1:] {
			if name, value, ok := strings.Cut(w, "="); ok && isName(name) {
				r.vars[name] = value
			}
		}
	case "for":
		if len(s.words) > 3 && s.words[2] == "in" {
			r.vars[s.words[1]] = strings.Join(s.words[3:], " ")
		}
	}
}

// redirection reads a redirection, if one is next.
func (r *reader) redirection(s *simple, at int) bool {
	rest := r.src[r.pos:]
	n := 0
	for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	op := ""
	for _, o := range []string{"<<<", "<<-", "&>>", "<<", ">>", "&>", ">|", "<>", ">&", "<&", "<(", ">(", "<", ">"} {
		if strings.HasPrefix(rest[n:], o) && (n == 0 || o[0] != '&') {
			op = o
			break
		}
	}
	switch op {
	case "":
		return false
	case "<(", ">(":
		if n > 0 {
			return false
		}
		r.pos += len(op)
		r.group(')')
		s.words = append(s.words, "/dev/fd/63")
		return true
	}
	r.pos += n + len(op)
	for r.pos < len(r.src) && (r.src[r.pos] == ' ' || r.src[r.pos] == '\t') {
		r.pos++
	}
	to, _ := r.word()
	switch op {
	case "<<<":
		s.stdin += to + "\n"
	case "<<", "<<-":
		r.docs = append(r.docs, &pendingDoc{end: to, tabs: op == "<<-", index: at})
	default:
		s.redirects = append(s.redirects, redirect{to, op != "<" && op != "<&"})
	}
	return true
}

// bodies reads the here documents that begin here.
func (r *reader) bodies() {
	for _, d := range r.docs {
		var body strings.Builder
		for r.pos < len(r.src) {
			line, _, _ := strings.Cut(r.src[r.pos:], "\n")
			r.pos = min(len(r.src), r.pos+len(line)+1)
			if d.tabs {
				line = strings.TrimLeft(line, "\t")
			}
			if strings.TrimSuffix(line, "\r") == d.end {
				break
			}
			body.WriteString(line + "\n")
		}
		(*r.out)[d.index].stdin += body.String()
		if r.depth == 0 {
			(*r.out)[d.index].document += body.String()
		}
	}
	r.docs = nil
}

// join is a path in a folder, cleaned. A folder that isn't known stays unknown.
func join(dir, name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if path.IsAbs(name) || dir == "" {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func isReserved(w string) bool {
	switch w {
	case "if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}", "time", "coproc", "function", "esac":
		return true
	}
	return false
}

// printed is what a command prints, where it only prints constants.
func printed(s simple) string {
	if len(s.words) == 0 {
		return ""
	}
	args := s.words[1:]
	switch path.Base(s.words[0]) {
	case "echo":
		escapes := false
		for len(args) > 0 && len(args[0]) > 1 && strings.Trim(args[0], "neE") == "-" {
			escapes = escapes || strings.Contains(args[0], "e")
			args = args[1:]
		}
		text := strings.Join(args, " ")
		if escapes {
			text = escaped(text)
		}
		return text
	case "printf":
		if len(args) > 0 && args[0] == "--" {
			args = args[1:]
		}
		if len(args) == 0 {
			return ""
		}
		format := escaped(args[0])
		for _, a := range args[1:] {
			if i := strings.Index(format, "%s"); i >= 0 {
				format = format[:i] + a + format[i+2:]
			} else {
				format += a
			}
		}
		return format
	case "cat":
		if len(args) == 0 {
			return s.stdin
		}
	}
	return ""
}
