package embedded

import (
	"bytes"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// markdown returns the code in a Markdown file that a tool executes: doctests, the cells and
// directives of MyST, blocks that are marked to be run, the scripts of raw HTML and, in MDX,
// what is JavaScript between the words. Blocks that are shown are left alone.
func markdown(name string, content []byte) []Code {
	out := doctests(content)
	rest := bytes.Clone(content)
	var block directive
	fence := ""
	begin := 0
	at := 0
	for i, raw := range bytes.SplitAfter(content, []byte("\n")) {
		line := strings.TrimRight(string(raw), "\r\n")
		from := at
		at += len(raw)
		switch m := blockFence.FindStringSubmatch(line); {
		case fence == "" && m != nil:
			fence, begin = m[2], from
			block = directive{indent: len(m[1]), line: i + 1}
			block.info(m[3])
		case fence != "" && m != nil && m[2][0] == fence[0] && len(m[2]) >= len(fence) && strings.TrimSpace(m[3]) == "":
			out = append(out, block.regions()...)
			blank(rest[begin:at])
			fence = ""
		case fence != "":
			block.add(line[min(len(line), block.indent, len(line)-len(strings.TrimLeft(line, " \t"))):], i+1)
		}
	}
	if fence != "" {
		out = append(out, block.regions()...)
		blank(rest[begin:])
	}
	out = append(out, inRole(executed, guessed(append(htmlScripts(rest), htmlHandlers(rest)...), true))...)
	if strings.EqualFold(ext(name), ".mdx") {
		out = append(out, mdx(rest)...)
	}
	return out
}

// blockFence matches the line that begins or ends a block.
var blockFence = regexp.MustCompile("^([ \\t>]*)(```+|~~~+|:::+)[ \\t]*(.*)$")

// ext is the extension of a name.
func ext(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i:]
	}
	return ""
}

// blank replaces everything but line ends.
func blank(text []byte) {
	for i, c := range text {
		if c != '\n' {
			text[i] = ' '
		}
	}
}

// directive is a block of prose with what is said of it.
type directive struct {
	name, arg string
	indent    int // of its first line
	line      int
	cell      cell
}

// info takes over the words behind a fence: {name} argument, or language attributes.
func (d *directive) info(text string) {
	if m := inBraces.FindStringSubmatch(text); m != nil {
		d.name, d.arg = strings.ToLower(m[1]), strings.TrimSpace(m[2])
		if interpreter(d.name) != gate.LanguageUnknown || d.name == "r" || d.name == "ojs" {
			d.arg, d.name = d.name, "code-cell" // {python} of knitr, Quarto and Jupytext
		}
		return
	}
	word, attributes, _ := strings.Cut(strings.TrimSpace(text), " ")
	if runAttribute.MatchString(attributes) {
		d.name, d.arg = "code-cell", word
	}
}

var (
	inBraces = regexp.MustCompile(`^\{([\w:.-]+)[^}]*\}(.*)$`)
	// runAttribute matches the attributes with which markdown-exec, mdsh and mdBook's relatives run a block.
	runAttribute = regexp.MustCompile(`(?i)\bexec(?:ute)?=["']?(?:on|yes|true|1)\b|\beval=["']?true\b|(?:^|\s)(?:mdsh|mdexec|\.run)(?:\s|$)`)
)

func (d *directive) add(line string, at int) {
	d.cell.parts, d.cell.lines = append(d.cell.parts, line), append(d.cell.lines, at)
}

// regions are the code in a block, as far as the directive above it executes it.
func (d *directive) regions() []Code {
	switch d.name {
	case "code-cell", "jupyter-execute", "execute", "execute_code", "execute-code", "exec", "exec_code", "exec-code", "pyexec", "plot", "ipython", "testcode", "testsetup",
		"testcleanup", "doctest", "pyscript", "runblock", "altair-plot", "bokeh-plot", "plotly", "cell":
		return inRole(executed, d.code().regions(d.language()))
	case "program-output", "command-output", "runcmd", "runcommand", "shell-output", "exec-sh":
		var b builder
		b.flush(d.arg, d.line, 0)
		return b.region(gate.LanguageShell, executed)
	case "eval-rst":
		return shiftLines(restructured([]byte(strings.Join(d.cell.parts, "\n"))), d.cell.lines)
	case "raw":
		text := []byte(strings.Join(d.cell.parts, "\n"))
		return shiftLines(inRole(executed, guessed(append(htmlScripts(text), htmlHandlers(text)...), true)), d.cell.lines)
	}
	return nil
}

