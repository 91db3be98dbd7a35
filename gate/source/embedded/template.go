package embedded

import (
	"strings"

	"github.com/aigate/gate/gate"
)

// Part is a part of a command that a program puts together: a text, or the place where a value
// of a data file goes.
type Part struct {
	Text string
	// Value says that a value goes here, and Key which one of a row, empty for the row itself.
	Value bool
	Key   string
	// Joins says that the items of a list go here, with Text between them.
	Joins bool
	// Word says that a shell takes the value as words, whatever signs are in it.
	Word bool
}

// Template is a command with places for the values of one row.
type Template []Part

// Neutral is the command with a value that does nothing: what is found in it is the program's.
func (t Template) Neutral() string {
	var b strings.Builder
	for _, p := range t {
		if p.Value {
			b.WriteString("x")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// Filled returns the commands that a program makes of the rows of a data file, as one script,
// each on the line of its row.
func Filled(lang gate.Language, content []byte, t Template) []Code {
	f := filler{template: t}
	for _, p := range t {
		f.keyed = f.keyed || p.Value && p.Key != ""
		f.joins = f.joins || p.Joins
	}
	for _, root := range roots(lang, content) {
		if root != nil {
			f.walk(root)
		}
	}
	return f.out.region(gate.LanguageShell, "")
}

// filler fills a template with rows.
type filler struct {
	template     Template
	keyed, joins bool
	rows         int
	out          builder
}

func (f *filler) walk(s *setting) {
	if f.rows >= maxRows {
		return
	}
	switch {
	case s.kind == objectSetting && f.keyed, s.kind == listSetting && f.joins, s.kind == scalarSetting && !f.keyed && !f.joins:
		f.fill(s)
	}
	for _, item := range s.items {
		f.walk(item)
	}
}

// fill adds the command of one row.
func (f *filler) fill(row *setting) {
	var b strings.Builder
	for _, p := range f.template {
		if !p.Value {
			b.WriteString(p.Text)
			continue
		}
		text, ok := p.of(row)
		if !ok {
			return
		}
		b.WriteString(text)
	}
	f.rows++
	f.out.flush(b.String(), row.line, 0)
}

// of is the value of a row that goes to a place.
func (p Part) of(row *setting) (text string, ok bool) {
	at := row
	if p.Key != "" {
		if at = row.member(p.Key); at == nil {
			return "", false
		}
	}
	switch {
	case p.Word && strings.ContainsAny(at.text, "|;&<>()$`\"'\\"):
		return "", false
	case p.Joins && at.kind == listSetting:
		return strings.Join(at.words(), p.Text), true
	case at.kind == scalarSetting && !strings.HasPrefix(at.text, "#"):
		return at.text, true
	case at.kind == listSetting:
		return strings.Join(at.words(), " "), true
	}
	return "", false
}
