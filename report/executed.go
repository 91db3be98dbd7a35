package report

import (
	"fmt"
	"slices"

	"github.com/aigate/gate/gate"
)

// shownUnrun bounds the reasons that the top of a report names.
const shownUnrun = 3

// executedText says in one or two sentences how much of a change the sandbox executed,
// for the place behind the headline, or "" where it was not to. The hostile parts are
// escaped by esc.
func executedText(r gate.Result, esc func(string) string) string {
	i := slices.IndexFunc(r.Layers, func(l gate.LayerResult) bool { return l.Name == gate.LayerSandbox })
	if i < 0 || r.Layers[i].Reason == notSelected || len(r.Files) == 0 {
		return ""
	}
	if r.Layers[i].Status == gate.LayerSkipped {
		return "Executed nothing: " + esc(gate.Clip(r.Layers[i].Reason, gate.MaxEvidence)) + "."
	}
	x := gate.SumUp(r.Files)
	return ranText(x, wholeTree(r.Files)) + unrunText(x.Unrun, esc)
}

// wholeTree reports whether files were looked at as they are, not for a change of them.
func wholeTree(files []gate.FileResult) bool {
	return !slices.ContainsFunc(files, func(f gate.FileResult) bool { return f.Change != gate.ChangeNone })
}

func ranText(x gate.Executed, tree bool) string {
	lines := "changed line"
	if tree {
		lines = "line"
	}
	switch {
	case x.Of > 0 && x.Unmeasured > 0:
		return fmt.Sprintf("Executed %d of %s in %s, and %s whose lines are not counted.", x.Lines, plural(x.Of, lines), plural(x.Files, "file"), plural(x.Unmeasured, "file"))
	case x.Of > 0:
		return fmt.Sprintf("Executed %d of %s in %s.", x.Lines, plural(x.Of, lines), plural(x.Files, "file"))
	case x.Unmeasured > 0:
		return fmt.Sprintf("Executed %s whose lines are not counted.", plural(x.Unmeasured, "file"))
	case len(x.Unrun) > 0:
		return "Executed none of the change."
	}
	return "Executed nothing: there was nothing to execute."
}

// unrunText names what did not run, or not to its end, and why.
func unrunText(all []gate.Unrun, esc func(string) string) string {
	text := ""
	for i, u := range all {
		if i == shownUnrun {
			rest := 0
			for _, u := range all[i:] {
				rest += u.Files
			}
			return text + " " + plural(rest, "more file") + " did not run."
		}
		what := esc(shortened(visible(u.Path), markdownPath))
		if u.Files > 1 {
			what = plural(u.Files, "file")
		}
		reason := u.Reason
		if reason == "" {
			reason = "no reason is known"
		}
		text += " " + what + " did not run to the end: " + esc(gate.Clip(visible(reason), gate.MaxEvidence)) + "."
	}
	return text
}
