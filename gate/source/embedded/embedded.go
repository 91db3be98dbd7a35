package embedded

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/build"
	programs "github.com/aigate/gate/gate/source/interpreter"
	"github.com/aigate/gate/gate/source/lex"
)

// Code is a piece of code inside a file.
type Code struct {
	Language gate.Language
	Role     gate.Role // what the surrounding makes of a source file; empty keeps the file's
	Text     []byte    // ends with a line feed
	Lines    []int     // the line of the file for each line of Text, 1-based
	Guessed  bool      // nothing says that the text is in that language
	Origin   string    // how it was unwrapped, for code that isn't in the file as such

	unread string // a bound that kept code from being found, instead of a piece
}

// maxRegions bounds how many pieces one text gives; what is beyond it is put
// into the last one, so that nothing is lost.
const maxRegions = 2000

// Extract returns the code that is embedded in a text of that language and
// path, as far as the bounds allow.
func Extract(lang gate.Language, name string, content []byte) []Code {
	regions, _ := Read(lang, name, content)
	return regions
}

// Read is [Extract], and says which bounds kept code from being found.
func Read(lang gate.Language, name string, content []byte) (regions []Code, unread []string) {
	for _, r := range extract(lang, name, content) {
		bounds := unreadBuild(build.Unread(r.Text))
		if r.unread == "" {
			regions = append(regions, r)
		} else {
			bounds = []Code{r}
		}
		for _, b := range bounds {
			if !slices.Contains(unread, b.unread) {
				unread = append(unread, b.unread)
			}
		}
	}
	return merge(regions), unread
}

func extract(lang gate.Language, name string, content []byte) []Code {
	var out []Code
	text := sync.OnceValue(func() *lex.Text { return lex.Scan(lang, content) })
	switch lang {
	case gate.LanguageNotebook:
		out = notebook(content)
	case gate.LanguageWorkflow, gate.LanguageYAML:
		out = yamlCommands(lang, content)
	case gate.LanguageDockerfile:
		out = dockerfile(content)
	case gate.LanguageMakefile:
		out = append(makefile(content), definedPrograms(content)...)
	case gate.LanguageJSON:
		if isSettings(name) {
			out = settings(content)
		}
		out = append(out, jsonCommands(name, content, out)...)
		out = append(out, canonical(name, content)...)
	case gate.LanguageHTML:
		out = append(htmlScripts(content), htmlHandlers(content)...)
	case gate.LanguageTOML:
		out = tomlCommands(content)
	case gate.LanguageINI:
		out = iniCommands(content)
	case gate.LanguagePython:
		out = slices.Concat(commands(lang, content, text), doctests(content), executedDocs(content), executedComments(content), scriptTexts(lang, content), evaluatedTexts(lang, content, text), annotated(content, text), codeTexts(content, text))
	case gate.LanguageJavaScript, gate.LanguageTypeScript:
		out = slices.Concat(commands(lang, content, text), scriptTexts(lang, content), evaluatedTexts(lang, content, text))
	case gate.LanguageMarkdown:
		out = markdown(name, content)
	case gate.LanguageGo:
		out = slices.Concat(commands(lang, content, text), generators(content), preambles(content), scriptTexts(lang, content))
	case gate.LanguageShell:
		out = slices.Concat(inlinePrograms(content), assignedPrograms(content), unprefixed(content))
	case gate.LanguagePowerShell:
		out = shellInPowerShell(content)
	case gate.LanguageRuby, gate.LanguagePerl, gate.LanguagePHP, gate.LanguageC, gate.LanguageRust, gate.LanguageJava:
		out = generic(lang, content)
	default:
		if lang.Generic() {
			out = generic(lang, content)
		}
	}
	if lang == gate.LanguageTerraform {
		out = append(out, documentCommands([]*setting{hclSettings(content)}, out, false)...)
	}
	out = append(out, buildCommands(name, content)...)
	switch lang {
	case gate.LanguageShell, gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageGo, gate.LanguagePowerShell,
		gate.LanguageRuby, gate.LanguagePerl, gate.LanguagePHP, gate.LanguageJava, gate.LanguageRust, gate.LanguageC:
		out = append(out, foreignPrograms(lang, content)...)
	default:
		if lang.Generic() && lang != gate.LanguageTemplate {
			out = append(out, foreignPrograms(lang, content)...)
		}
	}
	switch lang {
	case gate.LanguageShell, gate.LanguageMakefile:
		out = withHome(out)
	case gate.LanguageINI, gate.LanguageText, gate.LanguageUnknown:
		out = append(out, assignedPrograms(content)...)
	}
	out = append(out, spelled(lang, name, content)...)
	switch lang {
	case gate.LanguageMarkdown, gate.LanguageTOML, gate.LanguageText, gate.LanguageUnknown:
		out = append(out, agentCommands(name, content)...)
	}
	switch lang {
	case gate.LanguageText, gate.LanguageUnknown:
		out = append(out, xmlCommands(content)...)
	}
	if inserted := lex.Inserts(lang, content); inserted != nil {
		out = append(out, template(inserted)...)
	}
	return slices.Concat(out, inProse(lang, name, content), evaluatedCommands(lang, name, content), editorCommands(content), withVariables(lang, name, content))
}

