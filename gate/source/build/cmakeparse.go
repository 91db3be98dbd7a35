package build

import (
	"strings"
)

// cmakeCall is one command of a CMake file.
type cmakeCall struct {
	name string // in lower case
	args []cmakeArg
	at   int
}

// cmakeArg is an argument as it is written, without its quotes.
type cmakeArg struct {
	text string
	kind argKind
}

type argKind uint8

const (
	bareArg    argKind = iota // a list is split at its semicolons
	quotedArg                 // "…"
	bracketArg                // [[…]], nothing in it is worked out
)

// parse reads the commands of a text. first is the line that it begins on.
func (c *cmake) parse(src string, first int) []cmakeCall {
	p := cmakeParser{src: src, line: first}
	var out []cmakeCall
	for p.skip() && !c.budget.full(len(out), maxLines, "commands") {
		start := p.at
		for p.at < len(src) && isNameByte(src[p.at]) {
			p.at++
		}
		name := strings.ToLower(src[start:p.at])
		at := p.line
		if !p.skip() || src[p.at] != '(' || name == "" {
			if p.at == start {
				p.step()
			}
			continue
		}
		p.step()
		out = append(out, cmakeCall{name, p.arguments(), at})
	}
	return out
}

type cmakeParser struct {
	src  string
	at   int
	line int
}

// step goes one byte further.
func (p *cmakeParser) step() {
	if p.at < len(p.src) {
		if p.src[p.at] == '\n' {
			p.line++
		}
		p.at++
	}
}

// to goes to an offset.
func (p *cmakeParser) to(end int) {
	end = min(end, len(p.src))
	p.line += strings.Count(p.src[p.at:end], "\n")
	p.at = end
}

// skip goes past blanks and comments, and reports whether anything is left.
func (p *cmakeParser) skip() bool {
	for p.at < len(p.src) {
		switch c := p.src[p.at]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			p.step()
		case c == '#':
			if _, end, ok := bracket(p.src, p.at+1); ok {
				p.to(end)
				continue
			}
			for p.at < len(p.src) && p.src[p.at] != '\n' {
				p.at++
			}
		default:
			return true
		}
	}
	return false
}

// arguments reads to the bracket that closes the command. Brackets within are arguments.
func (p *cmakeParser) arguments() []cmakeArg {
	var out []cmakeArg
	for depth := 1; p.skip(); {
		switch c := p.src[p.at]; {
		case c == '(':
			depth++
			out = append(out, cmakeArg{"(", bareArg})
			p.step()
		case c == ')':
			p.step()
			if depth--; depth == 0 {
				return out
			}
			out = append(out, cmakeArg{")", bareArg})
		case c == '"':
			end := p.at + 1
			for end < len(p.src) && p.src[end] != '"' {
				if p.src[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end, len(p.src))
			out = append(out, cmakeArg{p.src[p.at+1 : end], quotedArg})
			p.to(end + 1)
		default:
			if body, end, ok := bracket(p.src, p.at); ok {
				out = append(out, cmakeArg{body, bracketArg})
				p.to(end)
				continue
			}
			out = append(out, p.bare())
		}
	}
	return out
}

// bare reads an argument without quotes.
func (p *cmakeParser) bare() cmakeArg {
	start := p.at
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n()\"#", p.src[p.at]) < 0 {
		if p.src[p.at] == '\\' {
			p.step()
		}
		p.step()
	}
	if p.at == start {
		p.step()
	}
	return cmakeArg{p.src[start:p.at], bareArg}
}

// bracket reads [[…]] or [=[…]=] at an offset.
func bracket(src string, at int) (body string, end int, ok bool) {
	if at >= len(src) || src[at] != '[' {
		return "", 0, false
	}
	open := at + 1
	for open < len(src) && src[open] == '=' {
		open++
	}
	if open >= len(src) || src[open] != '[' {
		return "", 0, false
	}
	shut := "]" + src[at+1:open] + "]"
	i := strings.Index(src[open+1:], shut)
	if i < 0 {
		return "", 0, false
	}
	return strings.TrimPrefix(src[open+1:open+1+i], "\n"), open + 1 + i + len(shut), true
}

func isNameByte(c byte) bool { return isLetter(c) || c == '_' || c >= '0' && c <= '9' }
