package precedent

import (
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
)

// maxStatement is the longest statement that can have a precedent, in bytes.
const maxStatement = 2000

// Text is code whose statements are compared.
type Text struct {
	language gate.Language
	lexed    *lex.Text
	view     string // without comments, a logical line on one line
}

// Compares reports whether statements of a language are compared. What is embedded in them, such
// as a command line in a call, is not: it has an environment and a folder.
func Compares(language gate.Language) bool {
	switch language {
	case gate.LanguageShell, gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo:
		return true
	}
	return false
}

// Read splits a text. What is in no language whose statements are compared has none.
func Read(language gate.Language, content []byte) Text {
	if !Compares(language) {
		return Text{}
	}
	lexed := lex.Scan(language, content)
	return Text{language, lexed, string(lexed.View(content))}
}

// Statement is one, in the form in which it is compared, and its place.
type Statement struct {
	Start, End int // byte offsets, half open
	text       string
}

// At returns the statement around an offset, and whether it says all of what it does.
func (t Text) At(offset int) (Statement, bool) {
	if offset >= len(t.view) {
		return Statement{}, false
	}
	start, end := strings.LastIndexByte(t.view[:offset], '\n')+1, len(t.view)
	if i := strings.IndexByte(t.view[offset:], '\n'); i >= 0 {
		end = offset + i
	}
	for _, s := range t.line(start, end) {
		if s.Start <= offset && offset < s.End {
			return s, true
		}
	}
	return Statement{}, false
}

// All calls yield for every statement that can be a precedent.
func (t Text) All(yield func(offset int, statement string)) {
	for start := 0; start < len(t.view); {
		end := len(t.view)
		if i := strings.IndexByte(t.view[start:], '\n'); i >= 0 {
			end = start + i
		}
		for _, s := range t.line(start, end) {
			yield(s.Start, s.text)
		}
		start = end + 1
	}
}

// line returns the statements of a logical line.
func (t Text) line(start, end int) []Statement {
	text := t.view[start:end]
	at := start + len(text) - len(strings.TrimLeft(text, " \t\r"))
	if end-at < 4 || end-at > maxStatement || t.lexed.At(at) != lex.Code && !t.opens(at) {
		return nil
	}
	if t.language != gate.LanguageShell {
		if s, ok := call(t.view[at:end], t.language); ok {
			return []Statement{{start, end, s}}
		}
		return nil
	}
	// A rule has one finding a line: what is beside a statement must do nothing.
	var out []Statement
	others := 0
	for _, p := range pipelines(text) {
		if !p.idle() {
			others++
		}
		if s, ok := pipeline(p.words); ok {
			out = append(out, Statement{start + p.start, start + p.end, s})
		}
	}
	if others > 1 {
		return nil
	}
	return out
}

// opens reports whether a quoted string begins at an offset, rather than goes on there.
func (t Text) opens(at int) bool {
	s, ok := t.lexed.Span(at)
	return ok && s.Class == lex.String && s.Start == at && strings.IndexByte("\"'", t.view[at]) >= 0
}

// piece is a pipeline of a line of shell. words are nil where it can't be compared.
type piece struct {
	start, end int
	words      []string
	bad        bool
}

// idle reports whether a pipeline only asks, or is a word of a compound command.
func (p piece) idle() bool {
	words := p.words
	for len(words) > 0 && slices.Contains(before, words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return !p.bad
	}
	redirected := slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, "<>|(){}") })
	switch words[0] {
	case "command", "test", "[", "[[", "true", ":", "exit", "return":
		return !redirected && (words[0] != "command" || len(words) > 1 && words[1] == "-v")
	case "fi", "done", "esac":
		return len(words) == 1
	}
	return false
}

