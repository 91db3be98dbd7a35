package change

import (
	"path"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/change/git"
	"github.com/aigate/gate/gate/source/versions"
)

// lines returns which lines of a target are in the change. All of them are where
// the comparison is not possible, or where the file as a whole became something
// else: another language or role, another name, a program, or in another kind of place.
// Of all others, those that are new and those that mean something else now.
func (b *builder) lines(t *gate.Target, before git.Entry) gate.LineSet {
	head, err := b.change.Read(t, git.MaxBuffered)
	if err != nil {
		return gate.LineSet{}
	}
	old, err := b.before(before.OID)
	if err != nil {
		return gate.LineSet{}
	}
	language, role := Classify(before.Path, before.Mode.FS(), old[:min(len(old), HeadBytes)])
	became := t.Mode&0o111 != 0 && before.Mode != git.ModeExecutable
	if language != t.Language || role != t.Role || became || path.Base(before.Path) != path.Base(t.Path) ||
		otherPlace(before.Path, t.Path, t.Role) {
		return gate.LineSet{}
	}
	if b.checkedOut {
		head = versions.AsCheckedIn(t.Language, head, old)
	}
	return versions.Compare(versions.Text{Language: language, Path: before.Path, Content: old},
		versions.Text{Language: t.Language, Path: t.Path, Content: head}).Changed()
}
