package loads

import (
	"slices"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/embedded"
)

// Bounds of what is put together.
const (
	maxTemplates    = 8    // commands that one file's rows go into
	maxTemplateText = 2000 // bytes of one
	maxTriedLines   = 200  // lines of one text that are searched for them
	maxLoopLines    = 40   // lines of a loop in a script
)

// literal matches the texts and the names of a call's arguments, and what is between them.
var (
	literal = regexp.MustCompile(`[fFrRbBuU]{0,2}"((?:[^"\\\n]|\\.)*)"|[fFrRbBuU]{0,2}'((?:[^'\\\n]|\\.)*)'|` + "`((?:[^`\\\\]|\\\\.)*)`" +
		`|(\*{0,2}[A-Za-z_$][\w$]*(?:\.\w+\((?:[^()]*)\)|\.\w+|\[[^\[\]]*\])*)|(,)|(\)\s*$)`)
	holes   = regexp.MustCompile(`\$\{([^{}]*)\}|#\{([^{}]*)\}|\{([^{}]*)\}|(%[sdvq])`)
	keyedBy = regexp.MustCompile(`\[\s*["']([\w .-]+)["']\s*\]|\.get\(\s*["']([\w .-]+)["']|\.(\w+)(?:$|[^\w(])`)
	joined  = regexp.MustCompile(`^\s*\.join\(`)
)

// template returns the command that a call makes of a value, where its arguments say it: the
// texts of the call with places for what is known to come from the file.
func (v *follower) template(line string) embedded.Template {
	var out embedded.Template
	values := 0
	hole := func(key string) {
		out = append(out, embedded.Part{Value: true, Key: key})
		values++
	}
	at := 0
	for _, m := range literal.FindAllStringSubmatchIndex(line, maxWords) {
		if m[0] < at {
			continue
		}
		at = m[1]
		text, name := line[m[0]:m[1]], ""
		if m[8] >= 0 {
			name = strings.TrimLeft(text, "*$")
		}
		switch {
		case m[10] >= 0:
			out = append(out, embedded.Part{Text: " "})
		case name != "" && strings.HasPrefix(strings.TrimLeft(line[m[1]:], " "), "=") && !strings.HasPrefix(strings.TrimLeft(line[m[1]:], " "), "=="):
			return v.whole(out, values) // shell=True
		case name != "" && v.isTracked(name):
			hole(keyOf(name))
		case name != "":
			continue
		case m[12] >= 0:
			return v.whole(out, values)
		default:
			body := line[max(m[2], m[4], m[6]):max(m[3], m[5], m[7])]
			if j := joined.FindStringIndex(line[m[1]:]); j != nil {
				out = append(out, embedded.Part{Value: true, Joins: true, Text: body})
				return v.whole(out, values+1)
			}
			formatted := strings.HasPrefix(line[m[1]:], ".format(")
			values += fillHoles(&out, body, formatted || strings.HasPrefix(text, "f") || strings.HasPrefix(text, "`"), v)
			if formatted {
				return v.whole(out, values)
			}
		}
	}
	return v.whole(out, values)
}

// whole returns a template that has a value in it.
func (v *follower) whole(t embedded.Template, values int) embedded.Template {
	if values == 0 {
		return nil
	}
	return t
}

// isTracked reports whether an expression begins with a name whose value is the file's.
func (v *follower) isTracked(name string) bool {
	return v.names[strings.TrimLeft(word.FindString(name), "$")] > 0
}

// keyOf is the key by which an expression takes a value out of a row, empty for the row.
func keyOf(expr string) string {
	m := keyedBy.FindStringSubmatch(expr)
	if m == nil {
		return ""
	}
	return m[1] + m[2] + m[3]
}

// fillHoles adds the parts of a text with places in it, and returns how many there are.
func fillHoles(out *embedded.Template, body string, braces bool, v *follower) int {
	values, at := 0, 0
	for _, h := range holes.FindAllStringSubmatchIndex(body, maxColumns) {
		*out = append(*out, embedded.Part{Text: body[at:h[0]]})
		at = h[1]
		group := func(n int) string {
			if h[2*n] < 0 {
				return ""
			}
			return body[h[2*n]:h[2*n+1]]
		}
		expr := group(1) + group(2) + group(3)
		switch {
		case h[6] >= 0 && !braces:
			*out = append(*out, embedded.Part{Text: body[h[0]:h[1]]})
			continue
		case v.isTracked(expr) || h[8] >= 0:
			*out = append(*out, embedded.Part{Value: true, Key: keyOf(expr)})
		case fieldName.MatchString(expr): // of format(**row), or of another name
			*out = append(*out, embedded.Part{Value: true, Key: expr})
		default:
			*out = append(*out, embedded.Part{Value: true})
		}
		values++
	}
	*out = append(*out, embedded.Part{Text: body[at:]})
	return values
}

// maxColumns bounds the places in one text.
const maxColumns = 40

var fieldName = regexp.MustCompile(`^[A-Za-z_]\w*$`)

var (
	loopBegins = regexp.MustCompile(`\b(?:do)\b`)
	loopEnds   = regexp.MustCompile(`;?\s*\bdone\b`)
	arguments  = regexp.MustCompile(`\b(?:xargs|parallel)\s+((?:-[\w-]+(?:[= ]?(?:\d+|\{\}))?\s+)*)([^<>|;&\n]+)`)
)

