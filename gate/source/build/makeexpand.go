package build

import (
	"slices"
	"strings"
)

// raw adds a line of a recipe as it is written; it begins with signs for make.
func (m *maker) raw(text string, at int, begins bool) {
	if text = strings.TrimLeft(text, "\t "); begins {
		text = strings.TrimLeft(text, "\t @+-")
	}
	m.out.Recipes = append(m.out.Recipes, Line{dollars(text), at})
}

// calls adds what runs as the file is read, and text that becomes part of it.
func (m *maker) calls(text string) {
	if strings.IndexByte(text, '$') < 0 {
		return
	}
	found := makeCall.FindAllStringIndex(text, maxLines)
	m.budget.full(len(found), maxLines, "calls on one line")
	for _, c := range found {
		m.read(balanced(text[c[1]:], text[c[0]+1]))
	}
}

// read adds a command that runs as the file is read.
func (m *maker) read(command string) {
	if strings.TrimSpace(command) == "" || m.budget.full(len(m.out.Read), maxLines, "commands that run as it is read") {
		return
	}
	for line := range strings.SplitSeq(dollars(command), "\n") {
		if l := (Line{line, m.at}); !slices.Contains(m.out.Read[max(0, len(m.out.Read)-50):], l) {
			m.out.Read = append(m.out.Read, l)
		}
	}
}

// dollars gives a text the dollars that the shell sees.
func dollars(s string) string { return strings.ReplaceAll(s, "$$", "$") }

// balanced cuts a text at the bracket that closes what was open before it.
func balanced(s string, open byte) string {
	shut := byte(')')
	if open == '{' {
		shut = '}'
	}
	depth := 1
	for i := range len(s) {
		switch s[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return s[:i]
			}
		}
	}
	return s
}

// once works out a text, one way.
func (m *maker) once(text string) string {
	if strings.IndexByte(text, '$') < 0 {
		return text
	}
	return m.expand(text, nil, 0)
}

// variants are the values that a text may have.
func (m *maker) variants(text string) []makeValue {
	var out []makeValue
	m.each(text, nil, func(value string) {
		out = append(out, makeValue{value, true})
	})
	return variants(out, anyValue)
}

// each calls do with every value that a text may have.
func (m *maker) each(text string, local map[string]string, do func(string)) {
	outer := m.ways
	m.budget.every(func(w *ways) {
		m.ways = w
		do(m.expand(text, local, 0))
	})
	m.ways = outer
}

// expand works out a text. local are variables that only it has: the arguments of a
// function, the names of a rule.
func (m *maker) expand(text string, local map[string]string, depth int) string {
	if strings.IndexByte(text, '$') < 0 {
		return text
	}
	if depth > maxDepth || !m.budget.take(len(text)) {
		return tooMuch(maxDepth, "levels")
	}
	var out strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 || i+1 == len(text) {
			break
		}
		out.WriteString(text[:i])
		switch c := text[i+1]; c {
		case '$':
			out.WriteByte('$')
			text = text[i+2:]
		case '(', '{':
			body := balanced(text[i+2:], c)
			out.WriteString(m.reference(body, local, depth+1))
			text = text[min(len(text), i+3+len(body)):]
		default:
			out.WriteString(m.variable(text[i+1:i+2], local, depth+1))
			text = text[i+2:]
		}
		if out.Len() > maxValue {
			return tooMuch(maxValue, "bytes")
		}
	}
	out.WriteString(text)
	return out.String()
}

// reference works out what is in the brackets of $(…).
func (m *maker) reference(body string, local map[string]string, depth int) string {
	name, rest, called := cutFunction(body)
	if called {
		if f, ok := m.functions[name]; ok {
			return f(makeCallOf{m, name, arguments(rest), rest, local, depth})
		}
	}
	body = m.expand(body, local, depth)
	name, change, ok := strings.Cut(body, ":")
	if from, to, changes := strings.Cut(change, "="); ok && changes {
		if !strings.Contains(from, "%") {
			from, to = "%"+from, "%"+to
		}
		return perWord(m.variable(name, local, depth), "substitution", func(w string) string { return patternReplace(from, to, w) })
	}
	return m.variable(body, local, depth)
}

// cutFunction splits the name of a function from its arguments.
func cutFunction(body string) (name, rest string, ok bool) {
	i := strings.IndexAny(body, " \t")
	if i <= 0 {
		return "", "", false
	}
	return body[:i], strings.TrimLeft(body[i:], " \t"), true
}

// variable is the value of a variable.
func (m *maker) variable(name string, local map[string]string, depth int) string {
	if value, ok := local[name]; ok {
		return value
	}
	values := m.vars[name]
	if len(values) == 0 {
		if value, ok := partOf(name, local); ok {
			return value
		}
		written := "$(" + name + ")"
		if len(name) == 1 && strings.Contains("@<^?*+|%", name) {
			written = "$" + name
		}
		return fromElsewhere(written)
	}
	if over, ok := m.ways.tooMany(textsOf(values)); ok {
		return over
	}
	v := values[m.ways.choose(name, len(values))]
	if v.simple {
		if !m.budget.take(len(v.text)) {
			return notWorkedOut("nesting")
		}
		return v.text
	}
	if m.active[name] {
		return notWorkedOut("nesting") // make stops here
	}
	m.active[name] = true
	defer delete(m.active, name)
	return m.expand(v.text, local, depth)
}

