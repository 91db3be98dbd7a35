package runners

import (
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/static/constprop"
)

// Bounds of the texts of one file.
const (
	MaxTexts     = 200  // texts
	maxArguments = 3000 // bytes of the arguments of one call
	maxCalls     = 2000 // calls of one text
	minText      = 8    // bytes: a shorter text does no harm
	maxText      = 4000
	maxConstants = 500 // names that hold a text
	maxFolded    = 256 << 10
)

// Text is a literal text that a call gives to a function.
type Text struct {
	Name string // of the function
	Line int    // of the call, 1-based
	Text string
}

var (
	calls    = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*\(`)
	literal  = regexp.MustCompile("\"((?:[^\"\\\\\n]|\\\\.)*)\"|'((?:[^'\\\\\n]|\\\\.)*)'|`([^`]*)`")
	holds    = regexp.MustCompile(`(?:^|[\s;{(,])(?:\$|self\.|this\.|@)?([A-Za-z_]\w*)["']?\s*(?::\s*\w+)?\s*(?::=|[:=])\s*[fr]?("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|` + "`[^`]*`)")
	other    = regexp.MustCompile(`\b([A-Za-z_$][\w$]*)(?:\s+as\s+|\s*:\s*)([A-Za-z_$][\w$]*)`)
	unescape = strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\\`, `\`, `\n`, "\n", `\t`, "\t")
	shellArg = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)`)
	shellSet = regexp.MustCompile(`(?m)^\s*(?:export\s+|local\s+|readonly\s+)?([A-Za-z_]\w*)=(?:"((?:[^"\\]|\\.)*)"|'([^']*)')`)
	shellUse = regexp.MustCompile(`[A-Za-z_][\w-]*`)
	starts   = regexp.MustCompile(`(?:^|[;&|({!]|\b(?:then|do|else|if|while))[ \t]*$`)
	shellVar = regexp.MustCompile(`\$\{?(\w+)\}?`)
)

// Given returns the literal texts that a text gives functions of some names, directly or by the
// name of a constant. full says that there are more than are looked at.
func Given(lang gate.Language, content []byte, names map[string]bool) (out []Text, full bool) {
	if len(names) == 0 || !Knows(lang) {
		return nil, false
	}
	variables, full := followed(string(content), names)
	if hasVariables(lang) && lang != gate.LanguageShell {
		return variables, full
	}
	if len(content) <= maxFolded {
		if folded, ok := constprop.Text(lang, content, nil); ok {
			content = folded
		}
	}
	text := string(content)
	if lang == gate.LanguageShell {
		out, more := shellGiven(text, names)
		return append(out, variables...), full || more
	}
	called := map[string]string{} // the function, by the name that the text has for it
	for n := range names {
		called[n] = n
	}
	for _, m := range other.FindAllStringSubmatch(text, maxConstants) {
		if names[m[1]] && called[m[2]] == "" {
			called[m[2]] = m[1]
		}
	}
	var constants map[string][]string
	line, at, looked := 1, 0, 0
	for _, m := range calls.FindAllStringSubmatchIndex(text, -1) {
		name := called[text[m[2]:m[3]]]
		if name == "" || defines(text, m[2]) {
			continue
		}
		if looked++; looked > maxCalls || len(out) >= MaxTexts {
			return out, true
		}
		line += strings.Count(text[at:m[2]], "\n")
		at = m[2]
		args := arguments(text[m[1]:])
		values := literals(args)
		for _, w := range word.FindAllString(literal.ReplaceAllString(args, " "), 20) {
			if constants == nil {
				constants = constantsOf(text)
			}
			values = append(values, constants[strings.TrimLeft(w, "$@")]...)
		}
		for _, v := range values {
			out = append(out, Text{name, line, v})
		}
	}
	return out, false
}

// defines reports whether a name is that of a definition.
func defines(text string, at int) bool {
	before := strings.TrimRight(text[max(0, at-10):at], " \t")
	for _, w := range []string{"def", "function", "func", "sub", "fn", "class"} {
		if strings.HasSuffix(before, w) {
			return true
		}
	}
	return false
}

// arguments is the text up to the bracket that ends a call.
func arguments(text string) string {
	text = text[:min(len(text), maxArguments)]
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth < 0 {
				return text[:i]
			}
		case '"', '\'', '`':
			end := i + 1
			for end < len(text) && text[end] != c {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			i = end
		}
	}
	return text
}

// literals are the texts of an expression that are long enough to do something.
func literals(expression string) []string {
	var out []string
	for _, m := range literal.FindAllStringSubmatch(expression, 20) {
		if v := m[1] + m[2] + m[3]; len(v) >= minText && len(v) <= maxText {
			out = append(out, unescape.Replace(v))
		}
	}
	return out
}

// constantsOf are the texts that names of a text hold.
func constantsOf(text string) map[string][]string {
	out := map[string][]string{}
	for _, m := range holds.FindAllStringSubmatch(text, maxConstants) {
		if len(out[m[1]]) < 3 {
			out[m[1]] = append(out[m[1]], literals(m[2])...)
		}
	}
	return out
}

// shellGiven is Given for a script.
func shellGiven(text string, names map[string]bool) (out []Text, full bool) {
	set := map[string]string{}
	for _, m := range shellSet.FindAllStringSubmatch(text, maxConstants) {
		set[m[1]] = m[2] + m[3]
	}
	for n, l := range strings.Split(text, "\n") {
		if n >= maxLines || len(out) >= MaxTexts {
			return out, true
		}
		if len(l) > maxLine {
			continue
		}
		for _, m := range shellUse.FindAllStringIndex(l, 60) {
			name := l[m[0]:m[1]]
			if !names[name] || !starts.MatchString(l[max(0, m[0]-20):m[0]]) {
				continue
			}
			var words []string
			for _, a := range shellArg.FindAllStringSubmatch(l[m[1]:], 60) {
				if strings.HasPrefix(a[3], ";") || a[3] == "|" || a[3] == "&&" || a[3] == "||" {
					break
				}
				words = append(words, shellVar.ReplaceAllStringFunc(a[1]+a[2]+a[3], func(v string) string {
					if value, ok := set[strings.Trim(v, "${}")]; ok {
						return value
					}
					return v
				}))
			}
			if v := strings.Join(words, " "); len(v) >= minText && len(v) <= maxText {
				out = append(out, Text{name, n + 1, v})
			}
		}
	}
	return out, false
}
