package taint

import (
	"path"
	"slices"
	"strings"
)

// command reads what a simple command that ends at an offset defines and uses.
func (r *shellReader) command(c *command, end int) {
	words := r.assigned(c.words, end)
	for _, w := range c.writes {
		if f := file(r.word(w)); f != "" {
			r.define(filePrefix+f, w.Start, end, Span{c.pipeline, end})
		}
	}
	if len(words) == 0 {
		return
	}
	verb := path.Base(r.word(words[0]))
	switch verb {
	case "for", "select":
		if len(words) > 2 {
			r.define(r.word(words[1]), words[1].Start, end, Span{words[2].Start, words[len(words)-1].End})
		}
	case "read", "mapfile", "readarray":
		for _, w := range words[1:] {
			if n := r.word(w); !strings.HasPrefix(n, "-") {
				r.define(n, w.Start, end, Span{c.pipeline, end})
			}
		}
	case "function":
		if len(words) > 1 {
			r.function = r.word(words[1])
		}
		return
	}
	r.files(verb, words, end)
	if strings.IndexByte(r.word(words[0]), '/') >= 0 {
		r.filesIn(words[0]) // it is run
	}
	r.script.uses = append(r.script.uses, shellUse{at: words[0].Start, call: verb, args: words[1:]})
}

// define records that a name gets a value, from the end of its command on.
func (r *shellReader) define(n string, at, from int, value Span) {
	r.defs.add(def{name: n, line: at, place: at, from: from, values: []Span{value}, shared: true})
}

// assigned reads the assignments before a command, and returns the other words.
func (r *shellReader) assigned(words []Span, end int) []Span {
	for len(words) > 0 && declares[r.word(words[0])] {
		words = words[1:]
	}
	for len(words) > 0 {
		n, value, ok := r.assignment(words[0])
		if !ok {
			break
		}
		if n != "" {
			r.define(n, words[0].Start, end, value)
			r.filesIn(value)
		}
		words = words[1:]
	}
	return words
}

// filePrefix makes a file a name: what one command writes, another reads.
const filePrefix = "file "

// declares are words before an assignment.
var declares = map[string]bool{"export": true, "local": true, "declare": true, "readonly": true, "typeset": true, "env": true, "sudo": true,
	"nohup": true, "command": true, "builtin": true}

// assignment splits NAME=value. Options before an assignment have no name.
func (r *shellReader) assignment(w Span) (n string, value Span, ok bool) {
	i := w.Start
	for i < w.End && (letter(r.view[i]) && r.view[i] != '$' || i > w.Start && digit(r.view[i])) {
		i++
	}
	n = string(r.view[w.Start:i])
	if i > w.Start && i < w.End && r.view[i] == '[' {
		for i < w.End && r.view[i] != ']' {
			i++
		}
		i++
	}
	if i < w.End && r.view[i] == '+' {
		i++
	}
	if n == "" || i >= w.End || r.view[i] != '=' {
		return "", Span{}, false
	}
	return n, Span{i + 1, w.End}, true
}

// files reads which files a command writes and which it is given.
func (r *shellReader) files(verb string, words []Span, end int) {
	out := r.output(verb, words)
	for i, w := range words[1:] {
		if i+1 != out {
			r.filesIn(w)
		} else if f := file(r.word(w)); f != "" {
			r.define(filePrefix+f, w.Start, end, Span{words[0].Start, words[len(words)-1].End})
		}
	}
	if quotes[verb] {
		for _, w := range words[1:] {
			if r.view[w.Start] == '\'' {
				r.variables(w)
			}
		}
	}
}

// quotes are commands that run what they are given in quotes, where variables are
// only put in when it runs.
var quotes = map[string]bool{"trap": true, "eval": true}

// filesIn records the files that are named in a stretch of a command: a word, or
// the words of what it is given in quotes or in a here document.
func (r *shellReader) filesIn(in Span) {
	n := 0
	text := strings.ReplaceAll(string(r.view[in.Start:min(in.End, in.Start+maxWord)]), `\n`, " ")
	for word := range strings.FieldsFuncSeq(text, func(c rune) bool {
		return c <= ' ' || c == ';' || c == ',' || c == ':' || c == '"' || c == '\'' || c == '\\'
	}) {
		if len(word) > 4 && word[0] == '-' && word[1] != '-' {
			word = word[2:] // -Tfile
		}
		if f := file(word); f != "" {
			r.script.uses = append(r.script.uses, shellUse{at: in.Start, name: filePrefix + f})
		}
		if n++; n > maxArguments {
			return
		}
	}
}

// output returns which word names the file that a command writes, -1 or 0 for none.
func (r *shellReader) output(verb string, words []Span) int {
	behind := func(option func(w string) bool) int {
		if i := slices.IndexFunc(words, func(w Span) bool { return option(r.word(w)) }); i > 0 {
			return i + 1
		}
		return -1
	}
	switch verb {
	case "cp", "mv", "install", "ln", "rsync":
		if len(words) > 2 {
			return len(words) - 1
		}
		return -1
	case "tee":
		return len(words) - 1
	case "zip", "7z":
		return slices.IndexFunc(words[1:], func(w Span) bool { return file(r.word(w)) != "" }) + 1
	case "tar", "bsdtar":
		return behind(func(w string) bool { return strings.HasSuffix(w, "f") })
	case "curl", "wget":
		return behind(func(w string) bool {
			short := len(w) > 1 && w[0] == '-' && w[1] != '-' && len(w) < 8
			return slices.Contains(outputOptions, w) || short && (w[len(w)-1] == 'o' && verb == "curl" || w[len(w)-1] == 'O' && verb == "wget")
		})
	default:
		return behind(func(w string) bool { return slices.Contains(outputOptions, w) })
	}
}

// outputOptions are followed by the file that a command writes.
var outputOptions = []string{"-o", "-O", "--output", "-out", "-w", "--file"}

// file returns the path in a word, "" where it is none: @/tmp/a and name=@/tmp/a
// name /tmp/a.
func file(word string) string {
	if i := strings.LastIndexAny(word, "@="); i >= 0 {
		word = word[i+1:]
	}
	if len(word) < 4 || strings.HasPrefix(word, "-") || strings.Contains(word, "://") || !strings.ContainsAny(word, "/.$") {
		return ""
	}
	return word
}