// spelled returns code that a file holds in a form of its own: with escapes, behind a margin, as
// a call in settings, in a template.
func spelled(lang gate.Language, name string, content []byte) []Code {
	var out []Code
	switch lang {
	case gate.LanguageYAML, gate.LanguageJSON, gate.LanguageTOML:
		return append(calledSettings(lang, content), percentScripts(content)...)
	case gate.LanguageText, gate.LanguageUnknown:
		if bytes.HasPrefix(content, []byte("#cloud-config")) {
			out = yamlCommands(gate.LanguageYAML, content)
		}
		out = slices.Concat(out, percentScripts(content), pythonTemplate(content))
	case gate.LanguageTemplate, gate.LanguageHTML:
		return pythonTemplate(content)
	case gate.LanguageDebugger:
		out = debuggerPrograms(content)
	default:
		if !lang.Generic() {
			return nil
		}
	}
	return append(out, spelledPrograms(lang, name, content)...)
}

// merge keeps the number of regions within its bound.
func merge(regions []Code) []Code {
	if len(regions) <= maxRegions {
		return regions
	}
	out := slices.Clip(regions[:maxRegions])
	for _, r := range regions[maxRegions:] {
		i := slices.IndexFunc(out, func(into Code) bool { return into.Language == r.Language })
		if i < 0 {
			out = append(out, r)
			continue
		}
		out[i].Text = append(out[i].Text, r.Text...)
		out[i].Lines = append(out[i].Lines, r.Lines...)
	}
	return out
}

// builder collects lines with their places.
type builder struct {
	text  []byte
	lines []int
}

// add appends text that is on one line of the file, or begins there; each
// further line of it counts as standing step lines below the one before.
func (b *builder) add(text string, line, step int) {
	for part := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		b.text = append(append(b.text, part...), '\n')
		b.lines = append(b.lines, line)
		line += step
	}
}

func (b *builder) region(lang gate.Language, role gate.Role) []Code {
	if len(b.lines) == 0 {
		return nil
	}
	return []Code{{Language: lang, Role: role, Text: b.text, Lines: b.lines}}
}

// lineIndex finds lines of offsets.
type lineIndex []int

func newLineIndex(content []byte) lineIndex {
	starts := make(lineIndex, 1, 1+bytes.Count(content, []byte{'\n'}))
	for i, c := range content {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

func (x lineIndex) of(offset int) int { return sort.SearchInts(x, offset+1) }

// interpreter returns the language of a program that takes code as an argument,
// LanguageUnknown for one that is not known.
func interpreter(command string) gate.Language {
	program, _ := programs.Of(command)
	switch program.Language {
	case gate.LanguageShell, gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguagePowerShell,
		gate.LanguagePerl, gate.LanguageRuby, gate.LanguagePHP:
		return program.Language
	}
	return gate.LanguageUnknown
}
