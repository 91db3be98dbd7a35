package change

import (
	"bytes"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/interpreter"
)

// HeadBytes is how much of a file [Classify] wants to see.
const HeadBytes = 8 << 10

// Classify says what a file is written in and what it is for, from its path,
// its mode and its first [HeadBytes] bytes; head may be nil where the content
// cannot be read.
//
// Anyone who writes the file chooses all three, so the answer leans to the side
// where more is looked at: a name that runs code wins over content that looks
// like data, a NUL byte does not make a script binary, a file that can be
// executed is never documentation, a lock or generated, and what installs or
// builds keeps that role inside of a test folder. A role says what a file is
// for, not that it deserves less attention: [gate.RoleGenerated] in particular
// rests on a comment that anybody can write.
func Classify(name string, mode fs.FileMode, head []byte) (gate.Language, gate.Role) {
	lower := strings.ToLower(name)
	k := byPath(lower)
	if !mode.IsRegular() {
		return gate.LanguageUnknown, k.role
	}
	executable := mode&0o111 != 0
	named := shebang(head, executable)
	switch {
	case k.fixed: // read by its name, whatever it says
	case named != "" && (executable || !isCode(k.language) && !isMarkup(k.language)):
		k.language = named
		k.role = runs(k.role)
	case k.language == gate.LanguageMarkdown && !k.fixed && hasCells(head):
		k.language = gate.LanguageLiterate
		k.role = runs(k.role)
	case path.Ext(lower) == pathFileExt && isWeights(head):
		k.language = gate.LanguageBinary
	case k.language == gate.LanguageUnknown || k.language == gate.LanguageText || k.language == gate.LanguageBinary:
		k.language = sniff(head, k.language)
		if executable && k.language == gate.LanguageUnknown && interpreter.LooksLikeShell(head) {
			k.language = gate.LanguageShell // no kernel starts it, so the shell that is asked to does
		}
	}
	if executable {
		k.role = runs(k.role)
	}
	if k.role == gate.RoleSource && isCode(k.language) && !executable && generated(head) {
		k.role = gate.RoleGenerated
	}
	return k.language, k.role
}

// hasCells reports whether the front matter of a Markdown file makes a notebook of it, as Jupytext,
// MyST-NB and Quarto read it: its code blocks are cells that run.
func hasCells(head []byte) bool {
	front, ok := bytes.CutPrefix(head, []byte("---"))
	if !ok {
		return false
	}
	front, _, _ = bytes.Cut(front, []byte("\n---"))
	return cellSettings.Match(front)
}

// cellSettings matches a setting of what runs the cells of a file. Workflows for agents name
// their model under "engine" too, so only what runs cells counts there.
var cellSettings = regexp.MustCompile(`(?m)^(?:(?:[ \t]*jupytext|jupyter|kernelspec|file_format)[ \t]*:|engine[ \t]*:[ \t]*["']?(?:jupyter|knitr|julia|markdown|marimo|python3?|r|ir)\b)`)

// runs is the role of a file that turns out to be a program.
func runs(r gate.Role) gate.Role {
	switch r {
	case gate.RoleDocs, gate.RoleLock, gate.RoleGenerated:
		return gate.RoleSource
	default:
		return r
	}
}

// isCode reports whether a language is for programs.
func isCode(l gate.Language) bool {
	switch l {
	case gate.LanguagePython, gate.LanguageJavaScript, gate.LanguageTypeScript, gate.LanguageShell, gate.LanguageGo,
		gate.LanguagePowerShell, gate.LanguageRuby, gate.LanguagePerl, gate.LanguagePHP, gate.LanguageC,
		gate.LanguageRust, gate.LanguageJava, gate.LanguageMakefile, gate.LanguageDockerfile, gate.LanguageWorkflow,
		gate.LanguageNotebook:
		return true
	default:
		return l.GenericName() != ""
	}
}

// isMarkup reports whether a language has rules of its own that a first line
// "#!" must not switch off.
func isMarkup(l gate.Language) bool {
	switch l {
	case gate.LanguageMarkdown, gate.LanguageHTML, gate.LanguageYAML, gate.LanguageJSON, gate.LanguageTOML, gate.LanguageINI:
		return true
	default:
		return false
	}
}

// sniff looks at the content of a file whose name says little.
func sniff(head []byte, byName gate.Language) gate.Language {
	switch {
	case len(head) == 0:
		return byName
	case bytes.HasPrefix(head, []byte("\x00asm")):
		return gate.LanguageWasm
	case bytes.HasPrefix(head, []byte("<?php")):
		return gate.LanguagePHP
	case isBinary(head):
		return gate.LanguageBinary
	case byName == gate.LanguageBinary:
		return gate.LanguageUnknown // named like an image, and text
	default:
		return byName
	}
}

// oddShare is how many bytes that text does not have make model weights of a file
// that Python may read for code: one of so many.
const oddShare = 16

// isWeights tells model weights from a file that tells Python where modules are: a
// NUL byte in a comment does not make weights of it.
func isWeights(head []byte) bool {
	odd := 0
	for _, c := range head {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			odd++
		}
	}
	return isBinary(head) && (odd*oddShare > len(head) || bytes.HasPrefix(head, []byte("PK\x03\x04")))
}

// isBinary reports whether a head is not text: it has a NUL byte, or is not
// UTF-8 and has many control characters. Text in UTF-16 begins with a byte order
// mark, and is text.
func isBinary(head []byte) bool {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return false
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return true
	}
	if validHead(head) {
		return false
	}
	control := 0
	for _, c := range head {
		if c < ' ' && !strings.ContainsRune("\t\n\v\f\r\b\x1b", rune(c)) {
			control++
		}
	}
	return control*10 > len(head)
}

// validHead is utf8.Valid for a text that may be cut within a character.
func validHead(head []byte) bool {
	for cut := 0; cut < utf8.UTFMax && cut < len(head); cut++ {
		if utf8.Valid(head[:len(head)-cut]) {
			return true
		}
	}
	return len(head) == 0
}

// shebang returns the language of the interpreter that runs a file with such a
// first line, or "". A first line that is "#!" to people only, behind a byte order
// mark or a space, is no more than a comment to the shell that is asked to start
// an executable file.
func shebang(head []byte, executable bool) gate.Language {
	s, ok := interpreter.ReadShebang(head)
	switch {
	case !ok:
		return ""
	case !s.Exact && executable:
		return gate.LanguageShell
	}
	return s.Language()
}

// generatedMarker is how generators sign: the form that Go defines
// (https://go.dev/s/generatedcode), the same with other comment signs, and
// "@generated" of several code review systems.
var generatedMarker = regexp.MustCompile(`(?m)^(?://|#|--|;|/\*|\s*\*)\s*(?:.*\b[Gg]enerated\b.*\bDO NOT EDIT\b.*|@generated\b.*)\r?$`)

func generated(head []byte) bool {
	return bytes.Contains(head, []byte("enerated")) && generatedMarker.Match(head) // the first is cheap
}
