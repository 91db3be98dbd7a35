package versions

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"sort"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/source/lex"
)

// seed makes hashes of one process comparable; they are never kept.
var seed = maphash.MakeSeed()

// hash is a hash of parts, such that no other split of them gives the same.
func hash(parts ...any) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, p := range parts {
		switch v := p.(type) {
		case string:
			maphash.WriteComparable(&h, len(v))
			h.WriteString(v)
		case uint64:
			maphash.WriteComparable(&h, v)
		case int:
			maphash.WriteComparable(&h, v)
		}
	}
	return h.Sum64()
}

// maxHeader is how much of a header is kept; of the rest there is a hash.
const maxHeader = 500 // bytes

// short is a text in a bounded length, such that different texts stay different.
func short(s string) string {
	if len(s) <= maxHeader {
		return s
	}
	return fmt.Sprintf("%s %x", s[:maxHeader], hash(s))
}

// reading is what is known of one version: the outline of the file, those of the
// code in it, and the context of each line.
type reading struct {
	outlines []*outline
	context  []uint64       // by line of the file
	heads    map[int]string // by line of the file: the function that begins there
	// near is how far a change reaches in a text whose structure is not known.
	near int
	// statements are those that were taken apart, of both versions: most lines are in both.
	statements statements
	defined    []definition // once definitions has been called
}

// nearby is how many lines around a change count as changed where the structure of
// the text is not known.
const nearby = 3

// read finds out what surrounds each line.
func read(t Text, known statements) *reading {
	file := newOutline(t.Language, t.Content, nil)
	r := &reading{outlines: []*outline{file}, context: make([]uint64, len(file.starts)), heads: map[int]string{}, statements: known}
	for i := range r.context {
		r.context[i] = file.contextOf(i)
	}
	for _, in := range embedded.Extract(t.Language, t.Path, t.Content) {
		if in.Language == gate.LanguageJSON {
			continue // the same text, written another way
		}
		o := newOutline(in.Language, in.Text, in.Lines)
		r.outlines = append(r.outlines, o)
		for i := range o.starts {
			if at := o.file(i); at < len(r.context) {
				r.context[at] += hash("embedded", string(in.Language), string(in.Role), o.contextOf(i))
			}
		}
	}
	for _, o := range r.outlines {
		for _, b := range o.blocks {
			if b.function {
				r.heads[o.file(b.head)] = lastPart(b.name)
			}
		}
	}
	if shape(t.Language) == shapeUnknown && !data(t.Language) {
		r.near = nearby
	}
	return r
}

// outline is the structure of one text.
type outline struct {
	language gate.Language
	src      []byte
	view     []byte // without comments, of the same length
	split    *lex.Text
	starts   []int // offsets of the lines
	lines    []int // the line of the file, from 1 on, for each line; nil for the file itself

	statement []int // the first line of the statement that a line is a part of
	ends      []int // the last line of the statement, by its first line
	texts     []string
	blocks    []block // blocks[0] is all of the text
	in        []int   // the innermost block around each line
	around    []uint64
	state     []uint64
	guards    map[int][]string // by block: conditions that are beside its lines
}

// block is a stretch of lines under one header.
type block struct {
	parent      int
	header      string
	name        string // of a function
	function    bool
	parameters  string // of a function, with its name
	loop        bool
	head        int // the line of the header
	first, last int
}

