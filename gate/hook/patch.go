package hook

import (
	"errors"
	"strings"
)

// beginPatch and endPatch enclose a patch of Codex and of those who have its format.
const beginPatch, endPatch = "*** Begin Patch", "*** End Patch"

// patchActions reads a patch: files that are added, deleted, moved and changed.
func patchActions(text string) ([]Action, error) {
	_, body, ok := strings.Cut(text, beginPatch)
	if !ok {
		return nil, errors.New("its patch has no beginning")
	}
	var out []Action
	var old, now strings.Builder
	file := -1
	hunk := func() {
		if file >= 0 && (old.Len() > 0 || now.Len() > 0) {
			e := &out[file].Edit
			e.Replacements = append(e.Replacements, Replacement{Old: old.String(), New: now.String()})
		}
		old.Reset()
		now.Reset()
	}
	for line := range strings.SplitSeq(body, "\n") {
		line = strings.TrimSuffix(line, "\r")
		verb, name, _ := strings.Cut(strings.TrimPrefix(line, "*** "), ": ")
		switch {
		case strings.HasPrefix(line, "*** "):
			hunk()
			switch {
			case line == endPatch:
				return out, nil
			case verb == "Add File":
				out = append(out, Action{Kind: KindEdit, Path: name})
			case verb == "Delete File":
				out = append(out, Action{Kind: KindEdit, Path: name, Edit: Edit{Deleted: true}})
			case verb == "Update File":
				out = append(out, Action{Kind: KindEdit, Path: name, Edit: Edit{Partial: true}})
			case verb == "Move to" && file >= 0:
				out = append(out, Action{Kind: KindEdit, Path: name, Edit: Edit{Partial: true}})
			case line == "*** End of File":
				continue
			default:
				return nil, errors.New("its patch has a line that isn't known")
			}
			file = len(out) - 1
		case file < 0:
		case strings.HasPrefix(line, "@@"):
			hunk()
		case !out[file].Edit.Partial:
			if added, ok := strings.CutPrefix(line, "+"); ok {
				out[file].Edit.Content += added + "\n"
			}
		case strings.HasPrefix(line, "+"):
			now.WriteString(line[1:] + "\n")
		case strings.HasPrefix(line, "-"):
			old.WriteString(line[1:] + "\n")
		default:
			kept := strings.TrimPrefix(line, " ") + "\n"
			old.WriteString(kept)
			now.WriteString(kept)
		}
	}
	hunk()
	return out, nil
}
