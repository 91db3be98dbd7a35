package interpreter

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

var (
	// restart matches a line that hands the file itself to another program:
	// exec python3 "$0" "$@", with or without quotes around the words.
	restart = regexp.MustCompile(`(?m)^.*?\bexec\b([^\n]*(?:\$\{?0\b|\$\{?BASH_SOURCE|__FILE__|%~f0|%0)[^\n]*)`)
	// restartBy matches a line that hands it to the program that a variable names.
	restartBy = regexp.MustCompile(`(?m)^.*?["']?\$\{?\w+\}?["']?(?:[ \t]+-\S+)*[ \t]+["']?\$\{?(?:0|BASH_SOURCE)\b`)
	// handed matches a program that gets the file as its argument or input.
	handed = regexp.MustCompile(`(?m)([^\s;&|("']+)["']?(?:[ \t]+-\S*)*[ \t]+<?[ \t]*["']?\$\{?(?:0|BASH_SOURCE)\b\}?["']?(?:[ \t;&)]|$)`)
	// piped matches what gets the lines of the file from another program.
	piped = regexp.MustCompile(`\$\{?(?:0|BASH_SOURCE)\b\}?["']?[^\n|]*\|([^\n]+)`)
	// blockOfPython matches a line that is the edge of a text in Python, and nothing to a shell.
	blockOfPython = regexp.MustCompile(`(?m)^(?:'''|""")`)
)

// maxRestarts bounds how many lines are looked at.
const maxRestarts = 50

// Restarts returns the languages of the interpreters that a script of that name hands itself
// to: the rest of such a file is no longer shell.
func Restarts(name string, head []byte) []gate.Language {
	var s Shebang
	if bytes.Contains(head, []byte("exec")) {
		for _, m := range restart.FindAllSubmatch(head, maxRestarts) {
			s.names(unwrapped(m[1])) // "exec" "python3" "$0" is Python, too
		}
	}
	if bytes.Contains(head, []byte("$0")) || bytes.Contains(head, []byte("${0")) || bytes.Contains(head, []byte("BASH_SOURCE")) {
		for _, m := range append(handed.FindAllSubmatch(head, maxRestarts), piped.FindAllSubmatch(head, maxRestarts)...) {
			s.names(unwrapped(m[1]))
		}
		for _, m := range restartBy.FindAllIndex(head, maxRestarts) {
			s.named(head[:m[1]])
		}
	}
	if m := blockOfPython.FindIndex(head); m != nil {
		before, _, _ := bytes.Cut(head[m[1]:], head[m[0]:m[1]]) // what is a text in Python is what the shell runs
		for _, own := range [][]byte{[]byte("$0"), []byte("${0"), []byte("BASH_SOURCE"), []byte(" " + path.Base(name))} {
			if bytes.Contains(before, own) {
				s.named(append(bytes.Clone(head[:m[0]]), before...))
			}
		}
	}
	return slices.Clone(s.Languages)
}

// named adds the interpreters that the lines of a script name.
func (s *Shebang) named(head []byte) {
	for line := range bytes.Lines(head) {
		if !bytes.HasPrefix(line, []byte("#")) {
			s.names(unwrapped(line))
		}
	}
}

// unwrapped are the words of a line without what is around them.
func unwrapped(line []byte) string { return wrapping.Replace(string(line)) }

var wrapping = strings.NewReplacer(`"`, " ", "'", " ", "(", " ", ")", " ", "{", " ", "}", " ", "`", " ", ":-", " ", "=", " ", ";", " ", "|", " ", "<", " ")
