package embedded

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/source/strlit"
)

// Bounds on the programs of another language in the texts of one.
const (
	maxForeign      = 1000     // texts
	maxForeignBytes = 4 << 20  // of all of them
	maxForeignDepth = 4        // commands within commands
	maxForeignText  = 64 << 10 // bytes of one text in which commands are looked for
)

// foreign is a language that programs of others hand to its interpreter.
type foreign struct {
	language gate.Language
	named    *regexp.Regexp // where the interpreter is named, or a variable for it
	reads    *regexp.Regexp // a statement that a text in it has and prose has not
}

// foreigns are those languages. Which words a command has in front of its program says
// little, as the program may come by a variable, a pipe, a here string, a file that is
// written first, an argument of a function or another shell: a text counts that reads like a
// program.
var foreigns = []foreign{
	{gate.LanguagePython, regexp.MustCompile(`(?i)(?:\b|_)py(?:thon[\d.]*w?|py\d*|3|x)?\b|python`),
		regexp.MustCompile(`(?m)(?:^|[;:])[ \t]*(?:import[ \t]+[A-Za-z_][\w.]*(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[A-Za-z_][\w.]*(?:[ \t]+as[ \t]+\w+)?)*[ \t]*(?:$|[;#\r])|from[ \t]+[\w.]+[ \t]+import[ \t]+[\w*(])|\b__import__[ \t]*\(|\bexec[ \t]*\(\w`)},
	{gate.LanguageJavaScript, regexp.MustCompile(`(?i)\b(?:node(?:js)?|deno|bun)\b|\b(?:node|deno|bun)_`),
		regexp.MustCompile(`\brequire[ \t]*\([ \t]*['"\x60\\]|\bprocess\.(?:env|mainModule|binding|getBuiltinModule)\b|\bimport\b[^;\n]{1,80}\bfrom[ \t]*['"]|\bimport[ \t]*\(|\bawait[ \t]+fetch\(|\b(?:Deno|Bun)\.\w`)},
	{gate.LanguagePerl, regexp.MustCompile(`(?i)\bperl[\d.]*\b|\b(?:pl)?perl`),
		regexp.MustCompile(`(?m)^[ \t]*(?:use|require)[ \t]+[A-Z]\w+(?:::\w+)*[^;\n]{0,80};|\b(?:system|exec|unlink|qx)\b[ \t]*[({'"][^\n]{0,200};|\bmy[ \t]*[($@%]`)},
	{gate.LanguageRuby, regexp.MustCompile(`(?i)\bj?ruby[\d.]*\b|\bruby`),
		regexp.MustCompile(`(?m)(?:^|;)[ \t]*require[ \t]*\(?['"][\w/]+['"]|\bFileUtils\.\w|\bNet::HTTP\b|\bKernel\.\w|\bDir\.(?:glob|home|children)`)},
	{gate.LanguagePHP, regexp.MustCompile(`(?i)\bphp[\d.]*\b`),
		regexp.MustCompile(`<\?php\b|\$\w+[ \t]*=[ \t]*(?:file_get_contents|getenv|shell_exec|curl_init)\(|\b(?:shell_exec|passthru|curl_exec)\(`)},
}

// handsOver matches how programs of other languages than a shell start an interpreter: its
// name, or the option for a program, as a text of its own; how a database names the language
// of a function; a block of a debugger or of Vim.
var handsOver = regexp.MustCompile("[\"'`](?:python[\\d.]*|node|perl|ruby|php|-[A-Za-z]{0,3}[ceEp]|--eval|-)[\"'`]|\\b(?:python[\\d.]*|node|perl|ruby|php)\\s+-\\w*[cer]\\b|\\|\\s*(?:python[\\d.]*|node|perl|ruby|php)\\b|(?i:\\bplpython\\w*|\\bplperlu?\\b)|(?m:^[ \\t]*py(?:thon)?3?(?:-interactive|x)?(?:[ \\t]*<<[^\\n]*)?[ \\t]*$)")

