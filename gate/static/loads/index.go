package loads

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Index are the files that are looked for.
type Index struct {
	paths  []string
	byBase map[string][]int
	odd    []string // base names with characters that end a word
	// aliases are the files that a text copies, by the names that it gives the copies.
	aliases map[string][]int
	last    [256]bool       // the bytes that names and aliases end with
	ext     map[string]bool // the extensions of files that are no tests of Go
	data    []int           // files whose values or rows programs read, two at most
}

// maxOdd bounds how many names are looked for one by one.
const maxOdd = 1000

// NewIndex returns an index of files, as slash-separated paths.
func NewIndex(paths []string) *Index {
	x := &Index{paths: paths, byBase: make(map[string][]int, len(paths)), ext: map[string]bool{}}
	for i, p := range paths {
		base := path.Base(p)
		if len(x.byBase[base]) == 0 && len(x.odd) < maxOdd && strings.ContainsFunc(base, func(r rune) bool { return r > 0x7f || !isName(byte(r)) }) {
			x.odd = append(x.odd, base)
		}
		x.byBase[base] = append(x.byBase[base], i)
		x.last[base[len(base)-1]] = true
		if !strings.HasSuffix(p, "_test.go") {
			x.ext[path.Ext(p)] = true
		}
		if len(x.data) < 2 && (holdsValues(p) || isRows(p)) {
			x.data = append(x.data, i)
		}
	}
	return x
}

// hasData reports whether there is a file beside that of a name whose values or rows programs read.
func (x *Index) hasData(name string) bool {
	return len(x.data) > 1 || len(x.data) == 1 && x.paths[x.data[0]] != name
}

// maxQuick is how many names a text is searched for one by one: beyond, reading it
// word by word is as fast.
const maxQuick = 64

// Quick reports whether a text can mention a file: false is sure, and far faster to
// know than what [Find] says.
func (x *Index) Quick(content []byte) bool {
	if len(x.byBase) > maxQuick {
		return true
	}
	for base := range x.byBase {
		if bytes.Contains(content, []byte(base)) {
			return true
		}
	}
	return false
}

// Listed reports whether a line of a text may hold the name of a file and nothing else,
// as an item of a list does: the command that it belongs to is on another line.
func (x *Index) Listed(content []byte) bool {
	for line := range bytes.Lines(content) {
		word := bytes.Trim(line, " \t\r\n-\"',[]")
		if len(word) > 0 && !bytes.ContainsAny(word, " \t") && (len(x.byBase) > maxQuick || x.Quick(word)) {
			return true
		}
	}
	return false
}

// isName reports whether a byte is part of a name of a file that needs no quotes.
func isName(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return true
	}
	switch c {
	case '.', '_', '-', '+', '@', '~', ',', '%', '=':
		return true
	}
	return false
}

// match returns the files that a word can mean: those that end with it, whatever
// folder the program runs in.
func (x *Index) match(word string) []int {
	word = path.Clean("/" + word) // "../" goes no higher than the root
	out := slices.Clone(x.aliases[path.Base(word)])
	for _, i := range x.byBase[path.Base(word)] {
		if strings.HasSuffix("/"+x.paths[i], word) || strings.HasSuffix(word, "/"+x.paths[i]) {
			out = append(out, i)
		}
	}
	return out
}

// named reports whether the last part of a word is the name of a file.
func (x *Index) named(word string) bool {
	base := path.Base(word)
	return len(x.byBase[base]) > 0 || len(x.aliases[base]) > 0
}

// nearest keeps those files that lie where a program looks first: beside the file
// that names them, and below the root. Where neither is there, or the program
// changes the folder, any of them can be meant.
func (x *Index) nearest(by, word string, files []int, moves bool) []int {
	if moves || len(files) < 2 {
		return files
	}
	var out []int
	for _, i := range files {
		if word := strings.TrimLeft(word, "/"); x.paths[i] == path.Join(path.Dir(by), word) || x.paths[i] == path.Clean(word) {
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		return files
	}
	return out
}

// mention is a word that can mean a file.
type mention struct {
	start, end int
	files      []int
}

// mentions returns the words of a text that can mean a file.
func (x *Index) mentions(text string, yield func(mention) bool) {
	for _, base := range x.odd {
		for from := 0; ; {
			at := strings.Index(text[from:], base)
			if at < 0 {
				break
			}
			start, end := from+at, from+at+len(base)
			for start > 0 && (isName(text[start-1]) || text[start-1] == '/') {
				start--
			}
			from = end
			if files := x.match(text[start:end]); len(files) > 0 && !yield(mention{start, end, files}) {
				return
			}
		}
	}
	for i := 0; i < len(text); i++ {
		if !isName(text[i]) && text[i] != '/' {
			continue
		}
		start := i
		for i < len(text) && (isName(text[i]) || text[i] == '/') {
			i++
		}
		if last := text[i-1]; last != '/' && !x.last[last] {
			continue // no part of it is a name
		}
		word, at := text[start:i], start
		if slash := strings.IndexByte(word, '/'); slash > 0 && start > 0 && text[start-1] == '$' {
			word, at = word[slash:], start+slash // $HERE/x.dat
		}
		if eq := strings.LastIndexByte(word, '='); eq >= 0 && !x.named(word) {
			word, at = word[eq+1:], at+eq+1 // --require=./x.dat
		}
		if !x.named(word) {
			continue
		}
		files := x.match(word)
		if eq := strings.LastIndexByte(word, '='); len(files) == 0 && eq >= 0 {
			at += eq + 1 // run.sh=docs/x.dat
			files = x.match(word[eq+1:])
		}
		if len(files) > 0 && !yield(mention{at, i, files}) {
			return
		}
	}
}
