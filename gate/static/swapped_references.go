package static

import (
	"fmt"
	"slices"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/static/swapped"
)

// maxSwapped is the largest file whose references are compared, in bytes.
const maxSwapped = 1 << 20

// swappedReferences reports references that the base has, and that the change moves to an
// owner or a host of which the base knows nothing: the same line runs, or talks to, what
// a third party decides.
func swappedReferences(f *file) {
	t := f.target
	if f.change.Base == nil || !hasReferences(t) {
		return
	}
	base, err := bounded.ReadFile(f.change.Base, olderPath(t), maxSwapped)
	if err != nil {
		return // the layer says so where it compares the file
	}
	head, err := bounded.ReadFile(f.change.Head, t.Path, maxSwapped)
	if err != nil {
		return // the layer says so where it reads the file
	}
	for _, s := range swapped.Find(swapped.File{Path: t.Path, Language: t.Language, Base: base, Head: head, Lines: t.Lines}) {
		what := fmt.Sprintf("%s was %s", gate.Clip(s.Is, maxShownName), gate.Clip(s.Was, maxShownName))
		if s.Kind == swapped.Host {
			if f.newHost != nil && f.newHost(s.Is) {
				f.report(checkHostSwapped, s.Line, what, "")
			}
			continue
		}
		if !slices.Contains(popularOwners, s.Is) && f.namedOwner != nil && !f.namedOwner(s.Is) {
			f.report(checkOwnerSwapped, s.Line, what, "")
		}
	}
}

// hasReferences reports whether a file is one that runs, is built or configures what does, and
// has an older version.
func hasReferences(t *gate.Target) bool {
	if !t.Exists() || !t.Mode.IsRegular() || t.Parent != "" || t.Kind == gate.ChangeNone || t.Kind == gate.ChangeAdded || t.Size > maxSwapped {
		return false
	}
	switch t.Role {
	case gate.RoleTest, gate.RoleDocs, gate.RoleLock, gate.RoleGenerated:
		return false
	}
	switch t.Language {
	case gate.LanguageBinary, gate.LanguageMarkdown, gate.LanguageNotebook, gate.LanguageHTML:
		return false
	}
	return !illustration.MatchString(t.Path) && !development.MatchString(t.Path) && !built.MatchString(t.Path)
}