// foreignPrograms returns the texts of a program that read like programs in another language,
// where it names the interpreter of that, and the commands that a shell gets as a text with
// the programs in them.
func foreignPrograms(lang gate.Language, content []byte) []Code {
	f := foreignReader{lines: newLineIndex(content)}
	for _, l := range foreigns {
		if l.language != lang && l.named.Match(content) {
			f.languages = append(f.languages, l)
		}
	}
	if lang == gate.LanguageShell && !slices.ContainsFunc(f.languages, func(l foreign) bool { return l.language == gate.LanguagePython }) {
		f.unnamed = bytes.Contains(content, []byte("import "))
	}
	if len(f.languages) == 0 && !f.unnamed || lang != gate.LanguageShell && !handsOver.Match(content) {
		return nil
	}
	f.texts(lang, content, nil, 0)
	f.joined(lang, content)
	if !followsTexts(lang) {
		f.open(lang, content)
		f.rest(content)
	}
	if f.full {
		f.out = append(f.out, unreadOf(maxForeign, "texts that read like programs of another language are")...)
	}
	return f.out
}

var (
	// beginsWithImport matches a program in Python that begins with what it imports.
	beginsWithImport = regexp.MustCompile(`^\s*(?:import[ \t]+[A-Za-z_][\w.]*(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[A-Za-z_][\w.]*(?:[ \t]+as[ \t]+\w+)?)*[ \t]*[;\n\r]|from[ \t]+[\w.]+[ \t]+import[ \t]+[\w, \t*]+[;\n\r])`)
	// scriptsPython matches the command of a debugger or an editor that runs the rest in Python.
	scriptsPython = regexp.MustCompile(`^[\s:]*(?:py(?:thon)?[3x]?|script|pi)[ \t]+((?:import|from|exec|__import__)\b)`)
)

// foreignReader reads one program.
type foreignReader struct {
	languages []foreign
	lines     lineIndex
	out       []Code
	size      int
	full      bool
	unnamed   bool // nothing names Python, and a text may be for a program that runs it
}

// texts reads the texts of a program, or of a command within one, whose lines are the given
// ones.
func (f *foreignReader) texts(lang gate.Language, content []byte, lines []int, depth int) {
	spans := lex.Scan(lang, content).Spans
	own := newLineIndex(content)
	var printed builder // what several commands write out may be one program
	end := 0            // of the last text that is written out
	defer func() {
		if len(printed.lines) > 0 {
			f.text(gate.LanguageText, printed.text, 0, &printed, maxForeignDepth)
		}
	}()
	for i := 0; i < len(spans); i++ {
		first := spans[i]
		if first.Class != lex.String {
			continue
		}
		var b builder
		var text string
		if lang == gate.LanguageShell {
			text, i = shellWord(content, spans, i)
		} else {
			text = f.plain(lang, content, first)
		}
		line, step := own.of(first.Start), 1
		if bytes.Count(content[first.Start:spans[i].End], []byte{'\n'}) < strings.Count(text, "\n") {
			step = 0 // its line ends are spelled
		}
		text = scriptsPython.ReplaceAllString(text, "$1")
		if b.add(text, line, step); lines != nil {
			for n, l := range b.lines {
				b.lines[n] = lines[min(l, len(lines))-1]
			}
		}
		if lang == gate.LanguageShell && (prints(content, first.Start) || printing(content, end, first)) && len(printed.text)+len(text) <= maxForeignText {
			printed.add(strings.ReplaceAll(text, `\n`, "\n"), b.lines[0], 0)
			end = spans[i].End
		}
		f.text(lang, content, first.Start, &b, depth)
	}
}

// text reads one text.
func (f *foreignReader) text(lang gate.Language, content []byte, start int, b *builder, depth int) {
	inline := lang == gate.LanguageShell && programBefore(content, start) != gate.LanguageUnknown
	found := false
	for _, l := range f.languages {
		if inline || !l.reads.Match(b.text) {
			continue
		}
		if f.size += len(b.text); len(f.out) >= maxForeign || f.size > maxForeignBytes {
			f.full = true
			return
		}
		found = true
		f.out = append(f.out, Code{Language: l.language, Text: withoutIndent(bytes.Clone(b.text)), Lines: b.lines})
	}
	if f.unnamed && !inline && depth == 0 && beginsWithImport.Match(b.text) && !prints(content, start) {
		f.out = append(f.out, Code{Language: gate.LanguagePython, Text: withoutIndent(bytes.Clone(b.text)), Lines: b.lines, Guessed: true})
	}
	if depth < maxForeignDepth && len(b.text) <= maxForeignText && bytes.ContainsAny(b.text, "'\"<") && (!found || depth == 0) {
		for _, l := range f.languages {
			if l.named.Match(b.text) {
				for _, c := range inlinePrograms(b.text) {
					for n, at := range c.Lines {
						c.Lines[n] = b.lines[min(at, len(b.lines))-1]
					}
					f.out = append(f.out, c)
				}
				f.texts(gate.LanguageShell, b.text, b.lines, depth+1)
				return
			}
		}
	}
}

