package modules

import (
	"maps"
	"slices"
	"strings"
)

// python reads a module of Python, in which indentation makes blocks.
type python struct{ *module }

// line is a logical line in tokens.
type line struct {
	first, last int
	indent      int
}

func (p *python) read() {
	var open *chunk
	decorated, defines := false, false // the statement is that of a function or a class
	for _, l := range p.lines() {
		p.importing(l)
		top := l.indent == 0 && !p.is(l.first, "elif", "else", "except", "finally") && !decorated
		if top {
			if open != nil {
				p.chunk(*open)
			}
			open = &chunk{first: l.first}
			defines = false
		}
		defines = defines || l.indent == 0 && p.is(l.first, "def", "class", "async")
		if open == nil {
			continue
		}
		open.last = l.last
		open.names = append(open.names, p.names(l, defines)...)
		if l.indent == 0 {
			decorated = p.mark(l.first) == '@'
		}
	}
	if open != nil {
		p.chunk(*open)
	}
}

// lines splits the text.
func (p *python) lines() []line {
	var out []line
	begins := 0
	for t := 0; t < len(p.tokens); {
		end := t
		for end < len(p.tokens) && p.tokens[end].kind != newline {
			end++
		}
		if end > t {
			out = append(out, line{t, end, int(p.tokens[t].start) - begins})
		}
		if end < len(p.tokens) {
			begins = int(p.tokens[end].end)
		}
		t = end + 1
	}
	return out
}

// names are those that a line gives a value at the top of the module. defines says that it
// is in a function or a class.
func (p *python) names(l line, defines bool) []string {
	t := l.first
	if p.is(t, "async") {
		t++
	}
	switch {
	case p.is(t, "def", "class"):
		if (l.indent == 0 || !defines) && p.isName(t+1) {
			return []string{p.text(t + 1)}
		}
		return nil
	case p.is(t, "import", "from"):
		if l.indent > 0 && defines {
			return nil
		}
		return p.imported(l)
	case l.indent > 0 && defines:
		return nil // of a function only its own name counts
	case p.is(t, "for", "with"):
		var out []string
		for i := t + 1; i < l.last && !p.is(i, "in"); i++ {
			if p.isName(i) && (p.is(t, "for") || p.is(i-1, "as")) {
				out = append(out, p.text(i))
			}
		}
		return out
	}
	var out []string
	for start := t; start < l.last; {
		end := start
		for end < l.last && !(p.mark(end) == ';' && p.tokens[end].depth == p.tokens[start].depth) {
			end++
		}
		out = append(out, p.assigned(start, end)...)
		start = end + 1
	}
	return out
}

// imported are the local names that an import gives, with what they stand for.
func (p *python) imported(l line) []string {
	var out []string
	for n := range p.parse(l) {
		first, _, _ := strings.Cut(n, ".")
		out = append(out, first)
	}
	slices.Sort(out)
	return out
}

// importing notes what a line imports, also within functions.
func (p *python) importing(l line) {
	if p.is(l.first, "import", "from") {
		names := p.parse(l)
		for _, n := range slices.Sorted(maps.Keys(names)) {
			r := names[n]
			if n == "*" {
				p.stars = append(p.stars, r.spec)
			} else if _, known := p.imports[n]; !known {
				p.imports[n] = r
			}
			if p.is(l.first, "from") {
				p.rewrites[l.first] = rewrite{last: l.last, ref: r, binds: true}
			}
		}
		return
	}
	for t := l.first; t+2 < l.last; t++ {
		if !p.is(t, "import_module", "__import__") || p.mark(t+1) != '(' {
			continue
		}
		spec, ok := p.quoted(t + 2)
		if !ok {
			continue
		}
		start := t
		for start > l.first && (p.mark(start-1) == '.' || p.is(start-1, "importlib")) {
			start--
		}
		p.rewrites[start] = rewrite{last: p.close(t+1) + 1, ref: ref{spec: spec}}
		if n := start - 2; n == l.first && p.mark(n+1) == '=' && p.isName(n) && p.close(t+1)+1 == l.last {
			p.imports[p.text(n)] = ref{spec: spec}
			p.rewrites[n] = rewrite{last: l.last, ref: ref{spec: spec}, binds: true}
		}
	}
}

// parse reads "import a.b as c, d" and "from .a import b as c, d".
func (p *python) parse(l line) map[string]ref {
	out := map[string]ref{}
	if p.is(l.first, "import") {
		for t := l.first + 1; t < l.last; t++ {
			spec, next := p.dotted(t, l.last)
			local := spec
			if p.is(next, "as") && p.isName(next+1) {
				local = p.text(next + 1)
				next += 2
			}
			if spec != "" {
				out[local] = ref{spec: spec}
			}
			t = next
		}
		return out
	}
	spec, t := p.dotted(l.first+1, l.last)
	if !p.is(t, "import") {
		return out
	}
	for t++; t < l.last; t++ {
		switch {
		case p.mark(t) == '*':
			out["*"] = ref{spec: spec}
		case p.isName(t):
			n := p.text(t)
			local := n
			if p.is(t+1, "as") && p.isName(t+2) {
				local = p.text(t + 2)
				t += 2
			}
			out[local] = ref{spec: spec, name: n}
		}
	}
	return out
}

// dotted reads the name of a module.
func (p *python) dotted(t, last int) (string, int) {
	var b strings.Builder
	for ; t < last && (p.mark(t) == '.' || p.isName(t) && !p.is(t, "import", "as")); t++ {
		b.Write(p.bytes(t))
	}
	return b.String(), t
}
