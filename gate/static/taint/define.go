package taint

import (
	"slices"
	"sort"
	"strings"
)

// MaxDefinitions bounds what one text may define; what is beyond is not followed, and the graph
// says so.
const MaxDefinitions = 300_000

// def is one definition: a name gets the values of expressions.
type def struct {
	name   string
	line   int    // offset on the line that shows it
	place  int    // offset in the function and the block that it belongs to
	from   int    // first offset at which it holds
	values []Span // what flows into it
	scope  int32  // the function that it is in, -1 for none; index finds it
	weak   bool   // what was there before stays, too
	shared bool   // it holds in the whole text, anywhere
	inner  bool   // it makes a new name in its function, and doesn't change one of those around it
}

// local is a name in a function.
type local struct {
	name  string
	scope int32
}

// definitions are those of one text, and which of them a use sees.
type definitions struct {
	outline *outline
	always  bool            // a definition that replaces makes a new name in its function, as in Python
	global  map[string]bool // names that functions declare to be those of the whole text
	defs    []def
	byName  map[string][]int32 // definitions by name, in order of the text
	in      map[local][]int32  // the same by name and function
}

func newDefinitions(o *outline) *definitions {
	return &definitions{outline: o, global: map[string]bool{}, byName: map[string][]int32{}, in: map[local][]int32{}}
}

// add records a definition.
func (ds *definitions) add(d def) {
	if len(ds.defs) < MaxDefinitions && d.name != "" && !ignored[d.name] {
		ds.defs = append(ds.defs, d)
	}
}

// attribute records what a class gives all that name it.
func (ds *definitions) attribute(class, name string, line int, value Span) {
	ds.add(def{name: class + "." + name, line: line, place: line, from: value.End, values: []Span{value}, shared: true})
}

// ignored are names that by custom hold errors, flags and nothing.
var ignored = map[string]bool{"_": true, "err": true, "error": true, "ok": true, "e": true, "exc": true}

// index puts definitions in order and gives each the function that it is in.
func (ds *definitions) index() {
	slices.SortStableFunc(ds.defs, func(a, b def) int { return a.from - b.from })
	made := map[local]bool{}
	for i := range ds.defs {
		d := &ds.defs[i]
		d.scope = ds.outline.scopeAt(d.place)
		if d.shared || member(d.name) || ds.global[d.name] {
			d.scope = -1
		}
		if d.inner || ds.always && !d.weak {
			made[local{d.name, d.scope}] = true
		}
		ds.byName[d.name] = append(ds.byName[d.name], int32(i))
	}
	for i := range ds.defs {
		d := &ds.defs[i]
		for d.scope >= 0 && !made[local{d.name, d.scope}] {
			d.scope = ds.outline.funcs[d.scope].scope // it changes a name of a function around it
		}
		key := local{d.name, d.scope}
		ds.in[key] = append(ds.in[key], int32(i))
	}
}

// reaching returns the definitions of a name that a use at an offset may see.
func (ds *definitions) reaching(n string, offset int) []int32 {
	all := ds.byName[n]
	if len(all) == 0 && member(n) {
		// What the class gives all its objects is outside of every method.
		_, field, _ := strings.Cut(n, ".")
		return ds.in[local{field, -1}]
	}
	if len(all) == 0 {
		return nil
	}
	if member(n) {
		return all
	}
	for scope := ds.outline.scopeAt(offset); ; scope = ds.outline.funcs[scope].scope {
		if mine := ds.in[local{n, scope}]; len(mine) > 0 {
			if scope != ds.outline.scopeAt(offset) {
				return mine // seen from inside of a function that may run at any time
			}
			return ds.unreplaced(mine, offset)
		}
		if scope < 0 {
			return nil
		}
	}
}

// unreplaced leaves out the definitions that later ones before the offset replace.
func (ds *definitions) unreplaced(of []int32, offset int) []int32 {
	o := ds.outline
	here := o.blockAt(offset)
	n := sort.Search(len(of), func(i int) bool { return ds.defs[of[i]].from > offset })
	var out []int32
	for i := n - 1; i >= 0; i-- {
		d := &ds.defs[of[i]]
		out = append(out, of[i])
		if !d.weak && o.around(o.blockAt(d.place), here) {
			break
		}
	}
	for b := here; b >= 0; b = o.blocks[b].parent {
		if !o.blocks[b].loop {
			continue
		}
		for _, i := range of[n:] { // what a later line of the loop defines
			if o.blocks[b].holds(ds.defs[i].place) {
				out = append(out, i)
			}
		}
	}
	return out
}

// receivers are the names under which a method knows its own object.
var receivers = map[string]bool{"self": true, "this": true, "cls": true}

// member reports whether a name is that of a field of the own object, which all
// methods share.
func member(n string) bool {
	r, _, dotted := strings.Cut(n, ".")
	return dotted && receivers[r]
}
