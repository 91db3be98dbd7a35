package embedded

import (
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/strlit"
)

// Bounds of the values of a justfile.
const (
	maxJustDepth = 20
	maxJustText  = 16 << 10 // bytes of one value
)

var (
	justAssign = regexp.MustCompile(`(?m)^(export[ \t]+)?([A-Za-z_][\w-]*)[ \t]*:=[ \t]*(\S[^\n]*)$`)
	justParam  = regexp.MustCompile(`[*+$ \t]([A-Za-z_][\w-]*)[ \t]*=[ \t]*("(?:[^"\\\n]|\\.)*"|'[^'\n]*')`)
	justHeader = regexp.MustCompile(`(?m)^@?[A-Za-z_][\w-]*[^\n:]*=[^\n]*:(?:[^=]|$)`)
	justInsert = regexp.MustCompile(`\{\{((?:[^{}"']|\{[^{}]*\}|"(?:[^"\\]|\\.)*"|'[^']*')*)\}\}`)
	justEnv    = regexp.MustCompile(`\$\{?([A-Za-z_]\w*)\}?`)
)

// justValues is a justfile with the values of its variables, parameters and expressions in the
// lines of its recipes, and whether that changes anything.
func justValues(content []byte) ([]byte, bool) {
	text := string(content)
	v := justScope{defined: map[string]string{}, exported: map[string]bool{}}
	for _, m := range justAssign.FindAllStringSubmatch(text, maxNamed) {
		v.defined[m[2]] = m[3]
		v.exported[m[2]] = m[1] != "" || strings.Contains(text, "set export")
	}
	for _, header := range justHeader.FindAllString(text, maxNamed) {
		for _, m := range justParam.FindAllStringSubmatch(header, maxWords) {
			v.defined[m[1]] = m[2]
			v.exported[m[1]] = strings.Contains(header, "$"+m[1])
		}
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line == "" || line[0] != ' ' && line[0] != '\t' || len(line) > maxJustText {
			continue
		}
		line = justInsert.ReplaceAllStringFunc(line, func(of string) string {
			if value, ok := v.value(of[2:len(of)-2], 0); ok && strings.IndexByte(value, '\n') < 0 {
				return value
			}
			return of
		})
		lines[i] = justEnv.ReplaceAllStringFunc(line, func(of string) string {
			name := justEnv.FindStringSubmatch(of)[1]
			if value, ok := v.value(name, 0); ok && v.exported[name] && strings.IndexByte(value, '\n') < 0 {
				return value
			}
			return of
		})
	}
	out := strings.Join(lines, "\n")
	return []byte(out), out != text
}

// justScope are the variables of a justfile, with their expressions.
type justScope struct {
	defined  map[string]string
	exported map[string]bool
}

// value works an expression out, false where something in it isn't known.
func (v justScope) value(expression string, depth int) (string, bool) {
	p := justParser{scope: v, rest: strings.TrimSpace(expression), depth: depth}
	out, ok := p.sum()
	return out, ok && p.rest == ""
}

type justParser struct {
	scope justScope
	rest  string
	depth int
}

// skip goes behind a sign, and reports whether it comes next.
func (p *justParser) skip(sign string) bool {
	p.rest = strings.TrimLeft(p.rest, " \t\r")
	rest, ok := strings.CutPrefix(p.rest, sign)
	if ok {
		p.rest = strings.TrimLeft(rest, " \t\r")
	}
	return ok
}

// sum is a value, or several with "+" or "/" between them.
func (p *justParser) sum() (string, bool) {
	if p.depth++; p.depth > maxJustDepth {
		return "", false
	}
	out, ok := p.term()
	for ok && len(out) <= maxJustText {
		var more, between string
		switch {
		case p.skip("+"):
		case p.skip("/"):
			between = "/"
		default:
			return out, true
		}
		if more, ok = p.term(); ok {
			out += between + more
		}
	}
	return out, ok && len(out) <= maxJustText
}

func (p *justParser) term() (string, bool) {
	p.rest = strings.TrimLeft(p.rest, " \t\r")
	if p.skip("(") {
		out, ok := p.sum()
		return out, p.skip(")") && ok
	}
	if p.rest == "" {
		return "", false
	}
	if c := p.rest[0]; c == '"' || c == '\'' {
		return p.quoted(c)
	}
	n := 0
	for n < len(p.rest) && (char.IsASCIIWord(p.rest[n]) || p.rest[n] == '-' && n > 0) {
		n++
	}
	name := p.rest[:n]
	p.rest = p.rest[n:]
	switch {
	case name == "":
		return "", false
	case name == "if":
		return p.condition()
	case p.skip("("):
		return p.call(name)
	}
	expression, ok := p.scope.defined[name]
	if !ok {
		return "", false
	}
	return p.scope.value(expression, p.depth+1)
}

func (p *justParser) quoted(quote byte) (string, bool) {
	for i := 1; i < len(p.rest); i++ {
		switch {
		case p.rest[i] == '\\' && quote == '"':
			i++
		case p.rest[i] == quote:
			text := p.rest[1:i]
			p.rest = p.rest[i+1:]
			if quote == '"' {
				text = strlit.UnescapeLoosely(text)
			}
			return text, true
		}
	}
	return "", false
}

// condition is the longer one of the values between which an "if" chooses: which one that is
// may depend on the machine.
func (p *justParser) condition() (string, bool) {
	i := strings.IndexByte(p.rest, '{')
	if i < 0 {
		return "", false
	}
	p.rest = p.rest[i:]
	best, known := "", false
	for p.skip("{") {
		one, ok := p.sum()
		if !ok || !p.skip("}") {
			return "", false
		}
		if known = true; len(one) > len(best) {
			best = one
		}
		if !p.skip("else") {
			break
		}
		if p.skip("if") {
			if i := strings.IndexByte(p.rest, '{'); i >= 0 {
				p.rest = p.rest[i:]
			}
		}
	}
	return best, known
}

// call is what a function makes of its arguments.
func (p *justParser) call(name string) (string, bool) {
	var args []string
	for !p.skip(")") {
		arg, ok := p.sum()
		if !ok || len(args) >= maxWords {
			return "", false
		}
		args = append(args, arg)
		p.skip(",")
		if p.rest == "" {
			return "", false
		}
	}
	switch {
	case (name == "replace" || name == "replace_regex") && len(args) == 3 && len(args[0])*(1+len(args[2])) <= maxJustText:
		return strings.ReplaceAll(args[0], args[1], args[2]), true
	case strings.HasPrefix(name, "trim") && len(args) == 2:
		return strings.TrimPrefix(strings.TrimSuffix(args[0], args[1]), args[1]), true
	case strings.HasPrefix(name, "trim") && len(args) == 1:
		return strings.TrimSpace(args[0]), true
	case name == "lowercase" && len(args) == 1:
		return strings.ToLower(args[0]), true
	case name == "uppercase" && len(args) == 1:
		return strings.ToUpper(args[0]), true
	case name == "join":
		return strings.Join(args, "/"), true
	case strings.HasPrefix(name, "env") && len(args) == 2:
		return args[1], true
	case len(args) == 1:
		return args[0], true // most others change how it is written
	}
	return "", false
}
