package build

import (
	"slices"
	"strconv"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// reference matches the use of a property: ${a} and @{a} of Ant and Maven, $(A), @(A) and %(A.B)
// of MSBuild, and what MSBuild writes for a character.
var reference = regexp.MustCompile(`\$\{([^{}]{1,1000})\}|@\{([^{}]{1,1000})\}|[@%]\(([\w.-]{1,1000})(?:->[^()]*)?\)|%([0-9A-Fa-f]{2})`)

// expand works out the properties in a text.
func (p *document) expand(s string, depth int) string {
	if !strings.ContainsAny(s, "$@%") {
		return s
	}
	if depth > maxDepth || !p.budget.take(len(s)) {
		return tooMuch(maxDepth, "levels")
	}
	s = p.functions(s, depth)
	s = reference.ReplaceAllStringFunc(s, func(of string) string {
		m := reference.FindStringSubmatch(of)
		switch {
		case m[4] != "":
			if c, err := strconv.ParseUint(m[4], 16, 8); err == nil && c >= ' ' && c < 0x7f {
				return string(rune(c))
			}
			return of
		case m[1] != "":
			return p.value(m[1], of, depth)
		case m[2] != "":
			return p.value("@"+m[2], of, depth)
		case of[0] == '@':
			return p.value("@"+m[3], of, depth)
		}
		return p.value(m[3][strings.LastIndexByte(m[3], '.')+1:], of, depth)
	})
	if len(s) > maxValue {
		return tooMuch(maxValue, "bytes")
	}
	return s
}

// value is what a property holds.
func (p *document) value(name, written string, depth int) string {
	name = strings.ToLower(strings.TrimSpace(name))
	values := p.properties[name]
	if len(values) == 0 {
		return fromElsewhere(written)
	}
	if p.active[name] {
		return "" // what it was before
	}
	if over, ok := p.ways.tooMany(values); ok {
		return over
	}
	p.active[name] = true
	defer delete(p.active, name)
	return p.expand(values[p.ways.choose(name, len(values))], depth+1)
}

// functions works out $(A) and $(A.Replace('a', 'b')).
func (p *document) functions(s string, depth int) string {
	var out strings.Builder
	for {
		i := strings.Index(s, "$(")
		if i < 0 || !p.budget.take(1) {
			break
		}
		body := balanced(s[i+2:], '(')
		out.WriteString(s[:i] + p.function(body, depth))
		s = s[min(len(s), i+3+len(body)):]
	}
	return out.String() + s
}

var (
	plainProperty = regexp.MustCompile(`^\s*[\w.-]+\s*$`)
	memberCall    = regexp.MustCompile(`^\s*\.\s*(\w+)\s*\(`)
	staticCall    = regexp.MustCompile(`^\s*\[([\w.]+)\]::(\w+)\s*\(`)
	propertyName  = regexp.MustCompile(`^\s*(\w+)`)
)

// function evaluates the content of $(…).
func (p *document) function(body string, depth int) string {
	if plainProperty.MatchString(body) {
		if name := strings.ToLower(strings.TrimSpace(body)); len(p.properties[name]) > 0 || !strings.Contains(body, ".") {
			return p.value(body, "$("+body+")", depth)
		}
	}
	var text, rest string
	if m := staticCall.FindStringSubmatch(body); m != nil {
		inner := balanced(body[len(m[0]):], '(')
		text = static(m[1]+"."+m[2], p.arguments(inner, depth))
		rest = body[min(len(body), len(m[0])+len(inner)+1):]
	} else if m := propertyName.FindStringSubmatch(body); m != nil {
		text, rest = p.value(m[1], "$("+m[1]+")", depth), body[len(m[0]):]
	} else {
		return fromElsewhere("$(" + body + ")")
	}
	for {
		m := memberCall.FindStringSubmatch(rest)
		if m == nil {
			break
		}
		inner := balanced(rest[len(m[0]):], '(')
		text = member(text, m[1], p.arguments(inner, depth))
		rest = rest[min(len(rest), len(m[0])+len(inner)+1):]
	}
	if strings.TrimSpace(rest) != "" {
		return notWorkedOut("property-function")
	}
	return text
}

// arguments are those of a function, without their quotes.
func (p *document) arguments(s string, depth int) []string {
	var out []string
	quote, start := byte(0), 0
	cut := func(end int) {
		arg := strings.TrimSpace(s[start:end])
		if n := len(arg); n > 1 && strings.IndexByte("'\"`", arg[0]) >= 0 && arg[n-1] == arg[0] {
			arg = arg[1 : n-1]
		}
		out = append(out, p.expand(arg, depth+1))
	}
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == ',':
			cut(i)
			start = i + 1
		}
	}
	cut(len(s))
	return out
}

