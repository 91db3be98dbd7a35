package modules

// script reads a module of JavaScript or TypeScript.
type script struct{ *module }

func (s *script) read() {
	s.dynamic()
	for t := s.skip(0); t < len(s.tokens); {
		end := s.ends(t)
		s.statement(t, end)
		t = s.skip(end)
		for s.mark(t) == ';' {
			t = s.skip(t + 1)
		}
	}
}

// ends returns the token behind the statement at the top that begins at t.
func (s *script) ends(t int) int {
	head := t
	for s.is(head, "export", "default", "async", "declare", "abstract") {
		head++
	}
	block := s.is(head, "function", "class", "if", "for", "while", "try", "switch", "enum", "interface", "namespace", "module") && !(s.is(head, "module") && s.mark(head+1) == '.')
	for i := t; i < len(s.tokens); i++ {
		switch {
		case s.pair[i] > int32(i):
			brace := s.mark(i) == '{'
			i = int(s.pair[i])
			if next := s.skip(i + 1); block && brace && !s.is(next, "else", "catch", "finally", "from") && s.mark(next) != '{' && i > head {
				return i + 1
			}
		case s.mark(i) == ';':
			return i
		case s.tokens[i].kind == newline && !block:
			if next := s.skip(i); i > t && !goesOn(s, i-1, next) {
				return i
			}
		}
	}
	return len(s.tokens)
}

// goesOn reports whether a statement goes on behind a line end.
func goesOn(s *script, last, next int) bool {
	if s.tokens[last].kind == mark && s.mark(last) != ')' && s.mark(last) != ']' && s.mark(last) != '}' {
		return true
	}
	if next >= len(s.tokens) || s.is(last, "from", "export", "import", "default", "return", "await", "const", "let", "var", "extends") {
		return true
	}
	switch s.mark(next) {
	case '.', ',', '?', ':', '=', '+', '-', '*', '/', '&', '|', '%', ')', ']', '}':
		return true
	}
	return s.is(next, "=>", "?.", "&&", "||", "??", "as", "from")
}

// statement notes what a statement at the top defines, imports and exports.
func (s *script) statement(t, end int) {
	c := chunk{first: t, last: end}
	switch {
	case s.is(t, "import") && s.mark(t+1) != '(' && s.mark(t+1) != '.':
		c.names = s.importing(t, end)
	case s.is(t, "export"):
		c.names = s.exporting(t, end)
	default:
		c.names = s.defining(t, end)
	}
	s.chunk(c)
}

// importing reads import a, {b as c}, * as d from "e".
func (s *script) importing(t, end int) []string {
	spec, ok := s.quoted(end - 1)
	if !ok {
		if s.isName(t+1) && s.mark(t+2) == '=' { // import a = require("b")
			return []string{s.text(t + 1)}
		}
		return nil
	}
	s.rewrites[t] = rewrite{last: end, ref: ref{spec: spec}, binds: true}
	var names []string
	note := func(local string, r ref) {
		s.imports[local] = r
		names = append(names, local)
	}
	for i := t + 1; i < end-1 && !s.is(i, "from"); i++ {
		switch {
		case s.mark(i) == '{':
			for n, local := range braces(s, i, "as") {
				note(local, ref{spec: spec, name: n})
			}
			i = s.close(i)
		case s.mark(i) == '*' && s.is(i+1, "as") && s.isName(i+2):
			note(s.text(i+2), ref{spec: spec})
			i += 2
		case s.isName(i) && !s.is(i, "type"):
			note(s.text(i), ref{spec: spec, name: "default"})
		}
	}
	return names
}

// braces yields the names in {a, b as c} or {a, b: c}, the ones behind their new ones.
func braces(s *script, open int, sign string) func(func(n, local string) bool) {
	return func(yield func(n, local string) bool) {
		shut := s.close(open)
		for i := open + 1; i < shut; i++ {
			if !s.isName(i) || s.is(i, "type") && s.isName(i+1) && !s.is(i+1, "as") {
				continue
			}
			n, local := s.text(i), s.text(i)
			if s.is(i+1, sign) && s.isName(i+2) {
				local = s.text(i + 2)
				i += 2
			}
			if !yield(n, local) {
				return
			}
			for i < shut && s.mark(i+1) != ',' && i+1 < shut { // a default
				if i++; s.pair[i] > int32(i) {
					i = s.close(i)
				}
			}
		}
	}
}

// exporting reads a statement that begins with export.
func (s *script) exporting(t, end int) []string {
	spec, from := s.quoted(end - 1)
	from = from && s.is(end-2, "from")
	i := t + 1
	for s.is(i, "type", "declare", "async", "abstract") {
		i++
	}
	switch {
	case s.mark(i) == '*' && from && s.is(i+1, "as"):
		s.exports[s.text(i+2)] = export{ref: ref{spec: spec}}
		return nil
	case s.mark(i) == '*' && from:
		s.stars = append(s.stars, spec)
		return nil
	case s.mark(i) == '{':
		for n, local := range braces(s, i, "as") {
			if from {
				s.exports[local] = export{ref: ref{spec: spec, name: n}}
			} else {
				s.exports[local] = export{local: n}
			}
		}
		return nil
	case s.is(i, "default"):
		return exportingDefault(s, t, i+1, end)
	case s.mark(i) == '=': // export = a
		s.whole = s.unused(stem(s.path))
		s.rewrites[t] = rewrite{last: i + 1, local: s.whole, pre: "const ", after: " ="}
		return []string{s.whole}
	}
	names := s.defining(i, end)
	for _, n := range names {
		s.exports[n] = export{local: n}
	}
	return names
}

