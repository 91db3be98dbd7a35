package embedded

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// Instruction is one instruction of a Dockerfile that executes something, or brings
// a file with it.
type Instruction struct {
	Name     string        // RUN, CMD, ENTRYPOINT, HEALTHCHECK, COPY, ADD: in capitals, without ONBUILD before it
	Language gate.Language // of the shell that the image has at that point
	Words    []string      // of the form ["sh", "-c", "…"], nil for a command line
	Lines    []string      // the command line, as the lines that it has without the signs that join them
	Places   []int         // the line of the file of each of them
	Here     []HereDocument

	stage int // of the build, from 0
}

// HereDocument is a text that an instruction has behind it.
type HereDocument struct {
	Tag    string // as it is written behind <<
	Lines  []string
	Places []int
}

// Command is the command line as a shell reads it, with the here documents behind
// it.
func (in Instruction) Command() string {
	var b builder
	in.command(&b)
	return strings.TrimSuffix(string(b.text), "\n")
}

// Instructions returns what a Dockerfile executes, as its builder reads it: with the
// escape sign that it chooses, across comments and empty lines, and with here
// documents.
func Instructions(content []byte) []Instruction {
	out, _ := readDockerfile(content)
	return out
}

// readDockerfile also returns what else was read on the way.
func readDockerfile(content []byte) ([]Instruction, *dockerReader) {
	r := &dockerReader{lines: strings.Split(strings.TrimPrefix(string(content), "\ufeff"), "\n"), escape: '\\', lang: gate.LanguageShell}
	r.directives()
	var out []Instruction
	for r.at < len(r.lines) {
		if in, ok := r.next(); ok {
			out = append(out, in)
		}
	}
	return out, r
}

type dockerReader struct {
	lines  []string
	at     int
	escape byte
	lang   gate.Language
	shells []shellChoice
	stage  int
	unread []Code
	vars   builder // that instructions set for those behind them, as assignments of a shell
}

var dockerDirective = regexp.MustCompile(`^\s*#\s*([A-Za-z][A-Za-z0-9]*)\s*=\s*(.*?)\s*$`)

