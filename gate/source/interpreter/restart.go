package interpreter

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
)

// restart matches a line that hands the file itself to another program:
// exec python3 "$0" "$@", with or without quotes around the words.
var restart = regexp.MustCompile(`(?m)^.*?\bexec\b([^\n]*?)(?:\$\{?0\b|\$\{?BASH_SOURCE|__FILE__|%~f0|%0)`)

// maxRestarts bounds how many lines are looked at.
const maxRestarts = 50

// Restarts returns the languages of the interpreters that a script hands itself
// to: the rest of such a file is no longer shell.
func Restarts(head []byte) []gate.Language {
	if !bytes.Contains(head, []byte("exec")) {
		return nil
	}
	var s Shebang
	for _, m := range restart.FindAllSubmatch(head, maxRestarts) {
		s.names(strings.NewReplacer(`"`, " ", "'", " ").Replace(string(m[1]))) // "exec" "python3" "$0" is Python, too
	}
	return slices.Clone(s.Languages)
}