func newOutline(l gate.Language, src []byte, lines []int) *outline {
	o := &outline{language: l, src: src, lines: lines, split: lex.Scan(l, src)}
	o.view = o.split.View(src)
	o.starts = []int{}
	for at := 0; at < len(src); {
		o.starts = append(o.starts, at)
		i := bytes.IndexByte(src[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	o.statements()
	o.blocks = []block{{header: o.preamble(), last: len(o.starts) - 1}}
	o.in = make([]int, len(o.starts))
	switch shape(l) {
	case shapeShell:
		readShell(o)
	case shapeBraces:
		readBraces(o)
	case shapeIndented:
		readIndented(o)
	case shapeYAML:
		readYAML(o)
	case shapeMake:
		readMake(o)
	case shapeSections:
		readSections(o)
	case shapeWords:
		readWords(o)
	case shapeMarkup:
		readMarkup(o)
	default:
		readIndented(o)
	}
	if l == gate.LanguageC {
		addConditionals(o)
	}
	o.around = make([]uint64, len(o.blocks))
	for i, b := range o.blocks {
		outer := uint64(0)
		if i > 0 {
			outer = o.around[b.parent]
		}
		o.around[i] = hash(outer, b.header)
	}
	return o
}

// contextOf is what decides how a line is understood, besides its own text.
func (o *outline) contextOf(i int) uint64 {
	parts := []any{o.around[o.in[i]], o.state[i]}
	if first := o.statement[i]; o.ends[first] > first {
		parts = append(parts, o.text(first))
		if last := o.ends[first]; last-first >= longStatement {
			for l := max(first, i-besideLine); l <= min(last, i+besideLine); l++ {
				parts = append(parts, plain(o.code(l)))
			}
			parts = append(parts, plain(o.code(last)))
		}
	}
	return hash(parts...)
}

// conditions are the conditions on the way to a line, each with its place.
func (o *outline) conditions(i int) []uint64 {
	if len(o.guards) == 0 {
		return nil
	}
	var out []uint64
	for at := o.in[i]; ; at = o.blocks[at].parent {
		for _, g := range o.guards[at] {
			out = append(out, hash(o.around[at], g))
		}
		if at == 0 {
			return out
		}
	}
}

// file is the line of the file, from 0 on.
func (o *outline) file(i int) int {
	if o.lines == nil {
		return i
	}
	return o.lines[min(i, len(o.lines)-1)] - 1
}

// end is the offset behind a line, without its line feed.
func (o *outline) end(i int) int {
	if i+1 < len(o.starts) {
		return o.starts[i+1] - 1
	}
	return len(o.src)
}

// code is a line without its comments.
func (o *outline) code(i int) []byte { return o.view[o.starts[i]:max(o.starts[i], o.end(i))] }

// lineOf is the line of an offset.
func (o *outline) lineOf(offset int) int {
	return max(0, sort.SearchInts(o.starts, offset+1)-1)
}

// open begins a block on a line and returns its number. What a header says of a
// function is its name: what the parameters stand for is for the comparison of names.
func (o *outline) open(parent, head, line int, header string) int {
	b := block{parent: parent, header: header, head: head, first: line, last: len(o.starts) - 1}
	if name, ok := function(strings.TrimRight(header, ": \n")); ok {
		b.function, b.name, b.header, b.parameters = true, name, "function "+name, header
	}
	b.loop = loops(header)
	o.blocks = append(o.blocks, b)
	return len(o.blocks) - 1
}

// functionOf is the innermost function around a block, 0 for none.
func (o *outline) functionOf(at int) int {
	for at > 0 && !o.blocks[at].function {
		at = o.blocks[at].parent
	}
	return at
}

// plain is a text with every run of blanks as one.
func plain(b []byte) string { return string(bytes.Join(bytes.Fields(b), []byte{' '})) }

// The shapes of languages: by what their blocks are told.
type shapeOf uint8

const (
	shapeUnknown shapeOf = iota
	shapeShell
	shapeBraces
	shapeIndented
	shapeYAML
	shapeMake
	shapeSections
	shapeWords
	shapeMarkup
)

func shape(l gate.Language) shapeOf {
	switch l {
	case gate.LanguageShell:
		return shapeShell
	case gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo, gate.LanguageC, gate.LanguageRust, gate.LanguageJava,
		gate.LanguagePHP, gate.LanguagePerl, gate.LanguagePowerShell, gate.LanguageJSON, gate.LanguageNotebook:
		return shapeBraces
	case gate.LanguagePython:
		return shapeIndented
	case gate.LanguageYAML, gate.LanguageWorkflow:
		return shapeYAML
	case gate.LanguageMakefile:
		return shapeMake
	case gate.LanguageTOML, gate.LanguageINI:
		return shapeSections
	case gate.LanguageRuby:
		return shapeWords
	case gate.LanguageMarkdown, gate.LanguageLiterate, gate.LanguageHTML, gate.LanguageDockerfile:
		return shapeMarkup
	}
	return shapeUnknown
}
