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

// starts matches, in code, what starts a program in some language, or what is told
// to by its key.
var starts = regexp.MustCompile(`(?i)\bos[.:](?:execute|cmd)\b|\b(?:system[23]?|systemlist|systemf|popen\w*|spawn\w*|exec(?:ute|v|l|f)?\w*|shell_?exec\w*|shellexecute\w*|pclose|` +
	`passthru|proc_open|pcntl_exec|xp_cmdshell|sys_(?:exec|eval)|(?:\w+-)*shell-command[\w-]*|call-process[\w-]*|make-process|start-process[\w-]*|` +
	`run_?command|run_?process|runprogram|execute_process|run_target|custom_target|add_custom_\w+|run_binary|commandline|getruntime|process(?:builder|startinfo|\.(?:start|run|spawn|create|exec\w*))?|` +
	`m4_(?:esyscmd\w*|syscmd)|e?syscmd|readprocess\w*|rawsystem|runinteractive\w*|createprocess\w*|inheritio|callcommand|` +
	`termopen|jobstart|job_start|wscript|createobject|do shell script|from program|to program|powershell|osascript|unix\.(?:execv\w*|system|open_process\w*)|sys\.command)\b` +
	`|["')\]]\s*\.?!{1,2}(?:[\s;)]|$)|\|\s*getline\b|\|\s*["&]|\.(?:execute|lineStream|lines_!|waitFor)\b` +
	`|\b(?:Command::new|subprocess|%x[({\[]|qx\b|os\.proc\b|static_?exec|gorge(?:ex)?\b|pipe\s*\(\s*["']|generate\s*\(\s*["']/|\(invoke\b|run-program|edit\s*\([^,()]*,)` +
	`|` + shellGiven)

// shellGiven matches a shell that gets a command as words of a list, whatever takes the list.
const shellGiven = `["'](?:/\S*/)?(?:ba|z|da|k|a)?sh["'](?:[\s,]+["']-\w+["'])*?[\s,]+["']-\w*c["'][\s,]`

// tells matches keys and names whose value is often a command. Other text
// does, too.
var tells = regexp.MustCompile(`(?i)\b(?:sh|bash|zsh|bat|shell|run|cmds?|command|script|inline|start|launch\w*|local-exec|remote-exec|genrule|args?|argv|arguments|filename|` +
	`entrypoint|builder|action|\w*(?:phase|hook|script|cmd|command)s?|open|popen|user_?data|program|interpreter|do|tool)\b`)

// says matches what shows its text to people.
var says = regexp.MustCompile(`(?i)\b(?:print\w*|f?printf|puts|echo|log\w*|console|writeline|write|say|message|msg|warn\w*|error\w*|fail\w*|info|debug|trace|usage|help|` +
	`desc(?:ription)?|doc\w*|assert\w*|expect\w*|throw|raise|panic\w*|abort|die|comment|label|title|summary|example|note|text|notify|dbg)\b`)

// wholeCommand matches a text that is a command line and not words about one.
var wholeCommand = regexp.MustCompile(`^\s*(?:[A-Z_]+=\S*\s+)*(?:(?:sudo|nohup|setsid|exec|env|time|command|busybox)\s+(?:-\S+\s+)*)*(?:/\S*/)?` +
	`(?:curl|wget|fetch|nc|ncat|netcat|socat|(?:ba|z|da|k|a)?sh|python[0-9.]*|perl|ruby|node|php|pwsh|powershell(?:\.exe)?|cmd(?:\.exe)?|certutil|bitsadmin|mshta|regsvr32|` +
	`eval|source|base64|cat|tar|printf|echo|ssh|scp|rsync|openssl|crontab|dd|rm|mkfifo|xxd)\b[^\n]*(?:[|;<>$` + "`" + `]|&&|\s-\w*[cde]\b|/\S*\.(?:ssh|aws))`)

// maxStatement bounds how far a statement goes on over lines.
const maxStatement = 8 << 10 // bytes

// literals returns the command lines in the strings of a text. The strings of one
// statement are put together: those between commas with blanks, what isn't
// a literal as $X. step is as in builder.add.
func literals(lang gate.Language, content []byte) []Code {
	var b builder
	l := literalReader{content: content, text: lex.Scan(lang, content), lines: newLineIndex(content)}
	if !slices.ContainsFunc(l.text.Spans, func(s lex.Span) bool { return s.Class == lex.String }) {
		return nil
	}
	l.starts, l.tells, l.says = l.code(starts), l.code(tells), l.code(says)
	switch lang {
	case gate.LanguageNix, gate.LanguageStarlark, gate.LanguageTerraform, gate.LanguageMeson, gate.LanguageCMake:
		l.starting = true // what they are for
	default:
		l.starting = len(l.starts) > 0
	}
	for at := 0; at < len(content); {
		end := l.statement(at)
		l.read(&b, at, end)
		at = end
	}
	return b.region(gate.LanguageShell, "")
}

