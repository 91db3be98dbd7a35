package main

// syntax is what the reader of a carrier tolerates, as far as disguises care. The zero
// value tolerates nothing.
type syntax struct {
	keep      int    // lines that have to stay first
	comment   string // begins a comment up to the end of the line
	close     string // ends it, where the end of the line does not
	blank     string // white space that may be anywhere between tokens, where there are no comments
	lead      bool   // blanks in front of a line mean nothing
	tail      bool   // blanks behind a line mean nothing
	crlf      string // what a line needs at its end to work with CRLF: "" is nothing
	crlfOK    bool   // lines may end with CRLF
	cr        bool   // a lone CR ends a line
	separator bool   // U+2028 ends a line
	feed      bool   // a form feed is a blank in front of a line
	bom       bool   // a UTF-8 byte order mark is skipped, or costs the first line only
	mark      string // what makes a UTF-16 mark in front of ASCII a harmless first line; "-" is nowhere
	utf16     bool   // the whole file may be UTF-16 with a mark
	utf32     bool
	printable bool   // control characters are an error, in comments too
	nul       bool   // NULs in a comment are ignored
	bytes     bool   // a comment may hold bytes that are no UTF-8
	junk      string // what follows any bytes to make them a harmless first line; "-" is nowhere
	assign    string // a variable assignment of NAME that may be the first line, NAME=1
	shebang   string // the first line with which the file runs under any name
	cookie    bool   // a comment names the encoding, as in Python
	block     block  // turns code off
}

// block is a pair of lines around code that does not run, and the pair that looks much
// like it and lets the code run.
type block struct{ open, close, off, offClose string }

const no = "-"

// The syntaxes. Sources: the manuals of the languages, and the tests that have the
// interpreters of this machine parse what is made of them.
func shellSyntax() syntax {
	return syntax{
		comment: "#", lead: true, tail: true, crlf: " #", crlfOK: true, bom: true, mark: "", nul: true, bytes: true, junk: "",
		assign: "NAME=1", shebang: "#!/bin/sh", block: block{": <<'DOC'", "DOC", ": 'DOC'", "DOC"},
	}
}

func pythonSyntax() syntax {
	return syntax{
		comment: "#", tail: true, crlfOK: true, cr: true, feed: true, bom: true, mark: no, nul: false, bytes: false, junk: no,
		assign: "NAME=1", shebang: "#!/usr/bin/env python3", cookie: true, block: block{`doc = """`, `"""`, `doc = """ """`, `""" """`},
	}
}

func javaScriptSyntax() syntax {
	return syntax{
		comment: "//", lead: true, tail: true, crlfOK: true, cr: true, separator: true, feed: true, bom: true, mark: no, nul: true, bytes: true,
		junk: no, assign: "var NAME=1;", shebang: "#!/usr/bin/env node", block: block{"/*", "*/", "/**/", "/**/"},
	}
}

func hashSyntax() syntax { // reads lines, "#" begins a comment
	return syntax{comment: "#", mark: no, junk: no, tail: true}
}

func slashSyntax() syntax { // languages like C
	return syntax{comment: "//", lead: true, tail: true, crlfOK: true, mark: no, junk: no, block: block{"/*", "*/", "/**/", "/**/"}}
}

func jsonSyntax() syntax {
	return syntax{blank: " ", lead: true, tail: true, crlfOK: true, bom: true, mark: no, junk: no}
}

func yamlSyntax() syntax {
	return syntax{comment: "#", tail: true, crlfOK: true, cr: true, bom: true, mark: no, junk: no, printable: true}
}

func htmlSyntax() syntax {
	return syntax{
		comment: "<!--", close: "-->", blank: " ", lead: true, tail: true, crlfOK: true, cr: true, bom: true, mark: no, utf16: true, nul: true,
		bytes: true, junk: "", block: block{"<!--", "-->", "<!-- -->", "<!-- -->"},
	}
}

func noSyntax() syntax { return syntax{mark: no, junk: no} }

// with changes a copy of a syntax.
func (s syntax) with(change func(*syntax)) syntax {
	change(&s)
	return s
}
