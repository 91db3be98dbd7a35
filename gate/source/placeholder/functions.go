package placeholder

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// call is a use of a function. subject is what it works on, where the notation says
// so: what comes before a pipe or a dot, or the last word of a Go template.
type call struct {
	name    string
	args    []Value
	subject Value
	last    bool // a Go template: without a pipe the last argument is the subject
}

// apply works out a call; the value of one that is not known is not known.
func (c call) apply() Value {
	name := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(c.name[strings.LastIndexByte(c.name, '.')+1:]))
	switch name {
	case "format", "printf", "sprintf":
		return c.format()
	case "join", "joinstr":
		return c.join()
	case "concat", "list", "tuple", "flatten", "append", "union", "compact", "sort", "distinct", "uniq", "toset", "tolist", "createarray":
		return c.concat()
	case "cat":
		return c.words(" ")
	case "print":
		return c.words("")
	case "replace", "replaceall", "regexreplace", "regexreplaceall", "regexreplaceallliteral", "gsub", "resub":
		return c.replace(strings.HasPrefix(name, "re") && name != "replace" && name != "replaceall")
	case "split", "splitlist", "splitstr":
		return c.split()
	case "substr", "substring", "truncate", "trunc":
		return c.substring(name)
	case "element", "index", "get", "getitem":
		return c.element()
	case "coalesce", "default", "d", "firstof", "or", "try":
		return c.first()
	case "trimprefix", "removeprefix", "trimsuffix", "removesuffix", "trimall":
		return c.cut(name)
	}
	return c.simple(name)
}

// variable is the name that a call takes a variable by: user `name` of Packer.
func (c call) variable() (string, bool) {
	if c.name != "user" && c.name != "env" && c.name != "var" || len(c.args) != 1 {
		return "", false
	}
	return c.args[0].String()
}

// simple are the functions of one value.
func (c call) simple(name string) Value {
	v := c.subject
	if !v.Known() && len(c.args) > 0 {
		v = c.args[len(c.args)-1]
		if !c.last {
			v = c.args[0]
		}
	}
	switch name {
	case "fromjson", "parsejson", "jsondecode", "fromyaml", "yamldecode", "converttojson", "json":
		if v.kind == isText {
			return fromJSON(v.text)
		}
		return v
	case "first":
		return v.member("0")
	case "last":
		return v.member("-1")
	case "reverse", "strrev":
		return reversed(v)
	case "items", "values", "string", "str", "tostring", "squote", "quote", "safe", "trim", "trimspace", "strip", "chomp", "indent", "nindent", "nonsensitive", "sensitive",
		"tojson", "jsonencode", "title", "capitalize", "lower", "tolower", "downcase", "upper", "toupper", "upcase", "b64decode", "b64dec", "base64decode", "decodebase64",
		"frombase64", "hexdecode", "fromhex", "urldecode", "urlunquote", "unquote", "nospace", "swapcase", "expandvars", "base64", "fnbase64", "trimspaces", "untrusted", "int", "raw", "escape":
		return change(name, v)
	}
	return Value{}
}

// change is a text in another form.
func change(name string, v Value) Value {
	if v.kind != isText {
		return v
	}
	s := v.text
	switch name {
	case "lower", "tolower", "downcase":
		return Text(strings.ToLower(s))
	case "upper", "toupper", "upcase":
		return Text(strings.ToUpper(s))
	case "capitalize", "title":
		return Text(strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):])
	case "swapcase":
		return Text(strings.Map(swapped, s))
	case "trim", "trimspace", "strip", "chomp", "trimspaces":
		return Text(strings.TrimSpace(s))
	case "nospace":
		return Text(strings.Join(strings.Fields(s), ""))
	case "b64decode", "b64dec", "base64decode", "decodebase64", "frombase64":
		if plain, err := base64.StdEncoding.DecodeString(s); err == nil {
			return Text(string(plain))
		}
		return Value{}
	case "hexdecode", "fromhex":
		if plain, err := hex.DecodeString(s); err == nil {
			return Text(string(plain))
		}
		return Value{}
	case "urldecode", "urlunquote", "unquote":
		if plain, err := url.PathUnescape(s); err == nil {
			return Text(plain)
		}
	}
	return v
}

func swapped(r rune) rune {
	if upper := []rune(strings.ToUpper(string(r))); upper[0] != r {
		return upper[0]
	}
	return []rune(strings.ToLower(string(r)))[0]
}

func reversed(v Value) Value {
	switch v.kind {
	case isText:
		runes := []rune(v.text)
		slices.Reverse(runes)
		return Text(string(runes))
	case isList:
		list := slices.Clone(v.list)
		slices.Reverse(list)
		return List(list...)
	}
	return Value{}
}

// all are the arguments, with the subject in its place.
func (c call) all() []Value {
	switch {
	case !c.subject.Known():
		return c.args
	case c.last:
		return append(slices.Clip(c.args), c.subject)
	}
	return append([]Value{c.subject}, c.args...)
}

// texts are the texts of all arguments, false where one has none.
func (c call) texts() ([]string, bool) {
	all := c.all()
	out := make([]string, len(all))
	for i, v := range all {
		s, ok := v.String()
		if !ok {
			return nil, false
		}
		out[i] = s
	}
	return out, true
}

var (
	numbered = regexp.MustCompile(`\{(\d{1,2})[^{}]{0,20}\}|\{\{|\}\}|\{\}`)
	verb     = regexp.MustCompile(`%%|%[-+# 0]{0,5}(?:\[(\d)\])?[\d.]{0,6}[sdvqfxXtT]`)
)

