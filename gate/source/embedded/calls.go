package embedded

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/char"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/source/strlit"
)

// starters are the functions, by the last part of their name, that start
// another program with the command in their arguments.
func starters(lang gate.Language) []string {
	switch lang {
	case gate.LanguagePython:
		return []string{"system", "popen", "Popen", "run", "call", "check_call", "check_output", "getoutput",
			"getstatusoutput", "spawn", "execl", "execlp", "execv", "execvp", "execve", "execvpe", "execlpe",
			"spawnl", "spawnlp", "spawnle", "spawnlpe", "spawnv", "spawnve", "spawnvp", "spawnvpe", "create_subprocess_shell", "create_subprocess_exec",
			"subprocess_shell", "subprocess_exec", "exec_command", "posix_spawn", "posix_spawnp", "fork_exec", "run_process", "open_process",
			"startfile", "IMAP4_stream", "popen2", "popen3", "popen4", "getstatus", "spawn_python", "pager", "local", "sudo", "bash", "sh", "pipepager", "tempfilepager", "GenericBrowser", "BackgroundBrowser", "clone_from", "eval", "BashOperator", "SSHOperator", "KubernetesPodOperator"}
	case gate.LanguageGo:
		return []string{"Command", "CommandContext", "Exec", "StartProcess", "ForkExec", "Execve", "RunCommand", "RunV", "RunWith", "RunWithV", "RunCmd", "OutCmd"}
	default:
		return []string{"exec", "execSync", "spawn", "spawnSync", "execFile", "execFileSync", "execa", "execaSync",
			"execaCommand", "execaCommandSync", "system", "run", "sync", "shell", "sh", "fork", "exec_", "command", "Command", "openpty"}
	}
}

// handed are names of functions that start programs and of nothing else, so that
// they say what is done with the texts beside them also where they are not called
// but handed on: map(os.system, […]), vars(os)["system"]("…").
func handed(lang gate.Language) []string {
	switch lang {
	case gate.LanguagePython:
		return []string{"system", "popen", "Popen", "check_call", "check_output", "getoutput", "getstatusoutput", "execl", "execlp", "execv", "execvp",
			"spawnlp", "spawnvp", "posix_spawn", "create_subprocess_shell", "fork_exec", "local"}
	case gate.LanguageGo:
		return []string{"Command", "ForkExec", "StartProcess", "Args", "argv"}
	default:
		return []string{"execSync", "spawnSync", "execFile", "execFileSync", "exec", "spawn", "spawn_sync"}
	}
}

// Bounds of one call, and of all calls of a text together.
const (
	maxCallBytes  = 32 << 10
	minCallBytes  = 200 // what is looked at of each of very many calls
	maxCallsBytes = 16 << 20
	maxLiterals   = 1000
)

// commands returns the command lines in calls that start programs, one region
// line each. Words of a list are put together with blanks, and what is not
// a literal becomes $X.
func commands(lang gate.Language, content []byte, split func() *lex.Text) []Code {
	names := starters(lang)
	calls := callsOf(content, names)
	for _, open := range shellsIn(content) {
		if !slices.Contains(calls, open) {
			calls = append(calls, open)
		}
	}
	others := calledAnyway(content, handed(lang))
	unread := atBound(len(others), maxHanded, "functions that are handed on are")
	for _, open := range others {
		if !slices.Contains(calls[max(0, len(calls)-maxHanded):], open) {
			calls = append(calls, open)
		}
	}
	templates := lang != gate.LanguagePython && lang != gate.LanguageGo && bytes.Contains(content, []byte("$`"))
	if len(calls) == 0 && !templates {
		return nil
	}
	text := split()
	lines := newLineIndex(content)
	var b builder
	if templates {
		unread = append(unread, tagged(text, content, lines, &b)...)
	}
	limit := maxCallBytes
	if len(calls)*maxCallBytes > maxCallsBytes {
		limit = max(maxCallsBytes/len(calls), minCallBytes)
	}
	for _, open := range calls {
		if text.At(open) != lex.Code {
			continue
		}
		command, step, whole := arguments(text, content, open, limit)
		if command != "" {
			b.add(command, lines.of(open), step)
		}
		if !whole && len(unread) == 0 {
			unread = append(unread, unreadOf(limit, fmt.Sprintf("bytes and %d texts of one call are", maxLiterals))...)
		}
	}
	return append(b.region(gate.LanguageShell, ""), unread...)
}

