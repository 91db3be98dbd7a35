package taint

import (
	"sort"
	"strconv"
	"strings"
)

// script is a program in shell: what its commands use, instead of tokens.
type script struct {
	view      []byte
	outline   *outline
	pipelines []Span     // sorted by start; nested ones follow those around them
	around    []int32    // the pipeline that each is nested in, -1 for none
	uses      []shellUse // sorted by offset
}

// shellUse is a place where a variable, a file or a function is used.
type shellUse struct {
	at   int
	name string // of a variable, or filePrefix and a path; "" for a function
	call string // a function
	args []Span
}

// link gives the parameters of functions what callers pass.
func (s *script) link(defs *definitions) {
	for _, u := range s.uses {
		if u.call == "" {
			continue
		}
		for _, f := range s.outline.named[u.call] {
			body := s.outline.funcs[f].body
			for i, a := range u.args[:min(len(u.args), maxArguments)] {
				for _, n := range []string{strconv.Itoa(i + 1), "@", "*"} {
					defs.add(def{name: n, line: a.Start, place: body.Start, from: body.Start, values: []Span{a}, weak: true, inner: true})
				}
			}
		}
	}
}

// sink returns the pipeline that a match is part of. Some commands run their
// arguments and don't read what is piped into them.
func (s *script) sink(match Span) Span {
	p, ok := s.pipeline(match.Start)
	if !ok {
		return match
	}
	verb, _, _ := strings.Cut(string(s.view[match.Start:min(match.End, match.Start+maxVerb)]), " ")
	if runners[verb[strings.LastIndexByte(verb, '/')+1:]] {
		p.Start = match.Start
		if i := strings.IndexByte(string(s.view[p.Start:p.End]), '|'); i >= 0 {
			p.End = p.Start + i
		}
	}
	return p
}

const maxVerb = 64 // bytes

// runners are commands that run their arguments, or the file that they name.
var runners = map[string]bool{"eval": true, "source": true, ".": true, "sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, "ash": true}

// expand follows the variables, files and functions that the commands in a stretch
// use.
func (s *script) expand(q *search, i int32) {
	span := q.queue[i].span
	for u := sort.Search(len(s.uses), func(u int) bool { return s.uses[u].at >= span.Start }); u < len(s.uses) && s.uses[u].at < span.End; u++ {
		q.work--
		use := &s.uses[u]
		if use.call == "" {
			q.follow(use.name, use.at, i)
			continue
		}
		for _, f := range s.outline.named[use.call] {
			q.results(f, i)
		}
	}
}

// pipeline returns the innermost pipeline around an offset.
func (s *script) pipeline(offset int) (Span, bool) {
	ps := s.pipelines
	i := int32(sort.Search(len(ps), func(i int) bool { return ps[i].Start > offset })) - 1
	for ; i >= 0; i = s.around[i] {
		if ps[i].holds(offset) {
			return ps[i], true
		}
	}
	return Span{}, false
}
