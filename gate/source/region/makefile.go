package region

import (
	"regexp"
	"strings"

	"github.com/aigate/gate/gate"
)

// makefile returns the recipes, what a definition holds, and the commands of
// $(shell …) and !=, which run as soon as the file is read. Variables in recipes are
// also written out.
func makefile(content []byte) []Region {
	r := makeReader{prefix: "\t", lang: gate.LanguageShell, values: map[string]string{}}
	for line := range strings.SplitSeq(string(content), "\n") {
		r.lines = append(r.lines, strings.TrimSuffix(line, "\r"))
	}
	for r.at < len(r.lines) {
		r.next()
	}
	r.expand()
	out := r.recipes.region(gate.LanguageShell, gate.RoleInfra)
	if r.lang != gate.LanguageShell { // what SHELL names
		out = append(out, r.recipes.region(r.lang, gate.RoleInfra)...)
	}
	out = append(out, r.reads.region(gate.LanguageShell, gate.RoleInfra)...)
	return append(out, r.expanded.region(gate.LanguageShell, gate.RoleInfra)...)
}

type makeReader struct {
	lines  []string
	at     int
	prefix string        // of a recipe's lines
	lang   gate.Language // that recipes are in
	define string        // name of the definition that is read, or ""

	recipes, reads, expanded builder
	values                   map[string]string // of variables
	spent                    int               // bytes that were written out of them
}

var (
	makeAssign = regexp.MustCompile(`^ *(?:(?:export|override|private|unexport|undefine)\s+)*([^\s:#=!?+$]+)\s*(\?|\+|!|:{0,3})=\s*(.*)$`)
	makeDefine = regexp.MustCompile(`^ *(?:(?:export|override|private)\s+)*define\s+([^\s:#=!?+]+)`)
	makeTarget = regexp.MustCompile(`:\s*(?:(?:export|override|private)\s+)*([^\s:#=!?+$]+)\s*(\?|\+|!|:{0,3})=\s*(.*)$`)
	makeCall   = regexp.MustCompile(`\$[({](shell|eval|guile)\s`)
)

// next reads one line, with those that it goes on over.
func (r *makeReader) next() {
	first := r.at
	line := r.lines[first]
	if r.define != "" {
		r.at++
		if strings.TrimSpace(line) == "endef" || strings.HasPrefix(strings.TrimSpace(line), "endef ") || strings.HasPrefix(strings.TrimSpace(line), "endef#") {
			r.define = ""
			return
		}
		r.recipe(line, first, true)
		r.calls(line, first)
		r.value(r.define, "+", line)
		return
	}
	if strings.HasPrefix(line, r.prefix) {
		r.rest(first)
		return
	}
	logical := r.logical()
	if m := makeDefine.FindStringSubmatch(logical); m != nil {
		r.define = m[1]
		return
	}
	trimmed := strings.TrimSpace(logical)
	r.calls(logical, first)
	m := makeAssign.FindStringSubmatch(logical)
	if m == nil {
		if _, inline, ok := strings.Cut(logical, ";"); ok && strings.Contains(logical, ":") && !strings.HasPrefix(trimmed, "#") {
			r.recipe(inline, first, true)
		}
		if m = makeTarget.FindStringSubmatch(logical); m == nil { // a variable of one target
			return
		}
	}
	r.assign(m[1], m[2], m[3], first)
}

// assign takes over a variable.
func (r *makeReader) assign(name, kind, value string, line int) {
	switch {
	case kind == "!":
		r.reads.flush(unescape(value), line+1, 0)
	case name == ".RECIPEPREFIX":
		r.prefix = "\t"
		if value != "" {
			r.prefix = string([]rune(value)[:1])
		}
	case name == "SHELL":
		if l := interpreter(strings.Trim(strings.TrimSpace(value), `"'`)); l != gate.LanguageUnknown && l != gate.LanguageShell {
			r.lang = l
		}
	}
	r.value(name, kind, value)
	if wholeCommand.MatchString(value) {
		r.reads.flush(unescape(value), line+1, 0)
	}
}

// maxMakeValue bounds what a variable holds once others are written out in it.
const maxMakeValue = 4 << 10 // bytes

func (r *makeReader) value(name, kind, value string) {
	if before, ok := r.values[name]; ok && kind == "+" {
		value = before + " " + value
	}
	if len(value) <= maxMakeValue && (len(r.values) < maxCommands || r.values[name] != "") {
		r.values[name] = value
	}
}

// logical is a line with those that it goes on over.
func (r *makeReader) logical() string {
	var out strings.Builder
	for r.at < len(r.lines) {
		line := r.lines[r.at]
		r.at++
		if !backslashed(line) {
			out.WriteString(line)
			break
		}
		out.WriteString(strings.TrimSuffix(line, `\`) + " ")
	}
	return out.String()
}

// rest adds a recipe's line with those that it goes on over, which need no prefix.
func (r *makeReader) rest(first int) {
	for r.at < len(r.lines) {
		line := r.lines[r.at]
		r.recipe(strings.TrimPrefix(line, r.prefix), r.at, r.at == first)
		r.calls(line, first)
		r.at++
		if !backslashed(line) {
			return
		}
	}
}

// recipe adds a line of a recipe; at its beginning stand signs for make.
func (r *makeReader) recipe(text string, line int, begins bool) {
	if text = strings.TrimLeft(text, "\t "); begins {
		text = strings.TrimLeft(text, "\t @+-")
	}
	r.recipes.add(unescape(text), line+1, 0)
}

// backslashed reports whether a line goes on with the next one.
func backslashed(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// calls adds what runs as the file is read, and text that becomes part of it.
func (r *makeReader) calls(text string, line int) {
	for _, m := range makeCall.FindAllStringIndex(text, maxCommands) {
		r.reads.flush(unescape(balanced(text[m[1]:], text[m[0]+1])), line+1, 0)
	}
}

// unescape gives a recipe the dollars that the shell sees.
func unescape(s string) string { return strings.ReplaceAll(s, "$$", "$") }

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

// maxExpanded bounds what recipes come to once variables are written out in them.
const maxExpanded = 1 << 20 // bytes

var makeVariable = regexp.MustCompile(`\$(?:\(([^\s()${}:,=]+)\)|\{([^\s()${}:,=]+)\}|([A-Za-z]))`)

// expand adds the lines of recipes in which variables stand, with what these hold.
func (r *makeReader) expand() {
	for i, line := range strings.Split(strings.TrimSuffix(string(r.recipes.text), "\n"), "\n") {
		if strings.IndexByte(line, '$') < 0 || r.spent >= maxExpanded {
			continue
		}
		if plain := r.written(line, 0); plain != line {
			r.expanded.add(plain, r.recipes.lines[i], 0)
		}
	}
}

// maxMakeDepth is how far variables within variables are written out.
const maxMakeDepth = 5

func (r *makeReader) written(text string, depth int) string {
	if depth == maxMakeDepth || len(text) > maxMakeValue {
		return text
	}
	return makeVariable.ReplaceAllStringFunc(text, func(of string) string {
		name := strings.Trim(of[1:], "(){}")
		if value, ok := r.values[name]; ok && r.spent < maxExpanded {
			r.spent += len(value)
			return r.written(unescape(value), depth+1)
		}
		return of
	})
}
