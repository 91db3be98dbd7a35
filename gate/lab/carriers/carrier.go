package main

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"
	"testing/fstest"
)

// file is one file of a tree. With a link it is a symbolic link.
type file struct {
	data []byte
	mode fs.FileMode // 0 is 0o644
	link string
}

// tree is what a commit holds.
type tree map[string]file

// fsys is the tree as a file system.
func (t tree) fsys() fstest.MapFS {
	out := fstest.MapFS{}
	for name, f := range t {
		if f.link != "" {
			out[name] = &fstest.MapFile{Data: []byte(f.link), Mode: fs.ModeSymlink | 0o777}
			continue
		}
		out[name] = &fstest.MapFile{Data: f.data, Mode: f.perm()}
	}
	return out
}

func (f file) perm() fs.FileMode {
	if f.mode == 0 {
		return 0o644
	}
	return f.mode
}

// program is a change that carries code: what a disguise works on.
type program struct {
	carrier *carrier
	code    code
	base    tree // of the commit that the change starts from
	head    tree
	main    string // the file of head that the code is in
	text    string // of that file, while it is a text that disguises may change
}

// place says how free the path of a carrier is.
type place int

const (
	anywhere place = iota // any name with this extension, in any folder
	inFolder              // this name, in any folder
	fixed                 // this path
)

// carrier is a place from which code runs.
type carrier struct {
	name   string
	runs   string // what runs it, or when
	path   string
	mode   fs.FileMode
	family family
	place  place
	syntax syntax
	// wrap is the text of the file. nil is the code itself.
	wrap func(code) string
	// with are further files, the same for every code.
	with tree
	// binary, when set, is the content instead of wrap's: nothing that works on text
	// applies.
	binary func(code) []byte
	// pieces, when set, are several files that only together hold the code.
	pieces func(code) tree
	// object, when set, is a JSON document, and scalar a YAML one: wrap is theirs.
	object *object
	yaml   string // a document with a key and its value where "KEY: @@" is
	key    string // of yaml
	spare  string // a key of yaml that takes any text
	// reference is one of those that stand for the others where a disguise costs much.
	reference bool
	// unreadable says why gate cannot read it; it has to be noticed then.
	unreadable string
	// odd says why an honest file of this kind may be noticed as well.
	odd string
}

// program returns the carrier with code in it, on top of a small repository.
func (c *carrier) program(of code) *program {
	p := &program{carrier: c, code: of, main: c.path, base: tree{"README.md": {data: []byte("# Tools\n\nSmall tools for the build.\n")}}}
	p.head = maps.Clone(p.base)
	maps.Copy(p.head, c.with)
	switch {
	case c.pieces != nil:
		made := c.pieces(of)
		maps.Copy(p.head, made)
		p.text = string(made[c.path].data)
		return p
	case c.binary != nil:
		p.head[c.path] = file{data: c.binary(of), mode: c.mode}
		return p
	case c.object != nil:
		p.text = c.object.text(of.line(), objectStyle{})
	case c.yaml != "":
		p.text = c.scalar(c.key, jsonString(of.line()))
	case c.wrap != nil:
		p.text = c.wrap(of)
	default:
		p.text = of.text()
	}
	p.put(p.text)
	return p
}

// scalar is the YAML document with a value.
func (c *carrier) scalar(key, value string) string {
	return strings.Replace(c.yaml, c.key+": @@", key+": "+value, 1)
}

// put makes a text the content of the main file.
func (p *program) put(text string) {
	p.text = text
	p.putBytes([]byte(text))
}

func (p *program) putBytes(data []byte) {
	f := p.head[p.main]
	if f.mode == 0 {
		f.mode = p.carrier.mode
	}
	f.data = data
	p.head[p.main] = f
}

// move gives the main file another path.
func (p *program) move(to string) {
	f := p.head[p.main]
	delete(p.head, p.main)
	p.main = path.Clean(to)
	p.head[p.main] = f
}

// top inserts text above everything but the lines that have to stay first.
func (p *program) top(text string) { p.put(p.withTop(text)) }

func (p *program) withTop(text string) string {
	head, rest := p.split()
	return head + text + rest
}

// split cuts the text behind the lines that have to stay first.
func (p *program) split() (head, rest string) {
	rest = p.text
	for range p.carrier.syntax.keep {
		line, more, _ := strings.Cut(rest, "\n")
		head, rest = head+line+"\n", more
	}
	return head, rest
}

// isText reports whether disguises may change the text.
func (p *program) isText() bool { return p.carrier.binary == nil }

// quoted puts a line into a template where "@@" is.
func quoted(template string) func(code) string {
	return func(c code) string { return strings.Replace(template, "@@", c.line(), 1) }
}

// lines puts the code, one statement a line behind an indentation, where "@@" is.
func lines(indent, template string) func(code) string {
	return func(c code) string {
		text := indent + strings.Join(c.statements, "\n"+indent)
		return strings.Replace(template, "@@", text, 1)
	}
}

// encoded puts the code on one line as a JSON string, quotes included, where "@@" is.
func encoded(template string) func(code) string {
	return func(c code) string { return strings.Replace(template, "@@", jsonString(c.line()), 1) }
}

func (c *carrier) String() string { return fmt.Sprintf("%s (%s)", c.name, c.path) }
