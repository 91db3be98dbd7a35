package embedded

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	programs "github.com/aigate/gate/gate/source/interpreter"
	"github.com/aigate/gate/gate/source/lex"
	"github.com/aigate/gate/gate/source/strlit"
)

// maxScriptTexts bounds the scripts in the strings of one program.
const maxScriptTexts = 200

// scriptTexts returns the scripts in the strings of a program: what begins with "#!" and the
// name of an interpreter is written to be run, as a hook, a service or a helper, by whatever
// part of the program.
func scriptTexts(lang gate.Language, content []byte) []Code {
	if !bytes.Contains(content, []byte("#!")) {
		return nil
	}
	var out []Code
	lines := newLineIndex(content)
	spans := lex.Scan(lang, content).Spans
	found := 0
	for i := 0; i < len(spans); i++ {
		if spans[i].Class != lex.String || spans[i].Start == 0 && bytes.HasPrefix(content, []byte("#!")) {
			continue
		}
		raw := string(content[spans[i].Start:spans[i].End])
		if !strings.HasPrefix(strings.TrimLeft(raw, "rbuf\"'`\\\n "), "#!") {
			continue
		}
		if found++; found > maxScriptTexts {
			break
		}
		var b scriptBuilder
		text := b.scriptPart(lang, raw, lines.of(spans[i].Start))
		for i+1 < len(spans) && spans[i+1].Class == lex.String && strings.Trim(string(content[spans[i].End:spans[i+1].Start]), " \t\r\n+()") == "" {
			i++
			b.scriptPart(lang, string(content[spans[i].Start:spans[i].End]), lines.of(spans[i].Start))
		}
		s, ok := programs.ReadShebang([]byte(text))
		if !ok || len(s.Languages) == 0 || len(b.text) == 0 {
			continue
		}
		out = append(out, b.region(s.Languages[0], "")...)
	}
	return append(out, atBound(found, maxScriptTexts, "scripts in the strings of a program are")...)
}

// scriptBuilder puts a script together from the strings that a program joins.
type scriptBuilder struct {
	builder
	ended bool // the last string ends with a line feed
}

// scriptPart adds a string with its lines, and returns its text: what has several lines in
// the program has them in the script.
func (b *scriptBuilder) scriptPart(lang gate.Language, raw string, line int) string {
	text, step := strlit.TrimQuotes(raw), 0
	if strings.Contains(text, "\n") {
		step = 1
	}
	if lang != gate.LanguageGo || !strings.HasPrefix(raw, "`") {
		text = strlit.UnescapeLoosely(text)
	}
	if n := len(b.text); n > 0 && !b.ended {
		b.text, b.lines = b.text[:n-1], b.lines[:len(b.lines)-1] // the string before ends within a line
	}
	b.ended = strings.HasSuffix(text, "\n")
	if lead := strings.TrimLeft(text, " \t\r\n"); strings.HasPrefix(lead, "#!") {
		line += step * strings.Count(text[:len(text)-len(lead)], "\n")
		text = lead
	}
	b.add(text, line, step)
	return text
}
