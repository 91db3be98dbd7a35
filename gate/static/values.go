package static

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/static/loads"
)

// ran says that a program runs the values of a data file.
type ran struct {
	run embedded.Run
	by  string // the program
}

// isSettings reports whether a file of that language is data of keys and values. Its keys
// say what is for people, until a program runs what stands behind them.
func isSettings(l gate.Language) bool {
	switch l {
	case gate.LanguageJSON, gate.LanguageYAML, gate.LanguageTOML, gate.LanguageINI:
		return true
	}
	return false
}

// values notes the targets whose values a program runs.
func (e *elsewhere) values(by string, lang gate.Language, content []byte, files *loads.Index) {
	for _, v := range loads.Values(by, lang, content, files) {
		if t := e.targets[e.paths[v.File]]; t.Path != by && isSettings(t.Language) && len(e.ran[t.Path]) < maxAlso {
			e.ran[t.Path] = append(e.ran[t.Path], ran{v.Run, by})
		}
	}
}

// downloadExecute is the category of what is fetched and run, which weighs as much in a
// value as in a script.
const downloadExecute = "download-execute"

// readValues scans the values of a data file as what programs run them as. Otherwise only
// what is dangerous counts: which of the values they run is not known.
func readValues(ctx context.Context, f *file, c *content) error {
	for _, r := range f.ran {
		by := gate.Clip(r.by, maxShownName)
		if c.data == nil {
			f.gap("%s runs values of it, and it is too large for each to be read as a command", by)
			return nil
		}
		for _, piece := range embedded.Texts(f.target.Language, c.data, r.run) {
			if err := ctx.Err(); err != nil {
				return err
			}
			found := f.scanner.texts.scan(text{
				language: piece.Language, role: gate.RoleSource, path: f.target.Path, content: piece.Text, lines: piece.Lines,
				origin: fmt.Sprintf("a value, as %s runs it", by), costs: f.costs, newHost: f.newHost, newPackage: f.newPackage, known: f.known,
			})
			f.union.add(slices.DeleteFunc(found, func(x gate.Finding) bool {
				return x.Severity != gate.SeverityDangerous && !strings.HasPrefix(x.Rule, downloadExecute+"/")
			}))
		}
	}
	return nil
}

// newlyRan finds the data files of which a changed program newly runs the values.
type newlyRan struct {
	reacher  *reacher
	referrer referrer
	older    []byte // the base's version
	index    *loads.Index
}

func (n newlyRan) note(lang gate.Language, content []byte, line func(int) int) {
	t, files := n.referrer.target, n.reacher.change.Files
	found := loads.Values(t.Path, lang, content, n.index)
	if len(found) == 0 {
		return
	}
	before := loads.Values(t.Path, lang, n.older, n.index)
	for _, v := range found {
		name := files[v.File]
		same := slices.ContainsFunc(before, func(o loads.Ran) bool { return o.File == v.File && o.Run == v.Run })
		if name != t.Path && !same {
			n.referrer.starts[name], n.referrer.ran[name] = line(v.Line), ran{v.Run, t.Path}
			n.reacher.files[name] = true
		}
	}
}

// ran returns what newly runs the values of a file.
func (r *reacher) ran(name string) []ran {
	var out []ran
	for _, f := range r.referrers {
		if v, ok := f.ran[name]; ok && len(out) < maxAlso {
			out = append(out, v)
		}
	}
	return out
}
