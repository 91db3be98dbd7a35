package embedded

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/source/strlit"
)

// evaluators are the functions, by the last part of their name, that run a text among their
// arguments as code of the program's own language: the manuals of the standard libraries of
// Python and Node.js, the Web APIs, and the packages that are used most for it.
func evaluators(lang gate.Language) []string {
	switch lang {
	case gate.LanguagePython:
		return []string{"exec", "eval", "execfile", "compile", "compile_command", "source_to_code", // built-in, codeop, importlib
			"timeit", "repeat", "Timer", "runctx", "runeval", "run", "runsource", "push", "interact", "onecmd", "set_trace", // timeit, profile, trace, pdb, code
			"script_from_examples", "get_doctest", "run_docstring_examples", "debug_src", "debug_script", "run_string", "run_in_subinterp", // doctest, interpreters
			"ForwardRef", "evaluate_forward_ref", "make_dataclass", "literal_exec", "PyRun_SimpleString", "PyRun_String", "remote_exec",
			"assert_python_ok", "assert_python_failure", "run_cell", "run_line", "ex", "sexec", "sympify", "parse_expr"}
	case gate.LanguageJavaScript, gate.LanguageTypeScript:
		return []string{"eval", "Function", "GeneratorFunction", "AsyncFunction", "constructor", "execScript", "setTimeout", "setInterval", "setImmediate",
			"runInThisContext", "runInNewContext", "runInContext", "compileFunction", "Script", "SourceTextModule", "_compile", "Worker",
			"requireFromString", "evaluate", "executeJavaScript", "executeScript", "evaluateOnNewDocument", "addInitScript", "evalScript"}
	}
	return nil
}

// Bounds of the texts that a program evaluates.
const (
	maxEvaluated      = 400     // calls of one program
	maxEvaluatedBytes = 1 << 20 // of code, together
)

// evaluatedTexts returns the literals that a program gives to what runs a text as code, one
// piece a call. Nothing says that such a literal is code where a function does other things
// as well, so the pieces are guesses: what is no code has no findings.
func evaluatedTexts(lang gate.Language, content []byte, split func() *lex.Text) []Code {
	calls := callsOf(content, evaluators(lang))
	if len(calls) == 0 {
		return nil
	}
	var out []Code
	var text *lex.Text
	lines := newLineIndex(content)
	found, size := 0, 0
	for _, open := range calls {
		if !bytes.ContainsAny(content[open:min(len(content), open+maxAround)], "\"'`") {
			continue
		}
		if text == nil {
			text = split()
		}
		if text.At(open) != lex.Code {
			continue
		}
		b := evaluatedBy(lang, text, content, open, lines)
		if !bytes.ContainsAny(b.text, "(`=") {
			continue // a name, a path, an option
		}
		if found++; found > maxEvaluated || size > maxEvaluatedBytes {
			out = append(out, unreadOf(maxEvaluated, "texts that a program evaluates are")...)
			break
		}
		size += len(b.text)
		for _, r := range b.region(lang, "") {
			r.Text = withoutIndent(r.Text)
			out = append(out, r)
		}
	}
	return out
}

// evaluatedBy puts the literals of one call together: what is joined is one text, with X for
// what a formatted one puts in, and each other literal has lines of its own.
func evaluatedBy(lang gate.Language, text *lex.Text, content []byte, open int, lines lineIndex) *scriptBuilder {
	var b scriptBuilder
	b.ended = true
	end := closing(text, content, open)
	last := open
	for _, span := range text.From(open) {
		if span.Start >= end {
			break
		}
		if span.Class != lex.String {
			continue
		}
		raw := string(content[span.Start:span.End])
		between := strings.Trim(string(content[last:span.Start]), " \t\r\n+\\")
		if strings.Contains(between, "=>") || strings.Contains(between, "function") {
			break // the texts of a function that is handed on are what it does with them
		}
		field := strings.HasPrefix(raw, "}")
		if field {
			between = ""
			raw = raw[1:]
			if n := len(b.text); n > 0 {
				b.text = append(b.text[:n-1], "X\n"...)
			}
		}
		if last == open || between != "" && strings.Trim(between, "rbufRBUF") != "" {
			b.ended = true
		}
		hold := strings.HasSuffix(raw, "{")
		raw = strings.TrimSuffix(strings.TrimSuffix(raw, "{"), "$")
		body := strlit.TrimQuotes(raw)
		if field || hold {
			body = strings.Trim(raw, "\"'`")
		}
		b.scriptPart(lang, body, lines.of(span.Start))
		b.ended = false
		last = span.End
	}
	return &b
}

// closing is the end of the call that opens there, or that of what is looked at of it.
func closing(text *lex.Text, content []byte, open int) int {
	end := min(len(content), open+maxCallBytes)
	spans := text.From(open)
	depth := 0
	for i := open; i < end; i++ {
		for len(spans) > 0 && spans[0].End <= i {
			spans = spans[1:]
		}
		if len(spans) > 0 && spans[0].Start <= i {
			i = spans[0].End - 1
			continue
		}
		switch content[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth <= 0 {
				return i
			}
		}
	}
	return end
}

