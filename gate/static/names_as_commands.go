package static

import (
	"strings"

	"github.com/aigate/gate/gate"
)

// Bounds of the names that are read as commands.
const (
	maxNameText  = 4096 // bytes; no file system takes a longer one
	maxNameParts = 8    // folders of a path with which one is read
)

// readName scans the path of a new file, or what a link leads to, as the command that it is
// to a program that runs what ls or readlink say. Only what is dangerous counts.
func readName(f *file, name, origin string) {
	if len(name) > maxNameText || !strings.ContainsAny(name, " \t\n|;&$`<>(") {
		return
	}
	for range maxNameParts {
		found := dangerousOnly(f.scanner.texts.scan(text{
			language: gate.LanguageShell, role: gate.RoleSource, path: f.target.Path, content: []byte(name + "\n"), lines: []int{0, 0},
			origin: origin, newHost: f.newHost, known: f.known,
		}))
		f.add(found...)
		_, rest, below := strings.Cut(name, "/")
		if len(found) > 0 || !below || !strings.ContainsAny(rest, " \t\n|;&$`<>(") {
			return
		}
		name = rest // anyone who lists a folder leaves the way to it out
	}
}

// readNames scans what a program may run of a target besides its content.
func readNames(f *file) {
	if t := f.target; t.Parent == "" && f.collected == nil && (t.Kind == gate.ChangeAdded || t.Kind == gate.ChangeRenamed || t.Kind == gate.ChangeNone) {
		readName(f, t.Path, "its name, read as a command")
	}
}
