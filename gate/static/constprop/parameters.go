package constprop

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/strlit"
)

// arguments reads "set -- WORDS": what $@, $* and $1 stand for from there on. Without the two
// hyphens it sets options, which aren't followed.
func (v *variableReader) arguments(at int) {
	flag, at := v.bare(at)
	if flag != "--" {
		return
	}
	words, _, _, ok := v.words(at)
	v.args = words
	if !ok || len(words) > maxListed {
		v.args = nil
	}
	v.useful = v.useful || len(v.args) > 0
}

// words reads those of one command, up to what ends it, and the text of a here string among
// them. ok is false where one of them is not constant.
func (v *variableReader) words(at int) (words []string, here string, end int, ok bool) {
	for at < len(v.src) && len(words) <= maxListed {
		switch c := v.src[at]; {
		case c == ' ' || c == '\t':
			at++
			continue
		case c == '\\' && at+1 < len(v.src) && v.src[at+1] == '\n':
			at += 2
			continue
		case bytes.HasPrefix(v.src[at:], []byte("<<<")):
			for at += 3; at < len(v.src) && v.src[at] == ' '; at++ {
			}
			if here, at, ok = v.read(at); !ok {
				return nil, "", at, false
			}
			continue
		case bytes.HasPrefix(v.src[at:], []byte(`"$@"`)), bytes.HasPrefix(v.src[at:], []byte(`"${@}"`)):
			if v.args == nil {
				return nil, "", at, false
			}
			words = append(words, v.args...)
			at += bytes.IndexByte(v.src[at+1:], '"') + 2
			continue
		}
		value, next, ok := v.read(at)
		if !ok {
			return nil, "", at, false
		}
		if next == at {
			break
		}
		words, at = append(words, value), next
	}
	return words, here, at, true
}

// positional reads $@, $*, $1 and the same in braces, where the script has set them itself.
func (v *variableReader) positional(at, to int) (value string, end int, ok bool) {
	i := at + 1
	braces := i < to && v.src[i] == '{'
	if braces {
		i++
	}
	if i >= to || v.args == nil {
		return "", at, false
	}
	switch c := v.src[i]; {
	case c == '*' && v.ifs != nil:
		value = strings.Join(v.args, (*v.ifs)[:min(1, len(*v.ifs))])
	case c == '@' || c == '*':
		value = strings.Join(v.args, " ")
	case c >= '1' && c <= '9' && int(c-'0') <= len(v.args):
		value = v.args[c-'1']
	default:
		return "", at, false
	}
	if i++; braces {
		if i >= to || v.src[i] != '}' {
			return "", at, false
		}
		i++
	}
	return value, i, value != "" && len(value) <= maxValue
}

// maxOperator bounds what follows a name in braces, in bytes.
const maxOperator = 64

// derived reads ${NAME…} with an operator that makes one constant of another: ${x,,}, ${x:2:4},
// ${x/a/b}, ${x#a}, ${x@L} (Bash manual, Shell Parameter Expansion).
func (v *variableReader) derived(at, to int) (value string, end int, ok bool) {
	i := at + 2
	if at+2 >= to || v.src[at+1] != '{' || !char.IsNameStart(v.src[i]) {
		return "", at, false
	}
	for i < to && char.IsWord(v.src[i]) {
		i++
	}
	name := string(v.src[at+2 : i])
	held, known := v.value(name)
	shut := bytes.IndexByte(v.src[i:min(to, i+maxOperator)], '}')
	if shut <= 0 {
		return "", at, false
	}
	op := string(v.src[i : i+shut])
	if !known {
		value, ok = v.unassigned(name, op)
		return value, i + shut + 1, ok
	}
	value, ok = operated(held, op)
	return value, i + shut + 1, ok && value != "" && len(value) <= maxValue
}

