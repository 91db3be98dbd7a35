package embedded

import (
	"bytes"
	"slices"
	"strings"
	"unicode"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
)

// generic returns the commands in a text whose language has no reader of its own.
func generic(lang gate.Language, content []byte) []Code {
	switch lang {
	case gate.LanguageUnknown:
		return untyped(content)
	case gate.LanguageBatch:
		out := append(bareCommands(lang, content), literals(lang, content)...)
		if caretInWord.Match(content) {
			out = append(out, whole(lang, joinCarets(content))...) // rules for any text see no carets
		}
		return out
	case gate.LanguageSed, gate.LanguageDebugger, gate.LanguageTcl, gate.LanguageM4, gate.LanguageVim:
		return append(bareCommands(lang, content), literals(lang, content)...) // commands are there without quotes
	case gate.LanguageXonsh:
		return append(whole(gate.LanguagePython, content), whole(gate.LanguageShell, content)...)
	case gate.LanguageTemplate:
		return template(content)
	case gate.LanguageLiterate:
		return fences(content)
	case gate.LanguageCMake:
		return cmakeCommands(content)
	case gate.LanguageSQL:
		return append(literals(lang, content), clientCommands(content)...)
	case gate.LanguageJust:
		out := justfile(content)
		if plain, ok := justValues(content); ok {
			out = append(out, justfile(plain)...)
		}
		return out
	case gate.LanguageRuby, gate.LanguagePerl, gate.LanguagePHP, "julia", "crystal", "raku":
		return slices.Concat(literals(lang, content), backticks(content), scriptCommands(lang, content))
	}
	return append(literals(lang, content), scriptCommands(lang, content)...)
}

// whole is all of a text as one piece of code.
func whole(lang gate.Language, content []byte) []Code {
	var b builder
	b.add(string(content), 1, 1)
	return b.region(lang, "")
}

// untyped reads a text of which nothing says what it is as each of the languages
// that it could be run as. What is written for people is not code: rules for such
// text look at it.
func untyped(content []byte) []Code {
	var out []Code
	if len(bytes.TrimSpace(content)) == 0 {
		return nil
	}
	if !proseIn(gate.LanguageShell, content) {
		out = append(out, guessed(whole(gate.LanguageShell, content), !shellLike(content))...)
	}
	if pythonLine.Match(content) && !proseIn(gate.LanguagePython, content) {
		out = append(out, whole(gate.LanguagePython, content)...)
	}
	if scriptLine.Match(content) && !proseIn(gate.LanguageJavaScript, content) {
		out = append(out, whole(gate.LanguageJavaScript, content)...)
	}
	return out
}

// guessed marks pieces of code.
func guessed(regions []Code, guess bool) []Code {
	for i := range regions {
		regions[i].Guessed = guess
	}
	return regions
}

// shellLine matches what lines of a shell script begin with.
var shellLine = regexp.MustCompile(`^(?:[A-Za-z_]\w*=|(?:if|then|else|elif|fi|for|do|done|while|until|case|esac|function|return|exit|set|unset|export|local|readonly|declare|echo|printf|read|cd|source|eval|exec|` +
	`trap|test|shift|mkdir|rm|cp|mv|cat|grep|sed|awk|curl|wget|tar|chmod|chown|sudo|git|make|docker|npm|pip3?|apt|apt-get|python3?|node|bash|sh|nc|ssh|sleep|kill|env|true|false)(?:\s|;|$)|\.\s|\[|\w+\s*\(\)|[{}]$|;;|&&|\|)`)

// shellLike reports whether most lines of a text begin like those of a shell script.
func shellLike(content []byte) bool {
	lines, like := 0, 0
	for line := range bytes.Lines(content) {
		text := bytes.TrimSpace(line)
		if len(text) == 0 || text[0] == '#' {
			continue
		}
		if lines++; lines > maxProseLines {
			break
		}
		if shellLine.Match(text) {
			like++
		}
	}
	return 2*like > lines
}

var (
	pythonLine = regexp.MustCompile(`(?m)^[ \t]*(?:import[ \t]+\w|from[ \t]+[\w.]+[ \t]+import\b|__import__\(|(?:exec|eval)\()`)
	scriptLine = regexp.MustCompile(`\brequire\s*\(|\bprocess\.(?:env|binding|mainModule)\b|(?m:^[ \t]*import\s[^\n]*\bfrom\s*["'])|\bimport\s*\(`)
)

// What makes a text one for people: so many of its lines are sentences.
const (
	minSentences  = 3
	proseFraction = 4 // one of so many lines that are not comments
	maxProseLines = 400
)