// shellTemplates are the commands of a script that a line of the file goes into: what xargs is
// given, and the body of a loop that reads lines.
func (v *follower) shellTemplates(n int, line string) []embedded.Template {
	value := func(command string) embedded.Part {
		return embedded.Part{Value: true, Word: !reparses.MatchString(command)}
	}
	if v.mentions(n) {
		if m := arguments.FindStringSubmatch(line); m != nil {
			command := strings.TrimSpace(m[2])
			if before, after, found := strings.Cut(command, "{}"); found {
				return []embedded.Template{{{Text: before}, value(command), {Text: after}}}
			}
			return []embedded.Template{{{Text: command + " "}, value(command)}}
		}
	}
	body := v.loop(n)
	if body == "" || v.mentions(n) && loopsOverNames(line, v.at[n].first, body) {
		return nil
	}
	var out embedded.Template
	at := 0
	for _, m := range shellValue.FindAllStringSubmatchIndex(body, maxWords) {
		name := ""
		if m[2] >= 0 {
			name = body[m[2]:m[3]]
		}
		if v.names[name] == 0 {
			continue
		}
		out = append(out, embedded.Part{Text: body[at:m[0]]}, value(body))
		at = m[1]
	}
	if len(out) == 0 {
		return nil
	}
	return []embedded.Template{append(out, embedded.Part{Text: body[at:]})}
}

// loopsOverNames reports whether a mention of files on a line is what a loop goes over, as in
// "for f in *.md", and its body reads none of them: what goes into its commands are names.
func loopsOverNames(line string, mention int, body string) bool {
	m := looped.FindStringSubmatch(line[:min(mention, len(line))])
	if m == nil || strings.ContainsAny(m[0], "$`<(") {
		return false
	}
	for _, at := range shellValue.FindAllStringSubmatchIndex(body, maxWords) {
		if at[2] >= 0 && body[at[2]:at[3]] == m[1] && readsFile.MatchString(body[max(0, at[0]-maxInFront):at[0]]) {
			return false
		}
	}
	return true
}

// readsFile matches what a command has in front of a file whose text it takes.
var readsFile = regexp.MustCompile(`(?:<|(?:^|[\n;&|(]|\bdo\b|\bthen\b)\s*\.?|\b(?:cat|head|tail|tac|sed|awk|gawk|e?grep|rg|cut|sort|uniq|tr|jq|yq|xargs|paste|nl|rev|read|mapfile|readarray|source|eval|(?:ba|da|z|k|a)?sh|python[\d.]*|perl|ruby|node|php|base64|openssl|xxd|[gzx]z?cat|tar|unzip)\b[^\n;]*)\s*["']?$`)

// reparses matches what has a shell read a value as code.
var reparses = regexp.MustCompile(`\beval\s|\bsh\s+(?:-\w+\s+)*-\w*c\b|\|\s*(?:sudo\s+)?(?:ba|da|z|k|a)?sh\b|(?m:^\s*["']?\$)`)

// shellValue matches the use of a variable.
var shellValue = regexp.MustCompile(`\$\{?([A-Za-z_]\w*)(?:[%#:/][^{}\s]*)?\}?`)

// loop is the body of the loop around a line of a script, empty where there is none.
func (v *follower) loop(n int) string {
	first := n
	for !loopBegins.MatchString(v.lines[first]) {
		if first--; first < 0 || n-first > maxLoopLines {
			return ""
		}
	}
	var b strings.Builder
	for at := first; at < len(v.lines) && at-first <= maxLoopLines && b.Len() < maxTemplateText; at++ {
		text := v.lines[at]
		if at == first {
			text = text[loopBegins.FindStringIndex(text)[1]:]
		}
		end := loopEnds.FindStringIndex(text)
		if end != nil {
			text = text[:end[0]]
		}
		b.WriteString(strings.TrimSpace(text) + "\n")
		if end != nil {
			if at < n {
				return ""
			}
			return strings.TrimSpace(b.String())
		}
	}
	return ""
}

// tries reports whether one more line may be searched for a command.
func (v *follower) tries() bool {
	v.tried++
	return v.tried <= maxTriedLines && len(v.templates) < maxTemplates
}

// keep notes the commands that the rows of the file go into.
func (v *follower) keep(n int, templates ...embedded.Template) {
	for _, t := range templates {
		if len(t) == 0 || len(v.templates) >= maxTemplates || len(t.Neutral()) > maxTemplateText {
			continue
		}
		known := slices.ContainsFunc(v.templates, func(k embedded.Template) bool { return slices.Equal(k, t) })
		if !known {
			v.templates = append(v.templates, t)
			if v.line == 0 {
				v.line = n + 1
			}
		}
	}
}

// isRows reports whether a file of that name is data that no parser of keys and values reads:
// the rows of a table or the lines of a list.
func isRows(name string) bool {
	base := name[strings.LastIndexByte(name, '/')+1:]
	at := strings.LastIndexByte(base, '.')
	if at <= 0 {
		return true
	}
	switch strings.ToLower(base[at:]) {
	case ".txt", ".text", ".list", ".lst", ".csv", ".tsv", ".psv", ".tab", ".xml", ".md", ".dat", ".data", ".urls", ".rows", ".in":
		return true
	}
	return false
}

// readsRows matches what reads the rows of a file: more than its name on the line of a call.
var readsRows = regexp.MustCompile(`\b(?:open|file|read\w*|readlines|readFile(?:Sync)?|ReadFile|createReadStream|foreach|fopen|file_get_contents|DictReader|reader|read_csv|parse\w*|fromstring|iterparse|slurp|Path)\s*\(|\bfor\s+\w+\s+in\b|\bfor\s*\(`)
