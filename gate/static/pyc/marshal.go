package pyc

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// reader reads the format of Python/marshal.c.
type reader struct {
	data    []byte
	at      int
	minor   int
	objects int
	refs    []object
	kept    int // items in containers
	steps   int // of writing constants down
	full    bool

	listing, texts strings.Builder
}

// flagRef marks an object that others refer to by its number.
const flagRef = 0x80

// null is the type of the object that ends a dict.
const null = '0'

// errNull is the null object.
var errNull = errors.New("an object is missing")

func (r *reader) take(n int) ([]byte, error) {
	if n < 0 || n > len(r.data)-r.at {
		return nil, fmt.Errorf("it ends within an object at byte %d", header+r.at)
	}
	out := r.data[r.at : r.at+n]
	r.at += n
	return out, nil
}

func (r *reader) byte() (byte, error) {
	b, err := r.take(1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// long is a number of four bytes.
func (r *reader) long() (int, error) {
	b, err := r.take(4)
	if err != nil {
		return 0, err
	}
	return int(int32(binary.LittleEndian.Uint32(b))), nil //nolint:gosec // the format's numbers have a sign
}

// object reads one object.
func (r *reader) object(depth int) (object, error) {
	if r.objects++; r.objects > maxObjects || depth > maxDepth {
		return object{}, fmt.Errorf("it has more than %d objects, or more than %d inside of each other", maxObjects, maxDepth)
	}
	kind, err := r.byte()
	if err != nil {
		return object{}, err
	}
	slot := -1
	if kind&flagRef != 0 && kind&^flagRef != 'r' {
		slot = len(r.refs)
		r.refs = append(r.refs, object{})
	}
	out, err := r.kind(kind&^flagRef, depth)
	if err == nil && slot >= 0 {
		r.refs[slot] = out
	}
	return out, err
}

// kind reads an object of one type.
func (r *reader) kind(kind byte, depth int) (object, error) {
	switch kind {
	case null:
		return object{}, errNull
	case 'N', 'F', 'T', 'S', '.':
		return object{}, nil
	case 'i':
		_, err := r.take(4)
		return object{}, err
	case 'I', 'g':
		_, err := r.take(8)
		return object{}, err
	case 'y':
		_, err := r.take(16)
		return object{}, err
	case 'f', 'x':
		for range map[byte]int{'f': 1, 'x': 2}[kind] {
			if _, err := r.short(); err != nil {
				return object{}, err
			}
		}
		return object{}, nil
	case 'l':
		digits, err := r.long()
		if err != nil {
			return object{}, err
		}
		_, err = r.take(2 * max(digits, -digits))
		return object{}, err
	case 'r':
		n, err := r.long()
		if err != nil {
			return object{}, err
		}
		if n < 0 || n >= len(r.refs) {
			return object{}, fmt.Errorf("it refers to an object that is not there, at byte %d", header+r.at)
		}
		return r.refs[n], nil
	case 's', 't', 'u', 'a', 'A':
		n, err := r.long()
		if err != nil {
			return object{}, err
		}
		b, err := r.take(n)
		return object{text: string(b), isStr: kind != 's'}, err
	case 'z', 'Z':
		b, err := r.short()
		return object{text: string(b), isStr: true}, err
	case 'c':
		return object{}, r.codeObject(depth)
	}
	return r.container(kind, depth)
}

// short is a text behind its length in one byte.
func (r *reader) short() ([]byte, error) {
	n, err := r.byte()
	if err != nil {
		return nil, err
	}
	return r.take(int(n))
}

// container reads an object that holds others.
func (r *reader) container(kind byte, depth int) (object, error) {
	var n int
	var err error
	switch kind {
	case ')':
		var b byte
		b, err = r.byte()
		n = int(b)
	case '(', '[', '<', '>':
		n, err = r.long()
	case ':': // a slice, since 3.14
		n = 3
	case '{':
		return object{}, r.dict(depth)
	default:
		return object{}, fmt.Errorf("an object of the unknown type %q at byte %d", kind, header+r.at-1)
	}
	if err != nil {
		return object{}, err
	}
	if n < 0 || n > len(r.data)-r.at {
		return object{}, fmt.Errorf("it ends within an object at byte %d", header+r.at)
	}
	var out object
	for range n {
		item, err := r.object(depth + 1)
		if err != nil {
			return out, err
		}
		if r.kept++; r.kept < maxObjects {
			out.items = append(out.items, item)
		}
	}
	return out, nil
}

// dict reads keys and values up to the null object.
func (r *reader) dict(depth int) error {
	for {
		if _, err := r.object(depth + 1); errors.Is(err, errNull) {
			return nil
		} else if err != nil {
			return err
		}
		if _, err := r.object(depth + 1); err != nil {
			return err
		}
	}
}

// codeObject reads the fields of a code object in the order in which each version
// writes them.
func (r *reader) codeObject(depth int) error {
	longs, behind := 6, 8 // counts and flags; objects in front of the first line's number
	if r.minor >= 11 {
		longs, behind = 5, 8
	}
	for range longs {
		if _, err := r.long(); err != nil {
			return err
		}
	}
	// 3.8: code consts names varnames freevars cellvars filename name
	// 3.11: code consts names localsplusnames localspluskinds filename name qualname
	fields := make([]object, 0, behind)
	for range behind {
		o, err := r.object(depth + 1)
		if err != nil {
			r.some(fields)
			return err
		}
		fields = append(fields, o)
	}
	r.some(fields)
	if _, err := r.long(); err != nil { // the number of the first line
		return err
	}
	last := 1 // the table of lines
	if r.minor >= 11 {
		last = 2 // and that of exceptions
	}
	for range last {
		if _, err := r.object(depth + 1); err != nil {
			return err
		}
	}
	return nil
}

// some writes down what was read of a code object, also where its end can't be.
func (r *reader) some(fields []object) {
	var consts, names object
	name := ""
	if len(fields) > 1 {
		consts = fields[1]
	}
	if len(fields) > 2 {
		names = fields[2]
	}
	if len(fields) > 7 {
		name = fields[7].text
	}
	r.code(name, names, consts)
}