// static is a function of .NET that MSBuild calls.
func static(name string, args []string) string {
	all := strings.Join(args, "")
	switch i := strings.LastIndexByte(name, '.'); name[i+1:] {
	case "Concat":
		if known(all) {
			return all
		}
	case "Copy", "Escape", "Unescape", "NormalizePath", "NormalizeDirectory", "EnsureTrailingSlash", "GetFullPath", "ValueOrDefault":
		return all
	case "GetEnvironmentVariable", "GetFolderPath", "GetDirectoryName", "GetDirectoryNameOfFileAbove", "GetPathOfFileAbove", "Combine", "MakeRelative",
		"IsOSPlatform", "GetTargetFrameworkVersion", "GetRegistryValue", "Exists", "GetTempPath", "GetCurrentDirectory", "VersionGreaterThan", "VersionLessThan":
		return fromElsewhere("$([" + name + "])")
	case "Join":
		if known(all) && len(args) > 0 {
			return strings.Join(args[1:], args[0])
		}
	}
	return notWorkedOut("property-function")
}

// member is a function of a text.
func member(text, name string, args []string) string {
	if !known(text + strings.Join(args, "")) {
		switch name {
		case "Trim", "TrimEnd", "TrimStart", "EndsWith", "StartsWith", "Contains", "ToString":
			return text
		}
		if strings.HasPrefix(text, string(unknownOpen)+"v") { // of what the tool or the machine sets
			return fromElsewhere("$(" + name + ")")
		}
		return notWorkedOut("property-function")
	}
	switch {
	case name == "Replace" && len(args) == 2 && args[0] != "":
		return strings.ReplaceAll(text, args[0], args[1])
	case name == "ToLower" || name == "ToLowerInvariant":
		return strings.ToLower(text)
	case name == "ToUpper" || name == "ToUpperInvariant":
		return strings.ToUpper(text)
	case strings.HasPrefix(name, "Trim"):
		return strings.TrimSpace(text)
	case name == "ToString":
		return text
	case name == "Substring" && len(args) > 0:
		length := "-1"
		if len(args) > 1 {
			length = args[1]
		}
		if part, ok := substring(text, args[0], length); ok {
			return part
		}
	case name == "Insert" && len(args) == 2:
		if n, err := strconv.Atoi(args[0]); err == nil && n >= 0 && n <= len(text) {
			return text[:n] + args[1] + text[n:]
		}
	case name == "Remove" && len(args) == 2:
		n, err := strconv.Atoi(args[0])
		m, err2 := strconv.Atoi(args[1])
		if err == nil && err2 == nil && n >= 0 && m >= 0 && n <= len(text) && m <= len(text)-n {
			return text[:n] + text[n+m:]
		}
	}
	return notWorkedOut("property-function")
}

// What names a program, its arguments, a whole command and code, in lower case.
var (
	programKey = regexp.MustCompile(`^(?:executable|program|tool|toolexe|jvm)$`)
	lineKey    = regexp.MustCompile(`^(?:command|cmd|commandline|(?:pre|post)\w*event|inputstring|shellcommand|\w*scripttext|runcommand|startaction|startprogram)$`)
	argumentIn = regexp.MustCompile(`^(?:arg|argument|arguments|args|commandlineargs|commandarguments|parameters|startarguments)$`)
	codeIn     = regexp.MustCompile(`^(?:script|scriptdef|code|source|groovy|target|function)$`)
)

