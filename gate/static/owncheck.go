package static

import (
	"io/fs"
	"path"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/bounded"
	"github.com/aigate/gate/gate/source/workflow"
	"github.com/aigate/gate/gate/static/guard"
)

// maxGuards bounds the other files of a change in which a step may be that left this one.
const maxGuards = 20

// maxLosses bounds what is reported of one file.
const maxLosses = 5

// guardPlace is the system that reads a file of that name, "" for none that has a name.
func guardPlace(name string) string {
	if path.Dir(name) == workflowFolder {
		return workflowFolder
	}
	forge, _ := workflow.ForgeOf(name)
	return forge.Name
}

// guardForm is how a file of that name has gate run.
func guardForm(name string) guard.Form {
	_, forge := workflow.ForgeOf(name)
	ext := path.Ext(name)
	return guard.FormOf(name, forge || path.Dir(name) == workflowFolder && (ext == ".yml" || ext == ".yaml"))
}

// guardNews reports a change by which gate itself runs less, sees less or fails less.
func guardNews(f *file) {
	t := f.target
	if f.change.Base == nil || t.Kind == gate.ChangeNone || t.Kind == gate.ChangeAdded || t.Parent != "" {
		return
	}
	form := guardForm(olderPath(t))
	if form == guard.None {
		return
	}
	base, err := bounded.ReadFile(f.change.Base, olderPath(t), guard.MaxBytes)
	if err != nil {
		return // there was no such file, or one that no CI system reads
	}
	head := guardText(f, t, form)
	if form == guard.Shell && head != nil && t.Mode.Perm()&0o111 == 0 && path.Dir(t.Path) != ".husky" && wasExecutable(f) && len(guard.Compare(form, base, nil)) > 0 {
		f.report(checkOwnCheck, 0, "git runs no hook that is not executable", "")
	}
	lost := guard.Compare(form, base, head)
	if len(lost) > 0 {
		lost = guard.Compare(form, base, head, guardsElsewhere(f, form)...)
	}
	for _, l := range lost[:min(len(lost), maxLosses)] {
		if l.Line == 0 && f.checksGone {
			continue
		}
		f.report(checkOwnCheck, l.Line, gate.Clip(strings.Join(strings.Fields(l.What), " "), maxShownName), "")
	}
}

func wasExecutable(f *file) bool {
	info, err := fs.Stat(f.change.Base, olderPath(f.target))
	return err == nil && info.Mode().Perm()&0o111 != 0
}

// guardText is the text of a file of the head that is read in a form; nil where there is none.
func guardText(f *file, t *gate.Target, form guard.Form) []byte {
	if !t.Exists() || !t.Mode.IsRegular() || guardForm(t.Path) != form || guardPlace(t.Path) != guardPlace(olderPath(f.target)) {
		return nil
	}
	text, err := bounded.ReadFile(f.change.Head, t.Path, guard.MaxBytes)
	if err != nil {
		return nil // as what can't be read, it runs nothing
	}
	return text
}

// guardsElsewhere are the other files of the change that are read in the same form and in
// the same place.
func guardsElsewhere(f *file, form guard.Form) [][]byte {
	var out [][]byte
	for _, t := range f.change.Targets {
		if t == f.target || t.Kind == gate.ChangeNone || t.Parent != "" || path.Dir(t.Path) != path.Dir(olderPath(f.target)) || len(out) >= maxGuards {
			continue
		}
		if text := guardText(f, t, form); text != nil {
			out = append(out, text)
		}
	}
	return out
}
