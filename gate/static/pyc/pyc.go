package pyc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Bounds of one file.
const (
	maxObjects = 1 << 20
	maxDepth   = 200
	maxWritten = 1 << 20  // bytes of the listing
	maxText    = 64 << 10 // bytes of one text that are written
)

// header is what is in front of the code of a module.
const header = 16

// version returns the minor version of Python 3 that wrote a file, from the numbers
// in Lib/importlib/_bootstrap_external.py.
func version(data []byte) (int, bool) {
	if len(data) < header || data[2] != '\r' || data[3] != '\n' {
		return 0, false
	}
	magic := int(binary.LittleEndian.Uint16(data))
	for _, v := range []struct{ from, minor int }{{3600, 14}, {3550, 13}, {3500, 12}, {3450, 11}, {3430, 10}, {3420, 9}, {3400, 8}} {
		if magic >= v.from && magic < 3700 {
			return v.minor, true
		}
	}
	return 0, false
}

// Looks reports whether a file that begins so is a compiled module of a version
// that this package reads.
func Looks(head []byte) bool {
	_, ok := version(head)
	return ok && (len(head) == header || head[header]&^flagRef == 'c')
}

// Bare reads the code of a module that marshal wrote without the header of a compiled
// file, nil where the data is none. Which version of Python wrote it nothing says, so
// the first that can read it to its end is taken.
func Bare(data []byte) *Module {
	if !LooksBare(data) {
		return nil
	}
	var out *Module
	for _, magic := range []uint16{3600, 3550, 3500, 3450, 3430, 3420, 3400} {
		whole := append(binary.LittleEndian.AppendUint16(make([]byte, 0, header+len(data)), magic), '\r', '\n')
		m := Read(append(append(whole, make([]byte, header-len(whole))...), data...))
		if m != nil && (out == nil || m.Err == nil) {
			out = m
		}
		if m != nil && m.Err == nil {
			return m
		}
	}
	return out
}

// LooksBare reports whether data begins with a code object: its mark, and counts of
// arguments and variables that are small.
func LooksBare(head []byte) bool {
	const counts = 4
	if len(head) < 1+4*counts+4 || head[0]&^flagRef != 'c' {
		return false
	}
	for i := range counts {
		if n := head[1+4*i : 5+4*i]; n[1]|n[2]|n[3] != 0 && i != counts-1 {
			return false
		}
	}
	return head[0] == 'c'|flagRef
}

// Module is what was read of one file.
type Module struct {
	// Listing has the names and texts of each code object, written as Python that does
	// nothing: texts are there as literals, names as names.
	Listing string
	// Texts are the texts alone, one after the other.
	Texts string
	// Err says why it can't be read to its end.
	Err error
}

// Read reads a compiled module, nil where the file is none.
func Read(data []byte) *Module {
	minor, ok := version(data)
	if !ok {
		return nil
	}
	r := &reader{data: data[header:], minor: minor}
	_, err := r.object(0)
	if err == nil && r.at < len(r.data) {
		err = fmt.Errorf("%d bytes follow its end", len(r.data)-r.at)
	}
	if err == nil && r.full {
		err = errors.New("it holds more texts than are looked at")
	}
	return &Module{Listing: r.listing.String(), Texts: r.texts.String(), Err: err}
}

// object is a value that was read. Only what can be a name or a text is kept.
type object struct {
	text  string
	isStr bool
	items []object
}

// code writes down one code object.
func (r *reader) code(name string, names, consts object) {
	fmt.Fprintf(&r.listing, "# %s\n", strings.Map(plain, name))
	var dotted []string
	for _, n := range names.items {
		if n.isStr {
			dotted = append(dotted, strings.Map(plain, n.text))
		}
	}
	if len(dotted) > 0 {
		r.write(&r.listing, strings.Join(dotted, " ; ")+"\n")
		r.write(&r.listing, strings.Join(dotted, ".")+"\n")
	}
	for _, c := range consts.items {
		r.constant(c, 0)
	}
}

// constant writes down a text, or those in a tuple.
func (r *reader) constant(c object, depth int) {
	if c.text != "" {
		text := c.text[:min(len(c.text), maxText)]
		r.write(&r.listing, strconv.Quote(text)+"\n")
		r.write(&r.texts, text+"\n")
	}
	if r.steps++; r.steps > maxObjects { // tuples that hold each other by reference
		r.full = true
	}
	if depth < maxDepth && !r.full {
		for _, item := range c.items {
			r.constant(item, depth+1)
		}
	}
}

// write adds to a listing, within its bound.
func (r *reader) write(b *strings.Builder, s string) {
	if b.Len()+len(s) > maxWritten {
		r.full = true
		return
	}
	b.WriteString(s)
}

// plain leaves what may be in a comment or a name.
func plain(c rune) rune {
	if c < ' ' || c == 0x7f {
		return ' '
	}
	return c
}
