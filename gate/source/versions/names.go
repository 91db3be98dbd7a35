package versions

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// definition says what a name stands for from a line on.
type definition struct {
	name  string
	text  string // the statement, or the body of a function
	scope string // the functions around it, "" for the whole file
	line  int    // of the file, from 0 on
	last  int
	// anywhere is set where the order of definitions doesn't matter: imports.
	anywhere bool
	function bool
	// assigned is set for a statement: the name depends on what the statement uses.
	assigned bool
}

// use is a line that uses a name.
type use struct {
	line  int
	scope string
}

// maxStatement is how much of a statement is searched for the names that it sets.
const maxStatement = 64 << 10 // bytes

// maxRounds is how often names that depend on changed names are followed.
const maxRounds = 5

// names marks the lines that use a name which stands for something else now: a
// variable with another value, a function with another body, an alias.
func (c *Comparison) names(then, now *reading) {
	older, newer := then.definitions(), now.definitions()
	touched := map[string]bool{}
	for _, d := range newer {
		for l := d.line; l <= min(d.last, len(c.before)-1); l++ {
			if c.before[l] < 0 || c.flipped[l] {
				touched[d.name] = true
				break
			}
		}
	}
	kept := make([]bool, c.older)
	for i, at := range c.before {
		if at >= 0 && !c.flipped[i] {
			kept[at] = true
		}
	}
	for _, d := range older {
		for l := d.line; l <= min(d.last, c.older-1); l++ {
			if !kept[l] {
				touched[d.name] = true
				break
			}
		}
	}
	c.called(then, now, older)
	changed := map[string]map[string]bool{} // name, scope
	if len(touched) > 0 {
		c.compareNames(touched, older, newer, now.uses(touched), changed)
	}
	given := map[int][]definition{}
	if len(changed) == 0 {
		return
	}
	for _, d := range newer { // the names of an import are not given to each other
		for l := d.line; d.assigned && !d.anywhere && l <= d.last && l < d.line+longStatement; l++ {
			given[l] = append(given[l], d)
		}
	}
	for round := 0; len(changed) > 0 && round < maxRounds; round++ {
		names := map[string]bool{}
		for n := range changed {
			names[n] = true
		}
		next := map[string]map[string]bool{}
		for name, uses := range now.uses(names) {
			for _, u := range uses {
				if !within(changed[name], u.scope) || u.line >= len(c.before) {
					continue
				}
				if c.before[u.line] >= 0 {
					c.flipped[u.line] = true
				}
				for _, d := range given[u.line] { // what it is given to
					if !within(changed[d.name], d.scope) {
						add(next, d.name, d.scope)
					}
				}
			}
		}
		changed = next
	}
}

func add(set map[string]map[string]bool, name, scope string) {
	if set[name] == nil {
		set[name] = map[string]bool{}
	}
	set[name][scope] = true
}

// within reports whether a use in a scope can mean a definition in one of others.
func within(scopes map[string]bool, use string) bool {
	for s := range scopes {
		if s == "" || s == use || strings.HasPrefix(use, s+"/") {
			return true
		}
	}
	return false
}

// outer is the scope around a scope.
func outer(scope string) (string, bool) {
	i := strings.LastIndexByte(scope, '/')
	return scope[:max(i, 0)], i >= 0
}

// compareNames finds the names of which the definitions differ, or are on the
// other side of a use.
func (c *Comparison) compareNames(touched map[string]bool, older, newer []definition, uses map[string][]use, changed map[string]map[string]bool) {
	type event struct {
		line int
		what string
	}
	type key struct{ name, scope string }
	events := func(defs []definition, lineOf func(use) (int, bool)) map[key][]event {
		out := map[key][]event{}
		for _, d := range defs {
			if touched[d.name] {
				line := d.line
				if d.anywhere {
					line = -1
				}
				k := key{d.name, d.scope}
				out[k] = append(out[k], event{line, "=" + d.text})
			}
		}
		for name, list := range uses {
			for _, u := range list {
				l, ok := lineOf(u)
				for scope := u.scope; ok; scope, _ = outer(scope) {
					k := key{name, scope}
					if _, defined := out[k]; defined {
						out[k] = append(out[k], event{l, fmt.Sprint("use ", u.line)})
					}
					if scope == "" {
						break
					}
				}
			}
		}
		for k := range out {
			slices.SortFunc(out[k], func(a, b event) int { return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.what, b.what)) })
		}
		return out
	}
	was := events(older, func(u use) (int, bool) {
		if u.line >= len(c.before) || c.before[u.line] < 0 {
			return 0, false
		}
		return c.before[u.line], true
	})
	is := events(newer, func(u use) (int, bool) {
		return u.line, u.line < len(c.before) && c.before[u.line] >= 0
	})
	same := func(a, b []event) bool {
		return slices.EqualFunc(a, b, func(x, y event) bool { return x.what == y.what })
	}
	for k, list := range is {
		if !same(list, was[k]) {
			add(changed, k.name, k.scope)
		}
	}
	for k, list := range was {
		if !same(list, is[k]) {
			add(changed, k.name, k.scope)
		}
	}
}

// called marks the bodies of functions that nothing in the file used, and that
// something uses now.
func (c *Comparison) called(then, now *reading, older []definition) {
	functions := map[string]bool{}
	for _, d := range older {
		if d.function {
			functions[d.name] = true
		}
	}
	if len(functions) == 0 {
		return
	}
	was, is := then.uses(functions), now.uses(functions)
	outside := func(r *reading, uses []use, name string) []use { // a function that uses itself is not used
		return slices.DeleteFunc(uses, func(u use) bool {
			return r.heads[u.line] == name || slices.Contains(strings.Split(u.scope, "/"), name)
		})
	}
	dormant, called := map[string]bool{}, map[string]bool{}
	for name := range functions {
		dormant[name] = len(outside(then, was[name], name)) == 0
		called[name] = dormant[name] && slices.ContainsFunc(outside(now, is[name], name), func(u use) bool {
			return u.line < len(c.before) && c.before[u.line] < 0
		})
	}
	for _, o := range now.outlines {
		for _, b := range o.blocks {
			name := lastPart(b.name)
			put := b.function && (called[name] || dormant[name] && c.registered(o, b.head))
			for l := b.first; put && l <= min(b.last, len(o.starts)-1); l++ {
				if at := o.file(l); at < len(c.before) {
					c.flipped[at] = true
				}
			}
		}
	}
}
