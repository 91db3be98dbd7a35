package lex

import (
	"bytes"

	"github.com/aigate/gate/gate"
)

// inserts are the tags between which a template engine or PHP runs code, wherever they stand: neither
// knows the comments of the file that it makes. For those that are set, only what calls something counts:
// such signs have other meanings, too.
var inserts = []struct {
	open, end string
	calls     bool
}{
	{"<?php", "?>", false}, {"<?=", "?>", false}, {"<%", "%>", false}, {"@php", "@endphp", false}, {"{{", "}}", true}, {"{%", "%}", true},
}

// isMade reports whether template engines make files of a language, or read them.
func isMade(lang gate.Language) bool {
	switch lang {
	case gate.LanguagePython, gate.LanguageGo, gate.LanguageMarkdown, gate.LanguageC, gate.LanguageRust:
		return false
	}
	return true
}

// maxInserts bounds the inserts of one comment, which is code behind them.
const maxInserts = 50

// withInserts takes out of the comments what is code all the same.
func withInserts(lang gate.Language, src []byte, t *Text) {
	if !isMade(lang) || !mayInsert(src) {
		return
	}
	var out []Span
	for i, s := range t.Spans {
		if s.Class != Comment {
			if out != nil {
				out = append(out, s)
			}
			continue
		}
		at := s.Start
		for n := 0; at < s.End; n++ {
			from, to := insertIn(src[at:s.End])
			if from < 0 {
				break
			}
			if out == nil {
				out = append(make([]Span, 0, len(t.Spans)+4), t.Spans[:i]...)
			}
			from, to = at+from, at+to
			if from > at {
				out = append(out, Span{at, from, Comment})
			}
			inner := Text{}
			split(lang, src[from:to], &inner)
			for _, x := range inner.Spans {
				if x.Class == String {
					out = append(out, Span{from + x.Start, from + x.End, x.Class})
				}
			}
			if at = to; n >= maxInserts {
				at = s.End
			}
		}
		if out != nil && at < s.End {
			out = append(out, Span{at, s.End, Comment})
		}
	}
	if out != nil {
		t.Spans = out
	}
}

// Inserts returns the text with all blank but the tags of templates and of PHP in its comments, with
// what is between them; nil where there are none. Lines stay as they are.
func Inserts(lang gate.Language, src []byte) []byte {
	if !isMade(lang) || !mayInsert(src) {
		return nil
	}
	t := Text{}
	split(lang, src, &t)
	var out []byte
	for _, s := range t.Spans {
		if s.Class != Comment {
			continue
		}
		for n, at := 0, s.Start; at < s.End && n <= maxInserts; n++ {
			from, to := insertIn(src[at:s.End])
			if from < 0 {
				break
			}
			if out == nil {
				out = blanked(src)
			}
			if n == maxInserts {
				to = s.End - at
			}
			copy(out[at+from:at+to], src[at+from:at+to])
			at += to
		}
	}
	return out
}

// mayInsert is a cheap test for the tags.
func mayInsert(src []byte) bool {
	for _, x := range inserts {
		if bytes.Contains(src, []byte(x.open)) {
			return true
		}
	}
	return false
}

// blanked is a text of blanks with the same lines.
func blanked(src []byte) []byte {
	out := bytes.Repeat([]byte{' '}, len(src))
	for i, c := range src {
		if c == '\n' {
			out[i] = c
		}
	}
	return out
}

// insertIn finds the first insert of a comment.
func insertIn(comment []byte) (from, to int) {
	from = -1
	for _, x := range inserts {
		for at := 0; ; {
			i := bytes.Index(comment[at:], []byte(x.open))
			if i < 0 || from >= 0 && at+i >= from {
				break
			}
			i += at
			end := len(comment)
			if j := bytes.Index(comment[i:], []byte(x.end)); j >= 0 {
				end = i + j + len(x.end)
			}
			if x.calls && !bytes.Contains(comment[i:end], []byte("(")) || isEmpty(comment[i+len(x.open):end]) {
				at = i + len(x.open)
				continue
			}
			from, to = i, end
			break
		}
	}
	return from, to
}

// isEmpty reports whether an insert is a comment of the template itself.
func isEmpty(inside []byte) bool {
	return bytes.HasPrefix(inside, []byte("#")) || bytes.HasPrefix(inside, []byte("--")) || bytes.HasPrefix(inside, []byte("/*")) || bytes.HasPrefix(inside, []byte("- /*"))
}
