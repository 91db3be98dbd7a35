package taint

// assignments reads which names statements and calls give values to, in the
// languages with tokens.
type assignments struct {
	*source
	defs  *definitions
	paths map[string]string // of a name for an open file, the name of its path
}

func newAssignments(s *source, defs *definitions) *assignments {
	return &assignments{source: s, defs: defs, paths: map[string]string{}}
}

// statement reads a = b, a = b = c, a, b = c and a += b in a statement.
func (a *assignments) statement(t, end int) {
	start := t
	var signs []int
	keeps := false
	for i := t; i < end; i++ {
		if a.depth[i] != a.depth[t] || a.tokens[i].kind != mark {
			continue
		}
		if yes, old := a.assigns(i); yes {
			signs = append(signs, i)
			keeps = keeps || old
		}
	}
	if len(signs) == 0 {
		return
	}
	value := Span{a.offset(signs[len(signs)-1] + 1), a.offset(end)}
	for _, sign := range signs {
		a.targets(start, sign, value, a.offset(end), keeps)
		start = sign + 1
	}
}

// targets defines the names in a list of targets: plain names, fields and
// elements of containers. from is where the definitions begin to hold.
func (a *assignments) targets(t, end int, value Span, from int, keeps bool) {
	if t >= end {
		return
	}
	d := def{line: a.offset(t), place: a.offset(t), from: from, values: []Span{value}, inner: a.makes(t, end)}
	path := a.opened(value)
	for i := t; i < end; i++ {
		if !a.isName(i) {
			continue
		}
		if a.mark(i-1) == '.' || a.is(i-1, "?.") {
			continue
		}
		if keyword[a.text(i)] {
			continue
		}
		d.name, d.weak = a.text(i), keeps
		next := i + 1
		if a.mark(next) == '.' && a.isName(next+1) && next+1 < end {
			field := d
			field.name += "." + a.text(next+1)
			field.weak = keeps || a.mark(next+2) == '[' || a.mark(next+2) == '.'
			a.defs.add(field)
			d.weak = true
		}
		if a.mark(next) == '[' {
			d.weak = true
		}
		if !receivers[d.name] {
			a.defs.add(d)
		}
		if path != "" {
			a.paths[d.name] = path
		}
		if a.mark(next) == '[' {
			i = min(a.close(next), end) // what is in the brackets is only read
		}
		if a.mark(next) == ':' && a.depth[next] == a.depth[t] && !a.bracketed(t) {
			return // an annotation follows
		}
	}
}

// makes reports whether targets are new names.
func (a *assignments) makes(t, end int) bool {
	if a.is(end, ":=", "of", "in") {
		return true
	}
	return a.is(t, "const", "let", "var") || a.is(t-1, "const", "let", "var")
}

// opened returns the name of the path in an expression that opens a file.
func (a *assignments) opened(value Span) string {
	t := a.at(value.Start)
	for i := t; i < t+6 && a.offset(i) < value.End; i++ {
		if a.isName(i) && openers[a.text(i)] && a.mark(i+1) == '(' && a.isName(i+2) {
			return a.text(i + 2)
		}
	}
	return ""
}

// openers open the file of their first argument.
var openers = map[string]bool{"open": true, "Create": true, "OpenFile": true, "createWriteStream": true, "openSync": true}

// bracketed reports whether a list of targets is one in brackets.
func (a *assignments) bracketed(t int) bool {
	return a.mark(t) == '{' || a.mark(t) == '[' || a.mark(t) == '('
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
func (a *assignments) mutation(t, end int) {
	for i := t; i+1 < end; i++ {
		if !a.isName(i) || a.mark(i+1) != '(' {
			continue
		}
		shut := a.close(i + 1)
		args := Span{a.offset(i + 1), a.offset(shut)}
		d := def{line: a.offset(t), place: a.offset(i), from: args.End, values: []Span{args}, weak: true}
		if a.mark(i-1) == '.' && adders[a.text(i)] {
			if base, field := a.base(i - 2); base != "" {
				d.name = base
				if !receivers[base] {
					a.defs.add(d)
				}
				if d.name = a.paths[base]; d.name != "" {
					a.defs.add(d)
				}
				if field != "" {
					d.name = base + "." + field
					a.defs.add(d)
				}
			}
		}
		filled := a.filled(i, shut)
		if len(filled) > 0 {
			// What a decoder fills comes from what the decoder reads.
			d.values = []Span{{a.offset(a.chain(i)), args.End}}
		}
		for _, name := range filled {
			d.name = name
			a.defs.add(d)
		}
	}
}

// chain returns the token at which the expression begins that calls the method at token i:
// json.NewDecoder(r).Decode begins at json.
func (a *assignments) chain(i int) int {
	for n := 0; n < 8 && i > 1 && a.mark(i-1) == '.'; n++ {
		t := i - 2
		if a.mark(t) == ')' || a.mark(t) == ']' {
			if a.pair[t] <= 0 {
				return i
			}
			t = int(a.pair[t]) - 1
		}
		if !a.isName(t) {
			return i
		}
		i = t
	}
	return i
}

// filled returns the names that the call at token i fills: those whose address
// it gets, and the first argument of functions that copy.
func (a *assignments) filled(i, shut int) []string {
	var out []string
	for t := i + 2; t < shut && t-i < 64; t++ {
		if a.mark(t) == '&' && a.isName(t+1) && (a.mark(t-1) == '(' || a.mark(t-1) == ',') {
			out = append(out, a.text(t+1))
		}
	}
	if copiers[a.text(i)] && a.isName(i+2) {
		out = append(out, a.text(i+2))
		if path := a.paths[a.text(i+2)]; path != "" {
			out = append(out, path)
		}
	}
	if a.is(i, "urlretrieve") && a.isName(i+4) {
		out = append(out, a.text(i+4))
	}
	return out
}

// copiers are functions that write into their first argument, or into the file
// that it names.
var copiers = map[string]bool{"copy": true, "Copy": true, "CopyN": true, "Fprintf": true, "Fprint": true, "Fprintln": true, "assign": true,
	"readinto": true, "recv_into": true, "ReadFull": true, "WriteFile": true, "writeFile": true, "writeFileSync": true, "appendFileSync": true}

// walrus reads definitions inside of expressions.
func (a *assignments) walrus(t, end int) {
	for i := t + 1; i < end; i++ {
		if a.is(i, ":=") && a.isName(i-1) {
			last := i + 1
			for last < end && a.depth[last] >= a.depth[i] && !(a.mark(last) == ',' && a.depth[last] == a.depth[i]) {
				last++
			}
			a.targets(i-1, i, Span{a.offset(i + 1), a.offset(last)}, a.offset(last), true)
		}
	}
}