// proseIn reports whether a text is written for people, with and without what would be
// strings and comments of a language: a script may have sentences in a here document.
func proseIn(lang gate.Language, content []byte) bool {
	if !prose(content) {
		return false
	}
	code := bytes.Clone(content)
	for _, s := range lex.Scan(lang, content).Spans {
		for i := s.Start; i < s.End; i++ {
			if code[i] != '\n' {
				code[i] = ' '
			}
		}
	}
	return prose(code)
}

// prose reports whether a text is written for people: many of its lines are
// sentences. Comments don't count: a script may explain itself.
func prose(content []byte) bool {
	lines, sentences := 0, 0
	for line := range bytes.Lines(content) {
		text := strings.TrimSpace(string(line[:min(len(line), 1000)]))
		if text == "" || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//") {
			continue
		}
		if lines++; lines > maxProseLines {
			break
		}
		if !strings.HasPrefix(text, ":") && !shellLine.MatchString(text) && sentence(text) {
			sentences++
		}
	}
	return sentences >= minSentences && sentences*proseFraction >= lines
}

// sentence reports whether a line reads like words in a row, with no sign that code
// is full of.
func sentence(line string) bool {
	words := strings.Fields(line)
	if len(words) < 5 || strings.ContainsAny(line, "|{}$;=<>&\\") {
		return false
	}
	plain := 0
	for _, w := range words {
		w = strings.Trim(w, `.,:!?()"'*_`)
		if w != "" && !strings.ContainsFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' }) {
			plain++
		}
	}
	return plain*4 >= len(words)*3
}

// bareCommands is a text in which commands have no quotes, as shell, without
// the comments of its language and the words that run what follows them.
func bareCommands(lang gate.Language, content []byte) []Code {
	view := lex.Scan(lang, content).View(content)
	if lang == gate.LanguageBatch {
		view = joinCarets(view)
	}
	var b builder
	for i, line := range strings.Split(string(view), "\n") {
		b.flush(runsRest.ReplaceAllString(strings.TrimRight(line, "\r"), ""), i+1, 0)
	}
	return guessed(b.region(gate.LanguageShell, ""), true)
}

// runsRest matches what runs the rest of its line: of batch files, debuggers, sed,
// Tcl and Vim.
var runsRest = regexp.MustCompile(`^[\s@:]*(?:(?:shell|platform shell|pi|pipe|make|exec|spawn|call|start(?:\s+/\S+|\s+"[^"]*")*|cmd(?:\.exe)?\s+/\w|[0-9,$]*e|silent!?|r?!+)\s+|!+)`)

// caretInWord matches a word of a batch file that carets split, which mean nothing there.
var caretInWord = regexp.MustCompile(`\w\^\w`)

// joinCarets replaces the line ends that a caret escapes in a batch file.
func joinCarets(content []byte) []byte {
	content = bytes.ReplaceAll(content, []byte("^\r\n"), []byte(" \x00 "))
	content = bytes.ReplaceAll(content, []byte("^\n"), []byte(" \x00"))
	if !bytes.Contains(content, []byte{0}) {
		return bytes.ReplaceAll(content, []byte("^"), nil)
	}
	// A joined line stays where it begins; as many empty ones follow.
	var out []byte
	for line := range bytes.Lines(content) {
		joined := bytes.Count(line, []byte{0})
		out = append(out, bytes.ReplaceAll(bytes.ReplaceAll(line, []byte{0}, nil), []byte("^"), nil)...)
		out = append(out, bytes.Repeat([]byte{'\n'}, joined)...)
	}
	return out
}

// clientCommands are the commands in a SQL script that its client gives to a shell: psql,
// sqlite3, mysql, SQL*Plus and sqlcmd.
func clientCommands(content []byte) []Code {
	var b builder
	lines := newLineIndex(content)
	for _, m := range clientCommand.FindAllSubmatchIndex(content, maxCommands) {
		command := string(content[m[2]:m[3]])
		if i := bytes.IndexByte(content[max(0, m[2]-2):m[2]], '|'); i > 0 && strings.IndexByte("\"'", content[m[2]-3+i]) >= 0 {
			command, _, _ = strings.Cut(command, string(content[m[2]-3+i])) // in quotes with its pipe
		}
		b.block(strings.TrimRight(command, "\"'`; \t\r"), lines.of(m[2]))
	}
	return b.region(gate.LanguageShell, "")
}