// literalReader walks over the statements of a text.
type literalReader struct {
	content  []byte
	text     *lex.Text
	lines    lineIndex
	starting bool // something in the text starts programs

	starts, tells, says []int // where these match in code
}

// code returns where an expression matches in code.
func (l *literalReader) code(re *regexp.Regexp) []int {
	var out []int
	for _, m := range re.FindAllIndex(l.content, -1) {
		for i := m[0]; i < m[1]; i++ {
			if l.text.At(i) == lex.Code {
				out = append(out, m[0])
				break
			}
		}
	}
	return out
}

// among reports whether one of the offsets lies in a stretch.
func among(offsets []int, start, end int) bool {
	i, _ := slices.BinarySearch(offsets, start)
	return i < len(offsets) && offsets[i] < end
}

// statement returns where the statement that begins at an offset ends: with its
// line, or with the line on which its brackets and strings are closed.
func (l *literalReader) statement(at int) int {
	depth, limit := 0, min(len(l.content), at+maxStatement)
	spans := l.text.From(at)
	for i := at; i < limit; i++ {
		if len(spans) > 0 && i >= spans[0].Start {
			i = max(i, spans[0].End-1)
			spans = spans[1:]
			if i >= limit || l.content[i] != '\n' {
				continue
			}
		}
		switch l.content[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '\n':
			if depth <= 0 && !goesOn(l.content[at:i]) {
				return i + 1
			}
		}
	}
	if limit == len(l.content) {
		return limit
	}
	return l.lineEnd(at) // it never ends: its lines are read one by one
}

// goesOn reports whether a line ends with what a statement can't end with.
func goesOn(line []byte) bool {
	line = bytes.TrimRight(line, " \t\r")
	return len(line) > 0 && bytes.IndexByte([]byte(",+=\\&"), line[len(line)-1]) >= 0
}

func (l *literalReader) lineEnd(at int) int {
	i := bytes.IndexByte(l.content[at:], '\n')
	if i < 0 {
		return len(l.content)
	}
	end := at + i + 1
	if span, in := l.text.Span(end - 1); in && span.Class == lex.String {
		return max(end, span.End)
	}
	return end
}

// read adds the commands of one statement.
func (l *literalReader) read(b *builder, start, end int) {
	spans := l.text.From(start)
	first := -1
	for i, s := range spans {
		if s.Start >= end {
			break
		}
		if s.Class == lex.String {
			first = i
			break
		}
	}
	if first < 0 {
		return
	}
	shown := among(l.says, start, spans[first].Start)
	if among(l.starts, start, end) {
		l.join(b, spans[first:], start, end, false)
		return
	}
	if !shown && among(l.tells, start, end) {
		l.join(b, spans[first:], start, end, true)
		return
	}
	if shown || !l.starting {
		return
	}
	for _, s := range spans[first:] {
		if s.Start >= end {
			return
		}
		if text := bare(l.content, s); s.Class == lex.String && wholeLines(text) {
			b.block(text, l.lines.of(s.Start))
		}
	}
}

// wholeLines reports whether a line of a text is a command.
func wholeLines(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if wholeCommand.MatchString(quoteSigns.Replace(line)) {
			return true
		}
	}
	return false
}