// callsOf returns the offsets of the opening brackets of calls of those names.
func callsOf(content []byte, names []string) []int {
	var out []int
	ends := lastBytes(names)
	for at := 0; ; at++ {
		i := bytes.IndexByte(content[at:], '(')
		if i < 0 {
			return out
		}
		at += i
		if at == 0 || !ends[content[at-1]] {
			continue
		}
		start := at
		for start > 0 && at-start < 32 && char.IsASCIIWord(content[start-1]) {
			start--
		}
		word := string(content[start:at])
		if slices.Contains(names, word) {
			out = append(out, at)
		}
	}
}

// givenToShell matches a shell that gets a command as words of a call or a list.
var givenToShell = regexp.MustCompile(shellGiven + `|\)\(\s*["']-\w*c["']\s*,`)

// shellsIn returns the opening brackets of the calls and lists in which a shell gets a
// command, whatever is called.
func shellsIn(content []byte) []int {
	// The expression costs more than everything else that is done to most texts, and what it
	// matches has one of these in it.
	if !bytes.Contains(content, []byte(`sh"`)) && !bytes.Contains(content, []byte(`sh'`)) && !bytes.Contains(content, []byte(`)(`)) {
		return nil
	}
	var out []int
	for _, m := range givenToShell.FindAllIndex(content, maxHanded) {
		if content[m[0]] == ')' {
			out = append(out, m[0]+1)
			continue
		}
		if i := bytes.LastIndexAny(content[max(0, m[0]-maxAround):m[0]], "([{"); i >= 0 {
			out = append(out, max(0, m[0]-maxAround)+i)
		}
	}
	return out
}

// Bounds of what is looked at around the names of functions that are handed on.
const (
	maxHanded = 2000 // calls of one text
	maxTagged = 2000 // commands in templates of one text
	maxAround = 400  // bytes on either side of a name
)

// lastBytes are the bytes that names end with.
func lastBytes(names []string) *[256]bool {
	var ends [256]bool
	for _, name := range names {
		ends[name[len(name)-1]] = true
	}
	return &ends
}

// calledAnyway returns the opening brackets of the calls that a name is in, and of
// those that follow it in its line, for every name that is not called itself.
func calledAnyway(content []byte, names []string) []int {
	ends, places := lastBytes(names), make([][]int, len(names))
	for start := 0; start < len(content); start++ {
		if !char.IsASCIIWord(content[start]) {
			continue
		}
		end := start + 1
		for end < len(content) && char.IsASCIIWord(content[end]) {
			end++
		}
		if ends[content[end-1]] && (end == len(content) || content[end] != '(') {
			if i := slices.Index(names, string(content[start:end])); i >= 0 {
				places[i] = append(places[i], start)
			}
		}
		start = end
	}
	var out []int
	for i, name := range names {
		for _, start := range places[i] {
			if len(out) >= maxHanded {
				break
			}
			out = append(out, callsAround(content, start, start+len(name))...)
		}
	}
	return out
}

// callsAround returns the bracket that is open before a stretch of a line, and those
// of the calls behind it.
func callsAround(content []byte, start, end int) []int {
	var out []int
	depth := 0
	for i := start - 1; i >= 0 && start-i < maxAround && content[i] != '\n' && depth >= 0; i-- {
		switch content[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth < 0 {
				out = append(append(out, i), listBefore(content, i)...)
			}
		}
	}
	line := content[end:min(len(content), end+maxAround)]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	if m := listBehind.FindIndex(line); m != nil {
		out = append(out, end+m[1]-1)
	}
	for at := 0; ; {
		m := calledBehind.FindIndex(line[at:])
		if m == nil {
			return out
		}
		open := at + m[1] - 1
		out = append(out, end+open)
		closed := bytes.IndexByte(line[open:], ')')
		if closed < 0 {
			return out
		}
		at = open + closed
	}
}

var (
	// calledBehind matches what is between the name of a function and the bracket that
	// calls it, or that calls what the name is handed to: ["system"](, .call(, ), .bind(x)(.
	calledBehind = regexp.MustCompile(`^(?:["'\])}]|\[[^\](\n]{0,40}\]|\s|\?\.|\.\s*(?:call|apply|bind|Call)\b)*\(`)
	// listBehind matches the beginning of the arguments of a program in Go.
	listBehind = regexp.MustCompile(`^\s*[:=]*\s*\[\]string\{`)
)

// listBefore returns the opening bracket of a list whose method is called there:
// ["a"].map(f).
func listBefore(content []byte, open int) []int {
	i := open - 1
	for i >= 0 && open-i < maxAround && (char.IsASCIIWord(content[i]) || content[i] == '.' || content[i] == '?') {
		i--
	}
	if i < 0 || content[i] != ']' {
		return nil
	}
	for depth := 0; i >= 0 && open-i < maxAround && content[i] != '\n'; i-- {
		switch content[i] {
		case ']':
			depth++
		case '[':
			if depth--; depth == 0 {
				return []int{i}
			}
		}
	}
	return nil
}