// unassigned is what a variable gives that the script never sets: its default, ${x:-sh}, and for
// the variables of each session what an operator leaves of them: ${HOME%/}, ${SHELL##*/}.
func (v *variableReader) unassigned(name, op string) (string, bool) {
	if _, here := v.known[name]; here || v.times[name] > 0 || v.once == nil {
		return "", false
	}
	switch {
	case name == "HOME" && (op == "%/" || op == "%%/" || op == "%%+(/)"):
		return "$HOME", true
	case (name == "SHELL" || name == "BASH") && op == "##*/":
		return "bash", true
	}
	value, ok := strings.CutPrefix(strings.TrimPrefix(op, ":"), "-")
	if !ok {
		if value, ok = strings.CutPrefix(op, ":="); !ok {
			return "", false
		}
	}
	return value, isInterpreter(value)
}

// isInterpreter reports whether a word, or the rest of one, names a shell: other defaults are
// what a person may set, and say nothing about what runs.
func isInterpreter(s string) bool {
	switch strings.TrimPrefix(strings.TrimPrefix(s, "/usr"), "/bin/") {
	case "sh", "bash", "ba", "s", "b", "a", "dash", "zsh", "python3", "python", "perl", "node":
		return true
	}
	return false
}

// operated applies an operator without patterns and variables.
func operated(held, op string) (string, bool) {
	if strings.ContainsAny(op, "$*?[\\\"'`") {
		return "", false
	}
	first, rest := held[:min(1, len(held))], held[min(1, len(held)):]
	switch op {
	case ",,", "@L":
		return strings.ToLower(held), true
	case "^^", "@U":
		return strings.ToUpper(held), true
	case ",":
		return strings.ToLower(first) + rest, true
	case "^", "@u":
		return strings.ToUpper(first) + rest, true
	}
	switch {
	case op[0] == ':':
		return part(held, op[1:])
	case strings.HasPrefix(op, "//"):
		from, to, _ := strings.Cut(op[2:], "/")
		return strings.ReplaceAll(held, from, to), from != ""
	case op[0] == '/' && len(op) > 1 && op[1] != '#' && op[1] != '%':
		from, to, _ := strings.Cut(op[1:], "/")
		return strings.Replace(held, from, to, 1), from != ""
	case op[0] == '#':
		return strings.TrimPrefix(held, strings.TrimLeft(op, "#")), true
	case op[0] == '%':
		return strings.TrimSuffix(held, strings.TrimLeft(op, "%")), true
	}
	return "", false
}

// part is ${x:OFFSET} and ${x:OFFSET:LENGTH}.
func part(held, numbers string) (string, bool) {
	offset, length, both := strings.Cut(numbers, ":")
	from, err := strconv.Atoi(strings.TrimSpace(offset))
	if err != nil {
		return "", false // ${x:-default} and its like, too
	}
	if from < 0 && numbers[0] == ' ' {
		from += len(held)
	}
	if from < 0 || from > len(held) || numbers[0] == '-' {
		return "", false
	}
	to := len(held)
	if both {
		n, err := strconv.Atoi(strings.TrimSpace(length))
		if err != nil {
			return "", false
		}
		if to = from + n; n < 0 {
			to = len(held) + n
		}
	}
	if to < from {
		return "", false
	}
	return held[from:min(to, len(held))], true
}

// substitutions begin what may say nothing but constants; filters are what they may go through.
var substitutions = []string{"$(printf ", "$(echo ", "$(rev ", "$(tr "}

// substituted reads a substitution that says nothing but constants: $(printf FORMAT WORDS),
// $(echo WORDS | tr A B), $(rev <<< WORD).
func (v *variableReader) substituted(at int) (text string, end int, ok bool) {
	if v.nested || !hasPrefix(v.src[at:], substitutions) {
		return "", at, false
	}
	v.nested = true
	defer func() { v.nested = false }()
	end = at + len("$(")
	for first := true; ; first = false {
		words, here, next, fine := v.words(end)
		if !fine || len(words) == 0 || next >= len(v.src) {
			return "", at, false
		}
		if here != "" {
			text = here
		} else if first != (words[0] == "printf" || words[0] == "echo") {
			return "", at, false
		}
		if text, ok = said(words, text); !ok {
			return "", at, false
		}
		switch end = next + 1; v.src[next] {
		case '|':
		case ')':
			text = strings.TrimRight(text, "\n")
			return text, end, text != "" && !strings.Contains(text, "\n") && len(text) <= maxValue
		default:
			return "", at, false
		}
	}
}

