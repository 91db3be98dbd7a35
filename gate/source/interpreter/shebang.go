package interpreter

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
)

// Shebang is what the first line of a file says about how it is run.
type Shebang struct {
	// Exact says that the file begins with "#!", so that a kernel obeys it. With a
	// byte order mark or a space in front the line is for people and editors: a
	// shell that is asked to start the file reads it itself.
	Exact bool
	// Command is the rest of the line: a command line, which may hold code.
	Command string
	// Languages are those that the line names, without repetition.
	Languages []gate.Language
	// Known says that the line names an interpreter, of whatever language.
	Known bool
	// Foreign says that it names one of a language that gate has no rules for.
	Foreign bool
}

// maxLine is how much of a first line is read. Linux takes 255 bytes; a shell
// that reads the line itself takes more.
const maxLine = 4096

// ReadShebang returns what the first line says; ok is false where it is no "#!".
func ReadShebang(head []byte) (s Shebang, ok bool) {
	s.Exact = bytes.HasPrefix(head, []byte("#!"))
	rest := bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	rest = bytes.TrimLeft(rest, " \t\r\n\f\v\x00")
	rest, ok = bytes.CutPrefix(rest, []byte("#!"))
	if !ok {
		return Shebang{}, false
	}
	line, more, _ := bytes.Cut(rest, []byte{'\n'})
	line = line[:min(len(line), maxLine)]
	s.Command = strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", ""))
	s.names(s.Command)
	if strings.Contains(s.Command, "nix-shell") || s.leavesOut() {
		for next := range bytes.Lines(more) {
			if later, ok := bytes.CutPrefix(next, []byte("#!")); ok {
				s.names(string(later[:min(len(later), maxLine)]))
			}
		}
	}
	return s, true
}

// leavesOut reports whether the interpreter is told to begin at a later line "#!".
func (s *Shebang) leavesOut() bool {
	return slices.ContainsFunc(words(s.Command), func(w string) bool {
		return len(w) > 1 && w[0] == '-' && w[1] != '-' && strings.Contains(w, "x")
	})
}

// names adds the interpreters of a command line. A program that starts another
// one, such as busybox, counts only where none is behind it.
func (s *Shebang) names(command string) {
	var starter *Program
	found := false
	for _, w := range words(command) {
		if strings.ContainsAny(w, " \t") {
			continue // code, or a text
		}
		p, ok := Of(w)
		switch {
		case !ok:
		case p.Starts:
			starter = &p
		default:
			found = true
			s.add(p)
		}
	}
	if !found && starter != nil && starter.Language != gate.LanguageUnknown {
		s.add(*starter)
	}
}

func (s *Shebang) add(p Program) {
	s.Known = true
	switch {
	case p.Language == gate.LanguageUnknown:
		s.Foreign = true
	case !slices.Contains(s.Languages, p.Language):
		s.Languages = append(s.Languages, p.Language)
	}
}

// Language is the first language that the line names.
func (s Shebang) Language() gate.Language {
	if len(s.Languages) == 0 {
		return gate.LanguageUnknown
	}
	return s.Languages[0]
}

// words splits a command line as env -S does: at blanks, but not within quotes.
func words(line string) []string {
	var out []string
	var word strings.Builder
	var quote rune
	flush := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote = r
		case r == ' ' || r == '\t' || r == '\r' || r == '\n' || r == '\v' || r == '\f':
			flush()
		default:
			word.WriteRune(r)
		}
	}
	flush()
	return out
}