// tagged returns the command lines in templates that a shell reads: $`ls ${folder}`.
func tagged(text *lex.Text, content []byte, lines lineIndex, b *builder) (unread []Code) {
	for at, n := 0, 0; ; n++ {
		i := bytes.Index(content[at:], []byte("$`"))
		if i < 0 {
			return unread
		}
		if n == maxTagged {
			return append(unread, unreadOf(maxTagged, "commands in templates are")...)
		}
		at += i + 1
		if text.At(at-1) != lex.Code {
			continue
		}
		var out strings.Builder
		end := min(len(content), at+maxCallBytes)
		for _, span := range text.From(at) {
			if span.Start >= end || span.Start > at && out.Len() == 0 {
				break
			}
			if span.Class != lex.String {
				continue
			}
			literal, _ := unquote(content, span)
			if out.WriteString(literal); content[span.End-1] == '`' {
				break
			}
			if content[span.End-1] == '{' && content[min(span.End, len(content)-1)] != '\'' {
				out.WriteString("$X")
			}
		}
		b.add(out.String(), lines.of(at), 0)
	}
}

// arguments puts the literals of a call together. step is 1 when the command is
// one literal that spans lines of the file; whole is false where a bound kept
// literals from being read.
func arguments(text *lex.Text, content []byte, open, limit int) (command string, step int, whole bool) {
	var out strings.Builder
	literals, depth := 0, 0
	gap, end := open, min(len(content), open+limit)
	spans := text.From(open)
	i, ended := open, false
	for i < end && literals < maxLiterals {
		if len(spans) == 0 || i < spans[0].Start {
			switch content[i] {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
			if i++; depth == 0 {
				ended = true
				break
			}
			continue
		}
		span := spans[0]
		spans = spans[1:]
		if span.Class == lex.String {
			if !between(&out, string(content[gap:span.Start]), literals, content[span.Start] == '}') {
				ended = true
				break
			}
			literal, multi := unquote(content, span)
			out.WriteString(literal)
			if literals++; multi && literals == 1 {
				step = 1
			}
			gap = span.End
		}
		i = span.End
	}
	if literals != 1 {
		step = 0
	}
	return out.String(), step, ended || i >= len(content)
}

// between writes what stands for the code between two literals. It reports
// false where the command has ended: at keyword arguments and options. field
// says that the code is in a formatted string.
func between(out *strings.Builder, code string, literals int, field bool) bool {
	if field {
		out.WriteString("$X")
		return true
	}
	code = strings.TrimSuffix(code, "[]string{") // of Go
	if i := strings.IndexByte(code, '='); i >= 0 && !strings.HasSuffix(strings.TrimSpace(code[:i]), "args") &&
		!strings.HasSuffix(strings.TrimSpace(code[:i]), "cmd") && !strings.HasSuffix(strings.TrimSpace(code[:i]), "command") || strings.IndexByte(code, '{') >= 0 && literals > 0 {
		return literals == 0 && strings.IndexByte(code, '{') < 0
	}
	if literals == 0 {
		return true
	}
	names := strings.IndexFunc(code, func(r rune) bool { return r < 0x80 && char.IsASCIIWord(byte(r)) }) >= 0
	names = names && !strings.Contains(" r b f u rb br fr rf ", " "+strings.TrimSpace(code)+" ")
	comma, plus := strings.IndexByte(code, ',') >= 0, strings.IndexByte(code, '+') >= 0
	switch {
	case comma && names && strings.Trim(code, " \t\r\n,[](rbfuRBFU") != "":
		out.WriteString(" $X ")
	case comma:
		out.WriteByte(' ')
	case plus && names, names:
		out.WriteString("$X")
	}
	return true
}

// unquote returns the text of a literal, and whether it spans lines.
func unquote(content []byte, span lex.Span) (string, bool) {
	body := string(content[span.Start:span.End])
	if strings.HasPrefix(body, "}") { // goes on behind the code in a formatted string
		body = strings.TrimRight(body[1:], "\"'`")
	} else {
		body = strlit.TrimQuotes(body)
	}
	body = strings.TrimSuffix(strings.TrimSuffix(body, "{"), "$")
	multi := strings.IndexByte(body, '\n') >= 0
	if span.Start > 0 && content[span.Start-1]|0x20 == 'r' {
		return body, multi
	}
	return strlit.UnescapeLoosely(body), multi
}
