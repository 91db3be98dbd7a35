package tokens

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"sort"
	"strings"

	"github.com/aigate/gate/gate"
)

// Kind is what a token is.
type Kind uint8

// The kinds of tokens.
const (
	Word    Kind = iota // names, keywords, numbers
	String              // also regular expressions and the bodies of here documents
	Mark                // operators and brackets
	Blank               // between words of a shell
	Newline             // within a statement, where it may mean something
	Remark              // a comment that could be code
)

// Token is a part of a statement.
type Token struct {
	Kind Kind
	Text string
}

// Statement is a stretch of whole lines: what a language reads as one, or more.
type Statement struct {
	First, Last int // lines, from 1 on
	Tokens      []Token
	indent      string
	shell       bool // its blanks are tokens
}

// Text is a text as statements, in the order of their lines.
type Text struct {
	language   gate.Language
	Statements []Statement
}

// Knows reports whether texts of a language can be read.
func Knows(l gate.Language) bool {
	switch l {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo, gate.LanguageShell:
		return true
	}
	return false
}

// Read splits a text, whose lines end with line feeds, into statements. It is false for
// a text that it doesn't know how to read.
func Read(l gate.Language, src []byte) (*Text, bool) {
	if !Knows(l) || bytes.ContainsRune(src, '\r') || bytes.ContainsRune(src, '\u2028') || bytes.ContainsRune(src, '\u2029') {
		return nil, false
	}
	r := newReader(l, src)
	r.read()
	return &Text{l, statements(l, src, r.out)}, true
}

// Of returns the statements, as indices, that have one of the lines from..to.
func (t *Text) Of(from, to int) []int {
	var out []int
	at := sort.Search(len(t.Statements), func(i int) bool { return t.Statements[i].Last >= from })
	for ; at < len(t.Statements) && t.Statements[at].First <= to; at++ {
		out = append(out, at)
	}
	return out
}

// Sum identifies statements by their tokens and the language, for a purpose: other
// tokens, another order or another split of them has another sum.
func (t *Text) Sum(purpose string, which ...int) string {
	h := sha256.New()
	part(h, "1", purpose, string(t.language))
	for _, i := range which {
		s := t.Statements[i]
		fmt.Fprintf(h, "%d;", len(s.Tokens))
		for _, tok := range s.Tokens {
			h.Write([]byte{byte(tok.Kind)})
			part(h, tok.Text)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func part(h hash.Hash, texts ...string) {
	for _, s := range texts {
		fmt.Fprintf(h, "%d:%s", len(s), s)
	}
}

// Plain writes all statements in one form, and says on which line of it each begins, from
// 1 on. Two texts with the same tokens and the same indentation have the same plain form.
func (t *Text) Plain() (text []byte, lines []int) {
	var b bytes.Buffer
	line := 1
	for _, s := range t.Statements {
		lines = append(lines, line)
		at := b.Len()
		b.WriteString(s.indent)
		b.WriteString(s.String())
		b.WriteByte('\n')
		line += bytes.Count(b.Bytes()[at:], []byte{'\n'})
	}
	return b.Bytes(), lines
}

// Indent is the blanks before the statement.
func (s Statement) Indent() string { return s.indent }

// String is the statement in one form, without its indentation.
func (s Statement) String() string {
	var b strings.Builder
	for i, t := range s.Tokens {
		if i > 0 && !s.shell && apart(s.Tokens[i-1], t) {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

// apart reports whether two tokens are written with a blank between them.
func apart(a, b Token) bool {
	const tight = ".()[]"
	switch {
	case a.Kind == Newline || b.Kind == Newline:
		return false
	case a.Kind == Word && (b.Kind == Word || b.Kind == Remark), a.Kind == Remark:
		return true
	case b.Kind == Mark && (strings.Contains(tight+",;:", b.Text)):
		return false
	case a.Kind == Mark && strings.Contains(tight+"@$!~", a.Text):
		return false
	case a.Kind == Word && b.Kind == String:
		return false // a prefix, a tag
	}
	return true
}
