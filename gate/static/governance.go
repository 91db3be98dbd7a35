package static

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/source/owners"
	"github.com/aigate/gate/gate/source/workflow"
)

// governance compares what rules over a repository in base and head: who owns which
// files, and what protects its branches.
type governance struct {
	change *gate.Change
	owned  func() ownership
}

// ownership is what a change makes of the owners.
type ownership struct {
	base, head string // the files that count; empty where there is none
	lost       []string
	added      []string
	err        error
}

// maxOwnedWork bounds patterns × files that are compared.
const maxOwnedWork = 20_000_000

func newGovernance(c *gate.Change) *governance {
	return &governance{c, sync.OnceValue(func() ownership { return compareOwners(c) })}
}

// ownersIn reads the file that counts in a tree.
func ownersIn(tree fs.FS) (owners.Owners, string, error) {
	for _, place := range owners.Places() {
		info, err := fs.Stat(tree, place)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		text, err := bounded.ReadFile(tree, place, owners.MaxBytes)
		if err != nil {
			return owners.Owners{}, place, err
		}
		o, err := owners.Read(text)
		return o, place, err
	}
	return owners.Owners{}, "", nil
}

func compareOwners(c *gate.Change) ownership {
	var out ownership
	base, place, err := ownersIn(c.Base)
	out.base = place
	if err != nil {
		return out // the base owns nothing that can be lost
	}
	head, place, err := ownersIn(c.Head)
	if out.head = place; err != nil {
		out.err = err
		return out
	}
	for _, name := range head.All() {
		if !slices.Contains(base.All(), name) && base.Len() > 0 {
			out.added = append(out.added, name)
		}
	}
	work := 0
	out.err = fs.WalkDir(c.Base, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if work += base.Len() + head.Len(); work > maxOwnedWork {
			return fmt.Errorf("more than %d patterns × files", maxOwnedWork)
		}
		if len(base.Of(p)) > 0 && len(head.Of(p)) == 0 {
			out.lost = append(out.lost, p)
		}
		return nil
	})
	return out
}

// governanceNews reports what a change makes of owners and of the settings of the
// repository.
func governanceNews(f *file) {
	t := f.target
	if f.change.Base == nil || t.Kind == gate.ChangeNone || t.Parent != "" {
		return
	}
	switch {
	case path.Base(t.Path) == "CODEOWNERS" || path.Base(t.OldPath) == "CODEOWNERS":
		ownerNews(f)
	case workflow.IsSettings(t.Path) || workflow.IsSettings(t.OldPath):
		settingNews(f)
	}
}

func ownerNews(f *file) {
	o := f.governance.owned()
	counts := func(name string) bool { return name != "" && (name == o.base || name == o.head) }
	if !counts(f.target.Path) && !counts(f.target.OldPath) {
		f.report(checkOwnersChanged, 0, "not the file that counts", "")
		return
	}
	switch {
	case o.err != nil:
		f.report(checkOwnersLost, 0, "not compared: "+o.err.Error(), "")
	case len(o.lost) > 0:
		f.report(checkOwnersLost, 0, fmt.Sprintf("%d files, such as %s", len(o.lost), gate.Clip(o.lost[0], maxShownName)), "")
	case len(o.added) > 0:
		f.report(checkOwnersNew, 0, gate.Clip(strings.Join(o.added, " "), maxShownName), "")
	default:
		f.report(checkOwnersChanged, 0, "", "")
	}
}

func settingNews(f *file) {
	read := func(tree fs.FS, name string) (workflow.Settings, error) {
		text, err := bounded.ReadFile(tree, name, workflow.MaxBytes)
		if err != nil {
			return nil, err
		}
		return workflow.ReadSettings(text)
	}
	base, err := read(f.change.Base, olderPath(f.target))
	if err != nil {
		base = nil
	}
	head := workflow.Settings(nil)
	if f.target.Exists() {
		if head, err = read(f.change.Head, f.target.Path); err != nil {
			f.report(checkWorkflowUnread, 0, err.Error(), "")
			return
		}
	}
	weaker := workflow.Weakened(base, head)
	if len(weaker) == 0 {
		f.report(checkWorkflowChanged, 0, "settings of the repository", "")
		return
	}
	for _, what := range weaker[:min(len(weaker), 5)] {
		f.report(checkSettingWeakened, 0, gate.Clip(what, 2*maxShownName), "")
	}
}
