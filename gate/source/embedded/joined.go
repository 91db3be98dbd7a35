package embedded

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
)

// Bounds of the texts of a program that are put together.
const (
	maxJoined      = 4000      // groups of one file
	maxJoinedBytes = 256 << 10 // bytes of one group
	maxApart       = 120       // bytes of code between two texts of a group
)

var (
	// joiningWords matches the names and numbers between two texts.
	joiningWords = regexp.MustCompile(`[\pL_$][\pL\pN_$.]*`)
	// appends matches a statement that adds what follows to a variable.
	appends = regexp.MustCompile(`^[\s)\]};,]*[\w$.@]+[ \t]*(?:\+=|\.=|<<|\|\|=|~=)[\s($]*[bruf]?$`)
	// joiningStart matches texts that tell an interpreter what to do and are no part of a program.
	joiningStart = regexp.MustCompile(`^(?:\s*|/?(?:[\w.-]+/)*(?:python[\d.]*|py|node(?:js)?|deno|bun|perl|j?ruby|php|(?:ba|da|z|k)?sh|env|child_process|subprocess)|-{1,2}[\w-]*)$`)
	// tailBreak matches what ends a statement in front of another.
	tailBreak = regexp.MustCompile(`[\n;{}]`)
)

// joined reads the texts of a program next to each other as one: with nothing but
// signs between them, with the same call or the same variable in front of each, or added to a
// variable. They are put together as they are, and each on a line of its own.
func (f *foreignReader) joined(lang gate.Language, content []byte) {
	text := lex.Scan(lang, content)
	var group []lex.Span
	head := "" // the names in front of the texts of the group
	groups, end := 0, 0
	for _, s := range text.Spans {
		if s.Class != lex.String {
			continue
		}
		between := apart(content, text, end, s.Start)
		same, names := next(between, head, lang)
		if len(group) > 0 && !same {
			if groups++; groups > maxJoined {
				f.full = true
				return
			}
			f.group(lang, content, group)
			group = group[:0]
		}
		if names != "" {
			head = names
		}
		group, end = append(group, s), s.End
	}
	f.group(lang, content, group)
}

// apart is the code between two offsets without its comments, its last bytes where it is long.
func apart(content []byte, text *lex.Text, start, end int) string {
	var out []byte
	for i := max(start, end-4*maxApart); i < end; i++ {
		if text.At(i) == lex.Code {
			out = append(out, content[i])
		}
	}
	return string(out)
}

// next reports whether the code in front of a text, behind another one, puts both together, and
// the names of the statement that it begins, if any.
func next(between, head string, lang gate.Language) (same bool, names string) {
	words := joiningWords.FindAllString(strings.TrimRight(between, "bruf"), -1)
	if len(words) == 0 {
		return len(between) <= maxApart, ""
	}
	tail := strings.TrimLeft(between, " \t\r\n)]};,")
	if at := tailBreak.FindAllStringIndex(strings.TrimRight(tail, " \t\r\n{"), -1); len(at) > 0 {
		tail = tail[at[len(at)-1][1]:]
	}
	names = strings.Join(joiningWords.FindAllString(strings.TrimRight(tail, "bruf"), -1), " ")
	if len(between) > maxApart {
		return false, names
	}
	whole := strings.Join(words, " ")
	return whole == head || appends.MatchString(between) || lang == gate.LanguageShell && whole == names && sameCommand(whole, head), names
}

// sameCommand reports whether two commands of a shell begin with the same word that writes.
func sameCommand(a, b string) bool {
	first, _, _ := strings.Cut(a, " ")
	other, _, _ := strings.Cut(b, " ")
	return first == other && (first == "echo" || first == "printf")
}

// group reads one group of texts.
func (f *foreignReader) group(lang gate.Language, content []byte, spans []lex.Span) {
	var texts []string
	var lines []int
	size := 0
	for _, s := range spans {
		text := f.plain(lang, content, s)
		if lang == gate.LanguageShell {
			text = shellText(string(content[s.Start:s.End]), s.Start > 0 && content[s.Start-1] == '$')
		}
		if text == "" || len(texts) == 0 && joiningStart.MatchString(text) {
			continue
		}
		if size += len(text); size > maxJoinedBytes {
			f.full = true
			break
		}
		texts, lines = append(texts, text), append(lines, f.lines.of(s.Start))
	}
	if len(texts) < 2 {
		return
	}
	var apart builder
	var plain []byte
	var plainLines []int
	for i, text := range texts {
		apart.add(text, lines[i], 0)
		if len(plain) == 0 || plain[len(plain)-1] == '\n' {
			plainLines = append(plainLines, lines[i])
		}
		plain = append(plain, text...)
		for range strings.Count(strings.TrimSuffix(text, "\n"), "\n") {
			plainLines = append(plainLines, lines[i])
		}
	}
	f.program(apart.text, apart.lines)
	if plain = append(bytes.TrimSuffix(plain, []byte{'\n'}), '\n'); !bytes.Equal(plain, apart.text) {
		f.program(plain, plainLines)
	}
}

// program takes over a text that reads like a program of one of the languages.
func (f *foreignReader) program(text []byte, lines []int) {
	for _, l := range f.languages {
		if !l.reads.Match(text) {
			continue
		}
		if f.size += len(text); len(f.out) >= maxForeign || f.size > maxForeignBytes {
			f.full = true
			return
		}
		f.out = append(f.out, Code{Language: l.language, Text: withoutIndent(bytes.Clone(text)), Lines: slices.Clone(lines)})
	}
}