// exportingDefault gives what is exported as the default a name, where it has none.
func exportingDefault(s *script, t, i, end int) []string {
	if s.isName(i) && s.skip(i+1) >= end && !words[string(s.bytes(i))] {
		s.exports["default"] = export{local: s.text(i)}
		return nil
	}
	head := i
	for s.is(head, "async") {
		head++
	}
	if s.is(head, "function", "class") {
		at := head + 1
		if s.mark(at) == '*' {
			at++
		}
		if s.isName(at) && !s.is(at, "extends") {
			s.exports["default"] = export{local: s.text(at)}
			return []string{s.text(at)}
		}
		n := s.unused(stem(s.path))
		s.exports["default"] = export{local: n}
		s.rewrites[t] = rewrite{last: at, local: n, pre: s.text(head) + " "}
		return []string{n}
	}
	n := s.unused(stem(s.path))
	s.exports["default"] = export{local: n}
	s.rewrites[t] = rewrite{last: i, local: n, pre: "const ", after: " ="}
	return []string{n}
}

// defining are the names that a statement gives values.
func (s *script) defining(t, end int) []string {
	for s.is(t, "declare", "async", "abstract") {
		t++
	}
	switch {
	case s.is(t, "function", "class", "enum", "interface", "namespace"):
		for i := t + 1; i < min(t+3, end); i++ {
			if s.isName(i) {
				return []string{s.text(i)}
			}
		}
		return nil
	case s.is(t, "const", "let", "var"):
		return s.declared(t+1, end)
	case s.is(t, "if", "for", "while", "try", "switch") || s.mark(t) == '{':
		return within(s, t, end)
	}
	if names, ok := s.commonJS(t, end); ok {
		return names
	}
	return s.assigned(t, end)
}

// within are the names that statements in a block at the top give values.
func within(s *script, t, end int) []string {
	var out []string
	for i := t; i < end && len(out) < maxChunks; i++ {
		switch {
		case s.is(i, "function", "class") && s.isName(i+1):
			out = append(out, s.text(i+1))
		case s.is(i, "const", "let", "var") && s.isName(i+1):
			out = append(out, s.text(i+1))
		case s.isName(i) && s.mark(i+1) == '=' && !s.member(i):
			out = append(out, s.text(i))
		case s.is(i, "exports") && s.mark(i+1) == '.' && s.isName(i+2) && s.mark(i+3) == '=':
			out = append(out, exportedAs(s, i, i+2))
		}
	}
	return out
}

// declared reads a = 1, {b, c: d} = e, [f] = g.
func (s *script) declared(t, end int) []string {
	var out []string
	for i := s.skip(t); i < end; i++ {
		switch {
		case s.isName(i):
			out = append(out, s.text(i))
		case s.mark(i) == '{':
			for _, local := range braces(s, i, ":") {
				out = append(out, local)
			}
			i = s.close(i)
		case s.mark(i) == '[':
			for n := i + 1; n < s.close(i); n++ {
				if s.isName(n) {
					out = append(out, s.text(n))
				}
			}
			i = s.close(i)
		}
		for i < end && s.mark(i) != '=' && s.mark(i) != ',' { // a type
			if i++; i < end && s.pair[i] > int32(i) {
				i = s.close(i)
			}
		}
		for i < end && s.mark(i) != ',' {
			if i++; i < end && s.pair[i] > int32(i) {
				i = s.close(i)
			}
		}
		i = s.skip(i+1) - 1
	}
	return out
}

// required notes the names that are given a module, or a part of it, by the call at t:
// const a = require("b"), const {c} = await import("d").
func required(s *script, t int, r rewrite) {
	sign := t - 1
	for s.is(sign, "await") || s.mark(sign) == '(' {
		sign--
	}
	if s.mark(sign) != '=' {
		return
	}
	target := sign - 1
	if s.mark(target) == '}' && s.pair[target] >= 0 {
		target = int(s.pair[target])
	}
	if !s.is(target-1, "const", "let", "var", "import") {
		return
	}
	next := r.last
	for s.mark(next) == ')' && s.pair[next] > int32(sign) {
		next++
	}
	got := r.ref
	if s.mark(next) == '.' && s.isName(next+1) {
		got.name = s.text(next + 1)
		next += 2
	}
	if next < len(s.tokens) && s.tokens[next].kind != newline && s.mark(next) != ';' && s.mark(next) != ',' {
		return
	}
	switch {
	case s.isName(target):
		s.imports[s.text(target)] = got
	case s.mark(target) == '{' && got.name == "":
		for n, local := range braces(s, target, ":") {
			s.imports[local] = ref{spec: got.spec, name: n}
		}
	default:
		return
	}
	s.rewrites[target-1] = rewrite{last: next, ref: ref{spec: got.spec}, binds: true}
}

