package flow

// assignment reads a = b, a = b = c, a, b = c and a += b in a statement.
func (g *Graph) assignment(t, end int) {
	start := t
	var signs []int
	keeps := false
	for i := t; i < end; i++ {
		if g.depth[i] != g.depth[t] || g.tokens[i].kind != mark {
			continue
		}
		if yes, old := g.assigns(i); yes {
			signs = append(signs, i)
			keeps = keeps || old
		}
	}
	if len(signs) == 0 {
		return
	}
	value := Span{g.offset(signs[len(signs)-1] + 1), g.offset(end)}
	for _, sign := range signs {
		g.targets(start, sign, value, g.offset(end), keeps)
		start = sign + 1
	}
}

// targets defines the names in a list of targets: plain names, fields and
// elements of containers. from is where the definitions begin to hold.
func (g *Graph) targets(t, end int, value Span, from int, keeps bool) {
	if t >= end {
		return
	}
	d := def{line: g.offset(t), place: g.offset(t), from: from, values: []Span{value}, inner: g.makes(t, end)}
	path := g.opened(value)
	for i := t; i < end; i++ {
		if !g.isName(i) {
			continue
		}
		if g.mark(i-1) == '.' || g.is(i-1, "?.") {
			continue
		}
		if keyword[g.text(i)] {
			continue
		}
		d.name, d.weak = g.text(i), keeps
		next := i + 1
		if g.mark(next) == '.' && g.isName(next+1) && next+1 < end {
			field := d
			field.name += "." + g.text(next+1)
			field.weak = keeps || g.mark(next+2) == '[' || g.mark(next+2) == '.'
			g.define(field)
			d.weak = true
		}
		if g.mark(next) == '[' {
			d.weak = true
		}
		if !receivers[d.name] {
			g.define(d)
		}
		if path != "" {
			g.paths[d.name] = path
		}
		if g.mark(next) == '[' {
			i = min(g.close(next), end) // what stands in the brackets is only read
		}
		if g.mark(next) == ':' && g.depth[next] == g.depth[t] && !g.bracketed(t) {
			return // an annotation follows
		}
	}
}

// makes reports whether targets are new names.
func (g *Graph) makes(t, end int) bool {
	if g.is(end, ":=", "of", "in") {
		return true
	}
	return g.is(t, "const", "let", "var") || g.is(t-1, "const", "let", "var")
}

// opened returns the name of the path in an expression that opens a file.
func (g *Graph) opened(value Span) string {
	t := g.at(value.Start)
	for i := t; i < t+6 && g.offset(i) < value.End; i++ {
		if g.isName(i) && openers[g.text(i)] && g.mark(i+1) == '(' && g.isName(i+2) {
			return g.text(i + 2)
		}
	}
	return ""
}

// openers open the file of their first argument.
var openers = map[string]bool{"open": true, "Create": true, "OpenFile": true, "createWriteStream": true, "openSync": true}

// bracketed reports whether a list of targets is one in brackets.
func (g *Graph) bracketed(t int) bool {
	return g.mark(t) == '{' || g.mark(t) == '[' || g.mark(t) == '('
}

// keyword are words before a target that are none.
var keyword = map[string]bool{"const": true, "let": true, "var": true, "await": true, "async": true, "export": true, "default": true,
	"readonly": true, "static": true, "public": true, "private": true, "protected": true, "declare": true, "type": true}

// adders are methods that put their arguments into their object.
var adders = map[string]bool{"append": true, "appendleft": true, "extend": true, "add": true, "update": true, "insert": true, "write": true,
	"writelines": true, "writestr": true, "setdefault": true, "push": true, "unshift": true, "set": true, "put": true, "concat": true,
	"Write": true, "WriteString": true, "WriteByte": true, "Set": true, "Add": true, "Store": true, "attach": true, "set_content": true,
	"set_payload": true, "writer": true, "dump": true, "Encode": true, "WriteField": true, "write_text": true, "write_bytes": true,
	"appendChild": true}

// mutation reads a.append(b) and calls that are given the address of a.
func (g *Graph) mutation(t, end int) {
	for i := t; i+1 < end; i++ {
		if !g.isName(i) || g.mark(i+1) != '(' {
			continue
		}
		shut := g.close(i + 1)
		args := Span{g.offset(i + 1), g.offset(shut)}
		d := def{line: g.offset(t), place: g.offset(i), from: args.End, values: []Span{args}, weak: true}
		if g.mark(i-1) == '.' && adders[g.text(i)] {
			if base, field := g.base(i - 2); base != "" {
				d.name = base
				if !receivers[base] {
					g.define(d)
				}
				if d.name = g.paths[base]; d.name != "" {
					g.define(d)
				}
				if field != "" {
					d.name = base + "." + field
					g.define(d)
				}
			}
		}
		for _, a := range g.filled(i, shut) {
			d.name = a
			g.define(d)
		}
	}
}

// base returns the object at the beginning of the chain that ends at token t,
// and its first field.
func (g *Graph) base(t int) (base, field string) {
	for n := 0; t >= 0 && n < 20; n++ {
		switch {
		case g.mark(t) == ']' || g.mark(t) == ')':
			if g.pair[t] <= 0 {
				return "", ""
			}
			t = int(g.pair[t]) - 1
		case g.isName(t) && (g.mark(t-1) == '.' || g.is(t-1, "?.")):
			field = g.text(t)
			t -= 2
		case g.isName(t):
			return g.text(t), field
		default:
			return "", ""
		}
	}
	return "", ""
}

// filled returns the names that the call at token i fills: those whose address
// it gets, and the first argument of functions that copy.
func (g *Graph) filled(i, shut int) []string {
	var out []string
	for a := i + 2; a < shut && a-i < 64; a++ {
		if g.mark(a) == '&' && g.isName(a+1) && (g.mark(a-1) == '(' || g.mark(a-1) == ',') {
			out = append(out, g.text(a+1))
		}
	}
	if copiers[g.text(i)] && g.isName(i+2) {
		out = append(out, g.text(i+2))
		if path := g.paths[g.text(i+2)]; path != "" {
			out = append(out, path)
		}
	}
	if g.is(i, "urlretrieve") && g.isName(i+4) {
		out = append(out, g.text(i+4))
	}
	return out
}

// copiers are functions that write into their first argument, or into the file
// that it names.
var copiers = map[string]bool{"copy": true, "Copy": true, "CopyN": true, "Fprintf": true, "Fprint": true, "Fprintln": true, "assign": true,
	"readinto": true, "recv_into": true, "ReadFull": true, "WriteFile": true, "writeFile": true, "writeFileSync": true, "appendFileSync": true}