// pipelines splits a line of shell. A word that isn't closed, expanded or
// substituted leaves its pipeline without words.
func pipelines(line string) []piece {
	var out []piece
	var word strings.Builder
	p, open, in := piece{}, byte(0), false
	flush := func() {
		if in {
			p.words = append(p.words, word.String())
		}
		word.Reset()
		in = false
	}
	finish := func(end int) {
		flush()
		p.bad = p.bad || open != 0
		if p.end = end; p.bad {
			p.words = nil
		}
		out = append(out, p)
		p = piece{}
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case open != 0:
			switch {
			case c == open:
				open = 0
			case open == '"' && (c == '$' || c == '`' || c == '\\'):
				p.bad = true
				if c == '\\' {
					i++
				}
			default:
				word.WriteByte(c)
			}
		case c == '\'' || c == '"':
			open, in = c, true
		case c == '$' || c == '`' || c == '\\' || c == '<' && i+1 < len(line) && line[i+1] == '<':
			p.bad = true
			i++
		case c == ' ' || c == '\t' || c == '\r':
			flush()
		case c == '&' && i > 0 && (line[i-1] == '>' || line[i-1] == '<') || c == '&' && i+1 < len(line) && line[i+1] == '>':
			word.WriteByte(c)
			in = true
		case c == ';' || c == '&' || c == '|' && i+1 < len(line) && line[i+1] == '|':
			if c == '&' && (i+1 >= len(line) || line[i+1] != '&') {
				p.bad = true // in the background
			}
			finish(i)
			for i+1 < len(line) && (line[i+1] == ';' || line[i+1] == '&' || line[i+1] == '|') {
				i++
			}
			p.start = i + 1
		case c == '|' || c == '(' || c == ')' || c == '{' || c == '}':
			flush()
			p.words = append(p.words, string(c))
		default:
			word.WriteByte(c)
			in = true
		}
	}
	finish(len(line))
	return out
}

// Words of shell.
var (
	// before may be in front of a command without being part of it.
	before = []string{"if", "then", "else", "elif", "do", "while", "until", "!", "{", "(", "time"}
	// closing are words at which a compound command ends; what is redirected there comes from elsewhere.
	closing = []string{"}", ")", "fi", "done", "esac"}
	// readers do what the text that they are handed says, or pass it on.
	readers = []string{"tee", "xargs", "sh", "bash", "dash", "zsh", "ksh", "python", "python3", "node", "perl", "ruby", "cat", "dd", "nc", "ncat", "socat", "crontab", "eval", "source", "."}
	// relative is a word whose meaning depends on where the command runs.
	relative = regexp.MustCompile(`^\.{1,2}/?$|(?:^|/)\.\.(?:/|$)|^[^/]*[*?]|^~`)
	// standardInput is data that comes from elsewhere.
	standardInput = regexp.MustCompile(`^(?:-|.*@-|/dev/stdin|/dev/fd/.*)$`)
)

// pipeline is the form in which a pipeline is compared.
func pipeline(words []string) (string, bool) {
	for len(words) > 0 && slices.Contains(before, words[0]) {
		words = words[1:]
	}
	if len(words) < 2 {
		return "", false
	}
	command := words[0]
	for _, w := range words[1:] {
		if command != "sudo" || strings.HasPrefix(w, "-") {
			break
		}
		command = w
	}
	name := command[strings.LastIndexByte(command, '/')+1:]
	if slices.Contains(readers, name) && !named(words, name) {
		return "", false
	}
	out := make([]string, 0, len(words))
	for i, w := range words {
		switch {
		case slices.Contains(closing, w), relative.MatchString(w), standardInput.MatchString(w):
			return "", false
		case i == 0 && strings.Contains(w, "="):
			return "", false // a variable of the environment
		}
		out = append(out, address(w))
	}
	return strings.Join(out, "\x00"), true
}

// named reports whether a reader at the beginning of a pipeline is handed a file, by its path.
func named(words []string, name string) bool {
	switch name {
	case "cat":
		return len(words) > 1 && !strings.HasPrefix(words[1], "-") && words[1] != ">" && words[1] != "|"
	case "sh", "bash", "dash", "zsh", "ksh", "python", "python3", "node", "perl", "ruby", "source", ".":
		i := slices.Index(words, name)
		return i >= 0 && i+1 < len(words) && strings.Contains(words[i+1], ".") && !strings.HasPrefix(words[i+1], "-")
	default:
		return false
	}
}