// format fills {0} or %s.
func (c call) format() Value {
	args, ok := c.texts()
	if !ok || len(args) == 0 {
		return Value{}
	}
	at := 0
	fill := func(index string) string {
		i := at
		if index != "" {
			i, _ = strconv.Atoi(index)
		}
		at++
		if i+1 < len(args) {
			return args[i+1]
		}
		return ""
	}
	if verb.MatchString(args[0]) && !numbered.MatchString(args[0]) {
		return bounded(verb.ReplaceAllStringFunc(args[0], func(of string) string {
			if of == "%%" {
				return "%"
			}
			index := verb.FindStringSubmatch(of)[1]
			if n, err := strconv.Atoi(index); err == nil {
				index = strconv.Itoa(n - 1)
			}
			return fill(index)
		}))
	}
	return bounded(numbered.ReplaceAllStringFunc(args[0], func(of string) string {
		if of == "{{" || of == "}}" {
			return of[:1]
		}
		return fill(numbered.FindStringSubmatch(of)[1])
	}))
}

// join puts a list together; its separator may be before or behind it.
func (c call) join() Value {
	separator, list := "", Value{}
	if c.subject.kind != isText || c.subject.text != "" {
		for _, v := range c.all() {
			switch {
			case v.kind == isList && !list.Known():
				list = v
			case v.kind == isText:
				separator = v.text
			case v.kind == unknown:
				return Value{}
			}
		}
	} else if len(c.args) == 1 { // ''.join(list)
		list = c.args[0]
	}
	if list.kind != isList {
		return Value{}
	}
	s, ok := joined(list.list, separator)
	switch {
	case ok:
		return bounded(s)
	case size(list.list, separator) > maxText:
		return Value{over: true}
	}
	return Value{}
}

func (c call) concat() Value {
	out := List()
	for _, v := range c.all() {
		if v.kind == isList {
			out.list = append(out.list, v.list...)
		} else {
			out.list = append(out.list, v)
		}
	}
	if len(out.list) > maxItems {
		return Value{over: true}
	}
	return out
}

// words puts all arguments together.
func (c call) words(separator string) Value {
	args, ok := c.texts()
	if !ok {
		return Value{}
	}
	return bounded(strings.Join(args, separator))
}

// maxPattern bounds a pattern, and what replaces what it matches.
const maxPattern = 200 // bytes

func (c call) replace(pattern bool) Value {
	args, ok := c.texts()
	if !ok || len(args) != 3 {
		return Value{}
	}
	text, from, to := args[0], args[1], args[2]
	if c.last {
		text, from, to = args[2], args[0], args[1]
	}
	if body, ok := strings.CutPrefix(from, "/"); ok && strings.HasSuffix(body, "/") {
		from, pattern = strings.TrimSuffix(body, "/"), true
	}
	if !pattern {
		if len(to) > 0 && strings.Count(text, from)*len(to) > maxText {
			return Value{over: true}
		}
		return bounded(strings.ReplaceAll(text, from, to))
	}
	re, err := regexp.Compile(from)
	if err != nil || len(from) > maxPattern || len(to) > maxPattern {
		return Value{over: err == nil}
	}
	return bounded(re.ReplaceAllString(text, strings.ReplaceAll(to, `\`, "$")))
}

func (c call) split() Value {
	args, ok := c.texts()
	if !ok || len(args) == 0 || len(args) > 2 {
		return Value{}
	}
	if len(args) == 1 {
		args = append(args, " ")
	}
	text, separator := args[0], args[1]
	if c.last || len(separator) > len(text) {
		text, separator = separator, text
	}
	out := List()
	for part := range strings.SplitSeq(text, separator) {
		if len(out.list) == maxItems {
			return Value{over: true}
		}
		out.list = append(out.list, Text(part))
	}
	return out
}

func (c call) substring(name string) Value {
	args, ok := c.texts()
	if !ok || len(args) < 2 {
		return Value{}
	}
	if c.last {
		args = append(args[len(args)-1:], args[:len(args)-1]...)
	}
	start, ok := number(args[1])
	if !ok {
		return Value{}
	}
	end := len(args[0])
	if len(args) == 2 && strings.HasPrefix(name, "trunc") {
		start, end = 0, start
	}
	if len(args) > 2 {
		if end, ok = number(args[2]); !ok {
			return Value{}
		}
		if end < 0 {
			end = len(args[0])
		} else if !c.last { // a length, not a place
			end += start
		}
	}
	start, end = min(max(start, 0), len(args[0])), min(max(end, 0), len(args[0]))
	return Text(args[0][start:max(start, end)])
}

func (c call) element() Value {
	all := c.all()
	if len(all) < 2 {
		return Value{}
	}
	key, ok := all[1].String()
	if !ok {
		return Value{}
	}
	return all[0].member(key)
}

// first is the first known value that is not empty.
func (c call) first() Value {
	all := c.all()
	if c.last {
		slices.Reverse(all)
	}
	for _, v := range all {
		if v.Known() && (v.kind != isText || v.text != "") {
			return v
		}
	}
	return Value{}
}

func (c call) cut(name string) Value {
	args, ok := c.texts()
	if !ok || len(args) != 2 {
		return Value{}
	}
	text, part := args[0], args[1]
	if c.last {
		text, part = part, text
	}
	switch {
	case strings.HasSuffix(name, "prefix"):
		return Text(strings.TrimPrefix(text, part))
	case strings.HasSuffix(name, "suffix"):
		return Text(strings.TrimSuffix(text, part))
	}
	return Text(strings.Trim(text, part))
}

// number reads a whole number.
func number(s string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(s))
	return n, err == nil && n > -maxText && n < maxText
}

// bounded is a text that is not too long.
func bounded(s string) Value {
	if len(s) > maxText {
		return Value{over: true}
	}
	return Text(s)
}