// quoteSigns are what a shell leaves out of a word.
var quoteSigns = strings.NewReplacer(`"`, "", "'", "", `\`, "")

// join puts the strings of a statement together.
// doubtful is for keys whose values are other text, too: one word is no command there.
func (l *literalReader) join(b *builder, spans []lex.Span, start, end int, doubtful bool) {
	var out strings.Builder
	line, step, gap := 0, 1, start
	flush := func() {
		if !doubtful || strings.ContainsAny(out.String(), " \t\n") {
			b.flush(out.String(), line, step)
		}
		out.Reset()
	}
	for _, s := range spans {
		if s.Start >= end {
			break
		}
		if s.Class != lex.String {
			continue
		}
		if out.Len() > 0 {
			if joint, goesOn := joint(string(l.content[gap:s.Start])); goesOn {
				out.WriteString(joint)
				step = 0
			} else {
				flush()
			}
		}
		if out.Len() == 0 {
			line, step = l.lines.of(s.Start), 1
		}
		out.WriteString(bare(l.content, s))
		gap = s.End
	}
	flush()
}

// flush adds a command that isn't blank.
func (b *builder) flush(command string, line, step int) {
	if strings.TrimSpace(command) != "" {
		b.add(command, line, step)
	}
}

// joint is what stands for the code between two strings of a command. It reports
// false where another command begins.
func joint(code string) (string, bool) {
	names := strings.ContainsFunc(code, func(r rune) bool { return r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' })
	switch {
	case strings.ContainsAny(code, "=;{}") || strings.Contains(code, ":") && names:
		return "", false
	case strings.Contains(code, ",") && names:
		return " $X ", true
	case strings.ContainsAny(code, ",") || strings.TrimSpace(code) == "" || strings.ContainsAny(code, ")]\n"):
		return " ", true
	case names:
		return "$X", true
	}
	return "", true // an operator that puts texts together
}

// bare is the text of a string without its quotes and escapes.
func bare(content []byte, span lex.Span) string {
	raw := string(content[span.Start:span.End])
	for _, pair := range [][2]string{{"''", "''"}, {"[[", "]]"}, {"[=[", "]=]"}, {"[==[", "]==]"}} {
		if body, ok := strings.CutPrefix(raw, pair[0]); ok && len(raw) > len(pair[0]) && !strings.HasPrefix(raw, "'''") {
			return strings.TrimSuffix(body, pair[1])
		}
	}
	return strlit.UnescapeLoosely(strlit.TrimQuotes(raw))
}

// backticks returns what is in backticks and their like in languages that run
// it: %x and qx with any delimiter, and here documents in backticks.
func backticks(content []byte) []Code {
	var b builder
	lines := newLineIndex(content)
	var unread []Code
	found := backtick.FindAllSubmatchIndex(content, maxCommands)
	for _, m := range found {
		switch {
		case m[2] >= 0:
			b.block(unquoted(string(content[m[2]:m[3]])), lines.of(m[2]))
		case m[4] >= 0:
			text, ok, open := delimited(content[m[4]:])
			if ok {
				b.block(unquoted(text), lines.of(m[4]))
			} else if open {
				unread = unreadOf(maxDelimited, "bytes of one command are")
			}
		case m[6] >= 0:
			if text, ok := hereDocument(content[m[1]:], string(content[m[6]:m[7]])); ok {
				b.block(text, lines.of(m[1])+1)
			}
		}
	}
	unread = append(unread, atBound(len(found), maxCommands, "commands of one kind are")...)
	return append(b.region(gate.LanguageShell, ""), unread...)
}

var backtick = regexp.MustCompile("`([^`]+)`|(?:%x|\\bqx[ \\t]*)([^\\w\\s=,;)]|[ \\t]+\\w)|<<[~-]?`(\\w+)`")

// maxDelimited is how long a command in other signs than backticks may be.
const maxDelimited = 32 << 10 // bytes

// delimited is the text between the sign that content begins with and its counterpart;
// open says that the counterpart of a bracket is beyond the bound, if anywhere.
func delimited(content []byte) (text string, ok, open bool) {
	more := len(content) > maxDelimited
	content = bytes.TrimLeft(content[:min(len(content), maxDelimited)], " \t")
	if len(content) == 0 {
		return "", false, false
	}
	begin, shut := content[0], content[0]
	if i := strings.IndexByte("([{<", begin); i >= 0 {
		shut = ")]}>"[i]
	}
	depth := 0
	for i := 1; i < len(content); i++ {
		switch c := content[i]; {
		case c == '\\':
			i++
		case c == shut && depth == 0:
			return string(content[1:i]), true, false
		case c == shut:
			depth--
		case c == begin:
			depth++
		}
	}
	return "", false, more && shut != begin
}

// hereDocument is the text of a here document up to the line with its name.
func hereDocument(rest []byte, name string) (string, bool) {
	_, rest, ok := bytes.Cut(rest, []byte("\n"))
	if !ok {
		return "", false
	}
	var out strings.Builder
	for line := range bytes.Lines(rest) {
		if string(bytes.TrimSpace(line)) == name {
			return out.String(), true
		}
		out.Write(line)
	}
	return "", false
}

// Starts reports whether a line holds what starts a program in some language, whether it is
// code or not.
func Starts(line string) bool { return starts.MatchString(line) }

// Says reports whether a line holds what shows a text to people.
func Says(line string) bool { return says.MatchString(line) }

// IsCommand reports whether a line of a text is a command line and not words about one.
func IsCommand(text string) bool { return wholeLines(text) }
