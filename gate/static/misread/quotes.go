package misread

import (
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/source/strlit"
)

// maxPieces bounds how many texts between quotes one content gives.
const maxPieces = 20_000

// eitherWay returns what is between two quotes on the lines of a language without a
// lexer of its own, and what such lines insert, as commands: whichever quote opens a string
// and whichever ends one. full says that there are more than are returned.
func eitherWay(lang gate.Language, lines []line) (out []Piece, full bool) {
	var runs, other builder
	for _, l := range lines {
		if shown.MatchString(l.text) {
			continue
		}
		comment := isComment(l.text)
		to := &other
		starts := embedded.Starts(l.text)
		inserted := substitutions(l.text)
		switch {
		case comment && !starts && len(inserted) == 0:
			continue
		case lang.Generic() && (!comment && starts || comment && inserts.MatchString(l.text)):
			to = &runs
		case !starts && len(inserted) == 0 && embedded.Says(l.text):
			continue
		}
		for _, command := range append(inserted, between(l.text)...) {
			to.add(command, l.n)
		}
	}
	return append(runs.pieces(true), other.pieces(false)...), runs.full || other.full
}

// between are the texts between two quotes of a line that are command lines.
func between(text string) []string {
	var out []string
	seen := map[string]bool{}
	for _, quotes := range []string{`"`, "'", "`", "\"'`"} {
		if !strings.ContainsAny(text, quotes) {
			continue
		}
		for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(quotes, r) }) {
			command := strlit.UnescapeLoosely(part)
			if !seen[command] && embedded.IsCommand(command) {
				seen[command] = true
				out = append(out, command)
			}
		}
	}
	return out
}

// substitutions are what a shell or a macro language would put in place of "$(…)" and "%(…)".
func substitutions(text string) []string {
	var out []string
	for i := 0; i+1 < len(text); i++ {
		if (text[i] != '$' && text[i] != '%') || text[i+1] != '(' {
			continue
		}
		depth := 0
		for j := i + 1; j < len(text); j++ {
			switch text[j] {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth == 0 {
				out = append(out, text[i+2:j])
				i = j
				break
			}
		}
	}
	return out
}

// builder collects commands.
type builder struct {
	text  []byte
	lines []int
	at    map[int]bool
	full  bool // something was left out
}

func (b *builder) add(command string, n int) {
	if len(b.lines) >= maxPieces {
		b.full = true
		return
	}
	if b.at == nil {
		b.at = map[int]bool{}
	}
	b.at[n] = true
	for part := range strings.SplitSeq(command, "\n") {
		b.text = append(append(b.text, part...), '\n')
		b.lines = append(b.lines, n)
	}
}

func (b *builder) pieces(runs bool) []Piece {
	if len(b.lines) == 0 {
		return nil
	}
	return []Piece{{Language: gate.LanguageShell, Text: b.text, Lines: b.lines, At: b.at, Runs: runs}}
}