var clientCommand = regexp.MustCompile("(?mi)(?:\\\\!|^[ \\t]*\\.(?:shell|system)\\b|^[ \\t]*(?:system|host|pager|tee)\\b|^[ \\t]*:?!!|\\\\(?:o|out|g|gx|w|write|i|copy[^\\n]*?program)\\b[ \\t]*[|'\"]?|" +
	"^[ \\t]*\\.(?:once|output|import|read|excel|log|trace|open|dump)\\b[^\\n|]*[|]|=[ \\t]*`|^[ \\t]*\\\\\\w+[^\\n`]*`)[ \\t]*[|]?([^\\n]+)")

// template returns the code between the marks of a template, in the languages that
// such templates have, and the text around it, which becomes something else.
func template(content []byte) []Code {
	lines := newLineIndex(content)
	var out []Code
	for _, m := range templateCode.FindAllSubmatchIndex(content, maxCommands) {
		for g := 2; g < len(m); g += 2 {
			if m[g] < 0 {
				continue
			}
			code := string(content[m[g]:m[g+1]])
			for _, lang := range []gate.Language{gate.LanguageJavaScript, gate.LanguageRuby} {
				var b builder
				b.block(code, lines.of(m[g]))
				out = append(out, b.region(lang, "")...)
			}
		}
	}
	out = append(out, frontMatter(content)...)
	out = append(out, htmlScripts(content)...)
	return append(out, untyped(content)...)
}

var templateCode = regexp.MustCompile(`(?s)<%[=_#%-]?(.*?)%>|\{\{(.*?)\}\}|\{%(.*?)%\}`)

// frontMatter is the script at the top of an Astro component.
func frontMatter(content []byte) []Code {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(content, " \t\r\n\ufeff"), []byte("---"))
	if !ok {
		return nil
	}
	end := bytes.Index(rest, []byte("\n---"))
	if end < 0 {
		end = len(rest)
	}
	var b builder
	b.block(string(rest[:end]), 1+bytes.Count(content[:len(content)-len(rest)], []byte{'\n'}))
	return b.region(gate.LanguageTypeScript, "")
}

// fences returns the code blocks of R Markdown and Quarto, which run when the page is
// made, and the code in its sentences.
func fences(content []byte) []Code {
	var out []Code
	var b builder
	fence, lang := "", gate.LanguageUnknown
	done := func() {
		out = append(out, b.region(lang, "")...)
		b = builder{}
	}
	lines := strings.Split(string(content), "\n")
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		m := fenceLine.FindStringSubmatch(line)
		switch {
		case fence == "" && m != nil:
			fence, lang = m[1], fenceLanguage(m[2])
			if to := writesFile.FindStringSubmatch(line); to != nil && (m[2] == "cat" || m[2] == "asis") {
				lang = languageOfName(to[1], lang)
			}
		case fence != "" && strings.HasPrefix(strings.TrimSpace(line), fence) && strings.Trim(strings.TrimSpace(line), "`~") == "":
			fence = ""
			done()
		case fence != "":
			b.add(line, i+1, 0)
		}
	}
	done()
	inline := newLineIndex(content)
	for _, m := range inlineCode.FindAllSubmatchIndex(content, maxCommands) {
		b.add(string(content[m[4]:m[5]]), inline.of(m[4]), 1)
		lang = fenceLanguage(string(content[m[2]:m[3]]))
		done()
	}
	return out
}

// writesFile matches the option of a block that is written to a file.
var writesFile = regexp.MustCompile(`\bfile[ \t]*=[ \t]*["']([^"']+)["']`)

var (
	fenceLine  = regexp.MustCompile("^[ \\t>]*(```+|~~~+)[ \\t]*\\{?[ \\t]*(?:code-cell[ \\t]*\\}[ \\t]*)?[.=]?([A-Za-z0-9_+-]*)")
	inlineCode = regexp.MustCompile("`\\{?(r|python)\\}?[ \\t]+([^`\\n]+)`")
)

// fenceLanguage is the language that a code block says it is in. One that isn't known
// is read as R.
func fenceLanguage(name string) gate.Language {
	name = strings.ToLower(name)
	switch {
	case name == "ojs" || name == "js" || name == "javascript":
		return gate.LanguageJavaScript
	case name == "ipython" || name == "ipython3":
		return gate.LanguagePython
	case slices.Contains([]string{"sql", "lua", "julia", "stan"}, name):
		return gate.Language(strings.Replace(name, "stan", "r", 1))
	}
	if l := interpreter(name); l != gate.LanguageUnknown {
		return l
	}
	return gate.LanguageR
}
