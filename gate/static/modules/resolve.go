package modules

import (
	"path"

	"github.com/aigate/gate/gate"
)

// target is what a name stands for.
type target struct {
	of    *module
	local string // a name of that module; "" for the module itself
	// member is a member of that name, for what a module exports as a whole.
	member string
	folder string // of a package of Go
}

// maxImports is how many modules may hand on a name from one to the next.
const maxImports = 12

// owner identifies a name of a program. The files of a package of Go share theirs.
type owner struct{ scope, local string }

func (t target) owner() owner {
	if t.of.lang == gate.LanguageGo {
		return owner{path.Dir(t.of.path), t.local}
	}
	return owner{t.of.path, t.local}
}

// bind returns what a name of a module stands for.
func (p *Program) bind(m *module, name string) []target {
	known := p.bound[m]
	if known == nil {
		known = map[string]found{}
		p.bound[m] = known
	}
	if f, ok := known[name]; ok {
		return f.to
	}
	known[name] = found{} // what leads to itself leads nowhere
	to := p.look(m, name)
	known[name] = found{to}
	return to
}

func (p *Program) look(m *module, name string) []target {
	if words[name] {
		return nil
	}
	if r, ok := m.imports[name]; ok {
		if to, ok := p.follow(m, r, 0); ok {
			return []target{to}
		}
	}
	if len(m.defs[name]) > 0 {
		return append([]target{{of: m, local: name}}, siblings(p, m, name)...)
	}
	if m.lang == gate.LanguageGo {
		return siblings(p, m, name)
	}
	for _, spec := range m.stars {
		if m.lang != gate.LanguagePython {
			break // re-exported, and no name of the module itself
		}
		if of := p.named(spec, m); of != nil && name[0] != '_' {
			if to, ok := p.exported(of, name, 1); ok {
				return []target{to}
			}
		}
	}
	return nil
}

// siblings are what other files of a package of Go define under a name.
func siblings(p *Program, m *module, name string) []target {
	if m.lang != gate.LanguageGo {
		return nil
	}
	var out []target
	for _, other := range p.pack(path.Dir(m.path)) {
		if other != m && len(other.defs[name]) > 0 && other.imports[name].spec == "" {
			out = append(out, target{of: other, local: name})
		}
	}
	return out
}

// follow returns what an import stands for.
func (p *Program) follow(m *module, r ref, depth int) (target, bool) {
	if m.lang == gate.LanguageGo {
		if folder := goFolder(p, r.spec); folder != "" {
			return target{of: m, folder: folder}, true
		}
		return target{}, false
	}
	of := p.named(r.spec, m)
	if r.name == "" {
		return target{of: of}, of != nil && of != m
	}
	if of != nil && of != m {
		if to, ok := p.exported(of, r.name, depth+1); ok {
			return to, true
		}
	}
	if m.lang == gate.LanguagePython { // from package import module
		spec := r.spec + "." + r.name
		if r.spec[len(r.spec)-1] == '.' {
			spec = r.spec + r.name
		}
		if of := p.named(spec, m); of != nil && of != m {
			return target{of: of}, true
		}
	}
	return target{}, false
}

// exported returns what a module exports under a name.
func (p *Program) exported(m *module, name string, depth int) (target, bool) {
	if depth > maxImports {
		p.full = true
		return target{}, false
	}
	local := name
	if m.lang != gate.LanguagePython {
		e, ok := m.exports[name]
		switch {
		case ok && e.ref.spec != "":
			return p.follow(m, e.ref, depth)
		case ok:
			local = e.local
		case name == "default" && (m.whole != "" || len(m.exports) > 0):
			return target{of: m}, true
		default:
			return p.rest(m, name, depth)
		}
	}
	if r, ok := m.imports[local]; ok {
		if to, ok := p.follow(m, r, depth); ok {
			return to, true
		}
	}
	if len(m.defs[local]) > 0 {
		return target{of: m, local: local}, true
	}
	return p.rest(m, name, depth)
}

// rest looks for a name among what a module exports without naming it.
func (p *Program) rest(m *module, name string, depth int) (target, bool) {
	for _, spec := range m.stars {
		if of := p.named(spec, m); of != nil && of != m && name[0] != '_' && name != "default" {
			if to, ok := p.exported(of, name, depth+1); ok {
				return to, true
			}
		}
	}
	if m.whole != "" {
		if r, ok := m.imports[m.whole]; ok && depth < maxImports { // module.exports = require("./a")
			if to, ok := p.follow(m, r, depth+1); ok && to.local == "" && to.of != nil {
				return p.exported(to.of, name, depth+1)
			}
		}
		if len(m.defs[m.whole]) > 0 {
			return target{of: m, local: m.whole, member: name}, true
		}
	}
	return target{}, false
}

