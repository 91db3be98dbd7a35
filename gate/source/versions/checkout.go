package versions

import (
	"bytes"

	"github.com/aigate/gate/gate"
)

// AsCheckedIn undoes what core.autocrlf did to a file of a work tree, judged by what
// is in the repository: where no line ends with CRLF, none of the file's does. Where
// a shell reads the file, a carriage return is a part of the word before it, and
// "exit\r" ends nothing; so there it is undone only where all line ends are CRLF.
func AsCheckedIn(l gate.Language, head, repository []byte) []byte {
	if bytes.IndexByte(repository, '\r') >= 0 {
		return head
	}
	switch l {
	case gate.LanguageShell, gate.LanguageMakefile, gate.LanguageDockerfile, gate.LanguageUnknown:
		if bytes.Count(head, []byte("\r\n")) < bytes.Count(head, []byte("\n")) {
			return head
		}
	}
	return bytes.ReplaceAll(head, []byte("\r\n"), []byte("\n"))
}
