package build

import (
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// M4 returns a text for m4 or autoconf with its macros put in and without the quotes, as far as
// the text itself defines them; ok is false where that changes nothing. Lines stay where they
// are. See "GNU M4", chapter 5, and the section on quotation in the manual of Autoconf.
func M4(content []byte) (plain []byte, ok bool, unread []string) {
	text := withoutSigns(string(content))
	m := &m4{budget: newBudget(), macros: map[string]string{}, active: map[string]bool{}, open: "`", shut: "'"}
	if m4Brackets.MatchString(text) {
		m.open, m.shut = "[", "]"
	}
	if m.budget.over(len(text), maxXML, "bytes") {
		return nil, false, m.budget.unread
	}
	m.define(text)
	if len(m.macros) == 0 && !strings.Contains(text, m.open+m.shut) {
		return nil, false, nil
	}
	var out strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		body := strings.TrimSuffix(line, "\n")
		if !m4Defines.MatchString(body) {
			body = shown(m.unquoted(strings.ReplaceAll(m.expand(body, 0), "\n", " ")))
		}
		out.WriteString(body)
		out.WriteString(line[len(strings.TrimSuffix(line, "\n")):])
	}
	return []byte(out.String()), out.String() != text, m.budget.unread
}

// maxM4Body is how long the text of a macro may be that is put in where it is called: a longer
// one is a part of a script that is read in place.
const maxM4Body = 1 << 10 // bytes

type m4 struct {
	budget     *budget
	active     map[string]bool // macros that are put in just now
	macros     map[string]string
	open, shut string
}

var (
	m4Brackets = regexp.MustCompile(`\b(?:AC|AM|AS|AX|PKG|m4|LT)_\w+\(\[|changequote\(\s*\[`)
	m4Defines  = regexp.MustCompile(`^\s*(?:m4_)?(?:define|pushdef|defun|copy)\(|^\s*(?:AC_DEFUN|AC_DEFUN_ONCE|AU_DEFUN)\(|changequote`)
	m4Define   = regexp.MustCompile(`(?:\b(?:m4_)?(?:define|pushdef|defun)|AC_DEFUN(?:_ONCE)?|AU_DEFUN)\(`)
	m4Word     = regexp.MustCompile(`[A-Za-z_]\w*`)
	m4Argument = regexp.MustCompile(`\$(\d|[*@#])`)
)

// define collects the macros that a text defines.
func (m *m4) define(text string) {
	found := m4Define.FindAllStringIndex(text, maxVariables)
	m.budget.full(len(found), maxVariables, "macros")
	for _, at := range found {
		args, _ := m.arguments(text[at[1]:])
		if len(args) > 1 && len(args[1]) <= maxM4Body && m4Word.FindString(args[0]) == args[0] && args[0] != "" {
			m.macros[args[0]] = args[1]
		}
	}
}

// arguments are the arguments of a call, one pair of quotes taken off, and how long the call is.
func (m *m4) arguments(s string) (args []string, length int) {
	var arg strings.Builder
	quoted, depth := 0, 0
	for i := range min(len(s), maxValue) {
		c := s[i : i+1]
		switch {
		case c == m.open:
			if quoted++; quoted == 1 {
				continue
			}
		case c == m.shut && quoted > 0:
			if quoted--; quoted == 0 {
				continue
			}
		case quoted > 0:
		case c == "(":
			depth++
		case c == ")":
			if depth--; depth < 0 {
				return append(args, arg.String()), i + 1
			}
		case c == "," && depth == 0:
			args = append(args, arg.String())
			arg.Reset()
			continue
		case arg.Len() == 0 && (c == " " || c == "\t" || c == "\n"):
			continue
		}
		arg.WriteString(c)
	}
	return args, len(s)
}

// expand puts in the macros of a text.
func (m *m4) expand(text string, depth int) string {
	if depth > maxDepth || !m.budget.take(len(text)) {
		return tooMuch(maxDepth, "levels")
	}
	var out strings.Builder
	for at := 0; at < len(text); {
		w := m4Word.FindStringIndex(text[at:])
		if w == nil {
			out.WriteString(text[at:])
			break
		}
		start, end := at+w[0], at+w[1]
		out.WriteString(text[at:start])
		at = end
		name := text[start:end]
		body, ok := m.macros[name]
		if !ok || m.active[name] {
			out.WriteString(text[start:end])
			continue
		}
		var args []string
		if at < len(text) && text[at] == '(' {
			given, length := m.arguments(text[at+1:])
			args, at = given, at+1+length
		}
		body = m4Argument.ReplaceAllStringFunc(body, func(s string) string {
			switch i := int(s[1] - '0'); {
			case s == "$*" || s == "$@":
				return strings.Join(args, ",")
			case i >= 1 && i <= len(args) && i <= 9:
				return args[i-1]
			}
			return ""
		})
		m.active[name] = true
		out.WriteString(m.expand(body, depth+1))
		delete(m.active, name)
		if out.Len() > maxValue {
			return tooMuch(maxValue, "bytes")
		}
	}
	return out.String()
}

// unquoted takes the quotes off a text.
func (m *m4) unquoted(s string) string {
	if m.open == "`" {
		var out strings.Builder
		depth := 0
		for i := range len(s) {
			switch {
			case s[i] == '`':
				depth++
			case s[i] == '\'' && depth > 0:
				depth--
			default:
				out.WriteByte(s[i])
			}
		}
		return out.String()
	}
	return strings.NewReplacer(m.open, "", m.shut, "").Replace(s)
}
