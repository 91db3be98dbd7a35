package taint

// chain returns the first token of the chain of names, calls and elements that
// ends at token t.
func (s *source) chain(t int) int {
	start := t
	for n := 0; t >= 0 && n < 20; n++ {
		switch {
		case (s.mark(t) == ')' || s.mark(t) == ']') && s.pair[t] >= 0:
			start = int(s.pair[t])
			t = start - 1
			if !s.isName(t) && s.mark(t) != ')' && s.mark(t) != ']' {
				return start
			}
		case s.isName(t) || s.tokens[t].kind == literal:
			start = t
			if s.mark(t-1) != '.' && !s.is(t-1, "?.") {
				return start
			}
			t -= 2
		default:
			return start
		}
	}
	return start
}

// base returns the object at the beginning of the chain that ends at token t,
// and its first field.
func (s *source) base(t int) (base, field string) {
	for n := 0; t >= 0 && n < 20; n++ {
		switch {
		case s.mark(t) == ']' || s.mark(t) == ')':
			if s.pair[t] <= 0 {
				return "", ""
			}
			t = int(s.pair[t]) - 1
		case s.isName(t) && (s.mark(t-1) == '.' || s.is(t-1, "?.")):
			field = s.text(t)
			t -= 2
		case s.isName(t):
			return s.text(t), field
		default:
			return "", ""
		}
	}
	return "", ""
}