// said is what a command prints that prints its words, or changes the letters of its input.
func said(words []string, input string) (string, bool) {
	args := words[1:]
	switch words[0] {
	case "echo":
		escapes := false
		for len(args) > 0 && len(args[0]) > 1 && strings.Trim(args[0], "neE") == "-" {
			escapes = escapes || strings.Contains(args[0], "e")
			args = args[1:]
		}
		if text := strings.Join(args, " "); !escapes {
			return text, true
		}
		text, _, ok := strlit.Unescape(strings.Join(args, " "))
		return text, ok
	case "printf":
		if len(args) > 0 && args[0] == "--" {
			args = args[1:]
		}
		return formatted(args)
	case "rev":
		return reversed(input), len(args) == 0
	case "tr":
		if len(args) == 2 {
			return translated(input, args[0], args[1])
		}
	}
	return "", false
}

// formatted is what printf makes of a format, in which only %s stands for something, and words.
// As many words as there are take the format again and again.
func formatted(args []string) (string, bool) {
	if len(args) == 0 {
		return "", false
	}
	format, args := args[0], args[1:]
	format, _, ok := strlit.Unescape(format)
	parts := strings.Split(format, "%s")
	if !ok || strings.Contains(strings.Join(parts, ""), "%") {
		return "", false
	}
	if len(parts) == 1 {
		return format, len(args) == 0
	}
	var out strings.Builder
	for first := true; len(args) > 0 || first; first = false {
		for i, p := range parts {
			out.WriteString(p)
			if i < len(parts)-1 && len(args) > 0 {
				out.WriteString(args[0])
				args = args[1:]
			}
		}
		if out.Len() > maxValue {
			return "", false
		}
	}
	return out.String(), true
}

func reversed(s string) string {
	out := make([]byte, 0, len(s))
	for i := len(s) - 1; i >= 0; i-- {
		out = append(out, s[i])
	}
	return string(out)
}

// translated is what tr makes of a text with two sets of as many characters, in which a-z is a
// range.
func translated(s, from, to string) (string, bool) {
	a, b := set(from), set(to)
	if len(a) == 0 || len(a) != len(b) {
		return "", false
	}
	return strings.Map(func(r rune) rune {
		if i := strings.IndexRune(a, r); i >= 0 && r < 0x80 {
			return rune(b[i])
		}
		return r
	}, s), true
}

// set writes out the ranges of a set of tr; "" for one with classes or escapes.
func set(s string) string {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '[' || s[i] == '\\' || s[i] >= 0x80 {
			return ""
		}
		if i+2 < len(s) && s[i+1] == '-' {
			for c := int(s[i]); c <= int(s[i+2]); c++ {
				out = append(out, byte(c))
			}
			i += 2
			continue
		}
		out = append(out, s[i])
	}
	return string(out)
}

// separator reads what is assigned to IFS, which then splits words. In front of a command it
// holds for that command only.
func (v *variableReader) separator(at int) {
	value, end, ok := v.read(at)
	for end < len(v.src) && (v.src[end] == ' ' || v.src[end] == '\t') {
		end++
	}
	if end < len(v.src) && v.src[end] != '\n' && v.src[end] != ';' {
		return
	}
	v.ifs = nil
	if ok && !strings.ContainsAny(value, " \t\n") {
		v.ifs = &value
	}
}

// split is a value outside of quotes, as IFS splits it.
func (v *variableReader) split(value string) string {
	if v.ifs == nil || *v.ifs == "" {
		return value
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(*v.ifs, r) {
			return ' '
		}
		return r
	}, value)
}

func hasPrefix(src []byte, prefixes []string) bool {
	for _, p := range prefixes {
		if len(src) >= len(p) && string(src[:len(p)]) == p {
			return true
		}
	}
	return false
}
