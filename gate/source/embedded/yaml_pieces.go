package embedded

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"go.yaml.in/yaml/v3"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// yamlPiece is a part of a YAML file that is parsed alone. Of one that begins within a
// value, the keys around it are repeated before it.
type yamlPiece struct {
	text   []byte
	line   int  // of the file, at which it would begin if the keys were in the lines above
	goesOn bool // with the document that the piece before it is of
	keys   int  // that are repeated
}

// yamlPieces divides a file that is too large to be parsed at once, before lines at which
// a document, a member or an element begins. Where a piece of [maxYAML] bytes has no such
// line, the file from there on is returned as uncut.
func yamlPieces(content []byte) (pieces []yamlPiece, uncut yamlPiece) {
	p := yamlPiece{text: content, line: 1}
	for len(p.text) > maxYAML {
		at, keys := divide(p.text[:maxYAML])
		if at == 0 {
			return pieces, p
		}
		rest := p.text[at:]
		next := yamlPiece{
			text:   append(bytes.Join(append(keys, nil), []byte{'\n'}), rest...),
			line:   p.line + bytes.Count(p.text[:at], []byte{'\n'}) - len(keys),
			goesOn: !bytes.HasPrefix(rest, documentMark), keys: len(keys),
		}
		p.text = p.text[:at]
		pieces, p = append(pieces, p), next
	}
	return append(pieces, p), yamlPiece{}
}

var (
	documentMark = []byte("---")
	// keyAlone is a key whose value is in the lines below.
	keyAlone = regexp.MustCompile(`^ *(?:[\w./$@-][^\n:#"'|>&*!{}\[\],]*|"[^"\\\n]*"|'[^'\n]*'):[ \t]*\r?$`)
	// beginning is how a member or an element may begin. A text may go on with such a line,
	// too: then neither piece can be parsed.
	beginning = regexp.MustCompile(`^ *[^\s#}\]]`)
)

// divide returns where the last part of a text begins that can be parsed alone, and the
// lines of the keys around it: the least indented one in the second half of the text. It
// is 0 where there is none.
func divide(text []byte) (at int, keys [][]byte) {
	const deepest = 16 // steps of indentation
	last := [deepest + 1]int{}
	for end := len(text); ; {
		begin := bytes.LastIndexByte(text[:end], '\n') + 1
		if begin < len(text)/2 {
			break
		}
		line := text[begin:end]
		if bytes.HasPrefix(line, documentMark) {
			return begin, nil
		}
		if n := indentation(line); n <= deepest && last[n] == 0 && beginning.Match(line) {
			last[n] = begin
		}
		end = begin - 1
	}
	for _, at := range last {
		if keys, ok := keysAround(text, at); at > 0 && ok {
			return at, keys
		}
	}
	return 0, nil
}

// maxKeysAround is how much is repeated before a piece, in bytes.
const maxKeysAround = 4 << 10

// keysAround returns the lines of the keys around what begins at a place. It reports false
// where that is within something else.
func keysAround(text []byte, at int) (keys [][]byte, ok bool) {
	inner := lineAt(text, at)
	around := indentation(inner)
	element, size := isElement(inner), 0
	for end := at - 1; end > 0 && (around > 0 || element); {
		begin := bytes.LastIndexByte(text[:end], '\n') + 1
		line := text[begin:end]
		if bytes.HasPrefix(line, documentMark) {
			break
		}
		n := indentation(line)
		if (n < around || n == around && element && !isElement(line)) && beginning.Match(line) {
			if size += len(line); size > maxKeysAround || !keyAlone.Match(line) {
				return nil, false
			}
			keys, around, element = append(keys, line), n, false
		}
		end = begin - 1
	}
	slices.Reverse(keys)
	return keys, true
}

// lineAt is the line that begins at a place, without its line feed.
func lineAt(text []byte, at int) []byte {
	line, _, _ := bytes.Cut(text[at:], []byte{'\n'})
	return line
}

func indentation(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

func isElement(line []byte) bool {
	line = bytes.TrimLeft(line, " ")
	return len(line) > 0 && line[0] == '-' && (len(line) == 1 || line[1] == ' ' || line[1] == '\r')
}

// yamlDocuments parses all documents of a piece, up to one that is broken. Their nodes
// have the lines of the file.
func yamlDocuments(p yamlPiece) ([]*yaml.Node, error) {
	var out []*yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(p.text))
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		if p.line > 1 {
			moveDown(&doc, p.line-1)
		}
		out = append(out, &doc)
	}
}

// moveDown adds to the line of a node and of all in it. What an alias refers to is moved
// where it is written.
func moveDown(n *yaml.Node, lines int) {
	n.Line += lines
	for _, c := range n.Content {
		moveDown(c, lines)
	}
}
