package embedded

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
)

// inlinePrograms returns the programs in other languages that a shell script
// hands to an interpreter: python -c '…', node -e "…", python3 - <<EOF.
func inlinePrograms(content []byte) []Code {
	if !bytes.Contains(content, []byte(" -")) && !bytes.Contains(content, []byte("<<")) {
		return nil
	}
	text := lex.Scan(gate.LanguageShell, content)
	lines := newLineIndex(content)
	var out []Code
	for i := 0; i < len(text.Spans); i++ {
		span := text.Spans[i]
		if span.Class != lex.String {
			continue
		}
		lang := programBefore(content, span.Start)
		if lang == gate.LanguageUnknown || lang == gate.LanguageShell {
			continue // the shell's own rules see the strings of a shell script
		}
		body, last := shellWord(content, text.Spans, i)
		i = last
		var b builder
		b.add(body, lines.of(span.Start), 1)
		out = append(out, b.region(lang, "")...)
	}
	return out
}

// shellInPowerShell returns the commands that a script of PowerShell hands to another shell.
func shellInPowerShell(content []byte) []Code {
	var b builder
	lines := newLineIndex(content)
	for _, m := range shellOption.FindAllSubmatchIndex(content, maxCommands) {
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				b.flush(strings.NewReplacer("`\"", `"`, "``", "`", `\"`, `"`, "''", "'").Replace(string(content[m[g]:m[g+1]])), lines.of(m[g]), 1)
			}
		}
	}
	return b.region(gate.LanguageShell, "")
}

var shellOption = regexp.MustCompile("(?i)\\b(?:ba|z|da|k|a)?sh(?:\\.exe)?[\"']?(?:\\s+-\\w+)*?[\\s,]+[\"']?-\\w*c[\"']?[\\s,]+(?:\"((?:[^\"`\\\\]|`.|\\\\.|\"\")*)\"|'((?:[^']|'')*)')")

// maxBefore is how far the interpreter may be from its program.
const maxBefore = 4 << 10 // bytes

// programBefore is the language of the interpreter that the text before a
// string gives that string to.
func programBefore(content []byte, start int) gate.Language {
	before := content[max(0, start-maxBefore):start]
	heredoc := len(before) > 0 && before[len(before)-1] == '\n'
	before = bytes.TrimRight(before, "\r\n")
	if i := bytes.LastIndexByte(before, '\n'); i >= 0 && (i == 0 || before[i-1] != '\\') {
		before = before[i+1:]
	}
	line := string(before)
	if heredoc && !strings.Contains(line, "<<") {
		return gate.LanguageUnknown
	}
	words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t;|&(){}\"'<>`\\\n", r) })
	if !heredoc && (len(words) == 0 || !takesProgram(words[len(words)-1])) {
		return gate.LanguageUnknown
	}
	for _, word := range slices.Backward(words) {
		if l := interpreter(word); l != gate.LanguageUnknown {
			return l
		}
		if at := strings.LastIndexAny(word, "$:="); at >= 0 { // $PYTHON, ${PYTHON:-python3}
			if l := interpreter(strings.ToLower(strings.TrimLeft(word[at+1:], "-"))); l != gate.LanguageUnknown {
				return l
			}
		}
	}
	return gate.LanguageUnknown
}

// takesProgram reports whether an option is followed by a program: -c, -e, -lc,
// --eval, -Command.
func takesProgram(word string) bool {
	switch word {
	case "--eval", "--print", "-Command", "-command", "eval":
		return true
	}
	return len(word) >= 2 && len(word) <= 5 && word[0] == '-' && word[1] != '-' && strings.IndexByte("cepER", word[len(word)-1]) >= 0
}
