// Package attributes reads .gitattributes for what it makes of the bytes of a file: the
// encoding that git writes a file in when it checks it out (working-tree-encoding). Text
// that a reviewer sees as one thing can be another in the work tree: the UTF-16 bytes of
// a line of Chinese are a line of shell.
//
// It promises to find every such encoding that the files of a tree give to a path, the
// one that counts last; and it never runs git. It doesn't know attributes from outside of
// the tree, and no others.
//
// https://git-scm.com/docs/gitattributes
package attributes

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/glob"
)

// Name is the name of the file, in any folder.
const Name = ".gitattributes"

// The bounds of one file: git itself ignores what is larger than 100 MiB and lines that
// are longer than 2 KiB.
const (
	maxBytes = 1 << 20
	maxLine  = 2 << 10
)

// ErrTooLarge says that a file of attributes was not read.
var ErrTooLarge = errors.New("a .gitattributes larger than 1 MiB")

// Line gives an encoding to the files that match.
type Line struct {
	Number   int // 1-based
	Encoding string
	globs    []string
}

// Same reports whether two lines do the same.
func (l Line) Same(o Line) bool { return l.Encoding == o.Encoding && slices.Equal(l.globs, o.globs) }

// Read lists the lines that give files an encoding. It takes a path to match relative to
// the folder of the file.
func Read(text []byte) []Line {
	macros := map[string]string{}
	var out []Line
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for n := 1; lines.Scan(); n++ {
		pattern, rest, ok := split(strings.TrimSpace(lines.Text()))
		if !ok || len(lines.Bytes()) > maxLine {
			continue
		}
		encoding, said := encodingOf(rest, macros)
		if name, isMacro := strings.CutPrefix(pattern, "[attr]"); isMacro {
			if said {
				macros[name] = encoding
			}
			continue
		}
		if said {
			out = append(out, Line{n, encoding, globsOf(pattern)})
		}
	}
	return out
}

// split takes the pattern off a line.
func split(line string) (pattern, rest string, ok bool) {
	if line == "" || line[0] == '#' || line[0] == '!' {
		return "", "", false
	}
	if line[0] == '"' {
		quoted, err := strconv.QuotedPrefix(line)
		if err != nil {
			return "", "", false
		}
		pattern, err = strconv.Unquote(quoted)
		return pattern, line[len(quoted):], err == nil
	}
	pattern, rest, _ = strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	return pattern, rest, true
}

// encodingOf is the encoding that a list of attributes gives; empty where it takes one away.
func encodingOf(list string, macros map[string]string) (encoding string, said bool) {
	for attribute := range strings.FieldsSeq(list) {
		name, value, set := strings.Cut(attribute, "=")
		switch {
		case name == "working-tree-encoding" && set:
			encoding, said = value, true
		case strings.TrimLeft(name, "-!") == "working-tree-encoding":
			encoding, said = "", true
		case macros[name] != "":
			encoding, said = macros[name], true
		}
	}
	return encoding, said
}

func globsOf(pattern string) []string {
	g := strings.TrimPrefix(pattern, "/")
	if !strings.Contains(pattern, "/") {
		g = "**/" + g
	}
	if g = "/" + g; glob.Check(g) != nil {
		return []string{"**"} // what can't be matched may be any file
	}
	return []string{g}
}

// Tree finds the encodings of files. It is for many goroutines.
type Tree struct {
	files fs.FS
	mu    sync.Mutex
	read  map[string][]Line
	err   error
}

// NewTree looks in a tree, which may be nil. A nil Tree has no encodings.
func NewTree(files fs.FS) *Tree { return &Tree{files: files, read: map[string][]Line{}} }

// Encoding is the encoding that a file is checked out in, "" for that of the blob.
func (t *Tree) Encoding(name string) (string, error) {
	if t == nil || t.files == nil {
		return "", nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	encoding := ""
	folder := "."
	for rest := name; ; {
		for _, l := range t.lines(folder) {
			if glob.Any(l.globs, rest) {
				encoding = l.Encoding
			}
		}
		first, after, ok := strings.Cut(rest, "/")
		if !ok {
			return encoding, t.err
		}
		folder, rest = path.Join(folder, first), after
	}
}

func (t *Tree) lines(folder string) []Line {
	if lines, ok := t.read[folder]; ok {
		return lines
	}
	text, err := bounded.ReadFile(t.files, path.Join(folder, Name), maxBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && t.err == nil {
		if info, statErr := fs.Stat(t.files, path.Join(folder, Name)); statErr == nil && info.Size() > maxBytes {
			t.err = ErrTooLarge
		}
	}
	t.read[folder] = Read(text)
	return t.read[folder]
}
