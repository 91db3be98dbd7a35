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

// What a tool executes although it is in prose has a role of its own: that of the file
// says that people read it, which is no excuse for code that runs.
const executed = gate.RoleSource

// doctests returns the examples of a text that pytest, Sphinx and the module doctest execute:
// the lines behind >>> and those that go on behind "...". Nothing in the file says whether
// a user tells them to, so it is a guess that they are code.
func doctests(content []byte) []Code {
	if !bytes.Contains(content, []byte(">>>")) {
		return nil
	}
	c := cell{kind: "code"}
	within := "-" // no indentation
	for i, line := range strings.Split(string(content), "\n") {
		line = strings.TrimRight(line, "\r")
		m := doctestLine.FindStringSubmatch(line)
		switch {
		case m == nil, m[2] == "..." && within != m[1]:
			within = "-"
		default:
			within = m[1]
			c.parts, c.lines = append(c.parts, m[3]), append(c.lines, i+1)
		}
	}
	if len(c.parts) == 0 {
		return nil
	}
	return guessed(inRole(executed, c.regions(gate.LanguagePython)), true)
}

// doctestLine matches a line of an example; other languages have it behind the sign of a
// comment.
var doctestLine = regexp.MustCompile(`^([ \t]*(?:(?:\*|--|#|///?|//!)[ \t]*)?)(>>>|\.\.\.)(?:[ \t](.*))?$`)

// inRole gives pieces of code a role.
func inRole(role gate.Role, regions []Code) []Code {
	for i := range regions {
		regions[i].Role = role
	}
	return regions
}

// executedDocs returns the texts that stand alone in a program that executes such a text:
// exec(f.__doc__). Which of them is meant is not followed: all are read.
func executedDocs(content []byte) []Code {
	if !bytes.Contains(content, []byte("__doc__")) && !bytes.Contains(content, []byte("getdoc")) &&
		!bytes.Contains(content, []byte("getcomments")) && !bytes.Contains(content, []byte("get_docstring")) {
		return nil // the expressions need far longer to say so
	}
	if !readsDoc.Match(content) || !executesText.Match(content) {
		return nil
	}
	var out []Code
	lines := newLineIndex(content)
	for _, span := range lex.Scan(gate.LanguagePython, content).Spans {
		text := bytes.TrimLeft(content[span.Start:span.End], "rRuUbB")
		if len(text) == 0 || text[0] != '"' && text[0] != '\'' || !standsAlone(content, span.Start) {
			continue // a documentation string is of the class of comments
		}
		var b builder
		b.add(strlit.TrimQuotes(string(text)), lines.of(span.Start), 1)
		for _, lang := range []gate.Language{gate.LanguagePython, gate.LanguageShell} {
			for _, r := range b.region(lang, "") {
				r.Text, r.Guessed = withoutIndent(r.Text), true
				out = append(out, r)
			}
		}
	}
	return out
}

var (
	readsDoc     = regexp.MustCompile(`\b__doc__\b|\bgetdoc\s*\(|\bgetcomments\s*\(|\bget_docstring\s*\(`)
	executesText = regexp.MustCompile(`\b(?:exec|eval|compile|system|popen|Popen|run|call|check_call|check_output|getoutput|getstatusoutput|run_cell|runsource|runcode|InteractiveConsole)\s*\(`)
)

// executedComments returns the comments of a Python program that reads its own text, or the
// comments in it, and executes text. Which of them is meant is not followed: all are read.
func executedComments(content []byte) []Code {
	if !bytes.Contains(content, []byte("__file__")) && !bytes.Contains(content, []byte("getcomments")) && !bytes.Contains(content, []byte("getsource")) &&
		!bytes.Contains(content, []byte("get_source")) && !bytes.Contains(content, []byte("argv[0]")) && !bytes.Contains(content, []byte("linecache")) {
		return nil // the expressions need far longer to say so
	}
	if !readsItself.Match(content) || !executesText.Match(content) {
		return nil
	}
	var b builder
	lines := newLineIndex(content)
	for _, span := range lex.Scan(gate.LanguagePython, content).Spans {
		if span.Class == lex.Comment && content[span.Start] == '#' {
			b.add(strings.TrimLeft(string(content[span.Start:span.End]), "#! \t"), lines.of(span.Start), 0)
		}
	}
	var out []Code
	for _, lang := range []gate.Language{gate.LanguagePython, gate.LanguageShell} {
		for _, r := range b.region(lang, "") {
			r.Guessed = true
			out = append(out, r)
		}
	}
	return out
}

// readsItself matches what gives a Python program its own text.
var readsItself = regexp.MustCompile(`\bopen\s*\(\s*(?:__file__|sys\.argv\[0\])|\bPath\s*\(\s*(?:__file__|sys\.argv\[0\])\s*\)\.(?:read_|open)|\blinecache\.|\b(?:getcomments|getsource(?:lines)?|get_source|findsource)\s*\(|\binput\s*\([^\n]*__file__`)