// plain is what a text between quotes says.
func (f *foreignReader) plain(lang gate.Language, content []byte, span lex.Span) string {
	raw := string(content[span.Start:span.End])
	if value, _, ok := strlit.Unquote([]byte(raw), raw[0] == '`' && lang == gate.LanguageGo); ok {
		return value
	}
	return strlit.TrimQuotes(raw)
}

// shellWord is what a shell takes for one word the texts between quotes that begin with a span
// and follow each other without a blank, as in 'it'\”s' and 'a'"b". It returns the last of them.
func shellWord(content []byte, spans []lex.Span, first int) (text string, last int) {
	var out strings.Builder
	for last = first; ; last++ {
		span := spans[last]
		out.WriteString(shellText(string(content[span.Start:span.End]), span.Start > 0 && content[span.Start-1] == '$'))
		if last+1 >= len(spans) || spans[last+1].Class != lex.String || span.End == 0 || content[span.End-1] == '\n' {
			return out.String(), last
		}
		between := content[span.End:spans[last+1].Start]
		if len(between) > maxBetween || bytes.ContainsAny(between, " \t\r\n;|&()<>#") {
			return out.String(), last
		}
		out.WriteString(strings.NewReplacer("\\\\", "\\", "\\", "").Replace(strings.TrimSuffix(string(between), "$")))
	}
}

// maxBetween bounds what is between two texts of one word.
const maxBetween = 100 // bytes

// shellText is what a shell takes a text between quotes for, also one of several parts; ansi is
// set where a $ is before it. A here document stays as it is.
func shellText(raw string, ansi bool) string {
	if strings.HasSuffix(raw, "\n") || raw == "" || strings.IndexByte("'\"$", raw[0]) < 0 {
		return raw
	}
	var out strings.Builder
	for raw != "" {
		if rest, ok := strings.CutPrefix(raw, "$"); ok && rest != "" && (rest[0] == '\'' || rest[0] == '"') {
			raw, ansi = rest, true
		}
		switch c := raw[0]; {
		case c == '\'' && ansi || c == '"':
			end := 1
			for end < len(raw) && raw[end] != c {
				if raw[end] == '\\' {
					end++
				}
				end++
			}
			body := raw[1:min(end, len(raw))]
			if c == '"' {
				body = inDoubleQuotes.Replace(body)
			} else if value, _, ok := strlit.Unescape(body); ok {
				body = value
			}
			out.WriteString(body)
			raw = raw[min(end+1, len(raw)):]
		case c == '\'':
			body, rest, _ := strings.Cut(raw[1:], "'")
			out.WriteString(body)
			raw = rest
		case c == '\\' && len(raw) > 1:
			out.WriteByte(raw[1])
			raw = raw[2:]
		default:
			out.WriteByte(c)
			raw = raw[1:]
		}
		ansi = false
	}
	return out.String()
}

// inDoubleQuotes takes away the backslashes that a shell takes away between double quotes.
var inDoubleQuotes = strings.NewReplacer(`\"`, `"`, `\$`, `$`, "\\`", "`", `\\`, `\`)

// prints reports whether a text is what a command of a shell writes out. Its line may
// hold others.
func prints(content []byte, start int) bool {
	before := content[max(0, start-maxBefore):start]
	if i := bytes.LastIndexAny(before, "\n;|&({"); i >= 0 {
		before = before[i+1:]
	}
	words := bytes.Fields(before)
	return len(words) > 0 && (string(words[0]) == "echo" || string(words[0]) == "printf")
}

// definedText matches a variable of make with lines of its own.
var definedText = regexp.MustCompile(`(?ms)^[ \t]*define[ \t]+[\w.-]+[^\n]*\n(.*?)^[ \t]*endef\b`)

// definedPrograms are the variables of a Makefile that read like programs.
func definedPrograms(content []byte) []Code {
	f := foreignReader{lines: newLineIndex(content)}
	for _, l := range foreigns {
		if l.named.Match(content) {
			f.languages = append(f.languages, l)
		}
	}
	if len(f.languages) == 0 || !bytes.Contains(content, []byte("define")) {
		return nil
	}
	for _, m := range definedText.FindAllSubmatchIndex(content, maxCommands) {
		var b builder
		b.add(strings.ReplaceAll(string(content[m[2]:m[3]]), "$$", "$"), f.lines.of(m[2]), 1)
		f.text(gate.LanguageMakefile, content, m[2], &b, maxForeignDepth)
	}
	return f.out
}