// commands adds the values and commands of an element and of what is in it.
func (p *document) commands(e *element) {
	if p.nesting++; p.budget.over(p.nesting, maxNesting, "elements within each other") || p.budget.spent {
		p.nesting--
		return
	}
	defer func() { p.nesting-- }()
	name := strings.ToLower(e.name)
	for _, a := range e.attrs {
		key := strings.ToLower(a.Name.Local)
		p.each(a.Value, func(text string) { p.add(key, text, e.at, lineKey.MatchString(key)) })
	}
	if text := strings.TrimSpace(e.text); text != "" {
		switch lang, _ := e.attr("language"); {
		case codeIn.MatchString(name) && len(e.children) == 0 && !p.budget.full(len(p.out.Code), maxDocument, "programs in a document"):
			p.out.Code = append(p.out.Code, Value{Line: Line{e.text, e.at}, Key: strings.ToLower(lang)})
			fallthrough
		default:
			p.each(text, func(text string) { p.add(name, text, e.at, lineKey.MatchString(name)) })
		}
	}
	if name == "get" || name == "downloadfile" {
		p.download(e)
	}
	p.started(e)
	for _, c := range e.children {
		p.commands(c)
	}
}

// each calls do with every value of a text.
func (p *document) each(text string, do func(string)) {
	var seen []string
	p.budget.every(func(w *ways) {
		p.ways = w
		if value := p.expand(text, 0); !slices.Contains(seen, value) {
			seen = append(seen, value)
			do(value)
		}
	})
}

func (p *document) add(key, text string, at int, command bool) {
	if !p.budget.full(len(p.out.Values), maxDocument, "values of a document") {
		p.out.Values = append(p.out.Values, Value{Line{shownAs(text, command), at}, key, command})
	}
}

// shownAs marks only commands: another text is no name of one.
func shownAs(text string, command bool) string {
	if command {
		return shown(text)
	}
	return strings.ReplaceAll(shown(text), Computed, "${{")
}

// download is a file that is fetched.
func (p *document) download(e *element) {
	from, _ := e.attr("src")
	if from == "" {
		from, _ = e.attr("SourceUrl")
	}
	to, _ := e.attr("dest")
	if from != "" {
		p.each("curl -fsSL "+from+" -o "+to, func(text string) { p.add("command", text, e.at, true) })
	}
}

// started adds the program that an element starts with its arguments.
func (p *document) started(e *element) {
	program := ""
	for _, a := range e.attrs {
		if programKey.MatchString(strings.ToLower(a.Name.Local)) {
			program = a.Value
		}
	}
	for _, c := range e.children {
		if programKey.MatchString(strings.ToLower(c.name)) {
			program = c.text
		}
	}
	if program == "" {
		return
	}
	words := []string{strings.TrimSpace(program)}
	p.words(e, &words, 0)
	p.each(commandLine(words), func(text string) { p.add("command", strings.Join(strings.Fields(text), " "), e.at, true) })
}

// words are the arguments that are in an element.
func (p *document) words(e *element, words *[]string, depth int) {
	for _, c := range e.children {
		if !argumentIn.MatchString(strings.ToLower(c.name)) || p.budget.full(depth, 9, "arguments within each other") || p.budget.full(len(*words), maxItems, "arguments") {
			continue
		}
		for _, a := range c.attrs {
			if slices.Contains([]string{"value", "file", "path", "line"}, strings.ToLower(a.Name.Local)) {
				*words = append(*words, a.Value)
			}
		}
		if text := strings.TrimSpace(c.text); text != "" {
			*words = append(*words, text)
		}
		p.words(c, words, depth+1)
	}
}
