package flow

import "strings"

// Into returns the expression whose values a match at that stretch of the text
// gets: the arguments of the call that it names, or else the rest of its
// statement; in a shell script the pipeline that it is part of.
func (g *Graph) Into(match Span) Span {
	if g.script != nil {
		return g.intoCommand(match)
	}
	t := g.at(match.Start)
	if g.is(t-1, "def", "func", "function") {
		return Span{match.Start, match.Start} // a definition, not a call
	}
	from := g.offset(t)
	if t > 0 && g.mark(t) == '.' { // a method: what its object holds counts, too
		from = g.offset(g.chain(t - 1))
	}
	for i := t; i < len(g.tokens) && g.offset(i) <= match.End; i++ {
		if g.mark(i) == '(' {
			return Span{from, g.offset(g.close(i))}
		}
	}
	end := t
	for end < len(g.tokens) && g.tokens[end].kind != newline && g.mark(end) != ';' {
		end++
	}
	return Span{g.offset(t), g.offset(end)}
}

// chain returns the first token of the chain of names, calls and elements that
// ends at token t.
func (g *Graph) chain(t int) int {
	start := t
	for n := 0; t >= 0 && n < 20; n++ {
		switch {
		case (g.mark(t) == ')' || g.mark(t) == ']') && g.pair[t] >= 0:
			start = int(g.pair[t])
			t = start - 1
			if !g.isName(t) && g.mark(t) != ')' && g.mark(t) != ']' {
				return start
			}
		case g.isName(t) || g.tokens[t].kind == literal:
			start = t
			if g.mark(t-1) != '.' && !g.is(t-1, "?.") {
				return start
			}
			t -= 2
		default:
			return start
		}
	}
	return start
}

// intoCommand is Into for a script. Some commands run their arguments and don't
// read what is piped into them.
func (g *Graph) intoCommand(match Span) Span {
	p, ok := g.pipeline(match.Start)
	if !ok {
		return match
	}
	verb, _, _ := strings.Cut(string(g.view[match.Start:min(match.End, match.Start+maxVerb)]), " ")
	if runners[verb[strings.LastIndexByte(verb, '/')+1:]] {
		p.Start = match.Start
		if i := strings.IndexByte(string(g.view[p.Start:p.End]), '|'); i >= 0 {
			p.End = p.Start + i
		}
	}
	return p
}

const maxVerb = 64 // bytes

// runners are commands that run their arguments, or the file that they name.
var runners = map[string]bool{"eval": true, "source": true, ".": true, "sh": true, "bash": true, "dash": true, "zsh": true, "ksh": true, "ash": true}
