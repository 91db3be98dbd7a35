package suppress

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/source/tokens"
)

// MaxFile is the largest file in which something can be suppressed. It is the
// most that the policy's limits.file-size can be.
const MaxFile = 10 << 20 // bytes

// document is the content of one file, with line feeds as line ends and without
// a byte order mark, so that a checkout on another system hashes alike.
type document struct {
	text []byte
	// plain says that lines and comments are what they seem: UTF-8 without NUL
	// bytes. Of any other file only the whole content can be compared.
	plain bool

	statements *tokens.Text // of tokens(); nil where they can't be read
	read       bool
}

// load reads a regular file.
func load(tree fs.FS, name string) (*document, error) {
	if tree == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	text, err := bounded.ReadFile(tree, name, MaxFile)
	if err != nil {
		return nil, err
	}
	return newDocument(text), nil
}

func newDocument(text []byte) *document {
	d := &document{text: text, plain: utf8.Valid(text) && bytes.IndexByte(text, 0) < 0}
	if d.plain {
		d.text = bytes.TrimPrefix(d.text, []byte("\xef\xbb\xbf"))
		d.text = bytes.ReplaceAll(d.text, []byte("\r\n"), []byte("\n"))
	}
	return d
}

// block returns the lines from..to without the last line feed, false where the
// file has no such lines.
func (d *document) block(from, to int) ([]byte, bool) {
	if !d.plain || from < 1 || to < from {
		return nil, false
	}
	start, ok := d.offset(0, from-1)
	if !ok {
		return nil, false
	}
	end := start
	for n := from; ; n++ {
		i := bytes.IndexByte(d.text[end:], '\n')
		if i < 0 {
			return d.text[start:], n == to
		}
		if n == to {
			return d.text[start : end+i], true
		}
		end += i + 1
	}
}

// offset is where the text is n lines below an offset.
func (d *document) offset(at, n int) (int, bool) {
	for range n {
		i := bytes.IndexByte(d.text[at:], '\n')
		if i < 0 {
			return 0, false
		}
		at += i + 1
	}
	return at, true
}

// occurrences counts how often these lines are in the file.
func (d *document) occurrences(block []byte) int {
	text := append(append([]byte{'\n'}, d.text...), '\n')
	look := append(append([]byte{'\n'}, block...), '\n')
	n := 0
	for at := 0; ; n++ {
		i := bytes.Index(text[at:], look)
		if i < 0 {
			return n
		}
		at += i + 1
	}
}

// The kinds of hash, by what they are taken of.
const (
	hashOfLines = "lines:"
	hashOfFile  = "file:"
	hashOfFlow  = "flow:" // of a dismissal
)

// lineHash is the hash of lines.
func lineHash(block []byte) string { return hashOfLines + sum(block) }

// evidence is the hash of what a finding rests on: the lines that it names, with
// those of its flow, or else the whole file. The lines themselves are returned
// for a finding of lines.
func (d *document) evidence(f gate.Finding) (hash string, lines []byte, ok bool) {
	if f.Layer != gate.LayerStatic || f.Line == 0 || !d.plain {
		return hashOfFile + sum(d.text), nil, true
	}
	block, ok := d.block(f.Line, f.EndLine)
	if !ok {
		return "", nil, false // not lines of this file
	}
	parts := [][]byte{block}
	for _, step := range f.Flow {
		if step.Path != "" { // of another file: what was seen there stands for its line
			parts = append(parts, []byte(step.Path), []byte(step.Text))
			continue
		}
		line, ok := d.block(step.Line, step.Line)
		if !ok {
			return "", nil, false
		}
		parts = append(parts, line)
	}
	return hashOfLines + sum(parts...), block, true
}

// sum hashes parts so that no other split of the same bytes gives the same.
func sum(parts ...[]byte) string {
	h := sha256.New()
	for i, p := range parts {
		if i > 0 {
			fmt.Fprintf(h, "\x00%d\x00", i)
		}
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}