// textsOf are the texts of values as far as they are worked out.
func textsOf(values []makeValue) []string {
	var out []string
	for _, v := range values {
		if before, _, found := strings.Cut(v.text, "$"); found && !v.simple {
			v.text = before
		}
		out = append(out, v.text)
	}
	return out
}

// partOf is $(@D) and $(@F), the folder and the file of a name of the rule.
func partOf(name string, local map[string]string) (string, bool) {
	if len(name) != 2 || name[1] != 'D' && name[1] != 'F' {
		return "", false
	}
	value, ok := local[name[:1]]
	if !ok {
		return "", false
	}
	return perWord(value, "name", func(w string) string {
		i := strings.LastIndexByte(w, '/')
		switch {
		case name[1] == 'F':
			return w[i+1:]
		case i < 0:
			return "."
		}
		return w[:i]
	}), true
}

// recipes works out the recipes of all rules.
func (m *maker) recipes() {
	for i := 0; i <= maxLines; i++ {
		if i == len(m.rules) {
			return // only now: a recipe may make others
		}
		m.rule(m.rules[i])
	}
	m.budget.reach(maxLines, "rules")
}

// rule adds the recipe of a rule, when anything of it was worked out.
func (m *maker) rule(r *makeRule) {
	local := map[string]string{}
	if known(r.targets) && !strings.Contains(r.targets, "%") {
		if t := strings.Fields(r.targets); len(t) > 0 {
			local["@"] = t[0]
		}
	}
	if needs, _, _ := strings.Cut(r.needs, "|"); known(needs) && !strings.Contains(needs, "%") {
		n := strings.Fields(needs)
		local["^"], local["+"], local["?"], local["<"] = strings.Join(n, " "), strings.Join(n, " "), strings.Join(n, " "), ""
		if len(n) > 0 {
			local["<"] = n[0]
		}
	}
	var out []Line
	changed := r.made
	for _, line := range r.recipe {
		changed = m.recipe(&out, line, local) || changed
	}
	if changed && !m.budget.full(len(m.out.Expanded), maxLines, "lines of recipes that are worked out") {
		m.out.Expanded = append(m.out.Expanded, append(m.environment(out), out...)...)
	}
}

// recipe adds one logical line in every way, and reports whether that changed it.
func (m *maker) recipe(out *[]Line, line Line, local map[string]string) bool {
	plain := dollars(line.Text)
	if strings.IndexByte(line.Text, '$') < 0 {
		m.lines(out, plain, line)
		return false
	}
	m.at = line.At
	var seen []string
	m.each(line.Text, local, func(value string) {
		value = shown(value)
		if !slices.Contains(seen, value) {
			seen = append(seen, value)
			m.lines(out, value, line)
		}
	})
	return len(seen) != 1 || seen[0] != plain || m.usesEnvironment(plain)
}

// lines adds the lines of a recipe that a logical line came to.
func (m *maker) lines(out *[]Line, value string, from Line) {
	step := 0
	if strings.Count(value, "\n") == strings.Count(from.Text, "\n") {
		step = 1
	}
	for i, text := range strings.Split(value, "\n") {
		if !m.budget.full(len(*out), maxLines, "lines of one recipe") {
			*out = append(*out, Line{strings.TrimLeft(text, "\t @+-"), from.At + i*step})
		}
	}
}

// usesEnvironment reports whether a line of a shell uses a variable that make hands to it.
func (m *maker) usesEnvironment(line string) bool {
	return strings.IndexByte(line, '$') >= 0 && len(m.environment([]Line{{line, 0}})) > 0
}

// environment are the variables that a recipe gets from make, as assignments of a shell.
func (m *maker) environment(recipe []Line) []Line {
	var out []Line
	seen := map[string]bool{}
	for _, line := range recipe {
		for _, use := range shellVariable.FindAllStringSubmatch(line.Text, -1) {
			name := use[1]
			if seen[name] || !m.exports && !m.exported[name] || len(m.vars[name]) == 0 {
				continue
			}
			seen[name] = true
			if value := m.once("$(" + name + ")"); !strings.Contains(value, "'") {
				out = append(out, Line{shown(name + "='" + strings.ReplaceAll(value, "\n", ";") + "'"), line.At})
			}
		}
	}
	return out
}

// shells adds what SHELL and .SHELLFLAGS come to as a command, where the file sets them.
func (m *maker) shells() {
	if m.shellAt == 0 {
		return
	}
	m.each("$(SHELL) $(.SHELLFLAGS)", nil, func(value string) {
		m.out.Shells = append(m.out.Shells, Line{shown(value), m.shellAt})
	})
}
