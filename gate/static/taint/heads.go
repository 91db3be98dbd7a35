package taint

// head is what comes before the body of a function.
type head struct {
	name   string
	start  int      // its first token
	params [2]int32 // the tokens of its parameters, half open
	// results are the tokens of its results where these are in brackets, as in Go, half open.
	results [2]int32
	// receiver is the name that a method of Go gives its object, "" for none.
	receiver string
}

// heads finds the heads of functions in a language with braces.
type heads struct {
	*source
	lines *statements
}

// of finds the head of the function whose body the brace at t opens.
func (hs *heads) of(t int) (head, bool) {
	if hs.is(t-1, "=>") {
		return hs.arrow(t - 1)
	}
	const far = 40 // tokens: results, types
	var results [2]int32
	for i := t - 1; i >= 0 && t-i < far; i-- {
		switch c := hs.mark(i); {
		case hs.tokens[i].kind == newline || c == ';' || c == '{' || c == '(' || c == '[' || c == '=' || hs.is(i, "=>", ":=", "return"):
			return head{}, false
		case c == '}' || c == ']':
			if hs.pair[i] < 0 {
				return head{}, false
			}
			i = int(hs.pair[i])
		case c == ')':
			if hs.pair[i] < 0 {
				return head{}, false
			}
			o := int(hs.pair[i])
			if h, ok := hs.signature(o, i); ok {
				h.results = results
				return h, true
			}
			if !hs.lines.golang {
				return head{}, false
			}
			results = [2]int32{int32(o + 1), int32(i)} // perhaps
			i = o
		}
	}
	return head{}, false
}

// signature reads the head of a function whose parameters are between two
// brackets.
func (hs *heads) signature(open, shut int) (head, bool) {
	h := head{start: open, params: [2]int32{int32(open + 1), int32(shut)}}
	before := open - 1
	switch {
	case hs.lines.golang && hs.is(before, "func") && hs.mark(before-1) == ']':
		return h, false // the type of the elements of a list or a table
	case hs.is(before, "func", "function"): // a literal
		h.start = before
		h.name = hs.assignedTo(before)
		return h, true
	case hs.mark(before) == '*' && hs.is(before-1, "function"):
		h.start = before - 1
		return h, true
	case !hs.isName(before) || hs.is(before, "if", "for", "while", "switch", "catch", "with", "return", "await", "typeof", "new"):
		return h, false
	}
	h.name, h.start = hs.text(before), before
	switch {
	case hs.is(before-1, "func", "function") || hs.mark(before-1) == '*' && hs.is(before-2, "function"):
		return h, true
	case hs.mark(before-1) == ')' && hs.pair[before-1] > 0 && hs.is(int(hs.pair[before-1])-1, "func"): // a method of Go
		if first := int(hs.pair[before-1]) + 1; hs.isName(first) && first < before-2 {
			h.receiver = hs.text(first)
		}
		return h, true
	}
	return h, !hs.lines.golang && hs.method(before)
}

// method reports whether the name at token t may be that of a method of a class or
// an object: it begins a line, or follows a brace, a comma or a semicolon.
func (hs *heads) method(t int) bool {
	t--
	for hs.is(t, "async", "static", "get", "set", "public", "private", "protected", "override") || hs.mark(t) == '*' || hs.mark(t) == '#' {
		t--
	}
	if t < 0 || hs.tokens[t].kind == newline {
		return true
	}
	switch hs.mark(t) {
	case '{', '}', ',', ';':
		return true
	}
	return false
}

// arrow reads the head of the function whose arrow is token t.
func (hs *heads) arrow(t int) (head, bool) {
	h := head{}
	i := t - 1
	switch {
	case hs.mark(i) == ')' && hs.pair[i] >= 0:
		h.start, h.params = int(hs.pair[i]), [2]int32{hs.pair[i] + 1, int32(i)}
	case hs.isName(i) && hs.mark(i-1) != ':' && hs.mark(i-1) != '.' && hs.mark(i-1) != '|':
		h.start, h.params = i, [2]int32{int32(i), int32(i + 1)}
	default: // a type of TypeScript between the parameters and the arrow
		const far = 20 // tokens
		for n := 0; n < far && i > 0 && hs.mark(i) != ')'; n++ {
			if hs.pair[i] >= 0 && int(hs.pair[i]) < i {
				i = int(hs.pair[i])
			}
			i--
		}
		if hs.mark(i) != ')' || hs.pair[i] < 0 {
			return h, false
		}
		h.start, h.params = int(hs.pair[i]), [2]int32{hs.pair[i] + 1, int32(i)}
	}
	if hs.is(h.start-1, "async") {
		h.start--
	}
	h.name = hs.assignedTo(h.start)
	return h, true
}

// assignedTo returns the name that a function literal is given where it is the
// whole value.
func (hs *heads) assignedTo(t int) string {
	if hs.is(t-1, "async") {
		t--
	}
	if (hs.is(t-1, "=", ":=") || hs.mark(t-1) == ':') && hs.isName(t-2) {
		return hs.text(t - 2)
	}
	if hs.is(t-1, "default") && hs.is(t-2, "export") {
		return "export default" // no name: only what imports the module calls it
	}
	return ""
}