// annotated returns the annotations of a Python program that are texts and call something:
// typing.get_type_hints, dataclasses and frameworks evaluate them, in whatever file.
func annotated(content []byte, split func() *lex.Text) []Code {
	var out []Code
	var text *lex.Text
	var lines lineIndex
	for at := 0; len(out) < maxEvaluated; {
		i := bytes.IndexAny(content[at:], "\"'")
		if i < 0 {
			return out
		}
		at += i
		end := at + 1 + bytes.IndexByte(content[at+1:min(len(content), at+1+maxAround)], content[at])
		body := content[at+1 : max(at+1, end)]
		if end <= at || bytes.IndexByte(body, '(') < 0 || !annotates(content, at) {
			at++
			continue
		}
		if text == nil {
			text, lines = split(), newLineIndex(content)
		}
		if span, ok := text.Span(at); ok && span.Class == lex.String && span.Start == at {
			var b builder
			b.add(strlit.UnescapeLoosely(strlit.TrimQuotes(string(content[span.Start:span.End]))), lines.of(at), 0)
			out = append(out, b.region(gate.LanguagePython, "")...)
			at = span.End
			continue
		}
		at++
	}
	return append(out, unreadOf(maxEvaluated, "annotations are")...)
}

// annotates reports whether the text before a quote makes an annotation of it: a name and
// a colon, or an arrow, also with other types around it; or the table of annotations.
func annotates(content []byte, at int) bool {
	begin := 1 + bytes.LastIndexByte(content[max(0, at-maxAround):at], '\n') + max(0, at-maxAround)
	line := bytes.TrimRight(content[begin:at], " \trRuU")
	if bytes.Contains(line, []byte("__annotations__")) {
		return true
	}
	if bytes.HasSuffix(line, []byte("->")) {
		return true
	}
	if i := bytes.LastIndexByte(line, '['); i > 0 && bytes.IndexByte(line[i:], ']') < 0 && slices.Contains([]string{"Annotated", "Optional", "List", "list", "Union", "ClassVar", "InitVar"}, lastWord(line[:i])) {
		return true
	}
	line, ok := bytes.CutSuffix(line, []byte(":"))
	name := lastWord(line)
	return ok && name != "" && name != "else" && name != "lambda"
}

// lastWord is the name that a text ends with.
func lastWord(text []byte) string {
	end := len(text)
	start := end
	for start > 0 && (text[start-1] == '_' || text[start-1]|0x20 >= 'a' && text[start-1]|0x20 <= 'z' || text[start-1] >= '0' && text[start-1] <= '9') {
		start--
	}
	return string(text[start:end])
}

var (
	// evaluatesText matches what runs a text as Python, called or handed on, and interpreters
	// that are started with a text.
	evaluatesText = regexp.MustCompile(`\b(?:exec|eval|execfile|compile|runsource|runcode|runctx|runeval|interact|timeit|Timer|run_string|run_in_subinterp|PyRun_\w+|run_cell\w*|` +
		`evaluate|ForwardRef|get_type_hints|get_annotations|FunctionType|get_doctest|script_from_examples|remote_exec|source_to_code|make_dataclass|literal_exec|get_source|InspectLoader|SourceLoader|ExecutionLoader|FileLoader)\b|\bsys\.executable\b|["'](?:/\S*/)?python[0-9.]*["']`)
	// codeLine matches a line that makes code of a text.
	codeLine = regexp.MustCompile(`(?m)^[ \t]*(?:>>> )?(?:import[ \t]+\w|from[ \t]+[\w.]+[ \t]+import\b|__import__\(|(?:exec|eval)\()`)
)

// codeTexts returns the literals of a Python program that are Python, where the program runs
// texts as code: by way of variables, containers and calls that are not followed, any of them
// may be what it runs.
func codeTexts(content []byte, split func() *lex.Text) []Code {
	if !bytes.Contains(content, []byte("import")) && !bytes.Contains(content, []byte("exec(")) && !bytes.Contains(content, []byte("eval(")) {
		return nil
	}
	if !evaluatesText.Match(content) {
		return nil
	}
	var out []Code
	lines := newLineIndex(content)
	found, size := 0, 0
	values := sync.OnceValue(func() map[string]string { return valuesIn(content) })
	for _, span := range split().Spans {
		raw := content[span.Start:span.End]
		if span.Class != lex.String || len(raw) < minCode || bytes.IndexByte(raw, '(') < 0 {
			continue
		}
		body := strlit.TrimQuotes(string(raw))
		step := min(1, strings.Count(body, "\n"))
		if body = strlit.UnescapeLoosely(body); !codeLine.MatchString(body) {
			continue
		}
		if found++; found > maxEvaluated || size > maxEvaluatedBytes {
			return append(out, unreadOf(maxEvaluated, "texts that are code are")...)
		}
		size += len(body)
		var b builder
		b.add(filled(strings.ReplaceAll(body, ">>> ", ""), values), lines.of(span.Start), step)
		for _, r := range b.region(gate.LanguagePython, "") {
			r.Text, r.Guessed = withoutIndent(r.Text), true
			out = append(out, r)
		}
	}
	return out
}

const minCode = 12 // bytes of the shortest text that does harm
