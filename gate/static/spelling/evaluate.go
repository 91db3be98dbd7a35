package spelling

import (
	"bytes"
	"strconv"
	"strings"
	"sync"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Bounds of what is worked out on one line.
const (
	maxEvaluated = 4000 // bytes of a line
	maxRounds    = 4    // of what is within something else
	maxFormatted = 2000 // bytes of a result
)

// operation is a way in which a language puts a text together from literals.
type operation struct {
	words []string // one of which is on its line
	form  *regexp.Regexp
	// result is the text, ok is false where it can't be told. bare says that it is inside a
	// text already, and gets no quotes.
	result func(groups []string) (text string, bare, ok bool)
}

const (
	literal  = `(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`
	elements = `((?:\s*(?:` + literal + `|:\w+)\s*,?)+)`
	values   = `((?:\s*,?\s*(?:` + literal + `|\d{1,3}))+)`
)

// operations are those of all languages: the text is read without knowing which one it is in.
var operations = sync.OnceValue(func() []operation {
	constant := func(g []string) (string, bool, bool) { return strings.Join(literalsIn(g[1]), ""), false, true }
	return []operation{
		// Ruby: symbols, and lists within a text.
		{[]string{"#{"}, regexp.MustCompile(`#\{\s*:["']?(\w+)["']?\s*\}`), func(g []string) (string, bool, bool) { return g[1], true, true }},
		{[]string{"#{%"}, regexp.MustCompile(`#\{\s*%[wWiI][\[({<|]([^\])}>|\n]*)[\])}>|]\.(?:join|sum)(?:\(\s*(?:""|'')?\s*\))?\s*\}`), func(g []string) (string, bool, bool) {
			return strings.Join(strings.Fields(g[1]), ""), true, true
		}},
		{[]string{"#{["}, regexp.MustCompile(`#\{\s*\[` + elements + `\]\.(?:join|sum|inject)(?:\([^()\n]*\))?\s*\}`), func(g []string) (string, bool, bool) {
			return strings.Join(literalsIn(g[1]), ""), true, true
		}},
		{[]string{"%w", "%W", "%i"}, regexp.MustCompile(`%[wWiI][\[({<|]([^\])}>|\n]*)[\])}>|]\.(?:join|sum)(?:\(\s*(?:""|'')?\s*\)|\b)`), func(g []string) (string, bool, bool) {
			return strings.Join(strings.Fields(g[1]), ""), false, true
		}},
		// Every so many characters of a text.
		{[]string{".scan("}, regexp.MustCompile(`(?:%[qQ]?\(([^()\n]*)\)|(` + literal + `))\.scan\(/(\(\.\)\.|\.\(\.\))/\)\.join`), func(g []string) (string, bool, bool) {
			text, skip := g[1], 0
			if text == "" {
				text = strings.Join(literalsIn(g[2]), "")
			}
			if strings.HasPrefix(g[3], ".(") {
				skip = 1
			}
			var b strings.Builder
			for i := skip; i < len(text); i += 2 {
				b.WriteByte(text[i])
			}
			return b.String(), false, true
		}},
		// Formats, as functions and as methods.
		{[]string{"format", "printf", "Format"}, regexp.MustCompile(`(?:\b[\w.]*(?i:s?printf|format)\s*\(?\s*(?:nil\s+|t\s+)?)(` + literal + `)` + values + `\s*\)?`), func(g []string) (string, bool, bool) {
			text, ok := formatted(g[1], g[2])
			return text, false, ok
		}},
		{[]string{"format("}, regexp.MustCompile(`\(*(` + literal + `)\)*\s*[:.]\s*format(?:ted)?\s*\(` + values + `\s*\)`), func(g []string) (string, bool, bool) {
			text, ok := formatted(g[1], g[2])
			return text, false, ok
		}},
		// Lists that are put together.
		{[]string{"paste"}, regexp.MustCompile(`\bpaste0?\s*\(\s*(?:c\s*\()?` + elements + `\)?\s*,?\s*(?:(?:collapse|sep)\s*=\s*(?:""|'')\s*,?\s*)*\)`), constant},
		{[]string{"{{"}, regexp.MustCompile(`\b(?:print|cat)` + elements), constant},
		{[]string{"join \"\"", "join ''"}, regexp.MustCompile(`\blist` + elements + `\|\s*join\s*(?:""|'')`), constant},
		{[]string{"system", "eval", "unix", "dos"}, regexp.MustCompile(`(?:\b(?:system|eval|evalc|unix|dos|shell_cmd)\s*\(\s*)\[` + elements + `\]`), func(g []string) (string, bool, bool) {
			return strings.Join(literalsIn(g[1]), ""), false, true
		}},
		{[]string{"append "}, regexp.MustCompile(`\bappend\s+(\w+)((?:\s+(?:\{[^{}\n]*\}|` + literal + `|[\w./:|-]+))+)`), func(g []string) (string, bool, bool) {
			var b strings.Builder
			for _, m := range tclWord.FindAllStringSubmatch(g[2], -1) {
				b.WriteString(m[1] + m[2] + m[3])
			}
			return b.String(), false, true
		}},
		// Letters that stand for others.
		{[]string{"gsub", "replace", "Replace"}, regexp.MustCompile(`\(*(` + literal + `)\)*((?:\s*(?::gsub|\.gsub|\.sub|\.replace|\.replaceAll|\.Replace|\.tr|-c?i?replace)\s*\(?\s*` + literal + `\s*,\s*` + literal + `\s*\)?)+)`), func(g []string) (string, bool, bool) {
			text := strings.Join(literalsIn(g[1]), "")
			pairs := literalsIn(g[2])
			for i := 0; i+1 < len(pairs); i += 2 {
				from := strings.NewReplacer(`%`, "", `\`, "").Replace(pairs[i])
				if from == "" || len(text) > maxFormatted {
					return "", false, false
				}
				text = strings.ReplaceAll(text, from, pairs[i+1])
			}
			return text, false, true
		}},
		{[]string{":byte()"}, regexp.MustCompile(`\(*(` + literal + `)\)*\s*:gsub\(\s*["']\.["']\s*,\s*function\s*\(\w+\)\s*return\s+string\.char\(\s*\w+:byte\(\)\s*([-~+])\s*(\d{1,3})\s*\)\s*end\s*\)`), func(g []string) (string, bool, bool) {
			n, err := strconv.Atoi(g[3])
			text := []byte(strings.NewReplacer(`\"`, `"`, `\'`, `'`, `\\`, `\`).Replace(g[1][1 : len(g[1])-1]))
			for i, c := range text {
				switch g[2] {
				case "~":
					text[i] = c ^ byte(n)
				case "+":
					text[i] = c + byte(n)
				default:
					text[i] = c - byte(n)
				}
			}
			return string(text), false, err == nil && n < 256
		}},
		{[]string{"padStart"}, regexp.MustCompile(`(` + literal + `)\.padStart\(\s*[^,()\n]{1,20},\s*(` + literal + `)\s*\)((?:\.padStart\(\s*[^,()\n]{1,20},\s*` + literal + `\s*\))*)`), func(g []string) (string, bool, bool) {
			text := strings.Join(literalsIn(g[2]), "") + strings.Join(literalsIn(g[1]), "")
			for _, more := range literalsIn(g[3]) {
				text = more + text
			}
			return text, false, true
		}},
	}
})

var (
	literalOr = regexp.MustCompile(literal + `|:(\w+)`)
	tclWord   = regexp.MustCompile(`\{([^{}\n]*)\}|"([^"\n]*)"|([\w./:|-]+)`)
	valueOf   = regexp.MustCompile(literal + `|\d{1,3}`)
	directive = regexp.MustCompile(`%[-+0-9.]*[a-zA-Z]|~[aAsSdD]|\{\d*\}`)
)

// literalsIn are the texts of literals and symbols, without their quotes.
func literalsIn(s string) []string {
	var out []string
	for _, m := range literalOr.FindAllStringSubmatch(s, -1) {
		if m[1] != "" {
			out = append(out, m[1])
			continue
		}
		out = append(out, m[0][1:len(m[0])-1])
	}
	return out
}

// formatted is a format with its values in it. A number for a character is that character.
func formatted(format, args string) (string, bool) {
	all := valueOf.FindAllString(args, -1)
	next := 0
	text := directive.ReplaceAllStringFunc(format[1:len(format)-1], func(d string) string {
		at := next
		if n, err := strconv.Atoi(strings.Trim(d, "{}")); d[0] == '{' && err == nil {
			at = n
		}
		next++
		if at >= len(all) {
			return ""
		}
		v := all[at]
		if n, err := strconv.Atoi(v); err == nil {
			if strings.HasSuffix(d, "c") && n < 128 {
				return string(rune(n))
			}
			return v
		}
		return v[1 : len(v)-1]
	})
	return text, next > 0 && len(text) <= maxFormatted
}

// evaluate returns a text in which what functions of any language put together from
// literals on a line is written as one literal.
func evaluate(in Text) Text {
	for range maxRounds {
		out, changed := evaluated(in)
		if !changed {
			return in
		}
		in = out
	}
	return in
}

func evaluated(in Text) (out Text, changed bool) {
	some := operationsIn(in.Content)
	if len(some) == 0 {
		return in, false
	}
	b := builder{in: in}
	for at := 0; at < len(in.Content); {
		end := len(in.Content)
		if i := bytes.IndexByte(in.Content[at:], '\n'); i >= 0 {
			end = at + i
		}
		if line := in.Content[at:end]; len(line) <= maxEvaluated {
			changed = operate(&b, some, at, line) || changed
		}
		at = end + 1
	}
	return b.text(), changed
}

// operationsIn are the operations of which a text has a word.
func operationsIn(text []byte) []operation {
	var out []operation
	for _, o := range operations() {
		if containsAny(text, o.words...) {
			out = append(out, o)
		}
	}
	return out
}

// operate writes the result of the first operation on a line that has one.
func operate(b *builder, some []operation, at int, line []byte) bool {
	for _, o := range some {
		if !containsAny(line, o.words...) {
			continue
		}
		done := false
		for _, m := range o.form.FindAllSubmatchIndex(line, -1) {
			groups := make([]string, len(m)/2)
			for i := range groups {
				if m[2*i] >= 0 {
					groups[i] = string(line[m[2*i]:m[2*i+1]])
				}
			}
			text, bare, ok := o.result(groups)
			if !ok || len(text) > maxFormatted {
				continue
			}
			done = true
			quote := `"`
			if strings.Contains(text, `"`) {
				quote = `'`
			}
			if bare {
				quote = ""
			}
			before, after := brackets(line[m[0]:m[1]])
			if head := o.keeps(line, m); head != "" {
				before, after = head, ""
			}
			b.replace(at+m[0], at+m[0], before+quote, false)
			b.replace(at+m[0], at+m[1], text, true)
			b.replace(at+m[1], at+m[1], quote+after, false)
		}
		if done {
			return true
		}
	}
	return false
}

// keeps is what an operation keeps in front of its result, such as the call that runs it.
func (o operation) keeps(line []byte, m []int) string {
	switch o.words[0] {
	case "system":
		return string(line[m[0] : m[0]+bytes.IndexByte(line[m[0]:], '[')])
	case "append ":
		return "set " + string(line[m[2]:m[3]]) + " "
	}
	return ""
}

var anyLiteral = regexp.MustCompile(literal)

// brackets are those that a stretch opens or closes and that belong to what is around it.
func brackets(stretch []byte) (before, after string) {
	code := anyLiteral.ReplaceAll(stretch, nil)
	depth := bytes.Count(code, []byte{'('}) - bytes.Count(code, []byte{')'})
	return strings.Repeat("(", max(0, depth)), strings.Repeat(")", max(0, -depth))
}