// parameters are the names between two tokens.
func (hs *heads) parameters(span [2]int32) (out []string, defaults map[int]Span) {
	start := int(span[0])
	if start >= int(span[1]) {
		return nil, nil
	}
	depth := hs.depth[start]
	for t := start; t <= int(span[1]) && len(out) < maxArguments; t++ {
		if t < int(span[1]) && !(hs.mark(t) == ',' && hs.depth[t] == depth) {
			continue
		}
		i := start
		for i < t && hs.mark(i) == '@' {
			i = hs.behindDecorator(i, t)
		}
		decorators := Span{hs.offset(start), hs.offset(i)}
		for i < t && hs.is(i, "...", "readonly", "public", "private") {
			i++
		}
		switch {
		case hs.isName(i):
			out = append(out, hs.text(i))
			defaults = defaultOf(hs.source, defaults, len(out)-1, Span{hs.offset(i), hs.offset(t)})
			if decorators.Start < decorators.End && defaults[len(out)-1] == (Span{}) {
				// What a framework fills in: @Body() body.
				if defaults == nil {
					defaults = map[int]Span{}
				}
				defaults[len(out)-1] = decorators
			}
		case hs.mark(i) == '{' || hs.mark(i) == '[':
			from := len(out)
			out, defaults = hs.takenApart(i, min(t, hs.close(i)), out, defaults)
			if hs.mark(hs.close(i)+1) == '=' { // what is taken apart where the call gives nothing
				for n := from; n < len(out); n++ {
					if defaults[n] == (Span{}) {
						defaults = defaultOf(hs.source, defaults, n, Span{hs.offset(hs.close(i)), hs.offset(t)})
					}
				}
			}
		}
		start = t + 1
	}
	return out, defaults
}

// takenApart adds the names of a parameter that takes an object or a list apart, which begins
// at token open, with what they hold where the argument has no such part.
func (hs *heads) takenApart(open, end int, out []string, defaults map[int]Span) ([]string, map[int]Span) {
	for n := open + 1; n < end && len(out) < maxArguments; n++ {
		if !hs.isName(n) || hs.mark(n+1) == ':' {
			continue
		}
		out = append(out, hs.text(n))
		if hs.mark(n+1) != '=' {
			continue
		}
		last := n + 2
		for last < end && !(hs.mark(last) == ',' && hs.depth[last] == hs.depth[n]) {
			last++
		}
		defaults = defaultOf(hs.source, defaults, len(out)-1, Span{hs.offset(n), hs.offset(last)})
		n = last
	}
	return out, defaults
}

// behindDecorator is the token behind a decorator of a parameter with its arguments, at most end.
func (hs *heads) behindDecorator(at, end int) int {
	i := at + 1
	for i < end && (hs.isName(i) || hs.mark(i) == '.') {
		if i++; i < end && hs.isName(i-1) && hs.mark(i) != '.' {
			break
		}
	}
	if i < end && hs.mark(i) == '(' && hs.close(i) > i {
		i = hs.close(i) + 1
	}
	return min(max(i, at+1), end)
}

// resultNames are the names that a function of Go gives its results, none where they
// are types alone: (c Config, err error), and not (Config, error).
func (hs *heads) resultNames(span [2]int32) []string {
	for t := int(span[0]); t < int(span[1]); t++ {
		if t > int(span[0]) && hs.mark(t-1) != ',' || !hs.isName(t) || hs.is(t, "map", "chan", "func", "struct", "interface") {
			continue
		}
		if hs.isName(t+1) || hs.mark(t+1) == '*' || hs.mark(t+1) == '[' && hs.mark(t+2) == ']' {
			names, _ := hs.parameters(span)
			return names
		}
	}
	return nil
}

// receiver is what flows into the parameters of a function literal that is an
// argument: what comes before it in its statement, such as
// fs.readFile(path, …) and reader.then(…).
func (hs *heads) receiver(t int) []Span {
	open, ok := hs.enclosing(t)
	if !ok {
		return nil
	}
	start := open
	const far = 200 // tokens
	for open-start < far && start > 0 {
		switch c := hs.mark(start - 1); {
		case c == ')' || c == ']' || c == '}':
			if hs.pair[start-1] < 0 {
				return []Span{{hs.offset(start), hs.offset(t)}}
			}
			start = int(hs.pair[start-1])
		case c == ';' || c == '{' || c == '(' || c == ',' || c == '=' || hs.is(start-1, "=>", ":=", "return"):
			return []Span{{hs.offset(start), hs.offset(t)}}
		case hs.tokens[start-1].kind == newline && !hs.lines.continues(start-1):
			return []Span{{hs.offset(start), hs.offset(t)}}
		default:
			start--
		}
	}
	return []Span{{hs.offset(start), hs.offset(t)}}
}
