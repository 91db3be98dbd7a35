package misread

import (
	"bytes"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/lex"
)

// uncommented returns the content with the comments on some lines turned into code: all
// other comments are blank. A sign that begins no comment is in a string, so the text is
// also read with the quote that would end that string taken away.
func uncommented(lang gate.Language, content []byte, text *lex.Text, lines []line) []Piece {
	at, closing := map[int]bool{}, map[int]bool{}
	plain := blanked(content, text)
	quoted := bytes.Clone(plain)
	differ := false
	for _, l := range lines {
		for _, s := range text.From(l.start) {
			if s.Start >= l.end {
				break
			}
			if s.Class != lex.Comment || !mayRun(l, s) {
				continue
			}
			if s.Start > l.start && closes(content[s.Start:min(s.End, l.end)]) {
				closing[l.n] = true
			} else {
				at[l.n] = true
			}
			from, to := max(s.Start, l.start), min(s.End, l.end)
			body := withoutSigns(content[from:to], s.Start >= l.start)
			copy(plain[from:to], body)
			copy(quoted[from:to], body)
			if i := bytes.IndexAny(body, "\"'`"); i >= 0 && i < len(body)-1 {
				for j := range i + 1 {
					quoted[from+j] = ' '
				}
				differ = true
			}
		}
	}
	var out []Piece
	for _, runs := range []bool{true, false} {
		lines := at
		if runs {
			lines = closing
		}
		if len(lines) == 0 {
			continue
		}
		out = append(out, Piece{Language: lang, Text: plain, At: lines, Runs: runs})
		if differ {
			out = append(out, Piece{Language: lang, Text: quoted, At: lines, Runs: runs})
		}
	}
	return out
}

// closes reports whether a comment closes a bracket that it did not open before what it
// would do: no one writes that in words.
func closes(comment []byte) bool {
	first := acts.FindIndex(comment)
	if first == nil {
		return false
	}
	depth := 0
	for _, c := range comment[:first[0]] {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return true
			}
		}
	}
	return false
}

// mayRun reports whether what is taken for a comment on a line may be code.
func mayRun(l line, s lex.Span) bool {
	if shown.MatchString(l.text) {
		return false
	}
	return s.Start < l.start && !isComment(l.text) || !isComment(l.text) || inserts.MatchString(l.text)
}

// blanked is the content with blanks for its comments.
func blanked(content []byte, text *lex.Text) []byte {
	out := bytes.Clone(content)
	for _, s := range text.Spans {
		if s.Class != lex.Comment {
			continue
		}
		for i := s.Start; i < s.End; i++ {
			if out[i] != '\n' && out[i] != '\r' {
				out[i] = ' '
			}
		}
	}
	return out
}

// withoutSigns is a part of a comment of the same length with blanks for its signs.
func withoutSigns(part []byte, begins bool) []byte {
	out := bytes.Clone(part)
	if begins {
		for i := 0; i < len(out) && bytes.IndexByte([]byte("#/*-;%<!\"'=rRuUbB"), out[i]) >= 0; i++ {
			if (out[i] == 'r' || out[i] == 'R' || out[i] == 'u' || out[i] == 'U' || out[i] == 'b' || out[i] == 'B') && (i+1 >= len(out) || out[i+1] != '"' && out[i+1] != '\'') {
				break
			}
			out[i] = ' '
		}
	}
	for i, c := range out {
		if c == '#' && i > 0 && bytes.IndexByte([]byte(" \t(["), out[i-1]) >= 0 && (i+1 == len(out) || out[i+1] != '{') {
			out[i] = ' ' // it would begin a comment again
		}
	}
	for _, sign := range []string{`"""`, "'''", "/*", "*/", "<#", "#>", "<!--", "-->"} {
		out = bytes.ReplaceAll(out, []byte(sign), bytes.Repeat([]byte{' '}, len(sign)))
	}
	return out
}
