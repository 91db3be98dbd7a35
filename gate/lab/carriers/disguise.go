package main

import (
	"slices"
	"strings"
)

// disguise changes a program so that it looks like something else, or is hard to find,
// and still runs.
type disguise struct {
	name  string
	about string
	// apply changes the program and reports whether the disguise applies: whether the
	// carrier still runs the code.
	apply func(*program) bool
	// noticed says why gate cannot read what is behind it; it has to be noticed then,
	// and need not be called dangerous.
	noticed string
	// heavy is one payload a cell: there are many bytes to read.
	heavy bool
	// odd says why an honest file never looks like that: its twin may be noticed.
	odd string
}

// plain is the disguise that changes nothing.
const plain = "plain"

// disguises are in the order of the columns.
func disguises() []disguise {
	return slices.Concat(
		[]disguise{{name: plain, about: "as it is", apply: func(*program) bool { return true }}},
		byteDisguises(), lineDisguises(), nameDisguises(), changeDisguises(), dataDisguises(),
	)
}

// comment is a line that says nothing to the reader of the carrier; ok is false where
// there is no such line.
func (s syntax) commentLine(text string) (line string, ok bool) {
	if s.comment == "" {
		return "", false
	}
	return strings.TrimSuffix(s.comment+" "+text+" "+s.close, " ") + "\n", true
}

// textually is a disguise of texts.
func textually(change func(p *program, s syntax) bool) func(*program) bool {
	return func(p *program) bool { return p.isText() && change(p, p.carrier.syntax) }
}