// directives reads the comments at the top that rule over how the rest is read. They
// end with the first line that is none.
func (r *dockerReader) directives() {
	for i, line := range r.lines {
		m := dockerDirective.FindStringSubmatch(strings.TrimSuffix(line, "\r"))
		if m == nil {
			if i == 0 && strings.HasPrefix(line, "#!") {
				continue
			}
			return
		}
		switch strings.ToLower(m[1]) {
		case "escape":
			if m[2] == "`" || m[2] == `\` {
				r.escape = m[2][0]
			}
		case "syntax", "check":
		default:
			return // an ordinary comment
		}
	}
}

// part is what a physical line gives to an instruction.
type part struct {
	text  string
	place int
}

// next reads one instruction, with the here documents behind it. It reports false for
// one that executes nothing.
func (r *dockerReader) next() (Instruction, bool) {
	var parts []part
	for more := true; more && r.at < len(r.lines); r.at++ {
		line := strings.TrimRight(r.lines[r.at], "\r")
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			more = len(parts) > 0 // neither ends an instruction
			continue
		}
		line, more = r.continued(line)
		parts = append(parts, part{line, r.at + 1})
	}
	in := Instruction{Language: r.lang, stage: r.stage}
	for {
		word, ok := takeWord(&parts)
		if !ok {
			return in, false
		}
		switch strings.ToUpper(word) {
		case "ONBUILD":
			continue
		case "HEALTHCHECK":
			skipFlags(&parts)
			continue
		case "SHELL":
			r.shell(joinParts(parts), r.at)
			return in, false
		case "FROM":
			r.stage++
			return in, false
		case "ENV", "ARG":
			r.variables(parts)
			return in, false
		case "RUN", "CMD", "ENTRYPOINT", "COPY", "ADD":
			in.Name = strings.ToUpper(word)
			skipFlags(&parts)
		default:
			return in, false
		}
		break
	}
	for _, p := range parts {
		in.Lines, in.Places = append(in.Lines, p.text), append(in.Places, p.place)
	}
	all := joinParts(parts)
	in.Words = execForm(all)
	if in.Words == nil && in.Name != "CMD" && in.Name != "ENTRYPOINT" {
		found := dockerHere.FindAllStringSubmatch(all, maxHere)
		r.unread = append(r.unread, atBound(len(found), maxHere, "here documents of one instruction are")...)
		for _, m := range found {
			in.Here = append(in.Here, r.document(m[1] == "-", m[2]))
		}
	}
	if len(in.Here) == 0 && (in.Name == "COPY" || in.Name == "ADD") {
		return in, false
	}
	return in, len(in.Lines) > 0
}

// maxHere bounds how many here documents one instruction has.
const maxHere = 100

var dockerHere = regexp.MustCompile(`(?:^|[\s;&|(0-9])<<(-?)\s*(["']?[A-Za-z0-9_.][^\s"'<>|;&()]*["']?)`)

// continued is a line without the escape sign at its end, and whether there is one.
func (r *dockerReader) continued(line string) (string, bool) {
	trimmed := strings.TrimRight(line, " \t")
	n := len(trimmed)
	if n == 0 || trimmed[n-1] != r.escape || n > 1 && trimmed[n-2] == r.escape {
		return line, false
	}
	return trimmed[:n-1], true
}

// document reads a here document to the line with its tag. One that has no end goes on
// to the end of the file.
func (r *dockerReader) document(tabs bool, tag string) HereDocument {
	doc := HereDocument{Tag: tag}
	end := strings.Trim(tag, `"'`)
	for ; r.at < len(r.lines); r.at++ {
		line := strings.TrimSuffix(r.lines[r.at], "\r")
		bare := line
		if tabs {
			bare = strings.TrimLeft(line, "\t")
		}
		if bare == end {
			r.at++
			break
		}
		doc.Lines, doc.Places = append(doc.Lines, line), append(doc.Places, r.at+1)
	}
	return doc
}

// shell takes over the language of a SHELL instruction.
func (r *dockerReader) shell(text string, line int) {
	if words := execForm(text); words != nil {
		r.shells = append(r.shells, shellChoice{words, line})
		r.lang = gate.LanguageShell
		if l := interpreter(words[0]); l != gate.LanguageUnknown {
			r.lang = l
		}
	}
}

// takeWord takes the first word from the lines of an instruction; it may itself be
// spread over lines.
func takeWord(parts *[]part) (string, bool) {
	word := ""
	for len(*parts) > 0 {
		p := &(*parts)[0]
		text := p.text
		if word == "" {
			text = strings.TrimLeft(text, " \t")
		}
		i := strings.IndexAny(text, " \t")
		if i >= 0 {
			word += text[:i]
			p.text = strings.TrimLeft(text[i:], " \t")
			return word, true
		}
		word += text
		*parts = (*parts)[1:]
	}
	return word, word != ""
}

// skipFlags drops options such as --mount from the beginning.
func skipFlags(parts *[]part) {
	for len(*parts) > 0 {
		first := strings.TrimLeft((*parts)[0].text, " \t")
		if first != "" && !strings.HasPrefix(first, "--") {
			return
		}
		if first == "" {
			*parts = (*parts)[1:]
		} else if _, ok := takeWord(parts); !ok {
			return
		}
	}
}

func joinParts(parts []part) string {
	var out strings.Builder
	for _, p := range parts {
		out.WriteString(p.text)
	}
	return strings.TrimSpace(out.String())
}

// execForm returns the words of ["sh", "-c", "…"], nil for a command line.
func execForm(text string) []string {
	if !strings.HasPrefix(text, "[") {
		return nil
	}
	var words []string
	if err := json.Unmarshal([]byte(text), &words); err != nil || len(words) == 0 {
		return nil
	}
	return words
}

// command adds the command line of an instruction, and what follows it.
func (in Instruction) command(b *builder) {
	if in.Words != nil {
		b.add(strings.Join(in.Words, " "), in.Places[0], 0)
		return
	}
	if in.script() {
		for i, line := range in.Here[0].Lines {
			b.add(line, in.Here[0].Places[i], 0)
		}
		return
	}
	for i, line := range in.Lines {
		if i+1 < len(in.Lines) {
			line += `\`
		}
		b.add(line, in.Places[i], 0)
	}
	for _, doc := range in.Here {
		for i, line := range doc.Lines {
			b.add(line, doc.Places[i], 0)
		}
		b.add(strings.Trim(doc.Tag, `"'`), in.Places[0], 0)
	}
}

// script reports whether the here document itself is what runs: RUN <<EOF.
func (in Instruction) script() bool {
	return in.Name == "RUN" && len(in.Here) == 1 && onlyHere.MatchString(strings.Join(in.Lines, ""))
}

var onlyHere = regexp.MustCompile(`^\s*<<-?\s*["']?[^\s"']+["']?\s*$`)

// dockerfile returns what the instructions of a Dockerfile execute: each by itself, and
// all of the shell's one behind the other, since one may run what another brought.
func dockerfile(content []byte) []Code {
	var out []Code
	var all builder
	several := 0
	instructions, r := readDockerfile(content)
	for _, in := range append(instructions, withArguments(instructions)...) {
		if in.Name == "COPY" || in.Name == "ADD" {
			for _, doc := range in.Here {
				out = append(out, doc.region(strings.Join(in.Lines, " "))...)
			}
			continue
		}
		var b builder
		in.command(&b)
		lang := in.Language
		if in.script() && len(in.Here[0].Lines) > 0 {
			if words, ok := strings.CutPrefix(in.Here[0].Lines[0], "#!"); ok {
				lang = firstInterpreter(words, lang)
			}
		}
		out = append(out, b.region(lang, gate.RoleInfra)...)
		out = append(out, in.program()...)
		switch {
		case lang == gate.LanguageShell && in.Words == nil:
			in.command(&all)
			several++
		case len(in.Words) > 2 && interpreter(in.Words[0]) == gate.LanguageShell && strings.Contains(in.Words[2], "$"):
			all.add(strings.Join(in.Words[2:], " "), in.Places[0], 0)
			several++
		}
	}
	shells := ofLines(shellsOf(r.shells))
	out = append(out, r.unread...)
	out = append(out, shells.region(gate.LanguageShell, gate.RoleInfra)...)
	if vars := r.vars; several > 1 || len(vars.lines) > 0 && several > 0 {
		vars.text, vars.lines = append(vars.text, all.text...), append(vars.lines, all.lines...)
		out = append(out, vars.region(gate.LanguageShell, gate.RoleInfra)...)
	}
	return out
}

// program is the program among the words of ["python3", "-c", "…"], in its language.
func (in Instruction) program() []Code {
	if len(in.Words) < 3 {
		return nil
	}
	lang := interpreter(in.Words[0])
	var out []Code
	for i := 1; i+1 < len(in.Words); i++ {
		if lang == gate.LanguageUnknown {
			lang = interpreter(in.Words[i]) // env python3 -c
		} else if takesProgram(in.Words[i]) {
			var b builder
			b.add(in.Words[i+1], in.Places[0], 0)
			out = append(out, b.region(lang, gate.RoleInfra)...)
		}
	}
	return out
}

// withArguments are the programs that ENTRYPOINT names with the words that CMD adds to them, in
// whichever order a stage has the two.
func withArguments(instructions []Instruction) []Instruction {
	var out []Instruction
	programs := map[int]Instruction{}
	for _, in := range instructions {
		if in.Name == "ENTRYPOINT" && in.Words != nil {
			programs[in.stage] = in
		}
	}
	for _, in := range instructions {
		if program, ok := programs[in.stage]; ok && in.Name == "CMD" && in.Words != nil && len(out) < maxHere {
			in.Words = slices.Concat(program.Words, in.Words)
			out = append(out, in)
		}
	}
	return out
}

// region is a file that an instruction brings, in the language of its first line or of
// its name; text that neither names is taken for a shell script.
func (d HereDocument) region(command string) []Code {
	var b builder
	for i, line := range d.Lines {
		b.add(line, d.Places[i], 0)
	}
	lang := gate.LanguageShell
	if len(d.Lines) > 0 && strings.HasPrefix(d.Lines[0], "#!") {
		lang = firstInterpreter(d.Lines[0][2:], lang)
	} else {
		lang = languageOfName(strings.TrimSpace(command), lang)
	}
	return b.region(lang, gate.RoleInfra)
}

// languageOfName is the language of a program that a command writes to a file of that name.
func languageOfName(name string, otherwise gate.Language) gate.Language {
	switch path.Ext(strings.Trim(name, `"'`)) {
	case ".py":
		return gate.LanguagePython
	case ".js", ".mjs", ".cjs":
		return gate.LanguageJavaScript
	case ".sh", ".bash":
		return gate.LanguageShell
	case ".rb":
		return gate.LanguageRuby
	case ".pl":
		return gate.LanguagePerl
	case ".php":
		return gate.LanguagePHP
	case ".ps1":
		return gate.LanguagePowerShell
	}
	return otherwise
}

var dockerVariable = regexp.MustCompile(`([A-Za-z_]\w*)=("(?:[^"\\]|\\.)*"|'[^']*'|(?:[^\s"'\\]|\\.)*)`)

// variables takes over what ENV or ARG sets: NAME=value, any number of them, or NAME value.
func (r *dockerReader) variables(parts []part) {
	set := func(name, value string, line int) {
		if !strings.HasPrefix(value, `"`) && !strings.HasPrefix(value, "'") {
			value = "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
		}
		r.vars.add(name+"="+value, line, 0)
	}
	if len(parts) == 0 || len(r.vars.lines) > maxCommands {
		return
	}
	all := joinParts(parts)
	if name, value, _ := strings.Cut(all, " "); !strings.Contains(name, "=") {
		if value = strings.TrimSpace(value); value != "" && variable.MatchString(name) {
			set(name, value, parts[0].place)
		}
		return
	}
	for _, m := range dockerVariable.FindAllStringSubmatch(all, maxCommands) {
		set(m[1], m[2], parts[0].place)
	}
}
