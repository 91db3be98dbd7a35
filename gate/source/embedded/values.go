package embedded

import (
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// shownKeys are keys, in lower case, of text for people.
var shownKeys = regexp.MustCompile(`(?i)^(?:desc(?:ription)?|message|msg|help|notes?|text|example|examples|summary|title|name|label|comment|documentation|docs?|body|usage|readme|caption|placeholder|hint)$`)

// isCommand reports whether the value of a key is a command: the key says so, or the
// value itself.
func isCommand(key, value string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(value, "\r\n"), "\n")
	return isCommandKey(key) || !shownKeys.MatchString(key) && wholeCommand.MatchString(quoteSigns.Replace(first))
}

// valueAt is a text and the line on which it begins.
type valueAt struct {
	text string
	line int
}

// values adds the texts behind one key: each that is a command line, and all of them as
// the words of one.
func (b *builder) values(values []valueAt, command bool, key string) {
	var words []string
	for _, v := range values {
		words = append(words, v.text)
		if command && (len(values) == 1 || strings.ContainsAny(v.text, " \t")) || isCommand(key, v.text) && !isCommandKey(key) {
			b.flush(v.text, v.line, 1)
		}
	}
	if command && len(words) > 1 {
		b.flush(strings.Join(words, " "), values[0].line, 0)
	}
}

var (
	tomlTable    = regexp.MustCompile(`(?m)^[ \t]*\[+[ \t]*([^\]\n]+?)[ \t]*\]`)
	tomlKeyOf    = regexp.MustCompile(`([\w."'-]+)[ \t]*=[ \t]*[^=]*$`)
	commandTable = regexp.MustCompile(`(?i)(?:^|[.\s"'])(?:scripts?|tasks?|commands?|hooks?|alias(?:es)?|poe|taskipy|before|after|run)(?:$|[.\s"'\]])`)
)

// tomlCommands returns the commands in a TOML file: those of keys and tables that are
// for commands, and texts that are some.
func tomlCommands(content []byte) []Code {
	var b builder
	root := &setting{kind: objectSetting}
	tomlValues(content, func(table, key string, values []valueAt) {
		root.table(table, 0).put(key, values)
		b.values(values, commandTable.MatchString(table) || isCommandKey(key), key)
	})
	out := b.region(gate.LanguageShell, "")
	return append(out, documentCommands([]*setting{root}, out, false)...)
}

// table is the object that a table of TOML is, by its name.
func (s *setting) table(name string, line int) *setting {
	for part := range strings.SplitSeq(name, ".") {
		part = strings.Trim(part, `"' `)
		if part == "" {
			continue
		}
		at := s.member(part)
		if at == nil || at.kind != objectSetting {
			at = &setting{key: part, kind: objectSetting, line: line, in: s}
			s.add(at)
		}
		s = at
	}
	return s
}

// put adds the texts behind a key, as one or as a list.
func (s *setting) put(key string, values []valueAt) {
	if len(values) == 0 {
		return
	}
	of := &setting{key: key, kind: listSetting, line: values[0].line, in: s}
	for _, v := range values {
		of.add(&setting{text: v.text, line: v.line, step: 1, in: of})
	}
	if len(values) == 1 {
		of.kind, of.text, of.step, of.items = scalarSetting, values[0].text, 1, nil
	}
	s.add(of)
}

var iniLine = regexp.MustCompile(`^[ \t]*([\w.:\[\]@/+-]+(?: [\w.-]+)*?)[ \t]*[=:][ \t]*(.*)$`)

// iniCommands returns the commands in a file of keys and values: those of keys that are
// for commands, and values that are some, with the indented lines below.
func iniCommands(content []byte) []Code {
	var b builder
	within := false
	for i, line := range strings.Split(string(content), "\n") {
		line = strings.TrimRight(line, "\r")
		trimmed := strings.TrimSpace(line)
		switch m := iniLine.FindStringSubmatch(line); {
		case trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';' || trimmed[0] == '[':
			continue
		case within && (line[0] == ' ' || line[0] == '\t'):
			b.flush(trimmed, i+1, 0)
		case m != nil:
			value := strings.TrimLeft(strings.Trim(m[2], `"`), "!|") // "!" begins a command of git
			within = isCommand(m[1], value) || strings.HasPrefix(strings.ToLower(m[1]), "exec")
			if within {
				b.flush(value, i+1, 0)
			}
		default:
			within = false
		}
	}
	out := b.region(gate.LanguageShell, "")
	return append(out, documentCommands([]*setting{iniSettings(content)}, out, false)...)
}
