package static

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/interpreter"
	"github.com/aigate/gate/gate/static/reading"
)

// languages are those that a file is read as.
type languages struct {
	languages []gate.Language // without repetition, the file's own first
	shebang   bool            // the first line is "#!"
	runs      bool            // something other than its language has it run as text
	foreign   bool            // the interpreter is of a language without rules: commands are in its strings
	command   string          // the first line, where code can be in it
}

// as decides from its name, mode and first bytes what a file is read as. Every
// program that may be asked to run it counts, not only the likeliest.
func (f *file) as(head []byte) languages {
	out := languages{languages: []gate.Language{f.target.Language}}
	add := func(more ...gate.Language) {
		for _, l := range more {
			if l != gate.LanguageUnknown && !slices.Contains(out.languages, l) {
				out.languages = append(out.languages, l)
			}
		}
	}
	executable := f.target.Mode&0o111 != 0
	line, shebang := interpreter.ReadShebang(head)
	if shebang {
		out.shebang, out.runs, out.foreign = true, true, line.Foreign
		if l := line.Language(); l != gate.LanguageUnknown && isData(f.target.Language) {
			out.languages[0] = l
		}
		add(line.Languages...)
		if strings.ContainsAny(line.Command, " \t") {
			out.command = line.Command
		}
	}
	started := shebang && line.Exact && line.Known // by the kernel, as the line says
	switch {
	case line.Foreign:
		add(gate.LanguageShell)
	case executable && !started && (isData(f.target.Language) && !reading.ReadMagic(head, f.target.Size).WellFormed || interpreter.LooksLikeShell(head)):
		// No kernel starts it, so the shell that is asked to reads it itself.
		add(gate.LanguageShell)
		out.runs = true
	}
	add(interpreter.Restarts(f.target.Path, head)...)
	if strings.EqualFold(path.Ext(f.target.Path), pathFileExt) && f.target.Language == gate.LanguageBinary {
		add(gate.LanguagePython) // whatever else it is, Python looks in it for lines that begin with "import"
		out.runs = true
	}
	return out
}

// pathFileExt is the extension of files that Python executes lines of when it
// starts.
const pathFileExt = ".pth"

// isData reports whether nothing is known to run files of that language.
func isData(l gate.Language) bool {
	return l == gate.LanguageUnknown || l == gate.LanguageText || l == gate.LanguageBinary
}

// inLanguage is a target with a language, for this layer's use only.
func inLanguage(t *gate.Target, lang gate.Language) *gate.Target {
	copied := *t
	copied.Language = lang
	return &copied
}

// way is one reading of a file, with what this package does about it.
type way struct {
	reading.Reading
	strings bool   // only what is in strings and blocks is read, as commands
	origin  string // of what is found
}

// String says how the file was read, for people.
func (w way) String() string {
	switch {
	case w.Encoding == reading.Runs:
		return "text in a binary file"
	case w.Encoding == reading.UTF8 || w.Encoding == reading.NoNUL && w.Shown:
		return fmt.Sprintf("read as %s", w.Language)
	case w.Language == gate.LanguageUnknown:
		return fmt.Sprintf("read as %s", w.Encoding)
	}
	return fmt.Sprintf("read as %s in %s", w.Language, w.Encoding)
}

// readCommandLine reads the command line of a first line "#!", in which code may
// be: env -S python3 -c "…".
func readCommandLine(f *file, command string) {
	f.view = inLanguage(f.target, gate.LanguageShell)
	f.union.add(f.scanner.texts.scan(text{
		language: gate.LanguageShell, role: f.view.Role, path: f.view.Path, content: []byte(command + "\n"),
		origin: "the first line, read as a command", first: 1, costs: f.costs,
	}))
}

// executes matches the command of sed that runs the rest of the line.
var executes = regexp.MustCompile(`(?m)^[ \t]*(?:\d+|\$|/[^/\n]*/)?[ \t]*e[ \t]+`)

// commandsOf opens the strings and blocks of a program in a language without rules,
// so that what is in them is read as commands. Every line stays where it is.
func commandsOf(content []byte) []byte {
	opened := executes.ReplaceAll(content, []byte("; "))
	for i, c := range opened {
		switch c {
		case '"', '\'', '{', '}', '[', ']', '`':
			opened[i] = ';'
		}
	}
	return opened
}

// union are the findings of all readings of a file, the worst of each rule on each
// line.
type union struct {
	findings []gate.Finding
	at       map[place]int
}

// place is where a rule finds something.
type place struct {
	rule string
	line int
}

func (u *union) add(found []gate.Finding) {
	if u.at == nil {
		u.at = map[place]int{}
	}
	for _, f := range found {
		p := place{f.Rule, f.Line}
		switch i, known := u.at[p]; {
		case !known:
			u.at[p] = len(u.findings)
			u.findings = append(u.findings, f)
		case f.Severity > u.findings[i].Severity:
			u.findings[i] = f
		}
	}
}
