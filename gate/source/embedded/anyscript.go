package embedded

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/lex"
)

// Scripts returns a text of data as the scripts that it could be run as by the person who is
// told to, whatever its name says: a list of commands named .editorconfig is run by
// sh like any other.
//
// What keeps to the grammar of its own language is left out where that language has
// no place for bare commands, and so is what is written for people: an instruction
// to install something is no script.
func Scripts(lang gate.Language, role gate.Role, name string, content []byte) []Code {
	if !mayBeScript(lang, role, name, content) {
		return nil
	}
	opened := unprompted(content)
	if lang.Generic() {
		opened = lex.Scan(lang, opened).View(opened)
	}
	out := untyped(opened)
	if lang == gate.LanguageText && isNote(name) && !shellLike(opened) {
		out = slices.DeleteFunc(out, func(r Code) bool { return r.Language == gate.LanguageShell })
	}
	if rubyLine.Match(opened) && !proseIn(gate.LanguageRuby, opened) {
		out = append(out, whole(gate.LanguageRuby, opened)...)
	}
	if at := bytes.Index(opened, []byte("<?php")); at >= 0 {
		out = append(out, whole(gate.LanguagePHP, opened)...)
	}
	return out
}

// rubyLine matches lines of Ruby, Perl and Lua that start a program.
var rubyLine = regexp.MustCompile("(?m)^[ \\t]*(?:system|exec|spawn|popen|IO\\.popen|Open3\\.\\w+|Kernel\\.\\w+|os\\.execute|io\\.popen|qx|%x|`|print[ \\t]*`|my[ \\t]+[$@]\\w+[ \\t]*=[ \\t]*(?:`|qx|system))")

// mayBeScript reports whether a text of data is worth to be read as a script.
func mayBeScript(lang gate.Language, role gate.Role, name string, content []byte) bool {
	if len(bytes.TrimSpace(content)) == 0 || jsonLike(content) {
		return false
	}
	if role == gate.RoleDocs {
		return lang == gate.LanguageText && !forPeople(name) && shellLike(content)
	}
	switch lang {
	case gate.LanguageText:
		return !isPatch(name)
	case gate.LanguageINI, gate.LanguageTOML, gate.LanguageJSON:
		return true
	case gate.LanguageYAML:
		return !keepsTo(settingLine, content) || shellLike(content)
	}
	return lang.Generic() && lang != gate.LanguageUnknown && lang != gate.LanguageLiterate && shellLike(content)
}

// settingLine matches what a line of YAML that is not indented begins with.
var settingLine = regexp.MustCompile(`^(?:#|%|---|\.\.\.|[-?](?:\s|$)|[\]}{\[]|[^:#\s][^:]*(?::[^:\s][^:]*)*:(?:\s|$))`)

// keepsTo reports whether all lines of a text that are not indented match.
func keepsTo(grammar *regexp.Regexp, content []byte) bool {
	for line := range bytes.Lines(content) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > 0 && line[0] != ' ' && line[0] != '\t' && !grammar.Match(line) {
			return false
		}
	}
	return true
}

// forPeople reports whether a name is that of a text that people read.
func forPeople(name string) bool {
	base := strings.ToLower(path.Base(name))
	return slices.Contains([]string{".rst", ".adoc", ".asciidoc", ".tex", ".md", ".xml", ".css"}, path.Ext(base)) ||
		strings.HasPrefix(base, "readme") || strings.HasPrefix(base, "install") || strings.HasPrefix(base, "contributing")
}

// isNote reports whether a name is that of a text in which people write what they run
// themselves, so that one command in it makes no script of it.
func isNote(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case "", ".txt", ".text", ".log":
		return true
	}
	return false
}

// isPatch reports whether a name is that of a patch, which is read as such.
func isPatch(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".patch" || ext == ".diff"
}

// jsonLike reports whether nothing is outside of the strings and comments of a
// text but what JSON has there.
func jsonLike(content []byte) bool {
	rest := bytes.TrimLeft(content, " \t\r\n\ufeff")
	if len(rest) == 0 || bytes.IndexByte([]byte(`{["/`), rest[0]) < 0 {
		return false
	}
	for len(rest) > 0 {
		c := rest[0]
		switch {
		case c == '"':
			end := stringEnd(rest)
			if end < 0 {
				return false
			}
			rest = rest[end:]
			continue
		case c == '/' && len(rest) > 1 && rest[1] == '/':
			rest = after(rest, "\n")
			continue
		case c == '/' && len(rest) > 1 && rest[1] == '*':
			rest = after(rest, "*/")
			continue
		case c >= 'a' && c <= 'z' && c != 'e':
			n := wordLength(rest)
			if word := string(rest[:n]); word != "true" && word != "false" && word != "null" {
				return false
			}
			rest = rest[n:]
			continue
		case bytes.IndexByte([]byte(" \t\r\n{}[]:,+-.0123456789eE"), c) < 0:
			return false
		}
		rest = rest[1:]
	}
	return true
}

// stringEnd is where a string ends that begins a text, -1 where it does not.
func stringEnd(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		case '\n':
			return -1
		}
	}
	return -1
}

// after is what follows a mark, nothing where it is not there.
func after(text []byte, mark string) []byte {
	_, rest, _ := bytes.Cut(text, []byte(mark))
	return rest
}

func wordLength(text []byte) int {
	n := 0
	for n < len(text) && text[n] >= 'a' && text[n] <= 'z' {
		n++
	}
	return n
}

// unprompted blanks what no shell runs as it is and people write to show a command:
// a comment of another language, a prompt, a field of a table, which is one word.
func unprompted(content []byte) []byte {
	out := bytes.Clone(content)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = ' '
		}
	}
	for _, at := range shownLine.FindAllIndex(content, -1) {
		blank(at[0], at[1])
	}
	for _, at := range field.FindAllSubmatchIndex(content, -1) {
		if !bytes.Contains(content[at[2]:at[3]], []byte("$(")) {
			blank(at[2], at[3])
		}
	}
	return out
}

var (
	shownLine = regexp.MustCompile(`(?m)^[ \t]*(?://|;|[$>%][ \t]|\*[ \t])[^\n]*`)
	field     = regexp.MustCompile("(?m)(?:^|,)(\"[^\"`\\n]* [^\"`\\n]*\"),")
)