// commonJS reads module.exports = …, module.exports.a = … and exports.a = ….
func (s *script) commonJS(t, end int) ([]string, bool) {
	i := t
	if s.is(i, "module") && s.mark(i+1) == '.' && s.is(i+2, "exports") {
		i += 2
	} else if !s.is(i, "exports") {
		return nil, false
	}
	switch {
	case s.mark(i+1) == '.' && s.isName(i+2) && s.mark(i+3) == '=':
		// exports.a = exports.b = 1 gives both.
		names := []string{exportedAs(s, t, i+2)}
		if s.is(i+4, "exports", "module") {
			more, _ := s.commonJS(i+4, end)
			names = append(names, more...)
		}
		return names, true
	case s.mark(i+1) == '=':
		at := s.skip(i + 2)
		if s.is(at, "exports") && s.mark(at+1) == '=' {
			at = s.skip(at + 2)
		}
		if s.isName(at) && s.skip(at+1) >= end && !words[string(s.bytes(at))] {
			s.whole = s.text(at)
			return nil, true
		}
		s.whole = s.unused(stem(s.path))
		s.rewrites[t] = rewrite{last: i + 1, local: s.whole, pre: "var "}
		if s.mark(at) == '{' && s.skip(s.close(at)+1) >= end {
			members(s, at)
		}
		return []string{s.whole}, true
	}
	return nil, false
}

// exportedAs gives what is exported under the name at a token a local one.
func exportedAs(s *script, t, at int) string {
	n := s.text(at)
	if e, ok := s.exports[n]; ok && e.local != "" {
		s.rewrites[t] = rewrite{last: at + 1, local: e.local}
		return e.local
	}
	value := s.skip(at + 2)
	if s.isName(value) && !words[string(s.bytes(value))] && (value+1 >= len(s.tokens) || s.tokens[value+1].kind == newline || s.mark(value+1) == ';') {
		s.exports[n] = export{local: s.text(value)}
		return ""
	}
	local := n
	if s.plain[n] {
		local = s.unused(stem(s.path) + "_" + n)
	}
	s.exports[n] = export{local: local}
	s.rewrites[t] = rewrite{last: at + 1, local: local}
	return local
}

// members notes the members of module.exports that are names of the module.
func members(s *script, open int) {
	shut := s.close(open)
	for i := open + 1; i < shut; i++ {
		if s.isName(i) {
			switch {
			case s.mark(i+1) == ',' || s.skip(i+1) == shut:
				s.exports[s.text(i)] = export{local: s.text(i)}
			case s.mark(i+1) == ':' && s.isName(i+2) && (s.mark(i+3) == ',' || s.skip(i+3) == shut) && !words[string(s.bytes(i+2))]:
				s.exports[s.text(i)] = export{local: s.text(i + 2)}
			}
		}
		for i < shut && s.mark(i) != ',' {
			if i++; i < shut && s.pair[i] > int32(i) {
				i = s.close(i)
			}
		}
		i = s.skip(i+1) - 1
	}
}

// dynamic notes the calls of require and import, wherever they are.
func (s *script) dynamic() {
	for t := range s.tokens {
		if !s.is(t, "require", "import") || s.mark(t+1) != '(' || s.member(t) {
			continue
		}
		spec, ok := s.quoted(t + 2)
		if !ok || s.mark(t+3) != ')' {
			continue
		}
		r := rewrite{last: t + 4, ref: ref{spec: spec}}
		if s.is(t, "import") && s.mark(t+4) == '.' && s.is(t+5, "then") && s.mark(t+6) == '(' {
			promised(s, t+7, spec)
		}
		s.rewrites[t] = r
		required(s, t, r)
	}
}

// promised reads the parameter of a function that is given a module.
func promised(s *script, t int, spec string) {
	open := -1
	for s.mark(t) == '(' || s.is(t, "async") {
		if s.mark(t) == '(' {
			open = t
		}
		t++
	}
	switch {
	case s.mark(t) == '{':
		for n, local := range braces(s, t, ":") {
			s.imports[local] = ref{spec: spec, name: n}
		}
		s.rewrites[t] = rewrite{last: s.close(t) + 1, ref: ref{spec: spec}, binds: true}
	case s.isName(t) && open >= 0 && s.mark(t+1) == ')':
		s.imports[s.text(t)] = ref{spec: spec}
		s.rewrites[t] = rewrite{last: t + 1, ref: ref{spec: spec}, binds: true}
	case s.isName(t) && s.is(t+1, "=>"):
		s.imports[s.text(t)] = ref{spec: spec}
		s.rewrites[t] = rewrite{last: t + 1, ref: ref{spec: spec}, binds: true, pre: "()"}
	}
}
