package placeholder

import (
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
)

// mark is how a placeholder begins and ends.
type mark struct {
	open, shut string
	read       func(r *run, body string) (string, bool)
}

// marks are those of all dialects, the longest first where one begins like
// another.
func marks() []mark {
	return []mark{
		{"${{", "}}", (*run).expression},
		{"$[[", "]]", (*run).expression},
		{"$[", "]", (*run).expression},
		{"$((", "))", (*run).none},
		{"${", "}", (*run).variable},
		{"$(", ")", (*run).dollarBare},
		{"{%", "%}", nil},
		{"%{", "}", nil},
		{"{{", "}}", (*run).expression},
		{"{[", "}", (*run).section},
		{"{env:", "}", (*run).environment},
		{"{posargs:", "}", (*run).otherwise},
		{"<<", ">>", (*run).parameter},
		{"<%", "%>", (*run).expression},
		{"((", "))", (*run).parameter},
		{"%(", ")s", (*run).bare},
		{"%", "%", (*run).percent},
	}
}

// text writes the placeholders of a text out.
func (r *run) text(text string) string {
	if !May(text) {
		return text
	}
	nodes, bounds := parse(text)
	for _, bound := range bounds {
		r.reach(bound.n, bound.of)
	}
	return r.nodes(nodes)
}

// nodes writes pieces of a text out.
func (r *run) nodes(nodes []node) string {
	var out strings.Builder
	for _, n := range nodes {
		if out.Len() > maxText {
			r.reach(maxText, "bytes of what one text becomes are")
			break
		}
		out.WriteString(r.node(n))
	}
	return out.String()
}

func (r *run) node(n node) string {
	if r.work--; r.work < 0 {
		return n.text
	}
	switch n.kind {
	case placeholder:
		if plain, ok := n.mark.read(r, n.body); ok {
			return plain
		}
		return n.text
	case dollar:
		if v := r.name(n.body, true); v.Known() {
			if plain, ok := v.String(); ok {
				return plain
			}
		}
		return n.text
	case assign:
		name, expression, _ := strings.Cut(n.body, "=")
		v := r.evaluate(expression)
		r.local[strings.Trim(name, " $:")] = v
		return ""
	case condition:
		return r.nodes(n.branches[r.choice.pick(n.text, len(n.branches))])
	case loop:
		return r.loop(n)
	case dropped:
		return ""
	}
	return n.text
}

var loopHead = regexp.MustCompile(`^(?:for\s+(\w+)\s+in\s+|range\s+(?:(?:\$\w+\s*,\s*)?\$(\w+)\s*:=\s*)?)(.+)$`)

// loop writes the body of a loop over a known list out, once for each element; that
// of any other loop once.
func (r *run) loop(n node) string {
	var out strings.Builder
	m := loopHead.FindStringSubmatch(n.body)
	list := Value{}
	if m != nil {
		list = r.evaluate(m[3])
	}
	if len(list.list) > maxItems {
		r.reach(maxItems, "elements of a list are")
	}
	if list.kind != isList || len(list.list) > maxItems {
		return r.nodes(n.branches[0])
	}
	for _, item := range list.list {
		r.local[m[1]+m[2]] = item
		out.WriteString(r.nodes(n.branches[0]))
		if out.Len() > maxText {
			r.reach(maxText, "bytes of what one text becomes are")
			break
		}
	}
	delete(r.local, m[1]+m[2])
	return out.String()
}

// expression is what an expression stands for.
func (r *run) expression(body string) (string, bool) {
	body = strings.Trim(body, "- \t\r\n=")
	if name, value, ok := strings.Cut(body, ":="); ok && strings.HasPrefix(name, "$") { // of a Go template
		r.local[strings.Trim(name, " $")] = r.evaluate(value)
		return "", true
	}
	return r.evaluate(body).String()
}

// none leaves arithmetic of a shell as it is.
func (*run) none(string) (string, bool) { return "", false }

var (
	simpleName = regexp.MustCompile(`^[\w.-]{1,100}$`)
	shellUse   = regexp.MustCompile(`(?s)^(\w+)(:?[-=+?])(.*)$`)
	otherUse   = regexp.MustCompile(`(?s)^[\w.]+:([\w.\-]+)(?:[:,]\s*(.*))?$`)
)

// variable is what ${…} stands for: a variable of a shell with or without a default,
// one that a tool has under a prefix, or an expression.
func (r *run) variable(body string) (string, bool) {
	if m := shellUse.FindStringSubmatch(body); m != nil {
		v := r.name(m[1], true)
		switch {
		case strings.HasSuffix(m[2], "+"):
			if v.Known() {
				return r.text(m[3]), true
			}
			return "", true
		case v.Known():
			return v.String()
		case strings.HasSuffix(m[2], "?"):
			return "", false
		}
		return r.text(m[3]), true
	}
	if m := shellChange.FindStringSubmatch(body); m != nil {
		if v, ok := r.name(m[1], true).String(); ok {
			return shellChanged(v, m[2])
		}
	}
	if name, ok := strings.CutPrefix(body, "!"); ok {
		if of, ok := r.name(name, true).String(); ok {
			return r.name(of, true).String()
		}
	}
	if m := otherUse.FindStringSubmatch(body); m != nil {
		v := r.name(m[1], false)
		if !v.Known() && m[2] != "" {
			return r.text(strings.Trim(m[2], `"'`)), true
		}
		return v.String()
	}
	if char.IsASCIIWord(body[0]) && strings.Trim(body, wordSigns) == "" {
		return r.name(body, true).String()
	}
	return r.evaluate(body).String()
}

const wordSigns = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// dollarBare is what a name stands for that a shell would take for a command.
func (r *run) dollarBare(body string) (string, bool) {
	return r.name(strings.TrimSpace(body), !strings.Contains(body, ".")).String()
}

// bare is what a name without anything else stands for.
func (r *run) bare(body string) (string, bool) {
	if !simpleName.MatchString(body) {
		return "", false
	}
	return r.name(strings.TrimPrefix(body, "ENV_"), false).String()
}

// percent is a variable of a command prompt.
func (r *run) percent(body string) (string, bool) {
	if body == "" || strings.Trim(body, wordSigns) != "" {
		return "", false
	}
	return r.name(body, true).String()
}

// parameter is what a name between brackets of its own stands for.
func (r *run) parameter(body string) (string, bool) {
	body = strings.TrimSpace(body)
	if !simpleName.MatchString(body) {
		return "", false
	}
	return r.name(body, false).String()
}

// section is a key of another section: {[section]key}.
func (r *run) section(body string) (string, bool) {
	_, key, ok := strings.Cut(body, "]")
	if !ok {
		return "", false
	}
	return r.name(key, false).String()
}

// environment is a variable with or without a default: {env:NAME:default}.
func (r *run) environment(body string) (string, bool) {
	name, other, has := strings.Cut(body, ":")
	if v := r.name(name, true); v.Known() || !has {
		return v.String()
	}
	return r.text(other), true
}

func (r *run) otherwise(body string) (string, bool) { return r.text(body), true }
