package flow

import "github.com/aigate/gate/gate"

// literal returns the function whose body the brace at t opens, -1 where it opens
// something else.
func (g *Graph) literal(t int) int32 {
	f := function{body: Span{g.offset(t), g.offset(g.close(t))}}
	head, ok := g.head(t)
	if !ok || len(g.funcs) >= maxFuncs {
		return -1
	}
	f.params = g.parameters(head.params)
	f.name = head.name
	if f.name == "" {
		f.given = g.receiver(head.start)
	}
	g.heads[int32(head.start)] = true
	g.funcs = append(g.funcs, f)
	return int32(len(g.funcs) - 1)
}

// arrow returns the function whose body is the expression behind the arrow at t.
func (g *Graph) arrow(t int) int32 {
	head, ok := g.arrowHead(t)
	if !ok || len(g.funcs) >= maxFuncs {
		return -1
	}
	body := Span{g.offset(t + 1), g.offset(g.ends(t + 1))}
	if body.End <= body.Start {
		return -1
	}
	f := function{name: head.name, body: body, params: g.parameters(head.params), returns: []Span{body}}
	if f.name == "" {
		f.given = g.receiver(head.start)
	}
	g.funcs = append(g.funcs, f)
	return int32(len(g.funcs) - 1)
}

// head is what stands before the body of a function.
type head struct {
	name   string
	start  int      // its first token
	params [2]int32 // the tokens of its parameters, half open
}

// head finds the head of the function whose body the brace at t opens.
func (g *Graph) head(t int) (head, bool) {
	if g.is(t-1, "=>") {
		return g.arrowHead(t - 1)
	}
	const far = 40 // tokens: results, types
	for i := t - 1; i >= 0 && t-i < far; i-- {
		switch c := g.mark(i); {
		case g.tokens[i].kind == newline || c == ';' || c == '{' || c == '=' || g.is(i, "=>", ":=", "return"):
			return head{}, false
		case c == '}' || c == ']':
			if g.pair[i] < 0 {
				return head{}, false
			}
			i = int(g.pair[i])
		case c == ')':
			if g.pair[i] < 0 {
				return head{}, false
			}
			o := int(g.pair[i])
			if h, ok := g.signature(o, i); ok {
				return h, true
			}
			if g.lang != gate.LanguageGo {
				return head{}, false
			}
			i = o // perhaps the results
		}
	}
	return head{}, false
}

// signature reads the head of a function whose parameters stand between two
// brackets.
func (g *Graph) signature(open, shut int) (head, bool) {
	h := head{start: open, params: [2]int32{int32(open + 1), int32(shut)}}
	before := open - 1
	switch {
	case g.is(before, "func", "function"): // a literal
		h.start = before
		h.name = g.assignedTo(before)
		return h, true
	case g.mark(before) == '*' && g.is(before-1, "function"):
		h.start = before - 1
		return h, true
	case !g.isName(before) || g.is(before, "if", "for", "while", "switch", "catch", "with", "return", "await", "typeof", "new"):
		return h, false
	}
	h.name, h.start = g.text(before), before
	switch {
	case g.is(before-1, "func", "function") || g.mark(before-1) == '*' && g.is(before-2, "function"):
		return h, true
	case g.mark(before-1) == ')' && g.pair[before-1] > 0 && g.is(int(g.pair[before-1])-1, "func"): // a method of Go
		return h, true
	}
	// A method of a class or an object: its name begins a line or follows a brace or
	// a comma, and the brace follows the parameters.
	if g.lang == gate.LanguageGo {
		return h, false
	}
	at := before - 1
	for g.is(at, "async", "static", "get", "set", "public", "private", "protected", "override") || g.mark(at) == '*' || g.mark(at) == '#' {
		at--
	}
	return h, at < 0 || g.tokens[at].kind == newline || g.mark(at) == '{' || g.mark(at) == ',' || g.mark(at) == '}' || g.mark(at) == ';'
}

// arrowHead reads the head of the function whose arrow is token t.
func (g *Graph) arrowHead(t int) (head, bool) {
	h := head{}
	i := t - 1
	switch {
	case g.mark(i) == ')' && g.pair[i] >= 0:
		h.start, h.params = int(g.pair[i]), [2]int32{g.pair[i] + 1, int32(i)}
	case g.isName(i) && g.mark(i-1) != ':' && g.mark(i-1) != '.' && g.mark(i-1) != '|':
		h.start, h.params = i, [2]int32{int32(i), int32(i + 1)}
	default: // a type of TypeScript between the parameters and the arrow
		const far = 20 // tokens
		for n := 0; n < far && i > 0 && g.mark(i) != ')'; n++ {
			if g.pair[i] >= 0 && int(g.pair[i]) < i {
				i = int(g.pair[i])
			}
			i--
		}
		if g.mark(i) != ')' || g.pair[i] < 0 {
			return h, false
		}
		h.start, h.params = int(g.pair[i]), [2]int32{g.pair[i] + 1, int32(i)}
	}
	if g.is(h.start-1, "async") {
		h.start--
	}
	h.name = g.assignedTo(h.start)
	return h, true
}

// assignedTo returns the name that a function literal is given where it is the
// whole value.
func (g *Graph) assignedTo(t int) string {
	if g.is(t-1, "async") {
		t--
	}
	if (g.is(t-1, "=", ":=") || g.mark(t-1) == ':') && g.isName(t-2) {
		return g.text(t - 2)
	}
	return ""
}

// parameters are the names between two tokens.
func (g *Graph) parameters(span [2]int32) []string {
	var out []string
	start := int(span[0])
	if start >= int(span[1]) {
		return nil
	}
	depth := g.depth[start]
	for t := start; t <= int(span[1]) && len(out) < maxArguments; t++ {
		if t < int(span[1]) && !(g.mark(t) == ',' && g.depth[t] == depth) {
			continue
		}
		i := start
		for i < t && (g.is(i, "...", "readonly", "public", "private") || g.mark(i) == '@') {
			i++
		}
		switch {
		case g.isName(i):
			out = append(out, g.text(i))
		case g.mark(i) == '{' || g.mark(i) == '[':
			for n := i + 1; n < g.close(i) && n < t; n++ {
				if g.isName(n) && g.mark(n+1) != ':' {
					out = append(out, g.text(n))
				}
			}
		}
		start = t + 1
	}
	return out
}

// receiver is what flows into the parameters of a function literal that is an
// argument: what stands before it in its statement, such as
// fs.readFile(path, …) and reader.then(…).
func (g *Graph) receiver(t int) []Span {
	open, ok := g.enclosing(t)
	if !ok {
		return nil
	}
	start := open
	const far = 200 // tokens
	for open-start < far && start > 0 {
		switch c := g.mark(start - 1); {
		case c == ')' || c == ']' || c == '}':
			if g.pair[start-1] < 0 {
				return []Span{{g.offset(start), g.offset(t)}}
			}
			start = int(g.pair[start-1])
		case c == ';' || c == '{' || c == '(' || c == ',' || c == '=' || g.is(start-1, "=>", ":=", "return"):
			return []Span{{g.offset(start), g.offset(t)}}
		case g.tokens[start-1].kind == newline && !g.continues(start-1):
			return []Span{{g.offset(start), g.offset(t)}}
		default:
			start--
		}
	}
	return []Span{{g.offset(start), g.offset(t)}}
}
