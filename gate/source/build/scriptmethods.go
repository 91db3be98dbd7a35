package build

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// called works out a method of a constant.
func called(v operand, method string, args operand) (operand, bool) {
	arg := func(i int) string {
		if i < len(args.list) {
			return args.list[i].text
		}
		return ""
	}
	text := func(s string) (operand, bool) {
		return operand{text: s, known: true, made: true}, len(s) <= maxValue
	}
	switch method {
	case "join", "joinToString", "mkString", "Join":
		switch {
		case v.isList:
			return text(joined(v.list, arg(0)))
		case v.known && len(args.list) == 1 && args.list[0].isList:
			return text(joined(args.list[0].list, v.text))
		case v.known && len(args.list) > 0:
			return text(joined(args.list, v.text))
		}
	case "reverse", "reversed", "asReversed":
		if v.isList {
			out := operand{isList: true, known: true, made: true}
			for _, item := range slices.Backward(v.list) {
				out.list = append(out.list, item)
			}
			return out, true
		}
		return operand{text: reverse(v.text), known: v.known, made: true}, v.known
	case "flatten", "toList", "toTypedArray", "asList", "to_a":
		return v, v.isList
	}
	if !v.known || v.isList {
		return operand{}, false
	}
	switch method {
	case "format", "formatted":
		return text(braces(v.text, args))
	case "replace", "replaceAll", "gsub", "sub", "replaceFirst":
		if len(args.list) != 2 || arg(0) == "" || strings.Count(v.text, arg(0))*len(arg(1)) > maxValue {
			return operand{}, false
		}
		return text(strings.ReplaceAll(v.text, arg(0), arg(1)))
	case "minus", "removePrefix", "removeSuffix", "delete":
		return text(strings.ReplaceAll(v.text, arg(0), ""))
	case "concat", "plus":
		return plus(v, operand{text: arg(0), known: true}), true
	case "trim", "strip", "chomp", "trimIndent", "stripIndent", "stripMargin", "to_s", "toString", "lstrip", "rstrip", "get", "s":
		return text(strings.TrimSpace(v.text))
	case "toLowerCase", "lowercase", "lower", "downcase", "to_lower":
		return text(strings.ToLower(v.text))
	case "toUpperCase", "uppercase", "upper", "upcase", "to_upper":
		return text(strings.ToUpper(v.text))
	case "tr":
		if out, ok := translated(v.text, []string{arg(0), arg(1)}); ok {
			return text(out)
		}
	case "substring", "slice", "drop":
		return partOfText(v.text, arg(0), arg(1))
	case "split", "tokenize", "chars":
		out := operand{isList: true, known: true, made: true}
		for _, part := range strings.SplitN(v.text, arg(0), maxItems) {
			out.list = append(out.list, operand{text: part, known: true})
		}
		return out, true
	case "decodeBase64", "unpack1", "decode64":
		if plain, err := base64.StdEncoding.DecodeString(v.text); err == nil {
			return text(string(plain))
		}
	}
	return operand{}, false
}

func partOfText(s, from, to string) (operand, bool) {
	n, err := strconv.Atoi(from)
	m, err2 := strconv.Atoi(to)
	if err2 != nil {
		m = len(s)
	}
	if err != nil || n < 0 || m > len(s) || n > m {
		return operand{}, false
	}
	return operand{text: s[n:m], known: true, made: true}, true
}

func joined(list []operand, glue string) string {
	parts := make([]string, len(list))
	size := 0
	for i, v := range list {
		parts[i] = v.asText()
		if size += len(parts[i]) + len(glue); size > maxValue {
			return notWorkedOut("join")
		}
	}
	return strings.Join(parts, glue)
}

var braceField = regexp.MustCompile(`\{(\w*)\}|@(\d+)@|%(?:\d+\$)?s`)

// braces is "{}{}".format(a, b) of Starlark, and '@0@@1@'.format(a, b) of Meson.
func braces(format string, args operand) string {
	at, size := 0, 0
	return braceField.ReplaceAllStringFunc(format, func(f string) string {
		m := braceField.FindStringSubmatch(f)
		n, err := strconv.Atoi(m[1] + m[2])
		if m[1] != "" && err != nil {
			return args.field(m[1]).asText()
		}
		if m[1]+m[2] == "" {
			n = at
			at++
		}
		if n >= len(args.list) {
			return f
		}
		text := args.list[n].asText()
		if size += len(text); size > maxValue {
			return f
		}
		return text
	})
}