// versions are version numbers in a path.
var versions = regexp.MustCompile(`v?\d+(?:\.\d+)+`)

// address is a word with the version numbers in the path of an address left out: the next version
// of the same thing comes from the same place.
func address(word string) string {
	i := strings.Index(word, "://")
	if i < 0 {
		return word
	}
	slash := strings.IndexByte(word[i+3:], '/')
	if slash < 0 {
		return word
	}
	at := i + 3 + slash
	return word[:at] + versions.ReplaceAllString(word[at:], "#")
}

var (
	// result is what a statement does with what a call returns.
	result = regexp.MustCompile(`^(?:(?:const|let|var|return|await|export)\s+|[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*\s*:?=\s*)*`)
	// token is a string, a name with its members, a number, blanks, or one sign.
	token = regexp.MustCompile("[A-Za-z_]*\"(?:[^\"\\\\]|\\\\.)*\"|[A-Za-z_]*'(?:[^'\\\\]|\\\\.)*'|`[^`$]*`|[A-Za-z_$][\\w$]*(?:\\s*\\.\\s*[A-Za-z_$][\\w$]*)*|\\d[\\w.]*|\\s+|[^\\s]")
	// opening opens files: what is written comes in other statements.
	opening = regexp.MustCompile(`(?:^|\.)(?:open|OpenFile|Create|createWriteStream|openSync|fdopen|Popen|spawn)$`)
)

// constants are names that mean the same everywhere.
var constants = []string{
	"True", "False", "None", "true", "false", "null", "nil", "undefined", "sys.executable",
	"subprocess.DEVNULL", "subprocess.PIPE", "subprocess.STDOUT",
}

// call is the form in which a call is compared: all that it is given is in it.
func call(line string, language gate.Language) (string, bool) {
	if !strings.Contains(line, "(") || !strings.ContainsAny(line, "\"'`") {
		return "", false
	}
	line = strings.TrimRight(line[len(result.FindString(line)):], " \t\r;")
	var out strings.Builder
	depth, calls := 0, 0
	tokens := token.FindAllString(line, -1)
	tokens = slices.DeleteFunc(tokens, func(s string) bool { return strings.TrimSpace(s) == "" })
	for i, s := range tokens {
		next := ""
		if i+1 < len(tokens) {
			next = tokens[i+1]
		}
		switch c := s[0]; {
		case strings.HasSuffix(s, `"`), strings.HasSuffix(s, "'"), strings.HasSuffix(s, "`"):
			text, ok := literal(s)
			if !ok {
				return "", false
			}
			out.WriteString(" \"" + address(text) + "\"")
		case c >= '0' && c <= '9':
			out.WriteString(" " + s)
		case isName(c):
			name := strings.Join(strings.Fields(s), "")
			switch {
			case next == "(" && !opening.MatchString(name):
				calls++
			case depth > 0 && next == ":" && language != gate.LanguagePython, depth > 0 && next == "=" && language == gate.LanguagePython && i+2 < len(tokens) && tokens[i+2] != "=":
			case slices.Contains(constants, name):
			case i > 1 && tokens[i-1] == "." && tokens[i-2] == ")": // of what the call returns
			default:
				return "", false
			}
			out.WriteString(" " + name)
		case s == "(", s == "[", s == "{":
			if s == "{" && depth == 0 {
				return "", false
			}
			depth++
			out.WriteString(s)
		case s == ")", s == "]", s == "}":
			if depth--; depth < 0 {
				return "", false
			}
			out.WriteString(s)
		case s == ",", s == ":", s == "=", s == "/", s == ".":
			out.WriteString(s)
		default:
			return "", false
		}
	}
	return out.String(), calls > 0 && depth == 0
}

func isName(c byte) bool { return c == '_' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// literal is the text of a string that nothing is put into.
func literal(s string) (string, bool) {
	i := strings.IndexAny(s, "\"'`")
	if i == len(s)-1 || i > 1 || i == 1 && !strings.ContainsAny(s[:1], "rRbBuU") {
		return "", false
	}
	text := s[i+1 : len(s)-1]
	return text, !strings.ContainsAny(text, `\`)
}
