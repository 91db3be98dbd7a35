package tokens

import (
	"bytes"
	"slices"

	"github.com/aigate/gate/gate"
)

// statements groups pieces into statements.
func statements(l gate.Language, src []byte, pieces []piece) []Statement {
	var out []Statement
	var now []piece
	end := func() {
		for len(now) > 0 && (now[len(now)-1].Kind == Newline || now[len(now)-1].Kind == Blank) {
			now = now[:len(now)-1]
		}
		if len(now) == 0 {
			return
		}
		s := Statement{First: now[0].line, Last: now[len(now)-1].last, Tokens: make([]Token, len(now)), shell: l == gate.LanguageShell}
		for i, p := range now {
			s.Tokens[i] = p.Token
		}
		begin := bytes.LastIndexByte(src[:now[0].start], '\n') + 1
		lead := src[begin:now[0].start]
		s.indent = string(lead[:len(lead)-len(bytes.TrimLeft(lead, " \t"))])
		out = append(out, s)
		now = now[:0]
	}
	for i, p := range pieces {
		switch {
		case p.Kind != Newline:
			now = append(now, p)
		case len(now) == 0:
		default:
			goesOn, says := line(l, now, p, following(pieces[i+1:]))
			if !goesOn {
				end()
			} else if says && now[len(now)-1].Kind != Newline {
				now = append(now, p)
			} else if l == gate.LanguageShell {
				p.Token = Token{Blank, " "}
				now = appendBlank(now, p)
			}
		}
	}
	end()
	return out
}

// appendBlank adds a blank where it separates words of a shell.
func appendBlank(now []piece, p piece) []piece {
	if before := now[len(now)-1]; before.Kind == Blank || before.Kind == Newline || before.Kind == Mark && commandEnds(before.Text) {
		return now
	}
	return append(now, p)
}

// following is the next token that is no newline.
func following(rest []piece) piece {
	for _, p := range rest {
		if p.Kind != Newline {
			return p
		}
	}
	return piece{}
}

// line reports whether a statement goes on behind a line end, and whether the line end
// says something there.
func line(l gate.Language, now []piece, p, next piece) (goesOn, says bool) {
	before := now[len(now)-1]
	switch l {
	case gate.LanguagePython:
		return p.joined, false
	case gate.LanguageShell:
		if p.joined {
			return true, false
		}
		// The body of a here document belongs to its command.
		document := next.Kind == String && next.start == p.start+1 && slices.ContainsFunc(now, func(q piece) bool { return q.Kind == Mark && q.Text == "<<" })
		return document, true
	}
	if p.joined {
		return true, false
	}
	if p.inside == literal {
		open := before.Kind == Mark && (before.Text == "{" || before.Text == ",")
		return true, !open && !(next.Kind == Mark && next.Text == "}")
	}
	if before.Kind == Mark && slices.Contains(unfinished, before.Text) {
		return true, false
	}
	return l != gate.LanguageGo && next.Kind == Mark && slices.Contains(continuing, next.Text), false
}

var (
	// unfinished are the operators that need a value behind them.
	unfinished = []string{"=", "+", "-", "*", "/", "%", "&&", "||", "??", "|", "&", "^", "?", ":", ",", "=>", ".", "?.", "==", "===", "!=", "!==", "<=", ">=", "+=", "-=", ":=", "("}
	// continuing are those that begin no statement of JavaScript.
	continuing = []string{".", "?.", "&&", "||", "??", "?", ":", "=", "==", "===", "!=", "!=="}
)
