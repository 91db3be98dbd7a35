package region

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
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
			"spawnl", "spawnlp", "spawnv", "spawnvp", "create_subprocess_shell", "create_subprocess_exec", "exec_command"}
	case gate.LanguageGo:
		return []string{"Command", "CommandContext", "Exec", "StartProcess", "ForkExec"}
	default:
		return []string{"exec", "execSync", "spawn", "spawnSync", "execFile", "execFileSync", "execa", "execaSync",
			"execaCommand", "system", "run"}
	}
}

// Bounds of one call, and of all calls of a text together.
const (
	maxCallBytes  = 8 << 10
	minCallBytes  = 200 // what is looked at of each of very many calls
	maxCallsBytes = 16 << 20
	maxLiterals   = 64
)

// commands returns the command lines in calls that start programs, one region
// line each. Words of a list are put together with blanks, and what is not
// a literal becomes $X.
func commands(lang gate.Language, content []byte) []Region {
	names := starters(lang)
	calls := callsOf(content, names)
	if len(calls) == 0 {
		return nil
	}
	text := lex.Split(lang, content)
	lines := newLineIndex(content)
	var b builder
	limit := maxCallBytes
	if len(calls)*maxCallBytes > maxCallsBytes {
		limit = max(maxCallsBytes/len(calls), minCallBytes)
	}
	for _, open := range calls {
		if text.At(open) != lex.Code {
			continue
		}
		if command, step := arguments(text, content, open, limit); command != "" {
			b.add(command, lines.of(open), step)
		}
	}
	return b.region(gate.LanguageShell, "")
}

// callsOf returns the offsets of the opening brackets of calls of those names.
func callsOf(content []byte, names []string) []int {
	var out []int
	for at := 0; ; at++ {
		i := bytes.IndexByte(content[at:], '(')
		if i < 0 {
			return out
		}
		at += i
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

// arguments puts the literals of a call together. step is 1 when the command is
// one literal that spans lines of the file.
func arguments(text *lex.Text, content []byte, open, limit int) (command string, step int) {
	var out strings.Builder
	literals, depth := 0, 0
	gap, end := open, min(len(content), open+limit)
	spans := text.From(open)
	for i := open; i < end && literals < maxLiterals; {
		if len(spans) == 0 || i < spans[0].Start {
			switch content[i] {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth--
			}
			if i++; depth == 0 {
				break
			}
			continue
		}
		span := spans[0]
		spans = spans[1:]
		if span.Class == lex.String {
			if !between(&out, string(content[gap:span.Start]), literals, content[span.Start] == '}') {
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
	return out.String(), step
}

// between writes what stands for the code between two literals. It reports
// false where the command has ended: at keyword arguments and options. field
// says that the code stands in a formatted string.
func between(out *strings.Builder, code string, literals int, field bool) bool {
	if field {
		out.WriteString("$X")
		return true
	}
	if i := strings.IndexByte(code, '='); i >= 0 && !strings.HasSuffix(strings.TrimSpace(code[:i]), "args") &&
		!strings.HasSuffix(strings.TrimSpace(code[:i]), "cmd") || strings.IndexByte(code, '{') >= 0 && literals > 0 {
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