// standsAlone reports whether only blanks and the sign of a kind of text come before a place
// on its line.
func standsAlone(content []byte, at int) bool {
	begin := 1 + bytes.LastIndexByte(content[:at], '\n')
	return len(bytes.Trim(content[begin:at], " \trRuUbB")) == 0
}

// withoutIndent removes the blanks that all lines but the first share, as Python does with
// what it shows of a text, and those of the first.
func withoutIndent(text []byte) []byte {
	lines := strings.Split(string(text), "\n")
	least := -1
	for _, line := range lines[1:] {
		if body := strings.TrimLeft(line, " \t"); body != "" && (least < 0 || len(line)-len(body) < least) {
			least = len(line) - len(body)
		}
	}
	lines[0] = strings.TrimLeft(lines[0], " \t")
	for i := 1; i < len(lines) && least > 0; i++ {
		lines[i] = lines[i][min(least, len(lines[i])):]
	}
	return []byte(strings.Join(lines, "\n"))
}

// rustDoctests returns the examples in the comments of a Rust file: cargo test compiles and
// runs the code blocks in them, but for those that say that they don't want it.
func rustDoctests(content []byte) []Code {
	if !bytes.Contains(content, []byte("```")) {
		return nil
	}
	var b builder
	inside, runs := false, false
	for i, line := range strings.Split(string(content), "\n") {
		m := rustDoc.FindStringSubmatch(strings.TrimRight(line, "\r"))
		if m == nil {
			inside = false
			continue
		}
		if info, fence := strings.CutPrefix(strings.TrimSpace(m[1]), "```"); fence {
			inside = !inside
			runs = inside && rustRuns(info)
			continue
		}
		if inside && runs {
			b.add(strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(m[1], " "), "# "), "##"), i+1, 0)
		}
	}
	return guessed(b.region(gate.LanguageRust, ""), true)
}

var rustDoc = regexp.MustCompile(`^[ \t]*//[/!](.*)$`)

// rustRuns reports whether the words behind the fence of a code block leave it to run.
func rustRuns(info string) bool {
	for word := range strings.FieldsFuncSeq(info, func(r rune) bool { return r == ',' || r == ' ' }) {
		if !slices.Contains([]string{"rust", "should_panic", "edition2015", "edition2018", "edition2021", "edition2024", "test_harness"}, word) {
			return false
		}
	}
	return true
}

// cramTest returns the commands of a test of cram or its like: what follows a dollar,
// two blanks from the left, and goes on behind ">".
func cramTest(content []byte) []Code {
	if !cramLine.Match(content) {
		return nil
	}
	var b builder
	for i, line := range strings.Split(string(content), "\n") {
		line = strings.TrimRight(line, "\r")
		for _, sign := range []string{"  $ ", "  > "} {
			if command, ok := strings.CutPrefix(line, sign); ok && (sign != "  > " || len(b.lines) > 0) {
				b.add(command, i+1, 0)
			}
		}
	}
	return guessed(b.region(gate.LanguageShell, ""), true)
}

var cramLine = regexp.MustCompile(`(?m)^  \$ `)

// litTest returns the commands of a test of LLVM's lit, which follow RUN: in any file.
func litTest(content []byte) []Code {
	if !bytes.Contains(content, []byte("RUN:")) {
		return nil
	}
	var b builder
	lines := newLineIndex(content)
	for _, m := range litLine.FindAllSubmatchIndex(content, maxCommands) {
		b.flush(string(content[m[2]:m[3]]), lines.of(m[2]), 0)
	}
	return guessed(b.region(gate.LanguageShell, ""), true)
}

var litLine = regexp.MustCompile(`(?m)^[ \t]*(?:[;#%!]+|//+|/\*|\*|<!--|--|REM|@)[ \t]*RUN:[ \t]*([^\r\n]+)`)

// cogCode returns what cog runs in place: Python between [[[cog and ]]], in any file.
func cogCode(content []byte) []Code {
	var out []Code
	lines := newLineIndex(content)
	for at := 0; len(out) < maxCommands; {
		i := bytes.Index(content[at:], []byte("[[[cog"))
		if i < 0 {
			break
		}
		start := at + i + len("[[[cog")
		end := len(content)
		if j := bytes.Index(content[start:], []byte("]]]")); j >= 0 {
			end = start + j
		}
		body := strings.Split(string(content[start:end]), "\n")
		prefix := commentSign.FindString(body[min(1, len(body)-1)])
		for j := range body {
			body[j] = strings.TrimPrefix(body[j], prefix)
		}
		var b builder
		b.add(strings.Join(body, "\n"), lines.of(start), 1)
		out = append(out, inRole(executed, b.region(gate.LanguagePython, ""))...)
		at = end
	}
	return out
}

// commentSign matches what comes before code that is in a comment.
var commentSign = regexp.MustCompile(`^[ \t]*(?:#|//|--|;|\*|%)?[ \t]?`)
