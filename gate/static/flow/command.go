package flow

import (
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// command reads what a simple command that ends at an offset defines and uses.
func (g *Graph) command(c *command, end int) {
	words := c.words
	whole := Span{c.pipeline, end}
	define := func(n string, at int, values ...Span) {
		g.define(def{name: n, line: at, place: at, from: end, values: values, shared: true})
	}
	for len(words) > 0 && declares[g.word(words[0])] {
		words = words[1:]
	}
	for len(words) > 0 { // assignments before the command
		n, value, ok := g.shellAssignment(words[0])
		if !ok {
			break
		}
		if n != "" {
			define(n, words[0].Start, value)
		}
		words = words[1:]
	}
	for _, w := range c.writes {
		if f := file(g.word(w)); f != "" {
			define(filePrefix+f, w.Start, whole)
		}
	}
	if len(words) == 0 {
		return
	}
	verb := path.Base(g.word(words[0]))
	switch verb {
	case "for", "select":
		if len(words) > 2 {
			define(g.word(words[1]), words[1].Start, Span{words[2].Start, words[len(words)-1].End})
		}
	case "read", "mapfile", "readarray":
		for _, w := range words[1:] {
			if n := g.word(w); !strings.HasPrefix(n, "-") {
				define(n, w.Start, whole)
			}
		}
	case "function":
		if len(words) > 1 {
			g.script.function = g.word(words[1])
		}
		return
	}
	g.files(verb, words, define)
	g.script.uses = append(g.script.uses, shellUse{at: words[0].Start, call: verb, args: words[1:]})
}

// declares are words before an assignment.
var declares = map[string]bool{"export": true, "local": true, "declare": true, "readonly": true, "typeset": true, "env": true, "sudo": true,
	"nohup": true, "command": true, "builtin": true}

// shellAssignment splits NAME=value. Options before an assignment have no name.
func (g *Graph) shellAssignment(w Span) (n string, value Span, ok bool) {
	i := w.Start
	for i < w.End && (letter(g.view[i]) && g.view[i] != '$' || i > w.Start && digit(g.view[i])) {
		i++
	}
	n = string(g.view[w.Start:i])
	if i > w.Start && i < w.End && g.view[i] == '[' {
		for i < w.End && g.view[i] != ']' {
			i++
		}
		i++
	}
	if i < w.End && g.view[i] == '+' {
		i++
	}
	if n == "" || i >= w.End || g.view[i] != '=' {
		return "", Span{}, false
	}
	return n, Span{i + 1, w.End}, true
}

// files reads which files a command writes and which it is given.
func (g *Graph) files(verb string, words []Span, define func(string, int, ...Span)) {
	all := Span{words[0].Start, words[len(words)-1].End}
	out := -1
	switch verb {
	case "cp", "mv", "install", "ln", "rsync":
		if len(words) > 2 {
			out = len(words) - 1
		}
	case "tee":
		out = len(words) - 1
	case "zip", "7z":
		out = slices.IndexFunc(words[1:], func(w Span) bool { return file(g.word(w)) != "" }) + 1
	case "tar", "bsdtar":
		if i := slices.IndexFunc(words, func(w Span) bool { return strings.HasSuffix(g.word(w), "f") }); i > 0 {
			out = i + 1
		}
	default:
		if i := slices.IndexFunc(words, func(w Span) bool {
			return slices.Contains([]string{"-o", "-O", "--output", "-out", "-w", "--file"}, g.word(w))
		}); i > 0 {
			out = i + 1
		}
	}
	for i, w := range words[1:] {
		f := file(g.word(w))
		switch {
		case f == "":
		case i+1 == out:
			define(filePrefix+f, w.Start, all)
		default:
			g.script.uses = append(g.script.uses, shellUse{at: w.Start, name: filePrefix + f})
		}
	}
}

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

// linkShell gives the parameters of functions what callers pass.
func (g *Graph) linkShell() {
	for _, u := range g.script.uses {
		if u.call == "" {
			continue
		}
		for _, f := range g.named[u.call] {
			body := g.funcs[f].body
			for i, a := range u.args[:min(len(u.args), maxArguments)] {
				for _, n := range []string{strconv.Itoa(i + 1), "@", "*"} {
					g.define(def{name: n, line: a.Start, place: body.Start, from: body.Start, values: []Span{a}, weak: true, inner: true})
				}
			}
		}
	}
}

// expandShell is expand for a script.
func (s *search) expandShell(i int32) (at int, ok bool) {
	span := s.queue[i].span
	if places := s.places(span); len(places) > 0 {
		return places[0], true
	}
	uses := s.script.uses
	for u := sort.Search(len(uses), func(u int) bool { return uses[u].at >= span.Start }); u < len(uses) && uses[u].at < span.End; u++ {
		s.work--
		if uses[u].call == "" {
			s.follow(uses[u].name, uses[u].at, i)
			continue
		}
		for _, f := range s.named[uses[u].call] {
			s.results(f, i)
		}
	}
	return 0, false
}

// pipeline returns the innermost pipeline around an offset.
func (g *Graph) pipeline(offset int) (Span, bool) {
	ps := g.script.pipelines
	best := Span{}
	for i := sort.Search(len(ps), func(i int) bool { return ps[i].Start > offset }) - 1; i >= 0 && offset-ps[i].Start < maxPipeline; i-- {
		if ps[i].holds(offset) && (best.End == 0 || ps[i].End-ps[i].Start < best.End-best.Start) {
			best = ps[i]
		}
	}
	return best, best.End > 0
}

// maxPipeline bounds how far before an offset a pipeline may begin.
const maxPipeline = 4 << 10 // bytes
