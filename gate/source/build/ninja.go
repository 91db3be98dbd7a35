package build

import (
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Ninja returns the commands that the rules and edges of a file for ninja come to once its
// variables are put in. A rule that no edge uses is there with what the file says of it.
// See "The Ninja build system", sections on variables and on how they are looked up.
func Ninja(content []byte) (commands []Line, unread []string) {
	n := &ninja{budget: newBudget(), global: map[string]string{}, rules: map[string]ninjaBlock{}}
	for _, b := range n.blocks(withoutSigns(string(content))) {
		n.block(b)
	}
	for _, name := range n.order {
		if !n.used[name] {
			n.edge(n.rules[name], ninjaBlock{}, "", "")
		}
	}
	return n.out, n.budget.unread
}

// ninja is the state of a reading.
type ninja struct {
	budget *budget
	global map[string]string
	rules  map[string]ninjaBlock
	used   map[string]bool
	order  []string
	out    []Line
}

// ninjaBlock is a line with the bindings that are indented below it.
type ninjaBlock struct {
	head  string
	at    int
	names map[string]Line
}

var ninjaBinding = regexp.MustCompile(`^[ \t]*([\w.-]+)[ \t]*=[ \t]*(.*)$`)

// blocks splits a file at the lines that are not indented. A dollar at the end of a line has it
// go on in the next one.
func (n *ninja) blocks(content string) []ninjaBlock {
	var out []ninjaBlock
	lines := strings.Split(content, "\n")
	for i := 0; i < len(lines); i++ {
		at := i + 1
		line := strings.TrimRight(lines[i], "\r")
		for n.goesOn(line) && i+1 < len(lines) && n.budget.take(len(line)) {
			i++
			line = line[:len(line)-1] + strings.TrimLeft(strings.TrimRight(lines[i], "\r"), " \t")
		}
		body := strings.TrimLeft(line, " \t")
		switch {
		case body == "" || body[0] == '#':
		case body == line:
			if n.budget.full(len(out), maxLines, "statements") {
				return out
			}
			out = append(out, ninjaBlock{head: line, at: at, names: map[string]Line{}})
		case len(out) > 0:
			if m := ninjaBinding.FindStringSubmatch(line); m != nil {
				out[len(out)-1].names[m[1]] = Line{m[2], at}
			}
		}
	}
	return out
}

// goesOn reports whether a line ends with a dollar that is not escaped.
func (n *ninja) goesOn(line string) bool {
	return (len(line)-len(strings.TrimRight(line, "$")))%2 == 1
}

func (n *ninja) block(b ninjaBlock) {
	word, rest, _ := strings.Cut(b.head, " ")
	switch word {
	case "rule":
		name := strings.TrimSpace(rest)
		n.rules[name] = b
		n.order = append(n.order, name)
	case "build":
		outputs, inputs, ok := cutColon(rest)
		if !ok {
			return
		}
		name, inputs, _ := strings.Cut(strings.TrimSpace(inputs), " ")
		rule, ok := n.rules[name]
		if !ok {
			return
		}
		if n.used == nil {
			n.used = map[string]bool{}
		}
		n.used[name] = true
		in, _, _ := strings.Cut(inputs, "|")
		n.edge(rule, b, n.expand(in, nil, 0), n.expand(outputs, nil, 0))
	case "pool", "default", "include", "subninja":
	default:
		if m := ninjaBinding.FindStringSubmatch(b.head); m != nil && !n.budget.full(len(n.global), maxVariables, "variables") {
			n.global[m[1]] = n.expand(m[2], nil, 0)
		}
	}
}

// cutColon cuts at the colon that no dollar precedes.
func cutColon(s string) (before, after string, ok bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '$':
			i++
		case ':':
			return s[:i], s[i+1:], true
		}
	}
	return s, "", false
}

// edge adds what an edge runs, and the file of arguments that it writes first.
func (n *ninja) edge(rule, edge ninjaBlock, in, out string) {
	local := map[string]string{}
	for name, line := range edge.names {
		local[name] = n.expand(line.Text, nil, 0)
	}
	if edge.head != "" {
		local["in"], local["out"], local["in_newline"] = strings.TrimSpace(in), strings.TrimSpace(out), strings.TrimSpace(in)
	}
	look := func(name string, depth int) (string, bool) {
		if v, ok := local[name]; ok {
			return v, true
		}
		if line, ok := rule.names[name]; ok && depth < maxDepth {
			return n.expand(line.Text, local, depth+1), true
		}
		return "", false
	}
	for _, name := range []string{"command", "rspfile_content"} {
		line := rule.names[name]
		if of, ok := edge.names[name]; ok {
			line = of
		}
		if strings.TrimSpace(line.Text) == "" || n.budget.full(len(n.out), maxLines, "commands") {
			continue
		}
		n.out = append(n.out, Line{shown(n.expandWith(line.Text, look, 0)), line.At})
	}
}

func (n *ninja) expand(text string, local map[string]string, depth int) string {
	return n.expandWith(text, func(name string, _ int) (string, bool) { v, ok := local[name]; return v, ok }, depth)
}

// expandWith puts in the variables of a text.
func (n *ninja) expandWith(text string, look func(string, int) (string, bool), depth int) string {
	if strings.IndexByte(text, '$') < 0 {
		return text
	}
	if depth > maxDepth || !n.budget.take(len(text)) {
		return tooMuch(maxDepth, "levels")
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			out.WriteByte(text[i])
			continue
		}
		i++
		var name string
		switch c := text[i]; {
		case c == '{':
			end := strings.IndexByte(text[i:], '}')
			if end < 0 {
				return out.String()
			}
			name = text[i+1 : i+end]
			i += end
		case isLetter(c) || c == '_' || c == '-' || c >= '0' && c <= '9':
			end := i
			for end < len(text) && (isLetter(text[end]) || text[end] == '_' || text[end] == '-' || text[end] >= '0' && text[end] <= '9') {
				end++
			}
			name = text[i:end]
			i = end - 1
		default: // $$, $:, $ and a blank
			out.WriteByte(c)
			continue
		}
		value, ok := look(name, depth)
		if !ok {
			if value, ok = n.global[name]; !ok && !isEdgeName(name) {
				continue // it is empty
			} else if !ok {
				value = "$" + name
			}
		}
		if out.WriteString(value); out.Len() > maxValue {
			return tooMuch(maxValue, "bytes")
		}
	}
	return out.String()
}

// isEdgeName reports whether only an edge has a value for a name.
func isEdgeName(name string) bool { return name == "in" || name == "out" || name == "in_newline" }

// Kconfig returns a configuration in the language of Linux with its macros as make writes
// them, for [ReadMakefile]. See "Kconfig macro language" of the kernel.
func Kconfig(content []byte) []byte {
	var out strings.Builder
	for line := range strings.SplitSeq(string(content), "\n") {
		line = kconfigCall.ReplaceAllStringFunc(line, func(call string) string {
			name := call[2 : len(call)-1]
			if name == "shell" {
				return "$(shell "
			}
			return "$(call " + name + ","
		})
		if strings.Contains(line, "$(") && !kconfigAssign.MatchString(line) {
			line = "_ := " + strings.TrimSpace(line) // a macro anywhere is worked out as the file is read
		}
		out.WriteString(line + "\n")
	}
	return []byte(strings.TrimSuffix(out.String(), "\n"))
}

var (
	kconfigCall   = regexp.MustCompile(`\$\([\w-]+,`)
	kconfigAssign = regexp.MustCompile(`^[\w-]+\s*(?::|\+)?=`)
)
