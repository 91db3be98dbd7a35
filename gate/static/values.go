package static

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aigate/gate/gate"
	regexp "github.com/aigate/gate/gate/lazyregexp"
	"github.com/aigate/gate/gate/source/embedded"
	"github.com/aigate/gate/gate/static/loads"
)

// ran says that a program runs the values of a data file.
type ran struct {
	run embedded.Run
	by  string // the program
	// templates are the commands of the program that rows of the file go into.
	templates []embedded.Template
}

// isSettings reports whether a file of that language is data of keys and values. Its keys
// say what is for people, until a program runs what follows them.
func isSettings(l gate.Language) bool {
	switch l {
	case gate.LanguageJSON, gate.LanguageYAML, gate.LanguageTOML, gate.LanguageINI:
		return true
	}
	return false
}

// isRows reports whether a file is text whose rows programs read. The prose of a project is
// none of it, except for the cells and the spans of code that a program takes out of it.
func isRows(t *gate.Target) bool {
	return t.Language == gate.LanguageText || t.Language == gate.LanguageUnknown || t.Language == gate.LanguageMarkdown
}

// values notes the targets whose values a program runs.
func (e *otherReadings) values(by string, lang gate.Language, content []byte, files *loads.Index) {
	for _, v := range loads.Values(by, lang, content, files) {
		if t := e.targets[e.paths[v.File]]; t.Path != by && (isSettings(t.Language) || isRows(t)) && len(e.ran[t.Path]) < maxAlso {
			e.ran[t.Path] = append(e.ran[t.Path], ran{v.Run, by, v.Templates})
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
		scan := func(piece embedded.Code, more string) []gate.Finding {
			found := f.scanner.texts.scan(text{
				language: piece.Language, role: gate.RoleSource, path: f.target.Path, content: piece.Text, lines: piece.Lines,
				origin: fmt.Sprintf("a value, as %s runs it", by), costs: f.costs, newHost: f.newHost, newPackage: f.newPackage, known: f.known,
			})
			return slices.DeleteFunc(found, func(x gate.Finding) bool {
				return x.Severity != gate.SeverityDangerous && !strings.HasPrefix(x.Rule, downloadExecute+"/") && (more == "" || !strings.HasPrefix(x.Rule, more+"/"))
			})
		}
		for _, piece := range embedded.Texts(f.target.Language, c.data, r.run) {
			if err := ctx.Err(); err != nil {
				return err
			}
			f.union.add(scan(piece, ""))
		}
		for _, t := range r.templates {
			if err := ctx.Err(); err != nil {
				return err
			}
			rowReader{f.newHost, f.newPackage, scan}.read(f, c.data, t)
		}
	}
	return nil
}

// rowReader reads the rows of a file in commands.
type rowReader struct {
	newHost, newPackage func(string) bool
	scan                func(piece embedded.Code, more string) []gate.Finding
}

// read scans the commands that a program makes of the rows of a file. What is found in the
// command whatever goes into it is the program's: there, only a host or a package that the base
// doesn't name counts.
func (r rowReader) read(f *file, data []byte, t embedded.Template) {
	rows := bytes.Split(data, []byte{'\n'})
	own := map[string]bool{}
	for _, x := range r.scan(embedded.Code{Language: gate.LanguageShell, Text: []byte(t.Neutral() + "\n"), Lines: slices.Repeat([]int{1}, 1+strings.Count(t.Neutral(), "\n"))}, packageInstall) {
		own[x.Rule] = true
	}
	for _, piece := range embedded.Filled(f.target.Language, data, t) {
		f.union.add(slices.DeleteFunc(r.scan(piece, packageInstall), func(x gate.Finding) bool {
			return (own[x.Rule] || strings.HasPrefix(x.Rule, packageInstall+"/")) && (x.Line < 1 || x.Line > len(rows) || !r.isNew(string(rows[x.Line-1])))
		}))
	}
}

// isNew reports whether a row names a host that the base does not, or a package.
func (r rowReader) isNew(row string) bool {
	if r.newHost == nil {
		return false
	}
	for _, h := range rowHost.FindAllStringSubmatch(row, 20) {
		if r.newHost(h[1]) {
			return true
		}
	}
	return r.newPackage != nil && rowPackage.MatchString(row) && r.newPackage(strings.TrimSpace(row))
}

// rowPackage matches a row that is the name of a package.
var rowPackage = regexp.MustCompile(`^\s*(?:@[\w.-]+/)?[A-Za-z][\w.-]*\s*$`)

// packageInstall is the category of installing packages.
const packageInstall = "package-install"

// rowHost matches the host of an address.
var rowHost = regexp.MustCompile(`(?i)(?:\b[a-z][a-z+.-]*://(?:[^\s/@"']*@)?|@)([\w.-]+\.[\w-]+)`)

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
			n.referrer.starts[name], n.referrer.ran[name] = line(v.Line), ran{v.Run, t.Path, v.Templates}
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
