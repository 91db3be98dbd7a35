package constprop

import (
	"maps"
	"slices"
	"sort"
	"strings"
)

// frame holds the values of parameters while a function is worked out.
type frame struct {
	vars  map[string]value
	depth int
}

// with is a frame in which names have values, too.
func (f frame) with(names []string, values []value) frame {
	out := frame{vars: make(map[string]value, len(f.vars)+len(names)), depth: f.depth}
	maps.Copy(out.vars, f.vars)
	for i, n := range names {
		out.vars[n] = values[i]
	}
	return out
}

// definition is one statement that gives a name a value, adds to it, or makes it
// something that is not followed.
type definition struct {
	at   int  // where it holds from: the end of its line
	sign byte // '=', '+' for += and extend, 'a' for append, 'k' for an element, 0 for what is not followed
	from int  // where its expression begins
	key  int  // of an element, where its key begins
	loop *loopHead
}

// loopHead is the head of a loop around a statement.
type loopHead struct {
	name string
	over int // where the expression begins that it goes over
}

// defined is a function of the text that gives back one expression.
type defined struct {
	params   []string
	defaults []int
	gives    int // where that expression begins, -1 for none or several
}

// environment knows what the names of a text stand for.
type environment struct {
	ops   *operations
	eval  func(at int, in frame) (value, bool) // works out the expression at an offset
	defs  map[string][]definition
	funcs map[string]defined
	cut   bool          // not all lines were read
	known map[int]value // of the expression at an offset; kind 0: not known
}

func newEnvironment(ops *operations, eval func(at int, in frame) (value, bool)) *environment {
	return &environment{ops: ops, eval: eval, defs: map[string][]definition{}, funcs: map[string]defined{}, known: map[int]value{}}
}

// define adds a definition of a name. A field of the own object is a name, too.
func (e *environment) define(name string, d definition) {
	name = fieldName(name)
	e.defs[name] = append(e.defs[name], d)
}

// fieldName is the name of a field of the own object; other names stay as they are.
func fieldName(name string) string {
	return strings.TrimPrefix(strings.TrimPrefix(name, "self."), "cls.")
}

// lookup is the value of a name at an offset: what the last definition before it
// says, and what was added since.
func (e *environment) lookup(name string, at int, in frame) (value, bool) {
	if v, ok := in.vars[name]; ok {
		return v, true
	}
	all := e.defs[name]
	n := sort.Search(len(all), func(i int) bool { return all[i].at >= at })
	if n == 0 {
		n = len(all) // a function above what it uses
	}
	first := n - 1
	for first >= 0 && all[first].sign != '=' {
		if all[first].sign == 0 {
			return value{}, false
		}
		first--
	}
	if first < 0 || n-first > maxPieces {
		return value{}, false
	}
	var v value
	for _, d := range all[first:n] {
		var ok bool
		if v, ok = e.apply(v, d, in); !ok {
			return value{}, false
		}
	}
	return v, true
}

// maxPieces bounds the statements that make one value.
const maxPieces = 200

// apply is a value after one more statement.
func (e *environment) apply(v value, d definition, in frame) (value, bool) {
	plain := len(in.vars) == 0
	if known, ok := e.known[d.from]; ok && plain && d.sign == '=' {
		return known, known.kind != 0
	}
	if d.loop == nil || d.sign == '=' {
		out, ok := e.applied(v, d, in)
		if plain && d.sign == '=' {
			e.known[d.from] = out
		}
		return out, ok
	}
	over, ok := e.eval(d.loop.over, in)
	items, listed := over.items()
	if !ok || !listed {
		return value{}, false
	}
	for _, item := range items {
		if v, ok = e.applied(v, d, in.with([]string{d.loop.name}, []value{item})); !ok {
			return value{}, false
		}
	}
	return v, true
}

// applied is a value after one more statement, in one round of its loop.
func (e *environment) applied(v value, d definition, in frame) (value, bool) {
	if in.depth++; in.depth > maxCallDepth || !e.ops.spend(1) {
		return value{}, false
	}
	w, ok := e.eval(d.from, in)
	if !ok {
		return value{}, false
	}
	switch d.sign {
	case '=':
		return w, true
	case 'a':
		if v.kind != listValue {
			return value{}, false
		}
		v.list = append(slices.Clip(v.list), w)
		return v, e.ops.spend(len(v.list))
	case 'k':
		key, ok := e.eval(d.key, in)
		if !ok || v.kind != dictValue {
			return value{}, false
		}
		v.keys, v.list = append([]value{key}, v.keys...), append([]value{w}, v.list...)
		return v, e.ops.spend(len(v.list))
	}
	return e.ops.add(v, w)
}

// call is what a function of the text gives back for arguments.
func (e *environment) call(f defined, args arguments, in frame) (value, bool) {
	if in.depth++; f.gives <= 0 || len(args) > len(f.params) || in.depth > maxCallDepth || !e.ops.spend(1) {
		return value{}, false
	}
	for i := len(args); i < len(f.params); i++ {
		if f.defaults[i] < 0 {
			return value{}, false
		}
		v, ok := e.eval(f.defaults[i], frame{depth: in.depth})
		if !ok {
			return value{}, false
		}
		args = append(args, v)
	}
	return e.eval(f.gives, frame{depth: in.depth}.with(f.params, args))
}