// use is a place in a module where something of a program is used.
type use struct {
	first, last int // tokens, half open
	to          []target
	// pre and after surround what is written there.
	pre, after string
}

// uses yields what the tokens of a module use, in their order.
func (p *Program) uses(m *module, first, last int, yield func(use)) {
	known := p.used[m]
	if known == nil {
		known = map[[2]int][]use{}
		p.used[m] = known
	}
	uses, ok := known[[2]int{first, last}]
	if !ok {
		p.read(m, first, last, func(u use) { uses = append(uses, u) })
		known[[2]int{first, last}] = uses
	}
	for _, u := range uses {
		yield(u)
	}
}

// read is uses, without a memory.
func (p *Program) read(m *module, first, last int, yield func(use)) {
	for i := first; i < last; i++ {
		if r, ok := m.rewrites[i]; ok {
			u, next := p.rewritten(m, i, r)
			if next > i {
				yield(u)
				i = next - 1
				continue
			}
		}
		if !m.free(i) {
			continue
		}
		if to, end, ok := p.dotted(m, i); ok {
			yield(use{first: i, last: end, to: to})
			i = end - 1
			continue
		}
		to := p.bind(m, string(m.bytes(i)))
		if len(to) == 0 {
			continue
		}
		u := use{first: i, last: i + 1, to: to}
		if to[0].local == "" {
			var ok bool
			if u, ok = p.inside(m, u); !ok {
				continue
			}
		}
		yield(u)
		i = u.last - 1
	}
}

// dotted is a name behind that of a module that was imported with its dots.
func (p *Program) dotted(m *module, i int) ([]target, int, bool) {
	if m.lang != gate.LanguagePython || m.mark(i+1) != '.' {
		return nil, 0, false
	}
	spec := m.text(i)
	for end := i + 1; m.mark(end) == '.' && m.isName(end+1) && len(spec) < maxSpec; end += 2 {
		spec += "." + m.text(end+1)
		if r, ok := m.imports[spec]; ok && r.name == "" {
			to, ok := p.follow(m, r, 0)
			if !ok {
				continue
			}
			u, ok := p.inside(m, use{first: i, last: end + 2, to: []target{to}})
			return u.to, u.last, ok
		}
	}
	return nil, 0, false
}

// inside goes from the name of a module on to that of what is used of it.
func (p *Program) inside(m *module, u use) (use, bool) {
	of := u.to[0]
	if (m.mark(u.last) == '.' || m.is(u.last, "?.")) && m.isName(u.last+1) {
		n := m.text(u.last + 1)
		if of.folder != "" {
			u.to = nil
			for _, file := range p.pack(of.folder) {
				if len(file.defs[n]) > 0 && file.imports[n].spec == "" {
					u.to = append(u.to, target{of: file, local: n})
				}
			}
			u.last += 2
			return u, len(u.to) > 0
		}
		if to, ok := p.exported(of.of, n, 0); ok {
			u.to, u.last = []target{to}, u.last+2
			if to.local == "" {
				return p.inside(m, u)
			}
			return u, true
		}
		if m.lang == gate.LanguagePython { // a module in a package
			spec := path.Dir(of.of.path) + "/" + n
			if sub := p.at(spec+".py", spec+"/__init__.py"); sub != nil && sub != m {
				u.to, u.last = []target{{of: sub}}, u.last+2
				return p.inside(m, u)
			}
		}
	}
	if of.of != nil && of.of.whole != "" {
		u.to = []target{{of: of.of, local: of.of.whole}}
		return u, len(of.of.defs[of.of.whole]) > 0
	}
	return u, false
}

// rewritten is the use at tokens that are written otherwise; next is 0 where they stay.
func (p *Program) rewritten(m *module, i int, r rewrite) (use, int) {
	u := use{first: i, last: r.last, pre: r.pre, after: r.after}
	switch {
	case r.local != "":
		u.to = []target{{of: m, local: r.local}}
		return u, r.last
	}
	to, ok := p.follow(m, r.ref, 0)
	switch {
	case !ok:
		return u, 0
	case r.binds:
		return u, r.last
	}
	u.to = []target{to}
	if m.mark(u.last) == ')' && m.pair[u.last] == int32(i-2) && m.is(i-1, "await") && m.mark(u.last+1) == '.' {
		u.first, u.last = i-2, u.last+1 // (await import("a")).b
	}
	u, ok = p.inside(m, u)
	if !ok {
		return u, 0
	}
	return u, u.last
}
