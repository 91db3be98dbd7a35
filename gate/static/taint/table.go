package taint

import "sort"

// Bounds on tables of functions.
const (
	maxTables     = 64
	maxTableWidth = 64 // functions of one table
	tableFar      = 60 // tokens between the name of a table and its brace
)

// tables are the functions of tables that are called by an element, as in
// tools[name](argument), by the name of the table, and of the variables that hold an element.
type tables struct {
	src     *source
	outline *outline
	known   map[string][]int32
	held    map[string][]int32
}

// calledThrough passes the arguments of calls of elements to all functions of their table.
func calledThrough(s *source, o *outline, passed [][][]Span) {
	ts := &tables{src: s, outline: o, known: map[string][]int32{}, held: map[string][]int32{}}
	for t := range s.tokens {
		if !s.isName(t) {
			continue
		}
		switch s.mark(t + 1) {
		case '[':
			ts.element(t, passed)
		case '(':
			if fs := ts.held[s.text(t)]; len(fs) > 0 && s.mark(t-1) != '.' {
				ts.pass(fs, t+1, passed)
			}
		}
	}
}

// element reads the use of an element of the table that token t names: a call, or the value of
// a variable.
func (ts *tables) element(t int, passed [][][]Span) {
	s := ts.src
	end := s.close(t + 1)
	open := end + 1
	if s.is(open, "?.", "!") {
		open++
	}
	calls := s.mark(open) == '('
	holder := ts.holder(t)
	if !calls && holder == "" {
		return
	}
	fs := ts.functions(s.text(t))
	if len(fs) == 0 {
		return
	}
	if calls {
		ts.pass(fs, open, passed)
		return
	}
	ts.held[holder] = fs
}

// holder is the variable that an expression whose last name is token t is the value of, "" for none.
func (ts *tables) holder(t int) string {
	s := ts.src
	i := s.chain(t)
	for n := 0; n < 4 && i > 0; n++ {
		switch {
		case s.is(i-1, "=", ":="):
			i -= 2
			for ; i > 1 && s.mark(i-1) == ','; i -= 2 { // v, ok := table[k]
			}
			if s.isName(i) {
				return s.text(i)
			}
			return ""
		case s.is(i-1, "await") || s.mark(i-1) == '(':
			i--
		default:
			return ""
		}
	}
	return ""
}

// pass gives the arguments of a call to functions.
func (ts *tables) pass(fs []int32, open int, passed [][][]Span) {
	args := ts.src.arguments(open)
	for _, f := range fs {
		pass(passed[f], ts.outline.funcs[f].params, args, false)
	}
}

// functions are those of the table with a name: the literals between its braces, and the
// functions of the text that are named there.
func (ts *tables) functions(table string) []int32 {
	if fs, ok := ts.known[table]; ok || len(ts.known) >= maxTables {
		return fs
	}
	ts.known[table] = nil
	var fs []int32
	for t := range ts.src.tokens {
		if ts.src.isName(t) && ts.src.is(t, table) {
			if open := ts.opens(t); open > 0 {
				fs = append(fs, ts.within(open)...)
			}
		}
		if len(fs) > maxTableWidth {
			return nil
		}
	}
	ts.known[table] = fs
	return fs
}

// opens returns the brace of the value that the name at token t is given, -1 for none.
func (ts *tables) opens(t int) int {
	s := ts.src
	if s.mark(t+1) != ':' && !s.is(t+1, "=", ":=") {
		return -1
	}
	assigned := s.mark(t+1) == '=' || s.is(t+1, ":=")
	for i := t + 1; i < len(s.tokens) && i-t < tableFar; i++ {
		switch c := s.mark(i); {
		case c == '=' && s.depth[i] == s.depth[t]:
			assigned = true
		case c == '{' && (assigned || s.mark(t+1) == ':'):
			return i
		case c == '(' || c == '[' || c == '{':
			i = s.close(i)
		case c == ';' || c == ',' && !assigned && s.depth[i] == s.depth[t] && s.mark(t+1) != ':' || c == '}' || c == ')':
			return -1
		case s.tokens[i].kind == newline && assigned:
			return -1
		}
	}
	return -1
}

// within are the functions of the table whose brace is at a token.
func (ts *tables) within(open int) []int32 {
	s, o := ts.src, ts.outline
	all := Span{s.offset(open), s.offset(s.close(open))}
	var fs []int32
	first := sort.Search(len(o.funcs), func(i int) bool { return o.funcs[i].body.Start > all.Start })
	for i := first; i < len(o.funcs) && o.funcs[i].body.Start < all.End && len(fs) <= maxTableWidth; i++ {
		if parent := o.funcs[i].scope; parent < 0 || !all.holds(o.funcs[parent].body.Start) {
			fs = append(fs, int32(i))
		}
	}
	for i := open + 1; i < s.close(open) && len(fs) <= maxTableWidth; i++ {
		if s.isName(i) && s.depth[i] == s.depth[open]+1 && s.mark(i+1) != '(' && s.mark(i+1) != ':' && s.mark(i-1) != '.' {
			fs = append(fs, o.named[s.text(i)]...)
		}
	}
	return fs
}
