package embedded

import (
	"strconv"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/source/strlit"
)

// macroCommands are the commands in a program in C whose texts macros hold, formats make or
// lists of letters are: what the preprocessor and snprintf come to.
func macroCommands(content []byte) []Code {
	if !startsInC.Match(content) {
		return nil
	}
	macros := objectMacros(content)
	lists := letterList.Match(content)
	formats := formatCall.Match(content)
	if len(macros) == 0 && !lists && !formats {
		return nil
	}
	plain := content
	if len(macros) > 0 {
		plain = withMacros(plain, macros)
	}
	plain = letterList.ReplaceAllFunc(plain, func(list []byte) []byte {
		var text strings.Builder
		for _, m := range letterOf.FindAllSubmatch(list, maxWords) {
			switch {
			case len(m[1]) > 0:
				text.WriteString(strlit.UnescapeLoosely(string(m[1])))
			default:
				if n, err := strconv.ParseUint(string(m[2]), 0, 8); err == nil && n > 0 {
					text.WriteByte(byte(n))
				}
			}
		}
		return []byte(strconv.Quote(text.String()) + strings.Repeat("\n", strings.Count(string(list), "\n")))
	})
	out := literals(gate.LanguageC, plain)
	var b builder
	lines := newLineIndex(plain)
	for _, m := range formatCall.FindAllSubmatchIndex(plain, maxCommands) {
		if command, ok := formatted(string(plain[m[2]:min(len(plain), m[2]+maxStatement)])); ok {
			b.flush(command, lines.of(m[0]), 0)
		}
	}
	return append(out, b.region(gate.LanguageShell, "")...)
}

var (
	startsInC  = regexp.MustCompile(`\b(?:system|popen|_popen|_wsystem|execl[pe]?|execvp?e?|posix_spawnp?|wordexp|ShellExecute\w*|WinExec|CreateProcess\w*)\b`)
	defineLine = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+((?:[^\n\\]|\\\r?\n|\\.)+)`)
	macroName  = regexp.MustCompile(`[A-Za-z_]\w*`)
	letterList = regexp.MustCompile(`\{\s*(?:(?:'(?:[^'\\]|\\.)'|0[xX][0-9a-fA-F]+|\d+)\s*,\s*){7,}(?:'(?:[^'\\]|\\.)'|0[xX][0-9a-fA-F]+|\d+)?\s*,?\s*\}`)
	letterOf   = regexp.MustCompile(`'([^'\\]|\\.)'|(0[xX][0-9a-fA-F]+|\d+)`)
	formatCall = regexp.MustCompile(`\b(?:v?s[nw]?printf(?:_s)?|asprintf|g_strdup_printf|fmt::format)\s*(\()`)
	formatVerb = regexp.MustCompile(`%[-+ #0-9.*]*(?:hh?|ll?|z|j|t)?[a-zA-Z]`)
)

// maxMacro is how much text a macro, and with its macros put in a line, may come to.
const maxMacro = 4 << 10 // bytes

// objectMacros are the macros without parameters that come to texts, or to the name of what
// starts programs.
func objectMacros(content []byte) map[string]string {
	all := map[string]string{}
	for _, m := range defineLine.FindAllSubmatch(content, maxCommands) {
		if len(m[2]) <= maxMacro {
			all[string(m[1])] = strings.TrimSpace(strings.NewReplacer("\\\r\n", " ", "\\\n", " ").Replace(string(m[2])))
		}
	}
	out := map[string]string{}
	for name, body := range all {
		for range maxHops {
			next := replaceNames(body, all, name)
			if next == body || len(next) > maxMacro {
				break
			}
			body = next
		}
		if strings.IndexByte(body, '"') >= 0 || startsInC.FindString(body) == body {
			out[name] = body
		}
	}
	return out
}

// replaceNames puts in macros where a name is in no text.
func replaceNames(s string, macros map[string]string, but string) string {
	var out strings.Builder
	quote := byte(0)
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case quote != 0:
			if c == '\\' && i+1 < len(s) {
				out.WriteByte(c)
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case isNameStart(c):
			name := macroName.FindString(s[i:])
			if body, ok := macros[name]; ok && name != but {
				out.WriteString(body)
			} else {
				out.WriteString(name)
			}
			i += len(name)
			continue
		}
		out.WriteByte(s[i])
		i++
	}
	return out.String()
}

// withMacros puts macros into the code of a program. Lines stay where they are.
func withMacros(content []byte, macros map[string]string) []byte {
	text := lex.Scan(gate.LanguageC, content)
	var out []byte
	done := 0
	for _, at := range macroName.FindAllIndex(content, -1) {
		body, ok := macros[string(content[at[0]:at[1]])]
		if !ok || text.At(at[0]) != lex.Code || len(out) > 4*len(content)+maxDelimited {
			continue
		}
		if begin := 1 + strings.LastIndexByte(string(content[max(0, at[0]-200):at[0]]), '\n'); defineStart.Match(content[max(0, at[0]-200)+begin : at[0]]) {
			continue
		}
		out = append(append(out, content[done:at[0]]...), body...)
		done = at[1]
	}
	return append(out, content[done:]...)
}

var defineStart = regexp.MustCompile(`^[ \t]*#`)

// formatted is what a call of snprintf makes of a format and texts; what is no text is $X.
func formatted(call string) (string, bool) {
	var texts []string
	depth, format := 0, -1
	var arg strings.Builder
	isText := false
	end := func() {
		if isText && format < 0 && strings.Contains(arg.String(), "%") {
			format = len(texts)
		}
		if !isText {
			arg.Reset()
			arg.WriteString("$X")
		}
		texts = append(texts, arg.String())
		arg.Reset()
		isText = false
	}
	for i := 0; i < len(call); i++ {
		switch c := call[i]; {
		case c == '"':
			j := i + 1
			for j < len(call) && call[j] != '"' {
				if call[j] == '\\' {
					j++
				}
				j++
			}
			if text, err := strconv.Unquote(call[i:min(len(call), j+1)]); err == nil && depth == 1 {
				arg.WriteString(text)
				isText = true
			}
			i = j
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				end()
				if format < 0 || format+1 == len(texts) {
					return "", false
				}
				n := format
				return formatVerb.ReplaceAllStringFunc(texts[format], func(string) string {
					if n++; n < len(texts) {
						return texts[n]
					}
					return "$X"
				}), true
			}
		case c == ',' && depth == 1:
			end()
		case c == ';':
			return "", false
		}
	}
	return "", false
}