// language is what the argument of a block says that it is in, Python where it says nothing.
func (d *directive) language() gate.Language {
	word, _, _ := strings.Cut(d.arg, " ")
	word = strings.ToLower(word)
	if strings.HasPrefix(word, "ipython") || word == "" {
		return gate.LanguagePython
	}
	if d.name == "runblock" && (word == "console" || word == "shell") {
		return gate.LanguageShell
	}
	if l := fenceLanguage(word); l != gate.LanguageR || word == "r" || word == "ir" {
		return l
	}
	return gate.LanguagePython
}

// code is the block without its options, and without the prompts that a session has.
func (d *directive) code() cell {
	out := cell{kind: "code"}
	options := true
	for i, line := range d.cell.parts {
		if options && (directiveOption.MatchString(line) || strings.TrimSpace(line) == "---") {
			continue
		}
		options = options && strings.TrimSpace(line) == ""
		if m := sessionPrompt.FindString(line); m != "" {
			line = line[len(m):]
		}
		out.parts, out.lines = append(out.parts, line), append(out.lines, d.cell.lines[i])
	}
	return out
}

var (
	directiveOption = regexp.MustCompile(`^[ \t]*:[\w-]+:(?:\s|$)`)
	sessionPrompt   = regexp.MustCompile(`^[ \t]*(?:In \[\d*\]:|\.\.\.+:?|>>>|\$)(?:[ \t]|$)`)
)

// shiftLines turns the lines of pieces of a block into those of the file.
func shiftLines(regions []Code, lines []int) []Code {
	for i := range regions {
		for j, line := range regions[i].Lines {
			regions[i].Lines[j] = lines[min(max(line, 1), len(lines))-1]
		}
	}
	return regions
}

// restructured returns the code in a text for Sphinx or docutils that its directives execute,
// and its doctests.
func restructured(content []byte) []Code {
	out := doctests(content)
	if !bytes.Contains(content, []byte(".. ")) {
		return out
	}
	var block *directive
	done := func() {
		if block != nil {
			block.dedent()
			out = append(out, block.regions()...)
		}
		block = nil
	}
	for i, line := range strings.Split(string(content), "\n") {
		line = strings.TrimRight(line, "\r")
		body := strings.TrimLeft(line, " \t")
		if block != nil && body != "" && len(line)-len(body) <= block.indent {
			done()
		}
		if m := restDirective.FindStringSubmatch(line); m != nil && block == nil {
			block = &directive{name: strings.ToLower(m[2]), arg: strings.TrimSpace(m[3]), indent: len(m[1]), line: i + 1}
			continue
		}
		if block != nil {
			block.add(line, i+1)
		}
	}
	done()
	return out
}

var restDirective = regexp.MustCompile(`^([ \t]*)\.\. (?:\|[^|]*\| )?([\w:.+-]*\w)::[ \t]*(.*)$`)

// dedent removes the blanks that the lines of a block share.
func (d *directive) dedent() {
	least := -1
	for _, line := range d.cell.parts {
		if body := strings.TrimLeft(line, " \t"); body != "" && (least < 0 || len(line)-len(body) < least) {
			least = len(line) - len(body)
		}
	}
	for i, line := range d.cell.parts {
		d.cell.parts[i] = line[min(max(least, 0), len(line)):]
	}
}

// mdx returns what MDX compiles as JavaScript: its lines with import and export, which go on
// to an empty line, and what is in braces, also in the attributes of elements.
func mdx(content []byte) []Code {
	var module, inline builder
	within := false
	lines := strings.Split(string(content), "\n")
	for i, line := range lines {
		switch body := strings.TrimSpace(line); {
		case moduleLine.MatchString(line):
			within = true
			module.add(line, i+1, 0)
		case body == "":
			within = false
		case within:
			module.add(line, i+1, 0)
		}
	}
	index := newLineIndex(content)
	for at, n := 0, 0; n < maxCommands; n++ {
		i := bytes.IndexByte(content[at:], '{')
		if i < 0 {
			break
		}
		text, ok, _ := delimited(content[at+i:])
		if !ok {
			at += i + 1
			continue
		}
		inline.block(text+"\n;", index.of(at+i)) // one expression is none with the next
		at += i + 1 + len(text)
	}
	return append(module.region(gate.LanguageJavaScript, executed), inline.region(gate.LanguageJavaScript, executed)...)
}

var moduleLine = regexp.MustCompile(`^(?:import|export)\b`)

// inProse returns what tools execute in files whose language says nothing about it.
func inProse(lang gate.Language, name string, content []byte) []Code {
	var out []Code
	switch {
	case lang == gate.LanguageText:
		out = restructured(content)
	case lang == gate.LanguageRust:
		out = rustDoctests(content)
	case lang == gate.LanguagePerl && strings.EqualFold(ext(name), ".t"):
		out = cramTest(content)
	case lang == gate.LanguageBinary, lang == gate.LanguageWasm:
		return nil
	}
	return append(append(out, litTest(content)...), cogCode(content)...)
}
